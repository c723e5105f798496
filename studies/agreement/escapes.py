"""Three readings of the codes for `not ambiguous` and `other`: as they are, merged, items without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.encode import nfc
from studies.agreement.fleiss import Kappa, fleiss_kappa
from studies.agreement.terms import percent_agreement

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings

NOT_USED = "no rating has an escape code, so the three readings are one"
NONE_LEFT = "somebody used an escape code on every item"
CONDITIONAL = (
    "conditional and optimistic: only items on which nobody used an escape code, which are the clearer ones"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """Agreement under one reading of the data."""

    value: float | None
    """Fleiss' kappa."""
    ci_low: float | None
    ci_high: float | None
    method: str
    ci_method: str | None
    percent_agreement: float | None
    items: int
    ratings: int
    share_kept: float
    """Of the items."""
    note: str
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class EscapeReadings:
    """What escape codes do to agreement."""

    codes: tuple[str, ...]
    """The codes that count as escapes."""
    used: float
    """Share of the ratings that are an escape."""
    all: Reading
    """Every code is a category of its own."""
    merged: Reading
    """All escapes are one category."""
    none_used: Reading
    """Only items on which nobody used one."""


def escape_readings(ratings: Ratings, codes: Sequence[str], whole: Kappa) -> EscapeReadings:
    """The three readings; `whole` is the kappa of these ratings with every code as a category."""
    import numpy as np

    codes = tuple(nfc(one) for one in codes)
    escapes = [number for number, one in enumerate(ratings.categories) if one in codes]
    is_escape = np.isin(ratings.label, escapes)
    if not is_escape.any():
        same = reading(ratings, whole, NOT_USED, 1.0)
        return EscapeReadings(codes, 0.0, same, same, same)
    used = [ratings.categories[one] for one in escapes if ratings.totals[one]]
    merged = ratings.dominant_only(
        (*ratings.categories, "+".join(used)), np.where(is_escape, len(ratings.categories), ratings.label)
    )
    clean = np.bincount(ratings.item[is_escape], minlength=len(ratings.items)) == 0
    kept = ratings.keep_items(clean)
    return EscapeReadings(
        codes,
        float(is_escape.mean()),
        reading(ratings, whole, "all codes", 1.0),
        reading(merged, fleiss_kappa(merged, seed=None), f"{' and '.join(used)} as one category", 1.0),
        reading(kept, fleiss_kappa(kept, seed=None), CONDITIONAL, float(clean.mean())),
    )


def reading(ratings: Ratings, kappa: Kappa, note: str, share_kept: float) -> Reading:
    """The figures of one reading of the data."""
    return Reading(
        kappa.value,
        kappa.ci_low,
        kappa.ci_high,
        kappa.method,
        kappa.ci_method,
        percent_agreement(ratings),
        len(ratings.items),
        len(ratings),
        share_kept,
        note,
        kappa.undefined_reason if len(ratings) or share_kept else NONE_LEFT,
    )
