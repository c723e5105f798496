"""The baseline agent, pure: each stage with good and bad answers, and whole runs of both tasks."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from studies.answers import read_answer
from studies.events import Event, Payload
from studies.replies import ChatMessage
from studies.specification import payloads as said
from studies.specification.agents.agent import Brief, Conversation, Request
from studies.specification.agents.baseline import Baseline
from studies.specification.materials import ChecklistQuestion
from studies.specification.projects import Projects, Session, fold_projects
from studies.specification.sections import SECTIONS
from studies.specification.sheet import MOST_CHARACTERS, Sheet

PROPOSAL = "I want a list of what our choir sings. Everybody should see it, also on paper."
CHECKLIST = (
    ChecklistQuestion(id="q-1", question="Who may add a song?", options=("Anybody", "The conductor")),
    ChecklistQuestion(id="q-2", question="How is it read?", options=("On paper", "On a screen", "Both")),
    ChecklistQuestion(id="q-3", question="Is it public?", options=("Yes", "No")),
)
OWN = {"question": "What is sung at Christmas?", "options": ["Old songs", "New songs", "Both", "Nothing"]}
QUERY = {
    "thought": "The list is unclear.",
    "why": "It decides what is shown.",
    "question": "What does a line of the list say?",
    "option_a": "The title",
    "option_b": "Title and composer",
    "option_c": "Title and date",
    "option_d": "All of it",
}
SPEC: dict[str, Any] = {name: [f"Something about {name}."] for name in SECTIONS}
ANSWERS = {"q-1": "A", "q-2": "C", "q-3": "b"}

Answering = Callable[[said.QuestionPut], Mapping[str, Any]]
"""What the person says to a question: fields of a `RoundAnswered`."""


def first_option(put: said.QuestionPut) -> Mapping[str, Any]:
    return {"picked": ("A",)}


class World:
    """One session as the journal would hold it."""

    def __init__(
        self,
        task: said.Task = "sheet",
        budget: int = 2,
        checkpoints: tuple[int, ...] = (),
        script: Mapping[str, Any] | None = None,
        talks: tuple[Conversation, ...] = (),
    ) -> None:
        self.agent = Baseline()
        self.said: list[Payload] = []
        self._state = Projects()
        self._given: dict[str, Any] = {
            "checklist": CHECKLIST if task == "checklist" else (),
            "checkpoints": checkpoints,
            "script": script or {},
            "conversations": talks,
        }
        self.prompts: dict[str, str] = {}
        opened = said.ProjectOpened(
            "s1", "choir", 1, 1, task, "plain", "baseline", "helper", "rehearsal", budget, "before"
        )
        self.tell(opened)

    def tell(self, payload: Payload) -> None:
        """One more event."""
        self.said.append(payload)
        at, number = "2026-03-02T09:00:00.000Z", len(self.said)
        event = Event("w", number, payload.kind, at, None, None, "", "", "", payload)
        self._state = fold_projects(self._state, event)

    def propose(self) -> None:
        self.tell(said.ProposalLocked("p", "choir", PROPOSAL))

    @property
    def session(self) -> Session:
        found = self._state.session("s1")
        assert found is not None
        return found

    @property
    def brief(self) -> Brief:
        of, session = self._state.of("choir"), self.session
        return Brief(
            seed=1,
            slot=1,
            title="A choir's list",
            base_proposal="A list for a choir.",
            proposal=of.proposal,
            proposal_seq=of.proposal_seq,
            task=session.opened.task,
            budget=session.opened.budget,
            dropout=0.2,
            session=session,
            prompts=self.prompts,
            **self._given,
        )

    def due(self) -> tuple[str, ...]:
        return self.agent.due(self.brief)

    def request(self, call: str) -> Request:
        return self.agent.request(call, self.brief)

    def reply(self, call: str, text: str | None = None) -> None:
        """A model's reply to a call that is due, read as the crew reads it; its script by default."""
        assert call in self.due()
        request = self.request(call)
        answer, trouble = read_answer(request.script if text is None else text, request.answer, request.check)
        assert answer is not None, trouble
        self.tell(said.AgentCalled("s1", "choir", call, 1, "helper", "rehearsal", {}, "", request.saw))
        values = answer.model_dump(mode="json")
        self.tell(said.AgentAnswered("s1", "choir", call, 1, "valid", values))

    def act(self, tool: str, arguments: Mapping[str, Any]) -> None:
        call = next(one for one in self.due() if one.startswith("act"))
        self.reply(call, json.dumps({"tool": tool, "arguments": arguments}))

    def follow(self) -> list[Payload]:
        """Everything that follows by rule."""
        before = len(self.said)
        while made := self.agent.follows(self.brief):
            for one in made:
                self.tell(one)
        return self.said[before:]

    def answer(self, **values: Any) -> None:
        waiting = self.session.open_round
        assert waiting is not None
        given = {"picked": (), **values}
        self.tell(said.RoundAnswered("a", "s1", "choir", waiting.put.round, **given))

    def run(self, answering: Answering = first_option) -> None:
        """The whole interview, as rehearsed."""
        self.propose()
        while True:
            self.follow()
            if self.session.open_round is not None and self.session.ended is None:
                self.answer(**answering(self.session.open_round.put))
            elif due := self.due():
                for call in due:
                    self.reply(call)
            else:
                return

    def of(self, kind: type[Payload]) -> list[Any]:
        return [one for one in self.said if isinstance(one, kind)]


