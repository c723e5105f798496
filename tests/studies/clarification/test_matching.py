"""From votes to hits; from replies to votes; what a response counts as; what streams without tags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from studies.clarification.matching import Rule, majority, match
from studies.clarification.responses import Untagging, is_bundle, read_response, untagged
from studies.clarification.votes import vote_in

YES, NO, SPLIT = (True, True, True), (False, False, False), (True, True, False)
ORDER = ("a", "b", "c")


@pytest.mark.parametrize(
    ("rule", "votes", "covered", "outcome", "gaps"),
    [
        ("reference", {"a": NO, "b": NO, "c": NO}, (), "miss", ()),
        ("reference", {"a": SPLIT, "b": YES, "c": NO}, (), "hit", ("a",)),
        # The walk stops at the first match, although a later key question is open.
        ("reference", {"a": SPLIT, "b": YES, "c": NO}, ("a",), "repeat", ("a",)),
        ("best", {"a": SPLIT, "b": YES, "c": NO}, (), "hit", ("b",)),
        ("best", {"a": YES, "b": SPLIT, "c": NO}, ("a",), "hit", ("b",)),
        ("best", {"a": YES, "b": YES, "c": NO}, (), "hit", ("a",)),
        ("best", {"a": YES, "b": NO, "c": NO}, ("a",), "repeat", ("a",)),
        ("several", {"a": YES, "b": NO, "c": SPLIT}, (), "hit", ("a", "c")),
        ("several", {"a": YES, "b": NO, "c": SPLIT}, ("a",), "hit", ("c",)),
        ("several", {"a": YES, "b": NO, "c": YES}, ("a", "c"), "repeat", ("a",)),
    ],
)
def test_the_rules_of_matching(
    rule: Rule,
    votes: dict[str, tuple[bool, ...]],
    covered: tuple[str, ...],
    outcome: str,
    gaps: tuple[str, ...],
) -> None:
    found = match(votes, ORDER, covered, rule)
    assert (found.outcome, found.gaps) == (outcome, gaps)


def test_a_vote_that_says_nothing_counts_for_neither() -> None:
    assert not majority((True, False, None))
    assert majority((True, None, None))
    assert not majority(())


@pytest.mark.parametrize(
    ("text", "vote"),
    [
        ("yes", True), ("No.", False), ("**Yes** - both ask for the unit", True), ("Answer: no", False),
        ("They differ, so no, not at all", False), ("maybe", None), ("", None), ("So yes, no, both", None),
    ],
)  # fmt: skip
def test_a_vote_is_read_however_it_is_dressed(text: str, vote: bool | None) -> None:
    assert vote_in(text) is vote


def test_a_bundle_is_two_sentences_that_ask() -> None:
    assert is_bundle("Which unit? And how many?")
    assert is_bundle("Is it (really?) so?")
    assert not is_bundle("Which unit, and how many?")
    assert not is_bundle("Which of a?b and c?")


def test_a_question_of_two_blocks_is_one_question() -> None:
    found = read_response("[QUESTION]One?[/QUESTION] text [QUESTION]Two?[/QUESTION]", None)
    assert (found.sort, found.question, is_bundle(found.question)) == ("question", "One?\n\nTwo?", True)


def test_tags_alone_say_nothing() -> None:
    assert read_response("[QUESTION]\n[/QUESTION]", None).form == "empty"
    assert read_response("", "f").sort == "nothing"


@pytest.mark.parametrize("tag", ["[code]\nprint(1)\n[/code]", "[CODE]\nprint(1)", "[Code]print(1)[/Code]"])
def test_tags_are_read_tolerantly(tag: str) -> None:
    assert read_response(tag, None).code.strip() == "print(1)"


def test_code_is_shown_as_a_block_and_never_twice() -> None:
    assert untagged("[CODE]\nprint(1)\n[/CODE]") == "```python\nprint(1)\n```"
    assert untagged("[CODE]\n```python\nprint(1)\n```\n[/CODE]") == "```python\nprint(1)\n```"


@given(
    some.integers(1, 9),
    some.sampled_from(["[QUESTION]\nIs a[0] it?\n[/QUESTION]", "[CODE]\nx[1]\n[/CODE] !"]),
)
def test_nothing_of_a_tag_is_ever_shown_while_it_streams(size: int, text: str) -> None:
    covering = Untagging()
    parts = [covering.feed(text[at : at + size]) for at in range(0, len(text), size)]
    parts.append(covering.feed("", last=True))
    assert all(tag not in "".join(parts) for tag in ("[QUESTION", "QUESTION]", "CODE]", "[CODE"))
    assert "".join(parts).strip() == untagged(text).strip()
