"""A field for a few lines of text. Enter makes a new line; Escape and Tab leave it."""

from __future__ import annotations

from rich.text import Text
from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea
from textual.widgets.text_area import Selection

from screens.widgets.text import plain_line
from studies.steps import MAX_TEXT
from studies.visible import visible

_STAND_INS = {code: 0x2400 + code for code in range(0x20)}
_STAND_INS |= {code: 0xFFFD for code in (*range(0x7F, 0xA0), *range(0xD800, 0xE000))}
_STAND_INS |= {code: 0xFFFD for code in (*range(0x202A, 0x202F), *range(0x2066, 0x206A))}
"""One visible character for each that would act on a terminal, so that the cursor stays in its place."""

DRAFT_SECONDS = 0.5


class NoteField(TextArea):
    """Text of several lines, kept as a draft while it is typed.

    A paste is one note with its line breaks. Nothing in it is parsed, and it cannot send anything. Its screen
    has an action `leave_note`.
    """

    HELP = "A note in your own words. Enter begins a new line; Escape or Tab goes back to the answers."
    BINDINGS = [
        # Handled before the next key is given to anybody, so that it goes to whoever has the focus then.
        Binding(
            "escape,tab",
            "screen.leave_note",
            "done writing",
            id="note.leave",
            priority=True,
            tooltip="Leave the field",
        ),
    ]
    DEFAULT_CSS = """
    NoteField, NoteField:focus {
        height: 3; border: none; padding: 0; background: $foreground 7%;
        scrollbar-size-vertical: 1;
        & .text-area--cursor-line { background: transparent; }
    }
    NoteField:focus { background: $primary 20%; }
    """

    class Typed(Message):
        """The text was changed by the participant a moment ago."""

        def __init__(self, field: NoteField) -> None:
            super().__init__()
            self.field = field

        @property
        def control(self) -> NoteField:
            """The field."""
            return self.field

    class Left(Typed):
        """The focus went elsewhere."""

    class Cut(Typed):
        """A paste was longer than a note may be; its end was left out."""

    def __init__(
        self, text: str = "", *, id: str | None = None, placeholder: str = "", paged: bool = True
    ) -> None:
        """A field.

        Args:
            text: what is in it at first.
            id: of the widget.
            placeholder: shown while it is empty.
            paged: whether the page keys move in it; otherwise they go to the screen.
        """
        super().__init__(
            text, id=id, soft_wrap=True, tab_behavior="focus", highlight_cursor_line=False, compact=True,
            placeholder=plain_line(placeholder),
        )  # fmt: skip
        # Who comes back goes on behind what they had written.
        self.set_reactive(TextArea.selection, Selection.cursor(self.document.end))
        self._kept = self.text
        self._said = text
        self._timer: Timer | None = None
        self._paged = paged

    @property
    def said(self) -> str:
        """The text, exactly as it came where it was not touched."""
        return self._said if self.text == self._kept else self.text

    def begin(self, text: str) -> None:
        """Take up another text."""
        self._wait()
        self.load_text(text)
        self._kept, self._said = self.text, text

    def get_line(self, line_index: int) -> Text:
        """A line as it is drawn."""
        return Text(self.document.get_line(line_index).translate(_STAND_INS), end="", no_wrap=True)

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Tell soon, and again and again while typing never rests."""
        event.stop()
        if self.text != self._kept and self._timer is None:
            self._timer = self.set_timer(DRAFT_SECONDS, self._tell)

    def on_blur(self) -> None:
        """Focus went elsewhere."""
        self._wait()
        self.post_message(self.Left(self))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The page keys may belong to what is read beside the field."""
        if action in ("cursor_page_up", "cursor_page_down") and not self._paged:
            return False
        return super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Enter is text as well."""
        return key == "enter" or super().check_consume_key(key, character)

    async def _on_paste(self, event: events.Paste) -> None:
        event.prevent_default()
        event.stop()
        text = visible(event.text.replace("\r\n", "\n").replace("\r", "\n"))
        room = MAX_TEXT - len(self.text) + len(self.selected_text)
        if len(text) > room:
            text = text[: max(0, room)]
            self.post_message(self.Cut(self))
        start, end = sorted(self.selection)
        self.move_cursor(self.replace(text, start, end, maintain_selection_offset=False).end_location)

    def _tell(self) -> None:
        self._timer = None
        self.post_message(self.Typed(self))

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
