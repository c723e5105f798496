"""The interval for other clusters: items that belong together (as questions about one task) vary together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from studies.agreement.terms import t_bounds, terms, undefined_reason

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings

ONE_CLUSTER = "there is a single cluster"


@dataclass(frozen=True, slots=True)
class ClusterInterval:
    """A coefficient with a 95% interval for other clusters of items."""

    value: float | None
    ci_low: float | None = None
    ci_high: float | None = None
    se: float | None = None
    clusters: int = 0
    method: str = "variance over clusters of items, t with clusters - 1 degrees of freedom"
    undefined_reason: str | None = None
    ci_undefined_reason: str | None = None


def cluster_interval(
    ratings: Ratings,
    clusters: Mapping[str, str],
    chance: Literal["fleiss", "ac1"] = "fleiss",
    weights: Mapping[str, float] | None = None,
) -> ClusterInterval:
    """value -+ t sqrt(C / (C - 1) sum_c (sum of e_i in c)^2) / N, with C - 1 degrees of freedom.

    e_i is an item's influence on the coefficient (Gwet's linearised form); the sums over clusters are the
    usual variance of a sample of clusters.

    Args:
        ratings: the table.
        clusters: the cluster of each item.
        chance: Fleiss' kappa in Gwet's form, or AC1.
        weights: by item, how much it counts for; all alike without them.
    """
    import numpy as np

    reason = undefined_reason(ratings)
    if reason:
        return ClusterInterval(None, undefined_reason=reason)
    each = None if weights is None else np.array([weights[one] for one in ratings.items])
    figure = terms(ratings, chance, each)
    names: Sequence[str] = [clusters[one] for one in ratings.items]
    _, place = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    number = int(place.max()) + 1
    if number < 2:
        return ClusterInterval(figure.value, clusters=number, ci_undefined_reason=ONE_CLUSTER)
    sums = np.bincount(place, figure.influence, number)
    se = float((number / (number - 1) * float(sums @ sums)) ** 0.5 / len(ratings.items))
    bounds = t_bounds(figure.value, se, number - 1)
    return ClusterInterval(
        figure.value, bounds.low, bounds.high, se, number, ci_undefined_reason=bounds.undefined_reason
    )
