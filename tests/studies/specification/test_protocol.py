"""The fixed order of a specification study, what each step asks, and what an agent never learns."""

from __future__ import annotations

import pytest
from support.specifications import (
    BASELINE,
    PROPOSAL,
    Crewed,
    go_to,
    one_step,
    project,
    question,
    state_of,
    wishes,
)

from studies.specification import payloads as said
from studies.specification.forms import requirements
from studies.steps import AnswerError, Done, Step
from studies.study import Study

CHECKLIST = [question(number) for number in range(1, 11)]
PERSONA = """
[[personas]]
id = "ada"
name = "Ada"
occupation = "librarian"
backstory = "She runs the club."
traits = ["patient"]
behaviour = "She asks back."
[[personas.check]]
id = "work"
text = "What does Ada do?"
options = ["She is a librarian", "She is a baker"]
answer = "She is a librarian"
"""
TALK = [{"role": "user", "text": "Keep it simple, please."}, {"role": "assistant", "text": "Gladly."}]


def plain(task: str, *, more: str = "", agents: tuple[str, ...] = (BASELINE,)) -> Study:
    return wishes(
        project("club", checklist=CHECKLIST),
        agents=agents,
        more=f'task = "{task}"\nbudgets = [2]\n{more}',
    )


async def ids(study: Study) -> list[str]:
    """The steps of a whole visit in the order in which they came up."""
    visit = await Crewed(study).sit()
    seen: list[str] = []
    while isinstance(step := visit.current, Step):
        if step.kind != "work" and (not seen or seen[-1] != step.id):
            seen.append(step.id)
        await one_step(visit, {})
    assert visit.state.end == "completed"
    return [one.removesuffix(":club") for one in seen if one.endswith(":club")]


async def test_the_order_of_a_sheet_is_fixed() -> None:
    rounds = ["round:1.1", "round:1.2"]
    rating = ["met:1.1", "met:1.2", "met:1.3", "rate:1.1", "rate:1.2"]
    truth = ["truth:1.1", "truth:1.2", "truth:1.3"]
    assert await ids(plain("sheet")) == [
        "proposal:1.1", *truth, "filler:1.1", *rounds, *rating, "edit:1.1", "retest:1.1", "close:1.1",
    ]  # fmt: skip
    assert await ids(plain("sheet", more='ground_truth = "after"\nretest = 0')) == [
        "proposal:1.1", "filler:1.1", *rounds, *truth, *rating, "edit:1.1", "close:1.1",
    ]  # fmt: skip


async def test_a_checklist_is_never_rated_as_a_sheet() -> None:
    assert await ids(plain("checklist")) == [
        "proposal:1.1", "truth:1.1", "truth:1.2", "filler:1.1", "round:1.1", "round:1.2", "retest:1.1",
        "close:1.1",
    ]  # fmt: skip


async def test_a_second_agent_comes_after_the_first_was_rated_and_is_compared_before_editing() -> None:
    second = '{ name = "other", design = "baseline", assistant = "scripted" }'
    steps = await ids(plain("sheet", more="second_agent = true", agents=(BASELINE, second)))
    assert steps.index("rate:1.2") < steps.index("round:2.1") < steps.index("rate:2.2")
    assert steps[steps.index("rate:2.2") + 1 :] == ["compare:1.1", "edit:1.1", "retest:1.1", "close:1.1"]


async def test_no_more_than_eight_questions_come_on_one_screen() -> None:
    visit = await Crewed(plain("sheet")).sit()
    while isinstance(step := visit.current, Step):
        assert len(step.fields) <= 8 or step.kind == "sheet"
        await one_step(visit, {})


async def test_no_call_of_an_agent_shows_the_ground_truth() -> None:
    secret = "nobody but me wants purple"
    for study in (plain("sheet"), plain("checklist", more='ground_truth = "after"')):
        crewed = Crewed(study)
        visit = await crewed.sit()
        answers = {"core_features.want": secret, "user_experience.avoid": secret}
        await go_to(visit, "debrief", answers)
        assert crewed.assistant.calls
        for call in crewed.assistant.calls:
            assert secret not in "".join(one.content for one in call.messages)


async def test_the_proposal_and_the_ground_truth_are_locked() -> None:
    visit = await Crewed(plain("sheet")).sit()
    step = await go_to(visit, "truth")
    assert isinstance(step, Step)
    assert not step.can_go_back
    await visit.leave(step)
    later = visit.current
    assert isinstance(later, Step)
    assert later.can_go_back
    step = await go_to(visit, "filler")
    assert isinstance(step, Step)
    assert not step.can_go_back


async def test_what_was_changed_after_going_back_is_what_counts() -> None:
    visit = await Crewed(plain("sheet")).sit()
    first = await go_to(visit, "truth")
    assert isinstance(first, Step)
    ask = first.ask_id("core_features.want")
    await visit.answer(ask, "one thing")
    second = await visit.leave(first)
    assert isinstance(second, Step)
    again = await visit.back(second)
    assert isinstance(again, Step)
    assert again.id == first.id
    assert again.previous is not None
    await visit.answer(again.ask_id("core_features.want"), "another thing")
    await visit.leave(again)
    assert state_of(visit).of("club").truth["core_features.want"] == "another thing"


