"""Who annotates what, in which order: every participant's layout, drawn by chance and reproducible."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.payloads import Planned

if TYPE_CHECKING:
    from studies.annotation.materials import Item
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Layout:
    """What one slot gets, as it will be stored when a person takes the slot."""

    order: tuple[Planned, ...]
    """Everything shown, in order: main items, repeats and attention checks."""
    options: tuple[str, ...]
    """The order of the labels on screen: the six mechanisms, then the escape codes where they are offered."""


def planned_slots(study: Study) -> int | None:
    """Number of slots; None where slots are made as people come (`everything`)."""
    raise NotImplementedError


def slot_order(study: Study) -> tuple[int, ...]:
    """The seeded order in which free slots are given out; empty where slots are made as people come."""
    raise NotImplementedError


def next_free(study: Study, taken: Collection[int]) -> int | None:
    """The next slot to give out, None when none is left."""
    raise NotImplementedError


def lay_out(study: Study, slot: int) -> Layout:
    """What the slot gets; always the same for one study version and slot.

    Raises:
        InputError: the design's counts do not fit the items, or the study has no such slot.
    """
    raise NotImplementedError


def feasible(n: int, l: int, r: int, items: int, *, unequal: bool = False) -> str | None:  # noqa: E741
    """None where n participants with l items each give every item r raters; else a sentence why not."""
    raise NotImplementedError


def nearest_items(n: int, l: int, r: int, items: int) -> int:  # noqa: E741
    """The largest number of items, at most `items`, for which an equal design exists; 0 if there is none."""
    raise NotImplementedError


def draw_subset(items: Sequence[Item], n: int, strata: Sequence[str], seed: int) -> list[int]:
    """Indices of a seeded, stratified subset of n items, ascending."""
    raise NotImplementedError


def williams(c: int) -> tuple[tuple[int, ...], ...]:
    """The rows of a Williams design for c conditions: c rows, or 2c where c is odd."""
    raise NotImplementedError
