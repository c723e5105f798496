"""`evaluate`: what came of the sessions."""

from __future__ import annotations

import asyncio
import json
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from capa_tui import paths, report
from capa_tui.services import Services
from studies.errors import InputError

if TYPE_CHECKING:
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
        if record.study_kind != "roleplay":
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}; "
                "evaluate is for role-play studies, agreement for annotation studies"
            )
        from studies.looks import looks
        from studies.roleplay.blank import recorded
        from studies.roleplay.evaluate import evaluate as outcomes_of

        study = await services.archive.study(record.sha256)
        if arguments.blank:
            await _run_blank(services, study)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        found = outcomes_of(study, streams, desk, name=record.reference, blank=recorded(study, desk))
        if not found.reached:
            planned = found.planned_n or 0
            await services.desk.look(record, "evaluate", arguments.reason, found.completed, planned)
            found = replace(found, looks=looks(await services.archive.desk(record.sha256), record.sha256))
            report.say(
                f"Before planned N ({found.completed} of {planned} participations completed): "
                "these figures are an early look, and the look has been recorded."
            )
    if arguments.json:
        report.emit(found.to_json())
    else:
        _print(found)
    return 0


def saw(arguments: Namespace) -> int:
    """`capa-tui saw STUDY --participant CODE`: every message of every call, rebuilt from its references."""
    return asyncio.run(_saw(arguments))


async def _saw(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        people = await services.archive.participations(record.sha256)
    if record.study_kind != "roleplay":
        raise InputError(
            f"{record.reference} is a study of the kind {record.study_kind}: it calls no assistant"
        )
    key = arguments.participant.casefold()
    mine = [one.stream for one in people if one.stream and (one.code or "").casefold() == key]
    if not mine:
        raise InputError(f"{record.reference}: nobody of the code {arguments.participant} has taken part")
    from studies.roleplay.shown import Resolver

    resolver = Resolver(study, streams)
    for stream in mine:
        for one in resolver.calls(stream):
            shown = {
                "item": one.call.item,
                "turn": one.call.turn,
                "attempt": one.call.attempt,
                "assistant": one.call.assistant,
                "at": one.event.at,
                "messages": [{"role": each.role, "content": each.content} for each in one.messages],
                "whole": one.whole,
                "missing": len(one.missing),
            }
            report.line(json.dumps(shown, ensure_ascii=True))
    return 0


async def _run_blank(services: Services, study: Study) -> None:
    """Make the calls of the blank control that have no recorded verdict yet."""
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


def _by(by: Mapping[str, str | None]) -> str:
    return ", ".join(f"{key} {value or 'undefined'}" for key, value in by.items()) or "all"


def _interval(one: Any) -> str:
    if one is None or one.low is None:
        return f"undefined: {one.undefined_reason}" if one is not None else "undefined"
    return f"{one.low:.4f} to {one.high:.4f}"
