"""Fleiss' kappa: value, per category, tests of kappa = 0, and the forms for unequal numbers of raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.nulls import (
    PERMUTATIONS,
    NullTest,
    fleiss_cuzick_variance,
    fleiss_nee_landis,
    gwet_permuted,
    levin_paik_permuted,
    normal_test,
)
from studies.agreement.terms import t_bounds, terms, undefined_reason

if TYPE_CHECKING:
    from studies.agreement.arrays import Floats
    from studies.agreement.ratings import Ratings

FLEISS = "Fleiss 1971"
GENERALISED = "Fleiss, Gwet's generalised form for unequal numbers of raters"
FLEISS_CUZICK = "Fleiss and Cuzick 1979"
NEVER_USED = "no rating has this dominant label"


@dataclass(frozen=True, slots=True)
class Kappa:
    """Fleiss' kappa of a table of ratings."""

    value: float | None
    method: str
    se_null: float | None = None
    """Standard error if kappa were 0: for the test only."""
    z: float | None = None
    p: float | None = None
    null_method: str | None = None
    null_undefined_reason: str | None = None
    se: float | None = None
    """Gwet's standard error: what the interval rests on."""
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    ci_undefined_reason: str | None = None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class CategoryKappa:
    """Kappa of one category against all others, by the Levin-Paik form (Fleiss' own for equal raters)."""

    value: float | None
    se_null: float | None = None
    z: float | None = None
    p: float | None = None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class LevinPaik:
    """Kappa in the form of Fleiss and Cuzick (two categories) and Levin and Paik (more)."""

    value: float | None
    z: float | None = None
    p: float | None = None
    null_method: str | None = None
    null_undefined_reason: str | None = None
    undefined_reason: str | None = None


def equal_raters(ratings: Ratings) -> bool:
    """Whether every item has the same number of ratings, two or more."""
    return bool(len(ratings)) and ratings.sizes.min() == ratings.sizes.max() >= 2


def fleiss_kappa(ratings: Ratings, seed: int | None = 0, permutations: int = PERMUTATIONS) -> Kappa:
    """Fleiss' kappa; Gwet's generalised form where the numbers of raters differ (equal where they do not).

    The interval is Gwet's: t with N - 1 degrees of freedom over N items. The test of kappa = 0 is that of
    Fleiss, Nee and Landis for equal raters; for unequal ones labels are permuted over ratings, from `seed`.
    Without a seed nothing is tested.
    """
    equal = equal_raters(ratings)
    method = FLEISS if equal else GENERALISED
    reason = undefined_reason(ratings)
    if reason:
        return Kappa(None, method, undefined_reason=reason)
    figure = terms(ratings, "fleiss")
    null = NullTest(None)
    if seed is not None:
        null = (
            fleiss_nee_landis(ratings, figure.value)
            if equal
            else gwet_permuted(ratings, figure.value, seed, permutations)
        )
    df = len(ratings.items) - 1
    bounds = t_bounds(figure.value, figure.se, df)
    return Kappa(
        figure.value,
        method,
        null.se,
        null.z,
        null.p,
        null.method,
        null.undefined_reason,
        figure.se,
        bounds.low,
        bounds.high,
        f"Gwet, t with {df} degrees of freedom",
        bounds.undefined_reason,
    )


def per_category(ratings: Ratings) -> dict[str, CategoryKappa]:
    """Kappa of each category against the rest, in the Levin-Paik form, with Fleiss and Cuzick's null test.

    kappa_j = 1 - sum_i [T (n_i - T) / n_i] / (N (n - 1) p_j q_j), n the mean number of raters. For equal
    raters this is Fleiss' own kappa_j with SE0 = sqrt(2 / (N n (n - 1))).
    """
    reason = undefined_reason(ratings)
    if reason:
        return {one: CategoryKappa(None, undefined_reason=reason) for one in ratings.categories}
    values, p = _category_kappas(ratings)
    found: dict[str, CategoryKappa] = {
        one: CategoryKappa(None, undefined_reason=NEVER_USED) for one in ratings.categories
    }
    variances = fleiss_cuzick_variance(ratings, p[ratings.used])
    for category, variance in zip(ratings.used.tolist(), variances.tolist(), strict=True):
        null = normal_test(float(values[category]), variance, FLEISS_CUZICK)
        found[ratings.categories[category]] = CategoryKappa(
            float(values[category]), null.se, null.z, null.p, null.undefined_reason
        )
    return found


def levin_paik(ratings: Ratings) -> LevinPaik:
    """Kappa as the mean of the categories' kappas with weights p_j q_j: the form for unequal raters.

    The test is Fleiss and Cuzick's for two categories; that of Fleiss, Nee and Landis for more and equal
    raters; else the exact variance over permutations of the labels.
    """
    reason = undefined_reason(ratings)
    if reason:
        return LevinPaik(None, undefined_reason=reason)
    values, p = _category_kappas(ratings)
    weights = (p * (1 - p))[ratings.used]
    value = float(weights @ values[ratings.used] / weights.sum())
    if len(ratings.used) == 2:
        variance = float(fleiss_cuzick_variance(ratings, p[ratings.used[:1]])[0])
        null = normal_test(value, variance, FLEISS_CUZICK)
    elif equal_raters(ratings):
        null = fleiss_nee_landis(ratings, value)
    else:
        null = levin_paik_permuted(ratings, value)
    return LevinPaik(value, null.z, null.p, null.method, null.undefined_reason)


def _category_kappas(ratings: Ratings) -> tuple[Floats, Floats]:
    """Each category's kappa (0 where it was never used) and its share of all ratings."""
    import numpy as np

    cells, sizes = ratings.entries, ratings.sizes[ratings.entries.item]
    split = cells.times * (sizes - cells.times) / sizes
    p = ratings.totals / len(ratings)
    chance = (len(ratings) - len(ratings.items)) * p * (1 - p)
    disagreement = np.bincount(cells.label, split, len(ratings.categories))
    used = chance > 0
    return np.where(used, 1 - disagreement / np.where(used, chance, 1), 0.0), p
