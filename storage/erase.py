"""Erasing a person: their words go, the chain stays sound, a tombstone says so wherever files are merged.

The triggers of schema.sql do the erasing as soon as the tombstone is stored, also when it comes in by a
merge; this module writes tombstones, and clears the old bytes out of the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from storage.codes import code_key, is_storable
from storage.database import transaction
from storage.desk_stream import DeskStream
from studies.desk import ParticipationErased
from studies.errors import NoPlaceError

if TYPE_CHECKING:
    from sqlite3 import Connection


def erase(conn: Connection, desk: DeskStream, name: str, code: str, reason: str) -> int:
    """Blank every payload of a person in all versions of a study, and forget their code and drafts.

    Args:
        conn: the writing connection, in a transaction.
        desk: where the tombstones are recorded.
        name: the study's name.
        code: the person's code, pilots of that code included; or their random id, in a file that does not
            know codes.
        reason: why; free text of the researcher.

    Returns:
        The number of payloads blanked.

    Raises:
        NoPlaceError: nobody of that code is known.
    """
    people = _people(conn, name, code.strip()) if is_storable(code) else []
    if not people:
        raise NoPlaceError(f"nobody with the code {code} is known in {name}; nothing was erased")
    payloads = 0
    for participant in people:
        streams = conn.execute(
            "SELECT stream, study FROM events WHERE participant = ? AND kind = 'participation_opened'",
            (participant,),
        ).fetchall()
        for stream, _ in streams:
            (kept,) = conn.execute(
                "SELECT count(*) FROM events WHERE stream = ? AND body IS NOT NULL", (stream,)
            ).fetchone()
            payloads += kept
        for stream, study in streams or [("", _newest(conn, name))]:
            desk.record(conn, ParticipationErased(study, stream, reason, participant))
    return payloads


def is_unclean(conn: Connection) -> bool:
    """Whether bytes of erased payloads may still be in the file's free space or its log."""
    return conn.execute("SELECT 1 FROM meta WHERE key = 'unclean'").fetchone() is not None


def clean(conn: Connection, *, wait: bool = True) -> bool:
    """Rewrite the file without its free space and empty its log; outside any transaction.

    Args:
        conn: a writing connection.
        wait: for other processes that are using the file, as long as its timeout says.

    Returns:
        False where others kept it from being done; it stays marked and can be repeated.

    Raises:
        sqlite3.Error: the disk is full, or the file stayed locked.
    """
    (timeout,) = conn.execute("PRAGMA busy_timeout").fetchone()
    try:
        if not wait:
            conn.execute("PRAGMA busy_timeout = 0")
        conn.execute("VACUUM")
        (busy, *_) = conn.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if not busy:
            with transaction(conn):
                conn.execute("DELETE FROM meta WHERE key = 'unclean'")
        return not busy
    finally:
        conn.execute(f"PRAGMA busy_timeout = {timeout}")


def _people(conn: Connection, name: str, code: str) -> list[str]:
    rows = conn.execute(
        "SELECT participant FROM codes WHERE name = ? AND code_key = ? UNION "
        "SELECT participant FROM events WHERE participant = ? AND kind = 'participation_opened' "
        "AND study IN (SELECT sha256 FROM studies WHERE name = ?)",
        (name, code_key(code), code, name),
    )
    return [participant for (participant,) in rows]


def _newest(conn: Connection, name: str) -> str:
    row = conn.execute(
        "SELECT sha256 FROM studies WHERE name = ? ORDER BY version DESC LIMIT 1", (name,)
    ).fetchone()
    return str(row[0])
