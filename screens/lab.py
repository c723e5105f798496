"""What the researcher's screens ask of the world, and how they ask without ever waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from textual.app import SystemCommand
from textual.binding import Binding
from textual.css.query import NoMatches
from textual.worker import WorkType

from screens.base import CapaScreen, Result
from screens.dialogs import Choice, Dialog, confirm, message
from screens.form_dialog import Ask, FormDialog
from studies.errors import CapaError, UnknownCodeError
from studies.ports import Archive, Clock, Desk, StudyRecord
from studies.runner import Visit

T = TypeVar("T")

REFRESH_SECONDS = 5.0
"""Time between two looks at the database while a screen is up."""


CLOSING_SECONDS = 10.0
"""Longer than closing a screen ever takes."""


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """One format an export can have."""

    name: str
    description: str = ""
    kinds: tuple[str, ...] = ()
    """Study kinds it can hold; empty for all."""


@dataclass(frozen=True)
class Lab:
    """An open database and what a researcher can do with it."""

    archive: Archive
    desk: Desk
    clock: Clock
    database: str
    """Where it is, for the first line."""
    formats: Sequence[ExportFormat]
    station: str
    """Id of this machine, for the record."""
    seat: Callable[[StudyRecord, str, bool, bool], AbstractAsyncContextManager[Visit]]
    """Seat a person (study, code, pilot, known); leaving it frees their stream.

    Raises:
        UnknownCodeError: `known` is asked for, and nobody has this code yet.
        CapaError: they cannot be seated; the message says why.
    """
    demo: Callable[[], AbstractAsyncContextManager[Visit]]
    """The bundled study in a database that is thrown away, seated as a participant."""


class LabScreen(CapaScreen[Result]):
    """Base of the researcher's screens: what takes time is done beside the screen, and errors are calm."""

    def begin(
        self, doing: Callable[..., Coroutine[None, None, None]], *given: object, group: str = "doing"
    ) -> None:
        """Do something beside the screen; of one group only the last goes on."""
        work: WorkType[None] = partial(self._do, doing, *given)
        self.run_worker(work, group=group, exclusive=True)

    async def _do(self, doing: Callable[..., Coroutine[None, None, None]], *given: object) -> None:
        try:
            await doing(*given)
        except NoMatches:
            # A screen that is being closed loses its widgets first, and then cancels what is done beside it.
            await asyncio.sleep(CLOSING_SECONDS)
            raise

    async def attempt(self, title: str, doing: Awaitable[T]) -> T | None:
        """What `doing` gives, or None after its error has been shown and read. Needs a worker.

        Args:
            title: what could not be done, should it fail.
            doing: what is tried.
        """
        try:
            return await doing
        except CapaError as error:
            await self.app.push_screen_wait(message(title, str(error)))
            return None

    def commands(self) -> Iterable[SystemCommand]:
        """What the palette offers here: everything that has a key."""
        for active in self.active_bindings.values():
            binding = active.binding
            if active.node is self and active.enabled and binding.tooltip:
                name = binding.description[:1].upper() + binding.description[1:]
                yield SystemCommand(name, binding.tooltip, self._runs(binding.action))

    def _runs(self, action: str) -> Callable[[], Any]:
        return lambda: self.app.call_next(self.run_action, action)


