"""Lines from standard input, without ever holding up the event loop."""

from __future__ import annotations

import asyncio
import threading
from typing import BinaryIO


class Lines:
    """An asynchronous reader of a binary stream's lines."""

    def __init__(self, source: BinaryIO) -> None:
        self._queue: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        # A daemon, because a read that waits for a person cannot be cancelled.
        threading.Thread(target=self._pump, args=(source,), daemon=True, name="stdin").start()

    def _pump(self, source: BinaryIO) -> None:
        try:
            for line in iter(source.readline, b""):
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line)
            self._loop.call_soon_threadsafe(self._queue.put_nowait, None)
        except (OSError, ValueError, RuntimeError):
            # The stream, or the loop, was closed under us: that is the end of the input.
            try:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, None)
            except RuntimeError:
                return

    async def next(self) -> bytes | None:
        """The next line with its end, or None when the input is closed."""
        return await self._queue.get()
