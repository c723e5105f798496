"""How dimensions are settled, and what is asked next."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.seeds_project import KEYS, SHEET_SCRIPT, Alone

from studies.specification.agents.selection import unresolved, why_asked
from studies.specification.agents.settling import decisions, majority
from studies.specification.decisions import Decision, Vote
from studies.specification.payloads import InterviewEnded
from studies.specification.sections import LETTERS


def charted(votes: dict[str, Any] | None = None, **more: Any) -> Alone:
    """A session of which all is known but what the person says; the priority question is open."""
    script = SHEET_SCRIPT if votes is None else {**SHEET_SCRIPT, "votes": votes}
    alone = Alone(script=script, **more)
    alone.lock()
    alone.work()
    return alone


def decision(alone: Alone, key: str) -> Decision:
    """How one dimension stands."""
    return next(one for one in decisions(alone.brief) if one.key == key)


def updated(alone: Alone, number: int, *settled: tuple[str, str, bool], enough: bool = False) -> None:
    """Answer an update, and let follow what does."""
    entries = [
        {"key": key, "reasoning": "So it follows.", "choice": list(choice), "confident": confident}
        for key, choice, confident in settled
    ]
    answer = {"settled": entries, "enough": enough, "why": "Nothing else would change the sheet."}
    assert alone.call(f"update:{number}", json.dumps(answer)) == ""
    alone.rules()


def end(alone: Alone) -> None:
    """The participant ends the interview."""
    number = alone.session.answered
    alone.happen(InterviewEnded("s1", "seeds", "participant", "They ended it.", number))


def test_agreement_with_confidence_settles_and_nothing_less() -> None:
    alone = charted()
    standing = {one.key: (one.standing, one.chosen) for one in decisions(alone.brief)}
    assert standing["who_sees"] == ("high confidence", ("A",))
    # All three say the same without being sure; two of three; all different.
    assert {standing[key] for key in ("reading", "asking", "getting_in")} == {("open", ())}
    end(alone)
    assert decision(alone, "reading").settled_by == decision(alone, "asking").settled_by == "majority"
    assert decision(alone, "asking").chosen == ("B",)
    assert decision(alone, "getting_in").standing == "left out"


def test_what_the_person_says_outranks_everything() -> None:
    alone = charted()
    assert not any(one.key == "priority" for one in decisions(alone.brief))
    alone.say("B", "D", own="But nobody is left out.")
    updated(alone, 1, ("no_talk", "B", True))
    first = decisions(alone.brief)[0]
    assert (first.key, first.standing, first.chosen) == ("priority", "confirmed", ("B", "D"))
    assert first.own_words == "But nobody is left out."
    assert decision(alone, "no_talk").settled_by == "update"
    opened = alone.session.open_round
    assert opened is not None and opened.put.key == "getting_in"
    alone.say("C")
    updated(alone, 2, ("no_talk", "D", True))
    found = decision(alone, "getting_in")
    assert (found.standing, found.settled_by, found.chosen, found.round) == ("confirmed", "answer", ("C",), 2)
    # The later update counts.
    assert (decision(alone, "no_talk").chosen, decision(alone, "no_talk").round) == (("D",), 2)


def test_own_words_confirm_without_a_letter() -> None:
    alone = charted()
    alone.say(own="That it lasts.")
    found = decision(alone, "priority")
    assert (found.standing, found.chosen, found.own_words) == (
        "confirmed",
        (),
        "That it lasts.",
    )


@pytest.mark.parametrize(
    ("update", "settled_by", "chosen"),
    [
        (("who_sees", "C", True), "update", ("C",)),
        (("who_sees", "AC", True), "update", ("A", "C")),
        (("who_sees", "A", True), "agreement", ("A",)),
        (("who_sees", "C", False), "agreement", ("A",)),
    ],
)
def test_an_update_outranks_agreement_only_where_it_is_sure_and_says_something_else(
    update: tuple[str, str, bool], settled_by: str, chosen: tuple[str, ...]
) -> None:
    alone = charted()
    alone.say("A")
    updated(alone, 1, update)
    found = decision(alone, "who_sees")
    assert (found.settled_by, found.chosen) == (settled_by, chosen)


def test_an_update_that_is_not_sure_leaves_a_dimension_open() -> None:
    alone = charted()
    alone.say("A")
    updated(alone, 1, ("asking", "A", False))
    assert decision(alone, "asking").standing == "open"


def test_not_to_know_falls_to_the_simulated_users_and_is_not_asked_again() -> None:
    alone = charted(budget=8)
    alone.say(unknown=True)
    updated(alone, 1)
    assert not any(one.key == "priority" for one in decisions(alone.brief))
    asked = []
    while opened := alone.session.open_round:
        asked.append(opened.put.key)
        alone.say(unknown=True)
        updated(alone, opened.put.round)
    assert asked == ["no_talk", "getting_in", "asking", "old_offers", "reading"]
    assert alone.session.ended is not None and alone.session.ended.by == "settled"
    standing = {one.key: one.settled_by or one.standing for one in decisions(alone.brief)}
    assert standing == {
        "who_sees": "agreement",
        "getting_in": "left out",
        "asking": "majority",
        "collecting": "agreement",
        "reading": "majority",
        "old_offers": "majority",
        "no_talk": "left out",
        "no_plants": "agreement",
    }


def test_buddy_stops_early_and_says_why() -> None:
    alone = charted()
    alone.say("A")
    updated(alone, 1, enough=True)
    ended = alone.session.ended
    assert ended is not None and (ended.by, ended.rounds) == ("agent", 1)
    assert ended.why == "Nothing else would change the sheet."


def test_the_last_round_is_the_budget_even_if_buddy_would_have_stopped() -> None:
    alone = charted(budget=1)
    alone.say("A")
    alone.rules()
    assert alone.session.ended is not None and alone.session.ended.by == "budget"


choices = st.lists(st.integers(0, 3), min_size=3, max_size=3)


@settings(max_examples=25, deadline=None)
@given(st.fixed_dictionaries(dict.fromkeys(KEYS, choices)), st.sets(st.sampled_from(KEYS)))
def test_most_disagreement_is_asked_first_then_least_confidence(
    votes: dict[str, list[int]], unsure: set[str]
) -> None:
    alone = charted({**votes, "unsure": sorted(unsure)})
    found = unresolved(alone.brief)
    assert {one.key for one in found} == {key for key in KEYS if len(set(votes[key])) > 1 or key in unsure}
    ranks = [(-len(set(votes[one.key])), one.key not in unsure, KEYS.index(one.key)) for one in found]
    assert ranks == sorted(ranks)
    end(alone)
    for one in decisions(alone.brief):
        counted = sorted(votes[one.key], key=votes[one.key].count)[-1]
        most = LETTERS[counted] if votes[one.key].count(counted) > 1 else ""
        assert majority(one.votes) == most
        assert one.chosen == ((most,) if most else ())


@pytest.mark.parametrize(
    ("letters", "unsure", "conversations", "expected"),
    [
        ("BBD", 0, True, "Three simulated readings of the past conversations disagree (B, B, D)."),
        ("ABC", 2, True, "disagree (A, B, C), and two of them are not sure."),
        ("BBB", 1, True, "all choose B, but one of them is not sure."),
        (
            "BBB",
            3,
            False,
            "users who know nothing but the proposal all choose B, but none is sure.",
        ),
    ],
)
def test_why_something_is_asked(letters: str, unsure: int, conversations: bool, expected: str) -> None:
    votes = tuple(Vote(number, one, number > unsure, "") for number, one in enumerate(letters, start=1))
    asked = Decision("k", "Q?", ("1", "2", "3", "4"), None, "It shows.", "", votes, "open")
    why = why_asked(asked, conversations)
    assert expected in why and why.endswith(" It shows.")
    # Where participants do not see the chart, they do not see the votes here either.
    told = why_asked(asked, conversations, votes=False)
    assert not re.search(r"\b[A-F]\b", told) and told.endswith(" It shows.")
