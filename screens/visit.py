"""A visit: shows the right screen for what is asked now, and carries what is said to the runner."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from textual.app import ComposeResult

from screens.base import CapaScreen
from screens.dialogs import Choice, Dialog, confirm, trouble
from screens.participant import SAVED, SAVING, STUCK, ParticipantScreen
from screens.saving import Job, Saver
from screens.widgets.text import PlainText
from studies.errors import JournalError
from studies.runner import Visit
from studies.steps import Done, End, Step

if TYPE_CHECKING:
    from studies.live import Live

Way = Literal["pause", "withdraw", "instructions", "colours", "back"]


class VisitScreen(CapaScreen[Done]):
    """Lies below the screens of a visit and decides which one is up. Its result is how the visit ended.

    Everything said goes through one queue to the runner, in order. Only leaving a step waits for it.
    """

    BINDINGS: ClassVar[list[Any]] = []

    def __init__(self, visit: Visit, station: str = "") -> None:
        """A visit to be begun.

        Args:
            visit: the participant's visit, not begun yet.
            station: id of this machine, for the record.
        """
        super().__init__()
        self.visit = visit
        self._station = station
        self._saver = Saver(self._saving_changed, self._saving_failed)
        self._top: ParticipantScreen | None = None

    def compose(self) -> ComposeResult:
        """Calm, until the first step is up."""
        yield PlainText(self.title_text)

    def on_mount(self) -> None:
        """Sit down."""
        super().on_mount()
        self.run_worker(self._saver.run(), group="saving", exit_on_error=True)
        size = self.app.size
        self._move(lambda: self.visit.begin("tui", self._station, size.width, size.height))

    # -- what screens call ---------------------------------------------------------------------

    @property
    def title_text(self) -> str:
        """The study's title."""
        return str(self.visit.study.settings.title)

    @property
    def saved(self) -> str:
        """What became of the answers, in a word."""
        if self._saver.stuck is not None:
            return STUCK
        return SAVING if self._saver.busy else SAVED

    def shown(self, step: Step) -> None:
        """A step has been painted."""
        self._saver.do(Job(lambda: self.visit.shown(step), quiet=True))

    def answer(self, ask: str, value: Any, refused: Callable[[str], object] | None = None) -> None:
        """A field was answered, or (None) its answer was taken back."""
        if value is None:
            self._saver.do(Job(lambda: self.visit.take_back(ask), refused=refused))
        else:
            self._saver.do(Job(lambda: self.visit.answer(ask, value), refused=refused))

    def draft(self, ask: str, text: str) -> None:
        """Text was typed that is no answer yet."""
        self._saver.do(Job(lambda: self.visit.draft(ask, text), key=f"draft {ask}"))

    def send(self, ask: str, text: str, sent: Callable[[], object], refused: Callable[[str], object]) -> None:
        """A message of a dialogue; `sent` once it is on disk."""
        self._saver.do(Job(lambda: self.visit.answer(ask, text), lambda _: self.call_later(sent), refused))

    def retry_reply(self, step: Step, then: Callable[[], object]) -> None:
        """A reply that broke off is asked for again."""
        again = Job(lambda: self._live.retry(step), lambda _: self.call_later(then), lambda _: then())
        self._saver.do(again)

    def end_task(self, step: Step, *, done: bool = False) -> None:
        """End the task of a dialogue and go on."""

        async def end() -> Step | Done:
            await self._live.end(step, done=done)
            return self.visit.current

        self._move(end)

    def go_on(self) -> None:
        """Show what the visit has come to by itself."""

        async def now() -> Step | Done:
            return self.visit.current

        self._move(now)

    def recover(self, error: JournalError, then: Callable[[], object]) -> None:
        """Say that something could not be stored, and go on once it could."""
        failures = [error]

        async def store() -> None:
            if failures:
                raise failures.pop()
            await self.visit.store()

        self._saver.do(Job(store, lambda _: self.call_later(then)))

    @property
    def _live(self) -> Live:
        assert self.visit.live is not None
        return self.visit.live

    def leave(self, step: Step) -> None:
        """Close the step and go on, once everything is on disk. Until then no key counts."""
        self._move(lambda: self.visit.leave(step))

    def back(self, step: Step) -> None:
        """Reopen the step before."""
        self._move(lambda: self.visit.back(step))

    def ask_pause(self) -> None:
        """Ask whether to pause."""
        text = "Everything so far is saved. Start again with the same code and you go on at this very place."
        asked = confirm("Pause here?", text + self._besides, "Pause", "Go on")
        self.app.push_screen(asked, lambda yes: self._go(self.visit.pause) if yes else None)

    def ask_withdraw(self) -> None:
        """Ask whether to withdraw."""
        asked = confirm(
            "Stop and withdraw your data?",
            "You leave the study now, and your answers leave every result and every export at once. "
            "This cannot be undone here.\n\nIf you only want a break, pause instead.",
            "Stop and withdraw my data",
            "Go on",
        )
        self.app.push_screen(asked, lambda yes: self._go(self.visit.withdraw, at_once=True) if yes else None)

    @property
    def _besides(self) -> str:
        leaving = self._top.leaving if self._top is not None else ""
        return leaving and f"\n\n{leaving}"

    def _go(self, call: Callable[[], Awaitable[Done]], *, at_once: bool = False) -> None:
        """Leave the visit, once nothing goes on any more that would still have to be stored."""
        top = self._top

        async def leave() -> Done:
            if top is not None:
                await top.let_go(at_once=at_once)
            return await call()

        self._move(leave)

    def open_menu(self) -> None:
        """Offer the ways out, and what else may help."""
        choices: list[Choice[Way]] = [
            Choice("pause", "Pause", "Come back to this very place another time."),
            Choice("withdraw", "Stop and withdraw my data", "Your answers leave every result at once."),
            Choice("instructions", "Read the instructions again"),
            Choice("colours", "Colours", "Dark, light, or high contrast."),
            Choice("back", "Go on"),
        ]
        ways: dict[Way, Callable[[], object]] = {
            "pause": self.ask_pause,
            "withdraw": self.ask_withdraw,
            "instructions": self.read_instructions,
            "colours": lambda: self.app.call_next(self.app.run_action, "app.colours"),
        }
        contact = self.visit.study.settings.contact
        text = f"Questions: {contact}" if contact else ""
        menu = Dialog("Menu", text, choices, classes="-menu")

        def go(way: Way | None) -> None:
            if way in ways:
                ways[way]()

        self.app.push_screen(menu, go)

    def read_instructions(self) -> None:
        """Show the instructions over the step; nothing of it changes."""
        from screens.page import TextScreen

        self.app.push_screen(TextScreen("Instructions", self.visit.study.texts.instructions))

    def finish(self, done: Done) -> None:
        """The participant has read how the visit ended."""
        if self._top is not None:
            self._top.dismiss()
            self._top = None
        self.call_later(self._end, done)

    def _end(self, done: Done) -> None:
        self.dismiss(done)

    async def hang_up(self) -> None:
        """The terminal has gone: keep what was typed, end the visit in an orderly way."""
        if self._top is not None:
            self._top.keep()
            await self._top.let_go(at_once=True)
        self._saver.do(Job(lambda: self.visit.pause("terminal closed"), quiet=True))
        await self._saver.settled()

    # -- moving on -----------------------------------------------------------------------------

    def _move(self, call: Callable[[], Awaitable[Step | Done]]) -> None:
        if self._top is not None:
            self._top.close_input()
        self._saver.do(
            Job(
                call,
                lambda now: self.call_later(self._show, now),
                lambda why: self.call_later(self._stay, why),
            )
        )

    def _stay(self, why: str) -> None:
        if self._top is not None:
            self._top.say(why, urgent=True)
            self._top.open_when_painted()

    async def _show(self, now: Step | Done) -> None:
        top = self._top
        while top is not None and self.app.screen is not top and top in self.app.screen_stack:
            await self.app.pop_screen()
        if top is not None and isinstance(now, Step) and top.takes_up(now):
            return
        screen = self._screen_for(now)
        self._top = screen
        if top is None:
            await self.app.push_screen(screen)
        else:
            await self.app.switch_screen(screen)

    def _screen_for(self, now: Step | Done) -> ParticipantScreen:
        if isinstance(now, Done):
            from screens.done import DoneScreen

            return DoneScreen(self, now)
        match now.kind:
            case "consent":
                from screens.consent import ConsentScreen

                return ConsentScreen(self, now)
            case "annotation":
                from screens.annotation import AnnotationScreen

                return AnnotationScreen(self, now)
            case "matching":
                from screens.matching import CodingScreen, MatchingScreen

                coding = self.visit.study.settings.clarification.coding
                return CodingScreen(self, now) if coding else MatchingScreen(self, now)
            case "authoring":
                from screens.authoring import AuthoringScreen

                return AuthoringScreen(self, now)
            case "chat":
                return self._talk(now)
            case "feedback":
                from screens.feedback import FeedbackScreen

                return FeedbackScreen(self, now)
            case "form":
                from screens.form import FormScreen

                return FormScreen(self, now)
            case "work":
                from screens.work import WorkScreen

                return WorkScreen(self, now)
            case "interview":
                from screens.interview import InterviewScreen

                return InterviewScreen(self, now)
            case "sheet":
                from screens.sheet import SheetScreen

                return SheetScreen(self, now)
            case "rest":
                from screens.page import RestScreen

                return RestScreen(self, now)
            case _:
                from screens.page import PageScreen

                return PageScreen(self, now)

    def _talk(self, now: Step) -> ParticipantScreen:
        match now.chat.part if now.chat is not None else "user":
            case "answerer":
                from screens.answering import AnsweringScreen

                return AnsweringScreen(self, now)
            case "asker":
                from screens.asking import AskingScreen

                return AskingScreen(self, now)
            case _:
                from screens.session import SessionScreen

                return SessionScreen(self, now)

    # -- saving --------------------------------------------------------------------------------

    def _saving_changed(self) -> None:
        if self._top is not None:
            self._top.show_saved(self.saved)

    def _saving_failed(self, error: JournalError) -> None:
        where = f" ({self._top.place})" if self._top is not None and self._top.place else ""
        contact = self.visit.study.settings.contact
        dialog = trouble(
            "Your last answer is not saved yet",
            f"What happened: {error}",
            f"Everything before this answer{where} is saved. What you chose stays on the screen and is "
            "saved as soon as it works.",
            "Try again, or ask the researcher" + (f" ({contact})." if contact else "."),
            (
                Choice("stop", "Close without the last answer", "You come back to this place another time."),
                Choice("again", "Try again"),
            ),
        )
        self.app.push_screen(dialog, self._after_failure)

    def _after_failure(self, choice: str | None) -> None:
        if choice == "stop":
            end: End = "paused"
            self.finish(self.visit.protocol.done(end, self.visit.state))
            return
        self._saver.retry()
