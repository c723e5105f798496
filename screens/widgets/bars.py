"""The first line of every screen (where am I) and the last ones (what is saved, which keys work)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from textual import events
from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content
from textual.dom import DOMNode
from textual.reactive import reactive
from textual.screen import Screen
from textual.widget import Widget

from screens.widgets.text import plain_line, shortened


class WhereAmI(Widget):
    """One line: the study on the left, the place in it on the right. The place is never cut."""

    DEFAULT_CSS = """
    WhereAmI { height: 1; width: 1fr; padding: 0 1; color: $foreground; text-style: bold; }
    """
    ALLOW_SELECT = False

    title: reactive[str] = reactive("")
    place: reactive[str] = reactive("")

    def __init__(self, title: str = "", place: str = "", *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.set_reactive(WhereAmI.title, title)
        self.set_reactive(WhereAmI.place, place)

    def render(self) -> RenderResult:
        """Title, space, place."""
        width = self.content_size.width
        place = plain_line(shortened(self.place, width), "not bold")
        left = plain_line(shortened(self.title, max(1, width - place.cell_length - 2)))
        gap = max(1, width - left.cell_length - place.cell_length)
        return Content.assemble(left, " " * gap, place)


WAYS_OUT = ("help", "annotation.help", "menu", "pause", "quit")
"""Ids of bindings that are the same everywhere; they come last in the key bar."""


@dataclass(frozen=True, slots=True)
class Hint:
    """One entry of the key bar."""

    keys: str
    text: str
    node: DOMNode
    action: str | None
    """None: several actions share the entry, so a click on it does nothing."""

    @property
    def length(self) -> int:
        """Cells it takes."""
        return Content(f"{self.keys} {self.text}").cell_length


def hints(screen: Screen[Any]) -> list[Hint]:
    """The keys that work now on this screen and are worth showing.

    Those of the focus come first, the ways out (bindings with an id in `WAYS_OUT`) last.
    """
    found: dict[tuple[int, str], list[tuple[Binding, DOMNode]]] = {}
    last: dict[tuple[int, str], list[tuple[Binding, DOMNode]]] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        if binding.show and active.enabled and binding.description:
            late = binding.id in WAYS_OUT
            name = binding.group.description if binding.group else binding.action
            (last if late else found).setdefault((id(active.node), name), []).append((binding, active.node))
    made = []
    for same in (*found.values(), *last.values()):
        binding, node = same[0]
        keys = joined(screen.app.get_key_display(one) for one, _ in same)
        text = binding.group.description if binding.group else binding.description
        alone = len({one.action for one, _ in same}) == 1
        made.append(Hint(keys, text, node, binding.action if alone else None))
    return made


def joined(keys: Iterable[str]) -> str:
    """Several keys in short: runs of digits or letters as `1-4`, others one by one, with a slash between."""
    runs: list[list[str]] = []
    for one in dict.fromkeys(keys):
        if runs and _follows(runs[-1][-1], one):
            runs[-1].append(one)
        else:
            runs.append([one])
    return "/".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else "/".join(run) for run in runs)


def _follows(before: str, key: str) -> bool:
    """Whether a key is the digit or letter behind another one."""
    same = before.isdecimal() == key.isdecimal()
    return len(before) == len(key) == 1 and key.isalnum() and same and ord(key) == ord(before) + 1


class KeyBar(Widget):
    """What became of the last answer, and the keys that work now, each of which can be clicked.

    It is made from the bindings that are active, so it cannot promise a key that does nothing.
    """

    DEFAULT_CSS = """
    KeyBar { height: 2; width: 1fr; padding: 0 1; color: $foreground; }
    """
    COMPONENT_CLASSES = {"key-bar--key", "key-bar--state"}
    ALLOW_SELECT = False
    STATE_WIDTH = 10

    state: reactive[str] = reactive("")
    """`saved`, `saving...`, or nothing where nothing can be unsaved."""

    def __init__(self, *, stateful: bool = True, id: str | None = None) -> None:
        super().__init__(id=id)
        self._indent = self.STATE_WIDTH if stateful else 0
        self._places: list[tuple[int, int, int, Hint]] = []

    def on_mount(self) -> None:
        """Follow the bindings."""
        self.screen.bindings_updated_signal.subscribe(self, lambda _: self.refresh())

    def on_unmount(self) -> None:
        """Stop following."""
        self.screen.bindings_updated_signal.unsubscribe(self)

    def lines(self, width: int) -> list[list[Hint]]:
        """The hints, filled into lines of that many cells."""
        lines: list[list[Hint]] = [[]]
        used = self._indent
        for hint in hints(self.screen):
            needed = hint.length + (3 if lines[-1] else 0)
            if lines[-1] and used + needed > width:
                lines.append([])
                used, needed = self._indent, hint.length
            lines[-1].append(hint)
            used += needed
        return lines

    def render(self) -> RenderResult:
        """The lines."""
        key = self.get_visual_style("key-bar--key", partial=True)
        parts: list[Content] = []
        self._places = []
        for y, line in enumerate(self.lines(self.content_size.width)):
            state = self.state if y == 0 else ""
            x = self._indent
            parts.append(Content("\n" if y else "") + Content(state.ljust(self._indent)[: self._indent]))
            for place, hint in enumerate(line):
                if place:
                    parts.append(Content(" · "))
                    x += 3
                self._places.append((y, x, x + hint.length, hint))
                parts += [Content.styled(hint.keys, key), Content(f" {hint.text}")]
                x += hint.length
        return Content("").join(parts)

    async def on_click(self, event: events.Click) -> None:
        """A click on an entry does what its key does."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        for y, start, end, hint in self._places:
            if y == offset.y and start <= offset.x < end and hint.action is not None:
                event.stop()
                await self.app.run_action(hint.action, hint.node)
                return
