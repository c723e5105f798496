"""A model's second opinion on a submission, kept beside the executed verdict and never instead of it.

CAPA's judge also weighs whether the code agrees in function with the reference (Stage Two, judgment agent).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from studies.answers import ask
from studies.replies import Assistant, ChatMessage
from studies.roleplay.context import system_prompt
from studies.roleplay.payloads import OpinionGiven

if TYPE_CHECKING:
    from studies.roleplay.materials import Task
    from studies.roleplay.sessions import Session
    from studies.study import Study

PROMPT = """You compare two Python functions: a reference, and one that somebody submitted. Say whether
the submitted one does the same for every input that the reference is meant for. How it is
written does not matter.

Answer with one JSON object: {"agrees": true or false, "reason": "one sentence"}"""


class Opinion(BaseModel):
    """What the model has to answer."""

    model_config = ConfigDict(extra="ignore", strict=True)

    agrees: bool
    reason: str


async def ask_opinion(
    study: Study, session: Session, task: Task, code: str, assistant: Assistant
) -> OpinionGiven:
    """The second opinion on a submission; `agrees` is None where the model gave no usable answer."""
    name = study.settings.roleplay.second_opinion
    settings = next(one for one in study.settings.assistants if one.name == name)
    prompt, _ = system_prompt(study, name) if settings.prompt else (PROMPT, None)
    asked = f"The interface: {task.interface}\n\nThe reference:\n\n{task.reference}\n\nSubmitted:\n\n{code}"
    messages = (ChatMessage("system", prompt.strip()), ChatMessage("user", asked))
    script = '{"agrees": false, "reason": "A rehearsal has no opinion."}'
    got = await ask(settings, study.settings.roleplay, messages, Opinion, script, assistant)
    return OpinionGiven(
        session.id,
        session.item,
        session.turns[-1].number,
        got.answer.agrees if got.answer else None,
        got.answer.reason if got.answer else got.trouble,
        got.cost,
        got.total_ms,
        got.raw,
    )
