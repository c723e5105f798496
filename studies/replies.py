"""Live assistants: what is asked of one, and what comes back, part by part."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Status = Literal["complete", "stopped", "interrupted", "failed"]
"""complete: all of it. stopped: the participant stopped it. interrupted: it broke off after some text, or
the gateway died. failed: the provider refused or nothing came."""


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a call. The role is the provider's: system, user, assistant."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, slots=True)
class Tool:
    """One thing that a model may do instead of writing: a tool, as providers call it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """A JSON schema of its arguments."""


@dataclass(frozen=True, slots=True)
class Call:
    """One request to a model. Everything the model will see is in it."""

    assistant: str
    """The study's name for the assistant."""
    model: str
    """As litellm names it, or `rehearsal`, or `local`."""
    messages: tuple[ChatMessage, ...]
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """temperature, max_tokens, ...; sent as they are, never dropped."""
    schema: Mapping[str, Any] | None = None
    """A JSON schema that the answer must follow."""
    tools: tuple[Tool, ...] = ()
    """Exactly one of these must be called; the reply is then `{"tool": NAME, "arguments": {...}}` as text.
    There is no `schema` beside them. Of several calls the first counts; `ReplyEnd.detail` names the rest."""
    script: tuple[str, ...] = ()
    """For the rehearsal only: what the scripted assistant says, turn by turn."""
    turn: int = 1
    read_timeout: float = 60.0
    """Seconds until the first part, and between two parts."""
    total_timeout: float = 180.0
    """Seconds for the whole reply."""


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of the reply's text, as it arrives."""

    text: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens and money. None is unknown, never zero."""

    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    estimated: bool = False
    """True: counted here, because the provider did not say."""
    cost: float | None = None
    """US dollars, where a price is known."""


@dataclass(frozen=True, slots=True)
class ReplyEnd:
    """The last thing of every reply, whatever happened."""

    status: Status
    text: str
    """The whole text as far as it came."""
    model_served: str = ""
    """As the provider named it."""
    finish_reason: str = ""
    usage: Usage = Usage()
    first_token_ms: int | None = None
    total_ms: int = 0
    error: str = ""
    """In plain words, fit for a participant: what happened. Names no model and no provider."""
    error_kind: str = ""
    """`rate_limit`, `timeout`, `server`, `unreachable`, `refused`, `empty`, `too_long`, `lost_stream`,
    `gateway`, `configuration`."""
    detail: str = ""
    """For the researcher: what the provider or this machine said. Never holds a key; may name the model."""
    client: str = ""
    """`litellm 1.x`, `rehearsal`, ..."""
    structured: str = ""
    """How an answer by schema, or a tool call, was asked for: `tool_call`, `json_schema`, `json_object` or
    `prompt`."""


class Assistant(Protocol):
    """Something that replies. Closing the iterator early stops the provider as well."""

    def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """Parts, then exactly one `ReplyEnd`. Never raises for what the provider does."""
