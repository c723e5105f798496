"""Answers of models that must follow a schema: validated here, one repair, and never a quiet failure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from studies.replies import Assistant, Call, ChatMessage, Part, ReplyEnd
from studies.study import Study

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Answered(Generic[Model]):
    """What came of asking: an answer, or why there is none."""

    answer: Model | None
    trouble: str
    """Why the last answer did not fit, or never came."""
    cost: float | None
    """US dollars of all calls; None where one of them is unknown."""
    total_ms: int
    raw: str
    """The last reply as it came."""


async def ask(
    study: Study,
    name: str,
    messages: Sequence[ChatMessage],
    model: type[Model],
    script: str,
    assistant: Assistant,
) -> Answered[Model]:
    """Ask an assistant of the study once, and once more with the validation errors.

    Args:
        study: the version.
        name: of the assistant.
        messages: the conversation so far, the system prompt first.
        model: what the answer has to be.
        script: what the rehearsal answers.
        assistant: where the call goes.
    """
    settings = next(one for one in study.settings.assistants if one.name == name)
    asked = list(messages)
    cost: float | None = 0.0
    spent, raw, trouble = 0, "", ""
    for _ in range(2):
        call = Call(
            assistant=name,
            model=settings.model,
            messages=tuple(asked),
            parameters=settings.parameters,
            read_timeout=study.settings.roleplay.read_timeout,
            total_timeout=study.settings.roleplay.reply_timeout,
            schema=model.model_json_schema(),
            script=(script,),
        )
        end = await whole(assistant, call)
        cost = None if cost is None or end.usage.cost is None else cost + end.usage.cost
        spent, raw = spent + end.total_ms, end.text
        if end.status != "complete":
            trouble = end.detail or end.error or end.status
            break
        try:
            return Answered(model.model_validate(_json_in(raw)), "", cost, spent, raw)
        except (ValueError, ValidationError) as error:
            trouble = str(error)[:500]
            asked += [ChatMessage("assistant", raw), ChatMessage("user", f"That does not fit: {trouble}")]
    return Answered(None, trouble, cost, spent, raw)


async def whole(assistant: Assistant, call: Call) -> ReplyEnd:
    """A reply read to its end."""
    async for one in assistant.reply(call):
        if not isinstance(one, Part):
            return one
    return ReplyEnd("failed", "", error="the assistant gave no reply", error_kind="empty")


def _json_in(text: str) -> Any:
    """The JSON object in a reply, whatever stands around it.

    Raises:
        ValueError: there is none.
    """
    begin, end = text.find("{"), text.rfind("}")
    if begin < 0 or end < begin:
        raise ValueError("no JSON object in the answer")
    return json.loads(text[begin : end + 1])
