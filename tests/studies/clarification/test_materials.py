"""The models of a clarification study's tasks."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from studies.clarification.materials import AskedQuestion, ClarificationTask
from studies.clarification.taxonomy import TYPES, AmbiguityType, type_of

GAP = {"id": "unit", "question": "In which unit?", "answer": "In metres.", "type": "units"}


def task(**given: Any) -> ClarificationTask:
    return ClarificationTask.model_validate({"id": "t1", "statement": "Add the lengths."} | given)


def test_types_are_the_eleven_in_one_order() -> None:
    assert tuple(TYPES) == get_args(AmbiguityType)
    assert len(TYPES) == 11
    assert all(type_of(f" {one.label.upper()} ") == name for name, one in TYPES.items())
    assert type_of("Terminologie") is None


def test_a_task_counts_its_gaps_and_names_each_type_once() -> None:
    found = task(key_questions=[GAP, GAP | {"id": "other", "type": None}], types=["behavior", "units"])
    assert found.gaps == 2
    assert found.all_types == ("behavior", "units")
    assert found.key_question("other").question == "In which unit?"
    with pytest.raises(KeyError):
        found.key_question("third")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"statement": " "}, "a task has a statement, or a full_statement"),
        ({"statement": "", "full_statement": "All.", "key_questions": [GAP]}, "there is none"),
        ({"key_questions": [GAP, GAP]}, "two key questions have the id 'unit'"),
        ({"cases": [{"input": "", "output": "1"}], "tests": "def check(c): ..."}, "one of tests, pairs"),
        ({"tests": "def check(c): ..."}, "also need the entry_point"),
        ({"cases": [{"input": "", "output": "1"}], "entry_point": "f"}, "has no entry_point"),
        (
            {"asked": [{"id": "q", "text": "Why?", "votes": {"unit": [True]}}]},
            "q has votes on 'unit', which is no key question",
        ),
        ({"key_questions": [GAP | {"type": "Units"}]}, "Input should be 'terminology'"),
    ],
)
def test_what_no_task_can_be_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence.replace("(", r"\(")):
        task(**given)


@pytest.mark.parametrize(
    ("given", "stratum"),
    [
        ({}, "unknown"),
        ({"hit": True}, "yes"),
        ({"hit": False}, "unknown"),
        ({"votes": {"a": [True, True, True], "b": [False, False, False]}}, "yes"),
        ({"votes": {"a": [False, False, False]}}, "no"),
        ({"votes": {"a": [True, False, True]}, "hit": True}, "split"),
    ],
)
def test_an_asked_question_is_sampled_by_its_votes(given: dict[str, Any], stratum: str) -> None:
    values = {"id": "q1", "text": "In metres?"} | given
    assert AskedQuestion.model_validate(values).stratum == stratum
