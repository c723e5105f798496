"""Export a study: a format, a folder, what to leave as it is; then which files were written."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.widgets import Button, Input

from screens import words
from screens.form_dialog import Folders, expanded
from screens.lab import ExportFormat, Lab, LabScreen
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.marks import Choices
from screens.widgets.table import Cell, PlainTable
from screens.widgets.text import PlainText, TextButton
from studies.ports import Exporting, StudyRecord
from studies.steps import Option

IDENTIFY, RAW, BOM = "identify", "raw", "bom"
OPTIONS = (
    Option(IDENTIFY, "participant codes instead of pseudonyms: whoever reads it knows who is who"),
    Option(RAW, "CSV: leave cells as they are, unsafe to open in a spreadsheet"),
    Option(BOM, "CSV: begin with a byte-order mark"),
)


class ExportScreen(LabScreen[None]):
    """Writes one export after another, each into a folder of its own."""

    CSS_PATH = ["lab.tcss", "export.tcss"]
    HELP = (
        "Participants are pseudonyms unless you ask for codes. Whoever withdrew is in no export. JSON Lines "
        "is the canonical format: `capa-tui import` reads it back."
    )
    BINDINGS = [
        Binding("escape", "leave", "back", tooltip="Back"),
        Binding("f2", "export", "export", id="export.do", tooltip="Write the export"),
    ]

    def __init__(self, lab: Lab, record: StudyRecord) -> None:
        super().__init__()
        self._lab = lab
        self._record = record
        self._suggested = ""

    def _formats(self) -> list[ExportFormat]:
        """The formats that can hold a study of this kind."""
        kind = self._record.study_kind
        return [one for one in self._lab.formats if not one.kinds or kind in one.kinds]

    def compose(self) -> ComposeResult:
        """Format, folder, options; later the files."""
        yield WhereAmI("Export", self._record.reference)
        with VerticalScroll(id="export-form", can_focus=False):
            with Horizontal(classes="export-row"):
                yield PlainText("Format", classes="export-label")
                formats = [Option(one.name, _described(one)) for one in self._formats()]
                yield Choices(formats, formats[0].value, id="format")
            with Horizontal(classes="export-row"):
                yield PlainText("Folder", classes="export-label")
                yield Input(suggester=Folders(), compact=True, select_on_focus=False, id="folder")
            yield Choices(OPTIONS, several=True, id="options")
            yield TextButton("Export", primary=True, id="do")
        yield PlainTable(("file", "rows"), id="written")
        yield PlainText(id="says")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Suggest a folder."""
        super().on_mount()
        self._suggest()
        self.set_focus(self.query_one("#format"))

    @on(Choices.Marked, "#format")
    def _suggest(self) -> None:
        """A folder for the format, unless another one was typed."""
        folder = self.query_one("#folder", Input)
        if folder.value == self._suggested:
            name = f"{self._record.name}-{self._record.version}-{self.query_one('#format', Choices).value}"
            self._suggested = folder.value = str(Path.cwd() / name)

    @on(Input.Submitted)
    @on(Button.Pressed)
    def _pressed(self, event: Input.Submitted | Button.Pressed) -> None:
        event.stop()
        self.action_export()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What was written is there to read; going back leads to the form."""
        return not self.has_class("-written") if action == "export" else True

    def action_leave(self) -> None:
        """Go back to the form, then to where one came from."""
        if self.has_class("-written"):
            self.remove_class("-written")
            self.refresh_bindings()
            self.query_one("#says", PlainText).update("")
            self.set_focus(self.query_one("#format"))
        else:
            self.dismiss(None)

    def action_export(self) -> None:
        """Write the export."""
        self.begin(self._export)

    async def _export(self) -> None:
        says = self.query_one("#says", PlainText)
        folder = self.query_one("#folder", Input).value.strip()
        if not folder:
            says.update("Which folder should it be written to?")
            return
        marked: tuple[Any, ...] = self.query_one("#options", Choices).value or ()
        how = Exporting(
            format=str(self.query_one("#format", Choices).value),
            out=expanded(folder),
            raw=RAW in marked,
            identify=IDENTIFY in marked,
            bom=BOM in marked,
        )
        says.update("Writing ...")
        counts = await self.attempt("Nothing was exported", self._lab.desk.export(self._record, how))
        says.update("")
        if counts is not None:
            await self._show(how.out, counts)

    async def _show(self, out: Path, counts: Mapping[str, int]) -> None:
        self.add_class("-written")
        table = self.query_one("#written", PlainTable)
        await table.fill({name: (name, Cell(f"{rows:,}", right=True)) for name, rows in counts.items()})
        self.set_focus(table)
        self.refresh_bindings()
        files = words.counted(len(counts), "file")
        self.query_one("#says", PlainText).update(f"{files} written to {out}")


def _described(one: ExportFormat) -> str:
    return f"{one.name}: {one.description}" if one.description else one.name
