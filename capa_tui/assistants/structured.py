"""Answers by schema: the ladder json_schema, json_object, prompt. Whoever called validates what comes."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from capa_tui.machine import Rung
from studies.replies import ChatMessage

RUNGS: tuple[Rung, ...] = get_args(Rung)


def rungs(set_here: Rung | None, schemas: bool, response_format: bool) -> tuple[Rung, ...]:
    """The ways to try, in order: from the one this machine sets, or the strictest the model supports, down.

    Args:
        set_here: as the machine's configuration says.
        schemas: whether litellm knows the model to take JSON schemas.
        response_format: whether litellm knows it to take a response format at all.
    """
    first: Rung = set_here or ("json_schema" if schemas else "json_object" if response_format else "prompt")
    return RUNGS[RUNGS.index(first) :]


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
    *before, last = messages
    return [*before, ChatMessage(last.role, f"{last.content}\n\n{told}")]
