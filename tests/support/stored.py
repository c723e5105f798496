"""Studies as files, and streams to store: what tests of a real database begin with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from studies.events import Chain, Event, Payload, new_id
from studies.folder import parse
from studies.payloads import FieldAnswered, ParticipationOpened, StepShown
from studies.study import Study

AT = "2026-03-02T09:00:00.000Z"


def study_files(
    items: int = 4, name: str = "small", codes: Sequence[str] = (), participants: int | None = None
) -> dict[str, bytes]:
    """A study folder's files; with `participants` it has so many slots, otherwise slots are made."""
    design = "everything" if participants is None else "crossed"
    settings = {
        "": {"title": "A small study", "kind": "annotation", "name": name, "seed": 7},
        "[[consent]]": {"id": "take-part", "text": "I take part."},
        "[participants]": {"codes": list(codes)},
        "[design]": {"kind": design} | ({"participants": participants} if participants else {}),
    }
    lines = []
    for header, values in settings.items():
        lines += [header, *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
    requests = ({"id": f"i{n}", "request": f"Request {n}."} for n in range(1, items + 1))
    return {
        "study.toml": "\n".join(lines).encode(),
        "analysis.toml": b"",
        "items.jsonl": "".join(json.dumps(one) + "\n" for one in requests).encode(),
        "consent.md": b"Please read this.",
        "instructions.md": b"Page one.",
        "debrief.md": b"What was hidden.",
    }


def stored_study(**given: Any) -> Study:
    """The study that `study_files` with the same arguments describes."""
    return parse(study_files(**given))


class Stream:
    """A stream of events to append, made in order."""

    def __init__(self, study: str = "0" * 64, participant: str | None = None) -> None:
        self.chain = Chain(new_id())
        self.id = self.chain.stream
        self.participant = participant or new_id()
        self.events: list[Event] = []
        self.add(ParticipationOpened(study, self.participant, 1))

    def add(self, *payloads: Payload) -> list[Event]:
        """The next events, one a payload."""
        made = [self.chain.make(one, AT) for one in payloads]
        self.events += made
        return made

    def answer(self, value: Any, step: str = "main:1:i1") -> list[Event]:
        """A step shown and one of its fields answered."""
        item = step.rpartition(":")[2]
        return self.add(StepShown(step, 1, item), FieldAnswered(step, 1, "note", value, item))
