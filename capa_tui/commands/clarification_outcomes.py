"""`evaluate` on clarification studies: the figures, and how they are printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from capa_tui import report
from capa_tui.commands.coded import print_volunteered
from capa_tui.commands.records import print_groups
from capa_tui.services import Services

if TYPE_CHECKING:
    from studies.clarification.evaluate import Evaluation
    from studies.coding import Coding
    from studies.events import Event
    from studies.study import Study

EXTRA = ""


async def run_extra(services: Services, study: Study) -> None:
    """Nothing has to be run before the figures."""


def figures(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    name: str,
    coding: Coding | None = None,
) -> Evaluation:
    """The outcomes of a study."""
    from studies.clarification.evaluate import evaluate

    return evaluate(study, streams, desk, name=name, coding=coding)


def show(found: Evaluation) -> None:
    """Print the outcomes for a person."""
    print_groups(found.groups)
    for one in found.contrasts:
        which = "planned" if one.planned else "exploratory"
        said = "undefined" if one.difference is None else f"{one.difference:+.4f}"
        p = one.test.p
        told = one.ci.undefined_reason if p is None else f"p = {p:.4f}, sign-flip over participants"
        report.line(f"{one.outcome}, {one.a} minus {one.b} ({which}): {said}; {told or ''}".rstrip("; "))
    if found.volunteered:
        print_volunteered(found.volunteered)
    else:
        report.line(f"volunteered: undefined: {found.volunteered_undefined_reason}")
    ends = ", ".join(f"{name} {several}" for name, several in found.endings.items() if several)
    report.line(f"note: {found.participants} participants, {found.sessions} sessions: {ends or 'none'}")
    notes = (*found.groups[0].flags, *found.flags, *(f"deviation: {each}" for each in found.deviations))
    for note in notes:
        report.line(f"note: {note}")
    for each in found.not_counted:
        report.line(f"not counted: {(each.participant or 'erased')[:8]}, {each.reason}")
