"""One message of a dialogue, in one widget however long it is: who speaks, on the left, and the text."""

from __future__ import annotations

from dataclasses import dataclass

from textual.content import Content
from textual.geometry import Size
from textual.selection import Selection
from textual.strip import Strip
from textual.style import Style
from textual.visual import Visual
from textual.widget import Widget

from screens.widgets.prose import Block, blocks_of, rows_of_text
from screens.widgets.text import plain_line

GUTTER = 5
"""Cells on the left, for who speaks."""


@dataclass(frozen=True, slots=True, eq=False)
class _Line:
    """One line as it stands on the screen; a line that has changed is another one."""

    text: Content
    sort: str = ""
    """`code`, `note`, or nothing."""


class Said(Widget):
    """A message. What a model says is read as Markdown and may grow; what a person says is shown as it is.

    Only lines that can be seen are drawn, and what has been read once is not read again while the message
    grows, so that long dialogues cost no more than short ones.
    """

    DEFAULT_CSS = """
    Said { height: auto; width: 1fr; margin-bottom: 1; color: $foreground; }
    Said .said--who { text-style: bold; color: $primary; }
    Said .said--code { background: $foreground 7%; }
    Said .said--note { text-style: italic; color: $foreground 80%; }
    """
    COMPONENT_CLASSES = {"said--who", "said--code", "said--note"}

    def __init__(self, who: str, text: str = "", *, markdown: bool = False, note: str = "") -> None:
        """A message.

        Args:
            who: a short name of who speaks; empty for words of the program.
            text: what was said, exactly as it came.
            markdown: whether to read it as Markdown.
            note: quiet words of the program below it.
        """
        super().__init__()
        self.who, self.text, self.note = who, text, note
        self._markdown = markdown
        self._settled: list[_Line] = []
        """Lines that no further text can change."""
        self._blocks: list[Block] = []
        """The same before wrapping."""
        self._from = 0
        """Where in the text the part begins that may still change."""
        self._lines: list[_Line] = []
        self._drawn: dict[int, tuple[object, Strip]] = {}
        self._made_for = (-1, "", "", False)
        self._growing = False

    # -- saying --------------------------------------------------------------------------------

    def add(self, text: str) -> None:
        """More of it arrives."""
        self._growing, self.note = True, ""
        self.text += text
        self.refresh(layout=True)

    def become(self, text: str, note: str = "") -> None:
        """This is the whole of it."""
        if (text, note, False) == (self.text, self.note, self._growing):
            return
        self._growing = False
        self.text, self.note = text, note
        self._forget()
        self.refresh(layout=True)

    # -- lines ---------------------------------------------------------------------------------

    def lines(self, width: int) -> list[_Line]:
        """The lines it takes in that many cells."""
        wanted = (width, self.text, self.note, self._growing)
        if self._made_for != wanted:
            if self._made_for[0] != width:
                self._settled = [one for block in self._blocks for one in self._wrap(block, width)]
            self._read(width)
            self._made_for = wanted
        return self._lines

    def _forget(self) -> None:
        self._settled, self._blocks, self._from = [], [], 0

    def _read(self, width: int) -> None:
        """Read what may have changed since the last time."""
        if self._markdown:
            tail = self.text[self._from :]
            # Half of a line's end says nothing yet.
            blocks = blocks_of(tail.removesuffix("\r") if self._growing else tail, unfinished=self._growing)
        else:
            blocks = [Block(0, rows_of_text(self.text))]
        # A line that is still being written may yet belong to the block before.
        if self._growing and len(blocks) > 1 and blocks[-1].line < self.text.count("\n", self._from):
            done, blocks = blocks[:-1], blocks[-1:]
            for _ in range(blocks[0].line):
                self._from = self.text.index("\n", self._from) + 1
            self._blocks += done
            self._settled += [one for block in done for one in self._wrap(block, width)]
        self._lines = self._settled + [one for block in blocks for one in self._wrap(block, width)]
        if self._lines and not self._lines[-1].text:
            self._lines.pop()
        if self.note:
            self._lines += [
                _Line(one, "note")
                for row in rows_of_text(self.note)
                for one in row.wrapped(self._room(width))
            ]

    def _room(self, width: int) -> int:
        return max(GUTTER, width - GUTTER)

    def _wrap(self, block: Block, width: int) -> list[_Line]:
        """A block and the space below it."""
        lines = [
            _Line(one, "code" if row.code else "")
            for row in block.rows
            for one in row.wrapped(self._room(width))
        ]
        return [*lines, _Line(Content(""))] if lines and self._markdown else lines

    # -- drawing -------------------------------------------------------------------------------

    def notify_style_update(self) -> None:
        """Other colours: draw anew."""
        self._drawn.clear()
        super().notify_style_update()

    def get_content_width(self, container: Size, viewport: Size) -> int:
        """All there is."""
        return container.width

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as it takes."""
        return max(1, len(self.lines(width)))

    def render_line(self, y: int) -> Strip:
        """One line."""
        width, style = self.content_size.width, self.visual_style
        lines = self.lines(width)
        line = lines[y] if y < len(lines) else _Line(Content(""))
        looks = (line, width, style, self.text_selection)
        drawn = self._drawn.get(y)
        if drawn is None or drawn[0] != looks:
            drawn = self._drawn[y] = (looks, self._draw(line, y, width, style))
        return drawn[1]

    def _draw(self, line: _Line, y: int, width: int, style: Style) -> Strip:
        who = plain_line(self.who[: GUTTER - 1] if y == 0 else "", self._style("who"))
        front = self._strip(who, GUTTER, style)
        text = self._selected(line.text, y)
        looks = style + self._style(line.sort) if line.sort else style
        return Strip.join([front, self._strip(text, self._room(width), looks)]).apply_offsets(0, y)

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """What is selected, without the names on the left."""
        shown = "\n".join(" " * GUTTER + one.text.plain for one in self._lines)
        first, *rest = selection.extract(shown).split("\n")
        start = selection.start.x if selection.start else 0
        return "\n".join([first[max(0, GUTTER - start) :], *(one[GUTTER:] for one in rest)]), "\n"

    def _selected(self, text: Content, y: int) -> Content:
        selection = self.text_selection
        span = selection.get_span(y) if selection is not None else None
        if span is None:
            return text
        start, end = (max(0, one - GUTTER) if one >= 0 else len(text) for one in span)
        style = self.screen.get_visual_style("screen--selection")
        return text.stylize(style, start, end)

    def _strip(self, text: Content, width: int, style: Style) -> Strip:
        return Visual.to_strips(self, text, width, 1, style, apply_selection=False, pad=True)[0]

    def _style(self, name: str) -> Style:
        return self.get_visual_style(f"said--{name}", partial=True)
