"""Typed reads: the port `Archive`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from storage.journal import own_events, read_stream
from storage.readers import Readers
from storage.rows import fetch
from storage.seats import read_seats
from studies.errors import UnknownStudyError
from studies.events import Event, by_time
from studies.folder import parse
from studies.ports import ParticipationRecord, StudyRecord
from studies.study import Study

if TYPE_CHECKING:
    from sqlite3 import Connection

_RECORD = "SELECT sha256, name, version, title, study_kind, items, loaded_at FROM studies"
_HASH_DIGITS = 8
"""So many digits of a hash name a version, at least."""


class SqliteArchive:
    """Reads run in a thread each, on connections that cannot write."""

    def __init__(self, readers: Readers) -> None:
        self._readers = readers
        self._parsed: dict[str, Study] = {}

    async def studies(self) -> Sequence[StudyRecord]:
        """Every version, newest last."""
        return await self._readers.run(records)

    async def find(self, reference: str) -> StudyRecord:
        """The version a person means by `name` (the newest), `name@2`, or a hash's first 8+ digits.

        Raises:
            UnknownStudyError: there is none, naming what there is.
        """
        return choose(await self.studies(), reference)

    async def study(self, sha256: str) -> Study:
        """The study as it was loaded.

        Raises:
            UnknownStudyError: no version has that hash.
        """
        if sha256 not in self._parsed:
            self._parsed[sha256] = await self._readers.run(lambda conn: read_study(conn, sha256))
        return self._parsed[sha256]

    async def participations(self, study: str) -> Sequence[ParticipationRecord]:
        """Participations and open invitations of one version, in slot order, pilots last."""

        def read(conn: Connection) -> list[ParticipationRecord]:
            row = conn.execute("SELECT name FROM studies WHERE sha256 = ?", (study,)).fetchone()
            return read_seats(conn, row[0]).of(study) if row else []

        return await self._readers.run(read)

    async def events(self, stream: str) -> Sequence[Event]:
        """One stream, in order. Where it forked, only the side this file's own writer continued."""
        return await self._readers.run(lambda conn: read_stream(conn, stream))

    async def streams(self, study: str) -> Mapping[str, Sequence[Event]]:
        """Every participation stream of a version with its events, by stream id."""
        return await self._readers.run(lambda conn: read_streams(conn, study))

    async def desk(self, study: str | None = None) -> Sequence[Event]:
        """Events of all desks, oldest first, both sides of a fork; with `study`, those that name it."""

        def read(conn: Connection) -> list[Event]:
            where = "stream IN (SELECT stream FROM events WHERE kind = 'desk_opened')"
            if study is None:
                found = fetch(conn, where)
            else:
                found = fetch(conn, f"study = ? AND {where}", (study,))
            return by_time(found)

        return await self._readers.run(read)


def records(conn: Connection) -> list[StudyRecord]:
    """Every study version, newest last."""
    return [StudyRecord(*row) for row in conn.execute(f"{_RECORD} ORDER BY loaded_at, rowid")]


def record_of(conn: Connection, sha256: str) -> StudyRecord | None:
    """The version with that hash, if it is loaded."""
    row = conn.execute(f"{_RECORD} WHERE sha256 = ?", (sha256,)).fetchone()
    return StudyRecord(*row) if row else None


def choose(loaded: Sequence[StudyRecord], reference: str) -> StudyRecord:
    """The version that `name`, `name@2` or the first digits of a hash mean.

    Raises:
        UnknownStudyError: none, or more than one.
    """
    name, at, number = reference.partition("@")
    found = [one for one in loaded if one.name == name and (not at or str(one.version) == number)]
    if found:
        return max(found, key=lambda one: one.version)
    if len(reference) >= _HASH_DIGITS:
        found = [one for one in loaded if one.sha256.startswith(reference.lower())]
    if len(found) == 1:
        return found[0]
    if found:
        raise UnknownStudyError(f"{reference} is the beginning of {len(found)} hashes; give more digits")
    known = ", ".join(one.reference for one in loaded)
    raise UnknownStudyError(
        f"no study {reference!r} in this database; "
        + (f"there is: {known}" if known else "nothing is loaded yet, `load` a study folder first")
    )


def read_study(conn: Connection, sha256: str) -> Study:
    """The study of that hash, parsed from the files as they were loaded.

    Raises:
        UnknownStudyError: it is not loaded.
    """
    files = read_files(conn, sha256)
    if not files:
        raise UnknownStudyError(f"no study version {sha256} in this database")
    return parse(files)


def read_files(conn: Connection, sha256: str) -> dict[str, bytes]:
    """A version's files by relative path."""
    rows = conn.execute("SELECT path, bytes FROM study_files WHERE study = ? ORDER BY path", (sha256,))
    return dict(rows)


def read_streams(conn: Connection, study: str) -> dict[str, list[Event]]:
    """Every participation stream of a version, as `Archive.streams`."""
    where = (
        "stream IN (SELECT stream FROM events WHERE study = ? AND kind = 'participation_opened' AND seq = 1)"
    )
    streams = groupby(fetch(conn, where, (study,)), key=lambda one: one.stream)
    return {stream: own_events(conn, list(events)) for stream, events in streams}
