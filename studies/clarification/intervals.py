"""Intervals of a clarification figure: over participants where people took part, else over tasks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any, Literal

from studies.clarification.metrics import Run
from studies.statistics.intervals import (
    BY_T,
    FEW,
    NO_WIDTH,
    TOO_FEW,
    Interval,
    exact_mean,
    mean_interval,
    share_interval,
)

Unit = Literal["participants", "tasks"]
MIXED = "some runs have a participant and some have none"
_OF_TASKS = {
    BY_T: "task means, t with tasks - 1 degrees of freedom",
    TOO_FEW: "too few tasks",
    NO_WIDTH: "no task differs from another, so the interval would have no width",
}
"""What an interval over tasks says in place of the words about participants."""
_fraction = lru_cache(4096)(Fraction)


def unit_of(runs: Sequence[Run]) -> Unit | None:
    """What the intervals of these runs are over; None where some have a participant and some have none."""
    people = {one.participant is not None for one in runs}
    if people == {True, False}:
        return None
    return "participants" if people == {True} else "tasks"


def units(runs: Sequence[Run], unit: Unit | None) -> list[list[Run]]:
    """The runs of each participant or task, in the order of their names."""
    own: dict[str, list[Run]] = {}
    for one in runs:
        own.setdefault((one.participant or "") if unit == "participants" else one.task, []).append(one)
    return [own[name] for name in sorted(own)]


def of_mean(
    parts: Sequence[Sequence[Run]],
    value: Callable[[Run], float],
    unit: Unit | None,
    low: float = -inf,
    high: float = inf,
) -> Interval:
    """The interval of the mean of a value, from the means of each unit.

    Args:
        parts: the runs by unit.
        value: of a run.
        unit: from `unit_of`.
        low: the least value there can be.
        high: the greatest.
    """
    if unit is None:
        return _mixed()
    means = [exact_mean([_fraction(value(one)) for one in own]) for own in parts]
    return _worded(mean_interval(means, low, high), unit)


def of_share(parts: Sequence[Sequence[Run]], holds: Callable[[Run], bool], unit: Unit | None) -> Interval:
    """The interval of the share of runs for which something holds."""
    if unit is None:
        return _mixed()
    return _worded(share_interval([[holds(one) for one in own] for own in parts]), unit)


def interval_json(one: Interval | None, unit: Unit | None) -> dict[str, Any] | None:
    """An interval's ends with how they were made, and its number of units under their name; null without."""
    if one is None or one.low is None or unit is None:
        return None
    made = asdict(one)
    found, few = made.pop("participants"), made.pop("few_participants")
    del made["undefined_reason"]
    return {**made, unit: found, f"few_{unit}": few}


def few(runs: Sequence[Run], unit: Unit | None) -> str | None:
    """The warning that an interval rests on few units, if it does."""
    if unit is None or not 0 < (found := len(units(runs, unit))) < FEW:
        return None
    return f"{found} {unit}, fewer than {FEW}: intervals are to be read with care"


def _worded(one: Interval, unit: Unit) -> Interval:
    if unit == "participants":
        return one
    words = {
        name: _OF_TASKS.get(said, said)
        for name in ("method", "undefined_reason")
        if (said := getattr(one, name))
    }
    return replace(one, **words)


def _mixed() -> Interval:
    return Interval(None, None, None, 0, undefined_reason=MIXED)
