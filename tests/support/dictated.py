"""An assistant whose replies a test dictates, word by word, at the time it likes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

from studies.replies import Call, Part, ReplyEnd, Status


class Dictated:
    """Says what it is told to; where nothing is dictated, it is silent."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.closed = 0
        """Replies that are over, whichever way."""
        self.asked = asyncio.Event()
        """Set while a reply is on its way."""
        self._coming: asyncio.Queue[Part | ReplyEnd] = asyncio.Queue()
        self._said = ""

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """What is dictated from now on."""
        self.calls.append(call)
        self._coming, self._said = asyncio.Queue(), ""
        self.asked.set()
        try:
            while True:
                one = await self._coming.get()
                yield one
                if isinstance(one, ReplyEnd):
                    return
        finally:
            self.closed += 1
            self.asked.clear()

    @property
    def open(self) -> bool:
        """Whether a reply is on its way."""
        return self.asked.is_set()

    def say(self, *parts: str) -> None:
        """Further parts of the reply."""
        for one in parts:
            self._said += one
            self._coming.put_nowait(Part(one))

    def end(self, status: Status = "complete", error: str = "", text: str | None = None) -> None:
        """The end of the reply."""
        whole = self._said if text is None else text
        self._coming.put_nowait(ReplyEnd(status, whole, "test-served", error=error))
