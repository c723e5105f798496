"""What a screen needs beside the fields of an interview round, and of the sheet that is edited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from studies.specification.sheet import Change, Statement


@dataclass(frozen=True, slots=True)
class Interview:
    """A question of the interview."""

    round: int
    """From 1."""
    budget: int
    """Questions at most."""
    why: str
    """Why it is asked."""
    single: bool
    """Whether one option is to be picked."""
    settled: int
    """Dimensions settled without asking."""
    dimensions: int
    """All dimensions; 0 for an agent without any."""
    chart: bool
    """Whether the participant may look at the chart."""


@dataclass(frozen=True, slots=True)
class SheetView:
    """A sheet that is being edited."""

    title: str
    sections: Mapping[str, tuple[Statement, ...]]
    """As the agent's review left it."""
    changes: tuple[Change, ...]
    """What the review changed; each is accepted or refused by the field of its id."""
    written: Mapping[str, str]
    """Sections that the person has rewritten, as far as answered."""
    struck: tuple[str, ...]
    """Ids of statements that the person has struck."""
    refused: tuple[str, ...]
    """Ids of changes that the person has refused."""
    texts: Mapping[str, str]
    """The text of each section as it stands now."""
