"""Inside the gateway: its clients, their calls, and the models behind them."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from capa_tui.assistants import local
from capa_tui.assistants.faults import Fault, Scrubber, plain, status_after
from capa_tui.assistants.local import LocalServer
from capa_tui.assistants.pacing import Pace
from capa_tui.assistants.places import Place
from capa_tui.assistants.route import Route, route_of
from capa_tui.assistants.starting import LINGER
from capa_tui.assistants.wire import (
    LINE_LIMIT,
    PROTOCOL,
    Message,
    WireError,
    call_of,
    decode,
    encode,
    end_message,
    is_own,
)
from capa_tui.machine import Access, Machine, read_machine
from capa_tui.version import VERSION
from studies.errors import CapaError
from studies.replies import Call, ReplyEnd

if TYPE_CHECKING:
    from capa_tui.assistants.calls import Models

PIECE = 65_536
"""Characters of text in one message, at most."""
log = logging.getLogger("capa_tui.gateway")


class Hub:
    """Clients, calls, and the models behind them."""

    def __init__(self, place: Place, config: Path, linger: float, free: Callable[[], None]) -> None:
        self._place = place
        self._config = config
        self._linger = linger
        self._free = free
        self._clients = 0
        self._retired = False
        self._over = asyncio.Event()
        self._ending: asyncio.TimerHandle | None = None
        self._paces: dict[tuple[str, str], Pace] = {}
        self._read: tuple[object, Machine, Scrubber] | None = None
        self._local = LocalServer()

    async def run(self, listening: socket.socket) -> None:
        """Serve until the last client has been gone for a while, or a signal comes."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            loop.add_signal_handler(number, self._over.set)
        self._models = asyncio.ensure_future(_loaded())
        self._server = await asyncio.start_unix_server(self._serve, sock=listening, limit=LINE_LIMIT)
        self._await_clients(max(self._linger, LINGER))
        await self._over.wait()
        self._retire()
        self._local.close()

    # -- clients -------------------------------------------------------------------------------

    def _await_clients(self, seconds: float) -> None:
        self._ending = asyncio.get_running_loop().call_later(seconds, self._over.set)

    def _retire(self) -> None:
        """Take no further clients, and free the name for a successor."""
        if not self._retired:
            self._retired = True
            self._server.close()
            self._place.socket.unlink(missing_ok=True)
            self._free()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not is_own(writer.get_extra_info("socket")):
            log.warning("a client of another user was turned away")
            writer.close()
            return
        if self._ending is not None:
            self._ending.cancel()
        self._clients += 1
        client = Client(self, writer)
        try:
            await client.listen(reader)
        except (WireError, ValueError) as error:  # ValueError: a line over the limit
            log.warning("a client was cut off: %s", error)
            client.send({"type": "refused", "reason": f"not a message of protocol {PROTOCOL}"})
        except ConnectionError:
            pass
        finally:
            client.leave()
            with suppress(ConnectionError):
                writer.close()
            self._clients -= 1
            if not self._clients:
                self._over.set() if self._retired else self._await_clients(self._linger)

    def welcome(self, message: Message) -> str:
        """Why a client cannot be served, or nothing."""
        if message.get("protocol") != PROTOCOL:
            return (
                f"this gateway (capa-tui {VERSION}) speaks protocol {PROTOCOL}, "
                f"the client (capa-tui {message.get('version')}) {message.get('protocol')}"
            )
        if missing := [one for one in message.get("variables", ()) if one not in os.environ]:
            # It was started where these were not set; a gateway started from where they are has them.
            log.info("makes room for a successor that has %s", ", ".join(map(str, missing)))
            self._retire()
            return "successor"
        return ""

    async def ready(self) -> Message:
        """What is said once litellm is loaded."""
        return {"type": "ready", "client": (await asyncio.shield(self._models)).client}

    # -- calls ---------------------------------------------------------------------------------

    async def reply(self, call: Call, say: Callable[[str], None]) -> ReplyEnd:
        """One call, from this machine's configuration to its end."""
        scrub: Callable[[str], str] = str
        try:
            machine, scrub = self._machine()
            access = machine.access(call.assistant, call.model)
            models = await asyncio.shield(self._models)
            route = await self._route(call, access)
            await self._wait_for_turn(call, machine, access)
        except CapaError as error:
            return _failed(Fault("configuration", str(error)), Scrubber(os.environ))
        except Fault as fault:
            return _failed(fault, scrub)
        except ImportError as error:
            return _failed(Fault("gateway", f"litellm cannot be loaded: {error}"), scrub)
        return await models.reply(call, route, scrub, say)

    def _machine(self) -> tuple[Machine, Scrubber]:
        """The configuration as it is now, read anew where the file has changed; and what to scrub by it."""
        try:
            found = self._config.stat()
            stamp: object = (found.st_mtime_ns, found.st_size, found.st_ino)
        except OSError:
            stamp = None
        if self._read is None or self._read[0] != stamp:
            machine = read_machine(self._config)
            self._read = (stamp, machine, Scrubber(os.environ, machine.variables))
        return self._read[1:]

    async def _route(self, call: Call, access: Access) -> Route:
        if call.model == local.MODEL:
            return await self._local.route()
        models = await asyncio.shield(self._models)
        return route_of(call, access, os.environ, models.usual_variables)

    async def _wait_for_turn(self, call: Call, machine: Machine, access: Access) -> None:
        allowed = access.requests_per_minute
        if allowed is None:
            return
        named = call.assistant if call.assistant in machine.assistants else ""
        pace = self._paces.get(key := (named, access.model_dump_json()))
        if pace is None:
            pace = self._paces[key] = Pace(allowed)
        wait = pace.take(asyncio.get_running_loop().time(), call.total_timeout)
        if wait is None:
            limit = f"requests_per_minute = {allowed} in machine.toml"
            raise Fault("rate_limit", f"{limit} leaves no turn within {call.total_timeout:g} s")
        await asyncio.sleep(wait)


