"""Carries what a participant said to the journal: in order, one after another, without holding up a key."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from studies.errors import JournalError
from studies.steps import AnswerError


@dataclass(frozen=True, slots=True)
class Job:
    """One thing to store, and what to do once it is on disk."""

    call: Callable[[], Awaitable[Any]]
    then: Callable[[Any], object] | None = None
    refused: Callable[[str], object] | None = None
    """Called instead of `then` where the runner does not take the answer."""
    key: str | None = None
    """A waiting job of the same key is replaced by a later one."""
    quiet: bool = False
    """Not something the participant said, so nobody is told that it is being saved."""


class Saver:
    """A queue of jobs. It stops at the first one that could not be stored, and goes on with `retry`."""

    def __init__(self, changed: Callable[[], object], failed: Callable[[JournalError], object]) -> None:
        """Start with nothing to do.

        Args:
            changed: called when the queue has become busy, stuck or idle.
            failed: called when a job could not be stored.
        """
        self._changed, self._failed = changed, failed
        self._jobs: deque[Job] = deque()
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self.stuck: JournalError | None = None
        """Why nothing is stored at the moment."""

    @property
    def busy(self) -> bool:
        """Whether something that was said is not on disk yet."""
        return any(not one.quiet for one in self._jobs)

    def do(self, job: Job) -> None:
        """Queue a job."""
        if job.key is not None:
            # The first one may be under way already; it is never replaced.
            rest = [one for one in list(self._jobs)[1:] if one.key != job.key]
            self._jobs = deque([*list(self._jobs)[:1], *rest])
        self._jobs.append(job)
        self._idle.clear()
        self._wake.set()
        self._changed()

    def retry(self) -> None:
        """Try the job that could not be stored again."""
        self.stuck = None
        self._wake.set()
        self._changed()

    async def settled(self) -> None:
        """Wait until everything is on disk, or stuck."""
        await self._idle.wait()

    async def run(self) -> None:
        """Carry out jobs for ever."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._jobs and self.stuck is None:
                await self._carry_out(self._jobs[0])
            self._idle.set()
            self._changed()

    async def _carry_out(self, job: Job) -> None:
        try:
            result = await job.call()
        except JournalError as error:
            self.stuck = error
            self._failed(error)
            return
        except AnswerError as error:
            self._jobs.popleft()
            if job.refused:
                job.refused(str(error))
            return
        self._jobs.popleft()
        if job.then:
            job.then(result)
