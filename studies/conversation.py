"""A chat step's conversation: sends requests, lets the assistant reply, has submissions judged.

It belongs to a `Visit` and stores through it. Whatever is due is done by `advance`; front ends listen.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Coroutine
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, cast

from studies.chat import Chat
from studies.events import Payload
from studies.live import Listener
from studies.replies import Assistant, Call, Part, ReplyEnd
from studies.state import State
from studies.steps import AnswerError, Done, Step
from studies.verdicts import Judge

if TYPE_CHECKING:
    from studies.roleplay.context import Dialogues
    from studies.runner import Visit

T = TypeVar("T")
LEFT = "You left while the reply was on its way."
LOST = ReplyEnd("interrupted", "", error="The reply broke off.", error_kind="lost_stream")
"""An assistant that ends without a last word."""


class Sequel(Protocol):
    """What follows a message without the participant."""

    async def run(self, hear: Listener) -> Step | Done:
        """Go on until the participant is asked, the reply broke off, or the task is over."""


class ChatKind(Protocol):
    """The part of a study kind that has dialogues."""

    def chat(self, item: str, state: State) -> Chat:
        """The dialogue of a task as the participant may see it."""

    def retried(self, step: Step, state: State) -> tuple[Payload, ...]:
        """A broken reply is asked for again, in the same turn."""

    def given_up(self, step: Step, state: State, *, done: bool) -> tuple[Payload, ...]:
        """The participant ends the task: gives up, or declares it done."""

    def sequel(self, visit: Visit, conversation: Conversation) -> Sequel:
        """What follows a message in the open task."""


class Conversation:
    """The live side of a visit: assistants, the judge, and other people's sessions."""

    def __init__(self, visit: Visit, assistant: Assistant, judge: Judge | None, dialogues: Dialogues) -> None:
        self._visit = visit
        self.assistant = assistant
        self.judge = judge
        self.dialogues = dialogues
        self._kind = cast("ChatKind", visit.protocol.kind)
        self._stop = asyncio.Event()
        self._stopping: Literal["stopped", "interrupted"] = "stopped"
        self._leaving = asyncio.Event()
        self._busy = asyncio.Lock()

    @property
    def step(self) -> Step | None:
        """The open chat step, or None."""
        now = self._visit.current
        return now if isinstance(now, Step) and now.kind == "chat" else None

    def chat(self, about: str) -> Chat:
        """The dialogue of a task as it stands, also once it has ended."""
        return self._kind.chat(about, self._visit.state)

    async def advance(self, hear: Listener = lambda heard: None) -> Step | Done:
        """Do whatever is due (a reply, a verdict, an ending) until the participant is asked again.

        Raises:
            JournalError: something is not on disk yet; call again.
        """
        async with self._busy:
            self._stop.clear()
            self._leaving.clear()
            # What could not be stored before comes first: it may be the very reply that seems to be due.
            await self._visit.store()
            return await self._kind.sequel(self._visit, self).run(hear)

    @property
    def stopped(self) -> bool:
        """Whether the participant broke off what goes on now, so that no further call is to be made."""
        return self._stop.is_set()

    def begin(self) -> None:
        """Nothing goes on beside a dialogue."""

    def stop(self) -> bool:
        """Stop the reply in flight, which uses its turn up; False if there is none."""
        return self._break_off("stopped")

    def abandon(self) -> bool:
        """Break the reply in flight off because the participant leaves: it can be asked for again."""
        return self._break_off("interrupted")

    def _break_off(self, status: Literal["stopped", "interrupted"]) -> bool:
        if not self._busy.locked():
            return False
        leaves = status == "interrupted" and not self._leaving.is_set()
        if leaves:
            self._leaving.set()
        if self._stop.is_set():
            # A reply that was stopped stays stopped; work beside it can still be left.
            return leaves
        self._stopping = status
        self._stop.set()
        return True

    async def retry(self, step: Step) -> None:
        """Ask for a broken reply again, in the same turn.

        Raises:
            AnswerError: there is nothing to retry.
        """
        if step.chat is None or step.chat.phase != "broken":
            raise AnswerError("there is nothing to retry here")
        await self._visit.record(step, lambda state: self._kind.retried(step, state))

    async def end(self, step: Step, *, done: bool = False) -> None:
        """End the task: give up, or declare it done where the study lets the participant decide.

        Raises:
            AnswerError: no task is open, or there is nothing that could be done.
        """
        if step.chat is None or step.chat.phase == "over":
            raise AnswerError("there is no task to end here")
        if done and not step.chat.can_declare_done:
            raise AnswerError("there is nothing yet that could be called done")
        self.stop()
        async with self._busy:
            # A reply that was stopped for this has used its turn up, so a later step may be open.
            now = self.step
            if now is not None and now.about == step.about:
                await self._visit.record(now, lambda state: self._kind.given_up(now, state, done=done))

    async def stream(self, call: Call, wait_ms: int) -> AsyncGenerator[Part | ReplyEnd, None]:
        """A reply part by part; a stop closes it at once, so that the provider stops as well."""
        began = time.monotonic()
        text, first = "", None
        stopping = asyncio.ensure_future(self._stop.wait())
        try:
            async with aclosing(self.assistant.reply(call)) as reply:
                while True:
                    one = await self._next(reply, stopping)
                    took = round((time.monotonic() - began) * 1000)
                    if one is None:
                        error = "" if self._stopping == "stopped" else LEFT
                        yield ReplyEnd(self._stopping, text, first_token_ms=first, total_ms=took, error=error)
                        return
                    if first is None:
                        first = took
                        # So that a waiting time does not give the condition away.
                        await asyncio.sleep(max(0, wait_ms - first) / 1000)
                    if isinstance(one, Part):
                        text += one.text
                    yield one
                    if isinstance(one, ReplyEnd):
                        return
        finally:
            stopping.cancel()

    async def unless_left(self, work: Coroutine[Any, Any, T]) -> T | None:
        """What the work comes to; None where the participant leaves before, and the work is given up."""
        running = asyncio.ensure_future(work)
        # What is stopped is a reply; work beside it goes on.
        leaving = asyncio.ensure_future(self._leaving.wait())
        try:
            await asyncio.wait({running, leaving}, return_when=asyncio.FIRST_COMPLETED)
            return await running if running.done() else None
        finally:
            for one in (running, leaving):
                one.cancel()
            await asyncio.gather(running, leaving, return_exceptions=True)

    @staticmethod
    async def _next(
        reply: AsyncGenerator[Part | ReplyEnd, None], stopping: asyncio.Future[Any]
    ) -> Part | ReplyEnd | None:
        """What comes next, or None once the participant has stopped it."""
        coming: asyncio.Future[Any] = asyncio.ensure_future(anext(reply, LOST))
        try:
            done, _ = await asyncio.wait({coming, stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not coming.done():
                # Also where this very call is cancelled: a reply that still runs cannot be closed.
                coming.cancel()
                await asyncio.gather(coming, return_exceptions=True)
        ended: Part | ReplyEnd | None = coming.result() if coming in done else None
        return ended
