"""The gate (CAPA, A lightweight same-user history gating method): does the history settle the request?"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, ConfigDict

from studies.answers import ask
from studies.replies import Assistant, ChatMessage
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
    messages = (ChatMessage("system", prompt.strip()), ChatMessage("user", asked))
    script = '{"sufficient": false, "session": 0, "text": "Ask what is unclear."}'
    got = await ask(settings, study.settings.roleplay, messages, GateAnswer, script, assistant)
    answer = got.answer
    if answer is None:
        fallback = f"{FALLBACK}: {got.trouble}"
        return GateDecided(session.id, session.item, None, "", "", fallback, got.cost, got.total_ms, got.raw)
    place = answer.session
    highlighted = history[place - 1].name if answer.sufficient and 1 <= place <= len(history) else ""
    return GateDecided(
        session.id,
        session.item,
        answer.sufficient,
        highlighted,
        answer.text,
        "",
        got.cost,
        got.total_ms,
        got.raw,
    )
