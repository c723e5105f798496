"""Participants of the bundled specification study in a real database, brought to a place by program."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from capa_tui.services import Services
from studies import bundles
from studies.events import Event, Payload
from studies.payloads import ParticipationOpened
from studies.steps import Step
from studies.study import Study
from support.specifications import go_to

Found = TypeVar("Found", bound=Payload)
STUDY = "idea-to-spec"
SLOT = 3
"""Of the bundled study: a sheet by Buddy about the shed, then a checklist by the baseline."""
CODE = "ada"


def bundled() -> Study:
    """The bundled study."""
    return bundles.study("specification")


def seat_before(
    db: Path,
    sort: str,
    answers: Mapping[str, Any] | None = None,
    study: Study | None = None,
    slot: int = SLOT,
) -> str:
    """Load a study, fill the slots before this one, and walk one participant to a step; its id."""
    made = study or bundled()
    right = {check.id: check.answer for one in made.personas for check in one.check}

    async def sit() -> str:
        async with Services.open(db) as services:
            loaded = await services.desk.load(made)
            for number in range(1, slot):
                await services.seat_in(loaded.record, f"before-{number}")
                services.rise()
            visit = await services.seat_in(loaded.record, CODE)
            await visit.begin("test")
            step = await go_to(visit, sort, {**right, **(answers or {})})
            assert isinstance(step, Step), step
            await visit.pause()
            return step.id

    return asyncio.run(sit())


def stream(db: Path, study: str = STUDY, slot: int = SLOT) -> list[Event]:
    """Everything stored of the participant in a slot."""

    async def read() -> list[Event]:
        async with Services.open(db) as services:
            record = await services.archive.find(study)
            streams = await services.archive.streams(record.sha256)
            (found,) = [one for one in streams.values() if _slot(one[0]) == slot]
            return list(found)

    return asyncio.run(read())


def _slot(first: Event) -> int:
    assert isinstance(first.payload, ParticipationOpened)
    return first.payload.slot


def payloads(events: Sequence[Event], kind: type[Found]) -> list[Found]:
    """What events of one kind hold, in order."""
    return [one.payload for one in events if isinstance(one.payload, kind)]
