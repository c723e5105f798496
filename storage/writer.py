"""The one writer thread of the process, with its only writing connection.

What waits is stored together: one transaction and one sync for many answers, each under its own savepoint
and acknowledged only after the commit.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from storage.database import TIMEOUT, explain, open_database, sqlite3, transaction
from studies.errors import JournalError

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")
Job = Callable[["Connection"], T]
"""What to do with the writing connection. It may run again after a rollback, so it keeps no state."""

GROUP = 500
"""Jobs stored in one transaction, at most."""


@dataclass(slots=True)
class _Waiting:
    job: Job[Any]
    alone: bool
    done: Future[Any] = field(default_factory=Future)


class Writer:
    """Runs jobs on the writing connection, in the order they came."""

    def __init__(
        self, path: Path, *, timeout: float = TIMEOUT, after_commit: Callable[[], None] | None = None
    ) -> None:
        """Open the database and start the thread.

        Args:
            path: the database file; made where there is none.
            timeout: seconds to wait for another process that is writing.
            after_commit: called in the writer thread between a commit and its acknowledgements; a seam
                for measuring with a slow disk.

        Raises:
            InputError, MachineError: as `open_database`.
        """
        self._path = path
        self._timeout = timeout
        self._after_commit = after_commit
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._closing = threading.Lock()
        self._closed = False
        opened: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, args=(opened,), name="journal", daemon=True)
        self._thread.start()
        opened.result()

    async def run(self, job: Job[T], *, alone: bool = False) -> T:
        """Do the job and wait until it is on disk.

        A job once handed over is carried out even if its caller is cancelled.

        Args:
            job: called with the connection inside a transaction.
            alone: outside any transaction, for what SQLite does only there (VACUUM).

        Raises:
            JournalError: the file is locked, full, read-only or damaged; nothing of the job was stored.
        """
        return await asyncio.shield(asyncio.wrap_future(self.submit(job, alone=alone)))

    def submit(self, job: Job[T], *, alone: bool = False) -> Future[T]:
        """Queue the job; see `run`."""
        waiting = _Waiting(job, alone)
        # From here on it can no longer be cancelled: what was handed over is stored.
        waiting.done.set_running_or_notify_cancel()
        with self._closing:
            if self._closed:
                raise JournalError(f"{self._path}: the database is closed; nothing of this was stored")
            self._queue.put(waiting)
        return waiting.done

    def close(self) -> None:
        """Carry out what waits, then close the connection and end the thread."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _run(self, opened: Future[None]) -> None:
        try:
            db = open_database(self._path, timeout=self._timeout)
        except BaseException as error:
            opened.set_exception(error)
            return
        opened.set_result(None)
        try:
            more = True
            while more:
                group, more = self._take()
                self._store(db.conn, group)
        finally:
            db.close()

    def _take(self) -> tuple[list[_Waiting], bool]:
        """The next jobs to store together, and whether more may come."""
        group: list[_Waiting] = []
        waiting = self._queue.get()
        while waiting is not None:
            group.append(waiting)
            if waiting.alone or len(group) == GROUP:
                return group, True
            try:
                waiting = self._queue.get_nowait()
            except queue.Empty:
                return group, True
        return group, False

    def _store(self, conn: Connection, group: list[_Waiting]) -> None:
        if group and group[-1].alone:
            last = group.pop()
            self._store(conn, group)
            self._settle(last, *_attempt(last.job, conn))
            return
        if not group:
            return
        results: list[tuple[Any, Exception | None]] = []
        try:
            with transaction(conn):
                for waiting in group:
                    results.append(_under_savepoint(waiting.job, conn))
        except Exception as error:
            # Some faults (a full disk) take the whole transaction with them: each on its own, then.
            if results and len(group) > 1:
                for waiting in group:
                    self._store(conn, [waiting])
                return
            results = [(None, error)] * len(group)
        else:
            if self._after_commit is not None:
                self._after_commit()
        for waiting, (value, failed) in zip(group, results, strict=True):
            self._settle(waiting, value, failed)

    def _settle(self, waiting: _Waiting, value: Any, error: Exception | None) -> None:
        if error is None:
            waiting.done.set_result(value)
        elif isinstance(error, sqlite3.Error):
            explained = explain(error, self._path, JournalError)
            explained.__cause__ = error
            waiting.done.set_exception(explained)
        else:
            waiting.done.set_exception(error)


def _attempt(job: Job[Any], conn: Connection) -> tuple[Any, Exception | None]:
    try:
        return job(conn), None
    except Exception as error:
        return None, error


def _under_savepoint(job: Job[Any], conn: Connection) -> tuple[Any, Exception | None]:
    conn.execute("SAVEPOINT job")
    value, error = _attempt(job, conn)
    if error is not None:
        if not conn.in_transaction:
            raise error
        conn.execute("ROLLBACK TO job")
    conn.execute("RELEASE job")
    return value, error
