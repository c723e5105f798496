"""`evaluate`: what came of the sessions."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from capa_tui import paths, report
from capa_tui.early import looked
from capa_tui.services import Services
from studies.errors import InputError

if TYPE_CHECKING:
    from studies.clarification.evaluate import Evaluation as Clarified
    from studies.events import Event
    from studies.roleplay.evaluation import Evaluation
    from studies.study import Study


def evaluate(arguments: Namespace) -> int:
    """`capa-tui evaluate STUDY`, where a look before planned N is recorded, or `evaluate --records FILE`."""
    if (arguments.study is None) == (arguments.records is None):
        raise InputError("name a study, or run records with --records FILE")
    if arguments.records is not None:
        from capa_tui.commands.records import evaluate_records

        return evaluate_records(arguments)
    if arguments.tasks is not None:
        raise InputError("--tasks goes with --records")
    return asyncio.run(_evaluate(arguments))


async def _evaluate(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        if record.study_kind not in _PRINTS:
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}; "
                "evaluate is for studies with sessions, agreement for annotation studies"
            )
        study = await services.archive.study(record.sha256)
        if arguments.blank:
            await _run_blank(services, study)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        found = await looked(
            services, record, "evaluate", arguments.reason, _figures(study, streams, desk, record.reference)
        )
    if arguments.json:
        report.emit(found.to_json())
    else:
        _PRINTS[record.study_kind](found)
    return 0


def _figures(study: Study, streams: Mapping[str, Sequence[Event]], desk: Sequence[Event], name: str) -> Any:
    """The outcomes of a study of a kind that has sessions."""
    if study.settings.kind == "clarification":
        from studies.clarification.evaluate import evaluate as outcomes_of

        return outcomes_of(study, streams, desk, name=name)
    from studies.roleplay.blank import recorded
    from studies.roleplay.evaluate import evaluate as roleplay_outcomes

    return roleplay_outcomes(study, streams, desk, name=name, blank=recorded(study, desk))


def saw(arguments: Namespace) -> int:
    """`capa-tui saw STUDY --participant CODE`: every message of every call, rebuilt from its references."""
    return asyncio.run(_saw(arguments))


async def _saw(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        people = await services.archive.participations(record.sha256)
    if not study.settings.assistants:
        raise InputError(
            f"{record.reference} is a study of the kind {record.study_kind}: it calls no assistant"
        )
    key = arguments.participant.casefold()
    mine = [one.stream for one in people if one.stream and (one.code or "").casefold() == key]
    if not mine:
        raise InputError(f"{record.reference}: nobody of the code {arguments.participant} has taken part")
    for stream in mine:
        for shown in _calls(study, streams, stream):
            report.line(json.dumps(shown, ensure_ascii=True))
    return 0


def _calls(study: Study, streams: Mapping[str, Sequence[Event]], stream: str) -> Iterator[dict[str, Any]]:
    """Every call of a participation, with its messages."""
    if study.settings.kind == "clarification":
        from studies.clarification.shown import Resolver as Answers

        for one in Answers(study, streams).calls(stream):
            yield _call(one.item, one.turn, one.attempt, one.assistant, one, one.missing)
        return
    from studies.roleplay.shown import Resolver

    for played in Resolver(study, streams).calls(stream):
        call = played.call
        yield _call(call.item, call.turn, call.attempt, call.assistant, played, len(played.missing))


def _call(item: str, turn: int, attempt: int, assistant: str, shown: Any, missing: int) -> dict[str, Any]:
    return {
        "item": item,
        "turn": turn,
        "attempt": attempt,
        "assistant": assistant,
        "at": shown.event.at,
        "messages": [{"role": each.role, "content": each.content} for each in shown.messages],
        "whole": shown.whole,
        "missing": missing,
    }


async def _run_blank(services: Services, study: Study) -> None:
    """Make the calls of the blank control that have no recorded verdict yet."""
    if study.settings.kind != "roleplay":
        raise InputError(f"{study.settings.name}: the blank control belongs to role-play studies")
    from studies.roleplay.blank import blank_control, recorded, run_blank

    done = {(one.assistant, one.task) for one in recorded(study, await services.archive.desk(study.sha256))}
    calls = [one for one in blank_control(study) if (one.assistant, one.task) not in done]
    async with services.live(study) as (assistant, judge):
        assert judge is not None
        async for judged in run_blank(study, calls, assistant, judge):
            await services.desk.blank(judged)
            report.say(f"blank control: {judged.assistant}, {judged.item}: {judged.verdict}")


def _print(found: Evaluation) -> None:
    report.table(
        ("group", "people", "sessions", "ES", "FT-ES", "TTC", "95% of ES"),
        [
            (_by(one.by), one.participants, one.sessions, one.es, one.ft_es, one.ttc, _interval(one.es_ci))
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
    for note in (*found.flags, *(f"deviation: {each}" for each in found.deviations)):
        report.line(f"note: {note}")
    for each in found.not_counted:
        report.line(f"not counted: {(each.participant or 'erased')[:8]}, {each.reason}")


def _print_clarification(found: Clarified) -> None:
    from capa_tui.commands.records import print_groups

    print_groups(found.groups)
    for one in found.contrasts:
        which = "planned" if one.planned else "exploratory"
        said = "undefined" if one.difference is None else f"{one.difference:+.4f}"
        p = one.test.p
        told = one.ci.undefined_reason if p is None else f"p = {p:.4f}, sign-flip over participants"
        report.line(f"{one.outcome}, {one.a} minus {one.b} ({which}): {said}; {told or ''}".rstrip("; "))
    ends = ", ".join(f"{name} {several}" for name, several in found.endings.items() if several)
    report.line(f"note: {found.participants} participants, {found.sessions} sessions: {ends or 'none'}")
    notes = (*found.groups[0].flags, *found.flags, *(f"deviation: {each}" for each in found.deviations))
    for note in notes:
        report.line(f"note: {note}")
    for each in found.not_counted:
        report.line(f"not counted: {(each.participant or 'erased')[:8]}, {each.reason}")


def _by(by: Mapping[str, str | None]) -> str:
    return ", ".join(f"{key} {value or 'undefined'}" for key, value in by.items()) or "all"


def _interval(one: Any) -> str:
    if one is None or one.low is None:
        return f"undefined: {one.undefined_reason}" if one is not None else "undefined"
    return f"{one.low:.4f} to {one.high:.4f}"


_PRINTS: Mapping[str, Callable[[Any], None]] = {"roleplay": _print, "clarification": _print_clarification}
