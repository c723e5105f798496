"""Rows of what people said and what was made of it, from one participation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from studies.after import after_answers
from studies.events import Event
from studies.specification import payloads as said
from studies.specification import rows
from studies.specification.briefing import lettered
from studies.specification.decisions import Decision
from studies.specification.forms import NO_PREFERENCE, truth_screens
from studies.specification.projects import Projects, ProjectState, Session
from studies.study import Study


def question_rows(events: Iterable[Event], name: str) -> Iterator[rows.QuestionRow]:
    """Every question that was put, in order."""
    for one in events:
        if isinstance(one.payload, said.QuestionPut):
            put = one.payload
            yield rows.QuestionRow(
                session=put.session,
                item=put.item,
                participant=name,
                round=put.round,
                sort=put.sort,
                key=put.key,
                question=put.question,
                options=put.options,
                single=put.single,
                why=put.why,
                asked_at=one.at,
            )


def answer_rows(events: Iterable[Event], name: str) -> Iterator[rows.AnswerRow]:
    """Every answer to such a question, in order."""
    put: dict[tuple[str, int], said.QuestionPut] = {}
    for one in events:
        match one.payload:
            case said.QuestionPut() as question:
                put[question.session, question.round] = question
            case said.RoundAnswered() as answer:
                asked = put.get((answer.session, answer.round))
                texts = lettered(asked.options) if asked else {}
                yield rows.AnswerRow(
                    session=answer.session,
                    item=answer.item,
                    participant=name,
                    round=answer.round,
                    key=asked.key if asked else "",
                    picked=answer.picked,
                    texts=tuple(texts.get(letter, "") for letter in answer.picked),
                    own_words=answer.own_words,
                    unknown=answer.unknown,
                    active_ms=answer.active_ms,
                    answered_at=one.at,
                )


def proposal_rows(events: Iterable[Event], projects: Projects, name: str) -> Iterator[rows.ProposalRow]:
    """Every proposal, in order."""
    for one in events:
        if isinstance(one.payload, said.ProposalLocked):
            checks = projects.of(one.payload.item).checks
            yield rows.ProposalRow(
                item=one.payload.item,
                participant=name,
                text=one.payload.text,
                checks=len(checks),
                understood=any(check.passed for check in checks) if checks else None,
                active_ms=one.payload.active_ms,
                locked_at=one.at,
            )


def truth_rows(events: Iterable[Event], study: Study, name: str) -> Iterator[rows.TruthRow]:
    """Every answer of the ground truth and the retest, revisions too, in order."""
    made: list[rows.TruthRow] = []
    for one in events:
        if isinstance(one.payload, said.TruthLocked | said.TruthRetested):
            phase = "truth" if isinstance(one.payload, said.TruthLocked) else "retest"
            item, given = one.payload.item, one.payload.answers
            # JSON keeps no order: theirs is that of the form.
            made += (
                rows.TruthRow(item, name, phase, field, given[field], 1, True, one.at)
                for field in dict.fromkeys((*_truth_fields(study, item), *given))
                if field in given
            )
    yield from numbered(made, lambda one: (one.item, one.phase, one.field))


def _truth_fields(study: Study, item: str) -> Iterator[str]:
    project = study.project(item)
    for task in ("checklist", "sheet"):
        yield from (field.name for screen in truth_screens(project, task) for field in screen)


def after_rows(events: Iterable[Event], study: Study, name: str) -> Iterator[rows.AfterRow]:
    """The answers to the questions after each project, revisions too."""
    for one in after_answers(events, study.settings.specification):
        yield rows.AfterRow(
            one.item, name, one.question, one.kind, one.value, one.revision, one.latest, one.at
        )


def numbered(made: Sequence[Any], key: Any) -> Iterator[Any]:
    """Rows in order, those with one key numbered as revisions, the last one marked."""
    total = Counter(map(key, made))
    seen: Counter[object] = Counter()
    for one in made:
        seen[key(one)] += 1
        yield replace(one, revision=seen[key(one)], latest=seen[key(one)] == total[key(one)])


def decision_rows(session: Session, chart: Sequence[Decision], name: str) -> Iterator[rows.DecisionRow]:
    """Every dimension of a session, in the order of its chart."""
    for one in chart:
        yield rows.DecisionRow(
            session=session.id,
            item=session.item,
            participant=name,
            key=one.key,
            question=one.question,
            alternatives=one.alternatives,
            section=one.section,
            why_it_matters=one.why_it_matters,
            assumed=one.assumed,
            boundary=one.boundary,
            standing=one.standing,
            settled_by=one.settled_by,
            chosen=one.chosen,
            own_words=one.own_words,
            round=one.round or None,
        )


def vote_rows(session: Session, chart: Sequence[Decision], name: str) -> Iterator[rows.VoteRow]:
    """What each simulated user chose, dimension by dimension."""
    for one in chart:
        for vote in one.votes:
            yield rows.VoteRow(
                session.id,
                session.item,
                name,
                one.key,
                vote.simulator,
                vote.choice,
                vote.confident,
                vote.reasoning,
            )


def prediction_rows(
    study: Study, project: ProjectState, session: Session, name: str
) -> Iterator[rows.PredictionRow]:
    """Every predicted checklist answer of a session, silent ones too."""
    if session.opened.task != "checklist":
        return
    truth: Mapping[str, Any] = project.truth
    for made in session.predictions:
        asked = {
            one.put.key for one in session.rounds if one.answer is not None and one.put.round <= made.rounds
        }
        for question in study.project(session.item).checklist:
            answer, predicted = truth.get(question.id), made.predictions.get(question.id)
            yield rows.PredictionRow(
                session=session.id,
                item=session.item,
                participant=name,
                rounds=made.rounds,
                final=made.final,
                key=question.id,
                predicted=predicted,
                answer=answer,
                right=predicted == answer if answer not in (None, NO_PREFERENCE) else None,
                asked=question.id in asked,
            )
