"""A questionnaire: at most eight questions on one screen that scrolls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.participant import ParticipantScreen
from screens.widgets.marks import Choices, Markable, Scale
from screens.widgets.note import NoteField
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, TextButton
from studies.steps import Field, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen


class FormScreen(ParticipantScreen):
    """Questions one below the other. Tab goes from one to the next."""

    CSS_PATH = ["participant.tcss", "form.tcss"]
    HELP = (
        "A few questions. Tab and shift+tab go from one to the next. Those that need an answer say so; "
        "the others may stay open."
    )
    BINDINGS = [
        Binding("p", "previous", "previous", id="form.previous", tooltip="Back to the questions before"),
        Binding("tab", "app.focus_next", "next question", id="form.tab"),
        Binding("enter", "next", "go on", id="form.next", tooltip="Go on"),
    ]

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)

    def compose_middle(self) -> Iterable[Widget]:
        """The questions, and the ways on."""
        yield from self.compose_form()

    def compose_form(self) -> Iterable[Widget]:
        """The questions below each other, and the buttons."""
        with Pane(id="questions"):
            for place, field in enumerate(self.step.fields):
                with Vertical(classes="question"):
                    yield PlainText(field.text, classes="question-text")
                    if field.required:
                        yield PlainText("Needs an answer.", classes="question-need")
                    yield self._asked(place, field)
        with Horizontal(id="buttons"):
            yield TextButton("Go on", primary=True, id="next")
            if self.step.can_go_back:
                yield TextButton("Previous", focusable=False, id="previous")

    def _asked(self, place: int, field: Field) -> Widget:
        name, value = f"field-{place}", self._answers.get(field.name)
        if field.kind == "text":
            kept = self.flow.visit.drafts.get(self._answers.ask(field.name)) or value
            return NoteField(self.begun(field) if kept is None else kept, id=name)
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
        self.query_one("#questions").border_title = self.step.title
        self.set_focus(self.query_one("#field-0"))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Going back only where there is something before."""
        if action == "previous":
            return self.step.can_go_back
        return super().check_action(action, parameters)

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

    @on(NoteField.Finished)
    def _finished(self) -> None:
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
