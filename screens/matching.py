"""The matcher's screen: a task, a question that somebody asked, and the key questions it may be about.

Where the study codes what participants wrote, the same screen in other words.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.participant import ParticipantScreen
from screens.widgets.bars import WhereAmI
from screens.widgets.marks import Markable, NumberedChoices
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, TextButton
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

FIELD = "matches"
ONE_KEY = "One key decides: the number of a {what}, or 0 for none. s: several."
SEVERAL = "Numbers mark and unmark. Enter goes on."
OPEN = "Still open: choose a {what} by its number, or 0 for none."
NONE = "none of these"


class MatchingScreen(ParticipantScreen):
    """One asked question; a further one takes its place."""

    CSS_PATH = ["participant.tcss", "matching.tcss"]
    SHOWN = "Somebody asked"
    """Above what is labelled."""
    ASKED = "Does it ask about one of these?"
    WHAT = "key question"
    """What is chosen by its number."""
    HELP = (
        "Say which of the key questions the question asks about: whether one answer would settle both. A "
        "number decides and goes on; 0 says that it asks about none of them. Where it asks about several, "
        "press s, mark them, and go on. You can go back within a block and decide anew."
    )
    BINDINGS: ClassVar[list[Any]] = [
        *(
            Binding(str(n), f"one({n})", "this one", group=Binding.Group("this one"),
                    tooltip="This one, and on (after s: mark it, or no longer)")
            for n in range(1, 10)
        ),
        Binding("0", "none", "none", id="matching.none", tooltip="None of them, and on"),
        Binding("s", "several", "several", id="matching.several",
                tooltip="Several of them: numbers mark, enter goes on"),
        Binding("s,escape", "single", "one only", id="matching.single", tooltip="A number decides again"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the task"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the task"),
        Binding("p", "previous", "previous", id="matching.previous",
                tooltip="Back to the one before, to look at it or decide anew"),
        Binding("enter", "next", "go on", id="matching.next", tooltip="To the next one"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)
        self._several = False
        """Whether numbers mark instead of deciding."""

    def compose_middle(self) -> Iterable[Widget]:
        """The task left, the question and the key questions right."""
        with Pane("The task", id="task"):
            yield PlainText(id="task-text")
        with Vertical(id="decision"):
            with Pane(self.SHOWN, id="asked-question"):
                yield PlainText(id="question-text")
            with Pane(self.ASKED, id="key-questions"):
                yield NumberedChoices(NONE, id="choices")
            with Horizontal(id="ways"):
                yield TextButton("Previous", compact=True, focusable=False, id="previous")
                yield TextButton("Go on", compact=True, primary=True, focusable=False, id="next")

    def on_mount(self) -> None:
        """Fill in the step."""
        super().on_mount()
        self._fill()

    def takes_up(self, step: Step) -> bool:
        """Another question takes this one's place."""
        if step.kind != "matching":
            return False
        self.step = step
        self._answers = Answers(self.flow.visit, step)
        self._several = False
        self._fill()
        self.open_when_painted()
        return True

    @property
    def choices(self) -> NumberedChoices:
        """The key questions."""
        return self.query_one(NumberedChoices)

    def _fill(self) -> None:
        """Show a step from its beginning."""
        material, field = self.step.material, self.step.field(FIELD)
        self.query_one(WhereAmI).place = self.place
        self.query_one("#task-text", PlainText).update(
            "\n\n".join(one.text for one in material.context) if material else ""
        )
        self.query_one("#question-text", PlainText).update(material.request if material else "")
        self.choices.offer(field.options, self._answers.get(FIELD))
        for name in ("#task", "#asked-question", "#key-questions"):
            self.query_one(name, Pane).renew()
        self.query_one("#previous").visible = self.step.can_go_back
        self.set_focus(self.choices)
        self._guide()

    def _guide(self) -> None:
        self.say(SEVERAL if self._several else ONE_KEY.format(what=self.WHAT))
        self.refresh_bindings()

    def _say(self, value: Any) -> None:
        """Take a decision: paint it now, save it behind."""
        self._answers.say(FIELD, value)
        self.flow.answer(self._answers.ask(FIELD), value, lambda why: self.say(why, urgent=True))

    def _decide(self, value: tuple[Any, ...]) -> None:
        """Take a decision and go on."""
        self.choices.value = value
        if value != self._answers.get(FIELD) or self.step.previous is None:
            self._say(value)
        self.flow.leave(self.step)

    @on(Markable.Marked)
    def _marked(self, event: Markable.Marked) -> None:
        event.stop()
        self._say(event.value)

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now has a key."""
        if not self.is_mounted:
            return super().check_action(action, parameters)
        if action == "one":
            return isinstance(parameters[0], int) and parameters[0] <= len(self.step.field(FIELD).options)
        if action in ("several", "single"):
            more = len(self.step.field(FIELD).options) > 1
            return more and self._several == (action == "single")
        if action == "previous":
            return self.step.can_go_back
        return super().check_action(action, parameters)

    def action_one(self, number: int) -> None:
        """Decide on this key question; among several, mark it."""
        if self._several:
            self.choices.mark(number - 1)
        else:
            self._decide((self.step.field(FIELD).options[number - 1].value,))

    def action_none(self) -> None:
        """Decide that it is none of them."""
        self._decide(())

    def action_several(self) -> None:
        """Let numbers mark."""
        self._several = True
        self._guide()

    def action_single(self) -> None:
        """Let numbers decide."""
        self._several = False
        self._guide()

    def action_scroll(self, way: str) -> None:
        """Scroll the task, wherever the focus is."""
        task = self.query_one("#task", Pane)
        task.scroll_page_down(animate=False) if way == "down" else task.scroll_page_up(animate=False)

    @on(Button.Pressed, "#previous")
    def action_previous(self) -> None:
        """Reopen the question before."""
        self.flow.back(self.step)

    @on(Button.Pressed, "#next")
    def action_next(self) -> None:
        """Go on with what is marked, or say that nothing is."""
        if self._answers.missing() is None:
            self.flow.leave(self.step)
        else:
            self.say(OPEN.format(what=self.WHAT), urgent=True)


class CodingScreen(MatchingScreen):
    """One text of a participant's and the statements that it may give away: the same in other words."""

    HELP = (
        "Say which of the statements the text gives away: whether somebody who reads it alone would learn it "
        "from there. A number decides and goes on; 0 says that it gives none of them away. Where it gives "
        "several away, press s, mark them, and go on. You can go back within a block and decide anew."
    )
    SHOWN = "Somebody wrote"
    ASKED = "Which of these does it give away?"
    WHAT = "statement"
