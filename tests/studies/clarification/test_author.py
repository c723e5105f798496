"""The seat `author`: shortening, gaps, cross-checks that are blind, differences that are settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from support.clarifying import clarification_study, task
from support.visits import Sitting, usual

from studies.clarification import payloads as said
from studies.clarification.author import Author
from studies.clarification.authored import authored_in, authoring_of
from studies.payloads import VisitEnded
from studies.runner import Visit
from studies.steps import AnswerError, Done, Field, Step
from studies.study import Study

FULL = "Write a function for {n}, in metres; the first one wins."
GAPS = (
    ("In which unit?", "In metres.", "units", "yes"),
    ("What in a tie?", "The first one wins.", "comparison-rules", "no"),
)


def authoring(**changes: Any) -> Study:
    tasks = [task(n, gaps=0, statement="", full_statement=FULL.format(n=n)) for n in (1, 2)]
    design = {"kind": "cyclic", "participants": 2, "items_each": 1, "raters": 1}
    return clarification_study(tasks, assistants=(), seat="author", design=design, **changes)


class Desk:
    """One author's sitting."""

    def __init__(self, study: Study, slot: int) -> None:
        self.sitting = Sitting(study, slot)
        self.visit: Visit

    async def sit(self, *others: Desk) -> Desk:
        self.visit = Visit(self.sitting.study, self.sitting.events, self.sitting.journal, self.sitting.clock)
        kind = self.visit.protocol.kind
        assert isinstance(kind, Author)
        kind.shelf = authored_in({one.sitting.stream: one.sitting.events for one in others})
        await self.visit.begin("test")
        return self

    async def walk(self, until: str, answers: Mapping[str, Any] | None = None) -> Step | Done:
        """Answer everything up to a step whose id begins so; texts and choices by field name."""
        given = answers or {}

        def answer(step: Step, field: Field) -> Any:
            name = f"{''.join(step.id.split(':')[:2])}.{field.name}"
            return given.get(name, given.get(field.name, usual(step, field)))

        while True:
            step = self.visit.current
            if isinstance(step, Done) or step.id.startswith(until):
                return step
            name = self.visit.next_ask()
            assert name is not None
            await self.visit.answer(step.ask_id(name), answer(step, step.field(name)), walk=True)

    def said(self, kind: type[Any]) -> list[Any]:
        return [one.payload for one in self.sitting.events if isinstance(one.payload, kind)]


def written() -> dict[str, Any]:
    """What an author writes."""
    answers: dict[str, Any] = {"statement": "Write a function."}
    for number, (question, answer, type_, more) in enumerate(GAPS, 1):
        answers |= {
            f"gap{number}.question": question,
            f"gap{number}.answer": answer,
            f"gap{number}.type": type_,
            f"gap{number}.more": more,
        }
    return answers


async def author(study: Study, slot: int) -> Desk:
    made = await Desk(study, slot).sit()
    step = await made.walk("wait:", written())
    assert isinstance(step, Step)
    return made


async def test_an_author_shortens_and_writes_each_gap() -> None:
    made = await author(authoring(), 1)
    (draft,) = authoring_of(made.sitting.events).complete()
    assert draft.statement == "Write a function."
    assert [(one.question, one.type, one.more) for one in draft.gaps] == [
        ("In which unit?", "units", True),
        ("What in a tie?", "comparison-rules", False),
    ]
    assert made.visit.protocol.kind.finished(made.visit.state) == (draft.item,)


async def test_something_must_be_left_out() -> None:
    made = await Desk(authoring(), 1).sit()
    step = await made.walk("shorten:")
    assert isinstance(step, Step)
    assert step.material is not None
    with pytest.raises(AnswerError, match="nothing is left out"):
        await made.visit.answer(step.ask_id("statement"), step.material.request + "\n", walk=True)
    assert made.said(said.StatementShortened) == []


async def test_an_author_goes_back_without_losing_a_promised_gap() -> None:
    made = await Desk(authoring(), 1).sit()
    step = await made.walk("gap:2:", written())
    assert isinstance(step, Step)
    again = await made.visit.back(step)
    assert isinstance(again, Step)
    assert again.id.startswith("gap:1:")
    assert [one.name for one in again.fields] == ["question", "answer", "type"]
    await made.visit.answer(again.ask_id("question"), "Which unit, please?")
    now = await made.visit.leave(again)
    assert isinstance(now, Step)
    assert now.id.startswith("gap:2:")
    first = authoring_of(made.sitting.events).drafts[now.about or ""].gaps[0]
    assert (first.question, first.answer, first.revision, first.more) == (
        "Which unit, please?",
        "In metres.",
        2,
        True,
    )


