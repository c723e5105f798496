"""The payloads of a role-play session; those of replies and verdicts are in `studies.reply_payloads`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from studies.events import Payload, event
from studies.reply_payloads import ReplyEnded as ReplyEnded
from studies.reply_payloads import ReplyPart as ReplyPart
from studies.reply_payloads import ReplyRetried as ReplyRetried
from studies.reply_payloads import ReplyStarted as ReplyStarted
from studies.reply_payloads import Seen as Seen
from studies.reply_payloads import VerdictGiven as VerdictGiven

Condition = Literal["none", "same-user", "shuffled", "gated"]
Disposition = Literal["solved", "limit", "gave_up", "timed_out", "technical", "spend_cap", "withdrew"]


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
