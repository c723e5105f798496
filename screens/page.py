"""Pages to read: instructions, categories, the result of the practice, the debrief, a rest."""

from __future__ import annotations

from collections.abc import Iterable

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Center, Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button

from screens.base import CapaModal
from screens.participant import ParticipantScreen
from screens.widgets.bars import KeyBar
from screens.widgets.beside import Beside
from screens.widgets.panes import Pane, Reading
from screens.widgets.text import PlainText, TextButton, plain, plain_line
from studies.steps import Material


class PageScreen(ParticipantScreen):
    """One page of text. Enter reads on to its end, and then goes on."""

    CSS_PATH = ["participant.tcss", "page.tcss"]
    HELP = "A page to read. Arrow keys, page keys and the mouse wheel scroll. There is no hurry."
    BINDINGS = [
        Binding("enter", "read_on", "read on", id="page.read-on", tooltip="Scroll down a page"),
        Binding("enter", "go_on", "go on", id="page.go-on", tooltip="To the next page"),
        Binding("space", "read_on", "read on", show=False),
    ]

    def compose_middle(self) -> Iterable[Widget]:
        """The text, and a button that does what Enter does."""
        with Vertical(id="sheet"):
            yield PlainText(self.step.title, id="title")
            with Pane(id="text"):
                if self.step.material is not None:
                    yield PlainText(texts_of(self.step.material), id="material")
                yield Reading(self.step.body)
            with Horizontal(id="buttons"):
                yield TextButton(self.go_on, primary=True, id="go-on")

    @property
    def go_on(self) -> str:
        """What the button at the end says."""
        return "Finish" if self.step.kind == "debrief" else "Go on"

    def on_mount(self) -> None:
        """The keys scroll the text."""
        super().on_mount()
        self.set_focus(self.query_one("#text"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Reading on is offered while there is more, going on afterwards."""
        if action in ("read_on", "go_on") and self.is_mounted:
            return self.query_one("#text", Pane).more_below == (action == "read_on")
        return super().check_action(action, parameters)

    @on(Pane.Moved)
    def _moved(self) -> None:
        more = self.query_one("#text", Pane).more_below
        self.query_one("#go-on", TextButton).relabel("Read on" if more else self.go_on)
        self.refresh_bindings()

    @on(Button.Pressed, "#go-on")
    async def _pressed(self) -> None:
        more = self.query_one("#text", Pane).more_below
        self.action_read_on() if more else self.action_go_on()

    def action_read_on(self) -> None:
        """Scroll down a page."""
        self.query_one("#text", Pane).scroll_page_down(animate=False)

    def action_go_on(self) -> None:
        """Close the page."""
        self.flow.leave(self.step)


def texts_of(material: Material) -> Content:
    """What a page shows beside its own words, as it is, each text below its title."""
    parts = [(material.title, material.request), *((one.role, one.text) for one in material.context)]
    return plain("\n").join(
        part for title, text in parts for part in (plain_line(title, "bold $primary"), plain(f"{text}\n"))
    )


class RestScreen(PageScreen):
    """A rest between two blocks, as long as one likes."""

    HELP = "A rest. Nothing is timed. Go on when you like, or pause and come back another day."

    def compose_middle(self) -> Iterable[Widget]:
        """The text, large and calm, and both ways on."""
        with Vertical(id="sheet", classes="-calm"):
            yield PlainText(self.step.title, id="title")
            with Pane(id="text"):
                yield Reading(self.step.body)
            with Horizontal(id="buttons"):
                yield TextButton(self.go_on, primary=True, id="go-on")
                yield TextButton("Pause", id="pause")

    @on(Button.Pressed, "#pause")
    def _pause(self) -> None:
        self.action_pause()


class TextScreen(CapaModal[None]):
    """A text over the step, to read again."""

    CSS_PATH = "page.tcss"
    BINDINGS = [Binding("escape,enter,q", "dismiss", "close", key_display="esc")]

    def __init__(self, title: str, text: str) -> None:
        super().__init__()
        self._title, self._text = title, text

    def compose(self) -> ComposeResult:
        """The text, and a way back."""
        with Vertical(id="sheet"):
            yield PlainText(self._title, id="title")
            with Pane(id="text"):
                yield Reading(self._text)
            with Center():
                yield TextButton("Close", id="close", compact=True)
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """The keys scroll the text."""
        super().on_mount()
        self.set_focus(self.query_one("#text"))

    @on(Button.Pressed, "#close")
    def _close(self) -> None:
        self.dismiss()


class AtHandScreen(CapaModal[None]):
    """What was written before, and whom one answers as, over the step. Nothing on it changes anything."""

    CSS_PATH = "page.tcss"
    BINDINGS = [Binding("escape,enter,q,f3", "dismiss", "close", key_display="esc")]

    def __init__(self, material: Material) -> None:
        super().__init__()
        self._material = material

    def compose(self) -> ComposeResult:
        """The texts, and a way back."""
        yield Beside(self._material)
        with Center():
            yield TextButton("Close", id="close", compact=True)
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """The keys scroll the text."""
        super().on_mount()
        self.set_focus(self.query(Pane).first())

    @on(Button.Pressed, "#close")
    def _close(self) -> None:
        self.dismiss()
