"""Whether a database is what it should be: the file itself, every chain, every study."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from storage.archive import read_files, records
from storage.database import connect, explain, refuse_foreign, sqlite3
from storage.erase import is_unclean
from storage.migrations import MIGRATIONS
from storage.rows import fetch, quoted_fields
from studies.errors import InputError, MachineError
from studies.events import faults
from studies.study import version_hash

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    check: str
    """`file`, `references`, `chain`, `studies`, `views`, `codes` or `erasure`."""
    text: str


def verify(path: Path) -> list[Finding]:
    """Everything wrong with a database; an empty list for a sound one. Nothing is changed.

    Raises:
        InputError: there is no such file, or it is not ours.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such database")
    try:
        refuse_foreign(path)
        with closing(connect(path, readonly=True)) as conn:
            conn.execute("BEGIN")
            _check_version(conn, path)
            return [one for check in _CHECKS for one in check(conn)]
    except MachineError as error:
        return [Finding("file", str(error))]
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_NOTADB:
            raise explain(error, path, MachineError) from error
        return [Finding("file", f"{path.name}: the file is damaged or was cut short: {error}")]


def _check_version(conn: Connection, path: Path) -> None:
    (version,) = conn.execute("PRAGMA user_version").fetchone()
    if version != len(MIGRATIONS):
        raise InputError(
            f"{path}: the database has version {version} and this capa-tui checks version "
            f"{len(MIGRATIONS)}; " + ("update capa-tui" if version > len(MIGRATIONS) else "open it first")
        )


def _integrity(conn: Connection) -> Iterator[Finding]:
    for (said,) in conn.execute("PRAGMA integrity_check"):
        if said != "ok":
            yield Finding("file", str(said))


def _references(conn: Connection) -> Iterator[Finding]:
    for table, row, parent, _ in conn.execute("PRAGMA foreign_key_check"):
        yield Finding("references", f"row {row} of {table} names something missing in {parent}")
    missing = conn.execute(
        "SELECT DISTINCT stream, study FROM events WHERE kind = 'participation_opened' "
        "AND study NOT IN (SELECT sha256 FROM studies)"
    )
    for stream, study in missing:
        yield Finding("references", f"participation {stream}: its study {study} is not in this file")


def _chains(conn: Connection) -> Iterator[Finding]:
    for _, events in groupby(fetch(conn), key=lambda one: one.stream):
        yield from (Finding("chain", text) for text in faults(list(events)))


def _studies(conn: Connection) -> Iterator[Finding]:
    for one in records(conn):
        found = version_hash(read_files(conn, one.sha256))
        if found != one.sha256:
            yield Finding("studies", f"{one.reference}: its files give the hash {found}, not {one.sha256}")


def _views(conn: Connection) -> Iterator[Finding]:
    rows = conn.execute("SELECT stream, seq, body, quoted FROM events WHERE body IS NOT NULL")
    for stream, seq, body, quoted in rows:
        if quoted_fields(body) != quoted:
            yield Finding(
                "views", f"event {seq} of stream {stream}: the column `quoted` does not fit its text"
            )


def _codes(conn: Connection) -> Iterator[Finding]:
    twice = conn.execute(
        "SELECT name, code FROM codes WHERE NOT pilot AND EXISTS (SELECT 1 FROM events "
        "WHERE events.participant = codes.participant AND kind = 'participation_opened') "
        "GROUP BY name, code_key HAVING count(*) > 1"
    )
    for name, code in twice:
        yield Finding("codes", f"{name}: the code {code} took part twice, at two stations")


def _erasure(conn: Connection) -> Iterator[Finding]:
    if is_unclean(conn):
        yield Finding(
            "erasure",
            "bytes of erased payloads may still be in the file's free space; close other programs that use "
            "it and open it again",
        )


_CHECKS = (_integrity, _references, _chains, _studies, _views, _codes, _erasure)
