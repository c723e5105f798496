"""The answerer's screen: a dialogue in which the assistant asks, and each question is placed before it is
answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import Binding
from textual.widget import Widget

from screens.answers import Answers
from screens.dialogue import GUIDES, WORDS, Mode, messages_with
from screens.session import SessionScreen, way
from screens.widgets.marks import Markable, NumberedChoices
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, shortened
from studies.steps import Option, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

ANSWERING = "Your answer to: "
AGAIN = "escape: choose again"


class AnsweringScreen(SessionScreen):
    """First what a question asks about, then the answer; a mark is sent as it is."""

    CSS_PATH = ["participant.tcss", "session.tcss", "answering.tcss"]
    HELP = WORDS["answerer"].help
    BINDINGS: ClassVar[list[Any]] = [
        Binding("enter", "send_mark", "send it as it is", id="answering.send-mark",
                tooltip="Tell the assistant that, in these words"),
        Binding("escape", "choose_again", "choose again", id="answering.choose-again",
                tooltip="Say anew what the question asks about; what you have written stays"),
        Binding("f2", "brief", "what you know", id="answering.brief",
                tooltip="What you know, over the conversation, while you write"),
        # A key that is bound anew would lose what it means in the other modes.
        *(one for one in SessionScreen.BINDINGS if {"enter", "escape"} & set(one.key.split(","))),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)

    def compose_asked(self) -> Iterable[Widget]:
        """The choice comes before where one writes."""
        with Pane("What does it ask about?", id="match"):
            yield NumberedChoices(id="choices")
        yield from super().compose_asked()

    def compose_ways(self) -> Iterable[Widget]:
        """With the buttons for a mark."""
        yield way("Send it as it is", "send-mark", primary=True)
        yield way("Choose again", "choose-again")
        yield from super().compose_ways()

    @property
    def mode(self) -> Mode:
        """Choosing comes first; a mark needs no words."""
        mode = super().mode
        if mode != "writing":
            return mode
        if self._answers.get("match") is None:
            return "choosing"
        return "marking" if self._answers.field("message") is None else "writing"

    @property
    def choices(self) -> NumberedChoices:
        """What the question may ask about."""
        return self.query_one(NumberedChoices)

    @property
    def asked(self) -> Widget:
        """What stands below the dialogue now."""
        return self.choices if self.mode == "choosing" else super().asked

    @property
    def guide(self) -> str:
        """While answering, what is answered."""
        chosen = self._chosen
        if self.mode != "writing" or chosen is None:
            return GUIDES[self.mode]
        room = max(20, self.size.width - len(ANSWERING) - len(AGAIN) - 6)
        return f"{ANSWERING}{shortened(chosen.label, room)}   {AGAIN}"

    @property
    def _chosen(self) -> Option | None:
        field, value = self._answers.field("match"), self._answers.get("match")
        return next((one for one in field.options if one.value == value), None) if field else None

    def _take(self, step: Step) -> None:
        self._answers = Answers(self.flow.visit, step)
        field = self._answers.field("match")
        if field is not None:
            self.choices.offer(field.options, self._answers.get("match"))
        super()._take(step)

    def _follow(self) -> None:
        super()._follow()
        mode, chosen = self.mode, self._chosen
        self.set_class(mode == "choosing", "-choosing")
        self.query_one("#match").display = mode == "choosing"
        if mode == "choosing":
            self.notice.display = False
        elif mode == "marking" and chosen is not None:
            self.query_one("#notice-text", PlainText).update(chosen.note)
        self.query_one("#send-mark").display = mode == "marking"
        self.query_one("#choose-again").display = mode in ("marking", "writing")
        if self.focused not in (self.brief, self.transcript, self.asked):
            self.set_focus(self.asked)

    # -- choosing ------------------------------------------------------------------------------

    @on(Markable.Marked, "#choices")
    def _marked(self, event: Markable.Marked) -> None:
        event.stop()
        self._choose(event.value)

    def _choose(self, value: Any) -> None:
        """Paint it now, save it behind."""
        ask = self._answers.ask("match")
        self._answers.say("match", value)
        self.flow.answer(ask, value, lambda why: self.say(why, urgent=True))
        self.say("")
        self._follow()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now has a key."""
        if not self.is_mounted:
            return super().check_action(action, parameters)
        if action == "send_mark":
            return self.mode == "marking"
        if action == "choose_again":
            return self.mode in ("marking", "writing") and not self.brief_lies_over
        return super().check_action(action, parameters)

    def action_choose_again(self) -> None:
        """Take back what the question asks about."""
        self.choices.value = None
        self._choose(None)

    def action_send_mark(self) -> None:
        """Send the mark, and let the assistant go on."""
        chosen = self._chosen
        if self.mode != "marking" or chosen is None:
            return
        self.transcript.show(messages_with(self.chat, chosen.note))
        self.transcript.to_end()
        self.flow.leave(self.step)
