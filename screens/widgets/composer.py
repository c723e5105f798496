"""Where a message is written. Enter sends it; what was pasted, or confirmed in an input method, does not."""

from __future__ import annotations

from collections.abc import Callable

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.timer import Timer
from textual.widgets import TextArea

from screens.widgets.note import NoteField

BURST_SECONDS = 0.025
"""Keys closer together were not typed one by one: a terminal without bracketed paste, an input method."""
LONG_PASTE = 500
"""Characters from which a paste is asked about before it is sent."""


class Composer(NoteField, inherit_bindings=False):
    """Text of several lines that is sent as one message.

    A line feed within a burst of keys belongs to what was pasted. Enter right behind letters that no key
    has confirms the choice of an input method. So Enter sends only if nothing follows it for a moment.
    """

    HELP = (
        "Your message. Enter sends it, ctrl+j begins a new line. What you paste stays one message. While a "
        "reply is on its way you can write already; nothing is sent before it has ended."
    )
    BINDINGS = [
        Binding("enter", "send", "send", id="session.send", tooltip="Send the message"),
        Binding("ctrl+j,shift+enter", "new_line", "new line", id="session.new-line", key_display="ctrl+j",
                tooltip="Begin a new line in the message"),
        # The page keys scroll the conversation.
        *(one for one in TextArea.BINDINGS if isinstance(one, Binding) and not one.key.startswith("page")),
    ]  # fmt: skip
    DEFAULT_CSS = """
    Composer, Composer:focus { height: 1fr; background: transparent; }
    """

    class Sent(Message):
        """The participant means to send what is written."""

        def __init__(self, composer: Composer) -> None:
            super().__init__()
            self.composer = composer

        @property
        def control(self) -> Composer:
            """The field."""
            return self.composer

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(text, id=id)
        self.closed = False
        """Whether a message could not be sent now, so that no key promises it."""
        self.pasted = len(text) > LONG_PASTE
        """Whether a long paste is in it that nobody has been asked about. A kept draft may hold one."""
        self._length = len(self.text)
        self._burst = 0
        """Keys in the burst that is going on."""
        self._key_at = 0.0
        self._last = ""
        self._enters = 0
        """Enters that are waiting to see whether something follows."""
        self._pasting = False
        self._pause: Timer | None = None

    def on_mount(self) -> None:
        """Go on behind what is written already."""
        self.move_cursor(self.document.end)

    def begin(self, text: str) -> None:
        """Take up another text."""
        super().begin(text)
        self.pasted = len(text) > LONG_PASTE
        self._length = len(self.text)
        self.move_cursor(self.document.end)
        self._forget()

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While nothing can be sent, Enter is still not text, and promises nothing."""
        if action == "send" and self.closed:
            return None
        return super().check_action(action, parameters)

    def check_consume_key(self, key: str, character: str | None = None) -> bool:
        """Enter is not text here."""
        return key != "enter" and super().check_consume_key(key, character)

    async def _on_key(self, event: events.Key) -> None:
        close = event.time - self._key_at < BURST_SECONDS
        self._key_at = event.time
        self._burst = self._burst + 1 if close else 1
        self._pasting = self._pasting and close
        action = "" if event.is_printable else self._action_of(event.key)
        if action:
            # Here and now: where keys come in a burst, a binding would act behind the letters that follow.
            event.stop()
            event.prevent_default()
        if action == "send":
            if self._pasting:
                self._put("\n")
            elif close and not self._last.isascii():
                self._wait_for_more(self._forget)
            else:
                self.action_send()
            self._last = "\r"
            return
        if self._enters:
            self._pasting = True
            waiting = self._enters
            self._forget()
            self._put("\n" * waiting)
        # The second half of a pasted line's end is no line of its own.
        if action == "new_line" and not (close and self._last == "\r" and event.key == "ctrl+j"):
            self._put("\n")
        self._last = event.character or ""

    def _action_of(self, key: str) -> str:
        """What the key means here, as the user's key map has it: `send`, `new_line`, or nothing."""
        active = self.screen.active_bindings.get(key)
        here = active is not None and active.node is self and active.binding.action in ("send", "new_line")
        return active.binding.action if active is not None and here else ""

    def action_send(self) -> None:
        """Send, unless something follows at once."""
        self._wait_for_more(self._nothing_follows)

    def action_new_line(self) -> None:
        """Begin a new line."""
        self._put("\n")

    def _wait_for_more(self, otherwise: Callable[[], None]) -> None:
        self._enters += 1
        if self._pause is not None:
            self._pause.stop()
        self._pause = self.set_timer(BURST_SECONDS, otherwise)

    def _nothing_follows(self) -> None:
        self._forget()
        self.post_message(self.Sent(self))

    def _forget(self) -> None:
        if self._pause is not None:
            self._pause.stop()
            self._pause = None
        self._enters = 0

    # -- text ----------------------------------------------------------------------------------

    def on_text_area_changed(self, event: TextArea.Changed) -> None:
        """Notice what was not typed."""
        grew, self._length = len(self.text) - self._length, len(self.text)
        self.pasted = bool(self.text) and (self.pasted or max(grew, self._burst) > LONG_PASTE)

    def _put(self, text: str) -> None:
        start, end = sorted(self.selection)
        self.move_cursor(self.replace(text, start, end, maintain_selection_offset=False).end_location)
