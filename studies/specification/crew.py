"""The live side of a specification study: makes the agents' calls, several at once, while the person goes on.

It belongs to a `Visit` and stores through it. `begin` starts whatever can be done now in the background;
`advance` waits for what stands before the next question.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from studies.answers import Answered, ask
from studies.live import Heard, Listener
from studies.payloads import ParticipationLimited
from studies.replies import Assistant, ReplyEnd
from studies.replying import messages_hash
from studies.specification import payloads as said
from studies.specification.projects import Session
from studies.specification.protocol import SpecificationKind, projects_of
from studies.steps import AnswerError, Done, Step

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.chat import Chat
    from studies.events import Payload
    from studies.roleplay.context import Dialogues
    from studies.runner import Visit
    from studies.specification.agents.agent import Request
    from studies.state import State

UNUSABLE = "The assistant's answer could not be used."
ENDED_BY_PERSON = "the participant ended it"

Call = tuple[str, str]
"""Session and call."""


class Crew:
    """Makes the calls of all agents of a visit."""

    def __init__(self, visit: Visit, assistant: Assistant, dialogues: Dialogues) -> None:
        self._visit = visit
        self._assistant = assistant
        self._dialogues = dialogues
        self._kind = cast("SpecificationKind", visit.protocol.kind)
        self._work: asyncio.Task[None] | None = None
        self._running: dict[Call, asyncio.Task[None]] = {}
        self._come: dict[Call, said.AgentAnswered] = {}
        self._wake = asyncio.Event()
        self._news = asyncio.Event()
        self._trouble: BaseException | None = None
        self._limit: ParticipationLimited | None = None
        self._left = False
        self._knows_usual = False

    # -- the port ------------------------------------------------------------------------------

    def chat(self, about: str) -> Chat:
        """There are no dialogues."""
        raise KeyError(about)

    def begin(self) -> None:
        """Begin in the background what can be done while the participant reads and types."""
        self._news.set()
        self._wake.set()
        if not self._left and self._work is None and self._visit.state.end is None:
            self._trouble = None
            self._work = asyncio.get_running_loop().create_task(self._do_all())

    async def advance(self, hear: Listener = lambda heard: None) -> Step | Done:
        """Wait until the participant is asked again, or something failed.

        Raises:
            JournalError: something is not on disk yet; call again.
            RuntimeError: nothing is under way that could end the wait.
        """
        await self._visit.store()
        # Whoever waits is still here: leaving could not be stored.
        self._left = self._left and isinstance(self._visit.current, Done)
        self.begin()
        while True:
            self._news.clear()
            if self._trouble is not None:
                trouble, self._trouble = self._trouble, None
                raise trouble
            step = self._visit.current
            if not isinstance(step, Step) or not step.due or self._left:
                return step
            if step.work is not None:
                hear(Heard(step.about or "", 0, step.work))
            if self._work is not None:
                await self._news.wait()
            elif self._limit is not None:
                await self._visit.follow(self._ending)
            else:
                raise RuntimeError(f"{step.id} waits, and there is nothing to be done")

    def _ending(self, state: State) -> Sequence[Payload]:
        return () if state.end or self._limit is None else (self._limit,)

    def stop(self) -> bool:
        """There is no reply that could be stopped."""
        return False

    def abandon(self) -> bool:
        """Break off what is under way because the participant leaves; it comes again on return."""
        busy = bool(self._running)
        self._left = True
        if self._work is not None:
            self._work.cancel()
            self._work = None
        self._break_off()
        self._news.set()
        return busy

    async def retry(self, step: Step) -> None:
        """Ask again for every call that failed.

        Raises:
            AnswerError: there is nothing to retry.
        """
        if not step.broken:
            raise AnswerError("there is nothing to retry here")
        await self._visit.follow(
            lambda state: tuple(
                said.AgentRetried(one.id, one.item, one.broken)
                for one in projects_of(state).sessions
                if one.broken
            )
        )

    async def end(self, step: Step, *, done: bool = False) -> None:
        """End the interview before its budget is used up.

        Raises:
            AnswerError: no interview is open.
        """
        if step.kind != "interview":
            raise AnswerError("there is no interview to end here")

        def ended(state: State) -> Sequence[Payload]:
            return tuple(
                said.InterviewEnded(one.id, one.item, "participant", ENDED_BY_PERSON, one.answered)
                for one in projects_of(state).sessions
                if one.ended is None and one.item == step.about and one.open_round is not None
            )

        await self._visit.record(step, ended)

    # -- the work ------------------------------------------------------------------------------

    async def _do_all(self) -> None:
        """Do what follows by rule and make the calls that are due, until nothing is under way."""
        try:
            self._ended()
            while True:
                self._wake.clear()
                await self._learn_usual()
                await self._keep()
                while await self._visit.follow(self._kind.rules):
                    pass
                if isinstance(self._visit.current, Done):
                    self._break_off()
                    return
                if not await self._limited():
                    self._start_due()
                if not self._running and not self._wake.is_set():
                    return
                await self._something()
        except asyncio.CancelledError:
            raise
        except BaseException as trouble:
            # Calls under way go on: what they bring is stored by whoever begins next.
            self._trouble = trouble
        finally:
            if self._work is asyncio.current_task():
                self._work = None
            self._news.set()

    async def _learn_usual(self) -> None:
        if not self._knows_usual:
            self._knows_usual = True
            self._kind.usual_ms = await self._dialogues.usual_ms(self._visit.study.sha256)

    async def _keep(self) -> None:
        """Store the answers that have come."""
        for call, answered in tuple(self._come.items()):
            await self._visit.follow(partial(_to_be_stored, answered))
            self._come.pop(call, None)

    async def _something(self) -> None:
        """Wait until a call has ended or the participant has said something."""
        waking = asyncio.ensure_future(self._wake.wait())
        try:
            await asyncio.wait({waking, *self._running.values()}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            waking.cancel()
        for trouble in self._ended():
            raise trouble

    def _ended(self) -> list[BaseException]:
        """Let go of the calls that have ended; what went wrong with them."""
        ended = [name for name, task in self._running.items() if task.done()]
        tasks = [self._running.pop(name) for name in ended]
        return [trouble for task in tasks if not task.cancelled() and (trouble := task.exception())]

    def _break_off(self) -> None:
        self._ended()
        for task in self._running.values():
            task.cancel()
        self._running.clear()

    def _start_due(self) -> None:
        for session, name in self._kind.due(self._visit.state):
            key = (session.id, name)
            if key not in self._running:
                self._running[key] = asyncio.ensure_future(self._call(session, name))

    async def _limited(self) -> bool:
        """Whether a spending limit is reached: then no more calls are made, and the next wait is the end."""
        settings = self._kind.settings
        mine = projects_of(self._visit.state).spent
        whole = 0.0
        if settings.study_budget is not None:
            whole = await self._dialogues.spent(self._visit.study.sha256)
        for name, spent, allowed in (
            ("participant", mine, settings.participant_budget),
            ("study", max(whole, mine), settings.study_budget),
        ):
            if allowed is not None and spent >= allowed:
                self._limit = ParticipationLimited(name, spent, allowed)
                self._news.set()
                return True
        return False

    async def _call(self, session: Session, name: str) -> None:
        """One call, from what it shows to what came of it."""
        study, opened = self._visit.study, session.opened
        settings = next(one for one in study.settings.assistants if one.name == opened.assistant)
        attempt = session.calls[name].attempts + 1 if name in session.calls else 1
        made: list[Request] = []

        def called(state: State) -> Sequence[Payload]:
            # What is asked follows from the very events before this one, so that it can be built again.
            now = projects_of(state).session(session.id)
            if state.end is not None or now is None:
                return ()
            made[:] = [self._kind.agents[opened.agent].request(name, self._kind.brief(now, state))]
            (request,) = made
            return (
                said.AgentCalled(
                    session=session.id,
                    item=session.item,
                    call=name,
                    attempt=attempt,
                    assistant=settings.name,
                    model=settings.model,
                    parameters=dict(settings.parameters),
                    prompt_sha256=messages_hash(request.messages),
                    saw=request.saw,
                    dropped=request.dropped,
                ),
            )

        if not await self._visit.follow(called):
            return
        (request,) = made
        got = await ask(
            settings,
            self._kind.settings,
            request.messages,
            request.answer,
            request.script,
            self._assistant,
            request.check,
            request.tools,
        )
        self._come[session.id, name] = _answered(session, name, attempt, request, got)


def _to_be_stored(answered: said.AgentAnswered, state: State) -> Sequence[Payload]:
    """The answer, unless it is there already or nobody is left to whom it belongs."""
    session = projects_of(state).session(answered.session)
    call = session.calls.get(answered.call) if session else None
    open_ = call is not None and call.attempts == answered.attempt and call.standing in (None, "interrupted")
    return (answered,) if open_ and state.end is None else ()


def _answered(
    session: Session, name: str, attempt: int, request: Request, got: Answered[Any]
) -> said.AgentAnswered:
    last = got.replies[-1]
    error = ""
    if got.answer is not None:
        standing: said.Standing = "valid"
    elif last.status == "complete":
        standing, error = "invalid", UNUSABLE
    else:
        standing, error = "failed", last.error or "No answer came."
    return said.AgentAnswered(
        session=session.id,
        item=session.item,
        call=name,
        attempt=attempt,
        standing=standing,
        answer=request.answer.model_validate(got.answer).model_dump(mode="json") if got.answer else None,
        trouble=got.trouble,
        error=error,
        replies=tuple(map(_reply, got.replies)),
        cost=got.cost,
        total_ms=got.total_ms,
    )


def _reply(end: ReplyEnd) -> said.Reply:
    usage = end.usage
    return said.Reply(
        status=end.status,
        text=end.text,
        model_served=end.model_served,
        finish_reason=end.finish_reason,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        cached_tokens=usage.cached_tokens,
        usage_estimated=usage.estimated,
        cost=usage.cost,
        first_token_ms=end.first_token_ms,
        total_ms=end.total_ms,
        structured=end.structured,
        client=end.client,
        detail=end.detail,
    )
