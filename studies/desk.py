"""The payloads of a desk: what a researcher did at one station."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.events import Payload, event


@event("desk_opened")
@dataclass(frozen=True, slots=True)
class DeskOpened(Payload):
    """The first event of a station's desk."""

    station: str
    program: str = ""


@event("study_loaded")
@dataclass(frozen=True, slots=True)
class StudyLoaded(Payload):
    """A study folder was copied into the database."""

    study: str
    """SHA-256 of the version."""
    name: str
    title: str
    study_kind: str
    items: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """A code was issued for a person, and for a slot where the design has slots."""

    participant: str
    slot: int | None = None


@event("codes_issued")
@dataclass(frozen=True, slots=True)
class CodesIssued(Payload):
    """Participant codes were issued; from then on unknown codes are refused. The codes are not here."""

    study: str
    invitations: tuple[Invitation, ...] = field(metadata={"of": Invitation})


@event("slot_released")
@dataclass(frozen=True, slots=True)
class SlotReleased(Payload):
    """A drop-out's slot was freed for a replacement."""

    study: str
    participation: str | None
    """The stream, or None where the person was invited and never came."""
    participant: str
    slot: int | None


@event("look")
@dataclass(frozen=True, slots=True)
class Look(Payload):
    """Somebody looked at a figure before planned N was reached."""

    study: str
    figure: str
    reason: str
    completed: int
    planned: int


@event("annotation_adjudicated")
@dataclass(frozen=True, slots=True)
class AnnotationAdjudicated(Payload):
    """A final label for an item, with its reason. It never enters kappa."""

    study: str
    item: str
    adjudicator: str
    dominant: str
    additional: tuple[str, ...]
    reason: str
    labels: tuple[str, ...] = ()
    """The labels that were shown, in the random order they were shown in."""
    sampled_agreement: bool = False
    """True for an item on which the raters agreed, drawn for checking."""
    mode: Literal["independent", "consensus"] = "independent"


@event("participation_erased")
@dataclass(frozen=True, slots=True)
class ParticipationErased(Payload):
    """The tombstone: every payload of the stream is gone, here and wherever this desk is merged."""

    study: str
    participation: str
    """The stream; empty for a person who was invited and never came."""
    reason: str
    participant: str = ""
    """The person's random id, so that no merge brings their code back."""


@event("blank_judged")
@dataclass(frozen=True, slots=True)
class BlankJudged(Payload):
    """One call of the blank control (whole specification, no history) and what came of it."""

    study: str
    assistant: str
    item: str
    """Id of the task."""
    verdict: str
    status: str
    """Of the reply: complete, interrupted, failed."""
    text: str = ""
    """The reply."""
    model_served: str = ""
    cost: float | None = None


@event("deviation_noted")
@dataclass(frozen=True, slots=True)
class DeviationNoted(Payload):
    """A researcher's note about the running of a study, printed with its figures."""

    study: str
    text: str


@event("exported")
@dataclass(frozen=True, slots=True)
class Exported(Payload):
    """Data left the database."""

    study: str
    format: str
    counts: Mapping[str, Any]
