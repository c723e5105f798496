"""The interval for other items and other raters: items that share a rater vary together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from studies.agreement.arrays import group_rows
from studies.agreement.terms import t_bounds, terms, undefined_reason

if TYPE_CHECKING:
    from studies.agreement.arrays import Floats, Ints
    from studies.agreement.ratings import Ratings

MOST_PRODUCTS = 2_000_000_000
"""Multiplications spent on comparing sets of raters each with each."""
MOST_SUBSETS = 4_000_000
CHUNK_SETS = 1_000


@dataclass(frozen=True, slots=True)
class SharedRaterInterval:
    """A 95% interval for other items and other raters: the one to publish when generalising to annotators."""

    ci_low: float | None
    ci_high: float | None
    se: float | None = None
    raters: int = 0
    df: int | None = None
    floored: bool = False
    """True: shared raters add nothing that can be estimated (as where everybody rated everything), so the
    interval speaks of other items only."""
    method: str = "variance over pairs of items that share a rater, t with raters - 1 degrees of freedom"
    undefined_reason: str | None = None


def shared_rater_interval(ratings: Ratings) -> SharedRaterInterval:
    """kappa -+ t sqrt(V R / (R - 1)), with R - 1 degrees of freedom for R raters.

    V = sum of e_i e_j / N^2 over ordered pairs of items (i, j) that share a rater, i = j included, and at
    least sum e_i^2 / N^2; e_i is the item's influence on Fleiss' kappa (Gwet's form).
    """
    raters, items = len(ratings.raters), len(ratings.items)
    reason = undefined_reason(ratings)
    if reason:
        return SharedRaterInterval(None, None, raters=raters, undefined_reason=reason)
    figure = terms(ratings, "fleiss")
    products = _products(ratings, figure.influence)
    if products is None:
        reason = f"{ratings.sets[1]} different sets of raters are too many to compare"
        return SharedRaterInterval(None, None, raters=raters, undefined_reason=reason)
    floored = products <= figure.squared
    se = float((max(products, figure.squared) / items**2 * raters / (raters - 1)) ** 0.5)
    bounds = t_bounds(figure.value, se, raters - 1)
    return SharedRaterInterval(
        bounds.low, bounds.high, se, raters, raters - 1, floored, undefined_reason=bounds.undefined_reason
    )


def _products(ratings: Ratings, influence: Floats) -> float | None:
    """Sum of e_i e_j over ordered pairs of items that share a rater; None where that is too much work."""
    import numpy as np

    groups, number = ratings.sets
    totals = np.bincount(groups, influence, number).astype(np.float64, copy=False)
    items = np.zeros(number, dtype=np.int64)
    items[groups] = np.arange(len(groups))
    sizes = ratings.sizes[items]
    members = []
    for size in np.unique(sizes):
        here = np.flatnonzero(sizes == size)
        members.append((ratings.rater[ratings.starts[items[here], None] + np.arange(size)], here))
    if number * number * len(ratings.raters) <= MOST_PRODUCTS:
        return _by_comparing(members, totals, len(ratings.raters))
    if (2.0 ** np.minimum(sizes, 60)).sum() <= MOST_SUBSETS:
        return _by_subsets(members, totals, len(ratings.raters))
    return None


def _by_comparing(members: list[tuple[Ints, Ints]], totals: Floats, raters: int) -> float:
    """Each set of raters with each."""
    import numpy as np

    incidence = np.zeros((len(totals), raters), dtype=np.float32)
    for rows, here in members:
        incidence[here[:, None], rows] = 1
    found = 0.0
    for start in range(0, len(totals), CHUNK_SETS):
        chunk = slice(start, start + CHUNK_SETS)
        share = (incidence[chunk] @ incidence.T) > 0
        found += float(totals[chunk] @ (share @ totals))
    return found


def _by_subsets(members: list[tuple[Ints, Ints]], totals: Floats, raters: int) -> float:
    """Inclusion and exclusion: whether A and B meet is the sum of (-1)^(|S| + 1) over S within both."""
    import numpy as np

    found = 0.0
    for size in range(1, max(rows.shape[1] for rows, _ in members) + 1):
        subsets, weights = [], []
        for rows, here in members:
            for chosen in combinations(range(rows.shape[1]), size):
                subsets.append(rows[:, chosen])
                weights.append(totals[here])
        ids, number = group_rows(np.concatenate(subsets), raters)
        sums = np.bincount(ids, np.concatenate(weights), number)
        found += float(sums @ sums) * (-1) ** (size + 1)
    return found
