"""The payloads of live dialogues that several kinds share: a model's reply, and the verdict on its code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.events import Payload, event
from studies.replies import Status


@dataclass(frozen=True, slots=True)
class Seen:
    """One thing a model saw, by reference: never a copy of anybody's words."""

    sort: Literal[
        "prompt", "interface", "request", "reply", "shipped", "gate", "blank",
        "statement", "source", "gap", "answer", "question",
    ]  # fmt: skip
    """prompt, interface, shipped, statement, source and gap are of the study version; the others are
    events."""
    stream: str = ""
    seq: int = 0
    name: str = ""
    """File, task or session of what belongs to the study version."""


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
    purpose: str = ""
    """What the call is for, where a session has several sorts: `ask`, `answer` or `code`."""


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
