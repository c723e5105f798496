"""The author's screen: the text of a task, and beside it what is to be written or said about it."""

from __future__ import annotations

from collections.abc import Iterable

from textual.binding import Binding
from textual.containers import Vertical
from textual.widget import Widget

from screens.form import FormScreen
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText
from studies.steps import Field

COMPLETE = "The complete description"
SHORTENED = "The shortened description"


class AuthoringScreen(FormScreen):
    """A form with a task beside it."""

    CSS_PATH = ["participant.tcss", "form.tcss", "authoring.tcss"]
    HELP = (
        "The description is on the left, what is asked about it on the right. Tab and shift+tab go from one "
        "field to the next, enter goes on. Page keys scroll the description. Everything is saved as you go."
    )
    BINDINGS = [
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the description"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the description"),
    ]

    def compose_middle(self) -> Iterable[Widget]:
        """The task left, the form right."""
        material = self.step.material
        request, context = (material.request, material.context) if material else ("", ())
        with Vertical(id="texts"):
            # Only who writes the gaps sees both.
            shown = SHORTENED if context or not self._shortening else COMPLETE
            with Pane(shown, id="request"):
                yield PlainText(request)
            for one in context:
                with Pane(COMPLETE):
                    yield PlainText(one.text)
        with Vertical(id="form"):
            yield from self.compose_form()

    def on_mount(self) -> None:
        """A whole description needs more room than an answer."""
        super().on_mount()
        self.set_class(self._shortening, "-shortening")

    @property
    def _shortening(self) -> bool:
        return any(one.name == "statement" for one in self.step.fields)

    def begun(self, field: Field) -> str:
        """The shortened description begins as the complete one."""
        material = self.step.material
        return material.request if field.name == "statement" and material else ""

    def action_scroll(self, way: str) -> None:
        """Scroll the description, wherever the focus is."""
        text = self.query_one("#request", Pane)
        text.scroll_page_down(animate=False) if way == "down" else text.scroll_page_up(animate=False)
