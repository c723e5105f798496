"""Feedback on a practice answer, with the request still in sight."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens.participant import ParticipantScreen
from screens.widgets.material import MaterialPanes
from screens.widgets.panes import Pane, Reading
from screens.widgets.text import PlainText, TextButton


class FeedbackScreen(ParticipantScreen):
    """The request left, our answer and the reason right."""

    CSS_PATH = ["participant.tcss", "feedback.tcss"]
    HELP = "Practice: how we see the request and why. Practice answers are in no result."
    BINDINGS = [
        Binding("enter", "next", "go on", id="feedback.next"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the explanation"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the explanation"),
    ]

    def compose_middle(self) -> Iterable[Widget]:
        """Both at once."""
        with Container(id="left"):
            yield MaterialPanes(id="material")
        with Vertical(id="explained"):
            yield PlainText(self.step.title, id="feedback-title")
            with Pane(id="why"):
                yield Reading(self.step.body)
            yield TextButton("Go on", primary=True, id="next")

    def on_mount(self) -> None:
        """The keys scroll the explanation."""
        super().on_mount()
        self.query_one(MaterialPanes).show(self.step.material)
        self.set_focus(self.query_one("#why"))

    def action_scroll(self, way: str) -> None:
        """Scroll the explanation."""
        pane = self.query_one("#why", Pane)
        pane.scroll_page_down(animate=False) if way == "down" else pane.scroll_page_up(animate=False)

    @on(Button.Pressed, "#next")
    def action_next(self) -> None:
        """To the next practice item."""
        self.flow.leave(self.step)
