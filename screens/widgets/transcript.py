"""The dialogue so far, and the reply that is on its way: smooth however long both are."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

from textual.timer import Timer

from screens.widgets.panes import Pane
from screens.widgets.said import Said

FRAME_SECONDS = 0.06
"""Parts that arrive within this time are shown together."""
SOON = 0.001
"""Seconds until the first part is shown; a timer needs some."""
SHARE = 4
"""Showing a part takes at most one in so many moments; the others belong to keys."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One message as it is to be shown."""

    key: tuple[int, str]
    """Turn and role: what it is, whatever its text becomes."""
    who: str
    text: str
    markdown: bool = False
    note: str = ""
    expected: bool = False
    """It is on its way: what is heard belongs to it."""


class Transcript(Pane):
    """Messages below each other. It follows the end until somebody scrolls up, and never fights that."""

    HELP = "The conversation. Arrow keys, page keys and the mouse wheel scroll; the end key goes to its end."

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__("Conversation", id=id)
        self._messages: list[tuple[tuple[int, str], Said]] = []
        self._growing: Said | None = None
        self._waiting = ""
        self._frame: Timer | None = None
        self._next = 0.0

    def watch_virtual_size(self) -> None:
        """The dialogue has grown: follow its end, once it is longer than the place it has."""
        self._follow()

    def on_resize(self) -> None:
        """There is more room, or less."""
        super().on_resize()
        self._follow()

    def _follow(self) -> None:
        room = self.container_size.height
        long = 0 < room < self.virtual_size.height
        if long != self.is_anchored:
            self.anchor(long)
            if not long:
                self.scroll_home(animate=False, immediate=True)
        # Following the end tells nobody that it has scrolled.
        self.call_after_refresh(self._tell)

    def show(self, messages: Sequence[Shown]) -> None:
        """Show a dialogue; what stands there already stays as it is."""
        self._still()
        same = 0
        for one, (key, _) in zip(messages, self._messages, strict=False):
            if one.key != key:
                break
            same += 1
        for _, old in self._messages[same:]:
            old.remove()
        del self._messages[same:]
        for one, (_, said) in zip(messages, self._messages, strict=False):
            said.become(one.text, one.note)
        new = [
            (one.key, Said(one.who, one.text, markdown=one.markdown, note=one.note))
            for one in messages[same:]
        ]
        self._messages += new
        self.mount_all([said for _, said in new])
        if messages and messages[-1].expected:
            self._growing = self._messages[-1][1]

    def hear(self, text: str) -> None:
        """More of the expected message arrives."""
        self._waiting += text
        if self._frame is None:
            self._frame = self.set_timer(max(SOON, self._next - time.monotonic()), self._grow)

    def heard(self, text: str) -> None:
        """The expected message has ended; this is the whole of it."""
        growing = self._growing
        self._still()
        if growing is not None:
            growing.become(text)

    def to_end(self) -> None:
        """Follow the end again."""
        if self.is_anchored:
            self.anchor()

    def on_unmount(self) -> None:
        """Nothing arrives any more."""
        self._still()

    def _grow(self) -> None:
        self._frame = None
        if self._growing is None:
            return
        self._next = time.monotonic() + FRAME_SECONDS
        text, self._waiting = self._waiting, ""
        self._growing.add(text)
        self.call_after_refresh(self._grown, time.thread_time())

    def _grown(self, began: float) -> None:
        took = time.thread_time() - began
        self._next = max(self._next, time.monotonic() + (SHARE - 1) * took)

    def _still(self) -> None:
        """Whatever is on its way is here."""
        if self._frame is not None:
            self._frame.stop()
            self._frame = None
        self._growing, self._waiting = None, ""
