"""The annotation screen: a request, and what makes it ambiguous."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical
from textual.events import DescendantFocus
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers, Missing
from screens.codebook import CodebookPane
from screens.participant import ParticipantScreen
from screens.widgets.bars import WhereAmI
from screens.widgets.marks import Choices, Markable, Scale
from screens.widgets.material import MaterialPanes
from screens.widgets.mechanisms import ALSO, MAIN, NOTHING_ELSE, MechanismTable
from screens.widgets.note import NoteField
from screens.widgets.text import PlainText, TextButton, plain_line
from studies.steps import Option, Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

GUIDES = {
    "dominant": "Choose the one behind the first question you would have to ask.",
    "additional": "Is anything else there as well? If not, say so: 0.",
    "confidence": "How sure are you?",
    "note": "Please say in the note what makes it ambiguous.",
}
"""What is to be done next, by field."""

NOTE, REASON = "if you like", "what makes it ambiguous?"
COMPLETE = "Complete. Go on when you like."
CLOSED = "stands alone, nothing also"
ALSO_GUIDE = "Also there: each number adds or takes away."
REST = "You have been at it for a while. A short rest is fine: nothing is timed."


class AnnotationScreen(ParticipantScreen):
    """One item. Everything it shows follows from the answers; a further item takes its place."""

    CSS_PATH = ["participant.tcss", "annotation.tcss"]
    HELP = (
        "Read the request and choose what makes it ambiguous: the main mechanism first, then any others "
        "that are there as well, or that nothing else is. Then how sure you are. Note and flag are up to "
        "you. Your answers are saved as you give them; you can go back within a block and change them."
    )
    BINDINGS: ClassVar[list[Any]] = [
        *(
            Binding(str(n), f"main({n})", "main", group=Binding.Group("main"), tooltip="Main mechanism")
            for n in range(1, 9)
        ),
        *(
            Binding(str(n), f"also({n})", "also", group=Binding.Group("also"),
                    tooltip="Also there, or no longer")
            for n in range(1, 9)
        ),
        Binding("a", "column('also')", "also", id="annotation.also",
                tooltip="What is there as well, by number"),
        Binding("a", "column('main')", "main", id="annotation.main", tooltip="Back to the main mechanism"),
        Binding("escape", "column('main')", show=False),
        Binding("0", "nothing_else", "nothing else", id="annotation.nothing-else",
                tooltip="Nothing else is there"),
        Binding("s", "sure", "sure", id="annotation.sure", tooltip="How sure you are, then a number"),
        Binding("n", "note", "note", id="annotation.note", tooltip="Write a note"),
        Binding("f", "flag", "flag", id="annotation.flag", tooltip="Flag this item for the researcher"),
        Binding("question_mark", "codebook", "codebook", id="annotation.codebook",
                tooltip="The codebook entry of the highlighted row"),
        Binding("f1", "codebook", show=False),
        Binding("f1", "close_codebook", show=False),
        Binding("f1", "explain", "help", id="annotation.help",
                tooltip="What has the focus, and which keys work"),
        Binding("question_mark,escape", "close_codebook", "close", id="annotation.close-codebook"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the text on the left"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the text on the left"),
        Binding("p", "previous", "previous", id="annotation.previous",
                tooltip="Back to the item before, to look at it or change it"),
        Binding("enter", "next", "next", id="annotation.next", tooltip="To the next item"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)

    # -- showing -------------------------------------------------------------------------------

    def compose_middle(self) -> Iterable[Widget]:
        """What is to be read left, what is asked right."""
        with Container(id="left"):
            yield MaterialPanes(id="material")
            yield CodebookPane(self.flow.visit.protocol.kind, id="codebook")
        with Vertical(id="answers"):
            yield MechanismTable(id="labels")
            with Horizontal(id="sure-row", classes="row"):
                yield PlainText("How sure? ", classes="name")
                yield Scale((Option(0, "0"),), id="confidence")
            with Horizontal(id="note-row", classes="row"):
                yield PlainText("Note ", classes="name")
                yield NoteField(id="note", placeholder=NOTE)
            flag = (Option(True, "flag for the researcher"),)
            yield Choices(flag, several=True, numbered=False, id="flag")
            with Horizontal(id="ways"):
                yield TextButton("Previous", compact=True, focusable=False, id="previous")
                yield TextButton("Codebook", compact=True, focusable=False, id="open-codebook")
                yield TextButton("Next", compact=True, primary=True, focusable=False, id="next")

    def on_mount(self) -> None:
        """Fill in the step."""
        super().on_mount()
        self.query_one("#answers").border_title = "What makes this request ambiguous?"
        self._fill()

    def takes_up(self, step: Step) -> bool:
        """Another item takes this one's place."""
        if step.kind != "annotation":
            return False
        self.step = step
        self._answers = Answers(self.flow.visit, step)
        self._fill()
        self.open_when_painted()
        return True

    def _fill(self) -> None:
        """Show a step from its beginning."""
        self.query_one(WhereAmI).place = self.place
        self.query_one(MaterialPanes).show(self.step.material)
        self.query_one(CodebookPane).display = False
        table = self.query_one(MechanismTable)
        table.row, table.column = 0, MAIN
        confidence = self._answers.field("confidence")
        self.query_one("#sure-row").display = confidence is not None
        if confidence is not None:
            self.query_one(Scale).offer(confidence.options, self._answers.get("confidence"))
        self.query_one("#flag").display = self._answers.field("flag") is not None
        self.query_one("#previous").visible = self.step.can_go_back
        self.query_one(NoteField).begin(self._kept_note())
        self._follow()
        if table.dominant is not None:
            table.row = next(n for n, one in enumerate(table.options) if one.value == table.dominant)
        self.set_focus(table)
        minutes = self.flow.visit.study.settings.annotation.rest_minutes
        if self.flow.visit.work_minutes() >= minutes:
            self.say(REST)

    def _kept_note(self) -> str:
        ask = self._answers.ask("note")
        return self.flow.visit.drafts.get(ask) or self._answers.get("note") or ""

    def _follow(self) -> None:
        """Draw what the answers have become."""
        answers = self._answers
        dominant, additional = answers.field("dominant"), answers.field("additional")
        assert dominant is not None
        table = self.query_one(MechanismTable)
        table.show(
            dominant.options,
            additional.options if additional else (),
            answers.get("dominant"),
            answers.get("additional"),
            CLOSED if self.flow.visit.study.settings.annotation.additional and not additional else "",
        )
        self.query_one(Scale).value = answers.get("confidence")
        self.query_one("#flag", Choices).value = (True,) if answers.get("flag") else None
        note = answers.field("note")
        self.query_one("#note-row").display = note is not None
        self.query_one(NoteField).placeholder = plain_line(REASON if note and note.required else NOTE)
        self._guide()
        self.refresh_bindings()

    def _guide(self) -> None:
        """Say what comes next."""
        if self.query_one(MechanismTable).column == ALSO:
            self.say(ALSO_GUIDE)
            return
        missing = self._answers.missing()
        self.say(COMPLETE if missing is None else missing.problem or GUIDES[missing.field.name])

    # -- answering -----------------------------------------------------------------------------

    def _say(self, name: str, value: Any) -> None:
        """Take an answer: paint it now, save it behind."""
        for one, to in self._answers.say(name, value).items():
            if one == name:
                self.flow.answer(self._answers.ask(one), to, lambda why: self.say(why, urgent=True))
        self._follow()

    @on(MechanismTable.Chosen)
    def _chosen(self, event: MechanismTable.Chosen) -> None:
        self._say("dominant", event.label)

    @on(MechanismTable.Toggled)
    def _toggled(self, event: MechanismTable.Toggled) -> None:
        now = tuple(self._answers.get("additional") or ())
        if event.label == NOTHING_ELSE:
            self._say("additional", None if self._answers.get("additional") == () else ())
            return
        kept = tuple(one for one in now if one != event.label) if event.label in now else (*now, event.label)
        field = self._answers.field("additional")
        assert field is not None
        ordered = tuple(one.value for one in field.options if one.value in kept)
        self._say("additional", ordered or None)

    @on(Markable.Marked, "#confidence")
    def _sure(self, event: Markable.Marked) -> None:
        self._say("confidence", event.value)
        self.set_focus(self.query_one(MechanismTable))

    @on(Markable.Marked, "#flag")
    def _flagged(self, event: Markable.Marked) -> None:
        self._say("flag", bool(event.value))

    @on(NoteField.Typed)
    def _typed(self, event: NoteField.Typed) -> None:
        self.flow.draft(self._answers.ask("note"), event.field.said)

    @on(NoteField.Left)
    def _left(self) -> None:
        self.keep()

    def action_leave_note(self) -> None:
        """The participant is done with a text, for now."""
        self.set_focus(self.query_one(MechanismTable))

    @on(NoteField.Cut)
    def _cut(self) -> None:
        self.say("A note holds 20,000 characters; the end of what you pasted was left out.", urgent=True)

    def keep(self) -> None:
        """A note that was typed becomes an answer."""
        field = self._answers.field("note")
        said = self.query_one(NoteField).said
        if field is None or said == (self._answers.get("note") or ""):
            return
        self._say("note", None if field.required and not said.strip() else said)

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now has a key."""
        if not self.is_mounted:
            return super().check_action(action, parameters)
        table = self.query_one(MechanismTable)
        numbers = not isinstance(self.focused, Scale)
        if action in ("main", "also"):
            number = parameters[0]
            option = table.numbered(number) if isinstance(number, int) else None
            here = numbers and table.column == action and option is not None
            return here and (action == "main" or option.value in table.others)  # type: ignore[union-attr]
        if action == "nothing_else":
            return numbers and bool(table.others)
        if action == "column":
            return bool(table.others) and table.column != parameters[0]
        if action == "codebook":
            return not (isinstance(self.focused, NoteField) or self.query_one(CodebookPane).display)
        if action == "close_codebook":
            return self.query_one(CodebookPane).display
        if action == "previous":
            return self.step.can_go_back
        field = {"sure": "confidence", "note": "note", "flag": "flag"}.get(action)
        if field is not None:
            return self._answers.field(field) is not None
        return super().check_action(action, parameters)

    def action_main(self, number: int) -> None:
        """Choose the main mechanism."""
        self.query_one(MechanismTable).choose(number)

    def action_also(self, number: int) -> None:
        """Add or take away what is there as well."""
        self.query_one(MechanismTable).toggle(number)

    def action_nothing_else(self) -> None:
        """Say that nothing else is there."""
        self.query_one(MechanismTable).nothing_else()

    def action_column(self, column: str) -> None:
        """Let digits mean that column."""
        table = self.query_one(MechanismTable)
        self.set_focus(table)
        table.column = column
        self._guide()

    def action_sure(self) -> None:
        """Let digits say how sure."""
        self.set_focus(self.query_one(Scale))

    def action_note(self) -> None:
        """Write a note."""
        self.set_focus(self.query_one(NoteField))

    def action_flag(self) -> None:
        """Flag the item, or take the flag away."""
        self.query_one("#flag", Choices).mark(0)

    @on(Button.Pressed, "#previous")
    def action_previous(self) -> None:
        """Reopen the item before; an item that was already given an annotation is left complete."""
        self.keep()
        missing = self._answers.missing()
        if missing is None or self.step.previous is None:
            self.flow.back(self.step)
        else:
            self._ask_for(missing)

    @on(Button.Pressed, "#next")
    def action_next(self) -> None:
        """Go on, or say in words what is missing and go there."""
        self.keep()
        missing = self._answers.missing()
        if missing is None:
            self.flow.leave(self.step)
        else:
            self._ask_for(missing)

    def _ask_for(self, missing: Missing) -> None:
        where = {"confidence": "#confidence", "note": "#note", "flag": "#flag"}
        name = missing.field.name
        self.query_one(MechanismTable).column = ALSO if name == "additional" else MAIN
        self.set_focus(self.query_one(where.get(name, "#labels")))
        self.say("Still open: " + (missing.problem or GUIDES[name]), urgent=True)

    @on(Button.Pressed, "#open-codebook")
    def action_codebook(self) -> None:
        """Open the codebook at the highlighted row, or close it."""
        pane = self.query_one(CodebookPane)
        if pane.display:
            self.action_close_codebook()
            return
        self.flow.visit.activity("codebook")
        pane.show(self.query_one(MechanismTable).highlighted)
        self.refresh_bindings()

    def action_close_codebook(self) -> None:
        """Back to the very place."""
        self.query_one(CodebookPane).display = False
        self.flow.visit.activity("pane")
        self.refresh_bindings()

    def action_scroll(self, way: str) -> None:
        """Scroll what is to be read, wherever the focus is."""
        pane = self.query_one(CodebookPane)
        target = pane if pane.display else self.query_one(MaterialPanes).request
        target.scroll_page_down(animate=False) if way == "down" else target.scroll_page_up(animate=False)

    @on(MechanismTable.Moved)
    def _moved(self) -> None:
        pane = self.query_one(CodebookPane)
        table = self.query_one(MechanismTable)
        if pane.display and table.options:
            pane.show(table.highlighted)
        if not self.query_one("#says").has_class("-urgent"):
            self._guide()
        self.refresh_bindings()

    def on_descendant_focus(self, event: DescendantFocus) -> None:
        """A change of place is a sign of life."""
        self.flow.visit.activity("pane")
        self.refresh_bindings()
