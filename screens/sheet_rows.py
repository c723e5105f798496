"""A sheet that is edited, as rows: what stands in a section, what became of it, what it is based on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from studies.specification.sections import TITLES
from studies.specification.sheet import Change, Ground, Statement
from studies.specification.views import SheetView

Verdict = Literal["accept", "refuse"]
TEXT, NOTHING = "text", "nothing"
"""Keys of the only row of a section that the person rewrote, and of an empty one."""
REASONS = {
    "coverage": "something that you want was missing",
    "scope_creep": "it said more than you asked for",
    "must_have": "something that must stay had been changed or lost",
    "consistency": "two statements did not fit together",
    "operational_detail": "it was too vague to act on",
}
"""Why the review changed something, for a participant."""
SORTS = {
    "decision": "one of the choices",
    "proposal": "your proposal, sentence {ref}",
    "profile": "what is known of you: {ref}",
    "assumption": "an assumption of the first draft",
    "agent": "nothing but the assistant's own idea",
}
"""What a statement rests on, where its ground has no words of its own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing in a section that can be marked."""

    key: str
    """Id of the statement or the change, or `text`, or `nothing`."""
    statement: Statement | None = None
    change: Change | None = None
    """The change that the row is about, or that put the statement there or left it there."""
    struck: bool = False
    text: str = ""
    """Of a section that the person wrote."""

    @property
    def is_review(self) -> bool:
        """Whether the row is a change of the review itself."""
        return self.change is not None and self.statement is None


def rows_of(view: SheetView, section: str, verdicts: Mapping[str, Verdict]) -> tuple[Row, ...]:
    """What stands in a section now.

    Args:
        view: the sheet.
        section: its id.
        verdicts: what the person said about changes so far, by id.
    """
    mine = [one for one in view.changes if one.section == section]
    if section in view.written:
        reviews = tuple(Row(one.id, change=one) for one in mine)
        return (*reviews, Row(TEXT, text=view.written[section]))
    made = tuple(_rows(view, section, mine, verdicts))
    return made or (Row(NOTHING),)


def _rows(
    view: SheetView, section: str, mine: Sequence[Change], verdicts: Mapping[str, Verdict]
) -> Iterator[Row]:
    by_statement = {one.id: change for change in mine for one in change.after}
    told: set[str] = set()

    def review(change: Change) -> Iterator[Row]:
        told.add(change.id)
        yield Row(change.id, change=change)
        standing = change.before if verdicts.get(change.id) == "refuse" else change.after
        for one in standing:
            yield Row(one.id, one, change, one.id in view.struck)

    for statement in view.sections.get(section, ()):
        change = by_statement.get(statement.id)
        if change is None:
            yield Row(statement.id, statement, None, statement.id in view.struck)
        elif change.id not in told:
            yield from review(change)
    for change in mine:
        if change.id not in told:
            yield from review(change)


def standing_of(view: SheetView, section: str, verdicts: Mapping[str, Verdict], unfinished: bool) -> str:
    """How far a section is, in a few words: drafted, reviewed, yours; and what is left to decide.

    Args:
        view: the sheet.
        section: its id.
        verdicts: what the person said about changes so far, by id.
        unfinished: whether a text of the person's for it is not saved yet.
    """
    mine = [one for one in view.changes if one.section == section]
    left = sum(1 for one in mine if one.id not in verdicts)
    struck = sum(1 for one in rows_of(view, section, verdicts) if one.struck)
    parts = [f"{left} to decide"] if left else []
    if section in view.written:
        parts.insert(0, "yours")
    elif not left:
        parts.insert(0, "reviewed" if mine else "drafted")
    if struck:
        parts.append(f"{struck} struck")
    if unfinished:
        parts.append("unfinished")
    return " · ".join(parts)


def verdict_in_words(change: Change, verdicts: Mapping[str, Verdict]) -> str:
    """What became of a change of the review."""
    return {"accept": "accepted", "refuse": "refused"}.get(verdicts.get(change.id, ""), "to decide")


def ground_in_words(ground: Ground) -> str:
    """What a statement rests on."""
    return ground.words or SORTS[ground.sort].format(ref=ground.ref)


def what_it_did(change: Change) -> str:
    """What kind of change it is, in a word or two."""
    if not change.before:
        return "added"
    return "reworded" if change.after else "taken out"


def title_of(section: str) -> str:
    """What a section is called."""
    return TITLES[section]  # type: ignore[index]
