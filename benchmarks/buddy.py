"""Buddy beside its own stages one after another: `python benchmarks/buddy.py [DELAY]`.

A scripted person goes through the bundled study's projects at a set pace of reading and typing. The agent's
calls go through the real gateway to a loopback server that answers after a fixed delay, in the right shapes.
Twice: as it is, and with every call made only once the person waits for it, one at a time. Printed are calls,
tokens as the server counted them, and the seconds the person waited, a project. Nothing is asserted.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import sys
import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from support.gateways import Home
from support.provider import Answer, Provider, Request, Say, Wait
from support.specifications import NobodyElse, one_step
from support.visits import Sitting

from studies import bundles
from studies.folder import parse
from studies.live import Listener
from studies.replies import Assistant, Call, ChatMessage, Part, ReplyEnd
from studies.runner import Visit
from studies.specification.crew import Crew
from studies.specification.payloads import AgentAnswered
from studies.steps import Done, Step
from studies.study import Study

DELAY = float(sys.argv[1]) if len(sys.argv) > 1 else 0.4
"""Seconds that the server takes for every answer."""
PACE = {"proposal": 4, "truth": 6, "filler": 2, "round": 1, "met": 4, "rate": 4, "edit": 4, "retest": 2}
"""How long the person needs for a step of a sort, in delays."""
CHARACTERS = 4
"""Characters of a token, as the server counts them."""


def told(messages: tuple[ChatMessage, ...] | list[Mapping[str, Any]]) -> str:
    """What tells one prompt from another."""
    texts = [one.content if isinstance(one, ChatMessage) else one["content"] for one in messages]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


class Server:
    """Answers each prompt with what the rehearsal would say, after the delay."""

    def __init__(self) -> None:
        self.scripts: dict[str, str] = {}
        self.calls = self.tokens = 0

    def answer(self, request: Request) -> Answer:
        """The script that was registered for this prompt."""
        messages = request.body["messages"]
        said = self.scripts[told(messages)]
        asked = sum(len(one["content"]) for one in messages)
        self.calls += 1
        self.tokens += (asked + len(said)) // CHARACTERS
        return Answer(Wait(DELAY), Say(said, whole=True))


class Through:
    """The gateway's client; what the server is to say is told beside the call, as a rehearsal would."""

    def __init__(self, inner: Assistant, server: Server) -> None:
        self._inner, self._server = inner, server

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The server's answer."""
        self._server.scripts[told(call.messages)] = call.script[-1]
        async with aclosing(self._inner.reply(replace(call, model="openai/bench"))) as reply:
            async for one in reply:
                yield one


class OneByOne(Crew):
    """Makes a call only when the person waits for it, and one at a time."""

    waiting = False

    def begin(self) -> None:
        """Only while somebody waits."""
        if self.waiting:
            super().begin()

    async def advance(self, hear: Listener = lambda heard: None) -> Step | Done:
        """Wait for all of it."""
        self.waiting = True
        try:
            return await super().advance(hear)
        finally:
            self.waiting = False


class Single:
    """One call at a time."""

    def __init__(self, inner: Assistant) -> None:
        self._inner, self._turn = inner, asyncio.Lock()

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """Once nothing else is under way."""
        async with self._turn, aclosing(self._inner.reply(call)) as reply:
            async for one in reply:
                yield one


@dataclass
class Seen:
    """What one way took, over all projects."""

    projects: int = 0
    calls: int = 0
    tokens: int = 0
    waited: float = 0.0
    answered: float = 0.0
    """Seconds of all calls together."""


async def walk(study: Study, assistant: Assistant, crew: type[Crew]) -> Seen:
    """One participant through all projects."""
    sitting, seen = Sitting(study), Seen(projects=len(study.projects))
    visit = Visit(study, sitting.events, sitting.journal, sitting.clock)
    visit.live = crew(visit, assistant, NobodyElse())
    await visit.begin("bench")
    paced = ""
    while isinstance(step := visit.current, Step):
        if step.due:
            began = time.perf_counter()
            await visit.live.advance()
            seen.waited += time.perf_counter() - began
            continue
        if step.id != paced:
            paced = step.id
            await asyncio.sleep(PACE.get(step.id.partition(":")[0], 0) * DELAY)
        await one_step(visit, RIGHT)
    for one in sitting.events:
        if isinstance(one.payload, AgentAnswered):
            seen.answered += one.payload.total_ms / 1000
    return seen


def right(step: Step, field: Any) -> Any:
    """The right answer to a question about the persona."""
    return ANSWERS[field.name]


STUDY = bundles.study("specification")
ANSWERS = {one.id: one.answer for persona in STUDY.personas for one in persona.check}
RIGHT: Mapping[str, Any] = dict.fromkeys(ANSWERS, right)


def buddy_only() -> Study:
    """The bundled study with Buddy alone, so that every project goes the same way."""
    settings = STUDY.settings
    buddy = tuple(one for one in settings.specification.agents if one.design == "buddy")
    changed = settings.model_copy(
        update={"specification": settings.specification.model_copy(update={"agents": buddy})}
    )
    return replace(parse(STUDY.files), settings=changed)


async def main() -> None:
    """Both ways."""
    from capa_tui.assistants.roster import Roster

    study = buddy_only()
    print(f"one answer takes {DELAY} s; the person's pace: {json.dumps(PACE)} answers long")
    waited: dict[str, float] = {}
    for name, crew in (("as it is", Crew), ("one after another", OneByOne)):
        with Provider() as provider:
            server = Server()
            provider.answers["bench"] = server.answer
            home = Home.make(provider)
            home.configure('structured = "json_schema"\n')
            os.environ.update(home.environment)
            roster = Roster()
            await roster.open(["openai/bench"])
            through: Assistant = Through(roster, server)
            seen = await walk(study, through if crew is Crew else Single(through), crew)
            await roster.close()
            home.remove()
        each = seen.projects
        waited[name] = seen.waited / each
        print(
            f"{name}: {server.calls / each:.1f} calls, {server.tokens / each:,.0f} tokens, "
            f"{seen.waited / each:.1f} s of waiting a project (its calls together take "
            f"{seen.answered / each:.1f} s)"
        )
    print(f"waiting, as it is / one after another: {waited['as it is'] / waited['one after another']:.2f}")


if __name__ == "__main__":
    asyncio.run(main())
