"""Krippendorff's alpha: nominal on dominant labels, and with MASI distance on sets of labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.arrays import pairs_within, renumber
from studies.agreement.terms import NO_PAIRS, NO_RATINGS, ONE_ITEM

if TYPE_CHECKING:
    from collections.abc import Sequence

    from studies.agreement.arrays import Floats, Ints
    from studies.agreement.ratings import Ratings

ONE_VALUE = "every rating that can be paired is the same"
NO_ADDITIONAL = "no rating has an additional label"
MOST_SETS = 3_000
"""Different sets of labels that alpha compares, each with each."""


@dataclass(frozen=True, slots=True)
class Alpha:
    """Krippendorff's alpha over the items with two raters or more; items with one rating are dropped."""

    value: float | None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class SetAlpha:
    """Alpha with MASI distance on {dominant} and the additional labels together."""

    value: float | None
    additional_only: Alpha
    """The same on the additional labels alone, where two empty sets agree and one empty set never does."""
    sets_agree_dominants_differ: float | None
    """Share of the items with two raters or more on which all sets are equal and not all dominant labels."""
    undefined_reason: str | None = None


def krippendorff_alpha(ratings: Ratings) -> Alpha:
    """Nominal alpha on dominant labels: 1 - Do / De (Krippendorff 2011)."""
    import numpy as np

    paired = ratings.sizes >= 2
    alone = ratings.label[ratings.starts[~paired]]
    totals = (ratings.totals - np.bincount(alone, minlength=len(ratings.totals))).astype(np.float64)
    reason = _undefined(ratings, totals)
    if reason:
        return Alpha(None, reason)
    n = float(totals.sum())
    observed = float((ratings.sizes * (1 - ratings.pair_agreement))[paired].sum()) / n
    expected = (n * n - float(totals @ totals)) / (n * (n - 1))
    return Alpha(1 - observed / expected)


def set_alpha(ratings: Ratings) -> SetAlpha:
    """Alpha with MASI distance on the sets of labels."""
    if not ratings.extra.any():
        plain = krippendorff_alpha(ratings)
        swapped = 0.0 if (ratings.sizes >= 2).any() else None
        return SetAlpha(plain.value, Alpha(None, NO_ADDITIONAL), swapped, plain.undefined_reason)
    sets, union = label_sets(ratings)
    alpha = _masi_alpha(ratings, sets, union)
    alone = _masi_alpha(ratings, ratings.extras, ratings.extra)
    return SetAlpha(alpha.value, alone, _swapped(ratings, union), alpha.undefined_reason)


def label_sets(ratings: Ratings) -> tuple[list[tuple[int, ...]], Ints]:
    """The distinct sets {dominant} and additional, as category indices, and which one each rating has."""
    import numpy as np

    width = len(ratings.extras)
    ids, combined = renumber(ratings.label * width + ratings.extra, len(ratings.categories) * width)
    numbers: dict[tuple[int, ...], int] = {}
    merged = [
        numbers.setdefault(tuple(sorted({key // width, *ratings.extras[key % width]})), len(numbers))
        for key in combined.tolist()
    ]
    return list(numbers), np.array(merged, dtype=np.int64)[ids]


def masi_distances(sets: Sequence[Sequence[int]], labels: int) -> Floats:
    """MASI distance 1 - J M of each two sets of label indices below `labels` (Passonneau 2006).

    J is the Jaccard index; M is 1 for equal sets, 2/3 where one holds the other, 1/3 where they overlap and
    0 where they are disjoint. Two empty sets have distance 0, an empty and another set distance 1.
    """
    import numpy as np

    member = np.zeros((len(sets), labels))
    for row, one in enumerate(sets):
        member[row, list(one)] = 1
    shared = member @ member.T
    size = member.sum(axis=1)
    smaller, larger = np.minimum.outer(size, size), np.maximum.outer(size, size)
    jaccard = shared / np.maximum(smaller + larger - shared, 1)
    equal = shared == larger
    monotonic = np.where(equal, 1, np.where(shared == smaller, 2 / 3, 1 / 3))
    return np.where(equal, 0.0, 1 - jaccard * monotonic)


def _masi_alpha(ratings: Ratings, sets: Sequence[Sequence[int]], value: Ints) -> Alpha:
    """Alpha of one set a rating, given as index into `sets`."""
    import numpy as np

    paired = (ratings.sizes >= 2)[ratings.item]
    item, kept = ratings.item[paired], value[paired]
    totals = np.bincount(kept, minlength=len(sets)).astype(np.float64)
    reason = _undefined(ratings, totals)
    if reason or len(sets) > MOST_SETS:
        return Alpha(None, reason or f"{len(sets)} different sets of labels are too many to compare")
    distances = masi_distances(sets, len(ratings.categories))
    n = float(totals.sum())
    # Equal sets of one item have no distance, so each is looked at once, with the times it occurs.
    keys = np.sort(item * len(sets) + kept, kind="stable")
    first = np.flatnonzero(np.diff(keys, prepend=-1))
    times = np.diff(first, append=len(keys))
    unit, held = keys[first] // len(sets), keys[first] % len(sets)
    observed = 0.0
    for one, other in pairs_within(unit):
        weights = times[one] * times[other] / (ratings.sizes[unit[one]] - 1)
        observed += 2 * float(weights @ distances[held[one], held[other]])
    expected = float(totals @ distances @ totals) / (n - 1)
    return Alpha(1 - observed / expected)


def _undefined(ratings: Ratings, totals: Ints | Floats) -> str | None:
    """`totals`: the ratings with each value, in items with two raters or more."""
    if not len(ratings):
        return NO_RATINGS
    if not totals.sum():
        return NO_PAIRS
    if len(ratings.items) == 1:
        return ONE_ITEM
    return ONE_VALUE if (totals > 0).sum() < 2 else None


def _swapped(ratings: Ratings, union: Ints) -> float | None:
    """Share of the items with two raters or more whose sets are all equal while dominant labels differ."""
    import numpy as np

    paired = ratings.sizes >= 2
    if not paired.any():
        return None
    same_set, same_label = (
        np.maximum.reduceat(values, ratings.starts) == np.minimum.reduceat(values, ratings.starts)
        for values in (union, ratings.label)
    )
    return float((same_set & ~same_label)[paired].mean())
