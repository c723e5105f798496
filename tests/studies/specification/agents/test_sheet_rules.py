"""The sheet and its review: recorded shapes, good and bad, and what comes of them."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from itertools import cycle
from typing import Any

import pytest
from support.seeds_project import Alone

from studies.specification.sections import SECTIONS
from studies.specification.sheet import MOST_CHARACTERS, Sheet

Answer = dict[str, Any]


def statement(text: str, sort: str = "agent", ref: str = "") -> Answer:
    """A statement as a model gives it."""
    return {"text": text, "grounds": [{"sort": sort, "ref": ref}]}


SYNTHESIS: Answer = {name: [statement(f"Something about {name}.")] for name in SECTIONS} | {
    "project_overview": [
        statement("A page for seeds.", "proposal", "1"),
        statement("It is plain.", "profile", "plain_pages"),
    ],
    "core_features": [
        statement("Members see the offers.", "decision", "who_sees"),
        statement("Agnes can use it alone.", "decision", "priority"),
    ],
    "out_of_scope": [statement("No messages.", "decision", "no_talk")],
    "user_experience": [statement("Seeds are collected in person.", "assumption", "A2")],
}


def written(text: str = "") -> Alone:
    """A session whose interview of two rounds is over: the priority question and `no_talk`."""
    alone = Alone(budget=2)
    alone.lock()
    alone.work()
    alone.say("A", "B")
    alone.call("update:1")
    alone.rules()
    alone.say("A")
    alone.rules()
    alone.call("update:2")
    if text:
        assert alone.call("synthesis", text) == ""
    return alone


Spoil = Callable[[Answer], object]


@pytest.mark.parametrize(
    ("spoil", "trouble"),
    [
        (lambda a: None, ""),
        (lambda a: a.pop("constraints"), "constraints: Field required"),
        (lambda a: a.update(constraints=[]), "constraints: Tuple should have at least 1"),
        (lambda a: a["out_of_scope"].clear(), "out_of_scope"),
        (lambda a: a.update(out_of_scope=[statement("No talk.")]), "no statement rests on them: no_talk"),
        (lambda a: a["core_features"].pop(), "no statement rests on them: priority"),
        (lambda a: a["core_features"].append(statement("x", "decision", "price")), "no decision 'price'"),
        # Split three ways and never asked: left out, so nothing can rest on it.
        (lambda a: a["core_features"].append(statement("x", "decision", "getting_in")), "'getting_in'"),
        (lambda a: a["core_features"].append(statement("x", "proposal", "9")), "known: 1, 2, 3"),
        (lambda a: a["core_features"].append(statement("x", "profile", "shy")), "known: plain_pages, rule_1"),
        (lambda a: a["core_features"].append(statement("x", "assumption", "Q1")), "known: A1, A2, A3"),
        (lambda a: a["core_features"].append({"text": "x", "grounds": []}), "grounds"),
        (lambda a: a["constraints"].append(statement("A PAGE for seeds.")), "said 2 times"),
        (lambda a: a["constraints"].append(statement("x" * 401)), "at most 400"),
        (
            lambda a: [a[name].extend(statement(f"{name} {n} {'x' * 260}") for n in (1, 2, 3)) for name in a],
            f"they must have fewer than {MOST_CHARACTERS}",
        ),
    ],
)
def test_what_a_sheet_may_hold(spoil: Spoil, trouble: str) -> None:
    own = copy.deepcopy(SYNTHESIS)
    spoil(own)
    found = written().call("synthesis", json.dumps(own))
    assert trouble in found and bool(trouble) == bool(found)


@pytest.mark.parametrize(("characters", "fits"), [(5_999, True), (6_000, False), (7_000, False)])
def test_how_much_a_sheet_may_say(characters: int, fits: bool) -> None:
    own = copy.deepcopy(SYNTHESIS)
    left = characters - sum(len(one["text"]) for name in SECTIONS for one in own[name])
    for name in cycle(SECTIONS):
        text = f"{left} {'x' * 380}"[: min(left, 380)]
        own[name].append(statement(text))
        left -= len(text)
        if not left:
            break
    found = written().call("synthesis", json.dumps(own))
    assert found == "" if fits else f"have {characters} characters together" in found


def change(section: str, remove: list[str], add: list[Answer], reason: str = "consistency") -> Answer:
    """A change as a model gives it."""
    return {"reason": reason, "why": "It is better so.", "section": section, "remove": remove, "add": add}


@pytest.mark.parametrize(
    ("changes", "trouble"),
    [
        ([], ""),
        ([change("constraints", ["constraints-1"], [statement("By hand.")], "must_have")], ""),
        ([change("constraints", ["core_features-1"], [])], "constraints has no statement 'core_features-1'"),
        ([change("constraints", ["constraints-7"], [])], "has no statement 'constraints-7'"),
        ([change("constraints", [], [])], "change 1 changes nothing"),
        ([change("constraints", ["constraints-1"], [])], "constraints is empty"),
        (
            [change("project_overview", ["project_overview-1"], [])] * 2,
            "project_overview-1 is taken out 2 times",
        ),
        ([change("out_of_scope", ["out_of_scope-1"], [statement("No talk.")])], "rests on them: no_talk"),
        (
            [change("out_of_scope", ["out_of_scope-1"], [statement("No  MESSAGES.", "decision", "no_talk")])],
            "puts back what it takes out",
        ),
        (
            [change("constraints", [], [statement("x", "decision", "price")])],
            "statement 1: no decision",
        ),
        (
            [change("constraints", [], [statement(f"{n}{'x' * 390}") for n in range(6)])] * 3,
            "than 6000",
        ),
        ([change("constraints", [], [statement("x")], "style")], "changes.0.reason"),
    ],
)
def test_what_a_review_may_change(changes: list[Answer], trouble: str) -> None:
    found = written(json.dumps(SYNTHESIS)).call("review", json.dumps({"changes": changes}))
    assert trouble in found and bool(trouble) == bool(found)


def test_the_frozen_sheet_links_every_statement_and_keeps_what_the_review_did() -> None:
    alone = written(json.dumps(SYNTHESIS))
    members = statement("Only members see them.", "decision", "who_sees")
    grey = statement("Old offers\n- turn grey.", "decision", "old_offers")
    changes = [
        change("core_features", ["core_features-1"], [members]),
        change("core_features", [], [grey], "coverage"),
        change("project_overview", ["project_overview-2"], [], "scope_creep"),
    ]
    assert alone.call("review", json.dumps({"changes": changes})) == ""
    assert alone.rules() == ("sheet_frozen",)
    assert alone.session.frozen is not None
    sheet = Sheet.from_json(alone.session.frozen.sheet)
    assert [one.id for one in sheet.sections["core_features"]] == [
        "core_features-3",
        "core_features-2",
        "core_features-4",
    ]
    assert sheet.sections["core_features"][2].text == "Old offers - turn grey.", "one statement a line"
    words = {one.id: [each.words for each in one.grounds] for one in sheet.statements}
    assert words["core_features-3"] == ["all three simulated users agree: Members"]
    assert words["core_features-4"] == ["most simulated users choose this: Turn grey"]
    assert words["core_features-2"] == [
        "what matters most to you, question 1: That Agnes can use it alone + That no seed goes to waste"
    ]
    assert words["out_of_scope-1"] == ["your answer to question 2: None"]
    assert words["project_overview-1"][0].startswith("sentence 1 of the proposal: I want a page")
    assert words["user_experience-1"][0].startswith("assumed by the agent: Seeds are collected")
    assert [one.id for one in sheet.changes] == ["review-1", "review-2", "review-3"]
    # Refused one by one, from the last, the sheet is the synthesis again.
    for one in reversed(sheet.changes):
        sheet = sheet.without(one)
    assert {name: [one["text"] for one in SYNTHESIS[name]] for name in SECTIONS} == {
        name: [one.text for one in sheet.sections[name]] for name in SECTIONS
    }
