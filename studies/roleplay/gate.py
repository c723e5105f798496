"""The gate (CAPA, A lightweight same-user history gating method): does the history settle the request?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from studies.replies import Assistant, Call, ChatMessage, Part, ReplyEnd
from studies.roleplay.context import Dialogue, system_prompt, transcript
from studies.roleplay.payloads import GateDecided
from studies.roleplay.sessions import Session
from studies.study import Study

PROMPT = """You read earlier coding sessions of one user and a new request of the same user. Decide whether
those sessions show what this user means where the request is unclear.

If they do, name the session that shows it best and say in one or two sentences what it shows. If they do
not, say in one or two sentences what has to be asked.

Answer with one JSON object: {"sufficient": true or false, "session": its number or 0, "text": "..."}"""
FALLBACK = "raw history"


class GateAnswer(BaseModel):
    """What the gate model has to answer."""

    model_config = ConfigDict(extra="ignore", strict=True)

    sufficient: bool
    session: int = 0
    text: str


async def ask_gate(
    study: Study, session: Session, history: Sequence[Dialogue], assistant: Assistant
) -> GateDecided:
    """Ask the gate model once, and once more with the validation errors; then fall back, recorded.

    The fallback gives the assistant the raw history and nothing else.
    """
    name = study.settings.roleplay.gate
    settings = next(one for one in study.settings.assistants if one.name == name)
    prompt, _ = system_prompt(study, name) if settings.prompt else (PROMPT, None)
    asked = f"{transcript(history)}\n\nThe new request: {session.turns[-1].request}"
    messages = [ChatMessage("system", prompt.strip()), ChatMessage("user", asked)]
    cost: float | None = 0.0
    spent_ms, raw, trouble = 0, "", ""
    for _ in range(2):
        call = Call(
            assistant=name,
            model=settings.model,
            messages=tuple(messages),
            parameters=settings.parameters,
            read_timeout=study.settings.roleplay.read_timeout,
            total_timeout=study.settings.roleplay.reply_timeout,
            schema=GateAnswer.model_json_schema(),
            script=(json.dumps({"sufficient": False, "session": 0, "text": "Ask what is unclear."}),),
        )
        end = await whole(assistant, call)
        cost = None if cost is None or end.usage.cost is None else cost + end.usage.cost
        spent_ms, raw = spent_ms + end.total_ms, end.text
        if end.status != "complete":
            trouble = end.detail or end.error or end.status
            break
        try:
            answer = GateAnswer.model_validate(_json_in(raw))
        except (ValueError, ValidationError) as error:
            trouble = str(error)[:500]
            messages += [ChatMessage("assistant", raw), ChatMessage("user", f"That does not fit: {trouble}")]
            continue
        place = answer.session
        highlighted = history[place - 1].name if answer.sufficient and 1 <= place <= len(history) else ""
        return GateDecided(
            session.id, session.item, answer.sufficient, highlighted, answer.text, "", cost, spent_ms, raw
        )
    return GateDecided(session.id, session.item, None, "", "", f"{FALLBACK}: {trouble}", cost, spent_ms, raw)


async def whole(assistant: Assistant, call: Call) -> ReplyEnd:
    """A reply read to its end."""
    async for one in assistant.reply(call):
        if isinstance(one, Part):
            continue
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
