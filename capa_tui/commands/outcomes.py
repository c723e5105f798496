"""`evaluate`: what came of the sessions."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from capa_tui import paths, report
from capa_tui.services import Services
from studies.errors import InputError

if TYPE_CHECKING:
    from studies.roleplay.evaluation import Evaluation


def evaluate(arguments: Namespace) -> int:
    """`capa-tui evaluate STUDY`: outcome metrics; a look before planned N is recorded."""
    return asyncio.run(_evaluate(arguments))


async def _evaluate(arguments: Namespace) -> int:
    async with Services.open(paths.database(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        if record.study_kind != "roleplay":
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}; "
                "evaluate is for role-play studies, agreement for annotation studies"
            )
        from studies.roleplay.evaluate import evaluate as outcomes_of

        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        found = outcomes_of(study, streams, desk, name=record.reference)
        if not found.reached:
            planned = found.planned_n or 0
            await services.desk.look(record, "evaluate", arguments.reason, found.completed, planned)
            report.say(
                f"Before planned N ({found.completed} of {planned} participations completed): "
                "these figures are an early look, and the look has been recorded."
            )
    if arguments.json:
        report.emit(found.to_json())
    else:
        _print(found)
    return 0


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
