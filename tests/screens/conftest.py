"""A participant's chair: the real application over a real visit, driven by keys and mouse."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import pytest
from support.chairs import SLOT, bundled, spec_chair
from support.memory import MemoryJournal
from support.pilots import spare
from support.studies import study
from support.visits import Sitting, usual, walk
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widget import Widget

from capa_tui.app import CapaApp
from screens.participant import ParticipantScreen
from screens.visit import VisitScreen
from screens.widgets.bars import KeyBar
from screens.widgets.mechanisms import MechanismTable
from studies.annotation.materials import ContextMessage
from studies.annotation.payloads import AnnotationSubmitted
from studies.errors import JournalError
from studies.events import Chain, Event
from studies.payloads import FieldAnswered, ParticipationOpened
from studies.runner import Visit
from studies.steps import Done, Step
from studies.study import Study

PATIENCE = 30.0
"""Seconds a condition may take before a test fails."""
ROUNDS = 20
"""Rounds after which what is waited for is the clock, and the processor is left to others."""


@pytest.fixture(scope="session")
def _parsed() -> dict[Any, Any]:
    """CSS as every application of this run reads it."""
    return {}


@pytest.fixture(autouse=True)
def _spared(monkeypatch: pytest.MonkeyPatch, _parsed: dict[Any, Any]) -> None:
    spare(monkeypatch, _parsed)


class HeldJournal(MemoryJournal):
    """A journal whose disk takes as long as a test wants."""

    def __init__(self) -> None:
        super().__init__()
        self.free = asyncio.Event()
        self.free.set()
        self.broken: str | None = None

    def hold(self) -> None:
        """Answer nothing until `free` is set."""
        self.free.clear()

    async def append(self, events: Sequence[Event]) -> None:
        await self.free.wait()
        if self.broken:
            raise JournalError(self.broken)
        await super().append(events)


class Chair:
    """One participant before the screens. `app`, `pilot` and `visit` are there while they sit."""

    def __init__(self, made: Study, slot: int = 1) -> None:
        self.study = made
        self.sitting = Sitting(made, slot)
        stream = self.sitting.journal.events
        self.journal = self.sitting.journal = HeldJournal()
        opened = stream[self.sitting.stream][0].payload
        assert isinstance(opened, ParticipationOpened)
        # A fixed person, so that what is derived from them looks the same in every run.
        fixed = ParticipationOpened(
            opened.study, "0" * 32, opened.slot, False, opened.order, opened.options, "test"
        )
        chain = Chain(self.sitting.stream)
        self.journal.events[self.sitting.stream] = [chain.make(fixed, self.sitting.clock.now())]
        self.app: CapaApp
        self.pilot: Pilot[Any]
        self.visit: Visit

    async def walk_to(self, prefix: str, answers: Any = usual) -> Chair:
        """Answer everything up to a step whose id begins so, in an earlier visit."""
        visit = await self.sitting.visit()
        reached = await walk(visit, lambda one: one.id.startswith(prefix), answers)
        assert isinstance(reached, Step), reached
        return self

    def application(self, visit: Visit | None = None) -> CapaApp:
        """The application with a visit of this participant."""
        made = Visit(self.study, self.sitting.events, self.journal, self.sitting.clock)
        self.visit = visit or made

        async def opening(app: CapaApp) -> Screen[Any]:
            return VisitScreen(self.visit, "station")

        self.app = CapaApp(opening)
        return self.app

    @asynccontextmanager
    async def sit(self, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Chair]:
        """Sit down before a terminal of that size."""
        made = Visit(self.study, self.sitting.events, self.journal, self.sitting.clock)
        async with self.sit_with(made, size):
            yield self

    @asynccontextmanager
    async def sit_with(self, visit: Visit, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Chair]:
        """Sit down to a visit made elsewhere."""
        async with self.application(visit).run_test(size=size) as pilot:
            self.pilot = pilot
            await self.settle()
            yield self

    # -- doing ---------------------------------------------------------------------------------

    async def press(self, *keys: str) -> None:
        """Press keys one by one, each time waiting until everything has come of it that will."""
        for key in keys:
            await self.pilot.press(key)
            await self.settle()

    async def resize(self, width: int, height: int) -> None:
        """Give the terminal another size, and wait until it has come through."""
        await self.pilot.resize_terminal(width, height)
        await self.until(lambda: self.app.screen.size == (width, height))
        await self.settle()

    async def click(self, where: str | type[Widget], offset: tuple[int, int] = (0, 0)) -> None:
        """Click a widget, and wait. A button takes no second press while it still shows the first."""
        await self.until(lambda: not self.app.screen.query(where).filter(".-active"))
        await self.pilot.click(where, offset=offset)
        await self.settle()

    async def click_hint(self, text: str) -> None:
        """Click an entry of the key bar by its words."""
        bar = self.app.screen.query_one(KeyBar)
        bar.render()
        for y, start, _, hint in bar._places:
            if hint.text == text:
                await self.click(KeyBar, (start + bar.gutter.left, y + bar.gutter.top))
                return
        raise AssertionError(f"no entry {text!r} among {[one[3].text for one in bar._places]}")

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something that has to come."""
        deadline, rounds = monotonic() + PATIENCE, 0
        while monotonic() < deadline:
            if self.app._exception is not None:
                raise self.app._exception
            if condition():
                return
            rounds += 1
            await self.pilot.pause(None if rounds < ROUNDS else 0.01)
        raise AssertionError(f"never came: {condition}; on screen:\n{self.text}")

    async def settle(self) -> None:
        """Wait until everything said is stored (or stuck) and the screen takes input again."""
        await self.pilot.pause()

        def settled() -> bool:
            flow = self.flow
            if flow is None:
                return self.app.return_value is not None or self.app._exit
            quiet = flow._saver._idle.is_set() or not self.journal.free.is_set()
            top = self.app.screen
            if isinstance(top, VisitScreen):
                return False
            return quiet and (getattr(top, "is_open", True) or flow._saver.busy)

        await self.until(settled)
        # A message may lead to another one, and that to a third.
        for _ in range(2):
            await self.pilot.pause()

    # -- looking -------------------------------------------------------------------------------

    @property
    def flow(self) -> VisitScreen | None:
        """The visit's own screen, while there is one."""
        return next((one for one in self.app.screen_stack if isinstance(one, VisitScreen)), None)

    @property
    def screen(self) -> ParticipantScreen:
        """The step's screen, under any dialog."""
        return next(one for one in reversed(self.app.screen_stack) if isinstance(one, ParticipantScreen))

    @property
    def table(self) -> MechanismTable:
        """The labels of the annotation screen."""
        return self.screen.query_one(MechanismTable)

    @property
    def says(self) -> str:
        """The line of words above the keys."""
        return str(self.screen.query_one("#says").render())

    @property
    def text(self) -> str:
        """Everything that is on the screen now, as a terminal would show it."""
        width, height = self.app.size
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])

    @property
    def step(self) -> Step:
        """What the runner asks now."""
        step = self.visit.current
        assert isinstance(step, Step), step
        return step

    @property
    def done(self) -> Done:
        """How the visit ended."""
        done = self.app.return_value
        assert isinstance(done, Done), done
        return done

    def kinds(self) -> list[str]:
        """Kinds of the stored events."""
        return self.sitting.kinds()

    def answered(self, name: str) -> list[Any]:
        """Every stored answer to a field, in order."""
        payloads = (one.payload for one in self.sitting.events)
        return [one.value for one in payloads if isinstance(one, FieldAnswered) and one.field == name]

    def annotations(self) -> list[AnnotationSubmitted]:
        """Every stored annotation, in order."""
        payloads = (one.payload for one in self.sitting.events)
        return [one for one in payloads if isinstance(one, AnnotationSubmitted)]

    def option(self, number: int) -> str:
        """The label with that number on this participant's screen."""
        opened = self.visit.state.opened
        assert opened is not None
        return opened.options[number - 1]


@pytest.fixture
def chair() -> Callable[..., Chair]:
    """Makes a chair for a small study; arguments go to `support.studies.study`.

    `context` is a dialogue of (role, text) that comes before every item; with `pass_mark` those who miss
    it in the practice are excluded.
    """

    def make(
        context: Sequence[tuple[str, str]] = (), pass_mark: float | None = None, **changes: Any
    ) -> Chair:
        made = study(**changes)
        if pass_mark is not None:
            training = made.settings.training.model_copy(update={"pass_mark": pass_mark, "exclude": True})
            made = replace(made, settings=made.settings.model_copy(update={"training": training}))
        dialogue = tuple(
            ContextMessage.model_validate({"role": role, "text": text}) for role, text in context
        )
        items = tuple(one.model_copy(update={"context": dialogue}) for one in made.items)
        return Chair(replace(made, items=items))

    return make


@pytest.fixture
def spec_seat() -> Callable[..., Any]:
    """Makes a chair before a specification study: the bundled one if no other is given."""
    cls = spec_chair(Chair)

    def make(made: Study | None = None, slot: int | None = None, **more: Any) -> Any:
        return cls(made or bundled(), slot or (1 if made else SLOT), **more)

    return make
