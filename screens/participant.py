"""What every screen of a participant has: where am I, what is saved, which keys work, and the way out."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult, SystemCommand
from textual.binding import Binding
from textual.containers import Container
from textual.widget import Widget

from screens.base import CapaScreen
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.text import PlainText
from studies.steps import Progress, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

SMALLEST = (80, 20)
"""Columns and rows below which a screen asks to be enlarged. All is made for 80 by 24."""

SAVED, SAVING, STUCK = "saved", "saving...", "NOT SAVED"

SIGNS: dict[type[events.Event], str] = {
    events.Key: "key",
    events.Paste: "key",
    events.MouseDown: "mouse",
    events.MouseScrollUp: "scroll",
    events.MouseScrollDown: "scroll",
    events.AppFocus: "focus",
    events.AppBlur: "blur",
}
"""Raw events that are kept as signs of life."""


class ParticipantScreen(CapaScreen[None]):
    """One step of a visit. Subclasses say what is in the middle and when the step may be left."""

    CSS_PATH: ClassVar[str | PurePath | list[str | PurePath] | None] = "participant.tcss"
    BINDINGS = [
        Binding("q", "pause", "pause", id="pause", tooltip="Pause; you come back to this very place"),
        Binding("f10", "menu", "withdraw", id="menu",
                tooltip="Pause, stop and withdraw your data, read the instructions, colours"),
    ]  # fmt: skip
    PLACE: ClassVar[str] = ""
    """Words for the right of the first line where the step counts nothing."""

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__()
        self.flow = flow
        self.step = step
        self._shown: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        """First line, middle, a line of words, keys."""
        yield WhereAmI(self.flow.title_text, self.place, id="where")
        with Container(id="middle"):
            yield from self.compose_middle()
        yield PlainText(id="says")
        yield KeyBar(id="keys")
        yield TooSmall()

    def compose_middle(self) -> Iterable[Widget]:
        """What the step shows."""
        raise NotImplementedError

    @property
    def place(self) -> str:
        """Where in the study this step is."""
        return place(self.step.progress) or self.PLACE

    def on_mount(self) -> None:
        """Say what is saved, and open once painted."""
        self.show_saved(self.flow.saved)
        super().on_mount()

    # -- for the flow --------------------------------------------------------------------------

    def takes_up(self, step: Step) -> bool:
        """Show another step in place of this one, if this screen can."""
        return False

    def keep(self) -> None:
        """Send on whatever was typed and not sent yet."""

    @property
    def leaving(self) -> str:
        """What leaving the visit now would do beside leaving it, in words."""
        return ""

    async def let_go(self, *, at_once: bool = False) -> None:
        """Bring to an end what goes on without the participant; the visit is being left."""

    def show_saved(self, state: str) -> None:
        """Say what became of the answers."""
        for bar in self.query("#keys").results(KeyBar):
            bar.state = state

    def say(self, text: str, *, urgent: bool = False) -> None:
        """Say something in the line above the keys."""
        says = self.query_one("#says", PlainText)
        # Its size never changes, so nothing else need be laid out anew.
        says.update(text, layout=False)
        says.set_class(urgent, "-urgent")

    def after_paint(self) -> None:
        """The step is in front of the participant from now on."""
        now = (self.step.id, self.step.revision)
        if self._shown != now:
            self._shown = now
            self.flow.shown(self.step)

    # -- input ---------------------------------------------------------------------------------

    def takes(self, event: events.Event) -> bool:
        """Nothing is answered on a screen that cannot be seen whole."""
        if self.has_class("-too-small") and isinstance(event, events.InputEvent | events.Paste):
            return isinstance(event, events.Key) and event.key == "ctrl+q"
        return super().takes(event)

    def noticed(self, event: events.Event) -> None:
        """Keep a sign of life."""
        sort = SIGNS.get(type(event))
        if sort is not None:
            self.flow.visit.activity(sort)

    def on_resize(self, event: events.Resize) -> None:
        """Ask for room where there is too little."""
        small = event.size.width < SMALLEST[0] or event.size.height < SMALLEST[1]
        self.set_class(small, "-too-small")
        if small:
            self.query_one(TooSmall).measure(event.size.width, event.size.height)

    def action_pause(self) -> None:
        """Ask whether to pause."""
        self.keep()
        self.flow.ask_pause()

    def action_menu(self) -> None:
        """Open the way out."""
        self.keep()
        self.flow.open_menu()

    def commands(self) -> Iterable[SystemCommand]:
        """What the palette offers here."""
        yield SystemCommand("Pause", "Come back to this very place another time", self.action_pause)
        yield SystemCommand(
            "Stop and withdraw my data", "Leave the study and take your answers back", self.flow.ask_withdraw
        )
        yield SystemCommand("Instructions", "Read the instructions again", self.flow.read_instructions)
        yield SystemCommand("Help", "What this screen is for and which keys work", self.action_explain)


class TooSmall(PlainText):
    """Covers a screen that has become too small. Nothing below it changes."""

    def measure(self, width: int, height: int) -> None:
        """Say what there is and what is needed."""
        self.update(
            f"Please make this window larger.\n\nIt has {width} columns and {height} rows; "
            f"80 columns and 24 rows are enough.\n\nEverything is kept as it is."
        )


def place(progress: Progress) -> str:
    """Where in the study: `block 1 of 2 · item 7 of 20`."""
    parts = []
    if progress.blocks > 1:
        parts.append(f"block {progress.block} of {progress.blocks}")
    if progress.total > 1:
        units = {
            "Items": "item",
            "Practice": "practice",
            "Task": "task",
            "Question": "question",
            "Answer": "answer",
            "Message": "message",
            "Check": "check",
        }
        what = units.get(progress.part)
        parts.append(f"{what or progress.part + ' ·'} {progress.position} of {progress.total}")
    return " · ".join(parts) or progress.part
