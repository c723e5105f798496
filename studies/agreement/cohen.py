"""Named pairs of raters: Cohen's kappa and who took what for what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from studies.agreement.arrays import pairs_within
from studies.agreement.terms import ONE_ITEM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from studies.agreement.arrays import Ints
    from studies.agreement.ratings import Ratings

MOST_PAIRS = 1_000
"""Pairs of raters that are reported one by one."""
MOST_CELLS = 1_000_000
"""Of all pairs' confusion matrices together."""
MOST_CATEGORIES = 100
"""Categories of a confusion matrix."""
TOO_MANY_PAIRS = (
    f"more than {MOST_PAIRS:,} pairs of raters, or {MOST_CELLS:,} cells in their confusion matrices"
)
NOTHING_SHARED = "there is nothing to compare"
ONE_EACH = "both used one and the same category"

Matrix = tuple[tuple[int, ...], ...]


class TwoColumns(NamedTuple):
    """Agreement of two columns of labels."""

    n: int
    percent_agreement: float | None
    kappa: float | None
    undefined_reason: str | None


@dataclass(frozen=True, slots=True)
class CohenPair:
    """Two raters on the items that both rated."""

    rater_a: str
    rater_b: str
    items: int
    percent_agreement: float | None
    kappa: float | None
    confusion: Matrix
    """Rows: rater a's labels; columns: rater b's; both in the order of the categories."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class CohenPairs:
    """All pairs that share an item, or why they are not listed."""

    pairs: tuple[CohenPair, ...] | None
    omitted_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Confusion:
    """Labels of one item by two of its raters, over all ordered pairs of raters: symmetric."""

    categories: tuple[str, ...]
    matrix: Matrix | None
    omitted_reason: str | None = None


def cohen_kappa(n: int, agreed: int, chance: int) -> TwoColumns:
    """Cohen's kappa (1960): (po - pe) / (1 - pe), po = agreed / n, pe = chance / n^2.

    `chance` is the sum over categories of one column's count times the other's. Whole numbers, so that
    complete agreement by chance is seen exactly.
    """
    if not n:
        return TwoColumns(0, None, None, NOTHING_SHARED)
    if n == 1 or chance == n * n:
        return TwoColumns(n, agreed / n, None, ONE_ITEM if n == 1 else ONE_EACH)
    return TwoColumns(n, agreed / n, (agreed * n - chance) / (n * n - chance), None)


def compare(first: Ints, second: Ints, categories: int, group: Ints, groups: int) -> list[TwoColumns]:
    """Cohen's kappa of two columns of labels, for each group of rows."""
    import numpy as np

    n = np.bincount(group, minlength=groups)
    agreed = np.bincount(group[first == second], minlength=groups)
    one, other = (
        np.bincount(group * categories + labels, minlength=groups * categories).reshape(groups, categories)
        for labels in (first, second)
    )
    chance = np.einsum("ij,ij->i", one, other)
    return [cohen_kappa(*row) for row in zip(n.tolist(), agreed.tolist(), chance.tolist(), strict=True)]


def crosstab(first: Ints, second: Ints, categories: int) -> Matrix | None:
    """How often each label of `first` met each of `second`; None where there are too many categories."""
    import numpy as np

    if categories > MOST_CATEGORIES:
        return None
    cells = np.bincount(first * categories + second, minlength=categories**2)
    return to_matrix(cells.reshape(categories, categories))


def to_matrix(table: NDArray[Any]) -> Matrix:
    """A table of counts as tuples of whole numbers."""
    return tuple(tuple(int(cell) for cell in row) for row in table.tolist())


def cohen_pairs(ratings: Ratings) -> CohenPairs:
    """Cohen's kappa and confusion of each two raters who share an item, in the raters' order."""
    import numpy as np

    q, raters = len(ratings.categories), len(ratings.raters)
    most = int(ratings.sizes.max(initial=0))
    # One crowded item, or very many raters, tell beforehand that there are too many pairs to go through.
    if most * (most - 1) // 2 > MOST_PAIRS or raters > 2 * MOST_PAIRS:
        return CohenPairs(None, TOO_MANY_PAIRS)
    met = np.zeros(raters**2, dtype=bool)
    for one, other in pairs_within(ratings.item):
        met[ratings.rater[one] * raters + ratings.rater[other]] = True
    distinct = np.flatnonzero(met)
    if len(distinct) > MOST_PAIRS or len(distinct) * q * q > MOST_CELLS:
        return CohenPairs(None, TOO_MANY_PAIRS)
    place = np.cumsum(met) - 1
    counts = np.zeros(len(distinct) * q * q, dtype=np.int64)
    for one, other in pairs_within(ratings.item):
        pair = place[ratings.rater[one] * raters + ratings.rater[other]]
        cells = (pair * q + ratings.label[one]) * q + ratings.label[other]
        counts += np.bincount(cells, minlength=len(counts))
    pairs = []
    for key, table in zip(distinct.tolist(), counts.reshape(len(distinct), q, q), strict=True):
        chance = int(table.sum(axis=0) @ table.sum(axis=1))
        found = cohen_kappa(int(table.sum()), int(table.trace()), chance)
        pairs.append(
            CohenPair(
                ratings.raters[key // raters],
                ratings.raters[key % raters],
                found.n,
                found.percent_agreement,
                found.kappa,
                to_matrix(table),
                found.undefined_reason,
            )
        )
    return CohenPairs(tuple(pairs))


def confusion(ratings: Ratings) -> Confusion:
    """How often one rater's label met another rater's on the same item; each pair counts in both orders."""
    import numpy as np

    q, cells = len(ratings.categories), ratings.entries
    if q > MOST_CATEGORIES:
        return Confusion(ratings.categories, None, f"there are more than {MOST_CATEGORIES} categories")
    table = np.zeros((q, q))
    for one, other in pairs_within(cells.item):
        weights = (cells.times[one] * cells.times[other]).astype(np.float64)
        half = np.bincount(cells.label[one] * q + cells.label[other], weights, q * q).reshape(q, q)
        table += half + half.T
    same = np.bincount(cells.label, (cells.times * (cells.times - 1)).astype(np.float64), q)
    table[np.diag_indices(q)] += same
    return Confusion(ratings.categories, to_matrix(table))
