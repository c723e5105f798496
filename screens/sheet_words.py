"""How the sheet's screen says what a row is, what became of it, and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.content import Content

from screens.sheet_rows import (
    NOTHING,
    REASONS,
    TEXT,
    Row,
    Verdict,
    ground_in_words,
    verdict_in_words,
    what_it_did,
)
from screens.widgets.entries import Entry, Line
from screens.widgets.text import plain
from studies.specification.sheet import Change

CUT = "A section holds 20,000 characters; the end of what you pasted was left out."
NO_REVIEW = "Strike or rewrite what you like; go on when the sheet is as you want it."
EMPTY = "Nothing is said here. You can write something yourself."
BULLET, PUT, GONE, STRUCK = "• ", "+ ", "- ", "x "


def left_in_words(n: int) -> str:
    """How many changes of the review wait for a decision."""
    if not n:
        return "Every change of the review is decided."
    return (
        "1 change of the review is to be decided."
        if n == 1
        else f"{n} changes of the review are to be decided."
    )


def entry_of(row: Row, verdicts: Mapping[str, Verdict]) -> Entry:
    """A row as it stands in the list."""
    if row.key == TEXT:
        lines = [Line(line) for line in row.text.split("\n")]
        return Entry(row.key, (Line("in your own words", "", "quiet"), *lines))
    if row.key == NOTHING:
        return Entry(row.key, (Line(EMPTY, "", "quiet"),))
    if row.statement is None:
        assert row.change is not None
        refused = verdicts.get(row.change.id) == "refuse"
        word = verdict_in_words(row.change, verdicts)
        title = Line(f"The review {_did(row.change)}", "", "title", word)
        gone = row.change.after if refused else row.change.before
        front = PUT if refused else GONE
        return Entry(row.key, (title, *(Line(one.text, f"  {front}", "struck") for one in gone)))
    front = PUT if row.change is not None else BULLET
    if row.struck:
        return Entry(row.key, (Line(row.statement.text, STRUCK, "struck", "struck"),))
    return Entry(row.key, (Line(row.statement.text, front),))


def _did(change: Change) -> str:
    return {"added": "added this", "reworded": "reworded this", "taken out": "took this out"}[
        what_it_did(change)
    ]


def about_row(row: Row, verdicts: Mapping[str, Verdict]) -> Content:
    """Everything about the marked row."""
    return Content("\n").join(_about(row, verdicts))


def _about(row: Row, verdicts: Mapping[str, Verdict]) -> Iterator[Content]:
    if row.key == TEXT:
        yield plain("You wrote this section yourself.")
        return
    if row.key == NOTHING:
        yield plain("This section is empty.")
        return
    if row.statement is not None:
        if row.struck:
            yield plain("You struck this statement.", "bold")
        yield plain("It rests on", "bold")
        grounds = [ground_in_words(one) for one in row.statement.grounds]
        for text in grounds or ["nothing that is known"]:
            yield plain(f"- {text}")
    if row.change is not None:
        if row.statement is not None:
            yield Content("")
        yield from _about_change(row.change, verdicts)


def _about_change(change: Change, verdicts: Mapping[str, Verdict]) -> Iterator[Content]:
    decided = verdict_in_words(change, verdicts) if change.id in verdicts else "y keeps it, n undoes it"
    yield plain(f"The assistant's own review {_did(change)}: {decided}.", "bold")
    yield plain(f"Because {REASONS[change.reason]}. {change.why}")
    for title, statements in (("Before", change.before), ("After", change.after)):
        if statements and change.before:
            yield Content.assemble(
                plain(f"{title}: ", "bold"), plain(" ".join(one.text for one in statements))
            )
