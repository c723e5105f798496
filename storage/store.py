"""The one entry to the database for the rest of the program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from storage.archive import SqliteArchive
from storage.database import TIMEOUT, sqlite3
from storage.desk import SqliteDesk
from storage.desk_stream import DeskStream
from storage.erase import clean, is_unclean
from storage.journal import SqliteJournal
from storage.locks import StreamLock
from storage.readers import Readers
from storage.writer import Writer
from studies.clock import SystemClock
from studies.errors import InputError
from studies.ports import Archive, Clock, Desk, Journal

if TYPE_CHECKING:
    from sqlite3 import Connection

    from studies.roleplay.context import Dialogues
    from studies.study import Study


class Store:
    """An open database file. Use as `async with Store.open(...)`, or call `close`."""

    def __init__(self, path: Path, writer: Writer, readers: Readers, desk: DeskStream) -> None:
        self.path = path
        archive = SqliteArchive(readers)
        self.journal: Journal = SqliteJournal(writer, readers)
        self.archive: Archive = archive
        self.desk: Desk = SqliteDesk(writer, readers, archive, desk)
        self._desk_stream = desk
        self._writer = writer
        self._readers = readers

    @classmethod
    def open(
        cls,
        path: Path,
        station: str,
        program: str,
        *,
        clock: Clock | None = None,
        timeout: float = TIMEOUT,
        after_commit: Callable[[], None] | None = None,
    ) -> Self:
        """Open the file, making or migrating it where needed. Blocking: not for an event loop.

        Args:
            path: the database file.
            station: this machine's random id; its desk is a stream of its own.
            program: version of capa-tui, stored with what it does.
            clock: what desk events are timed by.
            timeout: seconds to wait for another process that is writing.
            after_commit: see `Writer`.

        Raises:
            InputError: the file is no SQLite database, another program's, or a newer capa-tui's.
            MachineError: it cannot be read or written, is damaged, or stays locked.
        """
        try:
            path = path.expanduser().resolve()
        except (OSError, RuntimeError) as error:
            raise InputError(f"{path}: this path leads nowhere: {error}. Name another with --db") from error
        writer = Writer(path, timeout=timeout, after_commit=after_commit)
        # What a merge or a disturbed erasure left behind; nobody waits for it.
        writer.submit(_clean_up, alone=True)
        desk = DeskStream(station, program, clock or SystemClock())
        return cls(path, writer, Readers(path, timeout=timeout), desk)

    def dialogues(self, study: Study) -> Dialogues:
        """Other people's sessions, for conversations in a study."""
        from storage.dialogues import SqliteDialogues

        return SqliteDialogues(self._writer, self._readers, self._desk_stream, study)

    def lock(self, stream: str) -> StreamLock:
        """Hold a stream for this process; a context manager.

        Raises:
            NoPlaceError: it is open elsewhere.
        """
        return StreamLock(self.path, stream)

    def close(self) -> None:
        """Store what waits, then close. Doing it again changes nothing."""
        self._readers.close()
        self._writer.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.close)


def _clean_up(conn: Connection) -> None:
    try:
        if is_unclean(conn):
            clean(conn, wait=False)
    except sqlite3.Error:
        # It stays marked, `verify` reports it, and the next opening tries again.
        return
