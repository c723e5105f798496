"""A loopback model that answers a specification study's agents in the right shapes, or as a test wants.

What it says is each call's own script, as the rehearsal would say it; how it comes, and what is wrong with
it, is up to the test.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from studies.replies import Assistant, Call, Part, ReplyEnd
from support.provider import Answer, CallTool, Drop, End, Provider, Refusal, Reply, Request, Say, Stall

MODEL = "shaped"
Fault = Callable[[str, bool], Reply]
"""From what should be said, and whether by a tool call, to what comes."""
STAGES = {"votes": "simulate", "reflection": "reflect"}
"""Stages by the title of their schema, where they are called otherwise."""


class Shaped:
    """An `Assistant`: every call goes to the loopback model, through whatever reaches it."""

    def __init__(self, inner: Assistant, provider: Provider, faults: dict[str, list[Fault]]) -> None:
        """An assistant.

        Args:
            inner: what reaches the provider.
            provider: where the model is.
            faults: by stage, one for each of its requests, first to last; then all is well.
        """
        self._inner = inner
        self._faults = faults
        self._calls: list[Call] = []
        provider.answers[MODEL] = self._answer

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """What comes of it."""
        self._calls.append(call)
        async with aclosing(self._inner.reply(replace(call, model=f"openai/{MODEL}"))) as reply:
            async for one in reply:
                yield one

    @property
    def told(self) -> str:
        """What the model was told was wrong with its answers, altogether."""
        last = (one.messages[-1].content for one in self._calls)
        return "\n".join(one for one in last if one.startswith("That does not fit"))

    def _answer(self, request: Request) -> Reply:
        call = self._asked(request.body["messages"])
        faults = self._faults.get(stage(call), [])
        return (faults.pop(0) if faults else right)(call.script[-1], "tools" in request.body)

    def _asked(self, sent: Sequence[Any]) -> Call:
        """The call behind a request; its last message may have been told the schema as well."""
        texts = [one["content"] for one in sent]
        for call in reversed(self._calls):
            said = [one.content for one in call.messages]
            if said[:-1] == texts[:-1] and texts[-1].startswith(said[-1]):
                return call
        raise AssertionError("nobody asked that")


def stage(call: Call) -> str:
    """Which stage a call belongs to."""
    if call.tools:
        return "act"
    title = str((call.schema or {})["title"]).lower()
    return STAGES.get(title, title)


def right(script: str, tool: bool) -> Reply:
    """All is well."""
    if not tool:
        return Answer(Say(script))
    call = json.loads(script)
    return Answer(CallTool(call["tool"], json.dumps(call["arguments"]), pieces=3))


def changed(change: Callable[[Any], object]) -> Fault:
    """An answer of which something was changed in place."""

    def fault(script: str, tool: bool) -> Reply:
        value = json.loads(script)
        change(value)
        return right(json.dumps(value), tool)

    return fault


def in_prose(script: str, tool: bool) -> Reply:
    """The answer with words around it."""
    return Answer(Say(f"Gladly {{as you said}}. Here it is:\n\n```json\n{script}\n```\n\nAnything else?"))


def cut_off(script: str, tool: bool) -> Reply:
    """The answer's first half, at the model's own limit."""
    if not tool:
        return Answer(Say(script[: len(script) // 2]), End(finish="length"))
    call = json.loads(script)
    arguments = json.dumps(call["arguments"])
    return Answer(CallTool(call["tool"], arguments[: len(arguments) // 2]), End(finish="length"))


def no_json(script: str, tool: bool) -> Reply:
    """Words alone."""
    return Answer(Say("I would rather talk about it first."))


def server_error(script: str, tool: bool) -> Reply:
    """A fault of the server's."""
    return Refusal(500)


def dropped(script: str, tool: bool) -> Reply:
    """The connection breaks in the middle."""
    return Answer(Say(script[:40]), Drop())


def stalled(script: str, tool: bool) -> Reply:
    """Nothing more comes after the beginning."""
    return Answer(Say(script[:20]), Stall())
