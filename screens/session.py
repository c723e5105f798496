"""The session screen: a dialogue with an assistant, and beside it whom one plays."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens import dialogue as words
from screens.dialogs import Choice, Dialog, confirm
from screens.dialogue import BUTTONS, GUIDES, TITLES, WORDS, Mode, Words, messages_of, messages_with, mode_of
from screens.replying import ReplyingScreen
from screens.session_panes import PANE_BINDINGS, PanesScreen
from screens.widgets.bars import WhereAmI
from screens.widgets.brief import Brief
from screens.widgets.composer import Composer
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, TextButton
from screens.widgets.transcript import Transcript
from studies.chat import Chat
from studies.replies import Part, ReplyEnd
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen


class SessionScreen(PanesScreen):
    """One task: turn after turn, until it is solved, given up, or all replies are used up."""

    CSS_PATH = ["participant.tcss", "session.tcss"]
    AUTO_FOCUS = ""
    HELP = WORDS["user"].help
    BINDINGS: ClassVar[list[Any]] = [
        Binding("enter", "send_opening", "send it as it is", id="session.send-opening",
                tooltip="Send the request that opens the task; asks once"),
        Binding("r,enter", "retry", "try again", id="session.retry", tooltip="Ask for the reply again"),
        Binding("enter", "go_on", "go on", id="session.go-on", tooltip="To what comes next"),
        Binding("escape", "stop", "stop", id="session.stop",
                tooltip="Stop the reply; what has come stays, and it counts as this turn"),
        *PANE_BINDINGS,
        Binding("f4", "done", "it is done", id="session.done", tooltip="The code does what you want"),
        Binding("f8", "end", "end task", id="session.end", tooltip="End this task and go on"),
        Binding("f9", "pause_here", "pause", id="session.pause",
                tooltip="Pause; you come back to this very place"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        assert step.chat is not None
        self.chat: Chat = step.chat
        self._sending = False
        """Something was said whose place in the dialogue is not on disk yet."""
        self._unread = False
        """Whether a reply has come since the participant last had the word."""
        self._waiting_for = ""
        self._aside, self._urgent = "", False
        self._long_from: float | None = flow.visit.work_minutes()
        """When the session was taken up, in minutes of this spell of work; None once it was asked about."""

    # -- showing -------------------------------------------------------------------------------

    @property
    def words(self) -> Words:
        """What is said in this part of a dialogue."""
        return WORDS[self.chat.part]

    @property
    def mode(self) -> Mode:
        """What the participant may do now."""
        return "waiting" if self._sending else mode_of(self.chat)

    @property
    def place(self) -> str:
        """The turn; the task stands on the left."""
        chat = self.chat
        turn = chat.lines[-1].turn if chat.phase == "over" and chat.lines else chat.turn
        return f"turn {turn} of {chat.turns}"

    def compose_middle(self) -> Iterable[Widget]:
        """The dialogue and what is to be said next; beside it (or over it) whom one plays."""
        with Vertical(id="talk"):
            yield Transcript(id="transcript")
            with Container(id="asked"):
                yield from self.compose_asked()
            with Horizontal(id="ways"):
                yield from self.compose_ways()
        yield Brief(self.chat.panels, self.words.panels, id="brief")

    def compose_asked(self) -> Iterable[Widget]:
        """Where one writes, or reads what there is to do instead."""
        yield Composer(self.kept_draft(), id="composer")
        with Pane(id="notice"):
            yield PlainText(id="notice-text")

    def compose_ways(self) -> Iterable[Widget]:
        """The buttons."""
        yield way("Send it as it is", "send-opening", primary=True)
        yield way("Send", "send", primary=True)
        yield way("Stop", "stop", primary=True)
        yield way("Try again", "retry", primary=True)
        yield way("Go on", "go-on", primary=True)
        yield way(self.words.done, "done")
        yield way(self.words.brief, "show-brief")
        yield way("End this task", "end")

    def on_mount(self) -> None:
        """Show the dialogue as it stands, and do what is due."""
        super().on_mount()
        self.composer.border_title = self.words.message
        self.set_interval(1, self._say_words)
        self._take(self.step)

    def takes_up(self, step: Step) -> bool:
        """The next turn of the same task."""
        if step.chat is None or step.about != self.step.about:
            return False
        self.call_later(self._take, step)
        if not self.is_open:
            self.open_when_painted()
        return True

    def _take(self, step: Step) -> None:
        """Show the dialogue as it has become, and do what is due."""
        assert step.chat is not None
        if step.revision != self.step.revision:
            self.carry_draft(step)
            self.flow.shown(step)
            self._shown = (step.id, step.revision)
        self.step = step
        self._turn_to(step.chat)
        if self.mode == "waiting":
            reply = self.chat.phase == "replying"
            self._wait("waiting" if reply else "one moment")
            self._unread = False
            self.advance(reply=reply)
            self.refresh_bindings()

    def _turn_to(self, chat: Chat) -> None:
        self.chat, self._sending = chat, False
        self.transcript.show(messages_of(chat))
        self._follow()

    def _follow(self) -> None:
        """Draw what follows from the mode."""
        mode, chat, progress = self.mode, self.chat, self.step.progress
        where, notice = self.query_one("#where", WhereAmI), self.notice
        where.title = f"{progress.part} {progress.position} of {progress.total} · {chat.assistant}"
        where.place = self.place
        writing = mode in ("writing", "waiting")
        self.composer.display, notice.display = writing, not writing
        self.composer.closed = mode != "writing"
        notice.border_title = TITLES.get(mode, "")
        below = {"opening": chat.opening, "broken": chat.notice, "over": words.GO_ON}
        self.query_one("#notice-text", PlainText).update(below.get(mode, ""))
        for name, one in BUTTONS.items():
            self.query_one(f"#{name}").display = mode == one
        self.query_one("#done").display = self.can_declare
        self.query_one("#end").display = mode == "broken" or (chat.can_end and mode != "over")
        if self.focused is None or self.focused in (self.composer, notice):
            self.set_focus(self.asked)
        self._say_words()
        self.refresh_bindings()

    @property
    def guide(self) -> str:
        """What there is to do, while there is nothing else to say."""
        return GUIDES[self.mode]

    @property
    def can_declare(self) -> bool:
        """Whether the participant may say now that it is done."""
        return self.chat.can_declare_done and self.mode == "writing"

    def say(self, text: str, *, urgent: bool = False) -> None:
        """Say something for the moment, beside what is going on."""
        self._aside, self._urgent = text, urgent
        self._say_words()

    def _say_words(self) -> None:
        said = [self._aside or self.guide]
        if self.mode == "waiting":
            said.insert(0, f"{self._waiting_for} · {self.waited} s")
        super().say("   ".join(filter(None, said)), urgent=self._urgent and bool(self._aside))

    def _wait(self, what: str) -> None:
        self.begin_waiting()
        self._going_on(what)

    def _going_on(self, what: str) -> None:
        if self._waiting_for != what:
            self._waiting_for = what
            self._say_words()

    # -- what comes without the participant ----------------------------------------------------

    @on(ReplyingScreen.Arrived)
    def _arrived(self, event: ReplyingScreen.Arrived) -> None:
        heard = event.heard
        self._unread = True
        if isinstance(heard.what, Part):
            self._going_on("receiving")
            self.transcript.hear(heard.what.text)
        elif isinstance(heard.what, ReplyEnd):
            self.transcript.heard(heard.what.text)
            self._going_on("one moment")
            self.refresh_bindings()

    @on(ReplyingScreen.Advanced)
    def _advanced(self, event: ReplyingScreen.Advanced) -> None:
        now = event.now
        if self.left:
            return
        self.say("")
        if isinstance(now, Step) and now.chat is not None and now.about == self.step.about:
            self._take(now)
            self._ask_if_long()
        elif self._unread:
            # The last reply is still to be read; what comes next waits for a key.
            self._turn_to(self.live.chat(self.step.about or ""))
        else:
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

    # -- writing -------------------------------------------------------------------------------

    @on(Composer.Sent)
    def _sent(self) -> None:
        composer = self.composer
        if not composer.said.strip():
            return
        if self.mode != "writing":
            self.say(words.NOT_YET, urgent=True)
        elif composer.pasted:
            composer.pasted = False
            text = words.PASTED.format(characters=len(composer.said), rule=self.words.rule)
            asked = confirm("Send what you pasted?", text, "Send it", "Not yet")
            self.app.push_screen(asked, lambda yes: self._send(composer.said) if yes else None)
        else:
            self._send(composer.said)

    def _send(self, text: str) -> None:
        """Paint it now, save it behind, and let the assistant reply."""
        if self.mode not in ("writing", "opening"):
            return
        ask = self.ask_id(self.step.revision)
        if self.mode == "writing":
            self.flow.draft(ask, text)
            self.composer.begin("")
        self.transcript.show(messages_with(self.chat, text))
        self.transcript.to_end()
        self._sending = True
        self.remove_class("-brief")
        self.say("")
        self._wait("waiting")
        self._follow()
        self.flow.send(ask, text, self._resume, lambda why: self._refused(text, why))

    def _refused(self, text: str, why: str) -> None:
        self._turn_to(self.chat)
        if self.mode == "writing" and not self.composer.said:
            self.composer.begin(text)
        self.say(why, urgent=True)

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now has a key."""
        if not self.is_mounted:
            return super().check_action(action, parameters)
        modes: dict[str, Mode] = {"send_opening": "opening", "retry": "broken", "go_on": "over"}
        if action in modes:
            return self.mode == modes[action]
        match action:
            case "stop":
                return self.replying and not self.brief_lies_over
            case "pause_here":
                # Elsewhere a letter does it, as on every screen.
                return self.focused is self.composer
            case "done":
                return self.can_declare
            case "end":
                return self.mode != "over"
        return super().check_action(action, parameters)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        name = event.button.id or ""
        if name == "send":
            self._sent()
        else:
            await self.run_action({"show-brief": "brief"}.get(name, name.replace("-", "_")))

    def action_send_opening(self) -> None:
        """Ask once, then send the opening request as it is."""
        text = self.chat.opening
        asked = confirm("Send this request?", text, "Send it as it is", "Not yet")
        self.app.push_screen(asked, lambda yes: self._send(text) if yes else None)

    def action_pause_here(self) -> None:
        """Ask whether to pause."""
        self.action_pause()

    def action_stop(self) -> None:
        """Stop the reply on its way."""
        if self.live.stop():
            self.say(words.STOPPING)

    def action_retry(self) -> None:
        """Ask for the broken reply again."""
        self._sending = True
        self._wait("waiting")
        self._follow()
        self.flow.retry_reply(self.step, self._resume)

    def action_go_on(self) -> None:
        """The last reply has been read."""
        self.flow.go_on()

    def action_done(self) -> None:
        """Declare the task done."""
        self._end(self.words.ask, self.words.sure, done=True)

    def action_end(self) -> None:
        """End the task: freely once the assistant has had its chances, before that asking once."""
        self._end("End this task?", "" if self.chat.can_end else self.words.early)

    def _end(self, title: str, early: str, *, done: bool = False) -> None:
        unsent = words.UNSENT if self.composer.said.strip() else ""
        ending = words.ENDING if self.replying else ""
        reasons = [one for one in (early, ending, unsent) if one]
        if not reasons:
            self.flow.end_task(self.step, done=done)
            return
        yes = self.words.done if done else "End this task"
        asked = confirm(title, "\n\n".join(reasons), yes, "Go on with it")
        self.app.push_screen(asked, lambda sure: self.flow.end_task(self.step, done=done) if sure else None)

    def _ask_if_long(self) -> None:
        """Ask once whether to go on, when the participant has the word again after a long time."""
        worked, allowed = self.flow.visit.work_minutes(), self.chat.soft_minutes
        if self._long_from is None or allowed is None or worked - self._long_from < allowed:
            return
        self._long_from = None
        choices = (Choice("end", "End this task"), Choice("pause", "Pause"), Choice("on", "Go on"))
        ways = {"end": lambda: self.flow.end_task(self.step), "pause": self.action_pause}
        text = words.LONG.format(some=self.words.some)
        asked: Dialog[str] = Dialog("Go on with this task?", text, choices)
        self.app.push_screen(asked, lambda way: ways.get(way or "", lambda: None)())

    def commands(self) -> Iterable[SystemCommand]:
        """What the palette offers here."""
        yield from super().commands()
        if self.check_action("end", ()):
            yield SystemCommand("End this task", "Go on to what comes next", self.action_end)


def way(label: str, name: str, *, primary: bool = False) -> TextButton:
    """A button below the dialogue."""
    button = TextButton(label, compact=True, primary=primary, id=name)
    # The focus stays where one writes; each button has a key as well.
    button.can_focus = False
    return button
