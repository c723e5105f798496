"""What counts: which held-out sessions of which participants enter a figure, and why the others do not.

Started held-out sessions of participations that came to their end: completed, or ended by a spending limit,
which is the study's doing and not the participant's. Pilots, withdrawn, excluded, released and unfinished
participations are out. A person with too little history has no held-out session and is counted as such.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median

from studies.counting import ENDED, NotCounted, everybody, why_out
from studies.events import Event
from studies.payloads import Planned
from studies.progress import OUT, standing
from studies.protocol import Protocol
from studies.roleplay.payloads import Disposition
from studies.roleplay.protocol import sessions_of
from studies.roleplay.sessions import Session, Sessions
from studies.roleplay.traces import Trace, traces
from studies.rows import pseudonym
from studies.state import State
from studies.study import Study

UNSOLVED: frozenset[Disposition] = frozenset({"limit", "gave_up", "timed_out"})
LEFT_OUT: frozenset[Disposition] = frozenset({"technical", "spend_cap"})
"""Dispositions that are counted by condition and enter no figure."""
DISPOSITIONS: tuple[Disposition, ...] = (
    *("solved", "limit", "gave_up", "timed_out"),
    *("technical", "spend_cap"),
)
"""Every one that a counted participation can have; sessions of the withdrawn are gone."""
SENSITIVITY_SECONDS = (60, 300)
"""Idle thresholds beside the plan's."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One started held-out session, with what it brings to the figures."""

    participant: str
    """Pseudonym."""
    session: str
    item: str
    profile: str
    mechanisms: tuple[str, str]
    difficulty: str | None
    condition: str
    assistant: str
    block: int
    started_at: str
    disposition: Disposition
    solved_at: int | None
    """Assistant turn of the first accepted submission, where the session was solved."""
    turns: int
    """Assistant turns used up."""
    replies: int
    """Whole replies: questions and submissions."""
    questions: int
    submitted_at: int | None = None
    """Assistant turn of the last submission."""
    accepted_at: int | None = None
    """Assistant turn of the first accepted submission, however the session ended."""
    declared: bool = False
    """The participant declared it done."""
    trace: Trace = field(default_factory=Trace)

    @property
    def solved(self) -> bool:
        """Whether it was solved within the limit."""
        return self.disposition == "solved"


@dataclass(frozen=True, slots=True)
class Person:
    """One participation that is no pilot."""

    participant: str
    """The person's pseudonym; empty where the participation was erased."""
    state: str
    """The contract's word for where it stands."""
    outcomes: tuple[Outcome, ...]
    """Held-out sessions that have ended."""
    finished_blocks: frozenset[int]
    """Blocks whose held-out sessions have all ended."""
    short_of_history: bool
    """Too few history sessions were resolved, so that held-out tasks did not come up."""
    breaks: tuple[str, ...]
    """Which declared exclusions apply, in words."""
    models_served: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """By assistant, the models as providers named them, in history sessions too."""
    isolation: frozenset[str] = frozenset()
    """How code was run, in history sessions too."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What enters one set of figures."""

    people: tuple[Person, ...]
    outcomes: tuple[Outcome, ...]
    not_counted: tuple[NotCounted, ...]


def people(study: Study, streams: Mapping[str, Sequence[Event]], desk: Iterable[Event]) -> tuple[Person, ...]:
    """Every participation of the study but pilots, by pseudonym.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
    """
    return everybody(study, streams, desk, _person)


def count(
    persons: Sequence[Person],
    *,
    exclusions: bool = True,
    states: frozenset[str] = ENDED,
    finished_blocks: bool = False,
) -> Counted:
    """What enters the figures.

    Args:
        persons: from `people`.
        exclusions: apply the exclusions that the analysis plan declares.
        states: of the participations that count whole.
        finished_blocks: add the finished blocks of unfinished participations.
    """
    counted: list[Person] = []
    outcomes: list[Outcome] = []
    out: list[NotCounted] = []
    for one in persons:
        why = why_out(one, exclusions=exclusions, states=states)
        if why and finished_blocks and one.state not in {*OUT, *states} and not (exclusions and one.breaks):
            kept = [own for own in one.outcomes if own.block in one.finished_blocks]
            if kept:
                counted.append(one)
                outcomes += kept
                continue
        if why:
            out.append(NotCounted(one.participant or None, why, one.state in states))
            continue
        counted.append(one)
        outcomes += one.outcomes
    outcomes.sort(key=lambda own: (own.participant, own.started_at, own.session))
    return Counted(tuple(counted), tuple(outcomes), tuple(out))


