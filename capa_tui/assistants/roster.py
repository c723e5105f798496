"""All assistants of this machine behind one `Assistant`: a call goes where its model is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable
from typing import TYPE_CHECKING

from capa_tui.assistants import rehearsal
from capa_tui.assistants.rehearsal import Rehearsal
from studies.replies import Assistant, Call, Part, ReplyEnd

if TYPE_CHECKING:
    from capa_tui.assistants.client import Gateway


class Roster:
    """An `Assistant`. The gateway is made when a call, or `open`, first needs it."""

    def __init__(self, rehearsing: Rehearsal | None = None, gateway: Gateway | None = None) -> None:
        self._rehearsal = rehearsing or Rehearsal()
        self._gateway = gateway

    async def open(self, models: Iterable[str]) -> None:
        """Start what a study's assistants need, so that the first reply does not wait for it.

        Raises:
            MachineError: the gateway cannot be started; the message says why.
        """
        if any(model != rehearsal.MODEL for model in models):
            await self._connected().open()

    def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The reply of the call's assistant."""
        serving: Assistant = self._rehearsal if call.model == rehearsal.MODEL else self._connected()
        return serving.reply(call)

    async def close(self) -> None:
        """Let the gateway go."""
        if self._gateway is not None:
            await self._gateway.close()

    def _connected(self) -> Gateway:
        if self._gateway is None:
            from capa_tui.assistants.client import Gateway

            self._gateway = Gateway()
        return self._gateway
