"""Turns a clarification study's streams into its tidy tables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from studies.after import after_answers, without_after
from studies.clarification import rows
from studies.clarification.authors import benchmark_lines
from studies.clarification.counting import counted, models_served, own_times, people
from studies.clarification.dialogues import LEFT_OUT, dialogue_of, passed
from studies.clarification.live_seat import LiveSeat
from studies.clarification.records import Dialogue, record_of, run_of
from studies.clarification.sampling import weights
from studies.clarification.seat import clarifications_of
from studies.clarification.shown import Resolver
from studies.clarification.tidy_rows import answer_rows, match_rows, question_rows, turn_rows, vote_rows
from studies.clarification.tidy_tasks import check_rows, gap_rows
from studies.counting import ENDED
from studies.events import Event
from studies.participations import names_of, participations, withheld_from
from studies.protocol import Protocol
from studies.publication import Release, Withholding
from studies.roleplay.rows import AFTER, VERDICTS, AfterRow, VerdictRow
from studies.roleplay.turns import verdict_rows
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
    from studies.clarification.materials import ClarificationTask
    from studies.study import Study


RESULTS = "results.jsonl"
"""Run records."""
TASKS = "ClarifyCodeBench.jsonl"
"""Authored tasks."""


@dataclass(slots=True)
class Tidy:
    """The tables of a clarification study."""

    sessions: list[rows.SessionRow] = field(default_factory=list)
    turns: list[rows.TurnRow] = field(default_factory=list)
    questions: list[rows.QuestionRow] = field(default_factory=list)
    answers: list[rows.AnswerRow] = field(default_factory=list)
    votes: list[rows.VoteRow] = field(default_factory=list)
    verdicts: list[VerdictRow] = field(default_factory=list)
    matches: list[rows.MatchRow] = field(default_factory=list)
    after: list[AfterRow] = field(default_factory=list)
    questionnaire: list[QuestionnaireRow] = field(default_factory=list)
    visits: list[VisitRow] = field(default_factory=list)
    participants: list[ParticipantRow] = field(default_factory=list)
    materials: list[rows.TaskRow] = field(default_factory=list)
    asked: list[rows.AskedRow] = field(default_factory=list)
    hidden_tests: list[rows.HiddenTestRow] = field(default_factory=list)
    withheld: Mapping[Withholding, int] = field(default_factory=dict)
    """Participations whose answers are not in the tables, by reason."""
    gaps: list[rows.GapRow] = field(default_factory=list)
    checks: list[rows.CheckRow] = field(default_factory=list)
    records: Mapping[str, list[dict[str, Any]]] = field(default_factory=dict)
    """Of those who count: run records of the sessions in the figures, or authored tasks; by file name."""

    def tables(self) -> tuple[Filled, ...]:
        """All tables in the order an export lists them."""
        return (
            Filled(rows.SESSIONS, self.sessions),
            Filled(rows.TURNS, self.turns),
            Filled(rows.QUESTIONS, self.questions),
            Filled(rows.ANSWERS, self.answers),
            Filled(rows.VOTES, self.votes),
            Filled(VERDICTS, self.verdicts),
            Filled(rows.MATCHES, self.matches),
            Filled(rows.GAPS, self.gaps),
            Filled(rows.CHECKS, self.checks),
            Filled(AFTER, self.after),
            Filled(QUESTIONNAIRE, self.questionnaire),
            Filled(VISITS, self.visits),
            Filled(PARTICIPANTS, self.participants),
            Filled(rows.MATERIALS, self.materials),
            Filled(rows.ASKED, self.asked),
            Filled(rows.HIDDEN_TESTS, self.hidden_tests),
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
    made = Tidy(withheld=withheld_from(streams))
    protocol = Protocol(study)
    named = names_of(streams, name)
    results: list[dict[str, Any]] = []
    resolver = Resolver(study, {stream: one.events for stream, one in streams.items()})
    for one in participations(protocol, streams, desk, named):
        stream, who, events, state, person = one.stream, one.name, one.events, one.state, one.row
        # A spending limit is the study's doing, so such a participation counts.
        whole = person.state in ENDED and not person.pilot and person.withheld is None
        made.participants.append(replace(person, counted=whole))
        missing = {call.event.seq: call.missing for call in resolver.calls(stream)}
        for dialogue, row in _sessions(study, protocol, events, state, who):
            made.sessions.append(row)
            if dialogue is not None and whole:
                results.append(record_of(dialogue))
        made.turns.extend(turn_rows(events, who, missing))
        made.questions.extend(question_rows(study, events, state, who))
        made.answers.extend(answer_rows(events, who))
        made.votes.extend(vote_rows(events, who))
        made.verdicts.extend(verdict_rows(events, who))
        made.matches.extend(match_rows(study, events, who))
        made.gaps.extend(gap_rows(events, who))
        made.checks.extend(check_rows(events, who, named))
        made.after.extend(_after(study, events, state, who))
        made.questionnaire.extend(questionnaire_rows(without_after(events), who, study.settings))
        made.visits.extend(visit_rows(events, who))
    if study.settings.clarification.seat == "author":
        kept, _ = counted(people(study, {stream: streams[stream].events for stream in named}, desk))
        made.records = {TASKS: list(benchmark_lines(study, kept))}
    else:
        made.records = {RESULTS: results}
    made.materials.extend(map(_task, study.clarification_tasks))
    made.asked.extend(_asked(study))
    made.hidden_tests.extend(map(_hidden, study.clarification_tasks))
    return made


def _sessions(
    study: Study, protocol: Protocol, events: Sequence[Event], state: State, who: str
) -> Iterator[tuple[Dialogue | None, rows.SessionRow]]:
    kind = protocol.kind
    own = own_times(kind, events) if isinstance(kind, LiveSeat) else {}
    order = {one.item: (place, one) for place, one in enumerate(opening(events).order, start=1)}
    served = tuple(sorted({model for some in models_served(events).values() for model in some}))
    for one in clarifications_of(state).all:
        task = study.clarification_task(one.item)
        place, planned = order.get(one.item, (None, None))
        dialogue = dialogue_of(study, one, who)
        run = run_of(dialogue) if dialogue is not None else None
        row = rows.SessionRow(
            session=one.id,
            item=one.item,
            participant=who,
            seat=one.seat,
            assistant=one.assistant,
            model=one.model,
            models_served=served,
            gaps=task.gaps,
            types=task.all_types,
            block=planned.block if planned else None,
            position=place,
            ending=one.ending,
            responses=one.used,
            asked=len(one.questions),
            hits=one.covered,
            tkqr=run.tkqr if run else None,
            ora=run.ora if run else None,
            ora_strict=run.ora_strict if run else None,
            passed=passed(task, one),
            own_ms=own.get(one.id, 0),
            started_at=one.started_at,
            ended_at=one.ended_at,
        )
        yield (dialogue if one.ending is not None and one.ending not in LEFT_OUT else None), row


def _after(study: Study, events: Sequence[Event], state: State, who: str) -> Iterator[AfterRow]:
    past = clarifications_of(state)
    for one in after_answers(events, study.settings.clarification):
        session = past.of(one.item)
        yield AfterRow(
            session=session.id if session else "",
            item=one.item,
            participant=who,
            question=one.question,
            kind=one.kind,
            value=one.value,
            revision=one.revision,
            latest=one.latest,
            answered_at=one.at,
        )


def _task(task: ClarificationTask) -> rows.TaskRow:
    return rows.TaskRow(
        item=task.id,
        source=task.source,
        statement=task.statement,
        full_statement=task.full_statement,
        key_questions=tuple(one.model_dump(exclude={"cues"}) for one in task.key_questions),
        types=task.types,
        interface=task.interface,
        entry_point=task.entry_point,
        testable=task.testable,
        columns=dict(task.columns),
    )


def _asked(study: Study) -> Iterator[rows.AskedRow]:
    counts = weights(study.clarification_tasks, study.asked)
    for task in study.clarification_tasks:
        for one in task.asked:
            weight = counts.get(one.id)
            yield rows.AskedRow(
                item=one.id,
                task=task.id,
                text=one.text,
                run=one.run,
                turn=one.turn,
                model=one.model,
                hit=one.hit,
                votes={gap: list(votes) for gap, votes in one.votes.items()},
                stratum=one.stratum,
                drawn=weight is not None,
                weight=None if weight is None else float(weight),
            )


def _hidden(task: ClarificationTask) -> rows.HiddenTestRow:
    return rows.HiddenTestRow(
        item=task.id,
        entry_point=task.entry_point,
        prompt=task.prompt,
        tests=task.tests,
        pairs=tuple(one.model_dump() for one in task.pairs),
        cases=tuple(one.model_dump() for one in task.cases),
        reference=task.reference,
    )
