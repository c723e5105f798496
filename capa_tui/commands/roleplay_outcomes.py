"""`evaluate` on role-play studies: the blank control, the figures, and how they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from capa_tui import report
from capa_tui.commands.coded import print_leakage
from capa_tui.commands.printing import by_words, interval_words
from capa_tui.services import Services

if TYPE_CHECKING:
    from studies.coding import Coding
    from studies.events import Event
    from studies.roleplay.evaluation import Evaluation
    from studies.study import Study

EXTRA = "blank"


async def run_extra(services: Services, study: Study) -> None:
    """Make the calls of the blank control that have no recorded verdict yet."""
    from studies.roleplay.blank import blank_control, recorded, run_blank

    done = {(one.assistant, one.task) for one in recorded(study, await services.archive.desk(study.sha256))}
    calls = [one for one in blank_control(study) if (one.assistant, one.task) not in done]
    async with services.live(study) as (assistant, judge):
        assert judge is not None
        async for judged in run_blank(study, calls, assistant, judge):
            await services.desk.blank(judged)
            report.say(f"blank control: {judged.assistant}, {judged.item}: {judged.verdict}")


def figures(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    name: str,
    coding: Coding | None = None,
) -> Evaluation:
    """The outcomes of a study."""
    from studies.roleplay.blank import recorded
    from studies.roleplay.evaluate import evaluate

    return evaluate(study, streams, desk, name=name, coding=coding, blank=recorded(study, desk))


def show(found: Evaluation) -> None:
    """Print the outcomes for a person."""
    report.table(
        ("group", "people", "sessions", "ES", "FT-ES", "TTC", "95% of ES"),
        [
            (
                by_words(one.by),
                one.participants,
                one.sessions,
                one.es,
                one.ft_es,
                one.ttc,
                interval_words(one.es_ci),
            )
            for one in found.groups
        ],
    )
    for one in found.contrasts:
        which = "planned" if one.planned else "exploratory"
        p = one.test.p
        said = "undefined" if one.difference is None else f"{one.difference:+.4f}"
        told = one.ci.undefined_reason if p is None else f"p = {p:.4f}, sign-flip over participants"
        report.line(f"{one.outcome}, {one.a} minus {one.b} ({which}): {said}; {told or ''}".rstrip("; "))
    for blank in found.blank_control:
        told = blank.undefined_reason or f"{blank.solved} of {blank.tasks} tasks solved when told everything"
        report.line(f"blank control, {blank.assistant}: {told}")
    if found.disclosure:
        print_leakage(found, found.disclosure)
    else:
        report.line(f"leakage: undefined: {found.leakage[0].rate.undefined_reason}")
    for note in (*found.flags, *(f"deviation: {each}" for each in found.deviations)):
        report.line(f"note: {note}")
    for each in found.not_counted:
        report.line(f"not counted: {(each.participant or 'erased')[:8]}, {each.reason}")
