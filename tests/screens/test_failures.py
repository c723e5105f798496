"""A disk that fails: said calmly, nothing lost, nothing invented, and it goes on when it works."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from screens.participant import SAVED, STUCK
from screens.widgets.bars import KeyBar

Make = Callable[..., Any]

COMPLETE = ("1", "0", "s", "4")


def state(seat: Any) -> str:
    return str(seat.screen.query_one(KeyBar).state)


async def test_a_failure_blocks_says_what_is_kept_and_retries(chair: Make) -> None:
    seat = await chair(contact="Dr. [/x] <lab@example.org>").walk_to("main:")
    async with seat.sit():
        await seat.press("2")
        seat.journal.broken = "lab.db: the disk is full [/]. Nothing of this was stored."
        await seat.press("3")
        assert "the disk is full [/]" in seat.text
        assert "not saved yet" in seat.text
        assert "item 1 of 4" in seat.text
        assert "Dr. [/x]" in seat.text
        assert state(seat) == STUCK
        stored = seat.kinds()
        await seat.press("enter")
        assert "the disk is full" in seat.text
        assert seat.kinds() == stored
        seat.journal.broken = None
        await seat.press("enter")
        assert seat.app.screen is seat.screen
        assert state(seat) == SAVED
        assert seat.table.dominant == seat.option(3)
        await seat.press("0", "s", "4", "enter")
    assert seat.answered("dominant") == [seat.option(2), seat.option(3)]
    assert [one.dominant for one in seat.annotations()] == [seat.option(3)]


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_a_failure_on_leaving_leaves_once(chair: Make, when: str) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE)
        step = seat.step.id
        setattr(seat.journal, when, 1)
        await seat.press("enter")
        assert "not saved yet" in seat.text
        assert seat.screen.step.id == step
        assert seat.table.dominant == seat.option(1)
        await seat.press("enter")
        assert seat.screen.step.id != step
        assert seat.table.dominant is None
    assert len(seat.annotations()) == 1


async def test_several_answers_behind_a_failure_are_stored_in_order(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        seat.journal.hold()
        await seat.pilot.press("1", "2", "3", "f")
        seat.journal.broken = "the disk is full"
        seat.journal.free.set()
        await seat.settle()
        assert seat.answered("dominant") == []
        seat.journal.broken = None
        await seat.press("enter")
    assert seat.answered("dominant") == [seat.option(1), seat.option(2), seat.option(3)]
    assert seat.answered("flag") == [True]


async def test_closing_after_a_failure_keeps_what_was_stored(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2")
        seat.journal.broken = "the disk is full"
        await seat.press("3", "up", "enter")
    assert seat.done.end == "paused"
    seat.journal.broken = None
    async with seat.sit():
        assert seat.table.dominant == seat.option(2)


async def test_a_failure_at_the_very_beginning_is_retried(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    seat.journal.fail_before = 1
    async with seat.sit():
        assert "not saved yet" in seat.text
        await seat.press("enter")
        assert seat.screen.step.id == seat.step.id
    assert seat.kinds().count("visit_started") == 2


@pytest.mark.parametrize("way", ["q", "f10"])
async def test_a_failure_on_the_way_out_is_said(chair: Make, way: str) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        seat.journal.broken = "the disk is full"
        keys = ("q", "up", "enter") if way == "q" else ("f10", "up", "up", "up", "enter", "up", "enter")
        await seat.press(*keys)
        assert "the disk is full" in seat.text
        seat.journal.broken = None
        await seat.press("enter")
        await seat.press("enter")
    assert seat.done.end == ("paused" if way == "q" else "withdrawn")
    assert seat.kinds().count("visit_ended") + seat.kinds().count("participation_withdrawn") == 1


async def test_a_draft_that_cannot_be_kept_is_a_failure_too(
    chair: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        from studies.errors import JournalError

        async def fails(*_: Any) -> None:
            raise JournalError("the disk is full")

        with monkeypatch.context() as patched:
            patched.setattr(seat.journal, "save_draft", fails)
            await seat.press("n", "a")
            await seat.until(lambda: "the disk is full" in seat.text)
            await seat.settle()
        await seat.press("enter")
        await seat.until(lambda: "a" in seat.journal.kept.values())
        assert seat.app.screen is seat.screen
