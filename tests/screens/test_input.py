"""Keys and clicks: painted at once, stored in order, and never meant for a screen not yet seen."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from textual import events
from textual.keys import _character_to_key

from screens.participant import SAVED, SAVING
from screens.widgets.bars import KeyBar
from studies.payloads import Activity

Make = Callable[..., Any]

COMPLETE = ("1", "0", "s", "4")


def state(seat: Any) -> str:
    return str(seat.screen.query_one(KeyBar).state)


def key(name: str, at: float) -> events.Key:
    """A key that was pressed at a time of its own."""
    event = events.Key(_character_to_key(name), name if len(name) == 1 else None)
    event.time = at
    return event


async def test_a_key_paints_at_once_and_says_when_it_is_saved(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        assert state(seat) == SAVED
        seat.journal.hold()
        await seat.pilot.press("3")
        assert "3 (•)" in seat.text
        assert SAVING in seat.text
        await seat.pilot.press("5", "a", "2")
        assert "5 (•)" in seat.text
        assert seat.answered("dominant") == []
        seat.journal.free.set()
        await seat.settle()
        assert state(seat) == SAVED
        assert seat.answered("dominant") == [seat.option(3), seat.option(5)]
        assert seat.answered("additional") == [(seat.option(2),)]


async def test_a_double_enter_is_one(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE)
        seat.journal.hold()
        await seat.pilot.press("enter", "enter", "enter")
        seat.journal.free.set()
        await seat.settle()
        assert len(seat.annotations()) == 1
        assert seat.table.dominant is None
        assert "Still open" not in seat.says


async def test_a_double_enter_does_not_turn_two_pages(chair: Make) -> None:
    seat = await chair(instructions="One.\n\n---\nTwo.\n\n---\nThree.").walk_to("instructions:1")
    async with seat.sit():
        seat.journal.hold()
        await seat.pilot.press("enter", "enter")
        seat.journal.free.set()
        await seat.settle()
        assert seat.step.id == "instructions:2"


async def test_keys_while_a_step_is_being_left_are_dropped(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE)
        seat.journal.hold()
        await seat.pilot.press("enter", "5", "p", "q", "f10")
        assert seat.app.screen is seat.screen
        seat.journal.free.set()
        await seat.settle()
        assert seat.answered("dominant") == [seat.option(1)]
        assert seat.table.dominant is None
        assert seat.app.screen is seat.screen


async def test_a_key_pressed_before_the_step_was_painted_is_not_for_it(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        early = time.monotonic()
        await seat.press(*COMPLETE, "enter")
        seat.app.post_message(key("5", early))
        seat.app.post_message(events.Paste("5"))
        await seat.settle()
        assert seat.table.dominant is None
        seat.app.post_message(key("5", time.monotonic()))
        await seat.settle()
        assert seat.table.dominant == seat.option(5)


async def test_a_click_that_began_before_the_step_was_painted_is_not_for_it(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE)
        x, y = seat.screen.query_one("#next").region.center
        seat.journal.hold()
        await seat.pilot.press("enter")
        mouse = {"x": int(x), "y": int(y), "delta_x": 0, "delta_y": 0, "button": 1, "shift": False,
                 "meta": False, "ctrl": False}  # fmt: skip
        seat.app.post_message(events.MouseDown(None, **mouse))
        await seat.pilot.pause()
        seat.journal.free.set()
        await seat.settle()
        seat.app.post_message(events.MouseUp(None, **mouse))
        await seat.settle()
        assert "Still open" not in seat.says
        seat.app.post_message(events.MouseDown(None, **mouse))
        seat.app.post_message(events.MouseUp(None, **mouse))
        await seat.settle()
        assert "Still open" in seat.says


async def test_signs_of_life_are_kept(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        seat.app.post_message(events.AppBlur())
        seat.app.post_message(events.AppFocus())
        await seat.press("question_mark", *COMPLETE)
        mouse = {"x": 5, "y": 5, "delta_x": 0, "delta_y": 1, "button": 0, "shift": False, "meta": False,
                 "ctrl": False}  # fmt: skip
        seat.app.post_message(events.MouseScrollDown(None, **mouse))
        seat.app.post_message(events.MouseDown(None, **mouse))
        await seat.settle()
        await seat.press("enter")
    kept = [one.payload for one in seat.sitting.events if isinstance(one.payload, Activity)]
    sorts = {sort for one in kept for _, sort in one.samples}
    assert sorts == {"blur", "focus", "key", "codebook", "scroll", "mouse", "pane"}


async def test_a_step_is_shown_once_and_after_it_was_painted(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        shown = seat.kinds().count("step_shown")
        await seat.press("f10", "escape", "f1", "f1", "1")
        await seat.resize(100, 30)
        assert seat.kinds().count("step_shown") == shown
        await seat.press("0", "s", "4", "enter")
        assert seat.kinds().count("step_shown") == shown + 1
        assert seat.kinds()[-1] == "step_shown"
