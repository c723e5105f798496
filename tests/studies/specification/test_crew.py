"""The crew: calls at the same time, in the background, once each; failures that can be retried; spending."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from support.specifications import (
    BASELINE,
    Crewed,
    NobodyElse,
    Rehearses,
    go_to,
    one_step,
    project,
    question,
    state_of,
    wishes,
)

from studies.errors import JournalError
from studies.live import Heard
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.runner import Visit
from studies.specification.crew import Crew
from studies.steps import AnswerError, Done, Step
from studies.study import Study
from studies.work import Work

DOWN = ReplyEnd("failed", "", error="The assistant could not be reached.", error_kind="unreachable")


def plain(more: str = "", *, budget: int = 2) -> Study:
    return wishes(
        project("club", checklist=[question(number) for number in range(1, 9)]),
        agents=(BASELINE,),
        more=f'task = "sheet"\nbudgets = [{budget}]\n{more}',
    )


class Held(Rehearses):
    """Answers only once it is let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = asyncio.Event()
        self.asked = asyncio.Event()
        self.closed = 0

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        self.asked.set()
        try:
            await self.go.wait()
            async for one in super().reply(call):
                yield one
        except asyncio.CancelledError:
            self.closed += 1
            raise


async def test_agents_work_while_the_participant_still_writes() -> None:
    crewed = Crewed(plain())
    visit = await crewed.sit()
    await go_to(visit, "truth")
    await asyncio.wait_for(visit.live._work, 5)  # type: ignore[union-attr]
    session = state_of(visit).of("club").session(1)
    assert session.answer("plan") is not None
    assert session.rounds, "the first question waits already"
    await go_to(visit, "round")
    assert isinstance(visit.current, Step)


async def test_waiting_says_what_is_being_done() -> None:
    held = Held()
    visit = await Crewed(plain(), assistant=held).sit()
    while isinstance(step := visit.current, Step) and not step.due:
        await one_step(visit, {})
    heard: list[Heard] = []
    waiting = asyncio.ensure_future(visit.live.advance(heard.append))  # type: ignore[union-attr]
    await held.asked.wait()
    held.go.set()
    now = await waiting
    assert isinstance(now, Step)
    assert now.kind == "interview"
    works = [one.what for one in heard]
    assert all(isinstance(one, Work) for one in works)
    assert {job.state for one in works if isinstance(one, Work) for job in one.jobs} >= {"running", "done"}


async def test_a_failed_call_keeps_everything_and_is_asked_for_again() -> None:
    crewed = Crewed(plain())
    crewed.assistant.failing = [DOWN]
    visit = await crewed.sit()
    while isinstance(step := visit.current, Step) and not step.broken:
        await one_step(visit, {})
    assert isinstance(step, Step)
    assert step.work is not None
    assert "could not be reached" in step.work.notice
    with pytest.raises(AnswerError):
        await visit.live.end(step)  # type: ignore[union-attr]
    await visit.live.retry(step)  # type: ignore[union-attr]
    done = await go_to(visit, "nowhere")
    assert isinstance(done, Done)
    assert done.end == "completed"
    plans = [one.payload for one in crewed.sitting.events if one.kind == "agent_answered"]
    assert [one.standing for one in plans[:2]] == ["failed", "valid"]  # type: ignore[attr-defined]


async def test_an_answer_that_does_not_fit_is_repaired_once_and_both_replies_are_kept() -> None:
    crewed = Crewed(plain())
    crewed.assistant.failing = ["I would rather talk about the weather."]
    visit = await crewed.sit()
    await go_to(visit, "round")
    first = next(one.payload for one in crewed.sitting.events if one.kind == "agent_answered")
    assert first.standing == "valid"  # type: ignore[attr-defined]
    assert len(first.replies) == 2  # type: ignore[attr-defined]
    assert "does not fit" in crewed.assistant.calls[1].messages[-1].content


