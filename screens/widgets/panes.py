"""Panes that scroll with keys and mouse and say in words when there is more to read."""

from __future__ import annotations

from markdown_it import MarkdownIt
from textual.containers import VerticalScroll
from textual.message import Message
from textual.widgets import Markdown

from studies.visible import visible


class Pane(VerticalScroll):
    """A bordered place to read. Its border says when there is more above or below."""

    DEFAULT_CSS = """
    Pane {
        border: round $foreground 30%;
        border-title-style: bold;
        border-title-color: $foreground;
        border-subtitle-color: $accent;
        padding: 0 1;
        height: 1fr;
        scrollbar-size-vertical: 1;
        &:focus { border: heavy $primary; }
    }
    """

    class Moved(Message):
        """Something else of the text can be seen now."""

    def __init__(self, title: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.border_title = title
        """Trusted: titles are the program's own words."""

    @property
    def more_below(self) -> bool:
        """Whether the end is still out of sight."""
        return round(self.scroll_y) < self.max_scroll_y

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Follow the scrolling."""
        super().watch_scroll_y(old_value, new_value)
        self._tell()

    def on_mount(self) -> None:
        """Look at the size once there is one."""
        self.call_after_refresh(self._tell)

    def on_resize(self) -> None:
        """Another size shows more, or less."""
        self.call_after_refresh(self._tell)

    def renew(self) -> None:
        """The text is another one: begin at its top."""
        self.scroll_home(animate=False, immediate=True)
        self.call_after_refresh(self._tell)

    def _tell(self) -> None:
        above, below = round(self.scroll_y) > 0, self.more_below
        words = {(True, True): "more above and below", (True, False): "more above"}
        self.border_subtitle = words.get((above, below), "more below" if below else "")
        self.post_message(self.Moved())


class Reading(Markdown):
    """Markdown written by a study's author: shown, never acted on.

    Links, images and HTML stay the characters they are, so nothing can be clicked, fetched or lost.
    """

    DEFAULT_CSS = """
    Reading { padding: 0; background: transparent; height: auto; }
    Reading MarkdownH1, Reading MarkdownH2, Reading MarkdownH3 {
        content-align: left middle; text-style: bold; margin: 0 0 1 0; padding: 0; background: transparent;
        color: $foreground; width: 1fr;
    }
    Reading MarkdownH1 { color: $primary; text-style: bold underline; }
    Reading MarkdownParagraph { margin: 0 0 1 0; }
    Reading MarkdownBulletList, Reading MarkdownOrderedList { margin: 0 0 1 0; }
    Reading MarkdownFence { margin: 0 0 1 0; padding: 0 1; max-height: 1000; }
    """

    def __init__(self, text: str = "", *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(visible(text), id=id, classes=classes, parser_factory=_parser, open_links=False)

    async def read(self, text: str) -> None:
        """Show another text."""
        await self.update(visible(text))


def _parser() -> MarkdownIt:
    return (
        MarkdownIt("commonmark", {"html": False})
        .enable(["table", "strikethrough"])
        .disable(["link", "image", "autolink", "reference", "html_block", "html_inline"])
    )
