"""`run` and `demo`: a participant's visit, in whichever front end."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from capa_tui import paths
from studies.errors import InputError, MachineError

if TYPE_CHECKING:
    from capa_tui.lines import Lines

DEMO_CODE = "DEMO"


def run(arguments: Namespace) -> int:
    """`capa-tui run STUDY --participant CODE`."""
    database = paths.existing(arguments.db)
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
    # Not where CAPA_TUI_DB points: that is the lab's own, and a demo there would stay among its studies.
    if arguments.db:
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
        _end_on_signals(source)
        try:
            if arguments.jsonl:
                from capa_tui.jsonl import JsonLines

                return await JsonLines(visit, source, sys.stdout).run(services.station)
            from capa_tui.plain import Plain

            return await Plain(visit, source, sys.stdout).run(services.station)
        except OSError:
            # Nobody reads our output, so nobody answers either.
            await visit.pause("output closed")
            raise


def _end_on_signals(source: Lines) -> None:
    """Take a signal to end for the end of the input, so that the visit pauses in an orderly way."""
    loop = asyncio.get_running_loop()

    def hang_up(number: signal.Signals) -> None:
        # A second one ends the program as always.
        loop.remove_signal_handler(number)
        source.close()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            loop.add_signal_handler(number, hang_up, number)


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
