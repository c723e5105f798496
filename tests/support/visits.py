"""A visit over a journal in memory, and ways to walk through it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from studies.assignment import lay_out
from studies.events import Chain, Event, new_id
from studies.payloads import ParticipationOpened
from studies.runner import Visit
from studies.steps import Done, Field, Step
from studies.study import Study
from support.memory import MemoryJournal, TestClock

Answers = Mapping[str, Any] | Callable[[Step, Field], Any]


class Sitting:
    """One participant's stream over a journal in memory; `visit()` sits down (again)."""

    def __init__(self, study: Study, slot: int = 1, pilot: bool = False) -> None:
        self.study = study
        self.journal = MemoryJournal()
        self.clock = TestClock()
        layout = lay_out(study, slot)
        opened = ParticipationOpened(
            study.sha256, new_id(), slot, pilot, tuple(layout.order), tuple(layout.options), "test"
        )
        chain = Chain(new_id())
        self.stream = chain.stream
        self.journal.events[self.stream] = [chain.make(opened, self.clock.now())]

    @property
    def events(self) -> list[Event]:
        """The stream as it is stored."""
        return self.journal.events[self.stream]

    def kinds(self) -> list[str]:
        """The kinds of the stored events, in order."""
        return [one.kind for one in self.events]

    async def visit(self) -> Visit:
        """A new visit on what is stored, begun."""
        visit = Visit(self.study, self.events, self.journal, self.clock)
        await visit.begin("test")
        return visit


def usual(step: Step, field: Field) -> Any:
    """An answer to any field: yes, the first option, none, 3, nothing."""
    if field.kind == "info":
        return None
    if field.kind == "consent":
        return True
    if field.kind == "multi":
        return []
    if field.kind == "text":
        return "because" if field.required else None
    if field.kind == "scale":
        return field.options[len(field.options) // 2].value
    return field.options[0].value


async def walk(
    visit: Visit, until: Callable[[Step], bool] | None = None, answers: Answers = usual
) -> Step | Done:
    """Answer field by field until a step fulfils `until`, or to the end."""
    while True:
        step = visit.current
        if isinstance(step, Done) or (until is not None and until(step)):
            return step
        name = visit.next_ask()
        if name is None:
            await visit.leave(step)
            continue
        field = step.field(name)
        if callable(answers):
            value = answers(step, field)
        else:
            value = answers[name] if name in answers else usual(step, field)
        await visit.answer(step.ask_id(name), value, walk=True)


def at(prefix: str) -> Callable[[Step], bool]:
    """Whether a step's id begins with `prefix`."""
    return lambda step: step.id.startswith(prefix)
