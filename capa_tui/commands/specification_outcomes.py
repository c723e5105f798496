"""`evaluate` on specification studies: the judges, the figures, and how they are printed."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from capa_tui import report
from capa_tui.commands.printing import by_words, interval_words
from capa_tui.services import Services
from studies.errors import CapaError

if TYPE_CHECKING:
    from studies.events import Event
    from studies.specification.evaluation import Evaluation
    from studies.specification.figures import Group
    from studies.specification.judging import Panel
    from studies.statistics.contrasts import Contrast
    from studies.study import Study

EXTRA = "judges"
STREAMS_AT_ONCE = 16
"""Participations that are held at the same time while judges work."""


# -- judges ------------------------------------------------------------------------------------


async def run_extra(services: Services, study: Study) -> None:
    """Have the judges look at what they have not looked at yet, each answer stored in its own stream."""
    from studies.specification.judging import Budget, Panel

    if not study.settings.specification.judges:
        report.say("the study names no judges: `judges` in [specification]")
        return
    spent = await services.store.dialogues(study).spent(study.sha256)
    budget = Budget(study.settings.specification.study_budget, spent)
    held = asyncio.Semaphore(STREAMS_AT_ONCE)
    async with services.live(study) as (assistant, _):
        panel = Panel(study, assistant, budget)

        async def one(stream: str) -> list[str]:
            async with held:
                return await _judge(services, study, stream, panel)

        streams = sorted(await services.archive.streams(study.sha256))
        told = await asyncio.gather(*map(one, streams))
    for words in (words for some in told for words in some):
        report.say(words)
    if budget.reached:
        report.say(f"the study has cost {budget.spent:.2f} of {budget.allowed:.2f} US dollars: no more calls")


async def _judge(services: Services, study: Study, stream: str, panel: Panel) -> list[str]:
    """What is to be told of one participation."""
    from studies.rows import pseudonym
    from studies.specification.judging import docket

    name = stream[:8]
    try:
        async with services.hold(study, stream) as visit:
            if visit.state.opened is not None:
                name = pseudonym(visit.state.opened.participant)
            todo = docket(study, visit.state)
            judged = await panel.judge(todo.due, visit.store)
    except CapaError as error:
        # One that is open, or was erased meanwhile, keeps nobody else waiting.
        return [f"{name}: not judged: {error}"]
    told = [f"{name}: {why}" for why in todo.withheld]
    told += [f"{name}: {one.judge} gave no usable answer: {one.trouble}" for one in judged if one.trouble]
    good = sum(not one.trouble for one in judged)
    return [*told, f"{name}: {good} judgements"] if good else told


# -- figures -----------------------------------------------------------------------------------


def figures(
    study: Study, streams: Mapping[str, Sequence[Event]], desk: Sequence[Event], name: str
) -> Evaluation:
    """The outcomes of a study."""
    from studies.specification.evaluate import evaluate

    return evaluate(study, streams, desk, name=name)


def show(found: Evaluation) -> None:
    """Print the outcomes for a person."""
    _predictions(found.groups)
    _checkpoints(found)
    _sheets(found.groups)
    _contrasts(found)
    _judges(found)
    _sensitivity(found)
    _notes(found)


def _told(groups: Sequence[Group]) -> list[Group]:
    """The whole, and the groups that are a part of it and no more."""
    return [one for one in groups if not one.by or one.sessions < groups[0].sessions]


def _predictions(groups: Sequence[Group]) -> None:
    own = [one for one in _told(groups) if one.checklist_answers or not one.by]
    report.line("Task 1: predicted answers")
    report.table(
        (
            *("group", "people", "projects", "interviews", "accuracy", "95% interval", "not asked"),
            *("test-retest", "queries", "early"),
        ),
        [
            (
                by_words(one.by),
                one.participants,
                one.projects,
                one.sessions,
                one.accuracy,
                interval_words(one.accuracy_ci),
                one.accuracy_not_asked,
                one.test_retest,
                one.queries,
                one.early_submit_rate,
            )
            for one in own
        ],
    )


def _checkpoints(found: Evaluation) -> None:
    if not found.checkpoints:
        return
    report.line("")
    report.line("Task 1 within one interview (silent predictions: a deviation)")
    report.table(
        ("group", "rounds", "interviews", "accuracy", "95% interval"),
        [
            (by_words(one.by), one.rounds, one.sessions, one.accuracy, interval_words(one.accuracy_ci))
            for one in found.checkpoints
        ],
    )
    report.table(
        ("group", "rounds", "interviews", "improved", "95% interval"),
        [
            (
                by_words(one.by),
                f"{one.since} to {one.to}",
                one.sessions,
                one.share,
                interval_words(one.share_ci),
            )
            for one in found.improvements
        ],
    )


def _sheets(groups: Sequence[Group]) -> None:
    from studies.specification.outcomes import FATES
    from studies.specification.sections import CRITERIA

    own = [one for one in _told(groups) if one.scores["coverage"] is not None or not one.by]
    report.line("")
    report.line("Task 2: rated sheets, 1 to 5")
    report.table(
        ("group", "people", "interviews", *CRITERIA, "queries", "win/tie/loss"),
        [
            (
                by_words(one.by),
                one.participants,
                one.sessions,
                *(one.scores[name] for name in CRITERIA),
                one.queries,
                (
                    one.win_tie_loss
                    and f"{one.win_tie_loss.win}/{one.win_tie_loss.tie}/{one.win_tie_loss.loss}"
                ),
            )
            for one in own
        ],
    )
    fared = [(one, one.requirements) for one in own if one.requirements is not None]
    if fared:
        report.line("")
        report.table(
            ("group", "sheets", "requirements", *FATES),
            [
                (by_words(one.by), of.sheets, of.requirements, *(of.shares[name] for name in FATES))
                for one, of in fared
            ],
        )
    edited = [(one, one.edited) for one in own if one.edited is not None]
    if edited:
        report.line("")
        report.table(
            ("group", "edited", "statements struck", "sections rewritten", "changes kept", "left as it was"),
            [
                (
                    by_words(one.by),
                    of.sheets,
                    of.statements_struck,
                    of.sections_rewritten,
                    of.changes_accepted,
                    of.left_as_it_was,
                )
                for one, of in edited
            ],
        )


def _contrasts(found: Evaluation) -> None:
    if found.contrasts or found.head_to_head:
        report.line("")
    for one in found.contrasts:
        report.line(_contrast(one))
    for duel in found.head_to_head:
        p = "" if duel.test.p is None else f"; p = {duel.test.p:.4f}"
        went = f"{duel.win} won, {duel.tie} tied, {duel.loss} lost"
        report.line(f"{duel.a} against {duel.b}, by {duel.judge}: {went}{p}")


def _contrast(one: Contrast) -> str:
    said = "undefined" if one.difference is None else f"{one.difference:+.4f}"
    which = "planned" if one.planned else "exploratory"
    if one.test.p is None or one.p_corrected is None:
        told = one.test.undefined_reason or ""
    else:
        told = (
            f"95% {interval_words(one.ci)}; p = {one.test.p:.4f}, corrected {one.p_corrected:.4f} "
            f"({one.correction}), sign-flip over {one.participants} participants"
        )
    return f"{one.outcome}, {one.by} {one.a} minus {one.b} ({which}): {said}; {told}"


def _judges(found: Evaluation) -> None:
    judges = found.judges
    if not judges.work:
        return
    report.line("")
    report.line("Judges beside the participants")
    if judges.undefined_reason:
        report.line(f"undefined: {judges.undefined_reason}")
        return
    report.table(
        ("judge", "criterion", "sheets", "ordinal alpha", "judge minus person", "95% interval"),
        [
            (
                one.judge,
                one.criterion,
                one.sheets,
                one.alpha,
                one.difference,
                interval_words(one.difference_ci),
            )
            for one in judges.beside_participants
        ],
    )
    for among in judges.among_judges:
        if among.sheets:
            said = f"{among.alpha:.4f}" if among.alpha is not None else f"undefined: {among.undefined_reason}"
            report.line(f"among judges, {among.criterion}: ordinal alpha {said}, {among.sheets} sheets")
    for alike in judges.requirements_alike:
        if alike.share is not None:
            report.line(f"{alike.judge}: {alike.share:.4f} of {alike.requirements} requirements judged alike")
    for work in judges.work:
        failed = f", {work.failed} without a usable answer" if work.failed else ""
        report.line(f"{work.judge}: {work.sheets} sheets and {work.pairs} pairs{failed}")


def _sensitivity(found: Evaluation) -> None:
    from studies.specification.sections import CRITERIA

    report.line("")
    report.line("Under other rules about what counts")
    report.table(
        ("rule", "group", "people", "interviews", "accuracy", *CRITERIA, "queries"),
        [
            (
                run.name,
                by_words(one.by),
                one.participants,
                one.sessions,
                one.accuracy,
                *(one.scores[name] for name in CRITERIA),
                one.queries,
            )
            for run in found.sensitivity
            for one in run.groups
        ],
    )
    for run in found.sensitivity:
        if run.undefined_reason:
            report.line(f"{run.name}: undefined, {run.undefined_reason}")
        for one in run.contrasts:
            if one.family == "primary":
                report.line(f"{run.name}: {_contrast(one)}")


def _notes(found: Evaluation) -> None:
    whole = found.groups[0]
    report.line("")
    report.line("begun: " + ", ".join(f"{name} {several}" for name, several in whole.dispositions.items()))
    report.line("ended by: " + ", ".join(f"{name} {several}" for name, several in whole.ended_by.items()))
    if whole.checklist_answers and whole.scores["coverage"] is not None:
        report.line("queries and early are over interviews of both tasks, where a group does not name one")
    if whole.checklist_answers:
        report.line(
            f"accuracy is over {whole.checklist_answers} answers; {whole.without_preference} of no strong "
            "preference are left out of it, and count as answers in test-retest"
        )
    if whole.undefined_reason:
        report.line(f"undefined: {whole.undefined_reason}")
    for note in (*whole.flags, *(f"deviation: {one}" for one in found.deviations)):
        report.line(f"note: {note}")
    for look in found.looks:
        report.line(f"look before planned N: {look.at}, {look.completed} of {look.planned}, {look.reason}")
    for each in found.not_counted:
        report.line(f"not counted: {(each.participant or 'erased')[:8]}, {each.reason}")
