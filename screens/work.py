"""Waiting for work: what is being done, how long it usually takes, and what to do if it fails."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Button

from screens.replying import ReplyingScreen
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, TextButton, plain
from studies.steps import Step
from studies.work import Job, Work

if TYPE_CHECKING:
    from screens.visit import VisitScreen

MARKS = {"waiting": "[ ]", "running": "[~]", "done": "[x]", "failed": "[!]"}
STATES = {"waiting": "to come", "running": "under way", "done": "done", "failed": "did not work"}
TITLES = {"working": "One moment", "broken": "Something did not work"}
WAITING = "You need not do anything. What comes next opens by itself."
KEPT = "Everything you wrote is saved, and only what failed is done again."
BROKEN = "Try again, or pause and come back another time."


class WorkScreen(ReplyingScreen):
    """Shows the work and gives way by itself to what comes next."""

    CSS_PATH = ["participant.tcss", "work.tcss"]
    PLACE = "preparing"
    LEAVING = "What is being prepared breaks off here, and is taken up again when you come back."
    HELP = (
        "Something is being prepared for you; nothing is asked for the moment. You see what is done, what is "
        "under way, and how long it usually takes. If something fails, you can have it tried again. You can "
        "pause or withdraw meanwhile: everything you wrote is saved."
    )
    BINDINGS: ClassVar[list[Any]] = [
        Binding("r,enter", "retry", "try again", id="work.retry", tooltip="Do again what did not work"),
    ]

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        assert step.work is not None
        self.work: Work = step.work

    def compose_middle(self) -> Iterable[Widget]:
        """The parts of the work, and below them what can be done."""
        with Pane(id="work"):
            yield PlainText(self.step.body or self.step.title, id="what")
            yield PlainText(id="jobs")
            yield PlainText(id="outlook")
        with Horizontal(id="buttons"):
            yield TextButton("Try again", primary=True, focusable=False, id="retry")
            yield TextButton("Pause", focusable=False, id="pause")

    def on_mount(self) -> None:
        """Show how it stands, and let it be done."""
        super().on_mount()
        self.set_focus(self.query_one("#work"))
        self.set_interval(1, self._say_seconds)
        self.begin_waiting()
        self._take(self.step)

    def takes_up(self, step: Step) -> bool:
        """The same work again, or more of it."""
        if step.work is None or step.id != self.step.id:
            return False
        self.call_later(self._take, step)
        return True

    def _take(self, step: Step) -> None:
        assert step.work is not None
        again = self.work.phase == "broken" and step.work.phase == "working"
        self.step = step
        if again:
            self.begin_waiting()
        self._show(step.work)
        if step.due:
            self.advance(reply=True)
        else:
            self.replying = False

    def _show(self, work: Work) -> None:
        self.work = work
        broken = work.phase == "broken"
        pane = self.query_one("#work", Pane)
        pane.border_title = TITLES[work.phase]
        pane.set_class(broken, "-broken")
        self.query_one("#buttons").display = broken
        self.query_one("#jobs", PlainText).update(jobs_in_words(work.jobs))
        outlook = f"{work.notice}\n\n{KEPT}" if broken else WAITING
        self.query_one("#outlook", PlainText).update(outlook)
        self._say_seconds()
        self.refresh_bindings()

    def _say_seconds(self) -> None:
        if self.work.phase == "broken":
            self.say(BROKEN, urgent=True)
        elif not self.left:
            self.say(f"waiting · {self.waited} s{usually(self.work.jobs)}")

    # -- what comes without the participant ----------------------------------------------------

    @on(ReplyingScreen.Arrived)
    def _arrived(self, event: ReplyingScreen.Arrived) -> None:
        if isinstance(event.heard.what, Work) and not self.left:
            self._show(event.heard.what)

    @on(ReplyingScreen.Advanced)
    def _advanced(self, event: ReplyingScreen.Advanced) -> None:
        if self.left:
            return
        now = event.now
        if not (isinstance(now, Step) and self.takes_up(now)):
            self.flow.go_on()

    @on(ReplyingScreen.Stuck)
    def _stuck(self, event: ReplyingScreen.Stuck) -> None:
        if not self.left:
            self.flow.recover(event.error, self._resume)

    def _resume(self) -> None:
        """Take up what the visit has come to."""
        now = self.flow.visit.current
        if not (isinstance(now, Step) and self.takes_up(now)):
            self.flow.go_on()

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Trying again is a key only where something failed."""
        if action == "retry":
            return self.is_mounted and self.work.phase == "broken"
        return super().check_action(action, parameters)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        await self.run_action(event.button.id or "")

    def action_retry(self) -> None:
        """Do again what failed."""
        if self.work.phase == "broken":
            self.flow.retry_reply(self.step, self._resume)


def jobs_in_words(jobs: Sequence[Job]) -> Content:
    """The parts of the work, one a line, with their state in words."""
    lines = []
    for one in jobs:
        usual = f", usually about {seconds(one.usual_seconds)}" if one.usual_seconds is not None else ""
        told = STATES[one.state] + (usual if one.state in ("running", "waiting") else "")
        style = "bold" if one.state in ("running", "failed") else ""
        lines.append(plain(f"{MARKS[one.state]} {one.label}", style) + Content(f"\n      {told}"))
    return Content("\n").join(lines)


def usually(jobs: Sequence[Job]) -> str:
    """How long what is under way usually takes: parts that go on together take as long as the longest."""
    known = [one.usual_seconds for one in jobs if one.state == "running" and one.usual_seconds is not None]
    return f" · usually about {seconds(max(known))} for what is under way" if known else ""


def seconds(usual: float) -> str:
    """A usual duration in words."""
    return f"{max(1, round(usual))} s" if usual < 90 else f"{round(usual / 60)} min"
