"""Median and quartiles."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import quantiles


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the middle half of some values lies; all None without values."""

    n: int
    median: float | None
    q1: float | None
    q3: float | None


def spread(values: Iterable[float | None]) -> Spread:
    """The spread of the values that are there, by linear interpolation between them (type 7)."""
    there = [one for one in values if one is not None]
    if not there:
        return Spread(0, None, None, None)
    if len(there) == 1:
        return Spread(1, float(there[0]), float(there[0]), float(there[0]))
    q1, median, q3 = quantiles(there, n=4, method="inclusive")
    return Spread(len(there), median, q1, q3)
