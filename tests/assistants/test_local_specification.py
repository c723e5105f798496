"""Buddy with the small real model: each stage ends valid or in the clear failure, and the project goes on."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

import pytest
from support.shaped import stage
from support.specifications import NobodyElse, one_step, project, state_of, wishes
from support.visits import Sitting

from capa_tui.assistants import local
from capa_tui.assistants.client import Gateway
from studies.folder import parse
from studies.replies import Call, Part, ReplyEnd
from studies.runner import Visit
from studies.specification import payloads as said
from studies.specification.agents.buddy import Buddy
from studies.specification.crew import Crew
from studies.specification.protocol import SpecificationKind
from studies.steps import Step
from studies.study import Study

LACKING = local.missing()
pytestmark = [
    pytest.mark.local,
    pytest.mark.xdist_group("gateway"),
    pytest.mark.skipif(LACKING is not None, reason=LACKING or ""),
]
PERSONA = """
[[personas]]
id = "agnes"
name = "Agnes"
occupation = "teacher"
backstory = "Agnes leads a book club."
traits = ["Priorities: plain things."]
behaviour = "She takes the plainer way."
[[personas.check]]
id = "who"
text = "What does she lead?"
options = ["A book club.", "A choir."]
answer = "A book club."
"""
TALK = {
    "id": "labels",
    "dialogue": [
        {"role": "user", "text": "I want large letters. No stars, please."},
        {"role": "assistant", "text": "Shall I add a count?"},
        {"role": "user", "text": "No. I leave out what nobody needs."},
    ],
}
TRIED = ("profile", "chart", "update")
"""Stages for which the model is asked; the others keep to the script, so that these come up at all."""
MOST_TOKENS = 32
"""Of a reply. The model is small and confused; a longer one costs time and helps it little."""
PROMPTS = {
    "profile": "Say what holds of the user in every project.",
    "chart": "Name 8 to 12 things about the project that people would want differently.",
    "update": "Say which dimensions the last answer settles; often none.",
}
"""A study's own prompts, in a line each: what is read costs this model as much time as what is written."""


def small() -> Study:
    """One project, one persona with one past conversation, one question."""
    more = 'task = "sheet"\nbudgets = [1]\nidentity = "persona"'
    made = wishes(project("club", persona="agnes", conversations=[TALK]), personas=PERSONA, more=more)
    own = {f"prompts/buddy-{name}.md": text.encode() for name, text in PROMPTS.items()}
    return parse({**made.files, **own})


class FirstLocal:
    """The model's own answers to the first try at some stages; else what the script says."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._tried: set[str] = set()
        self.ends: list[ReplyEnd] = []

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        name, repair = stage(call), call.messages[-1].content.startswith("That does not fit")
        if name not in TRIED or (name in self._tried and not repair):
            yield Part(call.script[-1])
            yield ReplyEnd("complete", call.script[-1])
            return
        self._tried.add(name)
        brief = {"max_tokens": MOST_TOKENS, "temperature": 0.0}
        async with aclosing(self._gateway.reply(replace(call, model="local", parameters=brief))) as reply:
            async for one in reply:
                if isinstance(one, ReplyEnd):
                    self.ends.append(one)
                yield one


async def test_a_profile_a_chart_and_a_round_are_valid_or_fail_clearly(gateway: Gateway) -> None:
    study = small()
    sitting, model = Sitting(study), FirstLocal(gateway)
    visit = Visit(study, sitting.events, sitting.journal, sitting.clock)
    visit.live = Crew(visit, model, NobodyElse())
    await visit.begin("test")
    failures = 0
    while not (isinstance(step := visit.current, Step) and step.id.startswith("met:") and step.work is None):
        assert isinstance(step, Step), step
        if step.broken:
            assert step.work is not None
            assert step.work.notice == (
                "The assistant's answer could not be used. What was done so far is kept."
            )
            failures += 1
            await visit.live.retry(step)
        else:
            await one_step(visit, {"who": "A book club."})
    assert {(one.status, one.structured, one.model_served) for one in model.ends} == {
        ("complete", "json_schema", local.SERVED)
    }
    assert len(model.ends) in range(3, 7)
    first = {
        one.payload.call.partition(":")[0]: one.payload
        for one in reversed(sitting.events)
        if isinstance(one.payload, said.AgentAnswered)
    }
    kind, (session,) = visit.protocol.kind, state_of(visit).sessions
    assert isinstance(kind, SpecificationKind)
    for name in TRIED:
        answered = first[name]
        assert answered.standing in ("valid", "invalid")
        if answered.standing == "invalid":
            assert answered.trouble
            assert answered.answer is None
            assert len(answered.replies) == 2
        else:
            asked = Buddy().request(answered.call, kind.brief(session, visit.state))
            assert asked.check(asked.answer.model_validate(answered.answer)) == ()
    assert failures == sum(first[name].standing == "invalid" for name in TRIED)
    assert session.frozen is not None