def asked(task: said.Task = "sheet", budget: int = 2, **more: Any) -> World:
    """Where the first act is due."""
    world = World(task, budget, **more)
    world.propose()
    world.reply("plan")
    return world


def trouble_of(world: World, call: str, values: Any) -> str:
    """What is wrong with a reply; empty where nothing is."""
    request = world.request(call)
    text = values if isinstance(values, str) else json.dumps(values)
    answer, trouble = read_answer(text, request.answer, request.check)
    assert (answer is None) == bool(trouble)
    return trouble


# -- whole runs --------------------------------------------------------------------------------


def test_a_sheet_is_frozen_after_the_whole_budget() -> None:
    world = World(budget=3, script={"plan": {"plan": "Ask about songs."}, "own_questions": [OWN]})
    world.run()
    stages = [one.call for one in world.of(said.AgentCalled)]
    assert stages == ["plan", "act:1", "reflect:1", "act:2", "reflect:2", "act:3", "reflect:3", "act:4"]
    first, *others = world.of(said.QuestionPut)
    assert (first.question, first.options, first.single) == (OWN["question"], tuple(OWN["options"]), False)
    assert [one.round for one in (first, *others)] == [1, 2, 3]
    assert {one.sort for one in (first, *others)} == {"own"}
    (ended,) = world.of(said.InterviewEnded)
    assert (ended.by, ended.rounds) == ("budget", 3)
    (frozen,) = world.of(said.SheetFrozen)
    sheet = Sheet.from_json(frozen.sheet)
    assert all(sheet.sections[name] for name in SECTIONS)
    assert sheet.characters < MOST_CHARACTERS
    assert {ground.sort for one in sheet.statements for ground in one.grounds} == {"agent"}
    assert sheet.sections["core_features"][0].id == "core_features-1"
    assert not sheet.changes
    assert not world.of(said.PredictionsMade)


def test_predictions_are_made_at_checkpoints_and_at_the_end() -> None:
    world = World("checklist", 4, (0, 2, 4), {"own_questions": [OWN]})
    world.run(lambda put: {"picked": ("B",)} if put.key else {"own_words": "Whatever fits."})
    puts = world.of(said.QuestionPut)
    assert [one.sort for one in puts] == ["checklist", "own", "checklist", "checklist"]
    assert [one.key for one in puts if one.single] == ["q-1", "q-2", "q-3"]
    assert puts[2].options == CHECKLIST[1].options
    made = world.of(said.PredictionsMade)
    assert [(one.rounds, one.final) for one in made] == [(0, False), (2, False), (4, True)]
    assert made[-1].predictions == {"q-1": "B", "q-2": "B", "q-3": "B"}
    # What the first silent predictions rest on holds no answer.
    assert made[0].predictions["q-3"] == "A"
    assert not world.of(said.SheetFrozen)


@pytest.mark.parametrize("task", ["sheet", "checklist"])
def test_the_longest_interview_never_asks_twice(task: said.Task) -> None:
    world = World(task, 50)
    world.run(lambda put: {"unknown": True})
    questions = [one.question for one in world.of(said.QuestionPut)]
    assert len(set(questions)) == 50
    assert world.agent.follows(world.brief) == ()


def test_without_a_budget_it_only_hands_in() -> None:
    world = World(budget=0)
    world.run()
    assert [one.call for one in world.of(said.AgentCalled)] == ["plan", "act:1"]
    assert world.of(said.InterviewEnded)[0].by == "budget"
    assert world.session.frozen is not None


