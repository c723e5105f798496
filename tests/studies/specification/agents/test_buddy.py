"""Buddy as a whole, without a runner: which calls are due when, what they show, and both tasks to the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.seeds_project import CHECKLIST_SCRIPT, PROFILE, PROPOSAL, SUMMARY, TALK, Alone

from studies.specification.agents.prompts import STAGES
from studies.specification.agents.shapes import Profile
from studies.specification.agents.stages import dropout
from studies.specification.payloads import InterviewEnded, PredictionsMade
from studies.specification.sections import SECTIONS
from studies.specification.sheet import MOST_CHARACTERS, Sheet

SIMULATED = ("simulate:1", "simulate:2", "simulate:3")
NOTHING: dict[str, Any] = {}


def shown(alone: Alone, call: str) -> str:
    """What a call put before the model."""
    return "\n".join(one.content for one in alone.asked[call].messages)


def test_calls_come_as_early_as_they_can_and_together() -> None:
    alone = Alone(budget=2)
    assert alone.work() == [("profile", "summary")]
    assert alone.agent.follows(alone.brief) == ()
    alone.lock()
    assert alone.work() == [("draft",), ("chart",), SIMULATED]
    late = Alone()
    late.lock()
    assert late.agent.due(late.brief) == ("profile", "summary", "draft")


def test_the_priority_question_waits_for_nothing_but_the_draft() -> None:
    alone = Alone()
    alone.lock()
    alone.call("draft")
    assert alone.rules() == ("question_put",)
    alone.say("A")
    # What the simulated users choose must not depend on what was said meanwhile.
    assert alone.rules() == () and alone.agent.due(alone.brief) == ("profile", "summary")
    alone.call("profile")
    alone.call("summary")
    alone.call("chart")
    assert alone.agent.due(alone.brief) == SIMULATED
    for one in SIMULATED:
        alone.call(one)
        assert "What matters most" not in shown(alone, one)
    assert alone.agent.due(alone.brief) == ("update:1",)


@pytest.mark.parametrize("conversations", [(TALK,), ()])
@pytest.mark.parametrize("script", [None, NOTHING])
@pytest.mark.parametrize("budget", [0, 1, 5])
def test_a_sheet_from_the_proposal_to_the_freeze(
    conversations: tuple[Any, ...], script: dict[str, Any] | None, budget: int
) -> None:
    alone = Alone(budget=budget, conversations=conversations, script=script)
    alone.lock()
    alone.work()
    while opened := alone.session.open_round:
        assert not opened.put.single and len(opened.put.options) == 4
        assert opened.put.sort == ("priority" if opened.put.round == 1 else "dimension")
        alone.say("B", "C")
        alone.rules()
        # The sheet waits until it is known what the last answer settles, too.
        assert alone.agent.due(alone.brief) == (f"update:{opened.put.round}",)
        alone.work()
    session = alone.session
    assert session.ended is not None and session.ended.rounds == len(session.rounds) <= budget
    assert session.frozen is not None and alone.agent.due(alone.brief) == ()
    sheet = Sheet.from_json(session.frozen.sheet)
    assert all(sheet.sections[name] for name in SECTIONS)
    assert sheet.characters < MOST_CHARACTERS and len(sheet.changes) == 1
    resting = {each.ref for one in sheet.statements for each in one.grounds if each.sort == "decision"}
    said = {one.key for one in alone.agent.decisions(alone.brief) if one.standing != "left out"}
    assert resting == said
    assert not {one.standing for one in alone.agent.decisions(alone.brief)} & {"open"}


def test_a_sheet_of_long_words_still_fits() -> None:
    alone = Alone(budget=13, conversations=(), script={}, proposal="A wish that goes on and on. " * 300)
    alone.lock()
    alone.work()
    while alone.session.open_round:
        alone.say(own="My own words, and many of them. " * 60)
        alone.work()
    assert alone.session.frozen is not None


def test_predictions_after_each_checkpoint_and_at_the_end() -> None:
    alone = Alone(task="checklist", budget=3, checkpoints=(0, 2, 9))
    alone.lock()
    assert alone.work() == [("profile", "summary"), SIMULATED, ("predict:0",)]
    asked = []
    while opened := alone.session.open_round:
        asked.append(opened.put.key)
        assert opened.put.single and opened.put.sort == "checklist"
        alone.say("A")
        alone.work()
    assert asked == ["Q2", "Q1", "Q4"]
    made = alone.session.predictions
    assert [(one.rounds, one.final) for one in made] == [(0, False), (2, False), (3, True)]
    # Before anything was asked, what most simulated users chose; afterwards the person's own answers.
    assert made[0].predictions == {"Q1": "B", "Q2": "A", "Q3": "F", "Q4": "C"}
    assert made[2].predictions == {"Q1": "A", "Q2": "A", "Q3": "F", "Q4": "A"}
    assert alone.agent.due(alone.brief) == () and alone.agent.follows(alone.brief) == ()


def test_only_a_picked_option_stands_in_for_a_prediction() -> None:
    script = {**CHECKLIST_SCRIPT, "predict": {"Q1": 1, "Q2": 2, "Q3": 0, "Q4": 3}}
    alone = Alone(task="checklist", budget=3, script=script)
    alone.lock()
    alone.work()
    for answer in ({"own": "Neither."}, {"unknown": True}, {}):
        alone.say(*(() if answer else ("A",)), **answer)  # type: ignore[arg-type]
        alone.work()
    assert alone.session.predicted is not None
    assert alone.session.predicted.predictions == {"Q1": "B", "Q2": "C", "Q3": "A", "Q4": "A"}


def test_no_budget_means_predictions_at_once() -> None:
    alone = Alone(task="checklist", budget=0, checkpoints=(0, 5))
    alone.lock()
    alone.work()
    assert [(one.rounds, one.final) for one in alone.session.predictions] == [(0, False), (0, True)]


def test_predictions_made_late_rest_on_nothing_that_came_later() -> None:
    def run(late: bool) -> Alone:
        alone = Alone(task="checklist", budget=3, checkpoints=(1,))
        alone.lock()
        alone.work()
        alone.say("B")
        assert alone.agent.due(alone.brief) == ("update:1",)
        alone.call("update:1")
        if not late:
            alone.call("predict:1")
        alone.rules()
        alone.say("A")
        alone.call("update:2")
        alone.rules()
        if late:
            alone.call("predict:1")
            alone.rules()
        return alone

    early, late = run(False), run(True)
    assert early.asked["predict:1"].messages == late.asked["predict:1"].messages
    assert early.asked["predict:1"].script == late.asked["predict:1"].script
    made: PredictionsMade = late.session.predictions[0]
    assert made.predictions == early.session.predictions[0].predictions
    assert made.predictions["Q1"] == "B" and made.rounds == 1


@pytest.mark.parametrize("task", ["sheet", "checklist"])
def test_every_call_can_be_made_again_from_the_events(task: str) -> None:
    alone = Alone(task=task, budget=2, checkpoints=(1,))  # type: ignore[arg-type]
    alone.lock()
    alone.work()
    while alone.session.open_round:
        alone.say("A")
        alone.work()
    assert len(alone.asked) == (11 if task == "sheet" else 9)
    for name, request in alone.asked.items():
        again = alone.agent.request(name, alone.brief)
        assert (again.messages, again.saw, again.dropped) == (request.messages, request.saw, request.dropped)
        assert again.messages[0].role == "system" and len(again.messages) == 2


def test_what_a_call_saw_is_named() -> None:
    alone = Alone(budget=2)
    alone.conversations = (type(TALK)(TALK.name, TALK.messages, (3, 2)),)
    alone.lock()
    alone.work()
    alone.say("A")
    alone.work()
    session = alone.session
    seq = {name: one.seq for name, one in session.calls.items()}
    first = session.rounds[0]
    proposal = alone.brief.proposal_seq
    assert alone.asked["profile"].saw == alone.asked["summary"].saw == (2, 3)
    assert alone.asked["draft"].saw == (proposal,)
    assert set(alone.asked["chart"].saw) == {proposal, seq["profile"], seq["summary"], seq["draft"]}
    assert set(alone.asked["simulate:1"].saw) == {proposal, seq["profile"], seq["summary"], seq["chart"]}
    assert set(alone.asked["simulate:3"].saw) == {proposal, seq["summary"], seq["chart"]}
    voted = {seq[one] for one in SIMULATED}
    assert set(alone.asked["update:1"].saw) == voted | {
        *alone.asked["simulate:1"].saw,
        first.put_seq,
        first.answer_seq,
    }


def test_simulated_users_know_all_part_and_nothing_of_the_profile() -> None:
    alone = Alone()
    alone.lock()
    alone.work()
    values = {one["attribute"]: one["value"] for one in PROFILE["attributes"]}
    known = {one: {name for name, value in values.items() if value in shown(alone, one)} for one in SIMULATED}
    (dropped,) = alone.asked["simulate:2"].dropped
    assert known["simulate:1"] == set(values)
    assert known["simulate:2"] == set(values) - {dropped}
    assert known["simulate:3"] == set()
    assert alone.asked["simulate:1"].dropped == alone.asked["simulate:3"].dropped == ()
    assert alone.session.calls["simulate:2"].dropped == (dropped,)
    assert all(SUMMARY["summary"] in shown(alone, one) for one in SIMULATED)
    assert len({alone.asked[one].messages[0].content for one in SIMULATED}) == 3


@settings(max_examples=60)
@given(st.integers(0, 12), st.floats(0, 1), st.integers(0, 99))
def test_the_dropped_part_is_drawn_by_the_seed(count: int, share: float, seed: int) -> None:
    one = PROFILE["attributes"][0]
    named = [{**one, "attribute": f"a{n}"} for n in range(count)]
    attributes = Profile.model_validate({"attributes": named}).attributes
    brief = Alone(seed=seed, dropout=share).brief
    dropped = dropout(brief, attributes)
    assert dropped == dropout(brief, attributes)
    assert len(set(dropped)) == len(dropped)
    if count and share:
        assert len(dropped) == max(1, int(share * count + 0.5))
    else:
        assert dropped == ()
    names = [each.attribute for each in attributes]
    assert list(dropped) == [name for name in names if name in dropped]


def test_other_seeds_drop_other_attributes() -> None:
    attributes = Profile.model_validate(PROFILE).attributes
    assert len({dropout(Alone(seed=seed).brief, attributes) for seed in range(20)}) > 1


def test_without_conversations_the_prompts_say_so() -> None:
    alone = Alone(conversations=())
    alone.lock()
    assert alone.work() == [("draft",), ("chart",), SIMULATED]
    for one in ("chart", *SIMULATED):
        assert "There are no past conversations of this person" in shown(alone, one)
        assert "User profile" not in shown(alone, one)
    assert alone.asked["simulate:2"].dropped == ()


def test_a_study_can_say_it_in_its_own_words() -> None:
    alone = Alone(prompts={"draft": "Entwirf das.", "simulate": "Rate."})
    alone.lock()
    alone.work()
    assert alone.asked["draft"].messages[0].content == "Entwirf das."
    told = [alone.asked[one].messages[0].content for one in SIMULATED]
    assert all(one.startswith("Rate.") for one in told) and len(set(told)) == 3
    assert "Entwirf" not in shown(alone, "chart")


def test_a_call_that_failed_is_due_again_and_holds_nothing_else_up() -> None:
    alone = Alone()
    alone.lock()
    assert "no JSON" in alone.call("profile", "Sorry.")
    assert alone.agent.due(alone.brief) == ("profile", "summary", "draft")
    assert alone.session.broken == ("profile",)
    for one in ("summary", "draft"):
        alone.call(one)
    assert alone.rules() == ("question_put",)
    assert alone.agent.due(alone.brief) == ("profile",)
    alone.call("profile")
    assert alone.agent.due(alone.brief) == ("chart",)


def test_the_script_can_stop_the_interview() -> None:
    settled = [{"key": "Q1", "reasoning": "It follows.", "choice": ["A"], "confident": True}]
    update = {"1": {"settled": settled, "enough": True, "why": "The rest is clear from that."}}
    alone = Alone(task="checklist", script={**CHECKLIST_SCRIPT, "update": update})
    alone.lock()
    alone.work()
    alone.say("C")
    alone.work()
    ended = alone.session.ended
    assert ended is not None and (ended.by, ended.why) == ("agent", "The rest is clear from that.")
    assert alone.session.predicted is not None
    assert alone.session.predicted.predictions == {"Q1": "A", "Q2": "C", "Q3": "F", "Q4": "C"}


def test_the_participant_can_end_the_interview_at_a_question() -> None:
    alone = Alone()
    alone.lock()
    alone.work()
    alone.happen(InterviewEnded("s1", "seeds", "participant", "They ended it.", 0))
    assert alone.work() == [("synthesis",), ("review",)]
    assert alone.session.frozen is not None


def test_every_stage_has_a_label_and_a_schema_that_is_closed() -> None:
    alone = Alone(budget=1)
    alone.lock()
    alone.work()
    alone.say("A")
    alone.work()
    for name, request in alone.asked.items():
        label = alone.agent.label(name)
        assert label and ":" not in label and "{" not in label
        schema = request.answer.model_json_schema()
        for one in (schema, *schema.get("$defs", {}).values()):
            if one.get("type") == "object":
                assert one["additionalProperties"] is False
                assert one["required"] == list(one["properties"])
            assert "pattern" not in json.dumps(one)
        for text in _strings(schema):
            assert "maxLength" in text or "enum" in text
    assert {one.partition(":")[0] for one in alone.asked} | {"predict"} == set(STAGES)


def test_the_base_proposal_is_shown_to_no_model() -> None:
    alone = Alone(budget=1)
    alone.lock()
    alone.work()
    for name in alone.asked:
        assert "study's own wording" not in shown(alone, name)
        assert PROPOSAL.split(".")[0] in shown(alone, name) or name in ("profile", "summary")


def _strings(schema: Any) -> list[dict[str, Any]]:
    """Every part of a schema that is a string."""
    if isinstance(schema, list):
        return [one for each in schema for one in _strings(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if schema.get("type") == "string" else []
    return own + [one for each in schema.values() for one in _strings(each)]
