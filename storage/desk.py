"""What a researcher does, each an event of this station's desk: the port `Desk`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from storage import seating
from storage.archive import SqliteArchive, record_of
from storage.desk_stream import DeskStream
from storage.erase import clean, erase
from storage.readers import Readers
from storage.writer import Writer
from studies.desk import AnnotationAdjudicated, BlankJudged, DeviationNoted, Exported, Look, StudyLoaded
from studies.errors import JournalError, MachineError
from studies.events import Payload
from studies.ports import Exporting, Loaded, ParticipationRecord, StudyRecord
from studies.study import Study

if TYPE_CHECKING:
    from sqlite3 import Connection


class SqliteDesk:
    """Every action is one transaction of the writer thread."""

    def __init__(self, writer: Writer, readers: Readers, archive: SqliteArchive, desk: DeskStream) -> None:
        self._writer = writer
        self._readers = readers
        self._archive = archive
        self._desk = desk

    async def load(self, study: Study) -> Loaded:
        """Copy a study version into the database; loading it again changes nothing."""
        return await self._writer.run(lambda conn: load(conn, self._desk, study))

    async def issue_codes(self, study: StudyRecord, n: int) -> Sequence[str]:
        """New participant codes with a check character; where there are slots each code reserves one."""
        whole = await self._archive.study(study.sha256)
        return await self._writer.run(lambda conn: seating.issue_codes(conn, self._desk, whole, n))

    async def admit(
        self, study: StudyRecord, code: str, *, pilot: bool, expect_known: bool = False
    ) -> ParticipationRecord:
        """Seat a participant: their own participation again, or a new one in the next free slot.

        A person who took part in an older version of the study of that name goes on in that one.
        A pilot's record has no slot, whatever layout it was given.

        Raises:
            NoPlaceError: unknown code where codes were issued or listed, or no slot left.
        """
        whole = await self._archive.study(study.sha256)

        def admit(conn: Connection) -> ParticipationRecord:
            return seating.admit(conn, self._desk, whole, code, pilot=pilot, expect_known=expect_known)

        return await self._writer.run(admit)

    async def release(self, study: StudyRecord, code: str) -> ParticipationRecord:
        """Free a drop-out's slot for a replacement.

        Raises:
            NoPlaceError: nobody of that code holds a slot, or they have finished.
        """
        whole = await self._archive.study(study.sha256)
        return await self._writer.run(lambda conn: seating.release(conn, self._desk, whole, code))

    async def look(self, study: StudyRecord, figure: str, reason: str, completed: int, planned: int) -> None:
        """Record that a figure was looked at before planned N."""
        await self._record(Look(study.sha256, figure, reason, completed, planned))

    async def adjudicate(self, decision: AnnotationAdjudicated) -> None:
        """Record a final label."""
        await self._record(decision)

    async def blank(self, judged: BlankJudged) -> None:
        """Record what came of one call of the blank control."""
        await self._record(judged)

    async def note(self, study: StudyRecord, text: str) -> None:
        """Record a deviation."""
        await self._record(DeviationNoted(study.sha256, text))

    async def erase(self, study: StudyRecord, code: str, reason: str) -> int:
        """Erase a person's words in all versions of the study: blank every payload of theirs, leave a
        tombstone; the number blanked. Copies made before (backups, exports) are out of its reach.

        Raises:
            NoPlaceError: nobody of that code is known.
            MachineError: everything is erased, but old bytes are still in the file's free space; opening
                the database again clears them.
        """
        erased = await self._writer.run(lambda conn: erase(conn, self._desk, study.name, code, reason))
        try:
            cleaned = await self._writer.run(clean, alone=True)
        except JournalError as error:
            raise MachineError(f"{_UNCLEAN.format(erased)} Cause: {error}") from error
        if not cleaned:
            raise MachineError(_UNCLEAN.format(erased))
        return erased

    async def export(self, study: StudyRecord, how: Exporting) -> Mapping[str, int]:
        """Write an export; rows by file."""
        from storage.export.write import export

        program = self._desk.program
        counts = await self._readers.run(lambda conn: export(conn, study, how, program=program))
        await self._record(Exported(study.sha256, how.format, dict(counts)))
        return counts

    async def _record(self, payload: Payload) -> None:
        await self._writer.run(lambda conn: self._desk.record(conn, payload))


_UNCLEAN = (
    "{} payloads were erased, but their old bytes are still in the file's free space, because it could not "
    "be rewritten now. Close other programs that use it; opening the database again clears them."
)


def load(conn: Connection, desk: DeskStream, study: Study) -> Loaded:
    """Copy a study version in, inside the caller's transaction."""
    known = record_of(conn, study.sha256)
    if known:
        return Loaded(known, new=False)
    settings = study.settings
    (version,) = conn.execute(
        "SELECT coalesce(max(version), 0) + 1 FROM studies WHERE name = ?", (settings.name,)
    ).fetchone()
    items = len(study.ids)
    loaded = StudyLoaded(study.sha256, settings.name, settings.title, settings.kind, items)
    at = _after_all(conn, settings.name, desk.record(conn, loaded))
    row = (study.sha256, settings.name, version, settings.title, settings.kind, items, at)
    conn.execute("INSERT INTO studies VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    conn.executemany(
        "INSERT INTO study_files VALUES (?, ?, ?)",
        ((study.sha256, path, content) for path, content in study.files.items()),
    )
    invited = seating.bind_listed(conn, study)
    if invited:
        desk.record(conn, invited)
    return Loaded(StudyRecord(*row), new=True)


def _after_all(conn: Connection, name: str, at: str) -> str:
    """A time of loading behind those of the study's other versions, whatever the clock says: versions are
    numbered by it wherever files are united."""
    (last,) = conn.execute("SELECT max(loaded_at) FROM studies WHERE name = ?", (name,)).fetchone()
    if last is None or at > last:
        return at
    later = datetime.fromisoformat(last) + timedelta(milliseconds=1)
    return later.isoformat(timespec="milliseconds").replace("+00:00", "Z")
