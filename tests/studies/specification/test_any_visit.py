"""Visits at random: whatever comes when, no step waits for nothing, and what is behind stays behind."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from random import Random
from typing import Any

import pytest
from support.specifications import (
    BASELINE,
    BUDDY,
    Crewed,
    Rehearses,
    one_step,
    project,
    question,
    state_of,
    wishes,
)

from studies.errors import JournalError
from studies.protocol import Protocol
from studies.replies import Call, Part, ReplyEnd
from studies.runner import Visit
from studies.specification.forms import truth_screens
from studies.specification.shown import calls
from studies.state import State
from studies.steps import AnswerError, Step
from studies.study import Study

DOWN = ReplyEnd("failed", "", error="Not to be reached.", error_kind="unreachable")
OTHER = BASELINE.replace("plain", "other")
MANY_STEPS = 3_000


class Unsteady(Rehearses):
    """Takes its time, and fails now and then."""

    def __init__(self, chance: Random) -> None:
        super().__init__()
        self._chance = chance

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        for _ in range(self._chance.choice([0, 0, 1, 5, 30])):
            await asyncio.sleep(0)
        if self._chance.random() < 0.12:
            self.failing = [self._chance.choice([DOWN, "nonsense"])]
        async for one in super().reply(call):
            yield one


class AtRandom:
    """A participant over a journal that fails now and then, who leaves, goes back, and ends interviews."""

    def __init__(self, study: Study, seed: int) -> None:
        self.chance = Random(seed)
        self.crewed = Crewed(study, slot=seed, assistant=Unsteady(self.chance))

    async def visit(self) -> Visit:
        """From the first page to the end."""
        journal, chance = self.crewed.sitting.journal, self.chance
        visit = await self.crewed.sit()
        for _ in range(MANY_STEPS):
            if not isinstance(step := visit.current, Step):
                return visit
            if chance.random() < 0.04:
                setattr(journal, chance.choice(["fail_before", "fail_after"]), chance.randint(1, 3))
            try:
                if chance.random() < 0.03:
                    await visit.pause()
                    journal.fail_before = journal.fail_after = 0
                    visit = await self.crewed.sit()
                else:
                    await self._one(visit, step)
            except (JournalError, AnswerError):
                continue
        raise AssertionError("it does not come to an end")

    async def _one(self, visit: Visit, step: Step) -> None:
        live, chance = visit.live, self.chance.random()
        assert live is not None
        if step.broken:
            await live.retry(step)
        elif step.can_go_back and chance < 0.1:
            await visit.back(step)
        elif step.kind == "interview" and chance < 0.05:
            await visit.answer(step.ask_id("choice"), self._chosen(step, step.field("choice")))
            await live.end(step)
        else:
            await one_step(visit, {"choice": self._chosen})

    def _chosen(self, step: Step, field: Any) -> Any:
        one = self.chance.choice(field.options).value
        return one if field.kind == "choice" else self.chance.choice([[one], []])


def study(agents: list[str], more: str) -> Study:
    checklist = [question(number) for number in range(1, 9)]
    projects = [project("club", checklist=checklist), project("hall", checklist=checklist)]
    return wishes(*projects, agents=agents, more=more)


@pytest.mark.parametrize(
    ("agents", "more"),
    [
        ([BUDDY], 'task = "checklist"\nground_truth = "after"\nbudgets = [3]\ncheckpoints = [0, 2, 3]'),
        (
            [BASELINE, OTHER],
            'task = "checklist"\nsecond_agent = true\nbudgets = [2]\ncheckpoints = [0, 1, 2]',
        ),
        ([BUDDY, BASELINE], 'task = "sheet"\nsecond_agent = true\nground_truth = "split"\nbudgets = [0, 2]'),
        ([BUDDY, BASELINE], 'task = "mixed"\nsecond_agent = true\nbudgets = [2]'),
    ],
)
async def test_any_visit(agents: list[str], more: str) -> None:
    made = study(agents, more)
    someone = AtRandom(made, seed=2)
    visit = await asyncio.wait_for(someone.visit(), 60)
    assert visit.state.end == "completed"
    events = someone.crewed.sitting.events
    protocol, state = Protocol(made), State()
    for one in events:
        behind = protocol.plan(state)[: state.closed] if state.opened else ()
        state = protocol.apply(state, one)
        assert protocol.plan(state)[: len(behind)] == behind, f"{one.kind} changed what is behind"
    assert all(one.whole for one in calls(made, events))
    for one in state_of(visit).all:
        screens = truth_screens(made.project(one.item), one.sessions[0].opened.task)
        assert set(one.truth) == {field.name for screen in screens for field in screen}
        for session in one.sessions:
            reached = {at for at in made.settings.specification.checkpoints if at <= session.answered}
            there = {each.rounds for each in session.predictions}
            assert reached <= there or session.opened.task == "sheet"
    for _ in range(5):
        await asyncio.sleep(0)
    assert asyncio.all_tasks() == {asyncio.current_task()}, "nothing is left under way"
