"""A question of the interview: options, own words, or "I don't know"; and why it is asked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.dialogs import confirm
from screens.page import AtHandScreen
from screens.participant import ParticipantScreen
from screens.widgets.bars import WhereAmI
from screens.widgets.beside import Beside
from screens.widgets.lettered import Lettered
from screens.widgets.note import NoteField
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, TextButton
from studies.specification.views import Interview
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

CHOICE, OWN_WORDS = "choice", "own_words"
NONE = "None of these: in my own words"
SEVERAL, ONE = "Choose everything that fits, then enter.", "Choose one, then enter."
NOTHING_YET = 'Nothing is chosen yet. If you cannot say, choose "I don\'t know".'
WORDS = "Say what you would want instead. Escape leaves the text, then enter answers."
NO_WORDS = "Say in your own words what you would want instead, or choose an option."
CUT = "An answer holds 20,000 characters; the end of what you pasted was left out."


class InterviewScreen(ParticipantScreen):
    """One question. Options are chosen by letter; Enter answers."""

    CSS_PATH = ["participant.tcss", "interview.tcss"]
    AUTO_FOCUS = ""
    HELP = (
        "A question about what you want to have built. Choose by letter, by digit, with arrows and space, or "
        'with the mouse. If nothing fits, choose "None of these" and say it in your own words. "I don\'t '
        'know" is an answer as well. Enter sends the answer; after that it cannot be changed.'
    )
    BINDINGS: ClassVar[list[Any]] = [
        Binding("enter", "answer", "answer", id="interview.answer",
                tooltip="Send the answer; the next question follows"),
        Binding("tab", "app.focus_next", "next place", show=False),
        Binding("f2", "chart", "chart", id="interview.chart",
                tooltip="What is settled and what is still open, and how"),
        Binding("f3", "reread", "your proposal", id="interview.reread",
                tooltip="Read again what you wrote, and whom you answer as"),
        Binding("f8", "enough", "enough", id="interview.enough",
                tooltip="End the interview before all questions are used up; asks first"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        assert step.interview is not None
        self.interview: Interview = step.interview
        self._answers = Answers(flow.visit, step)

    @property
    def place(self) -> str:
        """Which question of how many at most."""
        return f"question {self.interview.round} of at most {self.interview.budget}"

    def compose_middle(self) -> Iterable[Widget]:
        """The question, what can be answered, and why it is asked."""
        field, asked = self.step.field(CHOICE), self.interview
        chosen = self._answers.get(CHOICE)
        several = not asked.single
        with Horizontal(id="both"):
            with Pane(id="question"):
                yield PlainText(self.step.body, id="asked")
                yield Lettered(
                    field.options,
                    tuple(chosen) if several and chosen is not None else chosen,
                    several=several,
                    none=NONE if several else "",
                    id="options",
                )
                with Vertical(id="own"):
                    yield NoteField(self._kept_words(), id="own-words", placeholder="in your own words")
                yield PlainText(f"Asked because: {asked.why}" if asked.why else "", id="why")
            if self.step.material is not None:
                yield Beside(self.step.material, id="beside")
        with Horizontal(id="ways"):
            yield PlainText(settled(asked), id="settled")
            if asked.chart:
                yield _button("Chart", "chart")
            yield _button("Enough", "enough")
            yield _button("Answer", "answer", primary=True)

    def on_resize(self, event: Resize) -> None:
        """Other keys may work where there is more room."""
        super().on_resize(event)
        self.call_after_refresh(self.refresh_bindings)

    def _kept_words(self) -> str:
        return self.flow.visit.drafts.get(self._answers.ask(OWN_WORDS)) or self._answers.get(OWN_WORDS) or ""

    def on_mount(self) -> None:
        """Begin with the options."""
        super().on_mount()
        self.query_one("#question").border_title = f"Question {self.interview.round}"
        self.query_one("#where", WhereAmI).title = self.step.title
        self._follow()
        self.set_focus(self.own if self._own_is_asked else self.options)
        self._guide()

    @property
    def options(self) -> Lettered:
        """What can be chosen."""
        return self.query_one("#options", Lettered)

    @property
    def own(self) -> NoteField:
        """Where own words are written."""
        return self.query_one("#own-words", NoteField)

    @property
    def _own_is_asked(self) -> bool:
        return self._answers.field(OWN_WORDS) is not None

    def _guide(self) -> None:
        if self._own_is_asked:
            self.say(WORDS)
            return
        self.say(ONE if self.interview.single else SEVERAL)

    def _follow(self) -> None:
        """Own words are there to be written where none of the options fits."""
        self.query_one("#own").display = self._own_is_asked

    def _say(self, name: str, value: Any) -> None:
        self._answers.say(name, value)
        self.flow.answer(self._answers.ask(name), value, lambda why: self.say(why, urgent=True))

    @on(Lettered.Marked)
    def _marked(self, event: Lettered.Marked) -> None:
        before = self._own_is_asked
        if before:
            self.flow.draft(self._answers.ask(OWN_WORDS), self.own.said)
        self._say(CHOICE, event.value)
        self._follow()
        self._guide()
        if self._own_is_asked and not before:
            self._keep_words()
            self.set_focus(self.own)
            self.call_after_refresh(self.own.scroll_visible, animate=False)

    # -- own words -----------------------------------------------------------------------------

    @on(NoteField.Typed)
    def _typed(self, event: NoteField.Typed) -> None:
        self.flow.draft(self._answers.ask(OWN_WORDS), event.field.said)

    @on(NoteField.Left)
    def _left(self) -> None:
        self._keep_words()

    def action_leave_note(self) -> None:
        """The participant is done with a text, for now."""
        self.set_focus(self.options)

    @on(NoteField.Cut)
    def _cut(self) -> None:
        self.say(CUT, urgent=True)

    def keep(self) -> None:
        """What was typed becomes an answer."""
        self._keep_words()

    def _keep_words(self) -> None:
        said = self.own.said
        if self._own_is_asked and said != (self._answers.get(OWN_WORDS) or ""):
            self._say(OWN_WORDS, said if said.strip() else None)

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """The chart only where the study shows it."""
        if action == "chart":
            return self.interview.chart
        if action == "reread":
            return self.step.material is not None and not self.has_class("-wide")
        return super().check_action(action, parameters)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        await self.run_action(event.button.id or "")

    def action_answer(self) -> None:
        """Send the answer, or say what is missing and go there."""
        self.keep()
        missing = self._answers.missing()
        if missing is None:
            if not self._own_is_asked and self.own.said:
                self.flow.draft(self._answers.ask(OWN_WORDS), "")
            self.flow.leave(self.step)
            return
        words = missing.field.name == OWN_WORDS
        self.set_focus(self.own if words else self.options)
        self.say(missing.problem or (NO_WORDS if words else NOTHING_YET), urgent=True)

    def action_enough(self) -> None:
        """Ask whether to end the interview here."""
        self.keep()
        asked = confirm(
            "End the interview here?",
            "No more questions are asked, and this one stays unanswered. The assistant goes on with what it "
            "knows by now.",
            "End the interview",
            "Go on with it",
        )
        self.app.push_screen(asked, lambda yes: self.flow.end_task(self.step) if yes else None)

    def action_reread(self) -> None:
        """Lay what was written before over the question."""
        assert self.step.material is not None
        self.flow.visit.activity("pane")
        self.app.push_screen(AtHandScreen(self.step.material))

    def action_chart(self) -> None:
        """Lay the chart over the question."""
        from screens.chart import ChartScreen

        self.keep()
        self.flow.visit.activity("pane")
        self.app.push_screen(ChartScreen.over(self.flow, self.step))


def _button(label: str, name: str, *, primary: bool = False) -> TextButton:
    return TextButton(label, primary=primary, compact=True, focusable=False, id=name)


def settled(asked: Interview) -> str:
    """How much need not be asked any more, in words."""
    if not asked.dimensions:
        return ""
    return f"{asked.settled} of {asked.dimensions} choices settled without asking"
