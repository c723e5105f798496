"""What is to be judged: the request, and the dialogue before it where there was one."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container
from textual.content import Content

from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, plain, plain_line
from studies.steps import Material

FRAME, BORDERS, SCROLLBAR = 4, 2, 1
"""Columns and rows of a pane that hold no text."""

ROLES = {"user": "user", "assistant": "ai"}
"""How the sides of a dialogue are called on screen."""


class MaterialPanes(Container):
    """Two panes: what came before above, the request below. Each gets the room the other leaves."""

    DEFAULT_CSS = """
    MaterialPanes {
        width: 100%; height: 100%;
        & #context { height: auto; }
        & #request { height: 1fr; min-height: 5; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._lines = Content()

    def compose(self) -> ComposeResult:
        """The panes."""
        with Pane("Before", id="context"):
            yield PlainText(id="dialogue")
        with Pane("The request", id="request"):
            yield PlainText(id="request-text")

    @property
    def request(self) -> Pane:
        """Where the request is."""
        return self.query_one("#request", Pane)

    def show(self, material: Material | None) -> None:
        """Show an item from its top."""
        context = self.query_one("#context", Pane)
        messages = material.context if material else ()
        context.display = bool(messages)
        self._lines = plain(material.request if material else "")
        parts = []
        for one in messages:
            role = plain_line(f"── {ROLES.get(one.role, one.role)}", "bold")
            parts.append(Content.assemble(role, "\n", plain(one.text)))
        self.query_one("#dialogue", PlainText).update(Content("\n\n").join(parts))
        self.query_one("#request-text", PlainText).update(material.request if material else "")
        self._share()
        context.renew()
        self.request.renew()

    def on_resize(self) -> None:
        """Share the room anew."""
        self._share()

    def _share(self) -> None:
        """The dialogue may have what the request does not need, and half of the room in any case."""
        width, height = self.size
        if width and height:
            needed = len(self._lines.wrap(max(1, width - FRAME - SCROLLBAR))) + BORDERS
            self.query_one("#context").styles.max_height = max(height // 2, height - max(needed, 5))
