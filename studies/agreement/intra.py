"""A rater against themself: the first and the repeated rating of an item."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.cohen import Matrix, compare, crosstab

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings

NO_REPEATS = "no rater has rated an item a second time"


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """One rater's first against repeated ratings."""

    rater: str
    pairs: int
    percent_agreement: float | None
    kappa: float | None
    undefined_reason: str | None


@dataclass(frozen=True, slots=True)
class IntraRater:
    """First against repeated ratings, over all raters together and for each."""

    pairs: int
    percent_agreement: float | None = None
    kappa: float | None = None
    """Cohen's, over all pairs as one table."""
    categories: tuple[str, ...] = ()
    confusion: Matrix | None = None
    """Rows: the first label; columns: the repeated one."""
    raters: tuple[SelfAgreement, ...] = ()
    unmatched: int = 0
    """Repeated ratings without a first one in the table: left out."""
    undefined_reason: str | None = None


def intra_rater(first: Ratings, repeat: Ratings | None) -> IntraRater:
    """Agreement of each rater with themself on the items that they rated twice."""
    import numpy as np

    if repeat is None or not len(repeat):
        return IntraRater(0, undefined_reason=NO_REPEATS)
    categories = tuple(dict.fromkeys((*first.categories, *repeat.categories)))
    item, rater, label = (
        np.array([places.get(name, -1) for name in names], dtype=np.int64)[values]
        for places, names, values in (
            ({name: n for n, name in enumerate(first.items)}, repeat.items, repeat.item),
            ({name: n for n, name in enumerate(first.raters)}, repeat.raters, repeat.rater),
            ({name: n for n, name in enumerate(categories)}, repeat.categories, repeat.label),
        )
    )
    known = (item >= 0) & (rater >= 0)
    wanted = (item * len(first.raters) + rater)[known]
    keys = first.item * len(first.raters) + first.rater
    place = np.minimum(np.searchsorted(keys, wanted), max(0, len(keys) - 1))
    matched = keys[place] == wanted if len(keys) else np.zeros(0, dtype=bool)
    before, after = first.label[place[matched]], label[known][matched]
    who = rater[known][matched]
    unmatched = len(repeat) - len(who)
    if not len(who):
        return IntraRater(0, unmatched=unmatched, undefined_reason=NO_REPEATS)
    q = len(categories)
    (pooled,) = compare(before, after, q, np.zeros(len(who), dtype=np.int64), 1)
    each = compare(before, after, q, who, len(first.raters))
    return IntraRater(
        pooled.n,
        pooled.percent_agreement,
        pooled.kappa,
        categories,
        crosstab(before, after, q),
        tuple(SelfAgreement(name, *one) for name, one in zip(first.raters, each, strict=True) if one.n),
        unmatched,
        pooled.undefined_reason,
    )
