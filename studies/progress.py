"""How far a study is: who sits where and stands how, and how often each item or task was done."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from studies.assignment import lay_out, planned_slots
from studies.desk import SlotReleased
from studies.events import Event
from studies.payloads import ParticipationOpened
from studies.ports import Archive, ParticipationRecord, StudyRecord
from studies.protocol import Protocol
from studies.state import State
from studies.steps import Done
from studies.study import Study

STATES = (
    "free",
    "invited",
    "consented",
    "training",
    "working",
    "resting",
    "paused",
    "completed",
    "declined",
    "withdrawn",
    "excluded",
    "dropped",
    "limit",
    "blocked",
)
"""The contract's words for where a slot or a participation stands."""

OUT = frozenset({"declined", "withdrawn", "excluded", "dropped"})
"""States whose labels count for nothing and whose slot, where there are slots, is free again."""

GOING = frozenset({"invited", "consented", "training", "working", "resting", "paused"})
"""States of those who may still come to the end."""


@dataclass(frozen=True, slots=True)
class Seat:
    """One participation, an invitation that nobody has taken up, or a free slot."""

    code: str | None
    """None: a free slot, or a person whose code this file does not know."""
    slot: int | None
    state: str
    """One of `STATES`."""
    assigned: tuple[str, ...]
    """Items or tasks in their order, without repeats and checks."""
    done: int
    """How many of them are finished."""
    participant: str | None = None
    stream: str | None = None
    pilot: bool = False
    now: str = ""
    """Where in the study the person is, in words; empty where the state says it."""
    worked_ms: int = 0
    """Time at work (see `worked_ms`)."""
    last_at: str = ""
    """When the last event was stored; empty before the first."""
    flags: tuple[str, ...] = ()
    """What a researcher should know: failed attention checks, flagged items, sessions that failed."""

    def to_json(self) -> dict[str, Any]:
        """The contract's five keys."""
        return {
            "code": self.code,
            "slot": self.slot,
            "state": self.state,
            "assigned": list(self.assigned),
            "done": self.done,
        }


@dataclass(frozen=True, slots=True)
class ItemProgress:
    """One item or task: how many seats have it, and how many finished it."""

    id: str
    assigned: int
    completed: int
    planned: int | None = None
    """How many the design asks for; None where it asks for no number."""


@dataclass(frozen=True, slots=True)
class StudyProgress:
    """Where a study stands. Pilots are kept apart and enter no count."""

    study: str
    """Name of the study."""
    participants: tuple[Seat, ...]
    """Every seat in slot order; a person who gave up a slot comes before whoever has it now."""
    pilots: tuple[Seat, ...]
    items: tuple[ItemProgress, ...]
    planned_n: int | None
    """Completed participations that the analysis plan asks for; None where nothing is planned."""
    slots: int | None = None
    """Slots of the design; None where they are made as people come."""

    @property
    def completed(self) -> int:
        """Completed participations."""
        return sum(1 for one in self.participants if one.state == "completed")

    @property
    def reached(self) -> bool:
        """Whether figures may be shown: planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    @property
    def states(self) -> Mapping[str, int]:
        """Number of seats by state, in the order of `STATES`, empty ones left out."""
        count = Counter(one.state for one in self.participants)
        return {state: count[state] for state in STATES if count[state]}

    @property
    def people(self) -> int:
        """Seats that somebody holds."""
        return sum(1 for one in self.participants if one.state != "free" and one.state not in OUT)

    @property
    def labels(self) -> int:
        """Annotations made, or sessions ended, by those who are still in."""
        return sum(one.completed for one in self.items)

    @property
    def labels_planned(self) -> int:
        """Annotations or sessions that the seats amount to."""
        return sum(one.assigned for one in self.items)

    @property
    def coverage(self) -> Mapping[int, int]:
        """Number of items or tasks by how often they were done, most often first."""
        count = Counter(one.completed for one in self.items)
        return {times: count[times] for times in sorted(count, reverse=True)}

    @property
    def over(self) -> int:
        """Items done more often than the design asks for."""
        return sum(1 for one in self.items if one.planned is not None and one.completed > one.planned)

    def to_json(self) -> dict[str, Any]:
        """The contract's `status STUDY`, and the pilots beside it."""
        return {
            "study": self.study,
            "participants": [one.to_json() for one in self.participants],
            "pilots": [one.to_json() for one in self.pilots],
            "items": [
                {"id": one.id, "assigned": one.assigned, "completed": one.completed} for one in self.items
            ],
        }


def planned_n(study: Study) -> int | None:
    """Completed participations that are planned: as the analysis plan says, else the number of slots."""
    return study.analysis.planned_n or planned_slots(study)


def planned_raters(study: Study) -> Mapping[str, int] | None:
    """How many participants the design gives each item; None where everybody who comes gets all items."""
    slots = planned_slots(study)
    if slots is None:
        return None
    protocol = Protocol(study)
    return Counter(item for slot in range(1, slots + 1) for item in _laid_out(protocol, slot))


def released(desk: Iterable[Event], study: str) -> frozenset[str]:
    """Whose slots were released: stream ids, and participant ids of those who never came."""
    freed = (one.payload for one in desk if isinstance(one.payload, SlotReleased))
    return frozenset(one.participation or one.participant for one in freed if one.study == study)


