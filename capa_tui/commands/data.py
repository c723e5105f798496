"""`export`, `import`, `merge`, `backup` and `verify`: the data, and the files it lives in."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from capa_tui import paths, report
from studies.errors import InputError


def export(arguments: Namespace) -> int:
    """`capa-tui export STUDY --out DIR --format F`, or `export --list-formats`."""
    if arguments.list_formats:
        return _list_formats(arguments.json)
    missing = [
        name
        for name, given in (
            ("STUDY", arguments.study),
            ("--out", arguments.out),
            ("--format", arguments.format),
        )
        if given is None
    ]
    if missing:
        raise InputError(f"export also needs {', '.join(missing)} (see export --list-formats)")
    return asyncio.run(_export(arguments))


def _list_formats(as_json: bool) -> int:
    from storage.export.write import FORMATS

    if as_json:
        report.emit({"formats": [{"format": name, "about": one.about} for name, one in FORMATS.items()]})
    else:
        width = max(map(len, FORMATS)) + 2
        for name, one in FORMATS.items():
            report.line(f"{name:<{width}}{one.about}")
    return 0


async def _export(arguments: Namespace) -> int:
    from capa_tui.services import Services
    from studies.ports import Exporting

    out = Path(arguments.out)
    how = Exporting(arguments.format, out, arguments.raw, arguments.identify, arguments.bom)
    async with Services.open(paths.existing(arguments.db)) as services:
        study = await services.archive.find(arguments.study)
        counts = await services.desk.export(study, how)
    if arguments.json:
        report.emit({"study": study.name, "version": study.version, "out": str(out), "files": dict(counts)})
    else:
        report.table(("file", "rows"), list(counts.items()))
        report.say(f"{study.reference}: written to {out}, with manifest.json and DICTIONARY.md")
    return 0


def import_(arguments: Namespace) -> int:
    """`capa-tui import DIR`: a canonical export back into a database."""
    from storage.importing import import_export

    database = paths.database(arguments.db)
    done = import_export(database, Path(arguments.directory))
    if arguments.json:
        report.emit(asdict(done))
    else:
        report.say(f"{database}: {done.study}, {done.events} events read, {done.new} of them new")
    return 0


def merge(arguments: Namespace) -> int:
    """`capa-tui merge A.db B.db --into LAB.db`: unite stations' files."""
    from storage.merging import merge as unite

    done = unite([Path(one) for one in arguments.sources], Path(arguments.into))
    if arguments.json:
        report.emit(asdict(done))
        return 0
    report.say(f"{arguments.into}: {done.events} events, {done.new} of them new")
    for stream in done.forks:
        report.say(f"attention: stream {stream} was continued at two stations; both sides are kept")
    for name, code in done.shared_codes:
        report.say(f"attention: in {name} the code {code} stands for two people; both are kept")
    for study, slot in done.shared_slots:
        report.say(f"attention: in {study} two people hold slot {slot}; both are kept")
    return 0


def backup(arguments: Namespace) -> int:
    """`capa-tui backup DEST`: an online copy."""
    from storage.backup import backup as copy

    database = paths.database(arguments.db)
    copy(database, Path(arguments.destination))
    report.say(f"{arguments.destination}: a whole copy of {database}")
    return 0


def verify(arguments: Namespace) -> int:
    """`capa-tui verify`: 1 if anything is wrong."""
    from storage.verify import verify as findings_of

    database = paths.database(arguments.db)
    findings = findings_of(database)
    if arguments.json:
        report.emit({"database": str(database), "findings": [asdict(one) for one in findings]})
    else:
        for one in findings:
            report.line(f"{one.check}: {one.text}")
        report.say(f"{database}: {'sound' if not findings else f'{len(findings)} findings'}")
    return 1 if findings else 0
