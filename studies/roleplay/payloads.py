"""The payloads of a role-play session: what was said, what came back, what the judge found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.events import Payload, event
from studies.replies import Status

Condition = Literal["none", "same-user", "shuffled", "gated"]
Disposition = Literal["solved", "limit", "gave_up", "timed_out", "technical", "spend_cap", "withdrew"]


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing a model saw, by reference: never a copy of anybody's words."""

    sort: Literal["prompt", "interface", "request", "reply", "shipped", "gate", "blank"]
    """prompt, interface and shipped are of the study version; the others are events."""
    stream: str = ""
    seq: int = 0
    name: str = ""
    """File, task or session of what belongs to the study version."""


@event("session_started")
@dataclass(frozen=True, slots=True)
class SessionStarted(Payload):
    """A task was opened to the participant."""

    session: str
    item: str
    """Id of the task."""
    part: Literal["history", "reserve", "held_out"]
    condition: Condition
    assistant: str
    model: str
    step: str = ""


@event("turn_submitted")
@dataclass(frozen=True, slots=True)
class TurnSubmitted(Payload):
    """The participant sent a request."""

    step: str
    session: str
    item: str
    turn: int
    text: str
    opening: Literal["fixed", "free", ""] = ""
    """How the session was opened; empty from the second turn on."""
    pasted: int = 0
    """Characters of it that were pasted."""
    typing_ms: int = 0


@event("reply_started")
@dataclass(frozen=True, slots=True)
class ReplyStarted(Payload):
    """An assistant was called. `saw` says exactly what it was given, in order."""

    session: str
    item: str
    turn: int
    attempt: int
    assistant: str
    model: str
    parameters: Mapping[str, Any]
    prompt_sha256: str
    saw: tuple[Seen, ...] = field(metadata={"of": Seen})


@event("reply_part")
@dataclass(frozen=True, slots=True)
class ReplyPart(Payload):
    """Text that arrived since the last part; the closing event holds the whole."""

    session: str
    turn: int
    attempt: int
    text: str


@event("reply_ended")
@dataclass(frozen=True, slots=True)
class ReplyEnded(Payload):
    """A reply is over, whatever happened to it."""

    session: str
    item: str
    turn: int
    attempt: int
    status: Status
    text: str
    model_served: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    usage_estimated: bool = False
    cost: float | None = None
    first_token_ms: int | None = None
    total_ms: int = 0
    error: str = ""
    error_kind: str = ""
    detail: str = ""
    """For the researcher: what the provider said. Never holds a key."""
    structured: str = ""
    """How an answer was held to a schema, where one was asked for."""
    client: str = ""
    names_maker: bool = False
    """The reply named its maker; masked on screen, kept raw here."""
    mentions_history: bool = False
    """The reply spoke of earlier sessions, which may tell the participant the condition."""


@event("reply_retried")
@dataclass(frozen=True, slots=True)
class ReplyRetried(Payload):
    """The participant asked for a broken reply again, in the same turn."""

    session: str
    item: str
    turn: int


@event("gate_decided")
@dataclass(frozen=True, slots=True)
class GateDecided(Payload):
    """What the gate model made of the history (CAPA, same-user history gating)."""

    session: str
    item: str
    sufficient: bool | None
    """None: the gate answered badly and the recorded fallback was taken."""
    highlighted: str
    """The most informative session, where the evidence suffices."""
    text: str
    """Evidence, or guidance on what remains unresolved."""
    fallback: str = ""
    cost: float | None = None
    total_ms: int = 0
    raw: str = ""


@event("verdict_given")
@dataclass(frozen=True, slots=True)
class VerdictGiven(Payload):
    """The judge's verdict on what a reply holds. Hidden from the participant unless the study says so."""

    session: str
    item: str
    turn: int
    verdict: str
    detail: str
    ms: int
    code: str
    isolation: str
    submission: bool
    """False: the reply was a question, and nothing was run."""


@event("opinion_given")
@dataclass(frozen=True, slots=True)
class OpinionGiven(Payload):
    """A model's second opinion on a submission. It decides nothing."""

    session: str
    item: str
    turn: int
    agrees: bool | None
    """Whether the code agrees in function with the reference; None: no usable answer."""
    reason: str
    cost: float | None = None
    total_ms: int = 0
    raw: str = ""


@event("history_frozen")
@dataclass(frozen=True, slots=True)
class HistoryFrozen(Payload):
    """The resolved sessions that are this person's history from now on; empty where fewer were resolved."""

    sessions: tuple[str, ...]


@event("session_ended")
@dataclass(frozen=True, slots=True)
class SessionEnded(Payload):
    """A task is closed."""

    step: str
    session: str
    item: str
    disposition: Disposition
    turns: int
    """Assistant turns used up; 0 where none was."""
    declared: bool = False
    """The participant declared it done (feedback `participant_decides`)."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Donor:
    """One resolved session that may be shown as another person's."""

    stream: str
    session: str
    item: str


@event("donors_fixed")
@dataclass(frozen=True, slots=True)
class DonorsFixed(Payload):
    """Which sessions serve as shuffled histories: fixed before the first held-out session."""

    study: str
    donors: tuple[Donor, ...] = field(metadata={"of": Donor})
