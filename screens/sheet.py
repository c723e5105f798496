"""The spec sheet in the person's hands: strike, rewrite, decide; and see what each statement rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import SystemCommand
from textual.binding import Binding
from textual.containers import Container, Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.copying import CopyingScreen
from screens.dialogs import confirm
from screens.sheet_rows import Row, Verdict, rows_of, standing_of, title_of
from screens.sheet_words import CUT, NO_REVIEW, about_row, entry_of, left_in_words
from screens.widgets.bars import WhereAmI
from screens.widgets.entries import Entries, Entry, Line
from screens.widgets.note import NoteField
from screens.widgets.panes import Pane
from screens.widgets.section_text import SectionText
from screens.widgets.text import PlainText, TextButton
from studies.specification.sections import SECTIONS
from studies.specification.views import SheetView
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

BUTTONS = ("accept", "refuse", "strike", "edit", "copy")


class SheetScreen(CopyingScreen):
    """Every change is saved as it is made; the sheet is left when the person says so."""

    CSS_PATH = ["participant.tcss", "sheet.tcss"]
    AUTO_FOCUS = ""
    PLACE = "your sheet"
    HELP = (
        "The assistant's sheet, to make your own. Left: the sections. Middle: the statements of one section; "
        "what stands about the marked one tells what it rests on. Strike what you do not want, rewrite any "
        "section, and accept or refuse each change that the assistant's own review made. Everything is "
        "saved as you do it."
    )
    BINDINGS: ClassVar[list[Any]] = [
        Binding("ctrl+s,f2", "take_over", "take it over", id="sheet.take-over",
                tooltip="The section reads like this from now on"),
        Binding("escape", "leave_text", "leave as it was", id="sheet.leave-text",
                tooltip="The section stays as it was; what you typed is kept as a draft"),
        Binding("y", "accept", "accept", id="sheet.accept", tooltip="Keep this change of the review"),
        Binding("n", "refuse", "refuse", id="sheet.refuse", tooltip="Undo this change of the review"),
        Binding("x", "strike", "strike", id="sheet.strike",
                tooltip="Strike the marked statement; once more takes it back"),
        Binding("e", "edit", "rewrite", id="sheet.edit", tooltip="Write the section yourself"),
        Binding("u", "undo", "undo", id="sheet.undo",
                tooltip="Take your own text of the section back"),
        Binding("w", "copy", "save a copy", id="sheet.copy",
                tooltip="Write the sheet as it is now to files, as Markdown and JSON"),
        Binding("left", "sections", "sections", show=False, tooltip="To the sections"),
        Binding("right", "statements", "statements", show=False, tooltip="To the statements"),
        Binding("tab", "app.focus_next", "next place", id="sheet.tab"),
        Binding("enter,f8", "finish", "done", id="sheet.done", tooltip="Go on; says first what is left"),
    ]  # fmt: skip

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)
        self._section: str = SECTIONS[0]
        drafts = flow.visit.drafts
        self._unfinished: dict[str, str] = {one: drafts.get(self._answers.ask(one), "") for one in SECTIONS}
        """Texts that were typed and not taken over, by section; empty where there is none."""

    # -- what there is -------------------------------------------------------------------------

    @property
    def view(self) -> SheetView:
        """The sheet as far as answered."""
        view = self._answers.step.sheet
        assert view is not None
        return view

    @property
    def verdicts(self) -> Mapping[str, Verdict]:
        """What was said about the changes of the review so far, by id."""
        said = {one.id: self._answers.get(one.id) for one in self.view.changes}
        return {name: value for name, value in said.items() if value is not None}

    @property
    def row(self) -> Row | None:
        """The marked row."""
        key = self.query_one("#statements", Entries).key
        rows = rows_of(self.view, self._section, self.verdicts)
        return next((one for one in rows if one.key == key), None)

    @property
    def editing(self) -> bool:
        """Whether a section is being rewritten."""
        return self.has_class("-editing")

    def action_copy(self) -> None:
        """Save a copy of the sheet as it is now."""
        self.save_copy(self.view)

    def commands(self) -> Iterable[SystemCommand]:
        """What the palette offers here."""
        yield from super().commands()
        yield SystemCommand("Save a copy", "The sheet as Markdown and JSON", self.action_copy)

    # -- showing -------------------------------------------------------------------------------

    def compose_middle(self) -> Iterable[Widget]:
        """Sections, statements, what the marked one rests on; below them what can be done."""
        with Container(id="three"):
            with Pane("Sections", id="sections-pane"):
                yield Entries(self._sections(), id="sections")
            with Vertical(id="section"):
                with Pane(id="statements-pane"):
                    yield Entries(id="statements")
                yield SectionText(id="text")
            with Pane("About the marked line", id="about-pane"):
                yield PlainText(id="about")
        with Horizontal(id="ways"):
            yield _button("Accept", "accept")
            yield _button("Refuse", "refuse")
            yield _button("Strike", "strike")
            yield _button("Rewrite the section", "edit")
            yield _button("Save a copy", "copy")
            yield _button("Take it over", "take-over", primary=True)
            yield _button("Leave it as it was", "leave-text")
            yield _button("Done", "finish", primary=True)

    def on_mount(self) -> None:
        """Begin with the first section in which there is something to decide."""
        super().on_mount()
        self.query_one("#sections-pane").can_focus = False
        self.query_one("#statements-pane").can_focus = False
        self.query_one("#where", WhereAmI).title = self.view.title
        self._go_to_undecided()
        self._guide()

    def _go_to_undecided(self) -> None:
        """To the first change of the review that waits for a decision, else to the first section."""
        change = next((one for one in self.view.changes if one.id not in self.verdicts), None)
        section = change.section if change else SECTIONS[0]
        self.set_focus(self.query_one("#statements" if change else "#sections"))
        self.query_one("#sections", Entries).go(section)
        self._show_section(section, change.id if change else "")

    def _sections(self) -> list[Entry]:
        view, verdicts = self.view, self.verdicts
        return [
            Entry(
                name,
                (
                    Line(
                        title_of(name),
                        looks="title",
                        aside=standing_of(view, name, verdicts, bool(self._unfinished[name])),
                    ),
                ),
            )
            for name in SECTIONS
        ]

    def _show_section(self, name: str, key: str | None = "") -> None:
        """Show the rows of a section; `key` is marked, None leaves the mark where it is."""
        self._section = name
        self.query_one("#statements-pane").border_title = title_of(name)
        rows = rows_of(self.view, name, self.verdicts)
        self.query_one("#statements", Entries).offer([entry_of(one, self.verdicts) for one in rows], key)

    def _refresh(self) -> None:
        """Something was said: follow it."""
        self.query_one("#sections", Entries).offer(self._sections())
        self._show_section(self._section, None)
        self._guide()

    def _guide(self) -> None:
        if self.editing:
            self.say("Your words, one statement a line.")
        else:
            left = [one for one in self.view.changes if one.id not in self.verdicts]
            self.say(left_in_words(len(left)) if self.view.changes else NO_REVIEW)

    @on(Entries.Highlighted, "#sections")
    def _section_marked(self, event: Entries.Highlighted) -> None:
        if event.entries.key != self._section and not self.editing:
            self._show_section(event.entries.key)

    @on(Entries.Highlighted, "#statements")
    def _row_marked(self) -> None:
        row = self.row
        if row is not None:
            self.query_one("#about", PlainText).update(about_row(row, self.verdicts))
            self.query_one("#about-pane", Pane).renew()
        for name in BUTTONS:
            self.query_one(f"#{name}").display = self._can(name)
        self.query_one("#strike", TextButton).relabel("Take back" if row and row.struck else "Strike")
        self.refresh_bindings()

    def _can(self, action: str) -> bool:
        """Whether something can be done about the marked row."""
        row = self.row
        match action:
            case "accept" | "refuse":
                wanted = "accept" if action == "accept" else "refuse"
                change = row.change if row else None
                return not self.editing and change is not None and self.verdicts.get(change.id) != wanted
            case "strike":
                return not self.editing and row is not None and row.statement is not None
            case "undo":
                return not self.editing and self._section in self.view.written
        return not self.editing

    # -- saying --------------------------------------------------------------------------------

    def _say(self, name: str, value: Any) -> None:
        self._answers.say(name, value)
        self.flow.answer(self._answers.ask(name), value, lambda why: self.say(why, urgent=True))
        self._refresh()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only what does something to the marked row has a key."""
        if action in (
            "accept",
            "refuse",
            "strike",
            "edit",
            "undo",
            "copy",
            "finish",
            "sections",
            "statements",
        ):
            return self.is_mounted and self._can(action)
        if action in ("take_over", "leave_text"):
            return self.editing
        return super().check_action(action, parameters)

    @on(Button.Pressed)
    async def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        await self.run_action((event.button.id or "").replace("-", "_"))

    def action_accept(self) -> None:
        """Keep a change of the review."""
        self._decide("accept")

    def action_refuse(self) -> None:
        """Undo a change of the review."""
        self._decide("refuse")

    def _decide(self, verdict: Verdict) -> None:
        row = self.row
        if row is not None and row.change is not None:
            self.query_one("#statements", Entries).go(row.change.id)
            self._say(row.change.id, verdict)

    def action_strike(self) -> None:
        """Strike the marked statement, or take that back."""
        row = self.row
        if row is None or row.statement is None:
            return
        now = set(self.view.struck) ^ {row.statement.id}
        options = self._answers.step.field("struck").options
        self._say("struck", tuple(one.value for one in options if one.value in now))

    def action_undo(self) -> None:
        """Ask whether to give up one's own text of the section."""
        section = self._section
        asked = confirm(
            "Take your own text back?",
            f"{title_of(section)} reads again as it did before you wrote it. Your text is gone then.",
            "Take it back",
            "Keep my text",
        )
        self.app.push_screen(asked, lambda yes: self._forget(section) if yes else None)

    def _forget(self, section: str) -> None:
        self._unfinished[section] = ""
        self.flow.draft(self._answers.ask(section), "")
        self._say(section, None)

    def action_sections(self) -> None:
        """To the sections."""
        self.set_focus(self.query_one("#sections"))

    def action_statements(self) -> None:
        """To the statements."""
        self.set_focus(self.query_one("#statements"))

    # -- rewriting -----------------------------------------------------------------------------

    @property
    def text(self) -> SectionText:
        """Where a section is rewritten."""
        return self.query_one("#text", SectionText)

    def action_edit(self) -> None:
        """Rewrite the section: from what was typed last, else from what it says now."""
        self.text.begin(self._unfinished[self._section] or self.view.texts[self._section])
        self.add_class("-editing")
        self.query_one("#sections").disabled = True
        self.text.border_title = f"{title_of(self._section)}, in your words"
        self.set_focus(self.text)
        self._follow_editing()

    def action_leave_text(self) -> None:
        """Leave the section as it was; what was typed stays a draft."""
        if self.editing:
            self._keep_draft()
            self._close_text()

    def action_take_over(self) -> None:
        """The section reads as it was typed."""
        section, said = self._section, self.text.said
        self._unfinished[section] = ""
        self.flow.draft(self._answers.ask(section), "")
        changed = said != self.view.texts[section]
        self._close_text()
        if changed:
            self._say(section, said)

    def _close_text(self) -> None:
        self.remove_class("-editing")
        self.query_one("#sections").disabled = False
        self.set_focus(self.query_one("#statements"))
        self._follow_editing()
        self._refresh()

    def _follow_editing(self) -> None:
        self.query_one("#finish").display = not self.editing
        self.query_one("#take-over").display = self.query_one("#leave-text").display = self.editing
        self._row_marked()
        self._guide()

    def _keep_draft(self) -> None:
        """Keep what was typed, if it is anything new."""
        said, section = self.text.said, self._section
        self._unfinished[section] = said if said != self.view.texts[section] else ""
        self.flow.draft(self._answers.ask(section), self._unfinished[section])

    @on(NoteField.Typed)
    def _typed(self) -> None:
        if self.editing:
            self._keep_draft()

    @on(NoteField.Cut)
    def _cut(self) -> None:
        self.say(CUT, urgent=True)

    def keep(self) -> None:
        """What is being typed stays a draft."""
        if self.editing:
            self._keep_draft()

    # -- going on ------------------------------------------------------------------------------

    def action_finish(self) -> None:
        """Say what is left, and go on if the person means to."""
        undecided = [one for one in self.view.changes if one.id not in self.verdicts]
        needed = [one for one in undecided if self._answers.step.field(one.id).required]
        if needed:
            self._go_to_undecided()
            self.say(f"Still open: {left_in_words(len(needed))}", urgent=True)
            return
        unfinished = [title_of(name) for name, text in self._unfinished.items() if text]
        left = f"What you typed for {', '.join(unfinished)} is not taken over.\n\n" if unfinished else ""
        if undecided:
            left += "Changes of the review that you did not decide on stay as they are.\n\n"
        asked = confirm(
            "Done with the sheet?",
            f"{left}The sheet stays as it is now, and you go on to what comes next.",
            "The sheet is done",
            "Go on with it",
        )
        self.app.push_screen(asked, lambda yes: self.flow.leave(self.step) if yes else None)


def _button(label: str, name: str, *, primary: bool = False) -> TextButton:
    return TextButton(label, primary=primary, compact=True, focusable=False, id=name)
