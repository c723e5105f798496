"""`run` and `demo`: a participant's visit, in whichever front end."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

from capa_tui import paths
from studies.errors import InputError, MachineError

DEMO_CODE = "DEMO"


def run(arguments: Namespace) -> int:
    """`capa-tui run STUDY --participant CODE`."""
    database = paths.database(arguments.db)
    if arguments.plain or arguments.jsonl:
        return asyncio.run(_line_visit(database, arguments))
    require_terminal()
    from capa_tui.app import participant_app

    app = participant_app(
        database,
        arguments.study,
        arguments.participant,
        pilot=arguments.pilot,
        ask_if_new=arguments.command != "demo",
    )
    return app.run_to_exit_code()


def demo(arguments: Namespace) -> int:
    """`capa-tui demo [KIND]`: the bundled study of that kind, as a participant."""
    from studies import bundles

    if arguments.kind not in bundles.KINDS:
        raise InputError(f"no demo of the kind {arguments.kind!r}; there is: {', '.join(bundles.KINDS)}")
    if arguments.db or os.environ.get("CAPA_TUI_DB"):
        return _demo_in(paths.database(arguments.db), arguments)
    with tempfile.TemporaryDirectory(prefix="capa-tui-demo-") as folder:
        return _demo_in(Path(folder) / "demo.db", arguments)


def _demo_in(database: Path, arguments: Namespace) -> int:
    from capa_tui.services import opened
    from studies import bundles

    with opened(database) as services:
        loaded = asyncio.run(services.desk.load(bundles.study(arguments.kind)))
    arguments.study, arguments.participant, arguments.pilot = loaded.record.reference, DEMO_CODE, False
    arguments.db = str(database)
    return run(arguments)


async def _line_visit(database: Path, arguments: Namespace) -> int:
    from capa_tui.lines import Lines
    from capa_tui.services import Services

    async with Services.open(database) as services:
        visit = await services.seat(arguments.study, arguments.participant, pilot=arguments.pilot)
        source = Lines(sys.stdin.buffer)
        if arguments.jsonl:
            from capa_tui.jsonl import JsonLines

            return await JsonLines(visit, source, sys.stdout).run(services.station)
        from capa_tui.plain import Plain

        return await Plain(visit, source, sys.stdout).run(services.station)


def require_terminal() -> None:
    """Refuse to draw where nobody can see it. (Textual draws on standard error.)

    Raises:
        MachineError: standard input, output or error is not a terminal.
    """
    if not all(one is not None and one.isatty() for one in (sys.stdin, sys.stdout, sys.stderr)):
        raise MachineError(
            "the screens need a terminal on standard input, output and error. "
            "Use --plain to go line by line, or --jsonl for a program."
        )
