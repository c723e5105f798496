"""The gateway as an `Assistant`: connects when first needed, starts a gateway where none runs.

The process that holds a `Gateway` never loads litellm and never reads the value of a key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from itertools import count

from capa_tui.assistants.faults import Fault, plain, status_after
from capa_tui.assistants.starting import LINGER, Link, connected
from capa_tui.assistants.wire import Message, WireError, call_message, decode, encode, end_of
from studies.errors import CapaError, MachineError
from studies.replies import Call, Part, ReplyEnd


class Gateway:
    """An `Assistant` whose replies come from the gateway. For one event loop; close it in the end."""

    def __init__(self, linger: float = LINGER) -> None:
        self._linger = linger
        self._link: Link | None = None
        self._linking = asyncio.Lock()
        self._listening: asyncio.Task[None] | None = None
        self._inboxes: dict[int, asyncio.Queue[Message | None]] = {}
        self._numbers = count(1)
        self._ready = asyncio.Event()
        self.client = ""
        """What calls models, as in `litellm 1.x`; known once the gateway is ready."""
        self.pid: int | None = None
        """The gateway's process."""

    async def open(self) -> None:
        """Have a gateway ready to call models.

        Raises:
            MachineError: none can be started.
            FolderError: this machine's configuration has problems.
        """
        await self._connect()
        listening = self._listening
        assert listening is not None
        waiting = asyncio.ensure_future(self._ready.wait())
        await asyncio.wait({waiting, listening}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        if not self._ready.is_set():
            raise MachineError("The gateway to live assistants has ended. Its log says why: see `doctor`.")

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """Parts as they come, then the end. Closing or cancelling this stops the provider as well."""
        began = time.monotonic()
        try:
            number, inbox = await self._begin(call)
        except CapaError as error:
            mine = isinstance(error, MachineError)
            yield self._failed(Fault("gateway" if mine else "configuration", str(error)), began)
            return
        except WireError as error:
            yield self._failed(Fault("too_long", str(error)), began)
            return
        parts: list[str] = []
        first: float | None = None
        over = False
        try:
            while not over:
                message = await inbox.get()
                if message is not None and message["type"] == "part":
                    first = first or time.monotonic()
                    parts.append(message["text"])
                    yield Part(message["text"])
                    continue
                over = True
                text = "".join(parts)
                if message is None:
                    yield self._failed(Fault("gateway", "the gateway's process ended"), began, text, first)
                else:
                    yield end_of(message, text)
        finally:
            del self._inboxes[number]
            if not over:
                self._cancel(number)

    async def close(self) -> None:
        """Let the gateway go; calls in flight are stopped."""
        if self._listening is not None:
            self._listening.cancel()
            with suppress(asyncio.CancelledError):
                await self._listening
        self._drop()

    def _failed(self, fault: Fault, began: float, text: str = "", first: float | None = None) -> ReplyEnd:
        return ReplyEnd(
            status_after(fault.kind, text),
            text,
            first_token_ms=None if first is None else round((first - began) * 1000),
            total_ms=round((time.monotonic() - began) * 1000),
            error=plain(fault.kind, kept=bool(text)),
            error_kind=fault.kind,
            detail=fault.detail,
            client=self.client or "litellm",
        )

    # -- the connection ------------------------------------------------------------------------

    async def _begin(self, call: Call) -> tuple[int, asyncio.Queue[Message | None]]:
        number = next(self._numbers)
        line = encode(call_message(number, call))
        link = await self._connect()
        inbox = self._inboxes[number] = asyncio.Queue()
        link.writer.write(line)
        return number, inbox

    def _cancel(self, number: int) -> None:
        if self._link is not None:
            self._link.writer.write(encode({"type": "cancel", "id": number}))

    async def _connect(self) -> Link:
        async with self._linking:
            if self._link is None:
                self._link = await connected(self._linger)
                self.pid = self._link.pid
                self._ready.clear()
                self._listening = asyncio.ensure_future(self._listen(self._link))
            return self._link

    async def _listen(self, link: Link) -> None:
        """Hand on what the gateway says; when it is gone, every open reply hears of it."""
        try:
            while line := await link.reader.readline():
                message = decode(line)
                if message["type"] == "ready":
                    self.client = message["client"]
                    self._ready.set()
                elif (inbox := self._inboxes.get(message.get("id", 0))) is not None:
                    inbox.put_nowait(message)
        except (OSError, WireError, ValueError):
            pass
        finally:
            if self._link is link:
                self._drop()

    def _drop(self) -> None:
        if self._link is not None:
            self._link.writer.close()
            self._link = None
        for inbox in self._inboxes.values():
            inbox.put_nowait(None)
