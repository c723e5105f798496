"""A questionnaire: at most eight questions on one screen that scrolls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.events import DescendantFocus, Resize
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.participant import ParticipantScreen
from screens.widgets.beside import Beside
from screens.widgets.marks import Choices, Markable, Scale
from screens.widgets.note import NoteField
from screens.widgets.panes import Pane, Reading
from screens.widgets.text import PlainText, TextButton, plain_line
from studies.steps import Field, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen


class QuestionsPane(Pane, can_focus=False, inherit_bindings=False):
    """Questions beside a text: the page keys are the text's, and questions are gone through with tab."""


class FormScreen(ParticipantScreen):
    """Questions one below the other, and beside them what they are about. Tab goes from one to the next."""

    CSS_PATH = ["participant.tcss", "form.tcss"]
    HELP = (
        "A few questions. Tab and shift+tab go from one to the next. Those that need an answer say so; "
        "the others may stay open."
    )
    BINDINGS = [
        Binding("p", "previous", "previous", id="form.previous", tooltip="Back to the questions before"),
        Binding("tab", "app.focus_next", "next question", id="form.tab"),
        Binding("f2", "other", "the other one", id="form.other",
                tooltip="Show the other one of the two texts"),
        Binding("pagedown", "read('down')", "read on", id="form.read-on", key_display="page down",
                tooltip="Scroll what is read, from any question"),
        Binding("pageup", "read('up')", "read back", id="form.read-back", show=False,
                tooltip="Scroll what is read back"),
        Binding("enter", "next", "go on", id="form.next", tooltip="Go on"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)

    def compose_middle(self) -> Iterable[Widget]:
        """What is read, and the questions."""
        if self.step.material is not None:
            yield Beside(self.step.material, id="beside")
        with Vertical(id="asking"):
            yield from self.compose_form()

    def compose_form(self) -> Iterable[Widget]:
        """The questions below each other, and the ways on."""
        material = self.step.material
        with Pane(id="questions") if material is None else QuestionsPane(id="questions"):
            if self.step.body:
                yield Reading(self.step.body, id="body")
            for place, field in enumerate(self.step.fields):
                with Vertical(classes="question"):
                    yield PlainText(field.text, classes="question-text")
                    if field.required:
                        yield PlainText("Needs an answer.", classes="question-need")
                    yield self._asked(place, field)
        with Horizontal(id="buttons"):
            yield TextButton("Go on", primary=True, compact=material is not None, id="next")
            if self.step.can_go_back:
                yield TextButton("Previous", focusable=False, compact=material is not None, id="previous")

    def _asked(self, place: int, field: Field) -> Widget:
        name, value = f"field-{place}", self._answers.get(field.name)
        if field.kind == "text":
            kept = self.flow.visit.drafts.get(self._answers.ask(field.name)) or value
            text = self.begun(field) if kept is None else kept
            return NoteField(text, id=name, paged=self.step.material is None)
        if field.kind == "scale":
            return Scale(field.options, value, required=field.required, id=name)
        none = "none of these" if field.kind == "multi" else ""
        several = field.kind == "multi"
        chosen = tuple(value) if several and value is not None else value
        return Choices(field.options, chosen, several=several, required=field.required, none=none, id=name)

    def begun(self, field: Field) -> str:
        """What a text begins with, before anybody has written."""
        return ""

    def on_mount(self) -> None:
        """Begin with the first question."""
        super().on_mount()
        self.set_class(self.step.material is not None, "-beside")
        self.set_class(len(self.step.fields) == 1, "-one")
        self.query_one("#questions").border_title = plain_line(self.step.title)
        self.set_focus(self.query_one("#field-0"), scroll_visible=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Going back only where there is something before."""
        if action == "previous":
            return self.step.can_go_back
        if action == "other":
            return self._pair and not self.has_class("-wide")
        if action == "read":
            return self.step.material is not None
        return super().check_action(action, parameters)

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """Show a question whole, not only what is answered of it."""
        for one in event.widget.ancestors:
            if isinstance(one, Widget) and one.has_class("question"):
                self.call_after_refresh(one.scroll_visible, animate=False, top=False)

    def on_resize(self, event: Resize) -> None:
        """Other keys may work where there is more room."""
        super().on_resize(event)
        self.call_after_refresh(self.refresh_bindings)

    @property
    def _pair(self) -> bool:
        return any(one.pair for one in self.query(Beside))

    def action_other(self) -> None:
        """Show the other text."""
        self.query_one(Beside).switch()
        self.flow.visit.activity("pane")

    def action_read(self, way: str) -> None:
        """Scroll what is read, from wherever the focus is."""
        self.query_one(Beside).scroll_page(way)

    def _field(self, widget: Widget) -> Field:
        return self.step.fields[int((widget.id or "").removeprefix("field-"))]

    def _say(self, name: str, value: Any) -> None:
        self._answers.say(name, value)
        self.flow.answer(self._answers.ask(name), value, lambda why: self.say(why, urgent=True))
        self.say("")

    @on(Markable.Marked)
    def _marked(self, event: Markable.Marked) -> None:
        self._say(self._field(event.field).name, event.value)

    @on(NoteField.Typed)
    def _typed(self, event: NoteField.Typed) -> None:
        self.flow.draft(self._answers.ask(self._field(event.field).name), event.field.said)

    @on(NoteField.Left)
    def _left(self, event: NoteField.Left) -> None:
        self._keep(event.field)

    def action_leave_note(self) -> None:
        """The participant is done with a text, for now."""
        self.focus_next()

    @on(NoteField.Cut)
    def _cut(self) -> None:
        self.say("An answer holds 20,000 characters; the end of what you pasted was left out.", urgent=True)

    def keep(self) -> None:
        """What was typed becomes answers."""
        for one in self.query(NoteField):
            self._keep(one)

    def _keep(self, typed: NoteField) -> None:
        field = self._field(typed)
        if typed.said != (self._answers.get(field.name) or ""):
            self._say(field.name, typed.said if typed.said.strip() or not field.required else None)

    @on(Button.Pressed, "#previous")
    def action_previous(self) -> None:
        """Back to the questions before."""
        self.keep()
        self.flow.back(self.step)

    @on(Button.Pressed, "#next")
    def action_next(self) -> None:
        """Go on, or say what is missing and go there."""
        self.keep()
        missing = self._answers.missing()
        if missing is None:
            self.flow.leave(self.step)
            return
        place = self.step.fields.index(missing.field)
        self.set_focus(self.query_one(f"#field-{place}"))
        self.say("Still open: " + (missing.problem or "this question needs an answer."), urgent=True)
