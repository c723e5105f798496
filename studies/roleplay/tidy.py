"""Turns a role-play study's streams into its tidy tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studies.after import after_answers, without_after
from studies.counting import ENDED
from studies.events import Event, by_time
from studies.participations import names_of, participations, withheld_from
from studies.protocol import Protocol
from studies.publication import Release, Withholding
from studies.roleplay import payloads as said
from studies.roleplay import rows
from studies.roleplay.counting import LEFT_OUT
from studies.roleplay.protocol import sessions_of
from studies.roleplay.shown import Resolver, Shown
from studies.roleplay.traces import Trace, traces
from studies.roleplay.turns import turn_rows, verdict_rows
from studies.rows import (
    PARTICIPANTS,
    QUESTIONNAIRE,
    VISITS,
    ParticipantRow,
    QuestionnaireRow,
    VisitRow,
    opening,
    pseudonym,
    questionnaire_rows,
    visit_rows,
)
from studies.state import State
from studies.tables import Filled

if TYPE_CHECKING:
    from studies.roleplay.materials import ShippedSession, Task
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Tidy:
    """The tables of a role-play study."""

    sessions: tuple[rows.SessionRow, ...]
    turns: tuple[rows.TurnRow, ...]
    verdicts: tuple[rows.VerdictRow, ...]
    gates: tuple[rows.GateRow, ...]
    donors: tuple[rows.DonorRow, ...]
    after: tuple[rows.AfterRow, ...]
    questionnaire: tuple[QuestionnaireRow, ...]
    visits: tuple[VisitRow, ...]
    participants: tuple[ParticipantRow, ...]
    materials: tuple[rows.TaskRow, ...]
    hidden_tests: tuple[rows.HiddenTestRow, ...]
    profiles: tuple[rows.ProfileRow, ...]
    shipped: tuple[rows.ShippedRow, ...]
    withheld: Mapping[Withholding, int]
    """Participations whose answers are not in the tables, by reason."""

    def tables(self) -> tuple[Filled, ...]:
        """All tables in the order an export lists them."""
        return (
            Filled(rows.SESSIONS, self.sessions),
            Filled(rows.TURNS, self.turns),
            Filled(rows.VERDICTS, self.verdicts),
            Filled(rows.GATES, self.gates),
            Filled(rows.DONORS, self.donors),
            Filled(rows.AFTER, self.after),
            Filled(QUESTIONNAIRE, self.questionnaire),
            Filled(VISITS, self.visits),
            Filled(PARTICIPANTS, self.participants),
            Filled(rows.MATERIALS, self.materials),
            Filled(rows.HIDDEN_TESTS, self.hidden_tests),
            Filled(rows.PROFILES, self.profiles),
            Filled(rows.SHIPPED, self.shipped),
        )


def tidy(
    study: Study,
    streams: Mapping[str, Release],
    desk: Sequence[Event],
    name: Callable[[str], str] = pseudonym,
) -> Tidy:
    """A study's streams as tidy tables, without anything a participant withdrew or refused to publish.

    Args:
        study: the version.
        streams: its participations by stream id, as their consent lets them out.
        desk: desk events; those of other studies are passed over.
        name: what a person, by random id, is called.
    """
    protocol = Protocol(study)
    named = names_of(streams, name)
    resolver = Resolver(study, {stream: one.events for stream, one in streams.items()})
    people: list[ParticipantRow] = []
    sessions: list[rows.SessionRow] = []
    turns: list[rows.TurnRow] = []
    verdicts: list[rows.VerdictRow] = []
    gates: list[rows.GateRow] = []
    after: list[rows.AfterRow] = []
    questionnaire: list[QuestionnaireRow] = []
    visits: list[VisitRow] = []
    for one in participations(protocol, streams, desk, named):
        stream, who, events, state, person = one.stream, one.name, one.events, one.state, one.row
        people.append(_placed(person, state))
        calls = {call.event.seq: call for call in resolver.calls(stream)}
        sessions.extend(session_rows(study, events, state, person, calls.values()))
        turns.extend(turn_rows(events, who, calls))
        verdicts.extend(verdict_rows(events, who))
        gates.extend(gate_rows(events, who))
        after.extend(after_rows(study, events, state, who))
        questionnaire.extend(questionnaire_rows(without_after(events), who, study.settings))
        visits.extend(visit_rows(events, who))
    return Tidy(
        sessions=tuple(sessions),
        turns=tuple(turns),
        verdicts=tuple(verdicts),
        gates=tuple(gates),
        donors=tuple(donor_rows(study, streams, desk, named)),
        after=tuple(after),
        questionnaire=tuple(questionnaire),
        visits=tuple(visits),
        participants=tuple(people),
        materials=tuple(map(_task, study.tasks)),
        hidden_tests=tuple(map(_hidden, study.tasks)),
        profiles=tuple(
            rows.ProfileRow(p.id, p.name, p.occupation, p.about, p.manner) for p in study.profiles
        ),
        shipped=tuple(map(_shipped, study.shipped)),
        withheld=withheld_from(streams),
    )


def _placed(person: ParticipantRow, state: State) -> ParticipantRow:
    """A spending limit is the study's doing, so such a participation counts; reserve tasks are assigned."""
    ended = person.state in ENDED and not person.pilot and person.withheld is None
    return replace(person, counted=ended, assigned=len(state.opened.order) if state.opened else 0)


