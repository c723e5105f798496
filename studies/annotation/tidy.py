"""Turns an annotation study's streams into its tidy tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.activity import Attention
from studies.annotation.payloads import AnnotationSubmitted
from studies.annotation.protocol import step_id
from studies.annotation.rows import (
    ADJUDICATED,
    AGGREGATED,
    ANNOTATIONS,
    CHECKS,
    MATERIALS,
    PASSES,
    TRAINING,
    AdjudicatedRow,
    AggregatedRow,
    AnnotationRow,
    MaterialRow,
    TrainingRow,
)
from studies.desk import AnnotationAdjudicated
from studies.events import Event, by_time
from studies.participations import names_of, participations, withheld_from
from studies.payloads import TrainingAnswered
from studies.protocol import Protocol
from studies.publication import Release, Withholding
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
from studies.tables import Filled

if TYPE_CHECKING:
    from studies.annotation.materials import ContextMessage
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Tidy:
    """The tables of an annotation study."""

    annotations: tuple[AnnotationRow, ...]
    """Main items and repeats."""
    checks: tuple[AnnotationRow, ...]
    training: tuple[TrainingRow, ...]
    visits: tuple[VisitRow, ...]
    questionnaire: tuple[QuestionnaireRow, ...]
    participants: tuple[ParticipantRow, ...]
    materials: tuple[MaterialRow, ...]
    adjudicated: tuple[AdjudicatedRow, ...]
    aggregated: tuple[AggregatedRow, ...]
    withheld: Mapping[Withholding, int]
    """Participations whose answers are not in the tables, by reason."""

    def tables(self) -> tuple[Filled, ...]:
        """All tables in the order an export lists them."""
        return (
            Filled(ANNOTATIONS, self.annotations),
            Filled(CHECKS, self.checks),
            Filled(PASSES, (*self.annotations, *self.checks)),
            Filled(TRAINING, self.training),
            Filled(VISITS, self.visits),
            Filled(QUESTIONNAIRE, self.questionnaire),
            Filled(PARTICIPANTS, self.participants),
            Filled(MATERIALS, self.materials),
            Filled(ADJUDICATED, self.adjudicated),
            Filled(AGGREGATED, self.aggregated),
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
    people: list[ParticipantRow] = []
    annotations: list[AnnotationRow] = []
    counted: list[AnnotationRow] = []
    training: list[TrainingRow] = []
    visits: list[VisitRow] = []
    questionnaire: list[QuestionnaireRow] = []
    for one in participations(Protocol(study), streams, desk, names_of(streams, name)):
        who, events = one.name, one.events
        people.append(one.row)
        visits.extend(visit_rows(events, who))
        labels = tuple(annotation_rows(events, who, study.analysis.idle_seconds * 1000))
        annotations.extend(labels)
        if people[-1].counted:
            counted.extend(labels)
        training.extend(training_rows(events, who))
        questionnaire.extend(questionnaire_rows(events, who, study.settings))
    return Tidy(
        annotations=tuple(one for one in annotations if one.role != "check"),
        checks=tuple(one for one in annotations if one.role == "check"),
        training=tuple(training),
        visits=tuple(visits),
        questionnaire=tuple(questionnaire),
        participants=tuple(people),
        materials=tuple(material_rows(study)),
        adjudicated=adjudicated_rows(desk, study.sha256),
        aggregated=aggregated_rows((one.id for one in study.items), counted),
        withheld=withheld_from(streams),
    )


def annotation_rows(events: Sequence[Event], name: str, idle_ms: int) -> Iterator[AnnotationRow]:
    """Every annotation of one participation, revisions too, in the order they were stored."""
    positions = {step_id(one): place for place, one in enumerate(opening(events).order, start=1)}
    attention = Attention()
    made: list[tuple[AnnotationSubmitted, str]] = []
    for one in events:
        attention.take(one)
        if isinstance(one.payload, AnnotationSubmitted):
            made.append((one.payload, one.at))
    last = {said.step: place for place, (said, _) in enumerate(made)}
    for place, (said, at) in enumerate(made):
        yield AnnotationRow(
            item=said.item,
            participant=name,
            pass_=said.number,
            revision=said.revision,
            latest=last[said.step] == place,
            dominant=said.dominant,
            additional=said.additional,
            confidence=said.confidence,
            note=said.note,
            flag=said.flag,
            active_ms=attention.active_ms(said.step, said.revision, said.elapsed_ms, idle_ms),
            shown_at=attention.shown_at(said.step, said.revision),
            submitted_at=at,
            role=said.role,
            block=said.block,
            position=positions.get(said.step),
            elapsed_ms=said.elapsed_ms,
        )


def training_rows(events: Sequence[Event], name: str) -> Iterator[TrainingRow]:
    """Every practice answer of one participation."""
    for one in events:
        said = one.payload
        if isinstance(said, TrainingAnswered):
            yield TrainingRow(
                item=said.item,
                participant=name,
                attempt=said.attempt,
                revision=said.revision,
                dominant=said.answers.get("dominant"),
                additional=tuple(said.answers.get("additional") or ()),
                confidence=said.answers.get("confidence"),
                note=said.answers.get("note") or "",
                flag=bool(said.answers.get("flag")),
                correct=said.correct,
                answered_at=one.at,
            )


def material_rows(study: Study) -> Iterator[MaterialRow]:
    """Everything the study shows, in the order of its files."""
    for item in study.items:
        yield MaterialRow(
            item=item.id,
            set="main",
            request=item.request,
            context=_messages(item.context),
            gold=item.gold,
            gold_additional=item.gold_additional,
            source=item.source,
            feedback=None,
            columns=dict(item.model_extra or {}),
        )
    for practice in study.training:
        yield MaterialRow(
            item=practice.id,
            set="training",
            request=practice.request,
            context=_messages(practice.context),
            gold=practice.dominant,
            gold_additional=practice.additional,
            source="",
            feedback=practice.feedback,
            columns={},
        )
    for check in study.checks:
        yield MaterialRow(check.id, "check", check.request, [], check.dominant, (), "", None, {})


def _messages(context: Iterable[ContextMessage]) -> list[dict[str, str]]:
    return [{"role": one.role, "text": one.text} for one in context]


def adjudicated_rows(desk: Sequence[Event], study: str) -> tuple[AdjudicatedRow, ...]:
    """Every adjudication of a study version, by item and time."""
    made = [
        (one.payload, one.at)
        for one in by_time(desk)
        if isinstance(one.payload, AnnotationAdjudicated) and one.payload.study == study
    ]
    last = {(said.item, said.adjudicator): place for place, (said, _) in enumerate(made)}
    rows = [
        AdjudicatedRow(
            item=said.item,
            adjudicator=said.adjudicator,
            dominant=said.dominant,
            additional=said.additional,
            reason=said.reason,
            mode=said.mode,
            sampled_agreement=said.sampled_agreement,
            labels=said.labels,
            latest=last[said.item, said.adjudicator] == place,
            decided_at=at,
        )
        for place, (said, at) in enumerate(made)
    ]
    return tuple(sorted(rows, key=lambda row: row.item))


def aggregated_rows(items: Iterable[str], counted: Iterable[AnnotationRow]) -> tuple[AggregatedRow, ...]:
    """The votes on each item; a tie stays a tie.

    Args:
        items: ids of all main items, in order.
        counted: annotations of the participations that count.
    """
    votes: dict[str, list[AnnotationRow]] = {}
    for row in counted:
        if row.latest and row.role == "main":
            votes.setdefault(row.item, []).append(row)
    return tuple(_aggregated(item, votes.get(item, [])) for item in items)


def _aggregated(item: str, votes: Sequence[AnnotationRow]) -> AggregatedRow:
    counts = Counter(one.dominant for one in votes)
    most = max(counts.values(), default=0)
    first = sorted(label for label, n in counts.items() if n == most)
    reason = None
    if not votes:
        reason = "nobody has annotated this item"
    elif len(first) > 1:
        reason = f"a tie between {', '.join(first)} with {most} each"
    return AggregatedRow(
        item=item,
        raters=len(votes),
        counts=dict(sorted(counts.items())),
        dominant=first[0] if reason is None else None,
        share=most / len(votes) if reason is None else None,
        undefined_reason=reason,
        additional=dict(sorted(Counter(label for one in votes for label in one.additional).items())),
    )