def test_it_stops_early_where_the_script_says_so_and_says_why() -> None:
    world = World("checklist", 5, (3,), {"stop_after": 1})
    world.run()
    (ended,) = world.of(said.InterviewEnded)
    assert (ended.by, ended.rounds) == ("agent", 1)
    assert ended.why
    # The checkpoint was never reached.
    assert [(one.rounds, one.final) for one in world.of(said.PredictionsMade)] == [(1, True)]


# -- the order of things -----------------------------------------------------------------------


def test_nothing_is_due_before_the_proposal() -> None:
    world = World()
    assert (world.due(), world.agent.follows(world.brief)) == ((), ())
    world.propose()
    assert world.due() == ("plan",)


def test_an_act_waits_for_the_answer_and_its_reflection() -> None:
    world = asked(budget=2)
    world.act("query_user", QUERY)
    assert world.due() == ()
    (put,) = world.follow()
    assert isinstance(put, said.QuestionPut)
    assert put.why == QUERY["why"]
    assert world.due() == ()
    world.answer(own_words="The title, large.")
    assert world.due() == ("reflect:1",)
    world.reply("reflect:1", '{"learned": "Large letters.", "plan": "Ask about paper."}')
    request = world.request(*world.due())
    shown = request.messages[-1].content
    for text in (PROPOSAL, QUERY["question"], "The title, large.", "Large letters.", "Ask about paper."):
        assert text in shown
    assert "1 round is left of 2" in shown
    numbers = [number for number, one in enumerate(world.said, start=1) if _holds_words(one)]
    assert list(request.saw) == numbers


def _holds_words(one: Payload) -> bool:
    words = said.ProposalLocked | said.QuestionPut | said.RoundAnswered
    told = isinstance(one, said.AgentAnswered) and not one.call.startswith("act")
    return isinstance(one, words) or told


def test_silent_predictions_go_beside_the_next_question_and_rest_on_their_rounds_alone() -> None:
    world = asked("checklist", 3, checkpoints=(0, 1))
    assert world.due() == ("predict:0", "act:1")
    world.act("query_user", {"thought": "t", "why": "w", "checklist_id": "q-2"})
    world.follow()
    world.answer(picked=("C",))
    world.reply("reflect:1")
    assert world.due() == ("predict:0", "predict:1", "act:2")
    early, late = (world.request(f"predict:{number}") for number in (0, 1))
    assert "Nothing was asked yet" in early.messages[-1].content
    assert "C) Both" in late.messages[-1].content
    assert [one.name for one in late.tools] == ["submit_predictions"]


def test_what_is_handed_in_waits_for_the_silent_predictions() -> None:
    world = asked("checklist", 1, checkpoints=(0,))
    world.act("submit_predictions", {"answers": ANSWERS, "reason": "All is said."})
    assert [one.kind for one in world.follow()] == ["interview_ended"]
    assert world.due() == ("predict:0",)
    world.reply("predict:0")
    world.follow()
    made = world.of(said.PredictionsMade)
    assert [(one.rounds, one.final) for one in made] == [(0, False), (0, True)]
    assert world.session.predicted is not None
    assert world.session.predicted.predictions == {"q-1": "A", "q-2": "C", "q-3": "B"}


def test_a_participant_who_ends_the_interview_still_gets_a_sheet() -> None:
    world = asked(budget=5)
    world.act("query_user", QUERY)
    world.follow()
    world.tell(said.InterviewEnded("s1", "choir", "participant", "enough", 0))
    (call,) = world.due()
    assert call == "act:2"
    request = world.request(call)
    assert [one.name for one in request.tools] == ["submit_spec"]
    assert "No round is left" in request.messages[-1].content
    world.reply(call)
    assert [one.kind for one in world.follow()] == ["sheet_frozen"]


def test_a_question_that_came_too_late_is_not_put() -> None:
    world = asked(budget=5)
    world.act("query_user", QUERY)
    world.tell(said.InterviewEnded("s1", "choir", "participant", "enough", 0))
    assert world.agent.follows(world.brief) == ()
    assert world.due() == ("act:2",)


# -- what a model is told and offered ----------------------------------------------------------


