"""The tidy tables of every study kind: who took part, when they sat down, what they said at the end."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any

from studies.events import Event
from studies.payloads import (
    ConsentDeclined,
    ConsentGiven,
    ParticipationOpened,
    QuestionnaireSubmitted,
    VisitEnded,
    VisitStarted,
)
from studies.tables import Table, Time

if TYPE_CHECKING:
    from studies.settings import StudySettings

Participant = Annotated[str, "Pseudonym of the participant, the same in every table."]
ENDINGS = {
    "consent_declined": "declined",
    "participation_completed": "completed",
    "participation_excluded": "excluded",
    "participation_withdrawn": "withdrawn",
    "participation_blocked": "blocked",
    "participation_limited": "limit",
}
"""Event kinds after which nothing more is asked, with the contract's word for each."""


def pseudonym(participant: str) -> str:
    """The name a person has in exports: derived from their random id, never from their code."""
    return "p-" + hashlib.sha256(participant.encode("utf-8", "surrogatepass")).hexdigest()[:10]


@dataclass(frozen=True, slots=True)
class ParticipantRow:
    """One participation."""

    participant: Participant
    slot: Annotated[int, "Slot of the design, from 1."]
    state: Annotated[
        str,
        "Where the participation stands: completed, declined, excluded, blocked, limit, dropped (its slot "
        "was released), or the part of the study it has reached.",
    ]
    pilot: Annotated[bool, "A trial run, never counted."]
    counted: Annotated[
        bool, "Came to its end, and no pilot: counted, before any exclusion that the analysis plan declares."
    ]
    withheld: Annotated[
        str | None,
        "Why this person's answers are not in this export; null where they are. Such a person's state can "
        "lag behind.",
    ]
    assigned: Annotated[int, "Items, tasks or projects assigned, without repeats and checks."]
    done: Annotated[int, "Of these, how many were finished."]
    consents: Annotated[Mapping[str, bool] | None, "The answer to each item of the consent form."]
    consent_sha256: Annotated[str | None, "SHA-256 of the consent text as it was shown."]
    options: Annotated[tuple[str, ...], "The answer options in the order this person saw them."]
    opened_at: Annotated[Time, "When the slot was taken."]
    last_at: Annotated[Time, "When the last event was recorded."]


@dataclass(frozen=True, slots=True)
class VisitRow:
    """One visit: from sitting down to leaving."""

    participant: Participant
    visit: Annotated[int, "Which visit of this person it was, from 1."]
    front_end: Annotated[str, "tui (full screen), plain (line by line) or jsonl (a program)."]
    width: Annotated[int | None, "Width of the terminal in cells at the start."]
    height: Annotated[int | None, "Height of the terminal in cells at the start."]
    started_at: Annotated[Time, "When the visit began."]
    ended_at: Annotated[Time, "When it ended; where no end was recorded, its last event."]
    end: Annotated[str | None, "How it ended; null where the program was cut off."]


@dataclass(frozen=True, slots=True)
class QuestionnaireRow:
    """One answer of the closing questionnaire."""

    participant: Participant
    question: Annotated[str, "Id of the question in study.toml."]
    kind: Annotated[str, "choice, multi, scale or text."]
    value: Annotated[
        Any, "The answer: text, a whole number on a scale, or a list; null where it was skipped."
    ]
    revision: Annotated[int, "From 1; a later one replaces the ones before it."]
    latest: Annotated[bool, "Whether this is the person's last answer to the question."]
    answered_at: Annotated[Time, "When it was stored."]


PARTICIPANTS = Table(
    "participants",
    ParticipantRow,
    "One line a participation, unfinished, excluded and pilot ones too. Withdrawn and erased ones are in no "
    "table and are only counted in the manifest.",
)
VISITS = Table("visits", VisitRow, "One line a visit.")
QUESTIONNAIRE = Table("questionnaire", QuestionnaireRow, "One line an answer of the closing questionnaire.")


def participant_row(
    events: Sequence[Event], *, name: str, state: str, done: int, withheld: str | None
) -> ParticipantRow:
    """The row of one participation.

    Args:
        events: the stream, `participation_opened` first.
        name: what the person is called in the export.
        state: the contract's word for where the participation stands.
        done: items, tasks or projects finished.
        withheld: why answers are missing, or None.

    Raises:
        ValueError: the stream's opening is missing or erased.
    """
    opened = opening(events)
    consent = next(
        (one.payload for one in events if isinstance(one.payload, ConsentGiven | ConsentDeclined)), None
    )
    return ParticipantRow(
        participant=name,
        slot=opened.slot,
        state=state,
        pilot=opened.pilot,
        counted=state == "completed" and not opened.pilot and withheld is None,
        withheld=withheld,
        assigned=sum(1 for one in opened.order if one.role == "main"),
        done=done,
        consents=dict(consent.items) if consent else None,
        consent_sha256=consent.text_sha256 if consent else None,
        options=opened.options,
        opened_at=events[0].at,
        last_at=events[-1].at,
    )


def opening(events: Sequence[Event]) -> ParticipationOpened:
    """The payload that opened a participation.

    Raises:
        ValueError: it is missing or erased.
    """
    for one in events:
        if isinstance(one.payload, ParticipationOpened):
            return one.payload
    raise ValueError("the stream has no participation_opened, or it was erased")


def visit_rows(events: Sequence[Event], name: str) -> Iterator[VisitRow]:
    """The visits of one participation, in order."""
    starts = [place for place, one in enumerate(events) if one.kind == "visit_started"]
    for visit, (start, stop) in enumerate(pairwise([*starts, len(events)]), start=1):
        began = events[start].payload
        if not isinstance(began, VisitStarted):
            continue
        ends = (one for one in events[start:stop] if one.kind == "visit_ended" or one.kind in ENDINGS)
        last = next(ends, events[stop - 1])
        yield VisitRow(
            participant=name,
            visit=visit,
            front_end=began.front_end,
            width=began.width,
            height=began.height,
            started_at=events[start].at,
            ended_at=last.at,
            end=last.payload.reason if isinstance(last.payload, VisitEnded) else ENDINGS.get(last.kind),
        )


def questionnaire_rows(
    events: Sequence[Event], name: str, settings: StudySettings
) -> Iterator[QuestionnaireRow]:
    """The answers of the closing questionnaire of one participation, revisions too."""
    kinds = {one.id: one.kind for one in settings.questionnaire}
    given: dict[str, list[tuple[Any, str]]] = {}
    for one in events:
        if isinstance(one.payload, QuestionnaireSubmitted):
            for question, value in one.payload.answers.items():
                given.setdefault(question, []).append((value, one.at))
    for question, answers in given.items():
        for revision, (value, at) in enumerate(answers, start=1):
            yield QuestionnaireRow(
                name, question, kinds.get(question, "text"), value, revision, revision == len(answers), at
            )
