"""The eleven types of ambiguity that ClarifyCodeBench labels its gaps with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

AmbiguityType = Literal[
    "terminology",
    "behavior",
    "edge-cases",
    "indices-ranges",
    "ordering-atomicity",
    "output-format",
    "comparison-rules",
    "units",
    "collection-semantics",
    "numerical-precision",
    "string-localization",
]
"""Stable ids, as they are stored."""


@dataclass(frozen=True, slots=True)
class TypeEntry:
    """One type, for people."""

    label: str
    """As the benchmark's files write it."""
    meaning: str
    """What is left open, in one sentence."""


TYPES: Mapping[AmbiguityType, TypeEntry] = {
    "terminology": TypeEntry("Terminology", "A word or symbol has no definition, or more than one."),
    "behavior": TypeEntry("Behavior", "What is to be achieved, or a side effect, is left open."),
    "edge-cases": TypeEntry(
        "Edge Cases", "It is not said what happens with empty, extreme or impossible input."
    ),
    "indices-ranges": TypeEntry(
        "Indices & Ranges", "Where counting begins, or whether an end belongs to a range, is left open."
    ),
    "ordering-atomicity": TypeEntry(
        "Ordering & Atomicity", "In which order steps happen, or whether they happen as one, is left open."
    ),
    "output-format": TypeEntry("Output Format", "What the result looks like is not said exactly."),
    "comparison-rules": TypeEntry(
        "Comparison Rules", "By what things are compared, or what happens in a tie, is left open."
    ),
    "units": TypeEntry("Units", "In which unit a quantity is given or wanted is not said."),
    "collection-semantics": TypeEntry(
        "Collection Semantics", "What belongs to a collection, how often, or how it changes, is left open."
    ),
    "numerical-precision": TypeEntry(
        "Numerical Precision", "How a number is rounded, or how exact it must be, is not said."
    ),
    "string-localization": TypeEntry(
        "String & Localization", "How letter case, alphabets, accents or languages count is left open."
    ),
}
"""What each type means, in the order in which it is shown."""


def type_of(label: str) -> AmbiguityType | None:
    """The type that a label of the benchmark's files names; case and outer space do not count."""
    wanted = label.strip().casefold()
    return next((name for name, one in TYPES.items() if one.label.casefold() == wanted), None)
