"""Tests of kappa = 0. Their standard errors hold only if kappa is zero and serve no interval (Gwet 2021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.arrays import generator

if TYPE_CHECKING:
    import numpy as np

    from studies.agreement.arrays import Floats
    from studies.agreement.ratings import Ratings

PERMUTATIONS = 10_000
FEWEST_PERMUTATIONS = 500
PERMUTED_CELLS = 20_000_000
"""Labels drawn in one permutation test; a larger table gets fewer permutations."""
CHUNK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class NullTest:
    """A two-sided test of kappa = 0."""

    method: str | None
    se: float | None = None
    z: float | None = None
    p: float | None = None
    undefined_reason: str | None = None


def normal_test(value: float, variance: float, method: str) -> NullTest:
    """z = value / sqrt(variance) against the standard normal."""
    from scipy.special import ndtr

    # Zero but for rounding.
    if variance <= 1e-24:
        return NullTest(method, undefined_reason="the standard error is zero")
    z = value / variance**0.5
    return NullTest(method, float(variance**0.5), float(z), float(2 * ndtr(-abs(z))))


def fleiss_nee_landis(ratings: Ratings, kappa: float) -> NullTest:
    """For equal numbers of raters n on N items (Fleiss, Nee and Landis 1979).

    SE0 = sqrt(2) / (S sqrt(N n (n - 1))) sqrt(S^2 - sum p q (q - p)), S = sum p q.
    """
    import numpy as np

    n, items = int(ratings.sizes[0]), len(ratings.items)
    p = ratings.totals / len(ratings)
    pq = p * (1 - p)
    s = float(pq.sum())
    variance = 2 * (s * s - float(np.sum(pq * (1 - 2 * p)))) / (s * s * items * n * (n - 1))
    return normal_test(kappa, variance, "Fleiss, Nee and Landis 1979")


def fleiss_cuzick_variance(ratings: Ratings, p: Floats) -> Floats:
    """Null variance of the kappa of two categories with shares p and 1 - p (Fleiss and Cuzick 1979).

    With n the arithmetic and h the harmonic mean of the items' numbers of raters:
    (2 (h - 1) + (n - h) (1 - 4 p q) / (n p q)) / ((n - 1)^2 N h). Each p lies strictly between 0 and 1.
    """
    items = len(ratings.items)
    mean = len(ratings) / items
    harmonic = items / float((1.0 / ratings.sizes).sum())
    pq = p * (1 - p)
    spread = 2 * (harmonic - 1) + (mean - harmonic) * (1 - 4 * pq) / (mean * pq)
    return spread / ((mean - 1) ** 2 * items * harmonic)


def levin_paik_permuted(ratings: Ratings, kappa: float) -> NullTest:
    """For any numbers of raters and categories: the exact variance of kappa when labels are permuted.

    The Levin-Paik kappa is linear in sum over ordered pairs of ratings (a, b) of W_ab Y_ab, where W_ab is
    1 / n_i for two ratings of item i and Y_ab is 1 for different labels. Over all permutations of the labels
    such a sum has the variance of Mantel 1967, from the sums, sums of squares and row sums of W and Y.
    """
    from fractions import Fraction

    sizes, totals = ratings.sizes, ratings.totals
    r, items = len(ratings), len(ratings.items)
    method = "labels permuted over ratings, exact variance (Mantel 1967)"
    if r < 4:
        return NullTest(method, undefined_reason="there are fewer than four ratings")
    w0 = r - items
    # Fractions: the last two terms of the variance are large and nearly equal.
    w1 = 2 * (items - Fraction(float((1.0 / sizes).sum())))
    w2 = 4 * Fraction(float(((sizes - 1.0) ** 2 / sizes).sum()))
    counts = [int(one) for one in totals]
    y0 = r * r - sum(c * c for c in counts)
    y1 = 2 * y0
    y2 = 4 * sum(c * (r - c) ** 2 for c in counts)
    pairs = r * (r - 1)
    variance = (
        w1 * y1 / (2 * pairs)
        + (w2 - 2 * w1) * (y2 - 2 * y1) / (4 * pairs * (r - 2))
        + (w0 * w0 + w1 - w2) * (y0 * y0 + y1 - y2) / (pairs * (r - 2) * (r - 3))
        - Fraction(w0 * y0, pairs) ** 2
    )
    scale = Fraction(w0 * y0, r * r)
    return normal_test(kappa, float(variance / scale**2), method)


def gwet_permuted(ratings: Ratings, kappa: float, seed: int, permutations: int = PERMUTATIONS) -> NullTest:
    """For Gwet's form with unequal numbers of raters: labels are permuted over ratings, seeded.

    p = (1 + permutations with |kappa*| >= |kappa|) / (1 + permutations); se is their standard deviation.
    """
    import numpy as np

    method = "labels permuted over ratings"
    width = max(len(ratings), len(ratings.items) * len(ratings.used))
    draws = min(permutations, PERMUTED_CELLS // width)
    if draws < min(permutations, FEWEST_PERMUTATIONS):
        return NullTest(method, undefined_reason=f"{len(ratings)} ratings are too many to permute")
    rng = generator(seed, "permutation")
    found = np.concatenate(
        [
            _permuted(ratings, min(chunk, draws - done), rng)
            for chunk in [max(1, CHUNK_CELLS // width)]
            for done in range(0, draws, chunk)
        ]
    )
    # Kappas that are equal but for rounding count as equal.
    extreme = int((np.abs(found) >= abs(kappa) - 1e-12).sum())
    method = f"{method}, {draws} permutations, seed {seed}"
    se = float(found.std())
    if se < 1e-12:
        return NullTest(method, undefined_reason="every permutation has the same kappa")
    return NullTest(method, se, kappa / se, (1 + extreme) / (1 + draws))


def _permuted(ratings: Ratings, draws: int, rng: np.random.Generator) -> Floats:
    """Gwet's form of kappa after each of some permutations of the labels."""
    import numpy as np

    items, used = len(ratings.items), len(ratings.used)
    dense = np.searchsorted(ratings.used, ratings.label)
    labels = rng.permuted(np.broadcast_to(dense, (draws, len(dense))), axis=1)
    cells = (np.arange(draws)[:, None] * items + ratings.item) * used + labels
    tables = np.bincount(cells.ravel(), minlength=draws * items * used).reshape(draws, items, used)
    sizes = ratings.sizes.astype(np.float64)
    pairable = sizes >= 2
    squares = np.einsum("dij,dij->di", tables, tables)
    agreement = (squares - sizes) @ (pairable / np.maximum(sizes * (sizes - 1), 1)) / pairable.sum()
    pi = np.einsum("dij,i->dj", tables, 1 / sizes) / items
    expected = np.einsum("dj,dj->d", pi, pi)
    kappas: Floats = (agreement - expected) / (1 - expected)
    return kappas
