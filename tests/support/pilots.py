"""Pilot without waste: widgets at rest are not asked whether they are done, and no CSS is parsed twice."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.css.stylesheet import Stylesheet
from textual.message_pump import MessagePump
from textual.pilot import Pilot

TURNS = 20
"""Turns of the event loop in which whatever follows from a key has begun."""
LONGEST = 30.0
"""Seconds after which widgets that do not come to rest count as stuck."""


async def turns(*ignored: object) -> None:
    """Let everything that is due go on."""
    for _ in range(TURNS):
        await asyncio.sleep(0)


def rests(one: MessagePump) -> bool:
    """Whether a widget has nothing to do: no message waits, and none is being handled."""
    queue: Any = one._message_queue
    return queue.empty() and any(not each.done() for each in queue.ready_event._waiters)


async def until_at_rest(pilot: Pilot[Any]) -> bool:
    """Wait until all widgets have handled what waits for them now; False: the application failed."""
    app = pilot.app
    if not app.screen_stack:
        return False
    done = asyncio.Event()
    busy: set[MessagePump] = set()

    def handled(one: MessagePump) -> Callable[[], None]:
        def called() -> None:
            busy.discard(one)
            if not busy:
                done.set()

        return called

    for one in (app, *app.screen.walk_children(with_self=True)):
        if not rests(one) and one.call_later(handled(one)):
            busy.add(one)
    if busy:
        ways = [asyncio.create_task(done.wait()), asyncio.create_task(app._exception_event.wait())]
        _, pending = await asyncio.wait(ways, timeout=LONGEST, return_when=asyncio.FIRST_COMPLETED)
        for each in pending:
            each.cancel()
        assert len(pending) < len(ways), f"still at work: {busy}"
    return not busy


def spare(monkeypatch: pytest.MonkeyPatch, parsed: dict[Any, Any]) -> None:
    """Drive applications without waste; `parsed` keeps what their CSS means."""
    parse = Stylesheet._parse_rules

    def once(sheet: Stylesheet, *what: Any, **more: Any) -> Any:
        key = (what, frozenset(more.items()), frozenset(sheet._variables.items()))
        if key not in parsed:
            parsed[key] = parse(sheet, *what, **more)
        return parsed[key]

    monkeypatch.setattr(Stylesheet, "_parse_rules", once)
    monkeypatch.setattr(Pilot, "_wait_for_screen", until_at_rest)
    # Theirs wait 20 ms or more for the processor to rest.
    monkeypatch.setattr("textual.app.wait_for_idle", turns)
    monkeypatch.setattr("textual.pilot.wait_for_idle", turns)