async def test_an_answer_that_never_fits_is_a_clear_failure() -> None:
    crewed = Crewed(plain())
    crewed.assistant.failing = ["no", "still no"]
    visit = await crewed.sit()
    while isinstance(step := visit.current, Step) and not step.broken:
        await one_step(visit, {})
    first = next(one.payload for one in crewed.sitting.events if one.kind == "agent_answered")
    assert (first.standing, first.answer) == ("invalid", None)  # type: ignore[attr-defined]
    assert first.trouble  # type: ignore[attr-defined]


async def test_leaving_breaks_calls_off_and_they_come_again_on_return() -> None:
    held = Held()
    crewed = Crewed(plain(), assistant=held)
    visit = await crewed.sit()
    await go_to(visit, "truth")
    await held.asked.wait()
    await visit.pause()
    await asyncio.sleep(0)
    held.go.set()
    visit = await crewed.sit()
    standings = [one.payload.standing for one in crewed.sitting.events if one.kind == "agent_answered"]  # type: ignore[attr-defined]
    assert standings == ["interrupted"]
    await go_to(visit, "round")
    attempts = [one.payload for one in crewed.sitting.events if one.kind == "agent_called"]
    assert [(one.call, one.attempt) for one in attempts[:2]] == [("plan", 1), ("plan", 2)]  # type: ignore[attr-defined]
    assert held.closed == 1


async def test_the_participant_may_end_the_interview() -> None:
    visit = await Crewed(plain(budget=4)).sit()
    step = await go_to(visit, "round")
    assert isinstance(step, Step)
    await one_step(visit, {})
    while isinstance(step := visit.current, Step) and step.due:
        await one_step(visit, {})
    assert isinstance(step, Step)
    await visit.live.end(step)  # type: ignore[union-attr]
    await go_to(visit, "rate")
    session = state_of(visit).of("club").session(1)
    assert (session.ended.by, session.ended.rounds, session.answered) == ("participant", 1, 1)
    assert session.frozen is not None


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_what_could_not_be_stored_in_the_background_is_stored_next(when: str) -> None:
    held = Held()
    crewed = Crewed(plain(), assistant=held)
    visit = await crewed.sit()
    while isinstance(step := visit.current, Step) and not step.due:
        await one_step(visit, {})
    await held.asked.wait()
    setattr(crewed.sitting.journal, when, 1)
    held.go.set()
    with pytest.raises(JournalError):
        await visit.live.advance()  # type: ignore[union-attr]
    now = await visit.live.advance()  # type: ignore[union-attr]
    assert isinstance(now, Step)
    assert now.kind == "interview"
    called = [one.payload.call for one in crewed.sitting.events if one.kind == "agent_called"]  # type: ignore[attr-defined]
    assert called.count("plan") == 1


class Costs(Rehearses):
    """A dollar a call."""

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        self.calls.append(call)
        yield ReplyEnd("complete", call.script[-1], usage=Usage(cost=1.0))


async def test_a_spending_limit_ends_the_participation_at_the_next_wait() -> None:
    crewed = Crewed(plain("participant_budget = 2.0", budget=5), assistant=Costs())
    visit = await crewed.sit()
    done = await go_to(visit, "nowhere")
    assert isinstance(done, Done)
    assert done.end == "limit"
    assert len(crewed.assistant.calls) == 2
    kinds = crewed.sitting.kinds()
    assert kinds.count("participation_limited") == 1
    assert kinds.count("round_answered") >= 1


async def test_the_studys_limit_counts_other_people_as_well() -> None:
    crewed = Crewed(plain("study_budget = 10.0"))
    sitting = crewed.sitting
    visit = Visit(sitting.study, sitting.events, sitting.journal, sitting.clock)
    visit.live = Crew(visit, crewed.assistant, NobodyElse(spent=10.0))
    await visit.begin("test")
    done = await go_to(visit, "nowhere")
    assert isinstance(done, Done)
    assert done.end == "limit"
    assert not crewed.assistant.calls