class Client:
    """One connection."""

    def __init__(self, hub: Hub, writer: asyncio.StreamWriter) -> None:
        self._hub = hub
        self._writer = writer
        self._calls: dict[int, asyncio.Task[None]] = {}
        self._telling: asyncio.Task[None] | None = None

    def send(self, message: Message) -> None:
        """One message, if anybody is still there."""
        if not self._writer.is_closing():
            self._writer.write(encode(message))

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Everything a client says, until it goes."""
        line = await reader.readline()
        if not line:
            return
        hello = decode(line)
        if hello["type"] != "hello":
            raise WireError("no hello")
        if reason := self._hub.welcome(hello):
            self.send({"type": "refused", "reason": reason})
            return
        self.send({"type": "hello", "protocol": PROTOCOL, "version": VERSION, "pid": os.getpid()})
        self._telling = asyncio.ensure_future(self._tell_ready())
        while line := await reader.readline():
            message = decode(line)
            match message["type"]:
                case "call":
                    self._begin(message)
                case "cancel":
                    if (task := self._calls.get(message.get("id", 0))) is not None:
                        task.cancel()
                case other:
                    raise WireError(f"a message of type {other!r}")

    def leave(self) -> None:
        """Stop everything this client asked for: nobody hears it any more."""
        for one in (*self._calls.values(), self._telling):
            if one is not None:
                one.cancel()

    async def _tell_ready(self) -> None:
        with suppress(Exception):  # told with each call that fails for it
            self.send(await self._hub.ready())

    def _begin(self, message: Message) -> None:
        number = message.get("id")
        if not isinstance(number, int) or number in self._calls:
            raise WireError("a call without a number of its own")
        self._calls[number] = asyncio.ensure_future(self._answer(number, call_of(message)))

    async def _answer(self, number: int, call: Call) -> None:
        parts = Parts(lambda text: self.send({"type": "part", "id": number, "text": text}))
        try:
            end = await self._hub.reply(call, parts.add)
        except asyncio.CancelledError:
            _record(number, call, "cancelled")
            raise
        except Exception as error:  # of this program; told by its name, since its text may quote people
            log.error("call %s met a %s at %s", number, type(error).__name__, _where(error))
            fault = Fault("gateway", f"the gateway met a {type(error).__name__}; its log says where")
            end = _failed(fault, str, parts.said)
        finally:
            del self._calls[number]
        _record(number, call, f"{end.status} {end.error_kind}".strip() + f" {end.total_ms} ms")
        parts.flush()
        self.send(end_message(number, end))


class Parts:
    """Pieces of a reply on their way out: the first at once, what comes in one go together."""

    def __init__(self, send: Callable[[str], None]) -> None:
        self._tell = send
        self._held: list[str] = []
        self._loop = asyncio.get_running_loop()
        self.said = False

    def add(self, text: str) -> None:
        """A piece."""
        if not self.said:
            self.said = True
            self._send(text)
            return
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(text)

    def flush(self) -> None:
        """Send what is held back."""
        if self._held:
            self._send("".join(self._held))
            self._held.clear()

    def _send(self, text: str) -> None:
        for start in range(0, len(text), PIECE):
            self._tell(text[start : start + PIECE])


def _failed(fault: Fault, scrub: Callable[[str], str], kept: bool = False) -> ReplyEnd:
    return ReplyEnd(
        status_after(fault.kind, "x" if kept else ""),
        "",
        error=plain(fault.kind, kept=kept),
        error_kind=fault.kind,
        detail=scrub(fault.detail),
        client="litellm",
    )


def _record(number: int, call: Call, outcome: str) -> None:
    log.info("call %s to %r (%r): %s", number, call.assistant, call.model, outcome)


def _where(error: BaseException) -> str:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"


async def _loaded() -> Models:
    from capa_tui.assistants.calls import Models

    models = await asyncio.to_thread(Models)
    await models.warm()
    log.info("ready: %s", models.client)
    return models