def idle_thresholds(study: Study) -> tuple[int, ...]:
    """The plan's idle threshold and those beside it, in milliseconds."""
    return tuple(sorted({one * 1000 for one in (study.analysis.idle_seconds, *SENSITIVITY_SECONDS)}))


def _person(protocol: Protocol, stream: str, events: Sequence[Event], freed: bool) -> Person | None:
    study = protocol.study
    state = protocol.replay(events)
    stands = standing(protocol, state, released=freed)
    if state.opened is None:
        return Person("", stands, (), frozenset(), False, ())
    if state.opened.pilot:
        return None
    name = pseudonym(state.opened.participant)
    planned = {one.item: one for one in state.opened.order if one.role == "held_out"}
    left = traces(events, idle_thresholds(study))
    played = sessions_of(state)
    outcomes = tuple(_outcomes(study, name, stands, played, planned, left))
    return Person(
        participant=name,
        state=stands,
        outcomes=outcomes,
        finished_blocks=_finished(planned.values(), outcomes),
        short_of_history=_short(state, played, planned.values()),
        breaks=tuple(_breaks(study, outcomes)),
        models_served=_served(played, left),
        isolation=frozenset().union(*(one.isolation for one in left.values())),
    )


def _served(played: Sessions, left: Mapping[str, Trace]) -> dict[str, frozenset[str]]:
    served: dict[str, frozenset[str]] = {}
    for one in played.all:
        models = left[one.id].models_served if one.id in left else ()
        served[one.assistant] = served.get(one.assistant, frozenset()).union(models)
    return served


def _outcomes(
    study: Study,
    name: str,
    state: str,
    played: Sessions,
    planned: Mapping[str, Planned],
    left: Mapping[str, Trace],
) -> Iterator[Outcome]:
    for one in played.all:
        disposition = one.disposition
        if disposition is None and state == "blocked":
            # The resume policy refused to go on with it: its age ran out.
            disposition = "timed_out"
        if one.part != "held_out" or disposition is None:
            continue
        task = study.task(one.item)
        verdicts = [turn.verdict for turn in one.turns if turn.verdict is not None]
        accepted = one.accepted.turn if one.accepted else None
        submitted = [verdict.turn for verdict in verdicts if verdict.submission]
        yield Outcome(
            participant=name,
            session=one.id,
            item=one.item,
            profile=task.profile,
            mechanisms=task.mechanisms,
            difficulty=task.difficulty,
            condition=one.condition,
            assistant=one.assistant,
            block=planned[one.item].block if one.item in planned else 0,
            started_at=one.started_at,
            disposition=disposition,
            solved_at=_solved_at(one, accepted),
            turns=one.used,
            replies=len(verdicts),
            questions=len(verdicts) - len(submitted),
            submitted_at=submitted[-1] if submitted else None,
            accepted_at=accepted,
            declared=one.declared,
            trace=left.get(one.id, Trace()),
        )


def _solved_at(session: Session, accepted: int | None) -> int | None:
    if session.disposition != "solved":
        return None
    return accepted if accepted is not None else session.used


def _finished(planned: Iterable[Planned], outcomes: Iterable[Outcome]) -> frozenset[int]:
    ended = {one.item for one in outcomes}
    order = tuple(planned)
    return frozenset(one.block for one in order) - {one.block for one in order if one.item not in ended}


def _short(state: State, played: Sessions, planned: Iterable[Planned]) -> bool:
    return state.end == "completed" and any(played.of(one.item) is None for one in planned)


def _breaks(study: Study, outcomes: Sequence[Outcome]) -> Iterator[str]:
    least = study.analysis.exclusions.median_ms_below
    if least is None or not outcomes:
        return
    if (typical := median(one.trace.participant_ms for one in outcomes)) < least:
        yield f"speed: median {typical:g} ms of own time a session, below {least}"
