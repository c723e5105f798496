"""Tables of text from people: never parsed, filled in pieces, and still where they were after a refresh."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rich.text import Text
from textual.binding import Binding
from textual.widgets import DataTable

from studies.visible import visible_line

PIECE = 25
"""Rows added between two looks at the keyboard."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell; a plain `str` does where it is on the left and nothing about it is special."""

    text: str
    right: bool = False
    quiet: bool = False


Row = Sequence[str | Cell]


class PlainTable(DataTable[Text]):
    """A table whose rows are known by a key. The cursor stays on its row, and the view where it was."""

    DEFAULT_CSS = """
    PlainTable { height: 1fr; background: transparent; scrollbar-size-vertical: 1; }
    PlainTable > .datatable--header { background: transparent; text-style: bold; color: $secondary; }
    PlainTable > .datatable--cursor { background: $foreground 10%; color: $foreground; text-style: none; }
    PlainTable:focus > .datatable--cursor {
        background: $primary 25%; color: $foreground; text-style: bold;
    }
    """

    BINDINGS = [
        Binding("home", "scroll_top", "first", show=False),
        Binding("end", "scroll_bottom", "last", show=False),
    ]

    def __init__(self, columns: Sequence[str], *, paged: bool = True, id: str | None = None) -> None:
        """An empty table.

        Args:
            columns: the headings, the program's own words.
            paged: whether the page keys move in it; otherwise they go to the screen.
            id: of the widget.
        """
        self._paged = paged
        super().__init__(id=id, cursor_type="row", zebra_stripes=False, cell_padding=1)
        self._headings = tuple(columns)
        self._shown: dict[str, tuple[Text, ...]] = {}
        self._unsettled = False

    def on_mount(self) -> None:
        """Make the columns."""
        for heading in self._headings:
            self.add_column(Text(heading), key=heading)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The page keys may belong to what is read beside the table."""
        if action in ("page_up", "page_down"):
            return self._paged
        return super().check_action(action, parameters)

    @property
    def selected_key(self) -> str | None:
        """The key of the row under the cursor."""
        if not self.row_count or not self.is_valid_row_index(self.cursor_row):
            return None
        return self.coordinate_to_cell_key(self.cursor_coordinate).row_key.value

    async def fill(self, rows: Mapping[str, Row]) -> None:
        """Show these rows, by key and in this order."""
        wanted = {key: tuple(map(_text, row)) for key, row in rows.items()}
        kept = [key for key in self._shown if key in wanted]
        if kept == list(self._shown) and list(wanted)[: len(kept)] == kept:
            await self._change(wanted)
            return
        here, above = self.selected_key, self.scroll_y
        self.clear()
        self._shown = {}
        await self._change(wanted)
        if here in wanted:
            self.move_cursor(row=self.get_row_index(here), animate=False, scroll=False)
        self.scroll_to(y=above, animate=False, immediate=True)

    def change(self, key: str, row: Row) -> None:
        """Show other cells in a row that is there."""
        if key in self._shown:
            self._update(key, tuple(map(_text, row)))

    async def _change(self, wanted: Mapping[str, tuple[Text, ...]]) -> None:
        for place, (key, cells) in enumerate(wanted.items()):
            if key in self._shown:
                self._update(key, cells)
            else:
                self.add_row(*cells, key=key)
                self._shown[key] = cells
            if place % PIECE == PIECE - 1:
                await asyncio.sleep(0)
        self._unsettled = True

    def on_idle(self) -> None:
        """The table works its widths out when it is idle; what was drawn before is drawn once more then."""
        if self._unsettled:
            self._unsettled = False
            self.call_next(self._draw_again)

    def _draw_again(self) -> None:
        for key, cells in list(self._shown.items())[:1]:
            self.update_cell(key, self._headings[0], cells[0])
        self.refresh()

    def _update(self, key: str, cells: tuple[Text, ...]) -> None:
        before = self._shown[key]
        for heading, old, new in zip(self._headings, before, cells, strict=True):
            if old != new:
                self.update_cell(key, heading, new, update_width=True)
        self._shown[key] = cells
        self._unsettled = True


def _text(cell: str | Cell) -> Text:
    one = cell if isinstance(cell, Cell) else Cell(cell)
    return Text(
        visible_line(one.text),
        style="dim" if one.quiet else "",
        justify="right" if one.right else "left",
        no_wrap=True,
        end="",
    )


def numbers(values: Iterable[object]) -> list[Cell]:
    """Cells of numbers, to the right."""
    return [Cell(str(one), right=True) for one in values]
