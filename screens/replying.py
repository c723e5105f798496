"""A screen on which something goes on without the participant: a reply, a verdict."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import on
from textual.message import Message
from textual.worker import Worker, WorkerError

from screens.dialogue import LEAVING
from screens.participant import ParticipantScreen
from studies.errors import JournalError
from studies.live import Heard, Live
from studies.replies import ReplyEnd
from studies.steps import Done, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen


class ReplyingScreen(ParticipantScreen):
    """Runs the conversation in a worker, which touches no widget: what it hears comes as messages."""

    class Arrived(Message):
        """Something of a reply is here."""

        def __init__(self, heard: Heard) -> None:
            super().__init__()
            self.heard = heard

    class Advanced(Message):
        """All that was due has happened."""

        def __init__(self, now: Step | Done) -> None:
            super().__init__()
            self.now = now

    class Stuck(Message):
        """Something of it could not be stored."""

        def __init__(self, error: JournalError) -> None:
            super().__init__()
            self.error = error

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        assert flow.visit.live is not None
        self.live: Live = flow.visit.live
        self.left = False
        """Whether the visit is being left, so that nothing that still arrives matters here."""
        self.replying = False
        """Whether a reply is on its way."""
        self._worker: Worker[None] | None = None
        self._since = 0.0

    @property
    def waited(self) -> int:
        """Seconds since waiting began."""
        return max(0, int(monotonic() - self._since))

    def begin_waiting(self) -> None:
        """From now on the participant waits."""
        self._since = monotonic()

    def advance(self, *, reply: bool) -> None:
        """Let happen what is due: a reply first, or only a verdict."""
        self.replying = reply
        self._worker = self.run_worker(self._converse(), "reply", group="reply", exclusive=True)

    async def _converse(self) -> None:
        try:
            now = await self.live.advance(self._hear)
        except JournalError as error:
            self.replying = False
            self.post_message(self.Stuck(error))
        else:
            self.post_message(self.Advanced(now))

    def _hear(self, heard: Heard) -> None:
        self.post_message(self.Arrived(heard))

    @on(Arrived)
    def _ended(self, event: Arrived) -> None:
        self.replying = self.replying and not isinstance(event.heard.what, ReplyEnd)

    @property
    def leaving(self) -> str:
        """What leaving now would do to a reply."""
        return LEAVING if self.replying else ""

    async def let_go(self, *, at_once: bool = False) -> None:
        """Break the reply on its way off; `at_once`, leave it as it is, as if the program had been killed."""
        self.left = True
        if self._worker is None or self._worker.is_finished:
            return
        if at_once or not self.live.abandon():
            self._worker.cancel()
        with suppress(WorkerError):
            await self._worker.wait()


def monotonic() -> float:
    """Seconds that only go on."""
    return time.monotonic()
