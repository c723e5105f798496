"""Read-only connections, each used by one thread of a small pool."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from storage.database import TIMEOUT, connect, explained

if TYPE_CHECKING:
    from sqlite3 import Connection

T = TypeVar("T")


class Readers:
    """Runs reads beside the writer; each read sees one state of the file."""

    def __init__(self, path: Path, *, timeout: float = TIMEOUT, threads: int = 2) -> None:
        self._path = path
        self._timeout = timeout
        self._mine = threading.local()
        self._opened: list[Connection] = []
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="archive")

    async def run(self, read: Callable[[Connection], T]) -> T:
        """The result of a read, which must not hand out anything bound to the connection.

        Raises:
            MachineError: the file cannot be read.
        """
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, read)

    def close(self) -> None:
        """Finish what runs and close the connections."""
        self._pool.shutdown()
        for conn in self._opened:
            conn.close()

    def _read(self, read: Callable[[Connection], T]) -> T:
        with explained(self._path):
            conn = self._connection()
            conn.execute("BEGIN")
            try:
                return read(conn)
            finally:
                conn.execute("ROLLBACK")

    def _connection(self) -> Connection:
        conn: Connection | None = getattr(self._mine, "conn", None)
        if conn is None:
            conn = self._mine.conn = connect(self._path, timeout=self._timeout, readonly=True)
            self._opened.append(conn)
        return conn
