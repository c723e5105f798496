"""Every revision of a sheet, with its author: the agent before and after its own review, then the person."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from studies.specification import payloads as said
from studies.specification.editing import REFUSE, kept_sheet
from studies.specification.sections import SECTIONS
from studies.specification.sheet import Sheet

Stage = Literal["synthesis", "review", "edit"]


@dataclass(frozen=True, slots=True)
class Revision:
    """A sheet as somebody left it."""

    number: int
    """From 1."""
    author: Literal["agent", "participant"]
    stage: Stage
    frozen: bool
    """Whether this is the one that was rated."""
    sheet: Sheet
    """Its statements; those of a section that the person rewrote are what stood there before."""
    texts: Mapping[str, str]
    """The text of each section, in order."""
    rewritten: frozenset[str]
    """Sections whose text is the person's own."""
    at: str
    """When it was stored."""


def revisions(
    frozen: Sheet, frozen_at: str, edits: Sequence[tuple[said.SheetEdited, str]]
) -> tuple[Revision, ...]:
    """The revisions of a session's sheet, in order.

    A review that changed nothing leaves none of its own.

    Args:
        frozen: the sheet that was rated.
        frozen_at: when it was stored.
        edits: what the person made of it, with the time of each.
    """
    return tuple(_revisions(frozen, frozen_at, edits))


def _revisions(
    frozen: Sheet, frozen_at: str, edits: Sequence[tuple[said.SheetEdited, str]]
) -> Iterator[Revision]:
    first = kept_sheet(frozen, {one.id: REFUSE for one in frozen.changes})
    nothing = frozenset[str]()
    yield Revision(1, "agent", "synthesis", not frozen.changes, first, first.texts(), nothing, frozen_at)
    number = 1
    if frozen.changes:
        number = 2
        yield Revision(2, "agent", "review", True, frozen, frozen.texts(), nothing, frozen_at)
    for edit, at in edits:
        number += 1
        kept = kept_sheet(frozen, edit.answers)
        texts: dict[str, str] = {name: edit.sections.get(name, "") for name in SECTIONS}
        own = frozenset(name for name, text in kept.texts().items() if texts[name] != text)
        yield Revision(number, "participant", "edit", False, kept, texts, own, at)