async def test_none_of_the_options_needs_own_words_and_not_knowing_stands_alone() -> None:
    visit = await Crewed(plain("sheet")).sit()
    step = await go_to(visit, "round")
    assert isinstance(step, Step)
    ask = step.ask_id("choice")
    with pytest.raises(AnswerError, match="stands alone"):
        await visit.answer(ask, ["A", "unknown"])
    await visit.answer(ask, [])
    step = visit.current
    assert isinstance(step, Step)
    with pytest.raises(AnswerError, match="own_words"):
        await visit.leave(step)
    await visit.answer(step.ask_id("own_words"), "on paper")
    await visit.answer(ask, ["B"])
    assert visit.answers["own_words"] is None
    await visit.answer(ask, [])
    await visit.answer(step.ask_id("own_words"), "on paper, pinned up")
    await visit.leave(step)
    answer = state_of(visit).of("club").session(1).rounds[0].answer
    assert (answer.picked, answer.own_words, answer.unknown) == ((), "on paper, pinned up", False)


async def test_a_persona_is_understood_before_anything_is_asked() -> None:
    study = wishes(
        project("club", persona="ada", conversations=[{"id": "c1", "dialogue": TALK}]),
        agents=(BASELINE,),
        more='identity = "persona"\nbudgets = [1]\nunderstanding_tries = 2',
        personas=PERSONA,
    )
    crewed = Crewed(study)
    visit = await crewed.sit()
    step = await go_to(visit, "understood")
    assert isinstance(step, Step)
    assert not crewed.assistant.calls
    await visit.answer(step.ask_id("work"), "She is a baker", walk=True)
    now = visit.current
    assert isinstance(now, Step)
    assert now.id == "persona:2.1:club"
    step = await go_to(visit, "understood")
    assert isinstance(step, Step)
    await visit.answer(step.ask_id("work"), "She is a librarian", walk=True)
    now = visit.current
    assert isinstance(now, Step)
    assert now.id == "proposal:1.1:club"


async def test_who_never_understands_the_persona_is_excluded() -> None:
    study = wishes(
        project("club", persona="ada", conversations=[{"id": "c1", "dialogue": TALK}]),
        agents=(BASELINE,),
        more='identity = "persona"\nbudgets = [1]\nunderstanding_tries = 2',
        personas=PERSONA,
    )
    crewed = Crewed(study)
    visit = await crewed.sit()
    done = await go_to(visit, "proposal", {"work": "She is a baker"})
    assert isinstance(done, Done)
    assert done.end == "excluded"
    assert not crewed.assistant.calls


async def test_earlier_projects_of_the_same_person_are_the_conversations_of_the_next() -> None:
    study = wishes(
        project("first"), project("second"), agents=(BASELINE,), more='task = "sheet"\nbudgets = [1]'
    )
    crewed = Crewed(study)
    visit = await crewed.sit()
    await go_to(visit, "rest")
    assert not any("Earlier wish" in one.content for call in crewed.assistant.calls for one in call.messages)
    before = len(crewed.assistant.calls)
    await go_to(visit, "debrief", {"proposal": "Another idea altogether."})
    session = state_of(visit).of("second").session(1)
    brief = visit.protocol.kind.brief(session, visit.state)  # type: ignore[attr-defined]
    (talk,) = brief.conversations
    assert talk.messages[0].content == PROPOSAL
    assert len(talk.messages) == 1 + 2 * 1
    later = crewed.assistant.calls[before:]
    assert any(PROPOSAL in one.content for call in later for one in call.messages)


async def test_the_persons_edits_make_the_sheet_theirs() -> None:
    visit = await Crewed(plain("sheet")).sit()
    step = await go_to(visit, "edit")
    assert isinstance(step, Step)
    assert step.sheet is not None
    struck = step.sheet.sections["core_features"][0].id
    await visit.answer(step.ask_id("struck"), [struck])
    await visit.answer(step.ask_id("constraints"), "No money at all.")
    now = visit.current
    assert isinstance(now, Step)
    assert now.sheet is not None
    assert now.sheet.texts["constraints"] == "No money at all."
    await visit.leave(now)
    edited = state_of(visit).of("club").session(1).edited
    assert isinstance(edited, said.SheetEdited)
    assert edited.sections["constraints"] == "No money at all."
    assert step.sheet.sections["core_features"][0].text not in edited.sections["core_features"]


def test_each_line_with_words_is_one_requirement() -> None:
    wanted = "- a list\n-\n* big letters\n\n -5 degrees is fine"
    truth = {"core_features.want": wanted, "constraints.avoid": "*"}
    assert [(one.id, one.text) for one in requirements(truth)] == [
        ("core_features.want.1", "a list"),
        ("core_features.want.2", "big letters"),
        ("core_features.want.3", "-5 degrees is fine"),
    ]
