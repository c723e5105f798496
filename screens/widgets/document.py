"""A text to read that a model or a person wrote, as Markdown that cannot act, in one widget."""

from __future__ import annotations

from textual.app import RenderResult
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from screens.widgets.prose import blocks_of, rows_of_text


class Document(Widget):
    """The text, wrapped to the room it has."""

    DEFAULT_CSS = """
    Document { height: auto; width: 1fr; color: $foreground; }
    """

    def __init__(self, text: str = "", *, markdown: bool = True, id: str | None = None) -> None:
        """A text.

        Args:
            text: exactly as it came.
            markdown: whether to read it as Markdown; otherwise each line stays as it is.
            id: of the widget.
        """
        super().__init__(id=id)
        self.text = text
        self._markdown = markdown
        self._laid: tuple[int, list[Content]] = (-1, [])

    def show(self, text: str, *, markdown: bool | None = None) -> None:
        """Show another text."""
        self.text = text
        self._markdown = self._markdown if markdown is None else markdown
        self._laid = (-1, [])
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes."""
        return max(1, len(self._lines(width)))

    def render(self) -> RenderResult:
        """All of it."""
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        if self._laid[0] != width:
            lines: list[Content] = []
            if self._markdown:
                for block in blocks_of(self.text):
                    lines += [Content("")] if lines and block.rows else []
                    lines += [one for row in block.rows for one in row.wrapped(width)]
            else:
                lines = [one for row in rows_of_text(self.text) for one in row.wrapped(width)]
            self._laid = (width, lines)
        return self._laid[1]
