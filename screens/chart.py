"""The morphological chart: every choice against its alternatives, who voted for what, and what settled it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.widgets import DataTable

from screens.base import CapaModal
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.panes import Pane
from screens.widgets.table import Cell, PlainTable, Row
from screens.widgets.text import PlainText, plain, shortened
from studies.specification.decisions import Decision, Vote
from studies.specification.sections import LETTERS, TITLES
from studies.specification.told import WHO, settled_by
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen
    from studies.specification.protocol import SpecificationKind

DECIDED = "*"
WIDE = 110
"""Columns from which a choice stands beside the table."""
FRAME, GAP = 3, 2
"""Cells that the table's border and its scroll bar take, and those between two columns."""
LEGEND = "1 2 3: the simulated users · + sure · ? not sure · * decided"
EMPTY = "There is no chart yet."


class ChartScreen(CapaModal[None]):
    """Lies over a question; nothing on it changes anything."""

    CSS_PATH = "chart.tcss"
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (WIDE, "-wide")]
    HELP = (
        "Each row is one choice that the project leaves open, each column one of its alternatives. Three "
        "simulated users said what you might choose, one with all that is known of you, one with part of it, "
        "one with nothing; a choice on which all three agree and are sure is not asked. Arrows go from row "
        "to row; below, or beside, stands everything about the marked row."
    )
    BINDINGS: ClassVar[list[Any]] = [
        Binding("escape,f2,q", "dismiss", "close", key_display="esc", id="chart.close",
                tooltip="Back to the question"),
        Binding("f1", "explain", "help", id="chart.help", tooltip="What the chart shows"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll what stands below"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll what stands below"),
    ]  # fmt: skip

    def __init__(self, decisions: Sequence[Decision], now: int = 0) -> None:
        """A chart.

        Args:
            decisions: the choices, in order.
            now: the round that is open, for the first line; 0 for none.
        """
        super().__init__()
        self.decisions = tuple(decisions)
        self._now = now

    @classmethod
    def over(cls, flow: VisitScreen, step: Step) -> Self:
        """The chart as it stands at a question of the interview."""
        from studies.specification.order import place_of

        kind = cast("SpecificationKind", flow.visit.protocol.kind)
        where = place_of(step.id)
        return cls(kind.chart(where.item, where.number, flow.visit.state), where.part)

    def compose(self) -> ComposeResult:
        """The choices, and everything about one of them."""
        letters = LETTERS[: self._most]
        settled = sum(1 for one in self.decisions if one.standing != "open")
        yield WhereAmI("How each choice stands", f"{settled} of {len(self.decisions)} settled")
        with Container(id="chart"):
            yield PlainTable(("", "choice", *letters, "settled"), paged=False, id="choices")
            with Pane(id="about"):
                yield PlainText(EMPTY, id="details")
        yield PlainText(LEGEND, id="legend")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Fill the table."""
        super().on_mount()
        self.query_one("#about").border_title = "The marked choice"
        table = self.query_one("#choices", PlainTable)
        self.set_focus(table)
        width = self.app.size.width
        room = room_for_questions(self.decisions, width * 3 // 5 if width >= WIDE else width)
        rows = {str(n): _row(n, one, self._most, room) for n, one in enumerate(self.decisions, start=1)}
        self.run_worker(table.fill(rows), group="chart")

    @property
    def _most(self) -> int:
        """Alternatives of the choice that has most."""
        return max((len(one.alternatives) for one in self.decisions), default=0)

    @on(DataTable.RowHighlighted)
    def _highlighted(self) -> None:
        key = self.query_one("#choices", PlainTable).selected_key
        if key is not None:
            self.query_one("#details", PlainText).update(details(self.decisions[int(key) - 1]))
            self.query_one("#about", Pane).renew()

    def action_explain(self) -> None:
        """Open the help."""
        from screens.help import HelpScreen

        self.app.push_screen(HelpScreen.on(self))

    def action_scroll(self, way: str) -> None:
        """Scroll what stands about the marked row."""
        pane = self.query_one("#about", Pane)
        pane.scroll_page_down(animate=False) if way == "down" else pane.scroll_page_up(animate=False)


def room_for_questions(decisions: Sequence[Decision], width: int) -> int:
    """Cells that the questions may have in a table of that many, so that all else of it can be seen."""
    letters = LETTERS[: max((len(one.alternatives) for one in decisions), default=0)]
    votes = sum(max(1, *(len(votes_in_short(one, letter)) for one in decisions)) + GAP for letter in letters)
    settled = max((len(in_short(one)) for one in decisions), default=0)
    number = len(str(len(decisions)))
    return max(16, width - FRAME - number - votes - max(settled, len("settled")) - 3 * GAP)


def _row(number: int, one: Decision, most: int, room: int) -> Row:
    votes = [Cell(votes_in_short(one, letter) or "·", quiet=not votes_in_short(one, letter))
             for letter in LETTERS[: len(one.alternatives)]]  # fmt: skip
    blank = [Cell("")] * (most - len(votes))
    return (Cell(str(number), right=True), shortened(one.question, room), *votes, *blank, in_short(one))


def votes_in_short(one: Decision, letter: str) -> str:
    """Who voted for an alternative, and whether it was decided: `1+2?*`."""
    votes = "".join(f"{vote.simulator}{_sure(vote)}" for vote in one.votes if vote.choice == letter)
    return votes + (DECIDED if letter in one.chosen else "")


def _sure(vote: Vote) -> str:
    return "+" if vote.confident else "?"


def in_short(one: Decision) -> str:
    """What settled a choice, in a word or two."""
    if one.standing == "left out":
        return "left out"
    words = {"answer": "you", "agreement": "all agree", "update": "follows", "majority": "most"}
    return words.get(one.settled_by, "open")


def details(one: Decision) -> Content:
    """Everything about one choice."""
    return Content("\n").join(_details(one))


def _details(one: Decision) -> Iterator[Content]:
    yield plain(one.question, "bold")
    yield plain(settled_by(one))
    yield Content("")
    for letter, text in zip(LETTERS, one.alternatives, strict=False):
        notes = ["decided"] * (letter in one.chosen) + ["what the draft assumes"] * (letter == one.assumed)
        told = f" ({', '.join(notes)})" if notes else ""
        yield plain(f"{letter}  {text}{told}", "bold" if letter in one.chosen else "")
    if one.why_it_matters:
        yield Content("")
        yield plain(f"Why it matters: {one.why_it_matters}")
    if one.section is not None:
        about = " It draws a boundary of the scope." if one.boundary else ""
        yield plain(f"Section: {TITLES[one.section]}.{about}")
    for vote in one.votes:
        sure = "sure" if vote.confident else "not sure"
        who = WHO.get(vote.simulator, "")
        yield Content("")
        yield plain(f"Simulated user {vote.simulator}, {who}: {vote.choice}, {sure}", "bold")
        yield plain(vote.reasoning)
