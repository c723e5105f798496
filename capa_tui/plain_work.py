"""Waiting in the plain mode: what is being done, line by line, and what can be done about it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from capa_tui.lines import Lines, text_of
from studies.errors import JournalError
from studies.live import Heard, Live
from studies.runner import Visit
from studies.steps import AnswerError, Step
from studies.work import Job, Work

STATES = {"waiting": "to come", "running": "under way", "done": "done", "failed": "failed"}
BROKEN = "Press Enter to try again, or write /pause to stop for now."


class PlainWork:
    """The part of the plain front end that waits for work."""

    def __init__(self, visit: Visit, source: Lines, say: Callable[[str], None]) -> None:
        self.visit = visit
        self._source = source
        self._say = say
        self._told: dict[str, str] = {}

    async def one(self, step: Step) -> bool:
        """Wait, or ask what to do about what failed; False when the input is closed."""
        try:
            if step.broken:
                return await self._broken(step)
            return await self._wait(step)
        except JournalError as error:
            self._say(f"Not saved yet: {error}\nPress Enter to try again.")
            return await self._source.next() is not None

    @property
    def _live(self) -> Live:
        assert self.visit.live is not None
        return self.visit.live

    async def _wait(self, step: Step) -> bool:
        self._say("One moment: something is being prepared. You can write /pause at any time.")
        assert step.work is not None
        self._tell(step.work)
        running = asyncio.ensure_future(self._live.advance(self._heard))
        closed = False
        while not running.done():
            coming = asyncio.ensure_future(self._source.next())
            await asyncio.wait({running, coming}, return_when=asyncio.FIRST_COMPLETED)
            if not coming.done():
                coming.cancel()
                break
            line = coming.result()
            closed = line is None
            if line is None or await self._left(text_of(line).strip()):
                self._live.abandon()
                break
        await running
        return not closed

    def _heard(self, heard: Heard) -> None:
        if isinstance(heard.what, Work):
            self._tell(heard.what)

    def _tell(self, work: Work) -> None:
        for job in work.jobs:
            if self._told.get(job.label) != job.state:
                self._told[job.label] = job.state
                self._say(f"  {job.label}: {STATES[job.state]}{_usually(job)}")

    async def _broken(self, step: Step) -> bool:
        assert step.work is not None
        self._say(f"{step.work.notice}\n{BROKEN}")
        line = await self._source.next()
        if line is None:
            return False
        if not await self._left(text_of(line).strip()):
            try:
                await self._live.retry(step)
            except AnswerError as error:
                self._say(f"Not taken: {error}")
        return True

    async def _left(self, command: str) -> bool:
        if command == "/pause":
            await self.visit.pause()
        elif command == "/withdraw":
            self._say('Write "withdraw" to stop and take your answers back, or an empty line to go on.')
            line = await self._source.next()
            if line is None or text_of(line).strip().casefold() != "withdraw":
                return False
            await self.visit.withdraw()
        else:
            return False
        return True


def _usually(job: Job) -> str:
    if job.state != "running" or job.usual_seconds is None:
        return ""
    return f" (usually about {max(1, round(job.usual_seconds))} s)"
