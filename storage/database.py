"""Opening the database file: its pragmas, and a clear refusal of whatever is not ours or not usable."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from storage.migrations import APPLICATION_ID, MIGRATIONS, Migration, foreign, migrate
from storage.sqlite import Database
from storage.sqlite import sqlite3 as sqlite3
from studies.errors import CapaError, InputError, MachineError

if TYPE_CHECKING:
    from sqlite3 import Connection

TIMEOUT = 30.0
"""Seconds to wait for another process that is writing."""

_PRAGMAS = (
    "foreign_keys = ON",
    "synchronous = FULL",
    # On macOS only this reaches the disk; elsewhere it changes nothing.
    "fullfsync = ON",
    # What is erased is overwritten, not just unlinked.
    "secure_delete = ON",
    "trusted_schema = OFF",
)

E = TypeVar("E", bound=CapaError)


def open_database(
    path: Path, *, timeout: float = TIMEOUT, migrations: tuple[Migration, ...] = MIGRATIONS
) -> Database:
    """Open the database for writing, creating or migrating it where needed.

    The connection is in autocommit mode and belongs to the calling thread; write inside `transaction`.

    Raises:
        InputError: the file is a folder, no SQLite database, another program's, or a newer capa-tui's.
        MachineError: it cannot be read or written, is damaged, or stays locked.
    """
    check_place(path)
    with explained(path):
        if path.exists():
            refuse_foreign(path)
        conn = connect(path, timeout=timeout)
        try:
            migrate(conn, path, migrations)
            _use_wal(conn, path, timeout)
        except BaseException:
            conn.close()
            raise
    return Database(conn, execute_plugins=False)


def open_readonly(path: Path, *, timeout: float = TIMEOUT) -> Database:
    """Open an existing database for reading; nothing is created or migrated.

    Raises:
        InputError: there is no such file, or it is not ours.
        MachineError: it cannot be read.
    """
    if not path.is_file():
        raise InputError(f"{path}: there is no such database")
    with explained(path):
        refuse_foreign(path)
        conn = connect(path, timeout=timeout, readonly=True)
    return Database(conn, execute_plugins=False)


def connect(path: Path, *, timeout: float = TIMEOUT, readonly: bool = False) -> Connection:
    """A bare connection with the house's pragmas, in autocommit mode.

    A reading one may be handed from thread to thread, as long as one at a time uses it.
    """
    uri = f"{path.absolute().as_uri()}?mode={'ro' if readonly else 'rwc'}"
    conn: Connection = sqlite3.connect(
        uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=not readonly
    )
    for pragma in _PRAGMAS:
        conn.execute(f"PRAGMA {pragma}")
    return conn


@contextmanager
def transaction(conn: Connection) -> Iterator[None]:
    """BEGIN IMMEDIATE, so that what is read inside still holds when it is written; all or nothing."""
    conn.execute("BEGIN IMMEDIATE")
    try:
        yield
        conn.execute("COMMIT")
    except BaseException:
        if conn.in_transaction:
            conn.execute("ROLLBACK")
        raise


def check_place(path: Path) -> None:
    """Make folder and file, and refuse what cannot be written before SQLite meets it.

    Raises:
        InputError: the path is a folder.
        MachineError: the folder or the file is not writable, or the file is an emptied database.
    """
    if path.is_dir():
        raise InputError(f"{path}: this is a folder; name a database file in it")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(f"{path.parent}: cannot make this folder: {error.strerror}") from error
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise MachineError(
            f"{path}: the folder {path.parent} is not writable, and SQLite needs to write beside the "
            "database; nothing was changed. Change its permissions or name another file with --db"
        )
    if not path.exists():
        try:
            make_private(path)
        except OSError as error:
            raise MachineError(f"{path}: this file cannot be made: {error.strerror}") from error
        return
    if not os.access(path, os.R_OK | os.W_OK):
        raise MachineError(
            f"{path}: the file is read-only for you; nothing was changed. "
            "Change its permissions or name another file with --db"
        )
    # SQLite throws away the write-ahead log of an empty file, and with it what could be rescued.
    beside = (path.with_name(path.name + "-wal"), path.with_name(path.name + ".locks"))
    if path.stat().st_size == 0 and any(one.exists() for one in beside):
        raise MachineError(
            f"{path}: the file is empty but was a database; nothing was changed. Bring back a backup, "
            f"or delete {beside[0].name} and {beside[1].name} to begin anew"
        )


def make_private(path: Path) -> None:
    """Make an empty file that only its owner may read: it will hold participants' words and codes.

    SQLite gives its log the same permissions. A file that is there keeps its own.

    Raises:
        OSError: it cannot be made.
    """
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))


def refuse_foreign(path: Path) -> None:
    """Look at a file without locking, recovering or touching it.

    Raises:
        InputError: it is another program's database.
        MachineError: its last page was cut short.
        sqlite3.DatabaseError: it is no database.
    """
    # Ours bear their mark before they ever have a log, so the log is looked for first.
    logged = _has(path, "-wal")
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?immutable=1", uri=True)) as conn:
        try:
            (application,) = conn.execute("PRAGMA application_id").fetchone()
            (tables,) = conn.execute("SELECT count(*) FROM sqlite_schema").fetchone()
            (pages,) = conn.execute("PRAGMA page_count").fetchone()
            (page_size,) = conn.execute("PRAGMA page_size").fetchone()
        except sqlite3.DatabaseError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_CORRUPT:
                raise
            # Damaged, or half made by another process: whoever opens it under a lock will see.
            return
    if application != APPLICATION_ID and (application or tables or logged):
        raise InputError(foreign(path))
    # SQLite reads a cut last page as if it ended in zeros. With a log it may be mended from there.
    if path.stat().st_size < pages * page_size and not (_has(path, "-wal") or _has(path, "-journal")):
        raise MachineError(f"{path}: {_DAMAGED}")


def _has(path: Path, suffix: str) -> bool:
    """Whether SQLite keeps something beside the file that belongs into it."""
    beside = path.with_name(path.name + suffix)
    return beside.exists() and beside.stat().st_size > 0


def _use_wal(conn: Connection, path: Path, timeout: float) -> None:
    """Switch to a write-ahead log. SQLite does not wait for others here, so this does."""
    end = time.monotonic() + timeout
    while True:
        try:
            (mode,) = conn.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.01)
            continue
        if mode != "wal":
            raise MachineError(
                f"{path}: this disk cannot hold a write-ahead log (a network drive?); "
                "put the database on a local disk with --db"
            )
        return


@contextmanager
def explained(path: Path, kind: type[CapaError] = MachineError) -> Iterator[None]:
    """Turn SQLite's errors into sentences about this file."""
    try:
        yield
    except sqlite3.Error as error:
        raise explain(error, path, kind) from error


