"""The labels of an annotation: one main mechanism, and any others that are also there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import events
from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from screens.widgets.marks import CURSOR, mark
from screens.widgets.text import plain_line, shortened
from studies.steps import Option

MAIN, ALSO = "main", "also"
NOTHING_ELSE = ""
"""Stands for the row that says that nothing else is there."""


class MechanismTable(Widget, can_focus=True):
    """Rows of labels in two columns: which one it is in the main, and what is there as well.

    It draws what it is told and says what was pressed; what that means is the screen's business.
    """

    HELP = (
        "The main mechanism is the one behind the first question you would have to ask. Others that are "
        "there as well go into the second column; where there is nothing else, say so with 0."
    )
    DEFAULT_CSS = """
    MechanismTable { height: auto; width: 1fr; color: $foreground; }
    MechanismTable .mechanisms--marked { text-style: bold; }
    MechanismTable .mechanisms--quiet { color: $foreground 60%; }
    """
    COMPONENT_CLASSES = {"mechanisms--marked", "mechanisms--quiet"}
    ALLOW_SELECT = False
    BINDINGS = [
        Binding("up", "move(-1)", "row above", show=False),
        Binding("down", "move(1)", "row below", show=False),
        Binding("left", "go('main')", "main column", show=False),
        Binding("right", "go('also')", "also column", show=False),
        Binding("space", "mark", "mark", show=False, tooltip="Mark what is under the cursor"),
    ]

    row: reactive[int] = reactive(0)
    column: reactive[str] = reactive(MAIN)

    class Chosen(Message):
        """A main mechanism was chosen."""

        def __init__(self, label: Any) -> None:
            super().__init__()
            self.label = label

    class Toggled(Message):
        """A mechanism is there as well, or is not; `NOTHING_ELSE` says that none is."""

        def __init__(self, label: Any) -> None:
            super().__init__()
            self.label = label

    class Moved(Message):
        """Another row or column has the cursor."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.options: tuple[Option, ...] = ()
        self.others: frozenset[Any] = frozenset()
        self.dominant: Any = None
        self.additional: tuple[Any, ...] | None = None
        self._why_alone = ""

    def show(
        self, options: Sequence[Option], others: Sequence[Option], dominant: Any,
        additional: Sequence[Any] | None, closed: str = "",
    ) -> None:  # fmt: skip
        """Draw these labels.

        Args:
            options: what may be the main mechanism, in the order of this participant.
            others: what may be there as well; empty where that is not asked.
            dominant: the main mechanism, or None.
            additional: what is there as well; empty: nothing else is; None: not answered.
            closed: words that say why nothing can be there as well.
        """
        grown = len(self.options) != len(options) or bool(self.others) != bool(others)
        self.options, self.others = tuple(options), frozenset(one.value for one in others)
        self.dominant, self._why_alone = dominant, closed
        self.additional = None if additional is None else tuple(additional)
        if not self.others and self.column == ALSO:
            self.column = MAIN
        self.row = min(self.row, len(self.options))
        self.refresh(layout=grown)
        self.refresh_bindings()

    @property
    def highlighted(self) -> Any:
        """The label under the cursor; the main one, or the first, on the row of `nothing else`."""
        if self.row < len(self.options):
            return self.options[self.row].value
        return self.dominant if self.dominant is not None else self.options[0].value

    def numbered(self, number: int) -> Option | None:
        """The option of that number on screen, from 1."""
        return self.options[number - 1] if 1 <= number <= len(self.options) else None

    def choose(self, number: int) -> None:
        """Choose the main mechanism by its number on screen."""
        self.row = number - 1
        self._mark(self.row, MAIN)

    def toggle(self, number: int) -> None:
        """Add or take away what is there as well, by its number on screen."""
        self.row = number - 1
        self._mark(self.row, ALSO)

    def nothing_else(self) -> None:
        """Say that nothing else is there."""
        self.column = MAIN
        self.post_message(self.Toggled(NOTHING_ELSE))

    def action_go(self, column: str) -> None:
        """Go to a column."""
        self.column = column if self.others else MAIN

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        last = len(self.options) if self.others else len(self.options) - 1
        self.row = min(max(0, self.row + by), last)

    def action_mark(self) -> None:
        """Mark what is under the cursor."""
        self._mark(self.row, self.column)

    def watch_row(self) -> None:
        """Tell where the cursor is."""
        self.post_message(self.Moved())

    def watch_column(self) -> None:
        """Tell where the cursor is; other keys work there."""
        self.refresh_bindings()
        self.post_message(self.Moved())

    def on_click(self, event: events.Click) -> None:
        """A click marks: left in the main column, on the boxes at the right in the other."""
        offset = event.get_content_offset(self)
        if offset is None or not 1 <= offset.y <= len(self.options) + (1 if self.others else 0):
            return
        event.stop()
        boxes = self.content_size.width - 4
        self.column = ALSO if self.others and offset.x >= boxes else MAIN
        self.row = offset.y - 1
        self._mark(self.row, self.column)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Heading, labels, and `nothing else` even where it does not apply, so that nothing jumps."""
        return len(self.options) + 2

    def render(self) -> RenderResult:
        """The table."""
        width = self.content_size.width
        lines = [self._heading(width)]
        lines += [self._line(place, option, width) for place, option in enumerate(self.options)]
        lines.append(self._nothing_else(width))
        return Content("\n").join(lines)

    # -- helpers -------------------------------------------------------------------------------

    def _mark(self, row: int, column: str) -> None:
        if row == len(self.options):
            self.nothing_else()
        elif column == MAIN:
            self.post_message(self.Chosen(self.options[row].value))
        elif self.options[row].value in self.others:
            self.post_message(self.Toggled(self.options[row].value))

    def _style(self, name: str) -> Any:
        return self.get_visual_style(f"mechanisms--{name}", partial=True)

    def _heading(self, width: int) -> Content:
        quiet, bold = self._style("quiet"), self._style("marked")
        if not self.others:
            left, right = Content.styled("     main", bold), plain_line(self._why_alone, quiet)
            return Content.assemble(left, " " * max(1, width - left.cell_length - right.cell_length), right)
        main, also = (bold, quiet) if self.column == MAIN else (quiet, bold)
        left = Content.styled("     main", main)
        right = Content.styled("> also" if self.column == ALSO else "also", also)
        return Content.assemble(left, " " * max(1, width - left.cell_length - right.cell_length), right)

    def _line(self, place: int, option: Option, width: int) -> Content:
        here = self.has_focus and place == self.row
        dominant = option.value == self.dominant
        box = ""
        if option.value in self.others:
            box = mark(option.value in (self.additional or ()), several=True)
        label = plain_line(shortened(option.label, width - 10))
        if dominant:
            label = label.stylize(self._style("marked"))
        if here and self.column == MAIN:
            label = label.stylize(CURSOR)
        left = Content.assemble(f"{place + 1} {mark(dominant)} ", label)
        right = Content.styled(box, CURSOR if here and self.column == ALSO else "")
        return Content.assemble(left, " " * max(1, width - left.cell_length - len(box)), right)

    def _nothing_else(self, width: int) -> Content:
        if not self.others:
            return Content("")
        said = self.additional == ()
        label = Content.styled("nothing else", self._style("marked") if said else "")
        here = self.has_focus and self.row == len(self.options)
        if here and self.column == MAIN:
            label = label.stylize(CURSOR)
        left = Content.assemble("0     ", label)
        right = Content.styled(mark(said, several=True), CURSOR if here else "")
        return Content.assemble(left, " " * max(1, width - left.cell_length - 3), right)
