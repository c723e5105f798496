"""Answers about the person, the project and the choices: recorded shapes, good and bad."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from support.seeds_project import CHART, DRAFT, KEYS, PROFILE, Alone, axis

from studies.answers import NO_JSON
from studies.specification.agents.shapes import Profile

Answer = dict[str, Any]
Spoil = Callable[[Answer], object]


def spoilt(answer: Answer, spoil: Spoil) -> str:
    """An answer with something done to it, as JSON."""
    own = copy.deepcopy(answer)
    spoil(own)
    return json.dumps(own)


def reached(stage: str, **more: Any) -> Alone:
    """A session in which a call of the stage is due."""
    alone = Alone(**more)
    alone.lock()
    for name in ("profile", "summary", "draft", "chart"):
        if name == stage:
            return alone
        if name in alone.agent.due(alone.brief):
            alone.call(name)
    for number in (1, 2, 3):
        if stage == "simulate":
            return alone
        alone.call(f"simulate:{number}")
    alone.rules()
    alone.say("A")
    return alone


def said(first: str) -> Spoil:
    """Put a quote in place of the first attribute's."""
    return lambda answer: answer["attributes"][0]["evidence"].__setitem__(0, {"kind": "quote", "text": first})


def test_prose_around_an_answer_does_not_matter() -> None:
    alone = reached("profile")
    assert alone.call("profile", f"Here you are:\n```json\n{json.dumps(PROFILE)}\n```\nAnything else?") == ""
    assert Profile.model_validate(alone.session.answer("profile")) == Profile.model_validate(PROFILE)


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        (said("Keep everything beautiful"), "never wrote 'Keep everything beautiful'"),
        (said("I could add a login"), "never wrote"),
        (said("we"), "never wrote"),
        (
            lambda a: a["attributes"][1].update(attribute="plain_pages"),
            "are called 'plain_pages'",
        ),
        (lambda a: a["attributes"][1].update(attribute="Plain pages"), "not in snake_case"),
        (
            lambda a: a["attributes"][2].update(value=a["attributes"][1]["value"].upper()),
            "say the same",
        ),
        (lambda a: a["attributes"][0].pop("reasoning"), "attributes.0.reasoning: Field required"),
        (lambda a: a["attributes"][0].update(confidence=90), "less than or equal to 1"),
        (lambda a: a["attributes"][0].update(category="mood"), "category"),
        (lambda a: a["attributes"][0].update(evidence=[]), "at least 1"),
        (lambda a: a["attributes"][0].update(value="v" * 500), "at most 400"),
        (lambda a: a.update(profile=a.pop("attributes")), "attributes: Field required"),
    ],
)
def test_a_bad_profile_is_refused(spoil: Spoil, trouble: str) -> None:
    assert trouble in reached("profile").call("profile", spoilt(PROFILE, spoil))


def test_nothing_certain_is_a_profile_too() -> None:
    assert reached("profile").call("profile", '{"attributes": []}') == ""


@pytest.mark.parametrize("stage", ["profile", "draft", "chart"])
def test_no_part_of_an_answer_that_was_cut_off_passes_for_the_whole(stage: str) -> None:
    whole = json.dumps({"profile": PROFILE, "draft": DRAFT, "chart": CHART}[stage])
    alone = reached(stage)
    for end in range(0, len(whole) - 1, 97):
        assert alone.call(stage, whole[:end] or " ")


def test_no_json_is_said_to_be_none() -> None:
    assert reached("draft").call("draft", "I would rather talk about it.") == NO_JSON


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        (lambda a: a["spec"].pop("constraints"), "spec.constraints: Field required"),
        (lambda a: a["spec"].update(core_features=" "), "spec.core_features"),
        (lambda a: a["open_questions"][0].update(id="A1"), "the id 'A1'"),
        (lambda a: a["priority"]["options"].append("A fifth"), "at most 4"),
        (
            lambda a: a["priority"]["options"].__setitem__(1, "that Agnes can USE it alone"),
            "option twice",
        ),
        (lambda a: a["assumptions"][0].update(sections=["prices"]), "assumptions.0.sections.0"),
    ],
)
def test_a_bad_draft_is_refused(spoil: Spoil, trouble: str) -> None:
    assert trouble in reached("draft").call("draft", spoilt(DRAFT, spoil))


