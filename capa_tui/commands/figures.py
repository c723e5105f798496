"""`agreement`: figures about how far the raters agree."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capa_tui import paths, report
from capa_tui.early import looked
from studies.errors import InputError
from studies.visible import visible_line

if TYPE_CHECKING:
    from studies.agreement.report import AgreementReport
    from studies.agreement.summary import Line
    from studies.events import Event
    from studies.study import Study


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
        _print(_lines(figures))
    return 0


async def _of_study(arguments: Namespace) -> int:
    from capa_tui.services import Services

    async with Services.open(paths.existing(arguments.db)) as services:
        record = await services.archive.find(arguments.study)
        if record.study_kind not in ("annotation", "clarification"):
            raise InputError(
                f"{record.reference} is a study of the kind {record.study_kind}; "
                "agreement is for studies in which people label, evaluate for those with sessions"
            )
        study = await services.archive.study(record.sha256)
        streams = await services.archive.streams(record.sha256)
        desk = await services.archive.desk(record.sha256)
        found, rows = _figures(study, streams, desk, record.name)
        found = await looked(services, record, "agreement", arguments.reason, found)
    if arguments.json:
        report.emit({**found.to_json(), "version": record.version, "sha256": record.sha256})
    else:
        _print(rows(found))
    return 0


def _figures(
    study: Study, streams: Mapping[str, Sequence[Event]], desk: Sequence[Event], name: str
) -> tuple[Any, Callable[[Any], Sequence[Line]]]:
    """The agreement of a study, and what makes rows of text of it."""
    if study.settings.kind == "clarification":
        from studies.clarification.agreement import matcher_agreement
        from studies.clarification.authors import author_agreement
        from studies.clarification.summary import author_lines, matcher_lines

        if study.settings.clarification.seat == "author":
            return author_agreement(study, streams, desk, name=name), author_lines
        return matcher_agreement(study, streams, desk, name=name), matcher_lines
    from studies.annotation.metrics import study_agreement
    from studies.annotation.summary import study_lines

    return study_agreement(study, streams, desk, name=name), study_lines


def _lines(figures: AgreementReport) -> Sequence[Line]:
    from studies.agreement.summary import lines

    return lines(figures)


def _print(rows: Sequence[Line]) -> None:
    labels = max((len(one.label) for one in rows), default=0)
    values = max((len(one.value) for one in rows), default=0)
    for one in rows:
        report.line(f"{one.label:<{labels}}  {one.value:>{values}}  {visible_line(one.note)}".rstrip())
