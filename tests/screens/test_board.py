"""The board: who is where, kept up to date without jumping, and slots that are freed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import stations
from support.researcher import (
    app_on,
    asked,
    desk_file,
    desk_files,
    latest,
    newest,
    on,
    opened,
    seen,
    until,
    words_on,
)
from textual.pilot import Pilot

from screens.board import BoardScreen
from screens.dialogs import Dialog
from screens.form_dialog import FormDialog
from screens.lab import Lab
from screens.widgets.table import PlainTable
from studies.assignment import slot_order
from studies.folder import parse
from studies.ports import StudyRecord
from studies.steps import Step

__all__ = ["desk_file"]


async def board_of(pilot: Pilot[Any]) -> BoardScreen:
    """The board, with everybody on it."""
    board = await on(pilot, BoardScreen)
    await until(pilot, lambda: board._seats)
    await pilot.pause()
    return board


def rows_of(board: BoardScreen) -> list[str]:
    table = board.query_one(PlainTable)
    return [" ".join(str(cell) for cell in table.get_row_at(n)).strip() for n in range(table.row_count)]


def at(lab: Lab, record: StudyRecord) -> Callable[[], BoardScreen]:
    return lambda: BoardScreen(lab, record)


async def mark(pilot: Pilot[Any], board: BoardScreen, code: str) -> None:
    """Put the cursor on a person."""
    await pilot.press("home")
    for _ in board._seats:
        await pilot.pause()
        if board._seat is not None and board._seat.code == code:
            return
        await pilot.press("down")
    raise AssertionError(code)


async def test_everybody_is_on_it_in_slot_order(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(at(lab, await latest(lab)))
        async with app.run_test() as pilot:
            board = await board_of(pilot)
            table = board.query_one(PlainTable)
            slots = [str(table.get_row_at(n)[0]) for n in range(table.row_count)]
            assert slots == ["1", "2", "3", "4", "5", "6", ""]
            by_code = {one.code: one for one in board._seats.values()}
            assert by_code["P9"].state == "paused"
            assert by_code["P9"].now == "after block 1"
            assert by_code["trial"].pilot
            shown = words_on(app)
            assert "5 of 6 people · 18 of 24 labels" in shown
            assert "items: 6 twice · 6 once · 0 over" in shown
            assert "kappa hidden until 6 completed (4 now)" in shown
            assert "fleiss" not in shown.lower()


async def test_a_refresh_keeps_the_cursor_on_its_person_when_rows_come_between(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: BoardScreen(lab, record))
        async with app.run_test() as pilot:
            board = await board_of(pilot)
            await mark(pilot, board, "P9")
            await lab.desk.release(record, "P9")
            await lab.desk.admit(record, "Q1", pilot=False)
            await lab.desk.admit(record, "Q2", pilot=False)
            await pilot.press("r")
            await until(pilot, lambda: any(one.code == "Q2" for one in board._seats.values()))
            await until(pilot, lambda: board.query_one(PlainTable).row_count == len(board._seats))
            await pilot.pause()
            assert board._seat is not None
            assert (board._seat.code, board._seat.state) == ("P9", "dropped")


async def test_a_slot_is_freed_only_after_asking(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: BoardScreen(lab, record))
        async with app.run_test() as pilot:
            board = await board_of(pilot)
            await mark(pilot, board, "P0")
            await pilot.press("f")
            await pilot.pause()
            assert app.screen is board, "who has finished keeps the slot"
            await mark(pilot, board, "P9")
            await pilot.press("f")
            await asked(pilot, "The 2 labels of P9 stay in the record")
            await pilot.press("enter")
            await on(pilot, BoardScreen)
            assert {one.code: one for one in board._seats.values()}["P9"].state == "paused"
            await pilot.press("f")
            await on(pilot, Dialog)
            await pilot.press("up", "enter")
            await on(pilot, BoardScreen)
            await until(
                pilot, lambda: {one.code: one for one in board._seats.values()}["P9"].state == "dropped"
            )
            free = [one for one in board._seats.values() if one.state == "free"]
            assert len(free) == 2


async def test_a_marked_person_who_may_go_on_is_offered_in_the_form(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(at(lab, await latest(lab)))
        async with app.run_test() as pilot:
            board = await board_of(pilot)
            await mark(pilot, board, "P9")
            await pilot.press("p")
            form = await on(pilot, FormDialog)
            assert form.values["code"] == "P9"
            await pilot.press("escape")
            await on(pilot, BoardScreen)
            await mark(pilot, board, "P0")
            await pilot.press("p")
            form = await on(pilot, FormDialog)
            assert form.values["code"] == ""


async def test_text_from_people_is_shown_as_it_is(tmp_path: Path) -> None:
    async def make() -> None:
        files = desk_files()
        files["study.toml"] = files["study.toml"].replace(
            b'title = "Requests & <their> gaps"', b'title = "[red]A[/red] \\u001b[2J[/b] title"'
        )
        async with stations.Lab(tmp_path / "lab.db", files=files) as station:
            await station.sit("a_b.c-1")

    await make()
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(at(lab, await latest(lab)))
        async with app.run_test() as pilot:
            await board_of(pilot)
            assert "[red]A[/red] \\x1b[2J[/b] title" in seen(app)
            assert "\x1b" not in seen(app)


async def test_five_hundred_people_are_shown(tmp_path: Path) -> None:
    codes = [f"C{n:03}" for n in range(500)]
    design = '\n[design]\nkind = "crossed"\nparticipants = 500\n'

    async def make() -> None:
        async with stations.Lab(tmp_path / "lab.db", files=desk_files(2, design, "")) as station:
            for code in codes[:3]:
                visit = await station.sit(code)
                assert isinstance(visit.current, Step)
            await station.store.desk.issue_codes(station.record, 400)

    await make()
    with opened(tmp_path / "lab.db") as lab:
        study = parse(desk_files(2, design, ""))
        app = app_on(at(lab, await latest(lab)))
        async with app.run_test() as pilot:
            board = await on(pilot, BoardScreen)
            table = board.query_one(PlainTable)
            await until(pilot, lambda: table.row_count == 500)
            await pilot.press("end")
            await until(pilot, lambda: table.cursor_row == 499)
            assert slot_order(study)[0] in {one.slot for one in board._seats.values() if one.code == "C000"}


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_what_it_looks_like(desk_file: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    with opened(desk_file) as lab:

        async def before(pilot: Pilot[Any]) -> None:
            await board_of(pilot)
            await until(pilot, lambda: "18 of 24" in words_on(pilot.app))  # type: ignore[arg-type]
            await pilot.pause()

        assert snap_compare(app_on(at(lab, newest(lab))), run_before=before, terminal_size=size)