def dimension(number: int, **more: Any) -> Spoil:
    """Change one dimension."""
    return lambda answer: answer["dimensions"][number].update(more)


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        (dimension(0, alternatives=["1", "2", "3", "4", "5"]), "dimensions.0.alternatives"),
        (dimension(0, alternatives=["1", "2", "3"]), "dimensions.0.alternatives"),
        (dimension(0, alternatives=["1", "2", "3", " 1"]), "who_sees: two alternatives are the same"),
        (dimension(0, key="asking"), "two dimensions are called 'asking'"),
        (dimension(0, key="whoSees"), "not in snake_case"),
        (dimension(0, key="priority"), "may not be called priority"),
        (dimension(0, depends_on=["prices"]), "names 'prices'"),
        (dimension(0, depends_on=["who_sees"]), "names 'who_sees'"),
        (dimension(0, question="a seed " * 25), "fewer than 50 words"),
        (dimension(0, question="Which database keeps the seeds?"), "about technology ('database')"),
        (dimension(0, boundary=True), ""),
        (dimension(6, boundary=False), "1 dimensions have boundary"),
        (lambda a: [one.update(boundary=True) for one in a["dimensions"][4:]], "4 dimensions have boundary"),
        (dimension(1, alternatives=CHART["dimensions"][0]["alternatives"][::-1]), "the same alternatives"),
        (dimension(1, question="Which guests can see offers?"), ""),
        (dimension(1, question="Who could see an offer?"), "who_sees and getting_in ask nearly the same"),
        (
            dimension(1, key="dragons", question="How do dragons fly?", description="On their wings."),
            "dragons has nothing to do with the proposal",
        ),
        (lambda a: a["dimensions"].pop(), "at least 8"),
        (lambda a: a.update(dimensions=a["dimensions"] * 2), "at most 12"),
        (dimension(0, assumed=4), "less than or equal to 3"),
        (lambda a: a["dimensions"][0].pop("why_it_matters"), "why_it_matters: Field required"),
    ],
)
def test_what_a_chart_may_hold(spoil: Spoil, trouble: str) -> None:
    found = reached("chart").call("chart", spoilt(CHART, spoil))
    assert trouble in found and bool(trouble) == bool(found)


def test_all_that_is_wrong_is_said_at_once() -> None:
    bad = copy.deepcopy(CHART)
    bad["dimensions"][0] = axis("Who", "What pricing suits the club?", ["a", "b", "c", "c"])
    found = reached("chart").call("chart", json.dumps(bad))
    assert all(one in found for one in ("snake_case", "pricing", "two alternatives"))


def ballots(**more: str) -> list[Answer]:
    """A vote for A everywhere, but where told otherwise."""
    return [
        {"key": key, "reasoning": "They said so.", "choice": more.get(key, "A"), "confident": True}
        for key in KEYS
    ]


@pytest.mark.parametrize(
    ("votes", "trouble"),
    [
        (ballots(), ""),
        (ballots()[1:], "missing: who_sees"),
        ([*ballots(), ballots()[2]], "more than once: asking"),
        ([*ballots(), {**ballots()[0], "key": "prices"}], "not among the keys given: 'prices'"),
        (ballots(asking="E"), "asking has no alternative E; its letters are A, B, C, D"),
        (ballots(asking="yes"), "votes.2.choice"),
        ([{**one, "reasoning": ""} for one in ballots()], "reasoning"),
    ],
)
def test_votes(votes: list[Answer], trouble: str) -> None:
    found = reached("simulate").call("simulate:1", json.dumps({"votes": votes}))
    assert trouble in found and bool(trouble) == bool(found)


def settled(key: str, *choice: str) -> Answer:
    """What an update says of one dimension."""
    return {"key": key, "reasoning": "It follows.", "choice": choice, "confident": True}


@pytest.mark.parametrize(
    ("entries", "trouble"),
    [
        ([settled("asking", "A", "C"), settled("reading", "B")], ""),
        ([settled("prices", "A")], "no dimension 'prices'"),
        ([settled("asking", "F")], "asking has no alternative F"),
        ([settled("asking", "A", "A")], "a letter stands twice"),
        ([settled("asking", "A"), settled("asking", "A")], "listed twice"),
        ([settled("asking")], "at least 1"),
    ],
)
def test_updates(entries: list[Answer], trouble: str) -> None:
    answer = {"settled": entries, "enough": False, "why": "There is more."}
    found = reached("update").call("update:1", json.dumps(answer))
    assert trouble in found and bool(trouble) == bool(found)


@pytest.mark.parametrize(
    ("entry", "trouble"),
    [
        (settled("Q2", "A"), "Q2: the person has answered that themselves"),
        (settled("Q1", "A", "B"), "Q1: choose one letter"),
        (settled("Q1", "C"), "Q1 has no alternative C; its letters are A, B"),
    ],
)
def test_updates_of_a_checklist(entry: Answer, trouble: str) -> None:
    alone = reached("update", task="checklist")
    answer = {"settled": [entry], "enough": False, "why": "There is more."}
    assert trouble in alone.call("update:1", json.dumps(answer))


@pytest.mark.parametrize(
    ("letters", "trouble"),
    [
        ({"Q1": "B", "Q2": "C", "Q3": "F", "Q4": "A"}, ""),
        ({"Q1": "B", "Q2": "C", "Q4": "A"}, "missing: Q3"),
        ({"Q1": "C", "Q2": "C", "Q3": "F", "Q4": "A"}, "Q1 has no alternative C"),
        ({"Q1": "N", "Q2": "C", "Q3": "F", "Q4": "A"}, "predictions.0.choice"),
    ],
)
def test_predictions(letters: dict[str, str], trouble: str) -> None:
    alone = Alone(task="checklist", checkpoints=(0,))
    alone.lock()
    for name in ("profile", "summary", "simulate:1", "simulate:2", "simulate:3"):
        assert not alone.call(name)
    answer = {"predictions": [{"key": key, "choice": one} for key, one in letters.items()]}
    found = alone.call("predict:0", json.dumps(answer))
    assert trouble in found and bool(trouble) == bool(found)