class StudyScreen(LabScreen[Result]):
    """Base of the screens from which a study can be run and read."""

    lab: Lab
    BINDINGS = [
        Binding("p", "participant", "participant", id="lab.participant",
                tooltip="Start a participant, or let one come back"),
        Binding("a", "agreement", "agreement", id="lab.agreement",
                tooltip="Kappa and every other figure of agreement"),
        Binding("j", "adjudicate", "adjudicate", id="lab.adjudicate",
                tooltip="Decide the items on which annotators disagree"),
        Binding("x", "export", "export", id="lab.export", tooltip="Write the data to a folder"),
        Binding("c", "codes", "codes", id="lab.codes", tooltip="Issue participant codes"),
    ]  # fmt: skip

    @property
    def chosen(self) -> StudyRecord | None:
        """The study that actions are about."""
        raise NotImplementedError

    @property
    def chosen_code(self) -> str:
        """A participant's code to begin with, if one is marked."""
        return ""

    def renew(self) -> None:
        """Look at the database again."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Without a study there is nothing to do with one."""
        needs_study = {"participant", "agreement", "adjudicate", "export", "codes"}
        return self.chosen is not None if action in needs_study else True

    def action_participant(self) -> None:
        """Ask for a code and seat the participant."""
        if self.chosen is not None:
            self.begin(self._participant, self.chosen, self.chosen_code)

    def action_agreement(self) -> None:
        """Open the figures."""
        from screens.agreement import AgreementScreen

        if self.chosen is not None and self._annotates(self.chosen):
            self.app.push_screen(AgreementScreen(self.lab, self.chosen))

    def action_adjudicate(self) -> None:
        """Open adjudication."""
        from screens.adjudication import AdjudicationScreen

        if self.chosen is not None and self._annotates(self.chosen):
            self.app.push_screen(AdjudicationScreen(self.lab, self.chosen))

    def _annotates(self, study: StudyRecord) -> bool:
        """Whether the study has labels to look at; otherwise say where its figures are."""
        if study.study_kind == "annotation":
            return True
        told = f"{study.reference} is no study of labels. Its figures: capa-tui evaluate {study.reference}"
        if study.study_kind == "clarification":
            told += f"; of matchers and authors: capa-tui agreement {study.reference}"
        self.app.push_screen(message("Not an annotation study", told))
        return False

    def action_export(self) -> None:
        """Open the export."""
        from screens.export import ExportScreen

        if self.chosen is not None:
            self.app.push_screen(ExportScreen(self.lab, self.chosen))

    def action_codes(self) -> None:
        """Ask how many codes to issue."""
        if self.chosen is not None:
            self.begin(self._codes, self.chosen)

    # -- doing ---------------------------------------------------------------------------------

    async def _participant(self, record: StudyRecord, code: str) -> None:
        """Ask for a code until somebody has sat down, or the form was left."""
        pilot = False
        while True:
            form = FormDialog(
                f"A participant of {record.title}",
                "Type the participant's code, then hand over the keyboard.",
                (
                    Ask("code", "Participant code", value=code),
                    Ask("pilot", "Pilot: a trial run, never counted", "yes", pilot),
                ),
                "Start",
                lambda values: None if values["code"] else "A code is needed.",
            )
            values = await self.app.push_screen_wait(form)
            if values is None:
                return
            code, pilot = values["code"], values["pilot"]
            if await self.attempt("The participant was not started", self._visit(record, code, pilot)):
                self.renew()
                return

    async def _visit(self, record: StudyRecord, code: str, pilot: bool) -> bool:
        """Whether somebody sat down; the visit is over then."""
        try:
            await self._work(record, code, pilot, known=True)
        except UnknownCodeError:
            if not await self._is_new(code, pilot):
                return False
            await self._work(record, code, pilot, known=False)
        return True

    async def _is_new(self, code: str, pilot: bool) -> bool:
        where = "A pilot takes no slot." if pilot else "They get the next free slot."
        asked = confirm(
            "A new participant?",
            f"Nobody with the code {code} has taken part yet. {where}",
            "Yes, a new participant",
            "No, let me correct the code",
        )
        return await self.app.push_screen_wait(asked) is True

    async def _work(self, record: StudyRecord, code: str, pilot: bool, *, known: bool) -> None:
        from screens.visit import VisitScreen

        async with self.lab.seat(record, code, pilot, known) as visit:
            await self.app.push_screen_wait(VisitScreen(visit, self.lab.station))
        await self.app.push_screen_wait(
            Dialog(
                "The visit has ended",
                "Please hand the station back to the researcher.",
                (Choice(True, "Researcher: go on"),),
                classes="-opaque",
            )
        )

    async def _codes(self, record: StudyRecord) -> None:
        form = FormDialog(
            f"Participant codes for {record.reference}",
            "From then on, codes that were not issued are refused. Where the design has slots, each code "
            "reserves the next free one.",
            (Ask("n", "How many", "number", 1),),
            "Issue codes",
            lambda values: None if values["n"] and values["n"] > 0 else "A number from 1 is needed.",
        )
        values = await self.app.push_screen_wait(form)
        if values is None:
            return
        codes = await self.attempt("No codes were issued", self.lab.desk.issue_codes(record, values["n"]))
        if codes is not None:
            from screens.listing import ListingScreen

            note = "They are stored with the study; a participant needs one of them to begin."
            await self.app.push_screen_wait(ListingScreen(f"Codes for {record.title}", note, codes))
            self.renew()
