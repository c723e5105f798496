"""Ratings against gold: the label that an item was written or chosen for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.cohen import Matrix, compare, crosstab
from studies.agreement.encode import nfc

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings

NO_GOLD = "no rated item has a gold label"


@dataclass(frozen=True, slots=True)
class RaterAgainstGold:
    """One rater against gold."""

    rater: str
    ratings: int
    accuracy: float | None
    kappa: float | None
    undefined_reason: str | None


@dataclass(frozen=True, slots=True)
class AgainstGold:
    """Dominant labels against gold, over all ratings together and for each rater."""

    items: int
    """Rated items with a gold label; the others are left out."""
    ratings: int
    accuracy: float | None = None
    kappa: float | None = None
    """Cohen's, over all ratings as one table."""
    categories: tuple[str, ...] = ()
    confusion: Matrix | None = None
    """Rows: gold; columns: what raters chose."""
    raters: tuple[RaterAgainstGold, ...] = ()
    undefined_reason: str | None = None


def against_gold(ratings: Ratings, gold: Mapping[str, str] | None) -> AgainstGold:
    """Accuracy and Cohen's kappa of ratings against `gold`, a label by item; gold never enters agreement."""
    import numpy as np

    labels = {item: nfc(label) for item, label in (gold or {}).items()}
    if not labels or labels.keys().isdisjoint(ratings.items):
        return AgainstGold(0, 0, undefined_reason=NO_GOLD)
    categories = tuple(dict.fromkeys((*ratings.categories, *sorted(set(labels.values())))))
    place = {name: number for number, name in enumerate(categories)}
    by_item = np.array([place[labels[one]] if one in labels else -1 for one in ratings.items], dtype=np.int64)
    right = by_item[ratings.item]
    has = right >= 0
    right, given, who = right[has], ratings.label[has], ratings.rater[has]
    q = len(categories)
    (pooled,) = compare(right, given, q, np.zeros(len(who), dtype=np.int64), 1)
    each = compare(right, given, q, who, len(ratings.raters))
    return AgainstGold(
        int((by_item >= 0).sum()),
        pooled.n,
        pooled.percent_agreement,
        pooled.kappa,
        categories,
        crosstab(right, given, q),
        tuple(RaterAgainstGold(name, *one) for name, one in zip(ratings.raters, each, strict=True) if one.n),
        pooled.undefined_reason,
    )
