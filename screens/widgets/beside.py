"""What is read beside a form: one text, or two to be compared, without a word of where they come from."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Container

from screens.widgets.document import Document
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, plain_line
from studies.steps import Material

SIDES = {"left": "The left one", "right": "The right one"}
TITLE, HAND = "To read", "At hand"
PERSONA = "persona"
ROLES = {PERSONA: "You answer as"}
"""What stands before a text that comes with the one to read; a persona is the study author's Markdown."""


class Beside(Container):
    """One pane, or two that stand side by side where there is room, else one at a time."""

    HELP = (
        "The text that the questions are about. Arrow keys, page keys and the mouse wheel scroll; the page "
        "keys do so from the questions as well."
    )
    DEFAULT_CSS = """
    Beside { height: 1fr; width: 1fr; layout: horizontal; }
    Beside Pane { width: 1fr; }
    Beside Document { margin-bottom: 1; }
    Beside .beside--title { text-style: bold; color: $primary; }
    Beside .beside--hidden { display: none; }
    """

    def __init__(self, material: Material, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._material = material
        self.pair = len(material.context) == 2 and {one.role for one in material.context} == set(SIDES)
        """Whether there are two texts to compare."""
        self._second = False

    def compose(self) -> ComposeResult:
        """The panes."""
        markdown = self._material.markdown
        if self.pair:
            for one in sorted(self._material.context, key=lambda side: side.role):
                with Pane(SIDES[one.role], id=one.role):
                    yield Document(one.text, markdown=markdown)
            return
        with Pane(HAND if self._material.context else TITLE, id="read"):
            if self._material.context:
                yield PlainText(self._material.title or TITLE, classes="beside--title")
            yield Document(self._material.request, markdown=markdown)
            for one in self._material.context:
                yield PlainText(ROLES.get(one.role, one.role), classes="beside--title")
                yield Document(one.text, markdown=markdown or one.role == PERSONA)

    def on_mount(self) -> None:
        """Begin with the left one."""
        if self.pair:
            self._turn()
        elif self._material.title and not self._material.context:
            self.query_one(Pane).border_title = plain_line(self._material.title)

    @property
    def shown(self) -> list[Pane]:
        """The panes that can be seen."""
        return [one for one in self.query(Pane) if one.display]

    def switch(self) -> None:
        """Show the other text, where only one is shown."""
        self._second = not self._second
        self._turn()

    def scroll_page(self, way: str) -> None:
        """Scroll what can be seen by a page."""
        for one in self.shown:
            one.scroll_page_down(animate=False) if way == "down" else one.scroll_page_up(animate=False)

    def _turn(self) -> None:
        self.query_one("#left").set_class(self._second, "beside--hidden")
        self.query_one("#right").set_class(not self._second, "beside--hidden")
