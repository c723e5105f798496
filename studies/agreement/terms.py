"""Gwet's form of a chance-corrected coefficient: value, standard error and each item's influence.

Gwet 2008 and 2021 (PMC8243202): with r_i ratings on item i, the coefficient is (pa - pe) / (1 - pe), where
pa is the mean pairwise agreement of the items with two raters or more and pe the agreement by chance. The
items' linearised values give a standard error that holds away from zero, unlike the null variance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from studies.agreement.arrays import Floats
    from studies.agreement.ratings import Ratings

NO_RATINGS = "there are no ratings"
NO_PAIRS = "no item has two raters"
ONE_ITEM = "there is a single item"
ONE_CATEGORY = "only one category was used, so agreement by chance is complete"
NO_DISAGREEMENT = "no item differs from another in agreement, so the interval would have no width"

CONFIDENCE = 0.95
"""Of every interval in this package."""


@dataclass(frozen=True, eq=False, slots=True)
class Terms:
    """A defined coefficient with its items' influence."""

    value: float
    influence: Floats
    """e_i = kappa*_i - kappa, one an item; they sum to zero."""

    squared: float
    """Sum of e_i^2."""

    @property
    def se(self) -> float:
        """Standard error for inference to other items: sqrt(sum e_i^2 / (N (N - 1)))."""
        n = len(self.influence)
        return float((self.squared / (n * (n - 1))) ** 0.5)


@dataclass(frozen=True, slots=True)
class Bounds:
    """A two-sided interval, or why there is none."""

    low: float | None
    high: float | None
    undefined_reason: str | None = None


def undefined_reason(ratings: Ratings) -> str | None:
    """Why no chance-corrected coefficient of these ratings is defined; None where one is."""
    if not len(ratings):
        return NO_RATINGS
    if not (ratings.sizes >= 2).any():
        return NO_PAIRS
    if len(ratings.used) < 2:
        return ONE_CATEGORY
    return ONE_ITEM if len(ratings.items) == 1 else None


def percent_agreement(ratings: Ratings) -> float | None:
    """Mean pairwise agreement over the items with two raters or more; None where there are none."""
    pairable = int((ratings.sizes >= 2).sum())
    return float(ratings.pair_agreement.sum() / pairable) if pairable else None


def shares(ratings: Ratings, weights: Floats | None = None) -> Floats:
    """pi_j: each category's share of an item's ratings, averaged over items; with weights, by them."""
    import numpy as np

    each = 1.0 / ratings.sizes if weights is None else weights / ratings.sizes
    return np.bincount(ratings.label, each[ratings.item], len(ratings.categories)) / len(ratings.items)


def terms(ratings: Ratings, chance: Literal["fleiss", "ac1"], weights: Floats | None = None) -> Terms:
    """The coefficient with chance agreement as Fleiss (sum pi^2) or AC1 (sum pi (1 - pi) / (q - 1)) has it.

    q is the number of categories that were used. Items with one rating count in pi and in N. The ratings
    must have no `undefined_reason`.

    Args:
        ratings: the table.
        chance: which coefficient.
        weights: how much each item counts for (as where items were drawn with unequal chances); they are
            scaled to sum to N. Without them every item counts alike.
    """
    import numpy as np

    n = len(ratings.items)
    each = np.ones(n) if weights is None else np.asarray(weights, dtype=np.float64) * (n / np.sum(weights))
    pairable = ratings.sizes >= 2
    pi = shares(ratings, None if weights is None else each)
    weight = pi if chance == "fleiss" else (1 - pi) / (len(ratings.used) - 1)
    expected = float(pi @ weight)
    by_item = np.bincount(ratings.item, weight[ratings.label], n) / ratings.sizes
    agreement = ratings.pair_agreement
    pairs = float((each * pairable).sum())
    value = (float((each * agreement).sum()) / pairs - expected) / (1 - expected)
    own = (n / pairs) * (agreement - expected * pairable) / (1 - expected)
    influence = each * (own - 2 * (1 - value) / (1 - expected) * (by_item - expected) - value)
    return Terms(value, influence, float(np.square(influence).sum()))


def t_bounds(value: float, se: float, df: int) -> Bounds:
    """value -+ t * se with df degrees of freedom, at most 1 (there is no least value for all designs)."""
    from scipy.special import stdtrit

    # Zero but for rounding.
    if se < 1e-12:
        return Bounds(None, None, NO_DISAGREEMENT)
    half = float(stdtrit(df, (1 + CONFIDENCE) / 2)) * se
    return Bounds(value - half, min(1.0, value + half))
