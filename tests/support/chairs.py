"""A chair before a specification study: agents that rehearse, or do what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from studies import bundles
from studies.replies import Call, Part, ReplyEnd
from studies.specification.crew import Crew
from studies.study import Study
from support.specifications import BUDDY, NobodyElse, Rehearses, go_to, project, wishes

SLOT = 9
"""Of the bundled study: its first project is a sheet, and Buddy asks."""


class Waits(Rehearses):
    """Answers only while it may."""

    def __init__(self) -> None:
        super().__init__()
        self.may = asyncio.Event()

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        await self.may.wait()
        async for one in super().reply(call):
            yield one


def spec_chair(base: type[Any]) -> type[Any]:
    """The class of a chair with a live side, over the plain one."""

    class SpecChair(base):  # type: ignore[misc]
        def __init__(self, made: Study, slot: int = 1, assistant: Rehearses | None = None) -> None:
            super().__init__(made, slot)
            self.assistant = assistant or Rehearses()

        def application(self, *visit: Any) -> Any:
            app = super().application(*visit)
            self.visit.live = Crew(self.visit, self.assistant, NobodyElse())
            return app

        async def go(self, sort: str, answers: Mapping[str, Any] | None = None) -> Any:
            """Walk to the first step of a sort in an earlier visit."""
            visit = await self.sitting.visit()
            visit.live = Crew(visit, Rehearses(), NobodyElse())
            right = {check.id: check.answer for one in self.study.personas for check in one.check}
            await go_to(visit, sort, {**right, **(answers or {})})
            await visit.pause()
            return self

        async def at(self, kind: str) -> None:
            """Wait until a step of that kind is up and takes input."""
            await self.until(lambda: self.screen.step.kind == kind and self.screen.is_open)
            await self.settle()

    return SpecChair


def bundled() -> Study:
    """The bundled study."""
    return bundles.study("specification")


def small(**more: Any) -> Study:
    """One project, which Buddy makes a sheet of."""
    return wishes(project("club", **more), agents=(BUDDY,), more='task = "sheet"\nbudgets = [3]')
