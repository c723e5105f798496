"""The models of projects and personas: what is refused, and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.specification_folders import checklist, project

from studies.specification.materials import ChecklistQuestion, Persona, Personas, Project

PERSONA: dict[str, Any] = {
    "id": "mara",
    "name": "Mara",
    "occupation": "o",
    "backstory": "b",
    "traits": ["t"],
    "behaviour": "b",
    "check": [{"id": "c", "text": "Who?", "options": ["she", "he"], "answer": "she"}],
}


def test_a_project_is_read_whole_and_its_questions_are_found() -> None:
    read = Project.model_validate(project(1))
    assert read.question("q-3").options == ("this", "that")
    assert read.conversations[0].dialogue[0].text == "Do it."
    with pytest.raises(KeyError):
        read.question("q-99")


@given(st.lists(st.text(min_size=1).filter(str.strip), min_size=0, max_size=9))
def test_two_to_six_different_options_and_nothing_else(options: list[str]) -> None:
    fits = 2 <= len(options) <= 6 and len(set(options)) == len(options)
    try:
        ChecklistQuestion.model_validate({"id": "q", "question": "Which?", "options": options})
    except ValidationError:
        assert not fits
    else:
        assert fits


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"proposal": " \n"}, "blank"),
        ({"checklist": [*checklist(2), *checklist(1)]}, "two entries of the checklist questions have one id"),
        (
            {"conversations": [*project(1)["conversations"] * 2]},
            "two entries of the conversations have one id",
        ),
        ({"conversations": [{"id": "c", "dialogue": [{"role": "user", "text": "Hm."}]}]}, "at least 2"),
        ({"conversations": [{"id": "c", "dialogue": [{"role": "tool", "text": "x"}] * 2}]}, "'user'"),
        (
            {"checklist": [{"id": "q", "question": "?", "options": ["a", "b"], "section": "extras"}]},
            "section",
        ),
        ({"budget": 5}, "budget"),
    ],
)
def test_a_project_that_cannot_work(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        Project.model_validate(project(1) | change)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"check": []}, "check"),
        ({"traits": []}, "traits"),
        ({"check": [PERSONA["check"][0] | {"answer": "they"}]}, "none of the options"),
    ],
)
def test_a_persona_comes_with_a_check_that_can_be_passed(change: dict[str, Any], words: str) -> None:
    Persona.model_validate(PERSONA)
    with pytest.raises(ValidationError, match=words):
        Persona.model_validate(PERSONA | change)


def test_personas_have_ids_of_their_own() -> None:
    with pytest.raises(ValidationError, match="two personas have one id"):
        Personas.model_validate({"personas": [PERSONA, PERSONA]})
