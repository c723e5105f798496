"""Answers: what fits a field is stored in one form, what does not is refused with what was expected."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.steps import LONGEST_TEXT, AnswerError, Field, Option, Step, check_answer

CONSENT = Field("agree", "consent", "Do you agree?", (Option(True, "Yes"), Option(False, "No")))
CHOICE = Field("dominant", "choice", "Which?", (Option("DCP", "d"), Option("SLM", "s"), Option("1", "one")))
SCALE = Field("confidence", "scale", "How sure?", tuple(Option(n, str(n)) for n in range(1, 6)))
MULTI = Field(
    "additional", "multi", "Which more?", (Option("DCP", "d"), Option("SLM", "s"), Option("CCM", "c"))
)
TEXT = Field("reason", "text", "Why?")
INFO = Field("read", "info", "Read this.", required=False)
ASKED = [CONSENT, CHOICE, SCALE, MULTI, TEXT]


def optional(asked: Field) -> Field:
    return Field(asked.name, asked.kind, asked.text, asked.options, required=False)


@pytest.mark.parametrize(
    ("asked", "value", "kept"),
    [
        (CONSENT, True, True),
        (CONSENT, False, False),
        (CHOICE, "SLM", "SLM"),
        (SCALE, 5, 5),
        (MULTI, ["SLM"], ("SLM",)),
        (MULTI, ("CCM", "DCP"), ("DCP", "CCM")),
        (MULTI, ["SLM", "SLM"], ("SLM",)),
        (MULTI, [], ()),
        (optional(MULTI), [], ()),
        (TEXT, " as it \n was typed ", " as it \n was typed "),
        (optional(TEXT), "", ""),
        (INFO, None, None),
    ],
)
def test_an_answer_that_fits_is_kept(asked: Field, value: Any, kept: Any) -> None:
    found = check_answer(asked, value)
    assert found == kept
    assert type(found) is type(kept)


@pytest.mark.parametrize(
    ("asked", "value", "message"),
    [
        (CONSENT, 1, "agree: expected one of true, false, got 1"),
        (CONSENT, "true", "agree: expected one of true, false, got 'true'"),
        (CONSENT, 0, "got 0"),
        (CHOICE, 1, "got 1"),
        (CHOICE, "dcp", "dominant: expected one of DCP, SLM, 1, got 'dcp'"),
        (CHOICE, "DCP ", "got 'DCP '"),
        (CHOICE, "", "got ''"),
        (CHOICE, ["DCP"], "expected one of"),
        (CHOICE, {}, "expected one of"),
        (SCALE, True, "got True"),
        (SCALE, 3.0, r"got 3\.0"),
        (SCALE, "3", "confidence: expected one of 1, 2, 3, 4, 5, got '3'"),
        (SCALE, 0, "got 0"),
        (SCALE, 6, "got 6"),
        (MULTI, "SLM", "additional: expected a list of DCP, SLM, CCM"),
        (MULTI, {"SLM": True}, "expected a list"),
        (MULTI, ["SLM", "HCO"], "got 'HCO'"),
        (MULTI, ["SLM", None], "got None"),
        (MULTI, [["SLM"]], r"got \['SLM'\]"),
        (TEXT, 3, "reason: expected text"),
        (TEXT, ["a"], "expected text"),
        (TEXT, "", "an answer is required"),
        (TEXT, " \t\n\u3000", "an answer is required"),
        (TEXT, "x" * (LONGEST_TEXT + 1), "at most 10,000,000 characters, got 10,000,001"),
        (INFO, "", "read: nothing is asked here"),
        (INFO, True, "nothing is asked"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused_with_what_was_expected(
    asked: Field, value: Any, message: str
) -> None:
    for one in (asked, optional(asked)) if "required" not in message else (asked,):
        with pytest.raises(AnswerError, match=message):
            check_answer(one, value)


@pytest.mark.parametrize("asked", ASKED, ids=lambda asked: asked.kind)
def test_null_answers_what_is_optional_and_only_that(asked: Field) -> None:
    assert check_answer(optional(asked), None) is None
    with pytest.raises(AnswerError, match=f"{asked.name}: an answer is required"):
        check_answer(asked, None)


def test_a_long_wrong_answer_is_not_quoted_whole() -> None:
    with pytest.raises(AnswerError) as caught:
        check_answer(CHOICE, "x" * 5000)
    assert len(str(caught.value)) < 150


@given(text=st.text(st.characters(exclude_categories=())))
def test_an_optional_text_takes_any_string_unchanged(text: str) -> None:
    assert check_answer(optional(TEXT), text) == text


def test_the_longest_text_is_taken() -> None:
    assert len(check_answer(TEXT, "\U0001f642" * LONGEST_TEXT)) == LONGEST_TEXT


@given(chosen=st.lists(st.sampled_from(["DCP", "SLM", "CCM"])))
def test_one_set_of_labels_has_one_form(chosen: list[str]) -> None:
    found = check_answer(MULTI, chosen)
    assert found == tuple(label for label in ("DCP", "SLM", "CCM") if label in chosen)
    assert check_answer(MULTI, found) == found


@given(
    asked=st.sampled_from([*ASKED, INFO]),
    value=st.recursive(
        st.none() | st.booleans() | st.integers(-2, 7) | st.floats() | st.text(max_size=5),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    ),
    required=st.booleans(),
)
def test_any_json_value_is_taken_or_refused_and_taken_answers_are_stable(
    asked: Field, value: Any, required: bool
) -> None:
    field = Field(asked.name, asked.kind, asked.text, asked.options, required)
    try:
        kept = check_answer(field, value)
    except AnswerError:
        return
    assert check_answer(field, kept) == kept
    if kept is not None and asked.options:
        allowed = {(type(one.value), one.value) for one in asked.options}
        assert {(type(one), one) for one in (kept if asked.kind == "multi" else [kept])} <= allowed


def test_an_ask_has_one_id_for_each_revision() -> None:
    first = Step("item-3", 1, "annotation", "Item", fields=(CHOICE, TEXT))
    again = Step("item-3", 2, "annotation", "Item", fields=(CHOICE, TEXT))
    assert first.ask_id("dominant") == "item-3/dominant/1"
    assert len({step.ask_id(one.name) for step in (first, again) for one in step.fields}) == 4


def test_a_steps_fields_are_found_by_name() -> None:
    step = Step("item-3", 1, "annotation", "Item", fields=(CHOICE, TEXT))
    assert step.field("reason") is TEXT
    with pytest.raises(KeyError):
        step.field("absent")
