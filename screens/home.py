"""The researcher's home: the studies in the database, how far they are, and everything done from there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Vertical
from textual.widgets import Button

from screens import words
from screens.dialogs import confirm
from screens.lab import REFRESH_SECONDS, Lab, StudyScreen
from screens.new_study import new_study
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.table import Cell, PlainTable, Row
from screens.widgets.text import PlainText, TextButton, shortened
from studies.errors import CapaError
from studies.ports import StudyRecord
from studies.progress import StudyProgress, progress_of

COLUMNS = ("study", "title", "people", "work", "done")
TITLE_WIDTH = 24


class StudyTable(PlainTable):
    """The studies; Enter opens one."""

    BINDINGS = [Binding("enter", "select_cursor", "board", tooltip="Who is where in the marked study")]


class HomeScreen(StudyScreen[None]):
    """Shows the studies at once; how far each is follows, those in sight first."""

    CSS_PATH = ["lab.tcss", "home.tcss"]
    HELP = (
        "The studies in this database, the newest version first. Enter opens a study's board, where its "
        "people are; letters do the rest. Figures of agreement stay hidden until planned N is reached."
    )
    BINDINGS = [
        Binding("l", "load", "load folder", id="home.load", tooltip="Load a study folder into the database"),
        Binding("n", "new", "new study", id="home.new", tooltip="Write a new, editable study folder"),
        Binding("d", "demo", "demo", id="home.demo", tooltip="The bundled study, as a participant"),
        Binding(
            "r", "refresh", "refresh", id="home.refresh", show=False, tooltip="Look at the database again"
        ),
        Binding("q", "quit", "quit", id="home.quit", tooltip="Close capa-tui"),
    ]

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.lab = lab
        self._records: dict[str, StudyRecord] = {}
        self._progress: dict[str, StudyProgress | str] = {}
        self._stale: set[str] = set()
        self._wanted = asyncio.Event()
        self._rest = 0.0

    def compose(self) -> ComposeResult:
        """Studies, what is known of the marked one, keys."""
        yield WhereAmI(f"capa-tui   {self.lab.database}", "reading ...")
        with Container(classes="lab-middle"):
            yield StudyTable(COLUMNS, id="studies")
            yield PlainText(id="detail")
        with Container(id="empty"), Vertical():
            yield PlainText(
                "There is no study in this database yet.\n\nTry the demo to see what a participant sees, "
                "load a study folder you have, or write a new one and edit it: "
                "`capa-tui new DIR --kind annotation` does the same from the shell."
            )
            yield TextButton("Try the demo", primary=True, id="empty-demo")
            yield TextButton("Write a new study folder", id="empty-new")
            yield TextButton("Load a study folder", id="empty-load")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Read the studies, then their progress."""
        super().on_mount()
        table = self.query_one("#studies", PlainTable)
        table.border_title = "Studies"
        self.set_focus(table)
        self.watch(table, "scroll_y", lambda: self._wanted.set(), init=False)
        self.begin(self._follow, group="following")
        self.set_interval(REFRESH_SECONDS, self._tick)

    # -- what is shown -------------------------------------------------------------------------

    @property
    def chosen(self) -> StudyRecord | None:
        """The study under the cursor."""
        if not self.is_mounted:
            return None
        return self._records.get(self.query_one("#studies", PlainTable).selected_key or "")

    def renew(self) -> None:
        """Look at the database again."""
        self.begin(self._look, group="looking")

    def on_screen_resume(self) -> None:
        """Something may have happened meanwhile."""
        self.renew()

    async def _look(self, mark: str | None = None) -> None:
        """Show the studies there are; their progress follows."""
        records = await self.attempt("The studies could not be read", self.lab.archive.studies())
        if records is None:
            return
        newest_first = list(reversed(records))
        self._records = {one.sha256: one for one in newest_first}
        self._stale = set(self._records)
        table = self.query_one("#studies", PlainTable)
        await table.fill({one.sha256: self._row(one) for one in newest_first})
        if mark in self._records:
            table.move_cursor(row=table.get_row_index(mark))
        self.set_class(not newest_first, "-empty")
        self.query_one(WhereAmI).place = words.counted(len(newest_first), "study", "studies")
        if not newest_first and self.focused is table:
            self.set_focus(self.query_one("#empty-demo"))
        elif newest_first and isinstance(self.focused, TextButton | None):
            self.set_focus(table)
        self._detail()
        self.refresh_bindings()
        self._wanted.set()

    async def _follow(self) -> None:
        """Work out the progress of what can be seen, the marked study first."""
        while True:
            await self._wanted.wait()
            self._wanted.clear()
            while (record := self._next()) is not None:
                self._stale.discard(record.sha256)
                began = time.monotonic()
                try:
                    self._progress[record.sha256] = await progress_of(self.lab.archive, record)
                except CapaError as error:
                    self._progress[record.sha256] = str(error)
                self._rest = time.monotonic() + 20 * (time.monotonic() - began)
                self.query_one("#studies", PlainTable).change(record.sha256, self._row(record))
                if record == self.chosen:
                    self._detail()

    def _next(self) -> StudyRecord | None:
        table = self.query_one("#studies", PlainTable)
        top = max(0, round(table.scroll_y))
        keys = list(self._records)[top : top + table.size.height]
        wanted = [table.selected_key or "", *keys]
        return next(
            (self._records[one] for one in wanted if one in self._stale and one in self._records), None
        )

    def _tick(self) -> None:
        # A study that takes long to work out is looked at less often.
        if self.is_current and self.chosen and time.monotonic() > self._rest:
            self._stale.add(self.chosen.sha256)
            self._wanted.set()

    def _row(self, record: StudyRecord) -> Row:
        progress = self._progress.get(record.sha256)
        first = (shortened(record.reference, 20), Cell(shortened(record.title, TITLE_WIDTH)))
        if not isinstance(progress, StudyProgress):
            return (*first, Cell("...", quiet=True), Cell("..." if progress is None else "unreadable"), "")
        planned = "" if progress.planned_n is None else f" of {progress.planned_n}"
        return (
            *first,
            Cell(words.people(progress).removesuffix(" people").removesuffix(" person"), right=True),
            Cell(f"{progress.labels:,} of {progress.labels_planned:,}", right=True),
            Cell(f"{progress.completed}{planned}", right=True),
        )

    def _detail(self) -> None:
        self.query_one("#detail", PlainText).update(self._detail_text())

    def _detail_text(self) -> str:
        record = self.chosen
        if record is None:
            return ""
        kind, progress = record.study_kind, self._progress.get(record.sha256)
        lines = [
            record.title,
            f"version {record.version} · frozen {record.sha256[:6]} · "
            f"{words.counted(record.items, words.GIVEN_AS[kind])} · loaded {record.loaded_at[:10]}",
        ]
        if isinstance(progress, str):
            lines.append(f"This version cannot be read: {progress}")
        elif progress is not None:
            lines += [words.states(progress), words.coverage(progress, kind), words.hidden(progress, kind)]
        return "\n".join(lines)

    @on(PlainTable.RowHighlighted)
    def _highlighted(self) -> None:
        self._detail()
        self.refresh_bindings()
        self._wanted.set()

    # -- doing ---------------------------------------------------------------------------------

    @on(PlainTable.RowSelected)
    def _selected(self) -> None:
        from screens.board import BoardScreen

        if self.chosen is not None:
            self.app.push_screen(BoardScreen(self.lab, self.chosen))

    @on(Button.Pressed)
    def _pressed(self, event: Button.Pressed) -> None:
        event.stop()
        doing = {"empty-demo": self.action_demo, "empty-new": self.action_new, "empty-load": self.action_load}
        doing[event.button.id or ""]()

    def action_load(self) -> None:
        """Choose a study folder."""
        self.begin(self._load, Path.cwd())

    def action_new(self) -> None:
        """Write a new study folder."""
        self.begin(self._new)

    def action_demo(self) -> None:
        """The bundled study, as a participant."""
        self.begin(self._demo)

    def action_refresh(self) -> None:
        """Look again."""
        self.renew()

    def action_quit(self) -> None:
        """Close the program."""
        self.app.exit()

    async def _load(self, start: Path, *, at_once: bool = False) -> None:
        from screens.load import LoadScreen

        loaded = await self.app.push_screen_wait(LoadScreen(self.lab.desk, start, at_once=at_once))
        if loaded is not None:
            await self._look(loaded.sha256)

    async def _new(self) -> None:
        created = await new_study(self)
        if created is None:
            return
        notes: Sequence[Any] = [*created.notes, f"{created.items} items in {created.directory}"]
        asked = confirm(
            "The study folder is written",
            "\n\n".join(map(str, notes)),
            "Check and load it now",
            "Edit it first",
        )
        if await self.app.push_screen_wait(asked):
            await self._load(created.directory, at_once=True)

    async def _demo(self) -> None:
        await self.attempt("The demo did not start", self._try_out())

    async def _try_out(self) -> None:
        from screens.visit import VisitScreen

        async with self.lab.demo() as visit:
            await self.app.push_screen_wait(VisitScreen(visit, self.lab.station))
