"""Turns a specification study's streams into its tidy tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from studies.after import without_after
from studies.events import Event
from studies.participations import Participation, names_of, participations, withheld_from
from studies.protocol import Protocol
from studies.publication import Release, Withholding
from studies.rows import (
    PARTICIPANTS,
    QUESTIONNAIRE,
    VISITS,
    pseudonym,
    questionnaire_rows,
    visit_rows,
)
from studies.specification import call_lines, interview_lines, material_rows, rows, sheet_lines, sheet_rows
from studies.specification import payloads as said
from studies.specification.outcomes import outcome_of
from studies.specification.projects import Projects
from studies.specification.protocol import SpecificationKind, projects_of
from studies.specification.sheet import Sheet
from studies.specification.shown import calls
from studies.specification.traces import Trace, traces
from studies.state import State
from studies.study import Study
from studies.tables import Filled, Table

OWN: tuple[Table, ...] = (
    rows.SESSIONS,
    rows.QUESTIONS,
    rows.ANSWERS,
    rows.PROPOSALS,
    rows.TRUTH,
    rows.DECISIONS,
    rows.VOTES,
    rows.PREDICTIONS,
    sheet_rows.SPEC_SECTIONS,
    sheet_rows.CHANGES,
    sheet_rows.RATINGS,
    sheet_rows.COMPARISONS,
    rows.CALLS,
    rows.AFTER,
    QUESTIONNAIRE,
    VISITS,
    PARTICIPANTS,
)
"""The tables of what happened, in the order an export lists them; those of the materials follow."""


@dataclass(frozen=True, slots=True)
class Tidy:
    """The tables of a specification study."""

    filled: tuple[Filled, ...]
    """In the order an export lists them."""
    withheld: Mapping[Withholding, int]
    """Participations whose answers are not in the tables, by reason."""

    def rows(self, table: Table) -> Sequence[object]:
        """The rows of a table."""
        return next(one.rows for one in self.filled if one.table is table)


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
    made: dict[str, list[object]] = {one.name: [] for one in OWN}
    for one in participations(protocol, streams, desk, names_of(streams, name)):
        for table, row in _participation(protocol, one):
            made[table.name].append(row)
    return Tidy(
        (*(Filled(one, tuple(made[one.name])) for one in OWN), *material_rows.filled(study)),
        withheld_from(streams),
    )


def _participation(protocol: Protocol, one: Participation) -> Iterator[tuple[Table, object]]:
    """The rows of one participation with the table of each."""
    study, who, events, state = protocol.study, one.name, one.events, one.state
    projects = projects_of(state)
    every: tuple[tuple[Table, Iterator[object]], ...] = (
        (PARTICIPANTS, iter([replace(one.row, assigned=len(protocol.kind.assigned(state)))])),
        (VISITS, visit_rows(events, who)),
        (QUESTIONNAIRE, questionnaire_rows(without_after(events), who, study.settings)),
        (rows.SESSIONS, session_rows(events, projects, one.row.state, who)),
        (rows.QUESTIONS, interview_lines.question_rows(events, who)),
        (rows.ANSWERS, interview_lines.answer_rows(events, who)),
        (rows.PROPOSALS, interview_lines.proposal_rows(events, projects, who)),
        (rows.TRUTH, interview_lines.truth_rows(events, study, who)),
        (sheet_rows.SPEC_SECTIONS, sheet_lines.section_rows(events, who)),
        (sheet_rows.CHANGES, sheet_lines.change_rows(projects, who)),
        (sheet_rows.RATINGS, sheet_lines.rating_rows(events, projects, who)),
        (sheet_rows.COMPARISONS, sheet_lines.comparison_rows(events, projects, who)),
        (rows.CALLS, call_lines.call_rows(calls(study, events), who)),
        (rows.AFTER, interview_lines.after_rows(events, study, who)),
    )
    for table, those in every:
        yield from ((table, row) for row in those)
    yield from _of_sessions(protocol, state, who)


def _of_sessions(protocol: Protocol, state: State, who: str) -> Iterator[tuple[Table, object]]:
    kind, projects = protocol.kind, projects_of(state)
    assert isinstance(kind, SpecificationKind)
    for one in projects.sessions:
        chart = kind.chart(one.item, one.opened.number, state)
        for row in interview_lines.decision_rows(one, chart, who):
            yield rows.DECISIONS, row
        for vote in interview_lines.vote_rows(one, chart, who):
            yield rows.VOTES, vote
        for made in interview_lines.prediction_rows(protocol.study, projects.of(one.item), one, who):
            yield rows.PREDICTIONS, made


def session_rows(
    events: Sequence[Event], projects: Projects, stands: str, name: str
) -> Iterator[rows.SessionRow]:
    """The interviews of one participation, in the order they were begun.

    Args:
        events: the participation's.
        projects: after all of them.
        stands: the contract's word for where the participation stands.
        name: what the person is called.
    """
    left = traces(events)
    began, ended, frozen = _moments(events)
    calls = Counter(one.payload.session for one in events if isinstance(one.payload, said.AgentCalled))
    for one in projects.sessions:
        opened, trace = one.opened, left.get(one.id, Trace())
        outcome = outcome_of(name, stands, projects.of(one.item), one, projects.judged, left)
        predicted = one.predicted is not None
        sheet = Sheet.from_json(one.frozen.sheet) if one.frozen else None
        yield rows.SessionRow(
            session=one.id,
            item=one.item,
            participant=name,
            number=opened.number,
            period=opened.period,
            task=opened.task,
            agent=opened.agent,
            design=opened.design,
            assistant=opened.assistant,
            model=opened.model,
            models_served=tuple(sorted(trace.models_served)),
            budget=opened.budget,
            truth=opened.truth,
            disposition=outcome.disposition,
            rounds=one.answered,
            ended_by=one.ended.by if one.ended else None,
            ended_why=one.ended.why if one.ended else "",
            early=outcome.early,
            right=sum(outcome.hits.values()) if predicted else None,
            compared=len(outcome.hits) if predicted else None,
            right_not_asked=sum(outcome.not_asked.values()) if predicted else None,
            compared_not_asked=len(outcome.not_asked) if predicted else None,
            no_preference=outcome.without_preference,
            retest_alike=sum(outcome.retest.values()),
            retest_asked=len(outcome.retest),
            statements=len(sheet.statements) if sheet else None,
            calls=calls[one.id],
            unfit=trace.unfit,
            model_ms=trace.model_ms,
            interview_ms=trace.interview_ms,
            own_ms=trace.own_ms,
            cost=None if trace.unpriced else trace.cost,
            started_at=began[one.id],
            ended_at=ended.get(one.id),
            frozen_at=frozen.get(one.id),
        )


def _moments(events: Sequence[Event]) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """When each session began, when its interview ended, and when its result was there."""
    began: dict[str, str] = {}
    ended: dict[str, str] = {}
    frozen: dict[str, str] = {}
    for one in events:
        match one.payload:
            case said.ProjectOpened(session=session):
                began[session] = one.at
            case said.InterviewEnded(session=session):
                ended[session] = one.at
            case said.SheetFrozen(session=session) | said.PredictionsMade(session=session, final=True):
                frozen[session] = one.at
    return began, ended, frozen
