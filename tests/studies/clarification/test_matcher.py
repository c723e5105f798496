"""The seat `matcher`: what is shown and what never is, decisions, going back."""

from __future__ import annotations

from typing import Any

import pytest
from support.clarifying import clarification_study, payloads, task
from support.visits import Sitting, at, walk

from studies.clarification.payloads import QuestionLabelled
from studies.runner import Visit
from studies.steps import AnswerError, Done, Step
from studies.study import Study

ASKED = [
    {"id": "q1", "text": "Which unit?", "run": "r", "turn": 1, "model": "secret-model", "hit": True,
     "votes": {"unit": [True, True, True], "tie": [False, False, False]}},
    {"id": "q2", "text": "Colour?", "run": "r", "turn": 2, "model": "secret-model", "hit": False},
]  # fmt: skip


def matching(**changes: Any) -> Study:
    return clarification_study([task(gaps=3, asked=ASKED)], assistants=(), seat="matcher", **changes)


class Labels:
    """A matcher's sitting, as `payloads` takes it."""

    def __init__(self, made: Study, slot: int = 1) -> None:
        self.sitting = Sitting(made, slot)
        self.visit: Visit

    async def sit(self) -> Step:
        self.visit = await self.sitting.visit()
        step = await walk(self.visit, at("label:"))
        assert isinstance(step, Step)
        return step


async def test_a_matcher_sees_task_key_questions_and_question_and_nothing_else() -> None:
    made = Labels(matching())
    step = await made.sit()
    assert step.material is not None
    assert step.about in ("q1", "q2")
    shown = repr(step)
    assert "Write a function for 1." in shown
    assert all(one in shown for one in ("In which unit is x?", "What happens in a tie?"))
    assert not any(one in shown for one in ("In metres", "secret-model", "votes", "hit", "True, True"))
    assert len(step.fields) == 1


@pytest.mark.parametrize("what", ["answer", "message"])
async def test_a_coder_is_asked_what_a_text_gives_away(what: str) -> None:
    made = Labels(matching(coding={"of": f"{what}s", "study": "0"}))
    step = await made.sit()
    (field,) = step.fields
    assert (step.progress.part.lower(), field.text) == (what, f"Which of these does the {what} give away?")
    assert {one.label for one in field.options} == {
        "In which unit is x? In metres.",
        "What happens in a tie? The first one wins.",
        "What is returned for no input? None.",
    }
    assert not any(one in repr(step) for one in ("secret-model", "votes", "hit"))


async def test_the_order_of_the_key_questions_is_drawn_for_the_person_and_recorded() -> None:
    orders = set()
    for slot in range(1, 9):
        made = Labels(matching(), slot)
        step = await made.sit()
        order = tuple(one.value for one in step.fields[0].options)
        await made.visit.answer(step.ask_id("matches"), [], walk=True)
        (label,) = payloads(made, QuestionLabelled)
        assert label.order == order
        orders.add(order)
    assert len(orders) > 1


async def test_a_decision_can_be_changed_by_going_back() -> None:
    made = Labels(matching())
    first = await made.sit()
    await made.visit.answer(first.ask_id("matches"), ["tie"], walk=True)
    second = made.visit.current
    assert isinstance(second, Step)
    assert second.can_go_back
    again = await made.visit.back(second)
    assert isinstance(again, Step)
    assert again.previous == {"matches": ("tie",)}
    await made.visit.answer(again.ask_id("matches"), ["tie", "unit"], walk=True)
    labels = payloads(made, QuestionLabelled)
    assert [(one.revision, one.matches) for one in labels] == [(1, ("tie",)), (2, ("unit", "tie"))]
    assert made.visit.protocol.kind.finished(made.visit.state) == (first.about,)
    end = await walk(made.visit)
    assert isinstance(end, Done)
    assert end.end == "completed"


async def test_only_key_questions_of_the_task_are_answers() -> None:
    made = Labels(matching())
    step = await made.sit()
    with pytest.raises(AnswerError, match="expected one of"):
        await made.visit.answer(step.ask_id("matches"), ["other"])
    await made.visit.answer(step.ask_id("matches"), [])
    assert made.visit.answers == {"matches": ()}
