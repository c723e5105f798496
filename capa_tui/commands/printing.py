"""Words that tables of outcomes share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.statistics.intervals import Interval


def by_words(by: Mapping[str, str | int | None]) -> str:
    """What a group has in common: `agent buddy, budget 5`; `all` for the whole."""
    told = (f"{key} {'undefined' if value in (None, '') else value}" for key, value in by.items())
    return ", ".join(told) or "all"


def interval_words(one: Interval | None) -> str:
    """An interval's ends, or why there are none."""
    if one is None or one.low is None:
        return f"undefined: {one.undefined_reason}" if one is not None else "undefined"
    return f"{one.low:.4f} to {one.high:.4f}"
