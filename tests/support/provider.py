"""A loopback server that speaks as an OpenAI-compatible provider: it streams, stalls, drops, lies.

It runs in a thread with an event loop of its own, so tests of any loop can use it:

    with Provider() as provider:
        provider.answers["slow"] = Answer(Say("Half a"), Stall())
        ...  # call `openai/slow` with api_base `provider.base`
        provider.until(lambda: provider.open == 0)
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

PATIENCE = 30.0
"""Seconds until a wait in a test is given up."""


# -- what an answer is made of -------------------------------------------------------------------


@dataclass(frozen=True)
class Say:
    """Stream the text, a word an event; with `whole`, as one event."""

    text: str
    whole: bool = False


@dataclass(frozen=True)
class CallTool:
    """Call a tool: its name in one event, its arguments in as many pieces."""

    name: str
    arguments: str
    pieces: int = 1
    place: int = 0
    id: str = "call-1"


@dataclass(frozen=True)
class Event:
    """One server-sent event, as it is: a JSON value, or bytes for the line."""

    value: Any


@dataclass(frozen=True)
class Flood:
    """Events as fast as the wire takes them, or evenly at so many a second."""

    count: int
    text: str = "word "
    rate: float | None = None


@dataclass(frozen=True)
class Endless:
    """Words until the client goes away."""

    text: str = "word "


@dataclass(frozen=True)
class Stall:
    """Say nothing more, until the client goes away or the server ends."""


@dataclass(frozen=True)
class Wait:
    """Say nothing for so many seconds: a model that thinks, for benchmarks."""

    seconds: float


@dataclass(frozen=True)
class Drop:
    """Cut the connection without a last word."""


@dataclass(frozen=True)
class End:
    """The last events: finish reason, usage (None: not told), `[DONE]`."""

    usage: Mapping[str, Any] | None = field(
        default_factory=lambda: {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    )
    finish: str | None = "stop"
    usage_with_text: bool = False
    """Usage rides on the event with the finish reason, whose `choices` are not empty."""
    done: bool = True


@dataclass(frozen=True)
class Close:
    """End the stream as HTTP wants it, without any last event."""


Step = Say | CallTool | Event | Flood | Endless | Stall | Wait | Drop | End | Close


class Answer:
    """A stream made of steps; without a last step of its own, an `End` is added."""

    def __init__(
        self, *steps: Step, model: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        closed = bool(steps) and isinstance(steps[-1], Stall | Drop | End | Endless | Close)
        self.steps: Sequence[Step] = steps if closed else (*steps, End())
        self.model = model
        self.headers = dict(headers or {})


class Refusal:
    """A plain HTTP answer: an error status, or an error body under status 200."""

    def __init__(self, status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.body = {"error": {"message": "no", "code": status}} if body is None else body
        self.headers = dict(headers or {})


@dataclass(frozen=True)
class Request:
    """What came in."""

    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: Mapping[str, Any]


Reply = Answer | Refusal
Behaviour = Reply | list[Reply] | Callable[[Request], Reply]
"""One answer for every request; a list is used up one a request, its last repeated; or a function."""


# -- the server ----------------------------------------------------------------------------------


class Provider:
    """The server. A context manager; counters may be read from any thread."""

    def __init__(self) -> None:
        self.answers: dict[str, Behaviour] = {}
        """By the model's name as the server sees it (without litellm's `openai/`)."""
        self.requests: list[Request] = []
        self.open = 0
        """Generations in flight: what a provider would bill for."""
        self.cut = 0
        """Generations that ended because the client went away."""
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def base(self) -> str:
        """The api base."""
        return f"http://127.0.0.1:{self.port}/v1"

    def asked(self, model: str) -> list[Request]:
        """The requests for one model."""
        with self._changed:
            return [one for one in self.requests if one.body.get("model") == model]

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until it holds; it is looked at whenever a request comes or a generation ends."""
        with self._changed:
            assert self._changed.wait_for(holds, PATIENCE), "the provider waited in vain"

    async def reaches(self, holds: Callable[[], bool]) -> None:
        """As `until`, without holding the loop up."""
        await asyncio.to_thread(self.until, holds)

    def __enter__(self) -> Self:
        self._thread.start()
        assert self._ready.wait(PATIENCE)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(PATIENCE)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        self._ending = asyncio.Event()
        self._clients: set[asyncio.Task[None]] = set()
        server = await asyncio.start_server(self._client, "127.0.0.1", 0, backlog=256)
        self.port: int = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._ending.wait()
        server.close()
        for one in self._clients:
            one.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)

    def _count(self, open: int = 0, cut: int = 0, request: Request | None = None) -> None:
        with self._changed:
            self.open += open
            self.cut += cut
            if request is not None:
                self.requests.append(request)
            self._changed.notify_all()

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._clients.add(task)
        try:
            while (request := await _read(reader)) is not None:
                self._count(request=request)
                if not await self._answer(request, reader, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._clients.discard(task)
            writer.close()

    def _chosen(self, request: Request) -> Reply:
        behaviour = self.answers.get(str(request.body.get("model")))
        if behaviour is None:
            return Answer(Say("You said: " + str(request.body["messages"][-1]["content"])))
        if isinstance(behaviour, list):
            return behaviour.pop(0) if len(behaviour) > 1 else behaviour[0]
        return behaviour if isinstance(behaviour, Answer | Refusal) else behaviour(request)

    async def _answer(
        self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Whether the connection can be used again."""
        answer = self._chosen(request)
        if isinstance(answer, Refusal):
            body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            head = {"Content-Type": "application/json", "Content-Length": str(len(body))} | answer.headers
            writer.write(_head(answer.status, head) + body)
            await writer.drain()
            return True
        self._count(open=1)
        talking = asyncio.ensure_future(_talk(answer, request, writer))
        leaving = asyncio.ensure_future(reader.read(1))
        try:
            await asyncio.wait({talking, leaving}, return_when=asyncio.FIRST_COMPLETED)
            whole = talking.done() and talking.exception() is None and talking.result()
            gone = not talking.done() or talking.exception() is not None
        finally:
            for one in (talking, leaving):
                one.cancel()
            await asyncio.gather(talking, leaving, return_exceptions=True)
        self._count(open=-1, cut=int(gone))
        if not whole:
            writer.transport.abort()
        return whole


async def _read(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {
        name.strip().lower(): value.strip() for name, _, value in (one.partition(":") for one in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Request(first.split()[1], headers, json.loads(body or b"{}"))


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _event(value: Any) -> bytes:
    line = value if isinstance(value, bytes) else b"data: " + json.dumps(value).encode()
    data = line + b"\n\n"
    return b"%x\r\n%s\r\n" % (len(data), data)


async def _talk(answer: Answer, request: Request, writer: asyncio.StreamWriter) -> bool:
    """Whether the stream was ended as HTTP wants it."""
    model = answer.model or str(request.body.get("model"))
    head = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"} | answer.headers
    writer.write(_head(200, head))

    def chunk(content: str | None = None, finish: str | None = None, call: Any = None, **more: Any) -> bytes:
        delta: dict[str, Any] = {} if content is None else {"role": "assistant", "content": content}
        if call is not None:
            delta = {"tool_calls": [call]}
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        base = {"id": "chat-1", "object": "chat.completion.chunk", "created": 1, "model": model}
        return _event(base | {"choices": choices} | more)

    for step in answer.steps:
        match step:
            case Say(text, whole):
                for word in [text] if whole else _words(text):
                    writer.write(chunk(word))
            case CallTool(name, arguments, pieces, place, id):
                told = {"name": name, "arguments": ""}
                writer.write(chunk(call={"index": place, "id": id, "type": "function", "function": told}))
                size = -(-len(arguments) // pieces)
                for start in range(0, len(arguments), size):
                    piece = {"arguments": arguments[start : start + size]}
                    writer.write(chunk(call={"index": place, "function": piece}))
            case Event(value):
                writer.write(_event(value))
            case Flood(count, text, rate):
                await _flood(writer, chunk(text), count, rate)
            case Endless(text):
                while True:
                    writer.write(chunk(text))
                    await writer.drain()
                    await asyncio.sleep(0.001)
            case Stall():
                await writer.drain()
                await asyncio.Event().wait()
            case Wait(seconds):
                await writer.drain()
                await asyncio.sleep(seconds)
            case Drop():
                await writer.drain()
                return False
            case End(usage, finish, usage_with_text, done):
                beside = {"usage": dict(usage)} if usage is not None else {}
                writer.write(chunk(finish=finish, **(beside if usage_with_text else {})))
                if beside and not usage_with_text:
                    writer.write(chunk(**beside, choices=[]))
                if done:
                    writer.write(_event(b"data: [DONE]"))
        await writer.drain()
    writer.write(b"0\r\n\r\n")
    await writer.drain()
    return True


def _words(text: str) -> list[str]:
    first, *rest = text.split(" ")
    return [first, *(f" {one}" for one in rest)]


async def _flood(writer: asyncio.StreamWriter, event: bytes, count: int, rate: float | None) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    for number in range(count):
        if rate is not None and (ahead := began + number / rate - loop.time()) > 0:
            await asyncio.sleep(ahead)
        writer.write(event)
        if rate is not None or number % 16 == 0:
            await writer.drain()
