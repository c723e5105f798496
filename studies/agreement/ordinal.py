"""Krippendorff's alpha on ordered values: how far apart two ratings are depends on what lies between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import accumulate

from studies.agreement.krippendorff import ONE_VALUE, Alpha
from studies.agreement.terms import NO_PAIRS, NO_RATINGS, ONE_ITEM


def ordinal_alpha(items: Iterable[Sequence[int]]) -> Alpha:
    """Ordinal alpha, 1 - Do / De (Krippendorff 2011).

    The squared distance of two values is (n_c / 2 + the ratings between + n_k / 2)^2, with n the number of
    ratings of a value. Items with one rating are dropped.

    Args:
        items: of each, its ratings, in any order.
    """
    rated = [tuple(one) for one in items if one]
    paired = [one for one in rated if len(one) > 1]
    times = Counter(value for one in paired for value in one)
    if reason := _undefined(rated, paired, times):
        return Alpha(None, reason)
    values = sorted(times)
    # Twice the middle rank of each value, so that everything is a whole number.
    below = [0, *accumulate(times[one] for one in values)]
    rank = {value: below[at] + below[at + 1] for at, value in enumerate(values)}

    def spread(some: Counter[int]) -> int:
        return sum(some[one] * some[other] * (rank[one] - rank[other]) ** 2 for one in some for other in some)

    observed = sum((Fraction(spread(Counter(one)), len(one) - 1) for one in paired), Fraction(0))
    expected = Fraction(spread(times), sum(times.values()) - 1)
    return Alpha(float(1 - observed / expected))


def _undefined(
    rated: Sequence[Sequence[int]], paired: Sequence[Sequence[int]], times: Counter[int]
) -> str | None:
    if not rated:
        return NO_RATINGS
    if not paired:
        return NO_PAIRS
    if len(rated) == 1:
        return ONE_ITEM
    return ONE_VALUE if len(times) < 2 else None