def explain(error: Exception, path: Path, kind: type[E]) -> CapaError:
    """What happened, what was kept and what to do next, of a SQLite error."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    said = str(error)
    if code == sqlite3.SQLITE_NOTADB:
        return InputError(f"{path}: this is not a SQLite database; it was left untouched")
    for codes, sentence in _SENTENCES:
        if code in codes:
            return kind(f"{path}: {sentence} ({said})")
    return kind(f"{path}: SQLite refused: {said}. Nothing was changed")


_DAMAGED = "the file is damaged or was cut short; nothing was changed. Bring back a backup"

_SENTENCES = (
    (
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        "another program kept the database locked; nothing of this was stored. Try again, "
        "or close the other program",
    ),
    (
        (sqlite3.SQLITE_FULL,),
        "the disk is full; nothing of this was stored, what was acknowledged is safe. "
        "Free some space and try again",
    ),
    (
        (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH),
        "the file or its folder is read-only; nothing of this was stored. Change its permissions "
        "or name another file with --db",
    ),
    (
        (sqlite3.SQLITE_IOERR,),
        "the disk refused to write or read (full, over quota, or failing); nothing of this was stored",
    ),
    (
        (sqlite3.SQLITE_CANTOPEN,),
        "the file cannot be opened; check that its folder exists and is writable",
    ),
    (
        (sqlite3.SQLITE_CORRUPT,),
        _DAMAGED,
    ),
)
