"""A small specification study, its agents' rehearsal, and a sitting with a live side."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

from studies.folder import parse
from studies.replies import Call, Part, ReplyEnd
from studies.roleplay.context import Dialogue
from studies.roleplay.payloads import Donor
from studies.runner import Visit
from studies.specification.crew import Crew
from studies.specification.protocol import projects_of
from studies.steps import Done, Field, Step
from studies.study import Study
from support.visits import Sitting, usual

SETTINGS = """
title = "Wishes"
kind = "specification"
name = "wishes"
seed = 7
consent = [{{ id = "take-part", text = "I take part." }}]
assistants = [{{ name = "scripted", model = "rehearsal" }}]
[specification]
agents = [{agents}]
{more}
"""
BUDDY = '{ name = "buddy", design = "buddy", assistant = "scripted" }'
BASELINE = '{ name = "plain", design = "baseline", assistant = "scripted" }'
PROPOSAL = (
    "I want a shared reading list for our book club. Members suggest books, vote on them, and see what we "
    "read next. It should work on phones and be pleasant for older members."
)


def question(number: int) -> dict[str, Any]:
    """A checklist question about the book club."""
    options = [f"way {number} {letter}" for letter in ["one", "two", "three", "four"]]
    return {"id": f"q{number}", "question": f"How should point {number} be handled?", "options": options}


def project(name: str, **more: Any) -> dict[str, Any]:
    """A line of projects.jsonl."""
    return {"id": name, "title": f"Project {name}", "proposal": PROPOSAL, **more}


def wishes(
    *projects: Mapping[str, Any],
    agents: Sequence[str] = (BUDDY,),
    more: str = "",
    personas: str = "",
) -> Study:
    """A study of these projects."""
    lines = "\n".join(json.dumps(one) for one in projects or (project("club"),))
    files = {
        "study.toml": SETTINGS.format(agents=", ".join(agents), more=more).encode(),
        "consent.md": b"Please read.",
        "instructions.md": b"Write what you want.",
        "debrief.md": b"Thank you.",
        "projects.jsonl": lines.encode(),
        **({"personas.toml": personas.encode()} if personas else {}),
    }
    return parse(files)


class Rehearses:
    """An assistant that says what the call's script says, and remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.failing: list[ReplyEnd | str] = []
        """What comes in place of the script, first to last: an ending, or a text."""

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The script, or what is to come in its place."""
        self.calls.append(call)
        instead = self.failing.pop(0) if self.failing else call.script[-1]
        if isinstance(instead, ReplyEnd):
            yield instead
            return
        yield Part(instead)
        yield ReplyEnd("complete", instead, total_ms=10)


class NobodyElse:
    """No other people's sessions."""

    def __init__(self, spent: float = 0.0) -> None:
        self._spent = spent

    async def donors(self, study: str) -> Sequence[Donor]:
        """None."""
        return ()

    async def spent(self, study: str) -> float:
        """As told."""
        return self._spent

    async def usual_ms(self, study: str) -> Mapping[str, float]:
        """Nothing is known."""
        return {}

    async def dialogue(self, donor: Donor) -> Dialogue | None:
        """None."""
        return None


class Crewed:
    """A participant of a specification study over a journal in memory."""

    def __init__(self, study: Study, slot: int = 1, assistant: Rehearses | None = None) -> None:
        self.sitting = Sitting(study, slot)
        self.assistant = assistant or Rehearses()

    async def sit(self) -> Visit:
        """A visit with a live side, begun."""
        visit = Visit(self.sitting.study, self.sitting.events, self.sitting.journal, self.sitting.clock)
        visit.live = Crew(visit, self.assistant, NobodyElse())
        await visit.begin("test")
        return visit


async def go_to(visit: Visit, sort: str, answers: Mapping[str, Any] | None = None) -> Step | Done:
    """Walk on, with usual answers but those given by field, to the first step of a sort or the end."""
    while True:
        step = visit.current
        if isinstance(step, Done) or (step.id.startswith(f"{sort}:") and not step.due):
            return step
        await one_step(visit, answers or {})


async def one_step(visit: Visit, answers: Mapping[str, Any]) -> None:
    """Answer one step, or wait for the work that stands before it."""
    step = visit.current
    assert isinstance(step, Step)
    if step.due:
        assert visit.live is not None
        await visit.live.advance()
        return
    assert not step.broken, step.work
    name = visit.next_ask()
    if name is None:
        await visit.leave(step)
        return
    field = step.field(name)
    await visit.answer(step.ask_id(name), _answer(step, field, answers), walk=True)


def _answer(step: Step, field: Field, answers: Mapping[str, Any]) -> Any:
    if field.name in answers:
        given = answers[field.name]
        return given(step, field) if callable(given) else given
    if field.name == "choice" and field.kind == "multi":
        return [field.options[0].value]
    if field.name == "proposal":
        return PROPOSAL
    if field.name.endswith(".want"):
        return f"Something for {field.name}.\nAnd a second thing."
    return usual(step, field)


def state_of(visit: Visit) -> Any:
    """The projects of a visit."""
    return projects_of(visit.state)
