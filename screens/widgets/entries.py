"""A list to walk through whose entries are as long as they have to be: texts wrap; the cursor is an entry."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual import events
from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.widget import Widget

from screens.widgets.text import plain, plain_line

HERE, ELSEWHERE = "> ", "  "
"""Before an entry: the mark of the cursor, readable without any colour."""
NARROWEST = 12
"""Cells that a text keeps however much stands before it."""


@dataclass(frozen=True, slots=True)
class Line:
    """A text of an entry; it may wrap."""

    text: str
    front: str = ""
    """Stands before it: a bullet. The program's own."""
    looks: str = ""
    """`title`, `quiet`, `struck`, or nothing."""
    aside: str = ""
    """A word or two at the right end of the first line, if there is room, else below. The program's own."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the list."""

    key: str
    lines: tuple[Line, ...]


class Entries(Widget, can_focus=True):
    """Entries under one another. Arrows and the mouse move the cursor; its pane scrolls along."""

    DEFAULT_CSS = """
    Entries { height: auto; width: 1fr; padding-right: 1; color: $foreground; }
    Entries .entries--title { text-style: bold; }
    Entries .entries--quiet { color: $foreground 70%; }
    Entries .entries--struck { color: $foreground 70%; text-style: strike; }
    Entries .entries--here { background: $foreground 10%; }
    Entries:focus .entries--here { background: $primary 25%; }
    """
    COMPONENT_CLASSES = {"entries--title", "entries--quiet", "entries--struck", "entries--here"}
    ALLOW_SELECT = False
    BINDINGS = [
        Binding("up", "move(-1)", "entry above", show=False),
        Binding("down", "move(1)", "entry below", show=False),
        Binding("home", "move(-1000)", "first", show=False),
        Binding("end", "move(1000)", "last", show=False),
    ]

    cursor: reactive[int] = reactive(0)

    class Highlighted(Message):
        """The cursor is on another entry, or its entry has changed."""

        def __init__(self, entries: Entries) -> None:
            super().__init__()
            self.entries = entries

        @property
        def control(self) -> Entries:
            """The list."""
            return self.entries

    def __init__(self, entries: Sequence[Entry] = (), *, key: str = "", id: str | None = None) -> None:
        """A list.

        Args:
            entries: in their order.
            key: the entry on which the cursor stands at first; the first one if there is none of that key.
            id: of the widget.
        """
        super().__init__(id=id)
        self.entries = tuple(entries)
        self._laid: tuple[int, list[list[Content]]] = (-1, [])
        self.set_reactive(Entries.cursor, self._place_of(key) or 0)

    @property
    def key(self) -> str:
        """The key of the entry under the cursor; empty where there is none."""
        return self.entries[self.cursor].key if self.cursor < len(self.entries) else ""

    def offer(self, entries: Sequence[Entry], key: str | None = None) -> None:
        """Show other entries. The cursor goes to `key`, else stays on its entry, else near its place."""
        wanted = self.key if key is None else key
        self.entries = tuple(entries)
        self._laid = (-1, [])
        found = self._place_of(wanted)
        place = min(self.cursor, max(0, len(entries) - 1)) if key is None else 0
        self.set_reactive(Entries.cursor, place if found is None else found)
        self.refresh(layout=True)
        self.post_message(self.Highlighted(self))
        self.call_after_refresh(self.follow)

    def go(self, key: str) -> None:
        """Put the cursor on an entry."""
        self.cursor = self._place_of(key) or 0

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor = min(max(0, self.cursor + by), max(0, len(self.entries) - 1))

    def watch_cursor(self) -> None:
        """Keep it in sight, and tell."""
        self.follow()
        self.post_message(self.Highlighted(self))

    def follow(self) -> None:
        """Scroll what it lies in so far that the entry under the cursor can be seen."""
        if not self.is_mounted or self.parent is None or not self.entries or not self.size.width:
            return
        laid = self._lines(self.content_size.width)
        y = sum(len(one) for one in laid[: self.cursor])
        here = Region(0, self.virtual_region.y + y, self.size.width, len(laid[self.cursor]))
        pane = self.parent
        if isinstance(pane, Widget):
            pane.scroll_to_region(here, animate=False, immediate=True)

    # -- drawing -------------------------------------------------------------------------------

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the entries take."""
        return max(1, sum(len(one) for one in self._lines(width)))

    def render(self) -> RenderResult:
        """One entry under the other."""
        width = self.content_size.width
        here = self.get_visual_style("entries--here", partial=True)
        made = []
        for place, lines in enumerate(self._lines(width)):
            for n, line in enumerate(lines):
                current = place == self.cursor
                whole = Content(HERE if current and n == 0 else ELSEWHERE) + line
                if current:
                    whole = whole.pad_right(max(0, width - whole.cell_length)).stylize_before(here)
                made.append(whole)
        return Content("\n").join(made)

    def on_click(self, event: events.Click) -> None:
        """A click moves the cursor."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        y = 0
        for place, lines in enumerate(self._lines(self.content_size.width)):
            y += len(lines)
            if offset.y < y:
                self.cursor = place
                return

    def notify_style_update(self) -> None:
        """Other colours: draw anew."""
        self._laid = (-1, [])
        super().notify_style_update()

    def _place_of(self, key: str) -> int | None:
        return next((place for place, one in enumerate(self.entries) if one.key == key), None)

    def _lines(self, width: int) -> list[list[Content]]:
        if self._laid[0] != width:
            room = max(NARROWEST, width - len(HERE))
            self._laid = (
                width,
                [[line for one in entry.lines for line in self._wrap(one, room)] for entry in self.entries],
            )
        return self._laid[1]

    def _wrap(self, line: Line, width: int) -> list[Content]:
        front = Content(line.front)
        looks = self.get_visual_style(f"entries--{line.looks}", partial=True) if line.looks else ""
        room = max(NARROWEST, width - front.cell_length)
        aside = plain_line(line.aside, self.get_visual_style("entries--quiet", partial=True))
        text = plain(line.text)
        beside = bool(line.aside) and text.wrap(room)[0].cell_length + aside.cell_length + 2 <= room
        wrapped = [one.stylize(looks) for one in text.wrap(room)]
        indent = " " * front.cell_length
        made = [(front if n == 0 else Content(indent)) + one for n, one in enumerate(wrapped)]
        if beside:
            gap = width - made[0].cell_length - aside.cell_length
            made[0] = made[0] + Content(" " * max(1, gap)) + aside
        elif line.aside:
            made += [Content(" " * (width - one.cell_length)) + one for one in aside.wrap(width)]
        return made