def test_the_plan_knows_what_there_is_and_no_tool() -> None:
    talks = (Conversation("c", (ChatMessage("user", "No pop-ups, please."),), (40, 41)),)
    world = World("checklist", 5, talks=talks)
    world.propose()
    request = world.request("plan")
    shown = request.messages[-1].content
    for text in (PROPOSAL, "No pop-ups, please.", "B) The conductor", "5 questions"):
        assert text in shown
    assert world.brief.base_proposal not in shown
    assert (request.tools, request.saw) == ((), (2, 40, 41))


def test_a_study_may_word_a_stage_itself() -> None:
    world = asked()
    _, shown = world.request("act:1").messages
    world.prompts = {"act": "Ask in rhymes.\n"}
    assert world.request("act:1").messages == (ChatMessage("system", "Ask in rhymes."), shown)


def test_only_what_was_not_asked_can_be_taken_from_the_checklist() -> None:
    world = asked("checklist", 3)
    world.act("query_user", {"thought": "t", "why": "w", "checklist_id": "q-1"})
    world.follow()
    world.answer(picked=("A",))
    world.reply("reflect:1")
    query, submit = world.request("act:2").tools
    assert query.parameters["properties"]["checklist_id"]["enum"] == ["", "q-2", "q-3"]
    answers = submit.parameters["properties"]["answers"]
    assert answers["properties"]["q-2"]["enum"] == ["A", "B", "C"]
    assert answers["required"] == ["q-1", "q-2", "q-3"]


def test_every_call_has_a_label_without_jargon() -> None:
    labels = {Baseline().label(call) for call in ("plan", "act:1", "reflect:1", "predict:5")}
    assert len(labels) == 4
    assert not any("predict" in one for one in labels)


# -- bad answers -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "trouble"),
    [
        ('{"plan": "Ask."} and more words', ""),
        ("I would ask about songs.", "no JSON object"),
        ('{"plan": "  "}', "at least 1 character"),
        ('{"plan": "Ask.", "tool": "query_user"}', "Extra inputs"),
        ('{"plan": "Ask about', "breaks off"),
    ],
)
def test_plans(values: str, trouble: str) -> None:
    world = World()
    world.propose()
    found = trouble_of(world, "plan", values)
    assert trouble in found
    assert bool(trouble) == bool(found)


@pytest.mark.parametrize(
    ("change", "trouble"),
    [
        ({}, ""),
        ({"option_d": "the title!"}, "option_d: the same as option_a"),
        ({"option_d": " "}, "option_d"),
        ({"option_e": "A fifth"}, "option_e"),
        ({"question": "What is it? And why?"}, "2 question marks"),
        ({"question": "Tell me about it."}, "no question mark"),
        ({"question": "Who sings?"}, "asked in round 1 already"),
        ({"why": ""}, "why"),
    ],
)
def test_questions(change: Mapping[str, str], trouble: str) -> None:
    world = asked(budget=3)
    world.act("query_user", QUERY | {"question": "WHO sings ?"})
    world.follow()
    world.answer(picked=("A", "C"))
    world.reply("reflect:1")
    found = trouble_of(world, "act:2", {"tool": "query_user", "arguments": {**QUERY, **change}})
    assert trouble in found
    assert bool(trouble) == bool(found)


@pytest.mark.parametrize(
    ("arguments", "trouble"),
    [
        ({"checklist_id": "q-2"}, ""),
        ({"checklist_id": "q-1"}, "'q-1' was asked in round 1 already"),
        ({"checklist_id": "q-9"}, "'q-9' is no question of the checklist"),
        ({}, "no question mark"),
        (QUERY | {"option_b": ""}, "option_b: empty"),
        (QUERY | {"question": "how is it read?"}, "ask it by checklist_id 'q-2'"),
    ],
)
def test_questions_beside_a_checklist(arguments: Mapping[str, str], trouble: str) -> None:
    world = asked("checklist", 3)
    world.act("query_user", {"thought": "t", "why": "w", "checklist_id": "q-1"})
    world.follow()
    world.answer(picked=("A",))
    world.reply("reflect:1")
    given = {"thought": "t", "why": "w", **arguments}
    found = trouble_of(world, "act:2", {"tool": "query_user", "arguments": given})
    assert trouble in found
    assert bool(trouble) == bool(found)


