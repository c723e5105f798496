"""From a judge's votes to what a question hits: majority, and the rule by which one of several is taken."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from studies.clarification.payloads import Outcome

Rule = Literal["reference", "best", "several"]
Votes = Sequence[bool | None]
"""Of one pair, in the order of the samples; None is neither yes nor no."""


@dataclass(frozen=True, slots=True)
class Matched:
    """What the votes on a question come to."""

    outcome: Outcome
    gaps: tuple[str, ...]
    """The key questions that it hits, or hit before; empty for a miss."""
    matched: tuple[str, ...]
    """All key questions with a majority, in the order of the file."""


def majority(votes: Votes) -> bool:
    """Whether more votes say yes than no."""
    return sum(one is True for one in votes) > sum(one is False for one in votes)


def match(
    votes: Mapping[str, Votes], order: Sequence[str], covered: Collection[str], rule: Rule = "reference"
) -> Matched:
    """What a question hits.

    `reference` walks the key questions in order and stops at the first match: if that one was hit before, the
    question repeats it, even where a later key question matches as well (ClarifyCodeBench's own judge).
    `best` takes the match with the most yes votes, open ones before those that were hit, ties in order.
    `several` takes every open key question that matches; where none is open, the first that was hit.

    Args:
        votes: by key question.
        order: of the key questions in the file.
        covered: key questions that were hit before.
        rule: which one is taken.
    """
    found = tuple(one for one in order if majority(votes.get(one, ())))
    if not found:
        return Matched("miss", (), ())
    taken = found[:1]
    fresh = tuple(one for one in found if one not in covered)
    if rule == "several":
        taken = fresh or found[:1]
    elif rule == "best":
        # `max` keeps the first of equals, so ties go by the file's order.
        taken = (max(fresh or found, key=lambda one: sum(vote is True for vote in votes[one])),)
    outcome: Outcome = "repeat" if set(taken) <= set(covered) else "hit"
    return Matched(outcome, taken, found)
