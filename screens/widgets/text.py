"""Text from people, study authors and models on the screen: always as it is, never as markup.

Every widget gets such text through `plain`; nothing else in `screens` makes content from data.
"""

from __future__ import annotations

from textual.binding import Binding
from textual.content import Content, Span
from textual.style import Style
from textual.visual import VisualType
from textual.widgets import Button, Static

from studies.visible import visible, visible_line


def plain(text: str, style: str | Style = "") -> Content:
    """The text as content, its control characters made visible, in one style."""
    shown = visible(text).expandtabs(4)
    return Content(shown, spans=[Span(0, len(shown), style)] if style else None)


def plain_line(text: str, style: str | Style = "") -> Content:
    """The same on one line: line feeds and tabs are shown as escapes."""
    return plain(visible_line(text), style)


def shortened(text: str, width: int) -> str:
    """One line of text in at most `width` cells, with an ellipsis where it was cut."""
    line = Content(visible_line(text))
    return line.plain if line.cell_length <= width else line.truncate(max(1, width), ellipsis=True).plain


class PlainText(Static):
    """Static text that is never parsed. A `str` is data; content made here may carry styles."""

    def __init__(
        self, text: VisualType = "", *, name: str | None = None, id: str | None = None,
        classes: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(_safe(text), markup=False, name=name, id=id, classes=classes)

    def update(self, content: VisualType = "", *, layout: bool = True) -> None:
        """Show another text."""
        super().update(_safe(content), layout=layout)


class TextButton(Button, inherit_bindings=False):
    """A button whose label is never parsed."""

    BINDINGS = [Binding("enter,space", "press", "press", key_display="enter", tooltip="Press the button")]

    DEFAULT_CSS = """
    TextButton, TextButton.-style-default {
        height: 3;
        min-width: 12;
        border: round $foreground 40%;
        background: transparent;
        color: $foreground;
        text-style: none;
        &:hover { border: round $accent; background: transparent; }
        &:focus {
            border: heavy $accent; text-style: bold; background: transparent; background-tint: transparent;
        }
        &.-primary { border: round $primary; color: $primary; background: transparent; }
        &.-primary:hover { border: round $accent; background: transparent; }
        &.-primary:focus { border: heavy $accent; color: $foreground; }
        &.-active { border: heavy $accent; tint: transparent; }
    }
    TextButton.-textual-compact { height: 1; border: none; min-width: 4; }
    TextButton.-textual-compact:focus { text-style: bold reverse; }
    """

    def __init__(
        self, label: str, *, primary: bool = False, compact: bool = False, focusable: bool = True,
        id: str | None = None, classes: str | None = None,
    ) -> None:  # fmt: skip
        """A button.

        Args:
            label: what it says.
            primary: the usual way on.
            compact: on one line, without a border.
            focusable: False where a key does the same, so that Enter keeps its one meaning.
            id: of the widget.
            classes: of the widget.
        """
        text = plain_line(f"[{label}]" if compact else label)
        super().__init__(text, "primary" if primary else "default", compact=compact, id=id, classes=classes)
        self.can_focus = focusable

    def relabel(self, label: str) -> None:
        """Show another label."""
        self.label = plain_line(f"[{label}]" if self.compact else label)
        self.refresh(layout=True)


def _safe(content: VisualType) -> VisualType:
    return plain(content) if isinstance(content, str) else content
