"""Answers by schema: the ladder json_schema, json_object, prompt, and above it tool_call where tools are
offered. Whoever called validates what comes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from capa_tui.assistants.tools import as_functions, as_schema, in_words
from capa_tui.machine import Rung
from studies.replies import Call, ChatMessage

RUNGS: tuple[Rung, ...] = get_args(Rung)


def rungs(
    set_here: Rung | None, schemas: bool, response_format: bool, functions: bool | None = None
) -> tuple[Rung, ...]:
    """The ways to try, in order: from the one this machine sets, or the strictest the model supports, down.

    Args:
        set_here: as the machine's configuration says.
        schemas: whether litellm knows the model to take JSON schemas.
        response_format: whether litellm knows it to take a response format at all.
        functions: whether litellm knows it to call functions; None where no tool is offered.
    """
    known: Rung = "json_schema" if schemas else "json_object" if response_format else "prompt"
    if functions is None:
        first = known if set_here in (None, "tool_call") else set_here
    else:
        first = set_here or ("tool_call" if functions else known)
    return RUNGS[RUNGS.index(first) :]


def asked_for(call: Call, rung: Rung) -> tuple[list[ChatMessage], dict[str, Any]]:
    """A call's messages, and what the request says beside them."""
    messages = list(call.messages)
    if rung == "tool_call":
        return messages, as_functions(call.tools)
    schema = call.schema or {}
    if call.tools:
        schema = as_schema(call.tools)
        messages = _with(messages, in_words(call.tools))
    wanted = response_format(rung, schema)
    return with_schema(messages, rung, schema), {} if wanted is None else {"response_format": wanted}


def response_format(rung: Rung, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """What the request says beside its messages."""
    if rung == "json_schema":
        described = {"name": "answer", "schema": dict(schema), "strict": True}
        return {"type": "json_schema", "json_schema": described}
    return {"type": "json_object"} if rung == "json_object" else None


def with_schema(messages: Sequence[ChatMessage], rung: Rung, schema: Mapping[str, Any]) -> list[ChatMessage]:
    """The messages as sent: below the first rung the last one also states the schema."""
    if rung == "json_schema":
        return list(messages)
    told = "Answer with one JSON object and nothing else. It must follow this JSON schema:\n" + json.dumps(
        schema, ensure_ascii=False, sort_keys=True
    )
    return _with(messages, told)


def _with(messages: Sequence[ChatMessage], told: str) -> list[ChatMessage]:
    *before, last = messages
    return [*before, ChatMessage(last.role, f"{last.content}\n\n{told}")]
