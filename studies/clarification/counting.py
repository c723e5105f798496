"""What counts: which sessions and labels of which participants enter a figure, and why others do not.

Participations that came to their end count: completed, or ended by a spending limit, which is the study's
doing. Pilots, withdrawn, excluded, released and unfinished participations are out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from statistics import median

from studies.clarification.live_seat import LiveSeat
from studies.clarification.payloads import QuestionLabelled, VoteCast
from studies.clarification.seat import clarifications_of
from studies.clarification.sessions import Clarifications, Session
from studies.counting import ENDED, NotCounted, everybody, why_out
from studies.events import Event
from studies.progress import standing
from studies.protocol import Protocol
from studies.reply_payloads import ReplyEnded, ReplyStarted, VerdictGiven
from studies.rows import pseudonym
from studies.study import Study


@dataclass(frozen=True, slots=True)
class Person:
    """One participation that is no pilot."""

    participant: str
    """The person's pseudonym; empty where the participation was erased."""
    state: str
    """The contract's word for where it stands."""
    stream: str = ""
    past: Clarifications = field(default_factory=Clarifications)
    labels: tuple[QuestionLabelled, ...] = ()
    """The last revision of each, in the order of the first."""
    own_ms: tuple[int, ...] = ()
    """The person's own time on each session or label, in milliseconds."""
    breaks: tuple[str, ...] = ()
    """Which declared exclusions apply, in words."""
    models_served: Mapping[str, frozenset[str]] = field(default_factory=dict)
    isolation: frozenset[str] = frozenset()

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Sessions that have ended."""
        return tuple(one for one in self.past.all if one.ending is not None)


def people(study: Study, streams: Mapping[str, Sequence[Event]], desk: Iterable[Event]) -> tuple[Person, ...]:
    """Every participation of the study but pilots, by pseudonym.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
    """
    return everybody(study, streams, desk, _person)


def counted(
    persons: Iterable[Person], *, exclusions: bool = True
) -> tuple[tuple[Person, ...], tuple[NotCounted, ...]]:
    """The persons who count, and those who do not.

    Args:
        persons: from `people`.
        exclusions: apply the exclusions that the analysis plan declares.
    """
    kept: list[Person] = []
    out: list[NotCounted] = []
    for one in persons:
        why = why_out(one, exclusions=exclusions, states=ENDED)
        if why is None:
            kept.append(one)
        else:
            out.append(NotCounted(one.participant or None, why, one.state in ENDED))
    return tuple(kept), tuple(out)


def _person(protocol: Protocol, stream: str, events: Sequence[Event], freed: bool) -> Person | None:
    state = protocol.replay(events)
    stands = standing(protocol, state, released=freed)
    if state.opened is None:
        return Person("", stands)
    if state.opened.pilot:
        return None
    labels = latest_labels(events)
    own = tuple(one.elapsed_ms for one in labels)
    if isinstance(protocol.kind, LiveSeat):
        own = tuple(own_times(protocol.kind, events).values())
    return Person(
        participant=pseudonym(state.opened.participant),
        state=stands,
        stream=stream,
        past=clarifications_of(state),
        labels=labels,
        own_ms=own,
        breaks=tuple(_breaks(protocol.study, own)),
        models_served=models_served(events),
        isolation=frozenset(
            one.payload.isolation
            for one in events
            if isinstance(one.payload, VerdictGiven) and one.payload.isolation
        ),
    )


def latest_labels(events: Iterable[Event]) -> tuple[QuestionLabelled, ...]:
    """The last revision of each label, in the order in which the questions first came."""
    found: dict[str, QuestionLabelled] = {}
    for one in events:
        if isinstance(one.payload, QuestionLabelled):
            found[one.payload.item] = one.payload
    return tuple(found.values())


def own_times(kind: LiveSeat, events: Sequence[Event]) -> dict[str, int]:
    """Milliseconds by session id in which it was the person's turn and somebody sat there, idle or not."""
    found: dict[str, int] = {}
    past = Clarifications()
    before: Event | None = None
    for one in events:
        current = past.current
        if before is not None and current is not None:
            # Nobody sat there between a visit's end, orderly or not, and the next one's beginning.
            away = before.kind == "visit_ended" or one.kind == "visit_started"
            mine = not away and kind.due(current) in ("person", "broken")
            found[current.id] = found.get(current.id, 0) + (_gap_ms(before.at, one.at) if mine else 0)
        past = kind.fold(past, one)
        before = one
    return found


def models_served(events: Iterable[Event]) -> dict[str, frozenset[str]]:
    """By assistant, the models as providers named them."""
    found: dict[str, set[str]] = {}
    calling = ""
    for one in events:
        match one.payload:
            case ReplyStarted(assistant=assistant):
                calling = assistant
            case ReplyEnded(model_served=model) if model:
                found.setdefault(calling, set()).add(model)
            case VoteCast(judge=judge, model_served=model) if model:
                found.setdefault(judge, set()).add(model)
    return {name: frozenset(models) for name, models in found.items()}


def _gap_ms(earlier: str, later: str) -> int:
    gap = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0, round(gap.total_seconds() * 1000))


def _breaks(study: Study, own: Sequence[int]) -> Iterator[str]:
    least = study.analysis.exclusions.median_ms_below
    if least is not None and own and (typical := median(own)) < least:
        yield f"speed: median {typical:g} ms of own time, below {least}"
