"""The only wiring: opens the store and seats participants, for every front end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from capa_tui.paths import station
from capa_tui.version import VERSION
from studies.clock import SystemClock
from studies.errors import InputError, MachineError
from studies.runner import Visit

if TYPE_CHECKING:
    from capa_tui.assistants.roster import Roster
    from capa_tui.sandbox.judge import SandboxJudge
    from storage.store import Store
    from studies.ports import Archive, Desk, StudyRecord
    from studies.replies import Assistant
    from studies.study import Study
    from studies.verdicts import Judge


class Services:
    """An open database and what can be done with it. Use as `async with Services.open(path)`."""

    def __init__(self, store: Store, station: str) -> None:
        self.store = store
        self.station = station
        self.clock = SystemClock()
        self._held = ExitStack()
        self._live: list[Roster | SandboxJudge] = []

    @classmethod
    def open(cls, path: Path) -> Services:
        """Open or create the database. Blocking: front ends call it in a thread.

        Raises:
            CapaError: the file cannot serve; the message says why and what to do.
        """
        from storage.store import Store

        here = station()
        return cls(Store.open(path, here, VERSION), here)

    @property
    def archive(self) -> Archive:
        """Typed reads."""
        return self.store.archive

    @property
    def desk(self) -> Desk:
        """The researcher's side."""
        return self.store.desk

    async def seat(self, reference: str, code: str, *, pilot: bool = False, known: bool = False) -> Visit:
        """One participant's visit: their own stream again, or a new one in the next free slot.

        The stream stays locked for this process until `close`.

        Raises:
            CapaError: no such study, unknown code, no slot, or the code is open elsewhere.
        """
        study = await self.archive.find(reference)
        return await self.seat_in(study, code, pilot=pilot, known=known)

    async def seat_in(
        self, study: StudyRecord, code: str, *, pilot: bool = False, known: bool = False
    ) -> Visit:
        """As `seat`, for a study already found."""
        if study.study_kind == "roleplay" and not pilot:
            from studies.roleplay.folder import unauthored

            missing = unauthored(await self.archive.study(study.sha256))
            if missing:
                raise InputError(
                    f"{study.reference}: {len(missing)} tasks are not authored yet ({', '.join(missing[:5])}"
                    f"{', ...' if len(missing) > 5 else ''}); until they are, it runs only with --pilot"
                )
        seated = await self.desk.admit(study, code, pilot=pilot, expect_known=known)
        assert seated.stream is not None
        self._held.enter_context(self.store.lock(seated.stream))
        events = await self.archive.events(seated.stream)
        whole = await self.archive.study(seated.study)
        visit = Visit(whole, events, self.store.journal, self.clock)
        if whole.settings.kind == "clarification":
            from studies.clarification.shelf import stock

            await stock(visit, self.archive)
        if whole.settings.assistants:
            from studies.live import live_of

            roster, judge = await self._open_live(whole)
            visit.live = live_of(visit, roster, judge, self.store.dialogues(whole))
        return visit

    @asynccontextmanager
    async def hold(self, study: Study, stream: str) -> AsyncIterator[Visit]:
        """A participation, finished or not, to store something in its stream beside the participant.

        Nobody sits down: nothing is recorded of it. The stream is locked meanwhile.

        Raises:
            NoPlaceError: it is open elsewhere.
        """
        with self.store.lock(stream):
            yield Visit(study, await self.archive.events(stream), self.store.journal, self.clock)

    @asynccontextmanager
    async def live(self, study: Study) -> AsyncIterator[tuple[Assistant, Judge | None]]:
        """The study's assistants, and a judge where it runs code, outside any visit: nobody reads along.

        Raises:
            MachineError: this machine cannot run code safely, or cannot reach the study's assistants.
        """
        try:
            yield await self._open_live(study, read_along=False)
        finally:
            await self._let_go()

    async def _open_live(
        self, study: Study, *, read_along: bool = True
    ) -> tuple[Roster, SandboxJudge | None]:
        from capa_tui.assistants.rehearsal import Rehearsal
        from capa_tui.assistants.roster import Roster

        judge = await self._open_judge(study) if study.runs_code else None
        roster = Roster(None if read_along else Rehearsal(pause=0))
        self._live.append(roster)
        await roster.open(one.model for one in study.settings.assistants)
        return roster, judge

    async def _open_judge(self, study: Study) -> SandboxJudge:
        from capa_tui.sandbox.judge import SandboxJudge

        judge = SandboxJudge(unsafe=study.settings.unsafe)
        self._live.append(judge)
        missing = await asyncio.to_thread(judge.available)
        if missing is not None:
            raise MachineError(f"{missing} Nothing was lost; sessions cannot be judged without it.")
        return judge

    def rise(self) -> None:
        """Free the streams this process holds."""
        self._held.close()

    def close(self) -> None:
        """Let assistants and judges go, store what waits, close the database and free the streams, in this
        order: nobody else may read a stream whose end is still on its way. Not on an event loop."""
        if self._live:
            asyncio.run(self._let_go())
        self.store.close()
        self.rise()

    async def _let_go(self) -> None:
        while self._live:
            await self._live.pop().close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._let_go()
        self.close()


@contextmanager
def opened(path: Path) -> Iterator[Services]:
    """The services for a command that runs once."""
    services = Services.open(path)
    try:
        yield services
    finally:
        services.close()
