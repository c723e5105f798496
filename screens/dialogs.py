"""Dialogs: a sentence that says what will happen, and the choices as buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Button

from screens.base import CapaModal
from screens.widgets.bars import KeyBar
from screens.widgets.text import PlainText, TextButton

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Choice(Generic[Value]):
    """One button of a dialog."""

    value: Value
    label: str
    explanation: str = ""
    """What it does, beside the button."""


class Dialog(CapaModal[Value]):
    """Asks for one of a few choices. Escape gives None: nothing happens.

    The last choice has the focus at first, so it must be the harmless one.
    """

    CSS_PATH = "dialogs.tcss"
    BINDINGS = [
        Binding("escape", "dismiss", "go back"),
        Binding("down,right", "app.focus_next", "next choice", show=False),
        Binding("up,left", "app.focus_previous", "choice before", show=False),
    ]

    def __init__(
        self, title: str, text: str, choices: Sequence[Choice[Value]], *, must_choose: bool = False,
        classes: str | None = None,
    ) -> None:  # fmt: skip
        """A dialog.

        Args:
            title: what it is about.
            text: what will happen; may be empty.
            choices: the buttons; the last one must be the harmless one.
            must_choose: Escape does not close it.
            classes: of the screen.
        """
        super().__init__(classes=classes)
        self._must_choose = must_choose
        self._title, self._text, self._choices = title, text, tuple(choices)

    def compose(self) -> ComposeResult:
        """A box in the middle."""
        with Vertical(id="dialog"):
            yield PlainText(self._title, id="dialog-title")
            with VerticalScroll(id="dialog-text", can_focus=False):
                yield PlainText(self._text)
            for place, choice in enumerate(self._choices):
                yield TextButton(choice.label, id=f"choice-{place}", classes="dialog-choice")
                if choice.explanation:
                    yield PlainText(choice.explanation, classes="dialog-explanation")
        yield KeyBar(stateful=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Escape is a key only where it closes."""
        if action == "dismiss":
            return not self._must_choose
        return super().check_action(action, parameters)

    def on_mount(self) -> None:
        """Rest on the harmless choice."""
        self.set_focus(self.query_one(f"#choice-{len(self._choices) - 1}"))
        super().on_mount()

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        place = int((event.button.id or "").removeprefix("choice-"))
        self.dismiss(self._choices[place].value)


def confirm(title: str, text: str, yes: str, no: str) -> Dialog[bool]:
    """Asks before something that matters; the text says what will happen."""
    return Dialog(title, text, (Choice(True, yes), Choice(False, no)))


def message(title: str, text: str, button: str = "Close") -> Dialog[bool]:
    """Says something and waits until it has been read."""
    return Dialog(title, text, (Choice(True, button),))


def trouble(
    title: str, happened: str, kept: str, next_step: str, choices: Sequence[Choice[Value]]
) -> Dialog[Value]:
    """An error, calmly: what happened, what is kept, and what to do next. One of the choices must be made."""
    text = "\n\n".join(part for part in (happened, kept, next_step) if part)
    return Dialog(title, text, choices, must_choose=True, classes="-trouble")
