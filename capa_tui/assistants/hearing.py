"""What comes of one reply: text, usage, cost, times, and what litellm does not pass on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

from capa_tui.assistants.faults import Fault, fault_of, fault_of_body, plain, status_after
from capa_tui.assistants.route import Route
from capa_tui.assistants.tools import ToolCalls
from studies.replies import Call, ReplyEnd, Usage

REPLY_LIMIT = 2_000_000
"""Characters after which a reply is cut: no model means that."""
BREATH = 16
"""Pieces after which other work gets a turn, however fast a provider sends."""

Say = Callable[[str], None]


class Heard:
    """What has come of one reply so far. `say` gets each piece of text as it comes."""

    def __init__(self, litellm: Any, call: Call, route: Route, say: Say) -> None:
        self._litellm = litellm
        self._call = call
        self._route = route
        self._say = say
        self._clock = asyncio.get_running_loop().time
        self._began = self._clock()
        self._first: float | None = None
        self._pieces: list[str] = []
        self._length = 0
        self._finish = ""
        self._served = ""
        self._usage: Any = None
        self._told: Any = None
        self._whole = False
        self._chunks: list[Any] = []
        self._calls = ToolCalls()
        self.structured = ""
        """How the answer was asked for; with `tool_call` its text comes as one piece in the end."""

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(self._pieces)

    # -- hearing -------------------------------------------------------------------------------

    @asynccontextmanager
    async def limits(self) -> AsyncIterator[None]:
        """Ends the reply with a `timeout` when a part or the whole takes too long."""
        whole = self._began + self._call.total_timeout
        try:
            async with asyncio.timeout_at(min(self._began + self._call.read_timeout, whole)) as self._limit:
                yield
        except TimeoutError as error:
            if not self._limit.expired():
                raise
            late = self._clock() >= whole
            said = "the reply was not whole" if late else "nothing more came"
            seconds = self._call.total_timeout if late else self._call.read_timeout
            raise Fault("timeout", f"{said} within {seconds:g} s") from error

    def _alive(self) -> None:
        whole = self._began + self._call.total_timeout
        self._limit.reschedule(min(self._clock() + self._call.read_timeout, whole))

    async def listen(self, stream: Any) -> None:
        """Hear a litellm stream to its end.

        Raises:
            Fault: an error or something unreadable came in place of a stream, or the reply has no end.
        """
        self._chunks = stream.chunks
        source = stream.completion_stream
        try:
            if not await self._not_a_stream(source):
                await self._each(stream, source)
        finally:
            if text := self._calls.text:
                self._tell(text)

    async def _each(self, stream: Any, source: Any) -> None:
        tap = Tap(source) if hasattr(source, "__aiter__") else None
        if tap is not None:
            stream.completion_stream = tap
        try:
            number = 0
            async for chunk in stream:
                self._alive()
                self._take(chunk)
                number += 1
                if number % BREATH == 0:
                    await asyncio.sleep(0)
            self._whole = True
        finally:
            self._served = (tap.model if tap else "") or self._served
            # litellm makes a usage up where the provider tells none; then no chunk it kept holds one.
            told = [one.usage for one in self._chunks if getattr(one, "usage", None) is not None]
            self._told = told[-1] if told else None
            self._usage = self._usage or self._told

    def _take(self, chunk: Any) -> None:
        if getattr(chunk, "usage", None) is not None:
            self._usage = chunk.usage
        if chunk.choices:
            choice = chunk.choices[0]
            self._finish = choice.finish_reason or self._finish
            calls = getattr(choice.delta, "tool_calls", None)
            if calls and self.structured == "tool_call":
                self._count(self._calls.stream(calls))
            if text := choice.delta.content:
                self._piece(text)

    def _piece(self, text: str) -> None:
        if self.structured == "tool_call":
            # A call may still come, and then this is no part of the answer.
            self._calls.write(text)
        else:
            self._tell(text)
        self._count(len(text))

    def _tell(self, text: str) -> None:
        self._pieces.append(text)
        self._say(text)

    def _count(self, characters: int) -> None:
        if self._first is None:
            self._first = self._clock()
        self._length += characters
        if self._length > REPLY_LIMIT:
            raise Fault("too_long", f"the reply grew past {REPLY_LIMIT:,} characters and was cut")

    async def _not_a_stream(self, source: Any) -> bool:
        """Whether JSON came in place of a stream, under a status that says that all is well."""
        response = getattr(source, "response", None)
        if response is None or "json" not in (sort := response.headers.get("content-type", "")):
            return False
        body: Any = None
        with suppress(ValueError):
            body = json.loads(await response.aread())
        if (fault := fault_of_body(body, self._route.variable)) is not None:
            raise fault
        try:
            choice = body["choices"][0]
            text = choice["message"].get("content") or ""
            calls = choice["message"].get("tool_calls") if self.structured == "tool_call" else None
            for place, one in enumerate(calls or ()):
                told = one["function"]
                self._count(self._calls.add(place, one.get("id") or "", told["name"], told["arguments"]))
            self._finish, self._served = choice.get("finish_reason") or "", body.get("model") or ""
        except (KeyError, IndexError, TypeError, AttributeError):
            raise Fault("server", f"an answer that is neither a stream nor a completion ({sort})") from None
        if isinstance(text, str) and text:
            self._piece(text)
        with suppress(Exception):
            self._usage = self._told = self._litellm.Usage(**body["usage"])
            self._whole = True
        return True

    # -- the end -------------------------------------------------------------------------------

    def fault(self, error: Exception) -> Fault:
        """The fault behind what was raised."""
        return fault_of(error, self._route.variable)

    def emptiness(self) -> Fault | None:
        """The fault of a reply that ended well and says nothing."""
        if self.text.strip():
            return None
        if self._finish == "content_filter":
            return Fault("refused", "the provider's content filter withheld the reply")
        why = "all tokens were used up before any text came" if self._finish == "length" else "no text came"
        return Fault("empty", f"{why} (finish reason: {self._finish or 'none'})")

    async def end(self, fault: Fault | None, client: str, scrub: Callable[[str], str]) -> ReplyEnd:
        """The last word."""
        text = self.text
        told = dict[str, Any](status="complete")
        if fault is not None:
            told = {
                "status": status_after(fault.kind, text),
                "error": plain(fault.kind, kept=bool(text)),
                "error_kind": fault.kind,
            }
        details = filter(None, (fault.detail if fault else "", self._calls.notes))
        return ReplyEnd(
            text=text,
            model_served=scrub(self._served),
            finish_reason=self._finish if fault is None else "",
            usage=await self._counted(text),
            first_token_ms=None if self._first is None else self._since(self._first),
            total_ms=self._since(self._clock()),
            client=client,
            detail=scrub("; ".join(details)),
            structured=self.structured,
            **told,
        )

    def _since(self, moment: float) -> int:
        return round((moment - self._began) * 1000)

    async def _counted(self, text: str) -> Usage:
        """Tokens as reported, else as litellm counts them; the cost only of what was reported."""
        usage = self._usage
        # What a broken stream told at its beginning is not all.
        if self._told is not None and self._whole and (usage.completion_tokens or not text):
            details = getattr(usage, "prompt_tokens_details", None)
            cached = getattr(details, "cached_tokens", None)
            return Usage(
                usage.prompt_tokens, usage.completion_tokens, cached, False, self._cost(usage, cached)
            )
        if not text:
            return Usage()
        if usage is None or self._told is not None:
            with suppress(Exception):
                usage = (await asyncio.to_thread(self._rebuilt)).usage
        if usage is None:
            return Usage(estimated=True)
        cost = 0.0 if self._route.free else None
        return Usage(usage.prompt_tokens or None, usage.completion_tokens or None, None, True, cost)

    def _rebuilt(self) -> Any:
        bare = [one for one in self._chunks if getattr(one, "usage", None) is None]
        messages = [{"role": one.role, "content": one.content} for one in self._call.messages]
        return self._litellm.stream_chunk_builder(bare, messages=messages)

    def _cost(self, usage: Any, cached: int | None) -> float | None:
        if self._route.free:
            return 0.0
        if (price := self._route.price) is not None:
            asked, said = int(usage.prompt_tokens), int(usage.completion_tokens)
            saved = min(cached or 0, asked)
            cheap = price.input if price.cached is None else price.cached
            return (asked - saved) * price.input + saved * cheap + said * price.output
        # Not the last usage's: litellm writes a cost of its own there.
        told = getattr(self._told, "cost", None)
        if isinstance(told, int | float) and not isinstance(told, bool) and told > 0:
            return float(told)
        if self._route.own_server:
            return None
        with suppress(Exception):  # litellm has no price for the model
            asked, said = self._litellm.cost_per_token(model=self._route.model, usage_object=usage)
            return float(asked + said) or None
        return None


class Tap:
    """A provider's own stream, passed on; notes the model as served, which litellm replaces."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._next = aiter(source).__anext__
        self.model = ""

    def __aiter__(self) -> Tap:
        return self

    async def __anext__(self) -> Any:
        chunk = await self._next()
        if not self.model:
            model = getattr(chunk, "model", None)
            self.model = model if isinstance(model, str) else ""
        return chunk

    async def aclose(self) -> None:
        """Close the provider's stream."""
        close = getattr(self._source, "aclose", None) or self._source.close
        await close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)
