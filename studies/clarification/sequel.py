"""What goes on without the participant: a model asks, answers, writes code; the judge votes; code is run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from studies.answers import whole
from studies.clarification import payloads as said
from studies.clarification.calls import (
    Made,
    answer_call,
    ask_call,
    code_call,
    missing_votes,
    vote_call,
)
from studies.clarification.judging import check_of
from studies.clarification.live_seat import Due
from studies.clarification.matching import match
from studies.clarification.payloads import Ending
from studies.clarification.responses import Untagging, is_bundle, read_response
from studies.clarification.seat import clarifications_of
from studies.clarification.sessions import Round, Session, votes_of
from studies.clarification.votes import vote_in
from studies.events import Payload
from studies.live import Heard, Listener
from studies.replies import Part, ReplyEnd
from studies.reply_payloads import VerdictGiven
from studies.replying import Noticed, Place, messages_hash, over_budget, reply_to
from studies.roleplay.blinding import masked
from studies.steps import Done, Step
from studies.verdicts import NEUTRAL

if TYPE_CHECKING:
    from studies.clarification.live_seat import LiveSeat
    from studies.clarification.materials import KeyQuestion
    from studies.conversation import Conversation
    from studies.runner import Visit

T = TypeVar("T")
CALLS: dict[str, Callable[..., Made]] = {"ask": ask_call, "answer": answer_call, "code": code_call}


class Sequel:
    """One run of what is due in the open session."""

    def __init__(self, kind: LiveSeat, visit: Visit, conversation: Conversation) -> None:
        self.kind = kind
        self.visit = visit
        self.live = conversation
        self.study = visit.study
        self.how = visit.study.settings.clarification

    async def run(self, hear: Listener) -> Step | Done:
        """Go on until the participant is asked, something broke off, or the session is over."""
        while (session := self.session) is not None:
            due = self.kind.due(session)
            if due in ("person", "broken", "over"):
                break
            if due in ("response", "votes"):
                # A stop is meant for one reply: what comes after it waits for the next call.
                if self.live.stopped or await self._limited():
                    break
                if not await self._calls(session, due, hear):
                    break
            else:
                await self._at_once(session, due, hear)
        return self.visit.current

    @property
    def session(self) -> Session | None:
        """The session of the open step."""
        step = self.live.step
        return clarifications_of(self.visit.state).of(step.about or "") if step is not None else None

    async def _store(self, *payloads: Payload) -> None:
        await self.visit.store(*payloads)

    # -- calls ---------------------------------------------------------------------------------

    async def _calls(self, session: Session, due: Due, hear: Listener) -> bool:
        """Make the calls that are due, side by side; False where the participant leaves meanwhile."""
        work: list[Coroutine[Any, Any, object]] = []
        if due == "votes":
            pending = self.kind.pending(session)
            assert pending is not None
            work.append(self._vote(session, pending))
        if purpose := self._purpose(session, due):
            work.append(self._reply(session, purpose, hear))
        return all(one is not None for one in await _side_by_side(work))

    def _purpose(self, session: Session, due: Due) -> str:
        """What a model is to be called for now; empty for nothing."""
        one = session.last
        if session.seat == "answerer":
            ready = one is None or one.read is None or session.used < self.how.responses
            needed = one is None or one.read is not None or self.kind.response_due(one) == "response"
            return "ask" if ready and needed else ""
        if due == "votes" or (one is not None and one.answer is None and one.purpose == "answer"):
            wanted = self.how.answers == "model" and self.kind.response_due(one) == "response"
            return "answer" if wanted else ""
        return "code"

    async def _reply(self, session: Session, purpose: str, hear: Listener) -> ReplyEnd:
        call, saw = CALLS[purpose](self.study, session, self.visit.stream)
        one = session.last
        opens = one is None or (one.read is not None if purpose == "ask" else one.purpose != purpose)
        turn = (one.turn if one else 0) + 1 if opens else (one.turn if one else 1)
        attempts = () if opens or one is None else one.attempts
        return await reply_to(
            self.visit,
            self.live,
            Place(session.id, session.item, turn, len(attempts) + 1, purpose),
            call,
            saw,
            wait_ms=self.how.minimum_wait_ms,
            # The program is nobody's to read in this seat.
            hear=None if purpose == "code" else hear,
            covering=Untagging(),
            notice=lambda text: Noticed(masked(text)[1]),
        )

    async def _vote(self, session: Session, one: Round) -> bool | None:
        """Have every vote cast that is missing, each on its own; None where the participant leaves."""
        task = self.study.clarification_task(session.item)
        votes = [self._cast(session, one, *pair) for pair in missing_votes(self.study, one, task)]
        failed = await self.live.unless_left(_all(votes))
        if failed is None:
            return None
        if failed:
            worst = failed[0]
            await self._store(
                said.MatchingBroken(
                    session.id, session.item, one.turn, worst.error, worst.error_kind, worst.detail
                )
            )
            return True
        await self._matched(session, one)
        return True

    async def _cast(self, session: Session, one: Round, gap: KeyQuestion, sample: int) -> ReplyEnd | None:
        """One vote; the end of a call that failed, or None."""
        call = vote_call(self.study, self.study.clarification_task(session.item), gap, one.question or "")
        end = await whole(self.live.assistant, call)
        if end.status != "complete":
            return end
        await self._store(
            said.VoteCast(
                session=session.id,
                item=session.item,
                turn=one.turn,
                gap=gap.id,
                sample=sample,
                vote=vote_in(end.text),
                judge=call.assistant,
                model=call.model,
                text=end.text,
                prompt_sha256=messages_hash(call.messages),
                model_served=end.model_served,
                prompt_tokens=end.usage.prompt_tokens,
                completion_tokens=end.usage.completion_tokens,
                cost=end.usage.cost,
                total_ms=end.total_ms,
                client=end.client,
            )
        )
        return None

    async def _matched(self, session: Session, one: Round) -> None:
        """What the votes come to; the state has grown since the session was read."""
        now = self.session or session
        voted = next(each for each in now.rounds if each.turn == one.turn)
        order = [each.id for each in self.study.clarification_task(session.item).key_questions]
        found = match(votes_of(voted), order, now.covered, self.how.matching)
        await self._store(
            said.QuestionMatched(
                session.id,
                session.item,
                one.turn,
                found.outcome,
                found.gaps,
                found.matched,
                self.how.matching,
            )
        )

    async def _limited(self) -> bool:
        """Whether a spending limit is reached: then the participation ends, politely."""
        spent = clarifications_of(self.visit.state).spent
        return await over_budget(self.visit, self.live, self.how, spent, self._capped)

    def _capped(self, reason: str) -> tuple[Payload, ...]:
        session = clarifications_of(self.visit.state).current
        return (self.kind.ended(session, "spend_cap", reason),) if session else ()

    # -- what takes no call --------------------------------------------------------------------

    async def _at_once(self, session: Session, due: Due, hear: Listener) -> None:
        assert session.last is not None or due == "end"
        if due == "read" and session.last is not None:
            await self._read(session, session.last)
        elif due == "answer" and session.last is not None:
            await self._answer(session, session.last, hear)
        elif due == "verdict" and session.code is not None:
            await self._judge(session, session.code)
        else:
            await self._store(self.kind.ended(session, self._ending(session)))

    async def _read(self, session: Session, one: Round) -> None:
        assert one.last is not None
        task = self.study.clarification_task(session.item)
        found = read_response(
            one.last.text, task.entry_point, task.prompt, both=self.how.both, neither=self.how.neither
        )
        await self._store(
            said.ResponseRead(
                session.id,
                session.item,
                one.turn,
                found.sort,
                found.question,
                found.code,
                found.form,
                found.both,
                is_bundle(found.question),
            )
        )

    async def _answer(self, session: Session, one: Round, hear: Listener) -> None:
        """The reply to a person's question: the annotated answer, a default reply, or what a model said."""
        assert one.asked is not None
        assert one.matched is not None
        task, replies = self.study.clarification_task(session.item), self.how.replies
        outcome = one.matched.outcome
        decision: said.Decision = "answered"
        if outcome != "hit":
            decision = "repeated" if outcome == "repeat" else "irrelevant"
        gap = one.matched.gaps[0] if one.matched.gaps else ""
        answered = said.QuestionAnswered(
            one.asked.step, session.id, session.item, one.turn, decision, gap, "", "protocol"
        )
        if self.how.answers == "model" and one.last is not None:
            answered = replace(answered, by="model", text=one.last.text)
        elif outcome == "hit":
            told = " ".join(task.key_question(each).answer for each in one.matched.gaps)
            answered = replace(answered, text=told)
        else:
            default = replies.already_answered if outcome == "repeat" else replies.not_relevant
            answered = replace(answered, text=default)
        await self._store(answered)
        if answered.by == "protocol":
            hear(Heard(session.item, one.turn, Part(answered.text)))
            hear(Heard(session.item, one.turn, ReplyEnd("complete", answered.text)))

    async def _judge(self, session: Session, one: Round) -> None:
        task = self.study.clarification_task(session.item)
        check = check_of(task, self.how.time_limit)
        assert check is not None
        assert self.live.judge is not None
        text = one.last.text if one.last else ""
        found = read_response(text, task.entry_point, task.prompt)
        code = one.read.code if one.read is not None else found.code
        if not code:
            given = VerdictGiven(session.id, session.item, one.turn, "no_code", "", 0, "", "", False)
        else:
            verdict = await self.live.judge.judge(code, check)
            given = VerdictGiven(
                session.id,
                session.item,
                one.turn,
                verdict.verdict,
                verdict.detail,
                verdict.ms,
                code,
                verdict.isolation,
                submission=True,
            )
        await self._store(given)

    def _ending(self, session: Session) -> Ending:
        code = session.code
        if code is not None and code.verdict is not None and code.verdict.verdict in NEUTRAL:
            return "technical"
        if session.satisfied:
            return "enough"
        return "code" if session.seat == "answerer" and code is not None else "limit"


async def _all(votes: Sequence[Coroutine[Any, Any, ReplyEnd | None]]) -> list[ReplyEnd]:
    """The calls that failed."""
    return [one for one in await _side_by_side(votes) if one is not None]


async def _side_by_side(work: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """All results; where some fail, the first error once nothing of it runs any more."""
    results = await asyncio.gather(*work, return_exceptions=True)
    for one in results:
        if isinstance(one, BaseException):
            raise one
    return [one for one in results if not isinstance(one, BaseException)]
