"""The stages of a participation, for the researcher: opened from the board."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from support import stations
from support.chairs import small
from support.researcher import app_on, desk_file, latest, newest, on, opened, until, words_on
from support.specifications import NobodyElse, Rehearses, go_to, one_step
from textual.pilot import Pilot

from screens.board import BoardScreen
from screens.lab import Lab
from screens.stages import StagesScreen, in_short
from screens.widgets.table import PlainTable
from studies.ports import StudyRecord
from studies.specification.crew import Crew
from studies.steps import Step

__all__ = ["desk_file"]


async def make(path: Path, *, to: str = "met", instead: tuple[str, ...] = ()) -> None:
    """A station with one person, whose first call is answered by `instead`."""
    async with stations.Lab(path, files=dict(small().files)) as station:
        visit, said = await station.sit("P1"), {"proposal": "I want [b]a list[/b]."}
        assistant = Rehearses()
        assistant.failing = list(instead)
        visit.live = Crew(visit, assistant, NobodyElse())
        while instead and not (isinstance(step := visit.current, Step) and step.broken):
            await one_step(visit, said)
        if instead:
            await visit.live.retry(step)
        await go_to(visit, to, said)
        await visit.pause()


@contextmanager
def lab_of(path: Path, **more: Any) -> Iterator[tuple[Lab, StudyRecord]]:
    """A lab over such a station."""
    asyncio.run(make(path, **more))
    with opened(path) as lab:
        yield lab, newest(lab)


async def board_of(pilot: Pilot[Any]) -> BoardScreen:
    board = await on(pilot, BoardScreen)
    await until(pilot, lambda: board._seats)
    await pilot.pause()
    return board


async def stages_of(pilot: Pilot[Any]) -> StagesScreen:
    screen = await on(pilot, StagesScreen)
    await until(pilot, lambda: screen._calls and screen.query_one("#calls", PlainTable).row_count)
    await pilot.pause()
    return screen


async def test_the_board_opens_them_and_each_call_shows_what_was_sent_and_said(tmp_path: Path) -> None:
    await make(tmp_path / "lab.db", instead=("so [b]it[/b] is", "no JSON either"))
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: BoardScreen(lab, record))
        async with app.run_test() as pilot:
            await board_of(pilot)
            assert "stages" in words_on(app)
            await pilot.press("enter")
            screen = await stages_of(pilot)
            first = screen._calls[0]
            assert first.answer is not None
            assert first.answer.standing == "invalid"
            shown = str(screen.query_one("#what").render())
            assert "Standing: invalid" in shown
            assert "Trouble:" in shown
            assert "so [b]it[/b] is" in shown
            await pilot.press("m")
            assert "── system" in str(screen.query_one("#what").render())
            assert "I want [b]a list[/b]." in str(screen.query_one("#what").render())
            await pilot.press("down", "m")
            await pilot.pause()
            assert '"' in str(screen.query_one("#what").render())
            assert "The validated answer" in str(screen.query_one("#what").render())
            assert all(one.whole for one in screen._calls)
            assert "calls ·" in in_short(screen._calls)
            await pilot.press("pagedown", "r", "escape")
            await on(pilot, BoardScreen)


async def test_words_that_were_erased_are_gone_here_too(tmp_path: Path) -> None:
    await make(tmp_path / "lab.db", to="round")
    async with stations.Lab(tmp_path / "lab.db", files=dict(small().files)) as station:
        seat = (await station.store.archive.participations(station.record.sha256))[0]
        await station.store.desk.erase(station.record, "P1", "asked to")
        stream = seat.stream
    assert stream
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: StagesScreen(lab, record, stream, "P1"))
        async with app.run_test() as pilot:
            screen = await on(pilot, StagesScreen)
            await until(pilot, lambda: "reading" not in words_on(app))
            assert not screen._calls
            assert "No agent has been called yet" in words_on(app)
            await pilot.press("m", "down", "pagedown")


async def test_other_kinds_have_none(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: BoardScreen(lab, record))
        async with app.run_test() as pilot:
            await board_of(pilot)
            assert "stages" not in words_on(app)
            await pilot.press("enter")
            await on(pilot, BoardScreen)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_it_looks_like(tmp_path: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    with lab_of(tmp_path / "lab.db") as (lab, record):

        async def before(pilot: Pilot[Any]) -> None:
            await board_of(pilot)
            await pilot.press("s")
            await stages_of(pilot)
            await pilot.press("down")

        app = app_on(lambda: BoardScreen(lab, record))
        assert snap_compare(app, run_before=before, terminal_size=size)
