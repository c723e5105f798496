"""How a visit ended: thanks, what happens now, and the completion code, large and calm."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Center, Vertical
from textual.widget import Widget
from textual.widgets import Button, Digits

from screens.participant import ParticipantScreen
from screens.widgets.text import PlainText, TextButton
from studies.steps import Done, End, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

TITLES: dict[End, str] = {
    "completed": "Thank you",
    "paused": "Until next time",
    "declined": "Thank you for reading",
    "withdrawn": "You have withdrawn",
    "excluded": "Thank you",
    "limit": "Thank you",
    "blocked": "Please speak to the researcher",
}


class DoneScreen(ParticipantScreen):
    """The last thing a participant sees."""

    CSS_PATH = ["participant.tcss", "done.tcss"]
    HELP = "The visit is over. Note the completion code if there is one, then close."
    BINDINGS = [
        Binding("escape", "close", "close", id="done.close", tooltip="Close"),
        Binding("enter", "close", show=False),
    ]

    def __init__(self, flow: VisitScreen, done: Done) -> None:
        super().__init__(flow, Step("end", 1, "page", TITLES[done.end]))
        self._done = done

    def compose_middle(self) -> Iterable[Widget]:
        """Title, message, code, one button."""
        with Vertical(id="end"):
            yield PlainText(self.step.title, id="title")
            yield PlainText(self._done.message, id="message")
            if self._done.completion_code:
                yield PlainText(f"Your completion code: {self._done.completion_code}", id="code-words")
                with Center():
                    yield Digits(self._done.completion_code, id="code")
            with Center():
                yield TextButton("Close", primary=True, id="close")

    def on_mount(self) -> None:
        """One button, in focus."""
        super().on_mount()
        self.set_focus(self.query_one("#close"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """There is nothing left to pause; withdrawing stays possible."""
        if action == "pause":
            return False
        if action == "menu":
            return self._done.end not in ("withdrawn", "declined")
        return super().check_action(action, parameters)

    def after_paint(self) -> None:
        """No step is asked any more."""

    @on(Button.Pressed, "#close")
    def action_close(self) -> None:
        """End the visit."""
        self.flow.finish(self._done)
