"""One label at a time: did a rater see it in the item at all, as dominant or additional label?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.krippendorff import label_sets
from studies.agreement.terms import NO_PAIRS, ONE_ITEM

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings

NEVER = "no rating has this label"
ALWAYS = "every rating has this label"
MOST_LABELS = 200


@dataclass(frozen=True, slots=True)
class BinaryAgreement:
    """Agreement on whether a label applies, dominant or additional."""

    share: float
    """Of the ratings, those that have the label."""
    percent_agreement: float | None
    kappa: float | None
    """Fleiss' kappa of two categories, Gwet's form where the numbers of raters differ."""
    gwet_ac1: float | None
    undefined_reason: str | None = None


def per_mechanism(ratings: Ratings) -> dict[str, BinaryAgreement] | None:
    """Binary kappa and AC1 of each label on {dominant} and additional; None without additional labels."""
    import numpy as np

    if not ratings.extra.any() or len(ratings.categories) > MOST_LABELS:
        return None
    items, sizes = len(ratings.items), ratings.sizes.astype(np.float64)
    pairable = sizes >= 2
    pairs = int(pairable.sum())
    sets, union = label_sets(ratings)
    found: dict[str, BinaryAgreement] = {}
    for number, label in enumerate(ratings.categories):
        holds = np.array([float(number in one) for one in sets])[union]
        times = np.bincount(ratings.item, holds, items)
        total = int(times.sum())
        share = total / len(ratings)
        disagreeing = 2 * times * (sizes - times) / np.maximum(sizes * (sizes - 1), 1)
        agreement = 1 - float(disagreeing.sum()) / pairs if pairs else None
        pi = float((times / sizes).mean())
        reason = (
            (NO_PAIRS if not pairs else None)
            or (NEVER if not total else ALWAYS if total == len(ratings) else None)
            or (ONE_ITEM if items == 1 else None)
        )
        if reason or agreement is None:
            found[label] = BinaryAgreement(share, agreement, None, None, reason)
            continue
        chance = 2 * pi * (1 - pi)
        kappa = (agreement - (1 - chance)) / chance
        found[label] = BinaryAgreement(share, agreement, kappa, (agreement - chance) / (1 - chance))
    return found
