"""Accuracy after 0, 5, 10 rounds of one interview, and how often more rounds help (SpecBench, Table 1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from studies.specification.figures import By, by_participant, mean_of
from studies.specification.outcomes import Outcome
from studies.statistics.intervals import Interval, mean_interval, share_interval

NO_PREDICTIONS = "no interview has predictions after so many rounds"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Accuracy after so many rounds. An interview that ended earlier counts with its last predictions."""

    by: By
    rounds: int
    sessions: int
    accuracy: float | None
    accuracy_ci: Interval
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Improvement:
    """In how many interviews predictions after `to` rounds are better than after `since`."""

    by: By
    since: int
    to: int
    sessions: int
    improved: int
    worsened: int
    share: float | None
    """Of all these interviews, those that improved."""
    share_ci: Interval
    undefined_reason: str | None = None


def checkpoints(
    by: By, outcomes: Sequence[Outcome], rounds: Sequence[int]
) -> tuple[tuple[Checkpoint, ...], tuple[Improvement, ...]]:
    """Accuracy at each checkpoint, and for each two of them how often the later one is better.

    Args:
        by: what the interviews have in common.
        outcomes: interviews that were begun.
        rounds: of the checkpoints.
    """
    people = by_participant([one for one in outcomes if one.counts and one.task == "checklist"])
    reached = sorted(set(rounds))
    return (
        tuple(_checkpoint(by, people, one) for one in reached),
        tuple(_improvement(by, people, since, to) for since, to in combinations(reached, 2)),
    )


def accuracy_after(one: Outcome, rounds: int) -> Fraction | None:
    """An interview's accuracy after so many rounds; None where nothing was predicted then."""
    made: Mapping[str, bool] | None = one.checkpoints.get(rounds)
    if made is None and one.queries < rounds:
        made = one.hits
    return Fraction(sum(made.values()), len(made)) if made else None


def _checkpoint(by: By, people: Sequence[Sequence[Outcome]], rounds: int) -> Checkpoint:
    own = [[value for one in some if (value := accuracy_after(one, rounds)) is not None] for some in people]
    own = [values for values in own if values]
    every = [one for values in own for one in values]
    interval = mean_interval(list(map(mean_of, own)), 0, 1)
    mean = float(mean_of(every)) if every else None
    reason = interval.undefined_reason if every else NO_PREDICTIONS
    return Checkpoint(by, rounds, len(every), mean, interval, reason)


def _improvement(by: By, people: Sequence[Sequence[Outcome]], since: int, to: int) -> Improvement:
    gains = [list(_gains(some, since, to)) for some in people]
    gains = [some for some in gains if some]
    every = [one for some in gains for one in some]
    interval = share_interval([[one > 0 for one in some] for some in gains])
    improved = sum(one > 0 for one in every)
    return Improvement(
        by,
        since,
        to,
        len(every),
        improved,
        sum(one < 0 for one in every),
        improved / len(every) if every else None,
        interval,
        interval.undefined_reason if every else NO_PREDICTIONS,
    )


def _gains(some: Sequence[Outcome], since: int, to: int) -> Iterator[Fraction]:
    for one in some:
        before, after = accuracy_after(one, since), accuracy_after(one, to)
        if before is not None and after is not None:
            yield after - before
