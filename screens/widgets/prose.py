"""Markdown from a model as rows of text: one pass over the tokens, nothing that could act.

Links, images, HTML and entities stay the characters they are, a line break stays a line break, and control
characters are visible. A message is a list of blocks, so that one that is still being written is only read
again from where its last block begins.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from markdown_it import MarkdownIt
from markdown_it.token import Token
from textual.content import Content, Span
from textual.highlight import highlight

from studies.visible import visible

HIGHLIGHTED = 20_000
"""Characters of code up to which it is coloured; beyond, that would hold up a key."""
PLAIN = ("python", "py", "python3")
"""Languages that need not be named."""
NARROWEST = 8
"""Cells that text keeps however deep it is indented."""
STYLES = {"em_open": "italic", "strong_open": "bold", "s_open": "strike"}
_SEPARATORS = {0x2028: "\\u2028", 0x2029: "\\u2029"}


@dataclass(frozen=True, slots=True)
class Row:
    """A line before it is wrapped."""

    text: Content
    first: str = ""
    """Stands before it: a bullet, the bar of a quotation."""
    rest: str = ""
    """Stands before what did not fit on its first line."""
    code: bool = False
    """Folded where it is full, spaces and all; otherwise wrapped between words."""

    def wrapped(self, width: int) -> list[Content]:
        """The lines it takes in that many cells."""
        # Of a margin that would fill the line, what stands nearest to the text; each character is a cell.
        first, rest = self.first[-width:], self.rest[-width:]
        room = max(NARROWEST, width - len(rest))
        lines = self.text.fold(room) if self.code else self.text.wrap(room)
        return [Content(rest if place else first) + one for place, one in enumerate(lines)]


@dataclass(slots=True)
class Block:
    """A paragraph, a list, a piece of code, whatever stands at the left margin."""

    line: int
    """Line of the source it begins on, from 0."""
    rows: list[Row] = field(default_factory=list)


def rows_of_text(text: str) -> list[Row]:
    """A text as it is, each of its lines a row."""
    return [Row(Content(line.expandtabs(4))) for line in clean(text).split("\n")]


def blocks_of(source: str, *, unfinished: bool = False) -> list[Block]:
    """The blocks of a Markdown text.

    Args:
        source: the text as it came.
        unfinished: more follows; code at its end is not coloured yet.
    """
    cleaned = clean(source).expandtabs(4)
    reader = _Reader(cleaned.split("\n"))
    for token in _PARSER.parse(cleaned):
        reader.read(token)
    growing = unfinished and reader.code and reader.code[-1][0] is reader.blocks[-1]
    reader.colour(len(reader.code) - bool(growing))
    return reader.blocks


def clean(text: str) -> str:
    """The text without anything that acts on a terminal or that some would take for the end of a line."""
    return visible(text).translate(_SEPARATORS)


_PARSER = (
    MarkdownIt("commonmark", {"html": False})
    .enable(["table", "strikethrough"])
    .disable(["link", "image", "autolink", "reference", "html_block", "html_inline", "entity"])
)


class _Reader:
    """Makes rows of tokens."""

    def __init__(self, source: Sequence[str]) -> None:
        self._source = source
        self.blocks: list[Block] = []
        self.code: list[tuple[Block, int, str, str]] = []
        """Pieces of code: their block, first row, language and text."""
        self._margin: list[list[str]] = []
        """What stands before a row: for each level what comes once, and what comes then."""
        self._numbers: list[int | None] = []
        self._style = ""
        self._gap = False
        self._table: list[list[Content]] | None = None
        self._table_lines = [0, 0]

    def read(self, token: Token) -> None:
        """One token after the other."""
        if token.level == 0 and token.nesting >= 0:
            self.blocks.append(Block(token.map[0] if token.map else 0))
            self._gap = False
        match token.type:
            case "inline":
                lines = _inline(token.children or (), self._style)
                if self._table is None:
                    self._add(lines)
                else:
                    self._table[-1].append(Content(" ").join(lines))
            case "fence" | "code_block":
                self._add_code(token)
            case "hr":
                self._add([Content("─" * 8)])
                self._gap = True
            case "heading_open":
                self._style = "bold" if token.tag != "h1" else "bold underline"
            case "heading_close":
                self._style, self._gap = "", True
            case "paragraph_close":
                self._gap = self._gap or not token.hidden
            case "bullet_list_open" | "ordered_list_open":
                self._numbers.append(int(token.attrs.get("start", 1)) if token.tag == "ol" else None)
            case "bullet_list_close" | "ordered_list_close":
                self._numbers.pop()
                self._gap = self._gap or not self._numbers
            case "list_item_open":
                self._begin_item()
            case "blockquote_open":
                self._margin.append(["│ ", "│ "])
            case "list_item_close" | "blockquote_close":
                self._end_level()
            case "table_open":
                self._table, self._table_lines = [], token.map or [0, 0]
            case "tr_open" if self._table is not None:
                self._table.append([])
            case "table_close":
                self._end_table()

    def colour(self, pieces: int) -> None:
        """Colour the first pieces of code."""
        for block, place, language, text in self.code[:pieces]:
            if not language or len(text) > HIGHLIGHTED:
                continue
            for n, line in enumerate(highlight(text, language=language).split("\n", allow_blank=True)):
                if place + n < len(block.rows):
                    row = block.rows[place + n]
                    block.rows[place + n] = Row(line, row.first, row.rest, code=True)

    # -- rows ----------------------------------------------------------------------------------

    def _add(self, lines: Sequence[Content], *, code: bool = False) -> None:
        rows = self.blocks[-1].rows
        if self._gap and rows:
            before = "".join(rest for _, rest in self._margin).rstrip()
            rows.append(Row(Content(""), before, before))
        self._gap = False
        for line in lines:
            first, rest = "".join(one for one, _ in self._margin), "".join(one for _, one in self._margin)
            for level in self._margin:
                level[0] = level[1]
            rows.append(Row(line, first, rest, code))

    def _add_code(self, token: Token) -> None:
        self._margin.append(["  ", "  "])
        text, info = token.content.rstrip("\n"), token.info.strip()
        if info and info not in PLAIN:
            self._add([Content.styled(info, "italic")])
        before = len(self.blocks[-1].rows) + (self._gap and bool(self.blocks[-1].rows))
        self._add([Content(one) for one in text.split("\n")], code=True)
        self.code.append((self.blocks[-1], before, info.split(maxsplit=1)[0] if info else "", text))
        self._margin.pop()
        self._gap = True

    def _begin_item(self) -> None:
        number = self._numbers[-1]
        bullet = "• " if number is None else f"{number}. "
        if number is not None:
            self._numbers[-1] = number + 1
        self._margin.append([bullet, " " * len(bullet)])

    def _end_level(self) -> None:
        once, then = self._margin[-1]
        if once != then:
            # An empty item is a bullet all the same.
            self._add([Content("")])
        self._margin.pop()

    def _end_table(self) -> None:
        table, self._table = self._table or [], None
        widths = [max(one.cell_length for one in column) for column in zip(*table, strict=True)]
        first, after = self._table_lines
        source = [one.strip() for one in self._source[first:after]]
        if any(one.strip("|").count("|") >= len(widths) for one in source):
            # Cells beyond the heading are no part of a table, and are shown all the same.
            self._add([Content(one) for one in source], code=True)
        else:
            rule = Content("─┼─".join("─" * one for one in widths))
            rows = [Content(" │ ").join(map(_padded, cells, widths)) for cells in table]
            self._add([rows[0].stylize("bold"), rule, *rows[1:]], code=True)
        self._gap = True


def _padded(text: Content, width: int) -> Content:
    return text.pad_right(width - text.cell_length)


def _inline(children: Sequence[Token], style: str) -> list[Content]:
    """The lines of a paragraph, with their emphasis."""
    lines: list[Content] = []
    text = ""
    spans: list[Span] = []
    opened: list[tuple[str, int]] = [(style, 0)] if style else []

    def end_line() -> None:
        nonlocal text, spans, opened
        whole = [*spans, *(Span(start, len(text), one) for one, start in opened if start < len(text))]
        lines.append(Content(text, whole))
        text, spans, opened = "", [], [(one, 0) for one, _ in opened]

    for child in children:
        if child.type in ("softbreak", "hardbreak"):
            end_line()
        elif child.type in STYLES:
            opened.append((STYLES[child.type], len(text)))
        elif child.type.endswith("_close"):
            ended, start = opened.pop()
            spans.append(Span(start, len(text), ended))
        elif child.type == "code_inline":
            # The marks stay, so that code is told apart without colours as well.
            mark = "`" * (max(map(len, re.findall("`+", child.content)), default=0) + 1)
            spans.append(Span(len(text), len(text) + len(child.content) + 2 * len(mark), "$text-accent"))
            text += mark + child.content + mark
        else:
            text += child.content
    end_line()
    return lines
