"""What all screens share: input made before a screen was painted is not for that screen."""

from __future__ import annotations

import math
import time
from typing import TypeVar

from textual import events
from textual.binding import Binding
from textual.screen import ModalScreen, Screen

Result = TypeVar("Result")


class Painted:
    """Mixin for screens: takes only input that was made after it was painted.

    A key pressed twice, or while the screen before was still up, was meant for what was to be seen then.
    The application asks `takes` before it hands on an event.
    """

    _open_since = math.inf

    def open_when_painted(self) -> None:
        """Take input made from the next paint on."""
        self._open_since = math.inf
        self.call_after_refresh(self._painted)  # type: ignore[attr-defined]

    def close_input(self) -> None:
        """Take no input until `open_when_painted`."""
        self._open_since = math.inf

    @property
    def is_open(self) -> bool:
        """Whether input made now would be taken."""
        return self._open_since < math.inf

    def takes(self, event: events.Event) -> bool:
        """Whether this input was made for what the screen shows."""
        return event.time >= self._open_since

    def noticed(self, event: events.Event) -> None:
        """A person did something; the screen may want to know."""

    def after_paint(self) -> None:
        """Called each time the screen has opened for input."""

    def _painted(self) -> None:
        self._open_since = time.monotonic()
        self.after_paint()


class CapaScreen(Painted, Screen[Result]):
    """Base of all full screens."""

    ESCAPE_TO_MINIMIZE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-tall")]
    BINDINGS = [
        Binding("f1", "explain", "help", id="help", tooltip="What this screen is for and which keys work"),
    ]

    def on_mount(self) -> None:
        """Open once painted."""
        self.open_when_painted()

    def action_explain(self) -> None:
        """Open the help on what has the focus."""
        from screens.help import HelpScreen

        self.app.push_screen(HelpScreen.on(self))


class CapaModal(Painted, ModalScreen[Result]):
    """Base of all screens that lie over another."""

    ESCAPE_TO_MINIMIZE = False

    def on_mount(self) -> None:
        """Open once painted."""
        self.open_when_painted()
