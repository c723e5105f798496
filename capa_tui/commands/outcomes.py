"""`evaluate`: what came of the sessions."""

from __future__ import annotations

import asyncio
import importlib
import json
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from capa_tui import paths, report
from capa_tui.early import looked
from capa_tui.services import Services
from studies.errors import InputError

if TYPE_CHECKING:
    from studies.coding import Coding
    from studies.events import Event
    from studies.ports import StudyRecord
    from studies.roleplay.shown import Shown as RoleplayShown
    from studies.specification.shown import Shown as SpecificationShown
    from studies.study import Study

KINDS = {
    "roleplay": "roleplay_outcomes",
    "clarification": "clarification_outcomes",
    "specification": "specification_outcomes",
}
"""Kind of study -> module in `capa_tui.commands` with its outcomes."""
EXTRAS = ("blank", "judges")
"""What `evaluate` can run before it computes, each for one kind."""


def evaluate(arguments: Namespace) -> int:
    """`capa-tui evaluate STUDY`, where a look before planned N is recorded, or `evaluate --records FILE`."""
    if (arguments.study is None) == (arguments.records is None):
        raise InputError("name a study, or run records with --records FILE")
    if arguments.records is not None:
        if arguments.coded:
            raise InputError("--coded goes with a study, not with run records")
        from capa_tui.commands.records import evaluate_records

        return evaluate_records(arguments)
    if arguments.tasks is not None:
        raise InputError("--tasks goes with --records")
    return asyncio.run(_evaluate(arguments))


async def _evaluate(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        kind = _kind(record)
        if wrong := [name for name in EXTRAS if getattr(arguments, name) and name != kind.EXTRA]:
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}: it has no --{wrong[0]}"
            )
        study = await services.archive.study(record.sha256)
        if kind.EXTRA and getattr(arguments, kind.EXTRA):
            await kind.run_extra(services, study)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        coded: dict[str, Any] = {}
        if arguments.coded:
            coded["coding"] = await _coding(services, study, streams, desk, arguments.coded)
        found = kind.figures(study, streams, desk, record.reference, **coded)
        found = await looked(services, record, "evaluate", arguments.reason, found)
    if arguments.json:
        report.emit(found.to_json())
    else:
        kind.show(found)
    return 0


def _kind(record: StudyRecord) -> ModuleType:
    """The module with what `evaluate` does for the study's kind: `EXTRA`, `run_extra`, `figures`, `show`."""
    if record.study_kind not in KINDS:
        raise InputError(
            f"{record.reference} is a study of the kind {record.study_kind}; "
            f"evaluate is for {' and '.join(KINDS)} studies, agreement for annotation studies"
        )
    return importlib.import_module(f"capa_tui.commands.{KINDS[record.study_kind]}")


async def _coding(
    services: Services,
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    name: str,
) -> Coding:
    """The decisions of a coding study of the same database; it is refused where it codes something else."""
    from studies.coding import read_coding

    record = await services.archive.find(name)
    return read_coding(
        study,
        streams,
        desk,
        await services.archive.study(record.sha256),
        await services.archive.streams(record.sha256),
        await services.archive.desk(record.sha256),
        name=record.reference,
    )


def saw(arguments: Namespace) -> int:
    """`capa-tui saw STUDY --participant CODE`: every message of every call, rebuilt from its references."""
    return asyncio.run(_saw(arguments))


async def _saw(arguments: Namespace) -> int:
    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        people = await services.archive.participations(record.sha256)
    shown_by = _SHOWN.get(record.study_kind)
    if shown_by is None or not study.settings.assistants:
        raise InputError(
            f"{record.reference} is a study of the kind {record.study_kind}: it calls no assistant"
        )
    key = arguments.participant.casefold()
    mine = [one.stream for one in people if one.stream and (one.code or "").casefold() == key]
    if not mine:
        raise InputError(f"{record.reference}: nobody of the code {arguments.participant} has taken part")
    for one in shown_by(study, streams, mine):
        report.line(json.dumps(one, ensure_ascii=True))
    return 0


def _shown_to_assistants(
    study: Study, streams: Mapping[str, Sequence[Event]], mine: Sequence[str]
) -> Iterator[dict[str, Any]]:
    from studies.roleplay.shown import Resolver

    resolver = Resolver(study, streams)
    for stream in mine:
        for one in resolver.calls(stream):
            where = {"item": one.call.item, "turn": one.call.turn, "attempt": one.call.attempt}
            yield {**where, **_shown(one)}


def _shown_to_agents(
    study: Study, streams: Mapping[str, Sequence[Event]], mine: Sequence[str]
) -> Iterator[dict[str, Any]]:
    from studies.specification.shown import calls

    for stream in mine:
        for one in calls(study, streams[stream]):
            # There are no turns; the stage says which call it is.
            where = {"item": one.call.item, "turn": 0, "call": one.call.call, "attempt": one.call.attempt}
            yield {**where, **_shown(one)}


def _shown_to_clarifiers(
    study: Study, streams: Mapping[str, Sequence[Event]], mine: Sequence[str]
) -> Iterator[dict[str, Any]]:
    from studies.clarification.shown import Resolver

    resolver = Resolver(study, streams)
    for stream in mine:
        for one in resolver.calls(stream):
            where = {"item": one.item, "turn": one.turn, "attempt": one.attempt}
            yield {**where, **_messages(one.assistant, one, one.missing)}


def _shown(one: RoleplayShown | SpecificationShown) -> dict[str, Any]:
    return _messages(one.call.assistant, one, len(one.missing))


def _messages(assistant: str, one: Any, missing: int) -> dict[str, Any]:
    return {
        "assistant": assistant,
        "at": one.event.at,
        "messages": [{"role": each.role, "content": each.content} for each in one.messages],
        "whole": one.whole,
        "missing": missing,
    }


_SHOWN = {
    "roleplay": _shown_to_assistants,
    "clarification": _shown_to_clarifiers,
    "specification": _shown_to_agents,
}
"""Kind of study -> what its calls were given, call by call."""
