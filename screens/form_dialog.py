"""A small form over a screen: a few fields, one button that does it, one that leaves everything as it is."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.suggester import Suggester
from textual.widget import Widget
from textual.widgets import Button, Input

from screens.base import CapaModal
from screens.widgets.bars import KeyBar
from screens.widgets.marks import Choices
from screens.widgets.text import PlainText, TextButton
from studies.steps import Option

Values = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Ask:
    """One field of a form."""

    name: str
    label: str
    kind: Literal["text", "path", "number", "yes", "choice"] = "text"
    """`yes` is a box to mark; `choice` one of `options`."""
    value: Any = ""
    options: Sequence[Option] = ()
    explanation: str = ""
    """Shown quietly in an empty field, or beside a box."""


class FormDialog(CapaModal[Values]):
    """Asks for a few values. Escape gives None: nothing happens."""

    CSS_PATH = "form_dialog.tcss"
    HELP = "Tab goes to the next field, Enter too. Escape leaves everything as it is."
    BINDINGS = [
        Binding("escape", "dismiss", "go back"),
        Binding("down", "app.focus_next", "next field", show=False),
        Binding("up", "app.focus_previous", "field before", show=False),
    ]

    def __init__(
        self,
        title: str,
        text: str,
        asks: Sequence[Ask],
        do: str,
        check: Callable[[Mapping[str, Any]], str | None] = lambda _: None,
    ) -> None:
        """A form to be filled in.

        Args:
            title: what this is about.
            text: what will happen, in a sentence.
            asks: the fields.
            do: the button that does it.
            check: what is wrong with the values, or None; a form with a problem stays open.
        """
        super().__init__()
        self._title, self._text, self._asks, self._do, self._check = title, text, tuple(asks), do, check

    def compose(self) -> ComposeResult:
        """Title, text, fields, what is wrong, buttons."""
        with Vertical(id="form"):
            yield PlainText(self._title, id="form-title")
            with VerticalScroll(id="form-fields", can_focus=False):
                if self._text:
                    yield PlainText(self._text, id="form-text")
                for ask in self._asks:
                    yield from self._field(ask)
            yield PlainText(id="form-problem")
            with Horizontal(id="form-buttons"):
                yield TextButton(self._do, primary=True, id="do")
                yield TextButton("Cancel", id="cancel")
        yield KeyBar(stateful=False)

    def _field(self, ask: Ask) -> ComposeResult:
        name = f"ask-{ask.name}"
        if ask.kind == "yes":
            marked = (True,) if ask.value else None
            yield Choices((Option(True, ask.label),), marked, several=True, id=name, classes="form-yes")
            if ask.explanation:
                yield PlainText(ask.explanation, classes="form-explanation")
            return
        with Horizontal(classes="form-row -tall" if ask.kind == "choice" else "form-row"):
            yield PlainText(ask.label, classes="form-label")
            if ask.kind == "choice":
                yield Choices(ask.options, ask.value, id=name)
            else:
                yield LineField(
                    str(ask.value),
                    placeholder=ask.explanation,
                    id=name,
                    type="integer" if ask.kind == "number" else "text",
                    suggester=Folders() if ask.kind == "path" else None,
                    select_on_focus=ask.kind != "path",
                    compact=True,
                )

    def on_mount(self) -> None:
        """Begin in the first field."""
        self.set_focus(self.query_one(f"#ask-{self._asks[0].name}"))
        super().on_mount()

    @property
    def values(self) -> Values:
        """What the form says now; text without surrounding blanks, a number or None."""
        return {ask.name: self._value(ask) for ask in self._asks}

    def _value(self, ask: Ask) -> Any:
        widget = self.query_one(f"#ask-{ask.name}", Widget)
        if isinstance(widget, Choices):
            return bool(widget.value) if ask.kind == "yes" else widget.value
        assert isinstance(widget, Input)
        text = widget.value.strip()
        if ask.kind != "number":
            return text
        return int(text) if text.lstrip("-").isdecimal() else None

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        inputs = list(self.query(Input))
        if event.input is inputs[-1]:
            self._finish()
        else:
            self.set_focus(inputs[inputs.index(event.input) + 1])

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        if event.button.id == "do":
            self._finish()
        else:
            self.dismiss(None)

    def _finish(self) -> None:
        values = self.values
        problem = self._check(values)
        self.query_one("#form-problem", PlainText).update(problem or "")
        if problem is None:
            self.dismiss(values)


class LineField(Input):
    """One line of text. Enter goes on."""

    BINDINGS = [Binding("enter", "submit", "go on", tooltip="To the next field; from the last, do it")]


class Folders(Suggester):
    """Completes a path from what is on the disk; Right or End takes the suggestion."""

    def __init__(self) -> None:
        super().__init__(use_cache=False, case_sensitive=True)

    async def get_suggestion(self, value: str) -> str | None:
        """The first file or folder that begins as typed."""
        return await asyncio.to_thread(complete, value)


def expanded(typed: str) -> Path:
    """The path that was typed, `~` and all."""
    return Path(os.path.expanduser(typed.strip()))


def complete(typed: str) -> str | None:
    """The typed path with the rest of the first name that fits, folders first; None where nothing does."""
    if not typed:
        return None
    folder, _, begun = typed.rpartition("/")
    base = Path(os.path.expanduser(folder + "/")) if "/" in typed else Path()
    try:
        entries = [one for one in os.scandir(base) if one.name.startswith(begun) and one.name.isprintable()]
        names = [(not one.is_dir(), one.name) for one in entries if begun or not one.name.startswith(".")]
    except (OSError, ValueError):
        return None
    if not names:
        return None
    is_file, name = min(names)
    return typed + name[len(begun) :] + ("" if is_file else "/")
