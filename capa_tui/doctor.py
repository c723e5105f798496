"""What this machine has: each finding says what was looked at, how it stands, and what to do."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from capa_tui import paths
from studies.errors import CapaError

ROOM = 200 * 1024 * 1024
"""Free bytes below which the disk is worth a word."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing looked at."""

    about: str
    state: Literal["fine", "note", "missing"]
    """`missing` is what keeps a command from working; a `note` is worth knowing."""
    text: str


def examine(database: Path) -> Iterator[Finding]:
    """Look at everything this version uses."""
    yield _python()
    yield _sqlite()
    yield _database(database)
    yield _disk(database)
    yield _station()
    yield _terminal()
    yield _extra("parquet", "pyarrow", "`export --format parquet`")
    yield from _assistants()


def _python() -> Finding:
    version = ".".join(map(str, sys.version_info[:3]))
    return Finding("python", "fine", f"{version} at {sys.executable}")


def _sqlite() -> Finding:
    from storage.database import sqlite3

    version = sqlite3.sqlite_version
    numbers = tuple(map(int, version.split(".")))
    if numbers >= (3, 51, 3):
        return Finding("sqlite", "fine", f"{version} ({sqlite3.__name__})")
    return Finding(
        "sqlite",
        "note",
        f"{version}: older than the fix of the WAL-reset fault (3.51.3). Install pysqlite3 beside capa-tui.",
    )


def _database(path: Path) -> Finding:
    if not path.exists():
        return Finding("database", "fine", f"{path} does not exist yet; it is made on first use")
    from capa_tui.services import opened

    try:
        with opened(path):
            return Finding("database", "fine", f"{path} opens for reading and writing")
    except CapaError as error:
        return Finding("database", "missing", str(error))


def _disk(path: Path) -> Finding:
    parents = path.absolute().parents
    folder = next((one for one in parents if one.exists()), Path("/"))
    if not folder.is_dir():
        return Finding("disk", "missing", f"{folder} is no folder. Choose another place with --db.")
    free = shutil.disk_usage(folder).free
    text = f"{free // (1024 * 1024):,} MiB free in {folder}"
    if not os.access(folder, os.W_OK):
        return Finding("disk", "missing", f"{folder} cannot be written. Choose another place with --db.")
    if free < ROOM:
        return Finding("disk", "note", f"{text}: make room before a session")
    return Finding("disk", "fine", text)


def _station() -> Finding:
    try:
        return Finding("station", "fine", f"this machine's id is {paths.station()}")
    except CapaError as error:
        return Finding("station", "missing", str(error))


def _terminal() -> Finding:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Finding("terminal", "note", "none here: the screens need one; --plain and --jsonl do not")
    size = shutil.get_terminal_size()
    shown = f"{size.columns}x{size.lines}, TERM={os.environ.get('TERM', '')}"
    if size.columns < 80 or size.lines < 24:
        return Finding("terminal", "note", f"{shown}: smaller than 80x24; enlarge the window")
    encoding = (sys.stdout.encoding or "").lower().replace("-", "")
    if encoding != "utf8":
        return Finding("terminal", "note", f"{shown}, encoding {encoding}: set a UTF-8 locale")
    return Finding("terminal", "fine", shown)


def _assistants() -> Iterator[Finding]:
    from capa_tui.assistants.findings import examine

    return examine()


def _extra(name: str, module: str, serves: str) -> Finding:
    if find_spec(module) is not None:
        return Finding(name, "fine", f"{module} is there for {serves}")
    return Finding(name, "note", f"{serves} needs {module}: install it beside capa-tui (the extra {name})")