async def test_a_cross_check_is_blind_and_differences_are_settled() -> None:
    study = authoring()
    one, two = await author(study, 1), await author(study, 2)
    await two.visit.pause()
    await two.sit(one)
    step = await two.walk("own:")
    assert isinstance(step, Step)
    other = authoring_of(one.sitting.events).complete()[0]
    assert (step.about, step.material.request if step.material else "") == (other.item, "Write a function.")
    # Neither the complete text nor the author's gaps can be seen yet, and there is no way back to change.
    assert not any(word in repr(step) for word in ("metres", "In which unit?", "tie"))
    step = await two.walk("compare:", {"question-1": "Which unit is it?", "question-2": "Which colour?"})
    assert isinstance(step, Step)
    assert not step.can_go_back
    assert "comparison-rules" not in step.fields[0].text
    assert [option.value for option in step.fields[0].options] == [1, 2, 0]
    step = await two.walk("settle:", {"found-1": 1, "type-1": "units", "found-2": 0, "type-2": "edge-cases"})
    assert isinstance(step, Step)
    assert [field.name for field in step.fields] == ["type-2", "kept-2", "further-2"]
    assert {option.value for option in step.fields[0].options} == {"comparison-rules", "edge-cases"}
    end = await two.walk("never", {"type-2": "comparison-rules", "kept-2": "yes", "further-2": "no"})
    assert isinstance(end, Done)
    assert end.end == "completed"
    (settled,) = two.said(said.DifferencesSettled)
    assert (settled.types, settled.kept, settled.further) == (
        {"2": "comparison-rules"},
        {"2": True},
        {"2": False},
    )
    # What is checked is a reference: no word of the author is in the checker's stream.
    assert all("In which unit?" not in (event.body or "") for event in two.sitting.events[-8:])


async def test_full_agreement_leaves_nothing_to_settle() -> None:
    study = authoring()
    one, two = await author(study, 1), await author(study, 2)
    await two.visit.pause()
    await two.sit(one)
    answers = {"question-1": "Unit?", "question-2": "Tie?", "found-1": 1, "found-2": 2}
    end = await two.walk("never", {**answers, "type-1": "units", "type-2": "comparison-rules"})
    assert isinstance(end, Done)
    assert two.said(said.DifferencesSettled) == []


async def test_nothing_to_check_yet_waits_and_what_is_gone_is_dropped() -> None:
    study = authoring()
    one, two = await author(study, 1), await author(study, 2)
    step = two.visit.current
    assert isinstance(step, Step)
    await two.visit.answer(step.ask_id("read"), None, walk=True)
    # There is nothing to go on to, so the visit ends; a program that answers everything comes to an end.
    done = two.visit.current
    assert isinstance(done, Done)
    assert done.end == "paused"
    await two.visit.pause()
    assert [ended.reason for ended in two.said(VisitEnded)] == ["nothing to check yet"]
    await two.sit()
    assert isinstance(two.visit.current, Step)
    assert two.visit.current.id == "wait:2:check"
    await two.visit.pause()
    await two.sit(one)
    assert isinstance(await two.walk("own:"), Step)
    await two.visit.pause()
    await two.sit()
    assert [dropped.item for dropped in two.said(said.CheckDropped)] == [two.said(said.CheckAssigned)[0].item]
    step = two.visit.current
    assert isinstance(step, Step)
    assert step.id.startswith("wait:")


async def test_without_cross_checks_a_participation_ends_with_the_writing() -> None:
    made = await Desk(authoring(cross_check=False), 1).sit()
    end = await made.walk("never", written())
    assert isinstance(end, Done)
    assert end.end == "completed"


async def test_nobody_checks_a_variant_of_their_own_task() -> None:
    tasks = [task(n, gaps=0, statement="", full_statement=FULL.format(n=n), source="same") for n in (1, 2)]
    design = {"kind": "cyclic", "participants": 2, "items_each": 1, "raters": 1}
    study = clarification_study(tasks, assistants=(), seat="author", design=design)
    one = await Desk(study, 1).sit()
    assert isinstance(await one.walk("never", written()), Done)
    two = await Desk(study, 2).sit(one)
    assert isinstance(await two.walk("never", written()), Done)
    assert two.said(said.CheckAssigned) == []


async def test_who_writes_every_task_has_nothing_to_check() -> None:
    tasks = [task(n, gaps=0, statement="", full_statement=FULL.format(n=n)) for n in (1, 2)]
    made = await Desk(clarification_study(tasks, assistants=(), seat="author"), 1).sit()
    end = await made.walk("never", {**written(), "gap2.more": "no"})
    assert isinstance(end, Done)
    assert end.end == "completed"
