"""The payloads every study kind shares: from opening a participation to its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.events import Payload, event

Role = Literal["main", "repeat", "check", "history", "reserve", "held_out"]
"""What an item is shown for: to be counted, to be compared with itself, or as an attention check; what a
task is for: to become the person's history, to stand in for one that was not resolved, to be compared."""


@dataclass(frozen=True, slots=True)
class Planned:
    """One place in a participant's realised order."""

    item: str
    block: int
    """From 1."""
    role: Role = "main"
    number: int = 1
    """Which annotation of the item by this person it is (the contract's `pass`), from 1."""
    condition: str = ""
    """History condition of a task."""
    assistant: str = ""
    """Who answers in the task's session; of a project, the agent."""
    task: str = ""
    """Of a project: `checklist` (Task 1) or `sheet` (Task 2)."""
    budget: int = 0
    """Rounds that the interview about a project may have."""
    truth: str = ""
    """Of a project: whether the person's own answers are taken down `before` or `after` the interview."""


@event("participation_opened")
@dataclass(frozen=True, slots=True)
class ParticipationOpened(Payload):
    """A person took a slot. Everything drawn by chance is stored here, as it was realised."""

    study: str
    """SHA-256 of the study version."""
    participant: str
    """The person's random id."""
    slot: int
    """From 1."""
    pilot: bool = False
    order: tuple[Planned, ...] = field(default=(), metadata={"of": Planned})
    options: tuple[str, ...] = ()
    """The order of the answer options on screen (annotation: the mechanisms), escapes last."""
    program: str = ""
    """Version of capa-tui."""


@event("visit_started")
@dataclass(frozen=True, slots=True)
class VisitStarted(Payload):
    """The participant sat down (again)."""

    front_end: str
    """`tui`, `plain` or `jsonl`."""
    station: str = ""
    width: int | None = None
    height: int | None = None
    refresh: bool = False
    """After a long absence the instructions come up once more before the study goes on."""


@event("visit_ended")
@dataclass(frozen=True, slots=True)
class VisitEnded(Payload):
    """The participant paused, or the program was closed in an orderly way."""

    reason: str


@event("step_shown")
@dataclass(frozen=True, slots=True)
class StepShown(Payload):
    """A step came up in front of the participant."""

    step: str
    revision: int
    item: str | None = None


@event("field_answered")
@dataclass(frozen=True, slots=True)
class FieldAnswered(Payload):
    """One field of a step was answered; a later one for the same field replaces it."""

    step: str
    revision: int
    field: str
    value: Any
    item: str | None = None


@event("went_back")
@dataclass(frozen=True, slots=True)
class WentBack(Payload):
    """The participant reopened an earlier step; `revision` is the one that now opens."""

    step: str
    revision: int
    item: str | None = None


@event("revisit_left")
@dataclass(frozen=True, slots=True)
class RevisitLeft(Payload):
    """A reopened step was left as it was; its last revision stands."""

    step: str
    revision: int
    item: str | None = None


@event("consent_given")
@dataclass(frozen=True, slots=True)
class ConsentGiven(Payload):
    """The consent form was answered with every required item accepted."""

    items: Mapping[str, bool]
    text_sha256: str


@event("consent_declined")
@dataclass(frozen=True, slots=True)
class ConsentDeclined(Payload):
    """A required item of the consent form was refused; nothing more is asked."""

    items: Mapping[str, bool]
    text_sha256: str


@event("page_read")
@dataclass(frozen=True, slots=True)
class PageRead(Payload):
    """A page of text (instructions, a mechanism, feedback, a rest, the debrief) was left by going on."""

    step: str
    text_sha256: str


@event("training_answered")
@dataclass(frozen=True, slots=True)
class TrainingAnswered(Payload):
    """One practice item was answered. Practice never enters a figure."""

    item: str
    attempt: int
    revision: int
    answers: Mapping[str, Any]
    correct: bool


@event("training_ended")
@dataclass(frozen=True, slots=True)
class TrainingEnded(Payload):
    """One round of practice was finished; without a pass mark `passed` is None."""

    attempt: int
    correct: int
    asked: int
    passed: bool | None


@event("questionnaire_submitted")
@dataclass(frozen=True, slots=True)
class QuestionnaireSubmitted(Payload):
    """One screen of the closing questionnaire."""

    step: str
    answers: Mapping[str, Any]


@event("activity")
@dataclass(frozen=True, slots=True)
class Activity(Payload):
    """What the participant did while a step was up: raw, so that idle time can be computed later."""

    step: str
    revision: int
    samples: tuple[tuple[int, str], ...]
    """(milliseconds since the step was shown, on a monotonic clock; `key`, `mouse`, `scroll`, `focus`,
    `blur`, `codebook`, `pane`), at most one of a sort in a second."""
    item: str | None = None


@event("participation_completed")
@dataclass(frozen=True, slots=True)
class ParticipationCompleted(Payload):
    """The debrief was read; the participation counts."""

    completion_code: str


@event("participation_excluded")
@dataclass(frozen=True, slots=True)
class ParticipationExcluded(Payload):
    """A rule declared before the freeze ended the participation."""

    reason: str


@event("participation_withdrawn")
@dataclass(frozen=True, slots=True)
class ParticipationWithdrawn(Payload):
    """The participant took their data back; they leave every figure and export at once."""

    step: str = ""


@event("participation_limited")
@dataclass(frozen=True, slots=True)
class ParticipationLimited(Payload):
    """A spending limit ended the participation, politely."""

    limit: str
    """`participant` or `study`."""
    spent: float
    allowed: float


@event("participation_blocked")
@dataclass(frozen=True, slots=True)
class ParticipationBlocked(Payload):
    """The resume policy refused to go on after a long absence."""

    away_days: float
    limit_days: float
