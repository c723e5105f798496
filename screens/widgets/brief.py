"""What stands beside a dialogue: who one is, what one wants, how one speaks."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import ComposeResult

from screens.widgets.panes import Pane, Reading
from screens.widgets.text import PlainText
from studies.chat import Panel


class Brief(Pane):
    """The panels below each other in one place that scrolls."""

    HELP = "What you need beside the conversation. Arrow and page keys scroll."
    DEFAULT_CSS = """
    Brief .brief--title { text-style: bold; color: $primary; }
    Brief .brief--text { margin: 0 0 1 0; }
    """

    def __init__(self, panels: Sequence[Panel], title: str, *, id: str | None = None) -> None:
        super().__init__(title, id=id)
        self._panels = tuple(panels)

    def compose(self) -> ComposeResult:
        """Title and text of each panel."""
        for one in self._panels:
            yield PlainText(one.title, classes="brief--title")
            yield Reading(one.text) if one.markdown else PlainText(one.text, classes="brief--text")
