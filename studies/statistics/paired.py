"""Tests of paired contrasts: sign-flip over participants, exact McNemar, and Holm's correction."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm

MOST_EXACT = 16
"""Participants up to which all 2^P sign patterns are counted."""
DRAWS = 100_000


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided sign-flip test of a mean of differences, one a participant, against zero."""

    p: float | None
    participants: int
    exact: bool
    draws: int
    """Sign patterns that were looked at."""
    undefined_reason: str | None = None


def sign_flip(differences: Sequence[Fraction], seed: int) -> SignFlip:
    """How often signs given by chance move the mean of differences as far from zero as it is.

    All 2^P patterns where P is at most 16; else 100,000 seeded draws, with (1 + hits) / (1 + draws).

    Args:
        differences: one a participant, exact, so that ties are ties.
        seed: of the draws.
    """
    people = len(differences)
    if not people:
        return SignFlip(None, 0, True, 0, "no participant has both")
    whole = _whole(differences)
    seen = abs(sum(whole))
    if people <= MOST_EXACT:
        sums = [0]
        for one in whole:
            sums = [*(total + one for total in sums), *(total - one for total in sums)]
        return SignFlip(sum(abs(one) >= seen for one in sums) / len(sums), people, True, len(sums))
    hits = _hits(whole, seen, seed)
    return SignFlip((1 + hits) / (1 + DRAWS), people, False, DRAWS)


def _hits(whole: Sequence[int], seen: int, seed: int) -> int:
    """Draws whose sum is at least as far from zero as `seen`."""
    import numpy as np

    rng = np.random.default_rng(seed)
    total = np.zeros(DRAWS)
    # The signs of k equal differences add up to 2 Bin(k, 1/2) - k.
    for size, several in sorted(Counter(abs(one) for one in whole if one).items()):
        total += float(size) * (2 * rng.binomial(several, 0.5, DRAWS) - several)
    # Sums are whole numbers; beyond what floating point holds exactly, ties are met within rounding.
    return int((np.abs(total) >= seen * (1 - 1e-12)).sum())


def _whole(values: Sequence[Fraction]) -> list[int]:
    """The values times their common denominator."""
    scale = lcm(*(one.denominator for one in values))
    return [one.numerator * (scale // one.denominator) for one in values]


def exact_mcnemar(b: int, c: int) -> float:
    """min(1, 2 P(Bin(b + c, 1/2) <= min(b, c))), for b and c discordant pairs; 1 where there is none.

    Only for pairs that are independent of each other (one a participant).
    """
    discordant = b + c
    tail = sum(comb(discordant, one) for one in range(min(b, c) + 1))
    return float(min(Fraction(1), Fraction(2 * tail, 2**discordant)))


def holm(values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjusted p values, in the order given; undefined ones count for nothing."""
    defined = sorted((one, place) for place, one in enumerate(values) if one is not None)
    adjusted: list[float | None] = [None] * len(values)
    highest = 0.0
    for rank, (one, place) in enumerate(defined):
        highest = max(highest, min(1.0, one * (len(defined) - rank)))
        adjusted[place] = highest
    return adjusted
