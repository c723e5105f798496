"""Adjudication: an item and the labels it was given, blind, beside the final label and its reason."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical, VerticalScroll
from textual.widgets import Button

from screens import words
from screens.codebook import CodebookPane
from screens.deciding import Deciding, open_cases
from screens.dialogs import confirm, message
from screens.form_dialog import Ask, FormDialog
from screens.lab import Lab, LabScreen
from screens.looking import may_look
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.material import MaterialPanes
from screens.widgets.mechanisms import MAIN, NOTHING_ELSE, MechanismTable
from screens.widgets.note import NoteField
from screens.widgets.text import PlainText, TextButton
from studies.kinds import kind_of
from studies.ports import StudyRecord
from studies.progress import progress_of
from studies.steps import Material, Message, Option

MODES = (
    Option("independent", "alone: I do not decide items I annotated myself"),
    Option("consensus", "as a consensus of several people, annotators among them"),
)
GUIDE = "Choose the final label, say what else is there, and why."
MISSING = {
    "dominant": "Which label is the final one?",
    "additional": "Is anything else there as well? If not, say so: 0.",
    "reason": "Please say why, in a sentence.",
}
NOTHING = (
    "No item has two counted annotations that differ, or all such items are your own. Items come up here "
    "when participations are completed; in a consensus, items you annotated come up as well."
)


class AdjudicationScreen(LabScreen[None]):
    """Goes through the cases of one adjudicator; each decision is stored before the next case comes."""

    CSS_PATH = ["lab.tcss", "adjudication.tcss"]
    HELP = (
        "Read the request and the labels it was given: each once, in random order, without saying by whom or "
        "how often. Choose the final label and say why. Some items are ones on which all agreed. What you "
        "decide is stored apart and never enters kappa; you can come back and change it."
    )
    BINDINGS = [
        *(
            Binding(str(n), f"main({n})", "final", group=Binding.Group("final"), tooltip="Final main label")
            for n in range(1, 9)
        ),
        *(
            Binding(str(n), f"also({n})", "also there", group=Binding.Group("also there"),
                    tooltip="Also there, or no longer")
            for n in range(1, 9)
        ),
        Binding("a", "column('also')", "also", id="adjudication.also",
                tooltip="What is there as well, by number"),
        Binding("a,escape", "column('main')", "back to main", id="adjudication.main",
                tooltip="Back to the main label"),
        Binding("0", "nothing_else", "nothing else", id="adjudication.nothing-else",
                tooltip="Nothing else is there"),
        Binding("n", "reason", "reason", id="adjudication.reason", tooltip="Write the reason"),
        Binding("question_mark", "codebook", "codebook", id="adjudication.codebook", key_display="?",
                tooltip="The codebook entry of the highlighted row"),
        Binding("escape", "close_codebook", "close codebook"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll the request"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll the request"),
        Binding("p", "move(-1)", "previous", id="adjudication.previous", tooltip="The item before"),
        Binding("k", "move(1)", "skip", id="adjudication.skip",
                tooltip="The next item; this one stays as it is"),
        Binding("enter", "save", "save, next", id="adjudication.save",
                tooltip="Store the decision and go on to the next undecided item"),
        Binding("q,escape", "leave", "back", key_display="q", id="adjudication.leave", tooltip="Back"),
    ]  # fmt: skip

    def __init__(self, lab: Lab, record: StudyRecord) -> None:
        super().__init__()
        self._lab = lab
        self._study_record = record
        self._deciding: Deciding | None = None

    # -- opening -------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """The frame; the rest once it is known who decides."""
        yield WhereAmI(f"Adjudication · {self._study_record.title}")
        yield Container(id="adjudication")
        yield PlainText("Reading the study ...", id="says")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Ask who decides."""
        super().on_mount()
        self.call_after_refresh(lambda: self.begin(self._open))

    async def _open(self) -> None:
        if not await self._may_open():
            self.dismiss(None)
            return
        form = FormDialog(
            "Who adjudicates?",
            "A name or code of your own. Whoever also annotated gives their participant code.",
            (Ask("code", "Your code"), Ask("mode", "How", "choice", MODES[0].value, MODES)),
            "Begin",
            lambda values: None if values["code"] else "A code is needed.",
        )
        values = await self.app.push_screen_wait(form)
        if values is None:
            self.dismiss(None)
            return
        cases = open_cases(self._lab.archive, self._study_record.sha256, values["code"], values["mode"])
        deciding = await self.attempt("The study could not be read", cases)
        if deciding is None or not deciding.cases:
            if deciding is not None:
                await self.app.push_screen_wait(message("Nothing to adjudicate", NOTHING))
            self.dismiss(None)
            return
        await self._mount_middle(deciding)
        self._deciding = deciding
        self._show()

    async def _may_open(self) -> bool:
        reading = progress_of(self._lab.archive, self._study_record)
        progress = await self.attempt("The study could not be read", reading)
        if progress is None:
            return False
        return await may_look(self, self._lab, self._study_record, progress, "adjudication")

    async def _mount_middle(self, deciding: Deciding) -> None:
        left = Container(MaterialPanes(), CodebookPane(kind_of(deciding.study), id="codebook"), id="left")
        right = Vertical(
            VerticalScroll(PlainText(id="given-text"), id="given", can_focus=False),
            MechanismTable(id="labels"),
            Horizontal(PlainText("Reason "), NoteField(id="reason"), id="reason-row"),
            Horizontal(
                TextButton("Previous", compact=True, id="previous"),
                TextButton("Skip", compact=True, id="skip"),
                TextButton("Save", compact=True, primary=True, id="save"),
                id="decision-ways",
            ),
            id="decision",
        )
        right.border_title = "Labels it was given"
        await self.query_one("#adjudication").mount(left, right)

    # -- showing -------------------------------------------------------------------------------

    def _now(self) -> Deciding:
        assert self._deciding is not None
        return self._deciding

    def _show(self) -> None:
        """Show the case that is up, from its beginning."""
        now = self._now()
        item = now.study.item(now.case.item)
        context = tuple(Message(one.role, one.text) for one in item.context)
        self.query_one(MaterialPanes).show(Material(item.request, context))
        self.query_one(CodebookPane).display = False
        given = [f"- {self._called(one)}" for one in now.case.labels]
        if now.case.additional:
            given.append("also: " + ", ".join(map(self._called, now.case.additional)))
        self.query_one("#given-text", PlainText).update("\n".join(given))
        self.query_one(NoteField).begin(now.decision.reason)
        table = self.query_one(MechanismTable)
        table.column = MAIN
        self._follow()
        dominant = now.decision.dominant
        table.row = now.labels.index(dominant) if dominant in now.labels else 0
        self.set_focus(table)
        mode = "" if now.mode == "independent" else " · consensus"
        place = f"item {now.place + 1} of {len(now.cases)} · {now.decided} decided"
        self.query_one(WhereAmI).place = f"{now.who.name}{mode} · {place}"
        decided = now.case.decided
        self._say(
            GUIDE if decided is None else f"Decided: {self._called(decided.dominant)}. You can change it."
        )

    def _called(self, label: str) -> str:
        return str(self._now().study.codebook.entry(label).short)

    def _options(self, labels: Sequence[str]) -> tuple[Option, ...]:
        return tuple(Option(one, self._called(one)) for one in labels)

    def _follow(self) -> None:
        """Draw what has been said."""
        now = self._now()
        self.query_one(MechanismTable).show(
            self._options(now.labels),
            self._options(now.others),
            now.decision.dominant,
            now.decision.additional,
        )
        self.refresh_bindings()

    def _say(self, text: str, *, urgent: bool = False) -> None:
        says = self.query_one("#says", PlainText)
        says.update(text)
        says.set_class(urgent, "-urgent")

    # -- deciding ------------------------------------------------------------------------------

    @on(MechanismTable.Chosen)
    def _chosen(self, event: MechanismTable.Chosen) -> None:
        self._now().choose(event.label)
        self._follow()

    @on(MechanismTable.Toggled)
    def _toggled(self, event: MechanismTable.Toggled) -> None:
        if event.label == NOTHING_ELSE:
            self._now().nothing_else()
        else:
            self._now().toggle(event.label)
        self._follow()

    @on(NoteField.Typed)
    @on(NoteField.Left)
    def _keep(self) -> None:
        """What was typed is the reason."""
        self._now().give_reason(self.query_one(NoteField).said)

    def action_leave_note(self) -> None:
        """The researcher is done with the reason, for now."""
        self._keep()
        self.set_focus(self.query_one(MechanismTable))

    @on(NoteField.Cut)
    def _cut(self) -> None:
        self._say("A reason holds 20,000 characters; the end of what you pasted was left out.", urgent=True)

    @on(Button.Pressed, "#save")
    def action_save(self) -> None:
        """Store the decision, then go on; or say what is missing and go there."""
        self._keep()
        now = self._now()
        missing = now.missing()
        if missing is not None:
            self._say(MISSING[missing], urgent=True)
            self.set_focus(self.query_one("#reason" if missing == "reason" else "#labels"))
        elif now.decision == now.stored:
            self._go_on()
        else:
            self.close_input()
            self.begin(self._save, group="saving")

    async def _save(self) -> None:
        now, item = self._now(), self._now().case.item
        self._say("saving ...")
        saved = await self.attempt("The decision is not saved", self._store())
        self.open_when_painted()
        if saved is None:
            self._say("NOT SAVED. Enter tries again.", urgent=True)
            return
        now.take(await self._lab.archive.desk(self._study_record.sha256), item)
        self._go_on()

    async def _store(self) -> bool:
        await self._lab.desk.adjudicate(self._now().payload())
        return True

    def _go_on(self) -> None:
        """The next undecided case; with none left, say so."""
        now = self._now()
        more = now.go_undecided()
        self._show()
        if not more:
            self._say("Saved, and nothing is left to decide: look at it again, or go back.")

    def action_move(self, by: int) -> None:
        """Go to another case; what was said here is kept until the screen is left."""
        self._keep()
        self._now().go(by)
        self._show()

    @on(Button.Pressed, "#previous")
    def _previous(self) -> None:
        self.action_move(-1)

    @on(Button.Pressed, "#skip")
    def _skip(self) -> None:
        self.action_move(1)

    def action_leave(self) -> None:
        """Go back, asking first where something was said and not stored."""
        if self._deciding is None:
            self.dismiss(None)
            return
        self._keep()
        if not self._now().unsaved:
            self.dismiss(None)
            return
        n = words.counted(self._now().unsaved, "decision is", "decisions are")
        asked = confirm(
            "Leave without saving?",
            f"{n} not saved yet.",
            "Leave without saving",
            "Stay, and save with Enter",
        )
        self.app.push_screen(asked, self._leave_if)

    def _leave_if(self, yes: bool | None) -> None:
        if yes:
            self.dismiss(None)

    # -- keys ----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something now has a key."""
        if self._deciding is None:
            return action in ("leave", "explain")
        table = self.query_one(MechanismTable)
        if action in ("main", "also"):
            number = parameters[0]
            option = table.numbered(number) if isinstance(number, int) else None
            if option is None or table.column != action:
                return False
            return action == "main" or option.value in table.others
        if action == "nothing_else":
            return bool(table.others)
        if action == "column":
            return bool(table.others) and table.column != parameters[0]
        if action == "close_codebook":
            return self.query_one(CodebookPane).display
        if action == "move":
            return len(self._deciding.cases) > 1
        return super().check_action(action, parameters)

    def action_main(self, number: int) -> None:
        """Choose the final label."""
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

    def action_reason(self) -> None:
        """Write the reason."""
        self.set_focus(self.query_one(NoteField))

    def action_codebook(self) -> None:
        """Open the codebook at the highlighted row, or close it."""
        pane = self.query_one(CodebookPane)
        if pane.display:
            pane.display = False
        else:
            pane.show(self.query_one(MechanismTable).highlighted)
        self.refresh_bindings()

    def action_close_codebook(self) -> None:
        """Back to the very place."""
        self.query_one(CodebookPane).display = False
        self.refresh_bindings()

    def action_scroll(self, way: str) -> None:
        """Scroll what is to be read."""
        pane = self.query_one(CodebookPane)
        target = pane if pane.display else self.query_one(MaterialPanes).request
        target.scroll_page_down(animate=False) if way == "down" else target.scroll_page_up(animate=False)

    @on(MechanismTable.Moved)
    def _moved(self) -> None:
        pane, table = self.query_one(CodebookPane), self.query_one(MechanismTable)
        if pane.display and table.options:
            pane.show(table.highlighted)
        self.refresh_bindings()
