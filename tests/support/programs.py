"""Both ends of a line front end: feed it lines, read what it prints."""

from __future__ import annotations

import asyncio
import io
import json
import os
from collections.abc import Callable
from typing import Any, TextIO

from capa_tui.lines import Lines


class Wire:
    """A front end over a pipe and a queue of printed lines."""

    def __init__(self, front_end: Callable[[Lines, TextIO], Any]) -> None:
        read, self._write = os.pipe()
        self._input = os.fdopen(read, "rb")
        self._printed: asyncio.Queue[str] = asyncio.Queue()
        self.task = asyncio.create_task(front_end(Lines(self._input), _Out(self._printed)).run())
        self._closed = False

    def send(self, line: str | bytes) -> None:
        """One line to the front end's input."""
        os.write(self._write, (line.encode() if isinstance(line, str) else line) + b"\n")

    def say(self, **message: Any) -> None:
        """One JSON message to the front end's input."""
        self.send(json.dumps(message))

    async def line(self) -> str:
        """The next printed line."""
        return await asyncio.wait_for(self._printed.get(), 20)

    async def hear(self) -> dict[str, Any]:
        """The next printed line as JSON; every byte of it ASCII."""
        line = await self.line()
        assert line.isascii()
        return json.loads(line)  # type: ignore[no-any-return]

    def hang_up(self) -> None:
        """Close the front end's input."""
        if not self._closed:
            self._closed = True
            os.close(self._write)

    async def end(self) -> int:
        """Wait for the front end; its exit code."""
        code = await asyncio.wait_for(self.task, 20)
        self.hang_up()
        return int(code)

    def rest(self) -> list[str]:
        """Lines printed and not read yet."""
        lines = []
        while not self._printed.empty():
            lines.append(self._printed.get_nowait())
        return lines


class _Out(io.TextIOBase):
    def __init__(self, queue: asyncio.Queue[str]) -> None:
        self._queue = queue
        self._partial = ""

    def write(self, text: str) -> int:
        self._partial += text
        *lines, self._partial = self._partial.split("\n")
        for one in lines:
            self._queue.put_nowait(one)
        return len(text)