def session_rows(
    study: Study, events: Sequence[Event], state: State, person: ParticipantRow, calls: Iterable[Shown]
) -> Iterator[rows.SessionRow]:
    """The sessions of one participation, in the order they were opened.

    Args:
        study: the version.
        events: the participation's.
        state: after all of them.
        person: the participation's row.
        calls: what its assistants were shown, in order.
    """
    played = sessions_of(state)
    idle_ms = study.analysis.idle_seconds * 1000
    left = traces(events, (idle_ms,))
    ends = {one.payload.session: one for one in events if isinstance(one.payload, said.SessionEnded)}
    history: dict[str, tuple[str, ...]] = {}
    for call in calls:
        history.setdefault(call.call.session, call.history)
    order = {one.item: (place, one) for place, one in enumerate(opening(events).order, start=1)}
    for one in played.all:
        task, trace = study.task(one.item), left.get(one.id, Trace())
        place, planned = order.get(one.item, (None, None))
        verdicts = [turn.verdict for turn in one.turns if turn.verdict is not None]
        submissions = sum(verdict.submission for verdict in verdicts)
        # The resume policy refused to go on with an open session: its age ran out.
        disposition = one.disposition or ("timed_out" if person.state == "blocked" else None)
        counts = disposition is not None and disposition not in LEFT_OUT
        solved_at = one.accepted.turn if one.accepted else one.used
        end = ends.get(one.id)
        yield rows.SessionRow(
            session=one.id,
            item=one.item,
            participant=person.participant,
            part=one.part,
            condition=one.condition,
            assistant=one.assistant,
            model=one.model,
            models_served=tuple(sorted(trace.models_served)),
            profile=task.profile,
            mechanisms=task.mechanisms,
            difficulty=task.difficulty,
            block=planned.block if planned else None,
            position=place,
            in_history=one.id in (played.frozen or ()),
            shown_as_history=history.get(one.id, ()),
            disposition=disposition,
            solved=one.resolved if counts else None,
            solved_at=solved_at if one.resolved else None,
            turns=one.used,
            questions=len(verdicts) - submissions,
            submissions=submissions,
            declared=one.declared,
            reason=end.payload.reason if end and isinstance(end.payload, said.SessionEnded) else "",
            participant_ms=trace.participant_ms,
            active_ms=trace.active_ms.get(idle_ms),
            typing_ms=trace.typing_ms,
            model_ms=trace.model_ms,
            judge_ms=trace.judge_ms,
            cost=None if trace.unpriced else trace.cost,
            started_at=one.started_at,
            ended_at=end.at if end else None,
        )


def gate_rows(events: Sequence[Event], name: str) -> Iterator[rows.GateRow]:
    """Every decision of the gate in one participation, in order."""
    for one in events:
        if isinstance(one.payload, said.GateDecided):
            gate = one.payload
            yield rows.GateRow(
                session=gate.session,
                item=gate.item,
                participant=name,
                sufficient=gate.sufficient,
                highlighted=gate.highlighted,
                text=gate.text,
                fallback=gate.fallback,
                raw=gate.raw,
                cost=gate.cost,
                total_ms=gate.total_ms,
                decided_at=one.at,
            )


def donor_rows(
    study: Study, streams: Mapping[str, Release], desk: Sequence[Event], named: Mapping[str, str]
) -> Iterator[rows.DonorRow]:
    """Sessions on lists of shuffled histories whose people agreed to it and have not withdrawn since."""
    asked = [one.id for one in study.settings.consent if one.covers == "donor"]
    fixed = [
        (one.payload, one.at)
        for one in by_time(desk)
        if isinstance(one.payload, said.DonorsFixed) and one.payload.study == study.sha256
    ]
    protocol = Protocol(study)
    agreed = {
        stream
        for stream in named
        if asked and all(protocol.replay(streams[stream].events).consents.get(one) is True for one in asked)
    }
    for place, (made, at) in enumerate(fixed):
        for donor in made.donors:
            if donor.stream in agreed:
                yield rows.DonorRow(donor.session, donor.item, named[donor.stream], place == 0, at)


def after_rows(study: Study, events: Sequence[Event], state: State, name: str) -> Iterator[rows.AfterRow]:
    """The answers to the questions after each session of one participation, revisions too."""
    played = sessions_of(state)
    for one in after_answers(events, study.settings.roleplay):
        session = played.of(one.item)
        yield rows.AfterRow(
            session=session.id if session else "",
            item=one.item,
            participant=name,
            question=one.question,
            kind=one.kind,
            value=one.value,
            revision=one.revision,
            latest=one.latest,
            answered_at=one.at,
        )


def _task(task: Task) -> rows.TaskRow:
    return rows.TaskRow(
        item=task.id,
        profile=task.profile,
        mechanisms=task.mechanisms,
        resolution=task.resolution,
        speaks=task.speaks,
        brief=task.brief,
        interface=task.interface,
        entry_point=task.entry_point,
        opening=task.opening,
        facts=tuple(one.model_dump() for one in task.facts),
        source_task=task.source_task,
        part=task.part,
        difficulty=task.difficulty,
        authored=task.authored,
    )


def _hidden(task: Task) -> rows.HiddenTestRow:
    return rows.HiddenTestRow(
        item=task.id,
        entry_point=task.entry_point,
        prompt=task.prompt,
        tests=task.tests,
        pairs=tuple(one.model_dump() for one in task.pairs),
        reference=task.reference,
    )


def _shipped(one: ShippedSession) -> rows.ShippedRow:
    return rows.ShippedRow(
        session=one.id,
        profile=one.profile,
        mechanisms=one.mechanisms,
        resolution=one.resolution,
        source_task=one.source_task,
        dialogue=tuple({"role": line.role, "text": line.text} for line in one.dialogue),
    )
