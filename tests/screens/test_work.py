"""Waiting: it says what is done, gives way by itself, and what failed can be tried again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.chairs import Waits, small
from support.specifications import Rehearses

from screens import replying
from screens import work as words
from screens.done import DoneScreen
from screens.interview import InterviewScreen
from screens.work import WorkScreen
from studies.replies import ReplyEnd
from studies.work import Job

Make = Callable[..., Any]
DOWN = ReplyEnd("failed", "", error="The assistant could not be reached.", error_kind="unreachable")


async def waiting(spec_seat: Make) -> Any:
    """A chair whose first question is not there yet: no agent was at work while everything else was said."""
    return await spec_seat(small(), assistant=Waits()).walk_to("round:")


async def test_waiting_says_what_is_done_and_gives_way_by_itself(spec_seat: Make) -> None:
    at = await waiting(spec_seat)
    async with at.sit():
        assert isinstance(at.screen, WorkScreen)
        await at.until(lambda: "under way" in at.text)
        assert "waiting ·" in at.says
        assert "try again" not in at.text
        at.assistant.may.set()
        await at.at("interview")
        assert isinstance(at.screen, InterviewScreen)


async def test_one_can_pause_while_it_goes_on(spec_seat: Make) -> None:
    at = await waiting(spec_seat)
    async with at.sit():
        await at.until(lambda: "under way" in at.text)
        await at.press("q")
        assert "breaks off here" in at.text
        await at.press("up", "enter")
        await at.until(lambda: isinstance(at.screen, DoneScreen))
    at.assistant = Rehearses()
    async with at.sit():
        await at.at("interview")


@pytest.mark.parametrize("how", ["key", "mouse"])
async def test_what_failed_is_tried_again(spec_seat: Make, how: str) -> None:
    at = await waiting(spec_seat)
    at.assistant = Rehearses()
    at.assistant.failing = [DOWN]
    async with at.sit():
        await at.until(lambda: "Something did not work" in at.text)
        await at.settle()
        assert "could not be reached" in at.text
        assert "did not work" in at.text
        assert "Everything you wrote is saved" in at.text
        await (at.press("r") if how == "key" else at.click("#retry"))
        await at.at("interview")


def test_jobs_in_words() -> None:
    jobs = (
        Job("reading [b]", "done", 3.0),
        Job("drafting", "running", 12.4),
        Job("voting", "running", 200.0),
        Job("asking", "waiting"),
    )
    told = words.jobs_in_words(jobs).plain
    assert "[x] reading [b]\n      done" in told
    assert "under way, usually about 12 s" in told
    assert "[ ] asking\n      to come" in told
    assert words.usually(jobs) == " · usually about 3 min for what is under way"
    assert words.usually(jobs[:1]) == ""


@pytest.mark.parametrize("broken", [False, True])
def test_what_it_looks_like(
    spec_seat: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, broken: bool
) -> None:
    monkeypatch.setattr(replying, "monotonic", lambda: 0.0)
    at = asyncio.run(waiting(spec_seat))
    if broken:
        at.assistant = Rehearses()
        at.assistant.failing = [DOWN]

    async def before(pilot: Any) -> None:
        at.pilot = pilot
        await at.settle()
        await at.until(lambda: ("Something did not work" if broken else "under way") in at.text)

    assert snap_compare(at.application(), run_before=before, terminal_size=(80, 24))
