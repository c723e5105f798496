"""A list to read, scroll, and copy."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.binding import Binding

from screens.base import CapaModal
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText


class ListingScreen(CapaModal[None]):
    """Lines of text over the whole screen. Escape goes back."""

    CSS_PATH = "lab.tcss"
    HELP = "Arrows scroll; y copies all lines, if your terminal allows it."
    BINDINGS = [
        Binding("escape,q", "dismiss", "close", key_display="esc"),
        Binding("y", "copy", "copy all", tooltip="Copy all lines to the clipboard"),
    ]

    def __init__(self, title: str, note: str, lines: Sequence[str]) -> None:
        super().__init__()
        self._title, self._note, self._lines = title, note, tuple(lines)

    def compose(self) -> ComposeResult:
        """Title, note, lines."""
        yield WhereAmI(self._title, f"{len(self._lines):,}")
        yield PlainText(self._note, classes="lab-note")
        with Pane(id="listing"):
            yield PlainText("\n".join(self._lines))
        yield PlainText(id="says")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Arrow keys scroll."""
        self.set_focus(self.query_one("#listing"))
        super().on_mount()

    def action_copy(self) -> None:
        """Hand all lines to the terminal's clipboard."""
        self.app.copy_to_clipboard("\n".join(self._lines) + "\n")
        self.query_one("#says", PlainText).update("Copied, if your terminal allows programs to copy.")
