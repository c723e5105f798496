"""Comparing an author's gaps with a cross-checker's questions, and settling where they differ: as fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.clarification.authored import Draft
from studies.clarification.payloads import DifferencesSettled, GapsCompared
from studies.clarification.taxonomy import TYPES
from studies.steps import Field, Option

SCREEN = 8
"""Questions on one screen."""
YES_NO = (Option("yes", "yes"), Option("no", "no"))
NONE_OF_MINE = 0


def type_options() -> tuple[Option, ...]:
    """The eleven types, each with its meaning."""
    return tuple(Option(name, f"{one.label}: {one.meaning}") for name, one in TYPES.items())


def compare_fields(draft: Draft, own: tuple[str, ...]) -> tuple[Field, ...]:
    """For each gap which own question is about it, and of what type it is; the author's types stay unseen."""
    mine = tuple(Option(place, text) for place, text in enumerate(own, start=1))
    fields: list[Field] = []
    for number, gap in enumerate(draft.gaps, start=1):
        told = f"Left out: {gap.question}\nThe answer: {gap.answer}\nWhich of your questions asks about it?"
        fields.append(Field(f"found-{number}", "choice", told, (*mine, Option(NONE_OF_MINE, "none of mine"))))
        fields.append(Field(f"type-{number}", "choice", "What kind of gap is that?", type_options()))
    return tuple(fields)


def settle_fields(
    draft: Draft, own: tuple[str, ...], found: tuple[int, ...], types: tuple[str, ...]
) -> tuple[tuple[Field, ...], ...]:
    """What is to be settled, in screens; none where both agree on everything.

    Args:
        draft: the author's.
        own: the cross-checker's questions.
        found: for each gap the number of the own question about it, or 0.
        types: for each gap the cross-checker's type.
    """
    fields: list[Field] = []
    for number, (gap, seen, type_) in enumerate(zip(draft.gaps, found, types, strict=True), start=1):
        if type_ != gap.type:
            told = f"{gap.question}\nIts author and you name different kinds. Which one is it?"
            both = tuple(one for one in type_options() if one.value in (gap.type, type_))
            fields.append(Field(f"type-{number}", "choice", told, both))
        if seen == NONE_OF_MINE:
            told = f"{gap.question}\nYou did not ask about this. Would the program depend on it?"
            fields.append(Field(f"kept-{number}", "choice", told, YES_NO))
    for number, question in enumerate(own, start=1):
        if number not in found:
            told = f"{question}\nYou asked this, and its author did not name it. Is it left out as well?"
            fields.append(Field(f"further-{number}", "choice", told, YES_NO))
    return tuple(tuple(fields[at : at + SCREEN]) for at in range(0, len(fields), SCREEN))


def screens_of(draft: Draft, own: tuple[str, ...], compared: GapsCompared) -> tuple[tuple[Field, ...], ...]:
    """What is to be settled after a comparison."""
    return settle_fields(draft, own, compared.found, compared.types)


def settled_from(step: str, item: str, answers: Mapping[str, Any]) -> DifferencesSettled:
    """The event of one screen of differences."""

    def some(name: str) -> dict[str, Any]:
        return {key.removeprefix(name): value for key, value in answers.items() if key.startswith(name)}

    return DifferencesSettled(
        step,
        item,
        some("type-"),
        {number: value == "yes" for number, value in some("kept-").items()},
        {number: value == "yes" for number, value in some("further-").items()},
    )
