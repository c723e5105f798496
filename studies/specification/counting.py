"""What counts: which interviews of which participants enter a figure, and why the others do not.

Interviews of completed participations. Pilots, withdrawn, excluded, released and unfinished participations
are out, and so are those that a spending limit ended: they are sensitivity runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from studies.counting import COMPLETED, NotCounted, everybody, why_out
from studies.events import Event
from studies.progress import OUT, standing
from studies.protocol import Protocol
from studies.rows import pseudonym
from studies.specification import payloads as said
from studies.specification.outcomes import Comparison, Outcome, outcome_of
from studies.specification.projects import Projects
from studies.specification.traces import traces
from studies.study import Study


@dataclass(frozen=True, slots=True)
class Person:
    """One participation that is no pilot."""

    participant: str
    """The person's pseudonym; empty where the participation was erased."""
    state: str
    """The contract's word for where it stands."""
    outcomes: tuple[Outcome, ...] = ()
    """Every interview that was begun."""
    comparisons: tuple[Comparison, ...] = ()
    """Of two sheets, by the person and by judges."""
    finished: frozenset[str] = frozenset()
    """Projects that are behind the person."""
    breaks: tuple[str, ...] = ()
    """Which declared exclusions apply, in words."""
    judges: tuple[said.SheetJudged | said.PairJudged, ...] = ()
    """What judges were asked, failures included."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What enters one set of figures."""

    people: tuple[Person, ...]
    outcomes: tuple[Outcome, ...]
    comparisons: tuple[Comparison, ...]
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
    states: frozenset[str] = COMPLETED,
    finished_projects: bool = False,
) -> Counted:
    """What enters the figures.

    Args:
        persons: from `people`.
        exclusions: apply the exclusions that the analysis plan declares.
        states: of the participations that count whole.
        finished_projects: add the finished projects of unfinished participations.
    """
    counted: list[Person] = []
    out: list[NotCounted] = []
    for one in persons:
        why = why_out(one, exclusions=exclusions, states=states)
        if why and finished_projects and one.state not in OUT and not (exclusions and one.breaks):
            kept = _finished_only(one)
            why = None if kept.outcomes else why
            one = kept
        if why:
            out.append(NotCounted(one.participant or None, why, one.state in states))
        else:
            counted.append(one)
    outcomes = sorted(
        (own for one in counted for own in one.outcomes), key=lambda own: (own.participant, own.period)
    )
    compared = tuple(own for one in counted for own in one.comparisons)
    return Counted(tuple(counted), tuple(outcomes), compared, tuple(out))


def _finished_only(one: Person) -> Person:
    return replace(
        one,
        outcomes=tuple(own for own in one.outcomes if own.item in one.finished),
        comparisons=tuple(own for own in one.comparisons if own.item in one.finished),
    )


def _person(protocol: Protocol, stream: str, events: Sequence[Event], freed: bool) -> Person | None:
    from studies.specification.protocol import projects_of

    study = protocol.study
    state = protocol.replay(events)
    stands = standing(protocol, state, released=freed)
    if state.opened is None:
        return Person("", stands)
    if state.opened.pilot:
        return None
    name = pseudonym(state.opened.participant)
    projects = projects_of(state)
    left = traces(events)
    outcomes = tuple(
        outcome_of(name, stands, project, session, projects.judged, left)
        for project in projects.all
        for session in project.sessions
    )
    return Person(
        participant=name,
        state=stands,
        outcomes=outcomes,
        comparisons=tuple(_comparisons(name, projects)),
        finished=frozenset(one.item for one in projects.all if one.closed),
        breaks=tuple(_breaks(study, outcomes)),
        judges=(*projects.judged, *projects.pairs),
    )


def _comparisons(name: str, projects: Projects) -> Iterator[Comparison]:
    agents = {one.id: one.opened.agent for one in projects.sessions}
    compared = [one.compared for one in projects.all if one.compared is not None]
    judged = {(one.judge, one.item): one for one in projects.pairs if one.preferred is not None}
    every: list[said.SheetsCompared | said.PairJudged] = [*compared, *judged.values()]
    for made in every:
        sides = {"left": made.left, "right": made.right}
        if {made.left, made.right} <= agents.keys():
            yield Comparison(
                participant=name,
                item=made.item,
                judge=made.judge if isinstance(made, said.PairJudged) else "",
                agents={one: agents[one] for one in sides.values()},
                preferred=sides.get(made.preferred or ""),
            )


def _breaks(study: Study, outcomes: Sequence[Outcome]) -> Iterator[str]:
    least = study.analysis.exclusions.median_ms_below
    own = {one.item: one.trace.own_ms for one in outcomes if one.counts}
    if least is not None and own and (typical := median(own.values())) < least:
        yield f"speed: median {typical:g} ms of own time a project, below {least}"
