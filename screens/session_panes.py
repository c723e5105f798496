"""The places of a session: what is to be said, whom one plays, what was said."""

from __future__ import annotations

from typing import Any

from textual.binding import Binding
from textual.events import DescendantFocus
from textual.widget import Widget

from screens.widgets.panes import Pane
from screens.widgets.transcript import Transcript
from screens.writing import WritingScreen

PANE_BINDINGS: list[Any] = [
    Binding("escape", "close_brief", "close", id="session.close-brief",
            tooltip="Back to the conversation"),
    Binding("tab", "pane(1)", "next pane", id="session.next-pane",
            tooltip="To the next pane: message, what stands beside it, conversation"),
    Binding("shift+tab", "pane(-1)", "pane before", id="session.pane-before", show=False),
    Binding("f2", "brief", "your part", id="session.brief",
            tooltip="What you need beside the conversation, over it, while you write"),
    Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the conversation"),
    Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the conversation"),
]  # fmt: skip
"""Keys for the places; a screen puts them behind those for what it asks."""


class PanesScreen(WritingScreen):
    """Where it is narrow, the brief lies over the dialogue when wanted, and one can write on below it."""

    @property
    def transcript(self) -> Transcript:
        """What was said."""
        return self.query_one("#transcript", Transcript)

    @property
    def brief(self) -> Pane:
        """Whom one plays."""
        return self.query_one("#brief", Pane)

    @property
    def notice(self) -> Pane:
        """What is said in the place of the composer, where there is nothing to write."""
        return self.query_one("#notice", Pane)

    @property
    def asked(self) -> Widget:
        """What stands below the dialogue now."""
        return self.composer if self.composer.display else self.notice

    @property
    def brief_lies_over(self) -> bool:
        """Whether the brief hides the dialogue."""
        return self.has_class("-brief") and not self.has_class("-wide")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The brief comes and goes only where it is not there all the time."""
        if action == "close_brief":
            return self.brief_lies_over
        if action == "brief":
            return not self.has_class("-wide")
        return super().check_action(action, parameters)

    def action_brief(self) -> None:
        """Lay the brief over the dialogue, or take it away; one can go on writing."""
        self.toggle_class("-brief")
        self.flow.visit.activity("pane")
        self.set_focus(self.asked)
        self.refresh_bindings()

    def action_close_brief(self) -> None:
        """Back to the dialogue."""
        self.remove_class("-brief")
        self.set_focus(self.asked)
        self.refresh_bindings()

    def action_pane(self, by: int) -> None:
        """To the next pane; where it is narrow, the brief comes and goes with the focus."""
        panes = [self.asked, self.brief, self.transcript]
        here = panes.index(self.focused) if self.focused in panes else 0
        target = panes[(here + by) % len(panes)]
        self.set_class(target is self.brief, "-brief")
        self.set_focus(target)

    def action_scroll(self, way: str) -> None:
        """Scroll what is to be read, wherever the focus is."""
        target = self.brief if self.brief_lies_over else self.transcript
        target.scroll_page_down(animate=False) if way == "down" else target.scroll_page_up(animate=False)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A change of place is a sign of life."""
        self.flow.visit.activity("pane")
        self.refresh_bindings()
