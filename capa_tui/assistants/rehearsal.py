"""The rehearsal: an assistant that says what the task's script holds. No model, no network, no gateway."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator

from studies.replies import Call, Part, ReplyEnd, Usage

MODEL = "rehearsal"
"""What a study writes for it; also how it names itself in the data."""
CALM = 0.025
"""Seconds between two words: about as fast as one reads along."""
UNSCRIPTED = (
    "This is a rehearsal: no assistant is connected, and this task has no script. "
    "Everything else works as it will in the study."
)


class Rehearsal:
    """An `Assistant` that recites; `pause` is in seconds between two words, 0 for none."""

    def __init__(self, pause: float = CALM) -> None:
        self._pause = pause

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The script's line for this turn, word by word; the last line for all turns beyond it.

        An answer by schema, or a tool call, comes whole: nobody reads it along.
        """
        script = call.script or (UNSCRIPTED,)
        text = script[min(max(call.turn, 1), len(script)) - 1]
        began = time.monotonic()
        first: int | None = None
        read_along = call.schema is None and not call.tools
        for word in (re.findall(r"\s*\S+\s*", text) if read_along else []) or [text]:
            await asyncio.sleep(self._pause)
            first = _since(began) if first is None else first
            yield Part(word)
        yield ReplyEnd(
            "complete",
            text,
            model_served=MODEL,
            finish_reason="stop",
            usage=Usage(cost=0.0),
            first_token_ms=first,
            total_ms=_since(began),
            client=MODEL,
        )


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)
