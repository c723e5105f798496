"""`agreement`: figures about how far the raters agree."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from capa_tui import paths, report
from studies.errors import InputError

if TYPE_CHECKING:
    from studies.agreement.report import AgreementReport


def agreement(arguments: Namespace) -> int:
    """`capa-tui agreement STUDY`, or `agreement --csv FILE`."""
    if (arguments.study is None) == (arguments.csv is None):
        raise InputError("name a study, or a table with --csv FILE")
    if arguments.csv is not None:
        return _of_table(Path(arguments.csv), arguments.json)
    return asyncio.run(_of_study(arguments))


def _of_table(path: Path, as_json: bool) -> int:
    from studies.agreement.read import read_csv
    from studies.agreement.report import agreement as figures_of

    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; save the table as UTF-8") from error
    figures = figures_of(read_csv(text, path.name))
    if as_json:
        report.emit(figures.to_json())
    else:
        _print(figures)
    return 0


async def _of_study(arguments: Namespace) -> int:
    from capa_tui.services import Services
    from studies.annotation.metrics import study_agreement

    async with Services.open(paths.database(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        if record.study_kind != "annotation":
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}; "
                "agreement is for annotation studies, evaluate for role-play studies"
            )
        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        found = study_agreement(study, streams, desk, name=record.reference)
        if not found.reached:
            planned = found.planned_n or 0
            await services.desk.look(record, "agreement", arguments.reason, found.completed, planned)
            report.say(
                f"Before planned N ({found.completed} of {planned} participations completed): "
                "these figures are an early look, and the look has been recorded."
            )
    if arguments.json:
        report.emit(found.to_json())
        return 0
    _print(found.report)
    for one in found.not_counted:
        report.line(f"not counted: {(one.participant or 'erased')[:8]}, {one.reason}")
    return 0


def _print(figures: AgreementReport) -> None:
    from studies.agreement.summary import lines

    rows = lines(figures)
    labels = max((len(one.label) for one in rows), default=0)
    values = max((len(one.value) for one in rows), default=0)
    for one in rows:
        report.line(f"{one.label:<{labels}}  {one.value:>{values}}  {one.note}".rstrip())
