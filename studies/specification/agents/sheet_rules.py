"""What is wrong with a sheet or its review, in words that a model can act on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from studies.specification.agents.sheet_shapes import statements_of
from studies.specification.agents.synthesis import lacking, reviewed, sheet_of
from studies.specification.agents.words import clipped, same
from studies.specification.sections import SECTIONS
from studies.specification.sheet import MOST_CHARACTERS, Sheet

if TYPE_CHECKING:
    from studies.specification.agents.sheet_shapes import Review, StatementGiven, Synthesis
    from studies.specification.agents.synthesis import Grounds


def synthesis_problems(synthesis: Synthesis, grounds: Grounds) -> Iterator[str]:
    """Too much, said twice, resting on nothing that exists, or silent on what the person decided."""
    for name, given in statements_of(synthesis).items():
        yield from _grounded(name, given, grounds)
    yield from _whole(sheet_of(synthesis, grounds), grounds)


def review_problems(review: Review, sheet: Sheet, grounds: Grounds) -> Iterator[str]:
    """Statements that do not exist, changes that change nothing, and a sheet that is none afterwards."""
    gone = [one for change in review.changes for one in change.remove]
    for name, count in Counter(gone).items():
        if count > 1:
            yield f"{name} is taken out {count} times; once is enough"
    for number, change in enumerate(review.changes, start=1):
        there = {one.id: one.text for one in sheet.sections[change.section]}
        for name in change.remove:
            if name not in there:
                yield f"change {number}: {change.section} has no statement {name!r}"
        if not change.remove and not change.add:
            yield f"change {number} changes nothing; leave it out"
        kept = {same(there[name]) for name in change.remove if name in there}
        for one in change.add:
            if same(one.text) in kept:
                yield f"change {number} puts back what it takes out: {clipped(one.text, 60)!r}"
        yield from _grounded(f"change {number}", change.add, grounds)
    yield from _whole(reviewed(sheet, review, grounds), grounds)


def _grounded(where: str, given: Sequence[StatementGiven], grounds: Grounds) -> Iterator[str]:
    for number, statement in enumerate(given, start=1):
        for one in statement.grounds:
            if grounds.read(one) is None:
                there = clipped(", ".join(grounds.refs(one.sort)), 300) or "there is none"
                yield f"{where}, statement {number}: no {one.sort} {one.ref!r} to rest on; known: {there}"


def _whole(sheet: Sheet, grounds: Grounds) -> Iterator[str]:
    for name in SECTIONS:
        if not sheet.sections[name]:
            yield f"{name} is empty; every section says something"
    if sheet.characters >= MOST_CHARACTERS:
        yield (
            f"the statements have {sheet.characters} characters together; they must have fewer than "
            f"{MOST_CHARACTERS}"
        )
    for text, count in Counter(same(one.text) for one in sheet.statements).items():
        if count > 1:
            yield f"said {count} times: {clipped(text, 60)!r}"
    if missing := lacking(sheet, grounds.confirmed):
        yield (
            f"the person decided these, and no statement rests on them: {', '.join(missing)}; state each, "
            'with {"sort": "decision", "ref": KEY} among its grounds'
        )
