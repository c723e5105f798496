"""Numbered migrations. The number of the last one applied is the file's `user_version`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from storage.sqlite import sqlite3
from studies.errors import InputError

if TYPE_CHECKING:
    from sqlite3 import Connection

APPLICATION_ID = 0x43415041
"""`CAPA` in ASCII: the `application_id` that marks a file as ours."""

Migration = Callable[["Connection"], None]


SCRIPTS = ("schema.sql", "specification.sql", "clarification.sql")
"""The files that make a new database, in the order of their migrations."""


def _script(name: str) -> Migration:
    """The migration that runs every statement of a file."""

    def run(conn: Connection) -> None:
        for statement in statements(files("storage").joinpath(name).read_text(encoding="utf-8")):
            conn.execute(statement)

    return run


MIGRATIONS: tuple[Migration, ...] = tuple(map(_script, SCRIPTS))


def migrate(conn: Connection, path: Path, migrations: tuple[Migration, ...] = MIGRATIONS) -> None:
    """Bring the file to the newest version in one transaction; a copy of an existing one is made first.

    Processes that start together wait for each other, and one of them does the work.

    Raises:
        InputError: the file is another program's or a newer capa-tui's.
        sqlite3.Error: the copy or a migration failed; the file is as it was.
    """
    application, version = _numbers(conn)
    if (application, version) == (APPLICATION_ID, len(migrations)):
        return
    conn.execute("BEGIN IMMEDIATE")
    try:
        application, version = _numbers(conn)
        if application != APPLICATION_ID and (application or _has_tables(conn)):
            raise InputError(foreign(path))
        if version > len(migrations):
            raise InputError(
                f"{path}: a newer capa-tui made this database (version {version}, this one knows "
                f"{len(migrations)}); it was left untouched. Update capa-tui"
            )
        if 0 < version < len(migrations):
            _copy(path, version)
        for step in migrations[version:]:
            step(conn)
        conn.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        conn.execute(f"PRAGMA user_version = {len(migrations)}")
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise


def foreign(path: Path) -> str:
    """What to say about another program's database."""
    return (
        f"{path}: this SQLite database belongs to another program; it was left untouched. "
        "Name another file with --db"
    )


def statements(script: str) -> Iterator[str]:
    """The single statements of a SQL script (`executescript` would commit the open transaction)."""
    pending = ""
    for line in script.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""


def _numbers(conn: Connection) -> tuple[int, int]:
    (application,) = conn.execute("PRAGMA application_id").fetchone()
    (version,) = conn.execute("PRAGMA user_version").fetchone()
    return application, version


def _has_tables(conn: Connection) -> bool:
    return conn.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone() is not None


def _copy(path: Path, version: int) -> None:
    from storage.backup import backup

    moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    backup(path, path.with_name(f"{path.name}.version-{version}.{moment}.bak"))
