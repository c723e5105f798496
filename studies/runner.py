"""The runner: one participant's visit. It drives any protocol, knows no interface, and asks ports.

The TUI, the plain mode, JSON lines and tests all hold a `Visit` and do the same things with it, so what
is tested is what runs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from studies import payloads as said
from studies.events import Chain, Event, Payload
from studies.ports import Clock, Journal
from studies.protocol import Protocol
from studies.state import State
from studies.steps import AnswerError, Done, Step, check_answer
from studies.study import Study

if TYPE_CHECKING:
    from studies.live import Live

SAMPLE_MS = 1_000
"""Signs of life of one sort are kept at most once in this time."""


class Visit:
    """One sitting of one participant, from opening their stream to leaving it.

    Every method that returns has its events on disk. Where storing fails it raises `JournalError` and
    `current` stays what it was; what was said is kept and stored first, in its order, by the next call.
    Calls name the step they mean, so a double press, or a retry of a call that went through after all,
    changes nothing.
    """

    def __init__(self, study: Study, events: Sequence[Event], journal: Journal, clock: Clock) -> None:
        """Take up a stream where its events left it.

        Args:
            study: the version the participation belongs to.
            events: the whole stream, `participation_opened` first.
            journal: where new events become durable.
            clock: time.
        """
        self.study = study
        self.protocol = Protocol(study)
        self._journal = journal
        self._clock = clock
        self._chain = Chain.after(events[-1])
        self._state = State()
        self._acknowledged: set[str] = set()
        self._unsaved: list[Event] = []
        self._samples: list[tuple[int, str]] = []
        for one in events:
            self._take(one)
        self._turn = asyncio.Lock()
        self._shown_at = clock.monotonic_ms()
        self._paused = False
        self.live: Live | None = None
        """The live side, where the study kind has one."""
        self.drafts: dict[str, str] = {}
        """Unfinished text by ask id, as it was kept on disk."""

    # -- reading -------------------------------------------------------------------------------

    @property
    def stream(self) -> str:
        """Id of the participation's stream."""
        return self._chain.stream

    @property
    def state(self) -> State:
        """The fold over everything stored so far."""
        return self._state

    @property
    def current(self) -> Step | Done:
        """What is asked now."""
        if self._paused and self._state.end is None:
            return self.protocol.done("paused", self._state)
        return self.protocol.current(self._state)

    @property
    def answers(self) -> Mapping[str, Any]:
        """Acknowledged answers to the fields of the step that is open."""
        return self._state.answers

    def acknowledged(self, ask: str) -> bool:
        """Whether an answer to this ask id is on disk."""
        return ask in self._acknowledged

    def next_ask(self) -> str | None:
        """Name of the first field of the open step that a line front end has yet to ask."""
        step = self.current
        return None if isinstance(step, Done) else _next_ask(step, self.answers)

    def work_minutes(self) -> float:
        """Minutes since this spell of work began (the visit, or the last rest)."""
        return _minutes(self._state.work_since, self._clock.now())

    # -- doing ---------------------------------------------------------------------------------

    async def begin(
        self, front_end: str, station: str = "", width: int | None = None, height: int | None = None
    ) -> Step | Done:
        """Sit down: record the visit and apply the resume policy. A finished stream stays untouched."""
        async with self._turn:
            if self._unsaved:
                # A beginning that could not be stored is tried again; it is not another one.
                await self._flush()
                return self.current
            self.drafts = dict(await self._journal.drafts(self.stream))
            if self._state.end is not None:
                return self.current
            resume = self.study.settings.resume
            away = _minutes(self._state.last_at, self._clock.now()) / 60 / 24
            late = resume.max_days is not None and self._state.visits > 0 and away > resume.max_days
            if late and resume.after == "block":
                await self._store(said.ParticipationBlocked(away, resume.max_days or 0.0))
                return self.current
            refresh = late and bool(self._state.consents)
            started = said.VisitStarted(front_end, station, width, height, refresh)
            await self._store(started, *self.protocol.kind.returning(self._state, late=late))
            return self.current

    async def shown(self, step: Step) -> None:
        """Record that the step is in front of the participant; its time starts here."""
        async with self._turn:
            again = any(isinstance(one.payload, said.StepShown) for one in self._unsaved)
            await self._flush()
            if not again and self._is_open(step):
                self._shown_at = self._clock.monotonic_ms()
                self._samples.clear()
                await self._store(said.StepShown(step.id, step.revision, step.about))

    async def answer(self, ask: str, value: Any, *, walk: bool = False) -> None:
        """Answer one field of the open step. The same answer again changes nothing.

        Args:
            ask: id of the ask.
            value: the answer.
            walk: the fields are asked one by one, so the answer to the last one also closes the step,
                in the same transaction.

        Raises:
            AnswerError: the ask is not open, or the value does not fit.
            JournalError: it is not on disk yet.
        """
        async with self._turn:
            await self._flush()
            found = self._open_field(ask)
            if found is None:
                if self.acknowledged(ask):
                    return
                raise AnswerError(f"{ask!r} is not being asked now")
            step, name = found
            value = check_answer(step.field(name), value)
            if step.field(name).kind == "chat":
                if not self.acknowledged(ask):
                    request = self.protocol.kind.request(step, self._state, value)
                    await self._store(*self._activity(step), *request)
                await self._drop_drafts(step)
                return
            payloads: list[Payload] = []
            if name not in self.answers or self.answers[name] != value:
                before = {**(step.previous or {}), **self.answers}
                changed = {name: value, **self.protocol.kind.implied(name, value, before)}
                payloads += (
                    said.FieldAnswered(step.id, step.revision, one, to, step.about)
                    for one, to in changed.items()
                )
            if walk:
                payloads += self._closing_after(payloads)
            await self._store(*payloads)
            if walk and not self._is_open(step):
                await self._drop_drafts(step)

    async def take_back(self, ask: str) -> None:
        """Take the answer to one field of the open step back: it is to be answered again.

        Raises:
            AnswerError: the ask is not open.
            JournalError: it is not on disk yet.
        """
        async with self._turn:
            await self._flush()
            found = self._open_field(ask)
            if found is None:
                raise AnswerError(f"{ask!r} is not being asked now")
            step, name = found
            given = {**(step.previous or {}), **self.answers}
            if given.get(name) is not None:
                await self._store(said.FieldAnswered(step.id, step.revision, name, None, step.about))

    async def leave(self, step: Step) -> Step | Done:
        """Close a step with the answers given and move on; if it is not open (any more), do nothing.

        On a reopened step, fields not answered anew keep their last answer, and one without any new
        answer is left as it was, without a new revision.

        Raises:
            AnswerError: a required field has no answer; nothing was stored.
            JournalError: it is not on disk yet.
        """
        async with self._turn:
            await self._flush()
            now = self.current
            if isinstance(now, Done) or not self._is_open(step):
                return now
            if now.previous is not None and not self.answers:
                left = said.RevisitLeft(now.id, now.revision, now.about)
                await self._store(*self._activity(now), left)
            else:
                await self._store(*self._closing(now, self._state))
            await self._drop_drafts(now)
            return self.current

    async def back(self, step: Step) -> Step | Done:
        """From this step, reopen the one before if the protocol allows it; otherwise change nothing.

        Answers given so far wait for the participant's return; those that change a reopened step are its
        new revision.

        Raises:
            AnswerError: a changed step lacks an answer; nothing was stored.
            JournalError: it is not on disk yet.
        """
        async with self._turn:
            await self._flush()
            target, now = self.protocol.back(self._state), self.current
            if target is not None and isinstance(now, Step) and self._is_open(step):
                changed = now.previous is not None and bool(self.answers)
                left = self._closing(now, self._state) if changed else self._activity(now)
                about = self.protocol.step(target, self._state).about
                revision = self._state.revision(target) + 1
                await self._store(*left, said.WentBack(target, revision, about))
                if changed:
                    await self._drop_drafts(now)
            return self.current

    async def pause(self, reason: str = "paused") -> Done:
        """Leave for now; the next visit goes on at this very place."""
        if self.live is not None:
            self.live.abandon()
        async with self._turn:
            await self._flush()
            now = self.current
            if isinstance(now, Step):
                if self._state.visiting:
                    await self._store(*self._activity(now), said.VisitEnded(reason))
                self._paused = True
                now = self.protocol.done("paused", self._state)
            return now

    async def withdraw(self) -> Done:
        """Take everything back: out of every figure and export at once, also after the end."""
        if self.live is not None:
            self.live.abandon()
        async with self._turn:
            await self._flush()
            # Who declined has given nothing to take back.
            if self._state.end not in ("withdrawn", "declined"):
                await self._store(said.ParticipationWithdrawn(self.protocol.current_id(self._state) or ""))
            return self.protocol.done(self._state.end or "withdrawn", self._state)

    async def draft(self, ask: str, text: str) -> None:
        """Keep unfinished text, so that a crash costs nothing; an empty one is dropped."""
        await self._journal.save_draft(self.stream, ask, text or None)
        if text:
            self.drafts[ask] = text
        else:
            self.drafts.pop(ask, None)

    def activity(self, sort: str) -> None:
        """Note a sign of life (`key`, `mouse`, `scroll`, `focus`, `blur`, `codebook`, `pane`)."""
        at = self._clock.monotonic_ms() - self._shown_at
        if not any(known == sort and at - then < SAMPLE_MS for then, known in self._samples[-8:]):
            self._samples.append((at, sort))

    # -- for conversations ---------------------------------------------------------------------

    async def store(self, *payloads: Payload) -> None:
        """Make payloads durable that follow by rule, not from an answer.

        Raises:
            JournalError: they are not on disk yet; the next call stores them first.
        """
        async with self._turn:
            await self._store(*payloads)

    async def follow(self, payloads: Callable[[State], Sequence[Payload]]) -> bool:
        """Store what `payloads` makes of the state as it is by then; whether that was anything.

        Raises:
            JournalError: it is not on disk yet; the next call stores it first.
        """
        async with self._turn:
            await self._flush()
            made = () if self._paused else payloads(self._state)
            if made:
                await self._store(*made)
            return bool(made)

    async def record(self, step: Step, payloads: Callable[[State], Sequence[Payload]]) -> None:
        """Store what `payloads` makes of the state, if the step is open; otherwise change nothing."""
        await self.follow(lambda state: payloads(state) if self._is_open(step) else ())

    # -- helpers -------------------------------------------------------------------------------

    def _is_open(self, step: Step) -> bool:
        now = self.current
        return isinstance(now, Step) and (now.id, now.revision) == (step.id, step.revision)

    def _open_field(self, ask: str) -> tuple[Step, str] | None:
        step = self.current
        if isinstance(step, Step):
            for one in step.fields:
                if step.ask_id(one.name) == ask:
                    return step, one.name
        return None

    def _closing_after(self, payloads: Sequence[Payload]) -> tuple[Payload, ...]:
        """What closes the step once these answers are in, if they complete it."""
        state = self._state
        ahead = Chain(self._chain.stream, self._chain.seq, self._chain.head)
        for one in payloads:
            state = self.protocol.apply(state, ahead.make(one, state.last_at))
        step = self.protocol.current(state)
        if isinstance(step, Done):
            return ()
        refused = any(self.protocol.refuses(name, value) for name, value in state.answers.items())
        if step.kind == "consent" and refused:
            return self._closing(step, state)
        return () if _next_ask(step, state.answers) else self._closing(step, state)

    def _closing(self, step: Step, state: State) -> tuple[Payload, ...]:
        answers = {**(step.previous or {}), **state.answers}
        refused = step.kind == "consent" and any(self.protocol.refuses(*one) for one in answers.items())
        if not refused:
            for one in step.fields:
                answers[one.name] = check_answer(one, answers.get(one.name))
        elapsed = max(0, self._clock.monotonic_ms() - self._shown_at)
        closing = self.protocol.closing(step, state, answers, elapsed)
        return (*self._activity(step), *closing)

    def _activity(self, step: Step) -> tuple[Payload, ...]:
        return (
            (said.Activity(step.id, step.revision, tuple(self._samples), step.about),)
            if self._samples
            else ()
        )

    async def _drop_drafts(self, step: Step) -> None:
        for ask in (step.ask_id(one.name) for one in step.fields):
            if ask in self.drafts:
                await self.draft(ask, "")

    async def _store(self, *payloads: Payload) -> None:
        """Make the payloads durable behind what could not be stored before, then let the state follow."""
        at = self._clock.now()
        self._unsaved += [self._chain.make(one, at) for one in payloads]
        await self._flush()
        self._paused |= any(isinstance(one, said.VisitEnded) for one in payloads)

    async def _flush(self) -> None:
        """Store what could not be stored before. A batch that went through after all is no fault."""
        if not self._unsaved:
            return
        await self._journal.append(self._unsaved)
        for one in self._unsaved:
            self._take(one)
        self._unsaved = []
        if self.live is not None:
            self.live.begin()

    def _take(self, one: Event) -> None:
        self._state = self.protocol.apply(self._state, one)
        if isinstance(one.payload, said.FieldAnswered):
            answered = one.payload
            self._acknowledged.add(f"{answered.step}/{answered.field}/{answered.revision}")
        elif isinstance(one.payload, said.Activity):
            self._samples = []
        elif (ask := self.protocol.kind.answers(one.payload)) is not None:
            self._acknowledged.add(ask)


def _next_ask(step: Step, answers: Mapping[str, Any]) -> str | None:
    for one in step.fields:
        taken_back = one.required and one.kind != "info" and answers.get(one.name) is None
        if one.name not in answers or taken_back:
            return one.name
    return None


def _minutes(earlier: str, later: str) -> float:
    if not earlier:
        return 0.0
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds() / 60
