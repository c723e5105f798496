"""The ports: what the runner and the screens ask of the world, as typed protocols.

All calls are async so that no front end ever waits for a disk on its event loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from studies.desk import AnnotationAdjudicated, BlankJudged
from studies.events import Event
from studies.study import Study


@dataclass(frozen=True, slots=True)
class StudyRecord:
    """One loaded study version."""

    sha256: str
    name: str
    version: int
    """Number of the order of first load, from 1, by name."""
    title: str
    study_kind: str
    items: int
    loaded_at: str

    @property
    def reference(self) -> str:
        """What the command line calls this version: `name@2`."""
        return f"{self.name}@{self.version}"


@dataclass(frozen=True, slots=True)
class ParticipationRecord:
    """Who sits where: one participation, or an invitation that nobody has taken up yet."""

    stream: str | None
    """None: invited, never came."""
    study: str
    participant: str
    code: str | None
    """None where this file does not know the person's code (an import without codes)."""
    slot: int | None
    pilot: bool = False


@dataclass(frozen=True, slots=True)
class Loaded:
    """What `load` did."""

    record: StudyRecord
    new: bool


@dataclass(frozen=True, slots=True)
class Exporting:
    """How an export is to be made."""

    format: str
    out: Path
    raw: bool = False
    """Leave CSV cells as they are instead of making them safe for a spreadsheet."""
    identify: bool = False
    """Participant codes instead of pseudonyms."""
    bom: bool = False
    """Begin CSV files with a byte-order mark, for spreadsheets that need one."""


class Clock(Protocol):
    """Time, as the runner needs it."""

    def now(self) -> str:
        """ISO 8601 UTC with milliseconds."""

    def monotonic_ms(self) -> int:
        """Milliseconds on a clock that never goes back; only differences mean something."""


class Journal(Protocol):
    """Where events become durable."""

    async def append(self, events: Sequence[Event]) -> None:
        """Store events of one stream, all or none; on return they are on disk.

        Storing an event that is already there is fine and changes nothing, so an append whose outcome
        is unknown can be repeated.

        Raises:
            ForkError: the stream has another event where these should follow.
            JournalError: the file is locked, full, read-only or damaged; nothing was stored.
        """

    async def save_draft(self, stream: str, ask: str, text: str | None) -> None:
        """Keep unfinished text of one ask, replacing what was kept; None drops it."""

    async def drafts(self, stream: str) -> Mapping[str, str]:
        """Kept drafts by ask id."""


class Archive(Protocol):
    """Typed reads."""

    async def studies(self) -> Sequence[StudyRecord]:
        """Every version, newest last."""

    async def find(self, reference: str) -> StudyRecord:
        """The version a person means by `name` (the newest), `name@2`, or a hash's first 8+ digits.

        Raises:
            UnknownStudyError: there is none, naming what there is.
        """

    async def study(self, sha256: str) -> Study:
        """The study as it was loaded."""

    async def participations(self, study: str) -> Sequence[ParticipationRecord]:
        """Participations and open invitations of one version, in slot order, pilots last."""

    async def events(self, stream: str) -> Sequence[Event]:
        """One stream, in order. Where it forked, only the side this file's own writer continued."""

    async def streams(self, study: str) -> Mapping[str, Sequence[Event]]:
        """Every participation stream of a version with its events, by stream id."""

    async def desk(self, study: str | None = None) -> Sequence[Event]:
        """Events of all desks, oldest first; with `study`, those that name it."""


class Desk(Protocol):
    """What a researcher does, each an event of this station's desk."""

    async def load(self, study: Study) -> Loaded:
        """Copy a study version into the database; loading it again changes nothing."""

    async def issue_codes(self, study: StudyRecord, n: int) -> Sequence[str]:
        """New participant codes with a check character; where there are slots each code reserves one."""

    async def admit(
        self, study: StudyRecord, code: str, *, pilot: bool, expect_known: bool = False
    ) -> ParticipationRecord:
        """Seat a participant: their own participation again, or a new one in the next free slot.

        A person who took part in an older version of the study of that name goes on in that one.

        Raises:
            UnknownCodeError: with `expect_known`, a code that nobody has yet and a new person may take.
            NoPlaceError: unknown code where codes were issued or listed, or no slot left.
        """

    async def release(self, study: StudyRecord, code: str) -> ParticipationRecord:
        """Free a drop-out's slot for a replacement.

        Raises:
            NoPlaceError: nobody of that code holds a slot, or they have finished.
        """

    async def look(self, study: StudyRecord, figure: str, reason: str, completed: int, planned: int) -> None:
        """Record that a figure was looked at before planned N."""

    async def adjudicate(self, decision: AnnotationAdjudicated) -> None:
        """Record a final label."""

    async def blank(self, judged: BlankJudged) -> None:
        """Record what came of one call of the blank control."""

    async def note(self, study: StudyRecord, text: str) -> None:
        """Record a deviation."""

    async def erase(self, study: StudyRecord, code: str, reason: str) -> int:
        """Erase a person's words: blank every payload of theirs, leave a tombstone; the number blanked."""

    async def export(self, study: StudyRecord, how: Exporting) -> Mapping[str, int]:
        """Write an export; rows by file."""
