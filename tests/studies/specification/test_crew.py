"""The crew: calls at the same time, in the background, once each; failures that can be retried; spending."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import replace

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


class Selective(Rehearses):
    """Holds, or fails, the first call that is meant; whatever costs, costs a dollar."""

    def __init__(self, meant: Callable[[Call], bool], *, fails: bool = False) -> None:
        super().__init__()
        self.meant, self.fails = meant, fails
        self.met = asyncio.Event()
        self.go = asyncio.Event()

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        first = self.meant(call) and not self.met.is_set()
        if first:
            self.met.set()
            if self.fails:
                yield DOWN
                return
            await self.go.wait()
        async for one in super().reply(call):
            yield replace(one, usage=Usage(cost=1.0)) if isinstance(one, ReplyEnd) else one


def answers_by(call: Call, name: str) -> bool:
    return name in (call.schema or {}).get("properties", {}) or [one.name for one in call.tools] == [name]


async def settle() -> None:
    for _ in range(200):
        await asyncio.sleep(0)


async def test_a_second_agent_shows_what_failed_of_the_first_and_it_can_be_retried() -> None:
    study = wishes(
        project("club", checklist=[question(number) for number in range(1, 9)]),
        agents=(BASELINE, BASELINE.replace("plain", "other")),
        more='task = "checklist"\nbudgets = [1]\nsecond_agent = true',
    )
    down = Selective(lambda call: answers_by(call, "submit_predictions"), fails=True)
    visit = await Crewed(study, assistant=down).sit()
    async with asyncio.timeout(20):
        while isinstance(step := visit.current, Step) and not step.broken:
            await one_step(visit, {})
    assert isinstance(step, Step)
    assert step.id == "round:2.1:club", "the first agent's work stands before the second's first question"
    assert [job.state for job in step.work.jobs if job.state != "done"] == ["failed"]  # type: ignore[union-attr]
    await visit.live.retry(step)  # type: ignore[union-attr]
    await go_to(visit, "nowhere")
    assert visit.state.end == "completed"


@pytest.mark.parametrize("after", ["sheet", "second agent"])
async def test_what_was_chosen_in_a_question_that_was_given_up_answers_nothing_else(after: str) -> None:
    more = {
        "sheet": 'task = "sheet"\nbudgets = [3]\nground_truth = "after"',
        "second agent": 'task = "checklist"\nbudgets = [3]\nsecond_agent = true',
    }
    study = wishes(
        project("club", checklist=[question(number) for number in range(1, 9)]),
        agents=(BASELINE, BASELINE.replace("plain", "other")),
        more=more[after],
    )
    visit = await Crewed(study).sit()
    step = await go_to(visit, "round")
    assert isinstance(step, Step)
    field = step.field("choice")
    chosen = field.options[1].value
    await visit.answer(step.ask_id("choice"), [chosen] if field.kind == "multi" else chosen)
    await visit.live.end(step)  # type: ignore[union-attr]
    assert visit.answers == {}
    later = await go_to(visit, "truth" if after == "sheet" else "round")
    assert isinstance(later, Step)
    assert later.id != step.id
    await visit.shown(later)
    assert visit.answers == {}
    assert state_of(visit).of("club").session(1).answered == 0


async def test_silent_predictions_that_take_long_are_not_overtaken_by_the_last_ones() -> None:
    study = wishes(
        project("club", checklist=[question(number) for number in range(1, 9)]),
        more='task = "checklist"\nbudgets = [2]\ncheckpoints = [0, 2]',
    )
    slow = Selective(lambda call: answers_by(call, "predictions"))
    visit = await Crewed(study, assistant=slow).sit()
    going = asyncio.ensure_future(go_to(visit, "debrief"))
    await slow.met.wait()
    await settle()
    slow.go.set()
    await going
    made = [(one.rounds, one.final) for one in state_of(visit).of("club").session(1).predictions]
    assert sorted(made) == [(0, False), (2, False), (2, True)]
    assert made[-1][1], "the last predictions come last"


async def test_an_answer_that_comes_while_nothing_can_be_stored_is_not_asked_for_again() -> None:
    held = Held()
    crewed = Crewed(plain(), assistant=held)
    visit = await crewed.sit()
    step = await go_to(visit, "truth")
    assert isinstance(step, Step)
    await held.asked.wait()
    crewed.sitting.journal.fail_before = 2
    with pytest.raises(JournalError):
        await visit.answer(step.ask_id(step.fields[0].name), "x")
    held.go.set()
    await settle()
    # The participant tries again: all is well then, and no old trouble comes up at the next wait.
    await go_to(visit, "round")
    called = [one.payload.call for one in crewed.sitting.events if one.kind == "agent_called"]  # type: ignore[attr-defined]
    assert called.count("plan") == 1
    assert state_of(visit).of("club").session(1).answer("plan") is not None


async def test_whoever_could_not_leave_goes_on_waiting() -> None:
    held = Held()
    crewed = Crewed(plain(), assistant=held)
    visit = await crewed.sit()
    while isinstance(step := visit.current, Step) and not step.due:
        await one_step(visit, {})
    await held.asked.wait()
    crewed.sitting.journal.fail_before = 1
    with pytest.raises(JournalError):
        await visit.pause()
    held.go.set()
    now = await visit.live.advance()  # type: ignore[union-attr]
    assert isinstance(now, Step)
    assert now.kind == "interview"


async def test_what_is_under_way_at_a_spending_limit_is_still_kept() -> None:
    votes: list[Call] = []

    def third(call: Call) -> bool:
        if answers_by(call, "votes"):
            votes.append(call)
        return len(votes) == 3

    slow = Selective(third)
    crewed = Crewed(
        wishes(project("club"), more='task = "sheet"\nbudgets = [1]\nparticipant_budget = 4.0'),
        assistant=slow,
    )
    visit = await crewed.sit()
    going = asyncio.ensure_future(go_to(visit, "nowhere"))
    await slow.met.wait()
    await settle()
    slow.go.set()
    done = await going
    assert isinstance(done, Done)
    assert done.end == "limit"
    kinds = crewed.sitting.kinds()
    assert kinds.count("agent_called") == kinds.count("agent_answered") == 5
    assert kinds[-1] == "participation_limited"
    assert state_of(visit).spent == 5.0
