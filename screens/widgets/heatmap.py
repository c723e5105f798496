"""A table of counts in which large numbers are also darker, and the diagonal is marked."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import RenderResult
from textual.color import Color
from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from screens.widgets.text import plain_line, shortened

LABEL = 6


class Heatmap(Widget):
    """Rows and columns of short labels. Every cell says its number, so nothing rests on the shading."""

    DEFAULT_CSS = """
    Heatmap { height: auto; width: auto; color: $foreground; }
    Heatmap .heatmap--head { text-style: bold; }
    """
    COMPONENT_CLASSES = {"heatmap--head"}

    def __init__(
        self, labels: Sequence[str], matrix: Sequence[Sequence[int]], rows: str, columns: str
    ) -> None:
        """A heat map.

        Args:
            labels: of rows and columns alike.
            matrix: counts, by row.
            rows: what a row is, in a word or two.
            columns: what a column is.
        """
        super().__init__()
        self.labels, self.matrix = tuple(labels), tuple(tuple(row) for row in matrix)
        self._rows, self._columns = rows, columns
        self._most = max((one for row in self.matrix for one in row), default=0)
        self._cell = max(6, len(f"{self._most:,}") + 3)

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """Labels, then one cell a column."""
        return max(LABEL + self._cell * len(self.labels), len(self._rows) + len(self._columns) + 12)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """What the axes are, the heads, one line a row."""
        return len(self.labels) + 2

    def render(self) -> RenderResult:
        """The table."""
        head = self.get_visual_style("heatmap--head", partial=True)
        lines = [Content(f"rows: {self._rows} · columns: {self._columns}")]
        heads = "".join(shortened(one, self._cell - 1).rjust(self._cell) for one in self.labels)
        lines.append(Content.assemble(" " * LABEL, plain_line(heads, head)))
        for place, (label, row) in enumerate(zip(self.labels, self.matrix, strict=True)):
            name = plain_line(shortened(label, LABEL - 1).ljust(LABEL), head)
            cells = [self._shaded(number, place == column) for column, number in enumerate(row)]
            lines.append(Content.assemble(name, *cells))
        return Content("\n").join(lines)

    def _shaded(self, number: int, diagonal: bool) -> Content:
        text = f"{number:,}" if number else "·"
        cell = f"[{text}]" if diagonal else f"{text} "
        cell = cell.rjust(self._cell)
        if not number or self.app.no_color:
            return Content(cell)
        share = number / self._most
        back = self._background.blend(self._accent, 0.15 + 0.75 * share)
        style = Style(background=back, foreground=back.get_contrast_text(1.0), bold=diagonal)
        return Content.styled(cell, style)

    @property
    def _background(self) -> Color:
        return self.background_colors[1]

    @property
    def _accent(self) -> Color:
        return Color.parse(self.app.theme_variables["primary"])
