"""Answers of models that must follow a schema: validated here, one repair, and never a quiet failure."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from studies.replies import Assistant, Call, ChatMessage, Part, ReplyEnd, Tool

if TYPE_CHECKING:
    from studies.setting_types import LiveSettings
    from studies.settings import AssistantSettings

Model = TypeVar("Model", bound=BaseModel)
MOST_TROUBLE = 2_000
"""Characters of what is wrong with an answer that go back to the model."""
NO_JSON = "no JSON object in the answer"
BROKEN_OFF = "the JSON object breaks off before its end; answer with a whole one, in fewer words"


def _nothing_more(answer: Any) -> Sequence[str]:
    return ()


@dataclass(frozen=True, slots=True)
class Answered(Generic[Model]):
    """What came of asking: an answer, or why there is none."""

    answer: Model | None
    trouble: str
    """Why the last answer did not fit, or never came; empty where there is an answer."""
    replies: tuple[ReplyEnd, ...]
    """Every reply, in order: at most two."""

    @property
    def cost(self) -> float | None:
        """US dollars of all calls; None where one of them is unknown."""
        costs = [one.usage.cost for one in self.replies]
        return None if None in costs else sum(one for one in costs if one is not None)

    @property
    def total_ms(self) -> int:
        """Time of all calls."""
        return sum(one.total_ms for one in self.replies)

    @property
    def raw(self) -> str:
        """The last reply as it came."""
        return self.replies[-1].text if self.replies else ""


async def ask(
    settings: AssistantSettings,
    limits: LiveSettings,
    messages: Sequence[ChatMessage],
    model: type[Model],
    script: str,
    assistant: Assistant,
    check: Callable[[Model], Sequence[str]] = _nothing_more,
    tools: Sequence[Tool] = (),
) -> Answered[Model]:
    """Ask an assistant of the study once, and once more with what is wrong.

    Args:
        settings: of the assistant.
        limits: how long to wait.
        messages: the conversation so far, the system prompt first.
        model: what the answer has to be.
        script: what the rehearsal answers.
        assistant: where the call goes.
        check: what is wrong with an answer that fits the model; the rules that a schema cannot say.
        tools: where one of them has to be called; `model` is then of `{"tool": NAME, "arguments": {...}}`.
    """
    asked = list(messages)
    replies: list[ReplyEnd] = []
    trouble = ""
    for _ in range(2):
        call = Call(
            assistant=settings.name,
            model=settings.model,
            messages=tuple(asked),
            parameters=settings.parameters,
            read_timeout=limits.read_timeout,
            total_timeout=limits.reply_timeout,
            schema=None if tools else model.model_json_schema(),
            tools=tuple(tools),
            script=(script,),
        )
        end = await whole(assistant, call)
        replies.append(end)
        if end.status != "complete":
            trouble = end.detail or end.error or end.status
            break
        answer, trouble = read_answer(end.text, model, check)
        if answer is not None:
            return Answered(answer, "", tuple(replies))
        if tools and trouble == NO_JSON:
            trouble = f"no tool was called; call {' or '.join(one.name for one in tools)}"
        asked += [ChatMessage("assistant", end.text), ChatMessage("user", f"That does not fit: {trouble}")]
    return Answered(None, trouble, tuple(replies))


async def whole(assistant: Assistant, call: Call) -> ReplyEnd:
    """A reply read to its end."""
    async with aclosing(assistant.reply(call)) as reply:
        async for one in reply:
            if not isinstance(one, Part):
                return one
    return ReplyEnd("failed", "", error="the assistant gave no reply", error_kind="empty")


def read_answer(
    text: str, model: type[Model], check: Callable[[Model], Sequence[str]] = _nothing_more
) -> tuple[Model | None, str]:
    """The answer in a reply, whatever stands around it; or None and what is wrong."""
    trouble = NO_JSON
    for value in _objects_in(text):
        if value is None:
            trouble = BROKEN_OFF
            continue
        try:
            answer = model.model_validate(value)
        except ValidationError as error:
            trouble = _told(error)
            continue
        if wrong := list(check(answer)):
            trouble = "; ".join(wrong)
            continue
        return answer, ""
    return None, trouble[:MOST_TROUBLE]


def _told(error: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(map(str, one['loc'])) or 'the answer'}: {one['msg']}" for one in error.errors()[:10]
    )


def _objects_in(text: str) -> Iterator[Any]:
    """The outermost JSON objects of a text, in order; an object inside another is part of it. None stands for
    one that breaks off with the text."""
    decoder = json.JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            value, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
                yield None
                return
            end = at + 1
        except RecursionError:
            end = at + 1
        else:
            yield value
        at = text.find("{", end)
