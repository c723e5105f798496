"""Intervals for other participants: the participant is the unit, however many sessions each had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import lcm, sqrt
from typing import Any

CONFIDENCE = 0.95
"""Of every interval in this package."""
FEWEST = 6
"""Participants below which there is no interval."""
FEW = 15
"""Participants below which an interval is flagged."""
FEW_PARTICIPANTS = f"fewer than {FEW} participants"
NEAR = Fraction(1, 20)
"""This close to 0 or 1 an interval by t would be too short (or leave the range)."""
TOO_FEW = "too few participants"
NO_WIDTH = "no participant differs from another, so the interval would have no width"
BY_T = "participant means, t with participants - 1 degrees of freedom"
BY_SESSIONS = "Clopper-Pearson on sessions / max(1, design effect)"


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided 95% interval, or why there is none."""

    low: float | None
    high: float | None
    mean: float | None
    """Mean of the participants' means: what the interval is about."""
    participants: int
    method: str | None = None
    design_effect: float | None = None
    """Variance of the mean of participant means over that of as many independent sessions; of shares only."""
    few_participants: bool = False
    """Fewer than 15: to be read with care."""
    undefined_reason: str | None = None


def interval_json(one: Interval | None) -> dict[str, Any] | None:
    """An interval's ends with how they were made; null where there are none."""
    if one is None or one.low is None:
        return None
    return {name: value for name, value in asdict(one).items() if name != "undefined_reason"}


def share_interval(outcomes: Sequence[Sequence[bool]]) -> Interval:
    """The interval of a share, from each participant's yes-or-no outcomes (none of them empty).

    By t over participant means, clipped to [0, 1]; where their mean is within 0.05 of 0 or 1, or all means
    are equal, by Clopper-Pearson on the sessions divided by max(1, design effect).

    Raises:
        ValueError: a participant has no outcome.
    """
    means = [_share(own) for own in outcomes]
    people = len(means)
    if people < FEWEST:
        return _none(means, TOO_FEW)
    mean = exact_mean(means)
    effect = design_effect(outcomes)
    if NEAR < mean < 1 - NEAR and len(set(means)) > 1:
        half = _t(people - 1) * sqrt(_variance(means) / people)
        low, high = max(0.0, float(mean) - half), min(1.0, float(mean) + half)
        return Interval(low, high, float(mean), people, BY_T, effect, people < FEW)
    sessions = sum(map(len, outcomes))
    shrunk = max(1.0, effect)
    low, high = clopper_pearson(sum(map(sum, outcomes)) / shrunk, sessions / shrunk)
    return Interval(low, high, float(mean), people, BY_SESSIONS, effect, people < FEW)


def mean_interval(means: Sequence[Fraction], low: float, high: float) -> Interval:
    """The interval of a mean of participants' means (or differences), by t, clipped to what is possible.

    Args:
        means: one a participant.
        low: the least value there can be.
        high: the greatest.
    """
    people = len(means)
    if people < FEWEST:
        return _none(means, TOO_FEW)
    if len(set(means)) == 1:
        return _none(means, NO_WIDTH)
    mean = float(exact_mean(means))
    half = _t(people - 1) * sqrt(_variance(means) / people)
    return Interval(max(low, mean - half), min(high, mean + half), mean, people, BY_T, None, people < FEW)


def design_effect(outcomes: Sequence[Sequence[bool]]) -> float:
    """By how much sessions of one participant being alike inflates the variance of a share.

    (s^2 / P) / (p (1 - p) / n), with s^2 the variance of the P participants' means, p their mean and n the
    number of sessions. 1 where it is not defined, as with nothing but successes.
    """
    means = [_share(own) for own in outcomes]
    mean = exact_mean(means)
    chance = mean * (1 - mean) / sum(map(len, outcomes))
    return float(_variance(means) / len(means) / chance) if chance and len(means) > 1 else 1.0


def clopper_pearson(successes: float, trials: float) -> tuple[float, float]:
    """The exact binomial interval (Clopper and Pearson 1934) by beta quantiles; counts may be fractions.

    Raises:
        ValueError: not 0 <= successes <= trials, or no trials.
    """
    from scipy.special import betaincinv

    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"{successes} successes in {trials} trials")
    failures = trials - successes
    tail = (1 - CONFIDENCE) / 2
    low = float(betaincinv(successes, failures + 1, tail)) if successes else 0.0
    high = float(betaincinv(successes + 1, failures, 1 - tail)) if failures else 1.0
    return low, high


def _none(means: Sequence[Fraction], reason: str) -> Interval:
    mean = float(exact_mean(means)) if means else None
    return Interval(None, None, mean, len(means), few_participants=True, undefined_reason=reason)


def _share(outcomes: Sequence[bool]) -> Fraction:
    if not outcomes:
        raise ValueError("the share of nothing")
    return Fraction(sum(outcomes), len(outcomes))


def exact_mean(values: Sequence[Fraction]) -> Fraction:
    """The mean, without rounding.

    Raises:
        ValueError: there is no value.
    """
    if not values:
        raise ValueError("the mean of nothing")
    whole, denominator = _over_one_denominator(values)
    return Fraction(sum(whole), denominator * len(values))


def _variance(values: Sequence[Fraction]) -> Fraction:
    """Unbiased."""
    whole, denominator = _over_one_denominator(values)
    n = len(values)
    return Fraction(n * sum(one * one for one in whole) - sum(whole) ** 2, n * (n - 1) * denominator**2)


def _over_one_denominator(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Numerators and the denominator they share: sums of whole numbers are exact and much faster."""
    denominator = lcm(*(one.denominator for one in values))
    return [one.numerator * (denominator // one.denominator) for one in values], denominator


def _t(degrees: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(degrees, (1 + CONFIDENCE) / 2))
