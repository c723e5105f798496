"""Lines from standard input, without ever holding up the event loop."""

from __future__ import annotations

import asyncio
import locale
import os
import threading
from typing import BinaryIO

CHUNK = 65_536


class Lines:
    """An asynchronous reader of a binary stream's lines."""

    def __init__(self, source: BinaryIO) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._ended = False
        self._loop = asyncio.get_running_loop()
        # A daemon, because a read that waits for a person cannot be cancelled; on the descriptor itself,
        # because a buffered reader that is being read cannot be closed when the process ends.
        threading.Thread(target=self._pump, args=(source,), daemon=True, name="stdin").start()

    def _pump(self, source: BinaryIO) -> None:
        # Held until its end, lest its descriptor be closed meanwhile and given to another file.
        partial = b""
        try:
            while chunk := os.read(source.fileno(), CHUNK):
                *whole, partial = (partial + chunk).split(b"\n")
                for line in whole:
                    self._put(line)
        except (OSError, ValueError):
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

    def close(self) -> None:
        """End the input here: lines that wait are not read any more."""
        self._ended = True
        self._queue.put_nowait(None)

    async def next(self) -> bytes | None:
        """The next line without its end, or None once and for all when the input is closed."""
        line = None if self._ended else await self._queue.get()
        self._ended = self._ended or line is None
        return None if self._ended else line


def text_of(line: bytes, encoding: str | None = None) -> str:
    """What a person typed: UTF-8, else in the encoding of their locale (or the one given)."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        return line.decode(encoding or locale.getencoding(), "replace")
