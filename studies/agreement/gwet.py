"""Gwet's AC1: agreement corrected for chance in a way that skewed categories do not upset."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.terms import t_bounds, terms, undefined_reason

if TYPE_CHECKING:
    from studies.agreement.ratings import Ratings


@dataclass(frozen=True, slots=True)
class AC1:
    """AC1 with Gwet's standard error and 95% interval, t with N - 1 degrees of freedom over N items."""

    value: float | None
    se: float | None = None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_undefined_reason: str | None = None
    undefined_reason: str | None = None


def gwet_ac1(ratings: Ratings) -> AC1:
    """AC1 over the categories that were used (Gwet 2008), for any numbers of raters."""
    reason = undefined_reason(ratings)
    if reason:
        return AC1(None, undefined_reason=reason)
    figure = terms(ratings, "ac1")
    bounds = t_bounds(figure.value, figure.se, len(ratings.items) - 1)
    return AC1(figure.value, figure.se, bounds.low, bounds.high, bounds.undefined_reason)
