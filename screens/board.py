"""The researcher's board of one study: who is where, and what is missing."""

from __future__ import annotations

import math
import time

from textual.app import ComposeResult
from textual.binding import Binding

from screens import words
from screens.dialogs import confirm
from screens.lab import REFRESH_SECONDS, Lab, StudyScreen
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.table import Cell, PlainTable, Row
from screens.widgets.text import PlainText
from studies.ports import StudyRecord
from studies.progress import GOING, Seat, StudyProgress, progress_of

COLUMNS = ("slot", "code", "state", "now", "done", "time", "last seen", "flags")
PILOT = "pilot"


class BoardScreen(StudyScreen[None]):
    """Looks at the database again and again; the cursor stays on its person."""

    CSS_PATH = ["lab.tcss", "board.tcss"]
    HELP = (
        "Everybody who takes part, by slot; free slots too. Time is time at work, without absences. A person "
        "who gave up can be released, so that a replacement gets the slot and its items."
    )
    BINDINGS = [
        Binding("f", "release", "free the slot", id="board.release",
                tooltip="Release the marked person's slot for a replacement"),
        Binding("s", "stages", "stages", id="board.stages",
                tooltip="What the agents were shown and answered, in the marked person's projects"),
        Binding("r", "refresh", "refresh", id="board.refresh", show=False,
                tooltip="Look at the database again"),
        Binding("escape,q", "dismiss", "back", key_display="esc", tooltip="Back to the studies"),
    ]  # fmt: skip

    def __init__(self, lab: Lab, record: StudyRecord) -> None:
        super().__init__()
        self.lab = lab
        self._record = record
        self._seats: dict[str, Seat] = {}
        self._rest = 0.0

    def compose(self) -> ComposeResult:
        """People, then items."""
        one = self._record
        yield WhereAmI(f"{one.title} · v{one.version} · frozen {one.sha256[:6]}", "reading ...")
        yield PlainTable(COLUMNS, id="people")
        yield PlainText(id="items", classes="lab-line")
        yield PlainText(id="hidden", classes="lab-line")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Read once painted, then again and again."""
        super().on_mount()
        self.query_one("#people").border_title = "People"
        self.set_focus(self.query_one("#people"))
        self.set_interval(REFRESH_SECONDS, self._tick)

    def on_screen_resume(self) -> None:
        """Something may have happened meanwhile."""
        self.renew()

    @property
    def chosen(self) -> StudyRecord:
        """The study of the board."""
        return self._record

    @property
    def chosen_code(self) -> str:
        """The marked person's code, if they may still go on."""
        seat = self._seat
        return seat.code or "" if seat is not None and seat.state in GOING else ""

    @property
    def _seat(self) -> Seat | None:
        table = self.query_one("#people", PlainTable)
        return self._seats.get(table.selected_key or "")

    def renew(self) -> None:
        """Look at the database again."""
        self.begin(self._look, group="looking")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """A slot can be freed where somebody who has not finished holds it."""
        if action == "release":
            seat = self._seat if self.is_mounted else None
            return seat is not None and seat.code is not None and seat.state in {*GOING, "blocked", "limit"}
        if action == "stages":
            seat = self._seat if self.is_mounted else None
            return self._record.study_kind == "specification" and seat is not None and bool(seat.stream)
        return super().check_action(action, parameters)

    def on_data_table_row_highlighted(self) -> None:
        """Other things can be done with another person."""
        self.refresh_bindings()

    def on_data_table_row_selected(self) -> None:
        """Enter, or a click on the marked person."""
        if self.check_action("stages", ()):
            self.action_stages()

    def action_stages(self) -> None:
        """Open what the agents did in the marked person's projects."""
        from screens.stages import StagesScreen

        seat = self._seat
        if seat is not None and seat.stream:
            self.app.push_screen(StagesScreen(self.lab, self._record, seat.stream, seat.code or "(no code)"))

    def action_refresh(self) -> None:
        """Look again."""
        self.renew()

    def action_release(self) -> None:
        """Ask whether to release the marked person's slot."""
        seat = self._seat
        if seat is not None and seat.code is not None:
            self.begin(self._release, seat.code, seat)

    async def _release(self, code: str, seat: Seat) -> None:
        where = "The place" if seat.slot is None else f"Slot {seat.slot}"
        done = words.counted(seat.done, words.DONE_AS[self._record.study_kind])
        asked = confirm(
            f"Free the slot of {code}?",
            f"{where} and what belongs to it goes to a replacement. The {done} of {code} stay in the record "
            f"and count in no figure, and {code} cannot go on. This cannot be undone.",
            f"Free the slot of {code}",
            "Leave it as it is",
        )
        if await self.app.push_screen_wait(asked):
            await self.attempt("The slot was not freed", self.lab.desk.release(self._record, code))
            await self._look()

    async def _look(self) -> None:
        began = time.monotonic()
        # Until this look is done, no later one may take its place.
        self._rest = math.inf
        progress = await self.attempt(
            "The study could not be read", progress_of(self.lab.archive, self._record)
        )
        self._rest = time.monotonic() + 20 * (time.monotonic() - began)
        if progress is None:
            # Once is enough to say so; `refresh` tries again.
            self._rest = math.inf
            return
        seats = (*progress.participants, *progress.pilots)
        self._seats = {_key(one): one for one in seats}
        now = self.lab.clock.now()
        await self.query_one("#people", PlainTable).fill(
            {key: _row(one, now) for key, one in self._seats.items()}
        )
        self._say(progress)
        self.refresh_bindings()

    def _say(self, progress: StudyProgress) -> None:
        kind = self._record.study_kind
        self.query_one(WhereAmI).place = f"{words.people(progress)} · {words.labels(progress, kind)}"
        self.query_one("#items", PlainText).update(words.coverage(progress, kind))
        self.query_one("#hidden", PlainText).update(
            f"{words.states(progress)}   {words.hidden(progress, kind)}"
        )

    def _tick(self) -> None:
        # A study that takes long to work out is looked at less often.
        if self.is_current and time.monotonic() > self._rest:
            self.renew()


def _key(seat: Seat) -> str:
    return f"slot {seat.slot}" if seat.state == "free" else f"{seat.participant} {seat.stream}"


def _row(seat: Seat, now: str) -> Row:
    quiet = seat.state == "free"
    return (
        Cell("" if seat.slot is None else str(seat.slot), right=True, quiet=quiet),
        Cell(seat.code or ("" if quiet else "(no code)")),
        Cell(seat.state, quiet=quiet),
        seat.now,
        Cell("" if quiet else str(seat.done), right=True),
        Cell(words.clock_time(seat.worked_ms), right=True),
        words.ago(seat.last_at, now),
        " · ".join((PILOT, *seat.flags) if seat.pilot else seat.flags),
    )
