"""Lines from standard input, without ever holding up the event loop."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import BinaryIO

CHUNK = 65_536


class Lines:
    """An asynchronous reader of a binary stream's lines."""

    def __init__(self, source: BinaryIO) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # A daemon, because a read that waits for a person cannot be cancelled; on the descriptor itself,
        # because a buffered reader that is being read cannot be closed when the process ends.
        threading.Thread(target=self._pump, args=(source.fileno(),), daemon=True, name="stdin").start()

    def _pump(self, descriptor: int) -> None:
        partial = b""
        try:
            while chunk := os.read(descriptor, CHUNK):
                *whole, partial = (partial + chunk).split(b"\n")
                for line in whole:
                    self._put(line)
        except OSError:
            # The terminal or the pipe is gone: that is the end of the input.
            partial = b""
        if partial:
            self._put(partial)
        self._put(None)

    def _put(self, line: bytes | None) -> None:
        try:
            self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
        except RuntimeError:
            # The loop has ended; nobody is listening any more.
            return

    def put_back(self, line: bytes | None) -> None:
        """Make this the line that comes after those already read."""
        self._queue.put_nowait(line)

    async def next(self) -> bytes | None:
        """The next line without its end, or None when the input is closed."""
        return await self._queue.get()