@pytest.mark.parametrize(
    ("values", "trouble"),
    [
        ({"tool": "submit_spec", "arguments": SPEC | {"reason": "All is said."}}, ""),
        ({"tool": "submit_spec", "arguments": SPEC}, "reason: say why"),
        ({"tool": "submit_spec", "arguments": SPEC | {"constraints": []}}, "constraints"),
        ({"tool": "submit_spec", "arguments": SPEC | {"constraints": [" "]}}, "constraints"),
        (
            {"tool": "submit_spec", "arguments": {k: v for k, v in SPEC.items() if k != "user_experience"}},
            "user_experience: Field required",
        ),
        (
            {"tool": "submit_spec", "arguments": SPEC | {"reason": "x", "core_features": ["x" * 500] * 14}},
            "fewer than 6,000",
        ),
        ({"tool": "submit_spec", "arguments": '{"project_overview": ["cut'}, "valid dictionary"),
        ({"tool": "write_file", "arguments": {}}, "'query_user', 'submit_spec'"),
        ({"tool": "query_user"}, "arguments: Field required"),
        ("Here is the sheet you asked for.", "no JSON object"),
    ],
)
def test_sheets(values: Any, trouble: str) -> None:
    found = trouble_of(asked(budget=3), "act:1", values)
    assert trouble in found
    assert bool(trouble) == bool(found)


def test_a_sheet_of_one_character_too_many() -> None:
    world = asked(budget=0)
    bare = sum(len(text) for each in SPEC.values() for text in each)
    most = {name: list(each) for name, each in SPEC.items()}
    rest = MOST_CHARACTERS - 1 - bare
    most["core_features"] += ["x" * 500] * (rest // 500) + ["x" * (rest % 500)]
    assert trouble_of(world, "act:1", {"tool": "submit_spec", "arguments": most}) == ""
    most["constraints"] = [f"{most['constraints'][0]}!"]
    found = trouble_of(world, "act:1", {"tool": "submit_spec", "arguments": most})
    assert "the sheet has 6,000 characters in all" in found


@pytest.mark.parametrize(
    ("answers", "trouble"),
    [
        (ANSWERS, ""),
        ({"q-1": "A"}, "no letter for q-2, q-3"),
        (ANSWERS | {"q-4": "A"}, "q-4 stand in no checklist"),
        (ANSWERS | {"q-1": "C"}, "answers.q-1: 'C' is none of A, B"),
        (ANSWERS | {"q-1": "AB"}, "answers.q-1: 'AB'"),
        (ANSWERS | {"q-1": ""}, "answers.q-1: ''"),
        (ANSWERS | {"q-1": 1}, "valid string"),
    ],
)
def test_predictions(answers: Mapping[str, Any], trouble: str) -> None:
    world = asked("checklist", 0)
    found = trouble_of(world, "act:1", {"tool": "submit_predictions", "arguments": {"answers": answers}})
    assert trouble in found
    assert bool(trouble) == bool(found)
    # With no round left, a question is no answer.
    assert trouble_of(world, "act:1", {"tool": "query_user", "arguments": QUERY})


@pytest.mark.parametrize(
    "text", ['{"learned": "x"}', '{"learned": "", "plan": "x"}', "Noted.", '{"learned": ["x"], "plan": "x"}']
)
def test_reflections(text: str) -> None:
    world = asked()
    world.act("query_user", QUERY)
    world.follow()
    world.answer(unknown=True)
    assert "I don't know." in world.request("reflect:1").messages[-1].content
    assert trouble_of(world, "reflect:1", text)
    world.reply("reflect:1")
    assert world.due() == ("act:2",)


@pytest.mark.parametrize("length", [40, 900])
def test_a_rehearsed_sheet_is_the_draft_with_the_answers_and_never_too_long(length: int) -> None:
    draft = {name: f"- First {name}.\n- {'x' * length}" for name in SECTIONS}
    world = World(budget=8, script={"draft": {"spec": draft}})
    world.run(lambda put: {"own_words": "word " * 200})
    sheet = Sheet.from_json(world.of(said.SheetFrozen)[0].sheet)
    assert (sheet.sections["constraints"][0].text == "First constraints.") == (length == 40)
    assert "word word" in sheet.sections["core_features"][-1].text


def test_a_script_that_does_not_fit_is_passed_over() -> None:
    bad = [
        {"question": "No options?"},
        {"question": "Two? Marks?", "options": ["a", "b", "c", "d"]},
        {"question": "Same?", "options": ["a", "A", "b", "c"]},
        "nothing",
    ]
    world = World(budget=1, script={"own_questions": [*bad, OWN], "plan": {"plan": 3}, "stop_after": True})
    world.run()
    assert [one.question for one in world.of(said.QuestionPut)] == [OWN["question"]]