def standing(protocol: Protocol, state: State, *, released: bool = False) -> str:
    """The contract's word for where a participation stands, what the desk did included."""
    if state.opened is None:
        return "withdrawn"
    if released and state.end not in OUT:
        return "dropped"
    return protocol.standing(state)


async def progress_of(archive: Archive, study: StudyRecord) -> StudyProgress:
    """Where a loaded study stands; the computing is done in a thread."""
    whole = await archive.study(study.sha256)
    records = await archive.participations(study.sha256)
    streams = await archive.streams(study.sha256)
    return await asyncio.to_thread(progress, whole, records, streams, await archive.desk(study.sha256))


def progress(
    study: Study,
    records: Iterable[ParticipationRecord],
    streams: Mapping[str, Sequence[Event]],
    desk: Iterable[Event],
) -> StudyProgress:
    """Where a study stands.

    Args:
        study: the version.
        records: its participations and open invitations.
        streams: events of its participations, by stream id.
        desk: desk events; those of other studies are passed over.
    """
    protocol = Protocol(study)
    freed = released(desk, study.sha256)
    slots = planned_slots(study)
    assigned: Counter[str] = Counter()
    completed: Counter[str] = Counter()
    held: set[int | None] = set()
    seats, pilots = [], []
    for record in records:
        gone = (record.stream or record.participant) in freed
        seat, finished = _seat(protocol, record, streams.get(record.stream or "", ()), gone)
        if seat.pilot:
            pilots.append(seat)
            continue
        seats.append(seat)
        if seat.state not in OUT:
            completed.update(finished)
            held.add(seat.slot)
            assigned.update(seat.assigned)
    for slot in range(1, (slots or 0) + 1):
        if slot not in held:
            seats.append(Seat(None, slot, "free", _laid_out(protocol, slot), 0))
            assigned.update(seats[-1].assigned)
    seats.sort(key=lambda one: (one.slot is None, one.slot or 0, one.state not in OUT, one.code or ""))
    raters = planned_raters(study)
    items = tuple(
        ItemProgress(one, assigned[one], completed[one], raters[one] if raters else None) for one in study.ids
    )
    return StudyProgress(study.settings.name, tuple(seats), tuple(pilots), items, planned_n(study), slots)


def _seat(
    protocol: Protocol, record: ParticipationRecord, events: Sequence[Event], released: bool
) -> tuple[Seat, tuple[str, ...]]:
    """The seat, and the assigned items or tasks that are finished."""
    study = protocol.study
    if not events:
        assigned = _laid_out(protocol, record.slot) if record.slot and planned_slots(study) else ()
        word = "dropped" if released else "invited"
        seat = Seat(record.code, record.slot, word, assigned, 0, record.participant, pilot=record.pilot)
        return seat, ()
    state = protocol.replay(events)
    stands = standing(protocol, state, released=released)
    finished = protocol.kind.finished(state)
    seat = Seat(
        code=record.code,
        slot=record.slot,
        state=stands,
        assigned=protocol.kind.assigned(state),
        done=len(finished),
        participant=record.participant,
        stream=record.stream,
        pilot=record.pilot,
        now=place(protocol, state) if stands in GOING else "",
        worked_ms=worked_ms(events, study.analysis.idle_seconds * 1000),
        last_at=state.last_at,
        flags=protocol.kind.flags(state),
    )
    return seat, finished


def _laid_out(protocol: Protocol, slot: int) -> tuple[str, ...]:
    """What a slot is given, before anybody has taken it."""
    order = lay_out(protocol.study, slot).order
    return protocol.kind.assigned(
        State(opened=ParticipationOpened(protocol.study.sha256, "", slot, order=order))
    )


WORDS = {
    **dict.fromkeys(("main", "repeat", "check"), "item"),
    **dict.fromkeys(("brief", "session", "after", "shorten", "gap"), "task"),
    "training": "practice",
    "label": "question",
    **dict.fromkeys(("own", "compare", "settle"), "check"),
}
"""What a step of each sort is counted as."""


def place(protocol: Protocol, state: State) -> str:
    """Where in the study an unfinished participation is, in words such as `item 13 of 20`."""
    current = protocol.current(state)
    if isinstance(current, Done):
        return ""
    sort, _, rest = current.id.partition(":")
    projects = protocol.study.settings.kind == "specification"
    if sort == "rest":
        return f"after {'project' if projects else 'block'} {rest}"
    # A project has steps of many sorts, some of which other kinds have as well.
    word = "project" if projects and current.about else WORDS.get(sort)
    if word is None:
        return current.progress.part.lower()
    return f"{word} {current.progress.position} of {current.progress.total}"


def worked_ms(events: Sequence[Event], idle_ms: int) -> int:
    """Time at work in milliseconds: the gaps between one event and the next that are no longer than
    `idle_ms`, so that nights between visits and long absences do not count, up to the end: what a judge
    adds to a participation afterwards is nobody's work."""
    ended = next((at for at, one in enumerate(events) if one.kind == "participation_completed"), len(events))
    times = [datetime.fromisoformat(one.at) for one in events[: ended + 1]]
    gaps = ((after - before).total_seconds() * 1000 for before, after in pairwise(times))
    return round(sum(gap for gap in gaps if 0 < gap <= idle_ms))
