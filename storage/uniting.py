"""Taking events, studies and codes into a database as a set union: again and again, in any order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from storage.codes import code_key
from storage.rows import fetch, quoted_fields, store
from studies.errors import InputError
from studies.events import GENESIS, Event, digest_of, hash_of
from studies.shapes import misfit
from studies.study import Study

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Person:
    """One row of the table of codes."""

    participant: str
    name: str
    """The study's name."""
    code: str
    pilot: bool


@dataclass(slots=True)
class Union:
    """How far a set union has come."""

    new: int = 0
    """Events that were not there."""
    filled: int = 0
    """Payloads that were withheld and came in now."""
    studies: int = 0
    """Study versions that were not there."""


def unsound(events: Sequence[Event]) -> Iterator[tuple[Event, str]]:
    """Events of one stream that are altered, lack the one before them, or are not what their kind says;
    forks are sound."""
    known = {(one.seq, one.hash) for one in events}
    for one in events:
        if one.hash != hash_of(one.previous, one.stream, one.seq, one.kind, one.at, one.digest):
            yield one, "its hash does not match its contents"
        elif (one.body is None) != (one.salt is None):
            yield one, "it has a payload without a salt, or a salt without a payload"
        elif one.body is not None and one.salt is not None and digest_of(one.salt, one.body) != one.digest:
            yield one, "its payload was altered"
        elif one.seq == 1 and one.previous != GENESIS:
            yield one, "it is the first of its stream and names one before it"
        elif one.seq != 1 and (one.seq - 1, one.previous) not in known:
            yield one, f"event {one.seq - 1}, which it follows, is missing"
        elif why := misfit(one):
            yield one, why


def unite_events(conn: Connection, events: Iterable[Event], union: Union, source: str) -> None:
    """Store events that are not there, and payloads that were withheld; a tombstone's stay away.

    Args:
        conn: a writing connection inside a transaction.
        events: sound ones, those of one stream together.
        union: counts on.
        source: what to call their origin in an error.

    Raises:
        InputError: this database holds an altered copy of one of them.
    """
    tombstones = False
    for stream, incoming in groupby(events, key=attrgetter("stream")):
        here = {(one.seq, one.hash): one for one in fetch(conn, "stream = ?", (stream,))}
        fresh: list[Event] = []
        for one in incoming:
            known = here.get((one.seq, one.hash))
            if known is None:
                here[one.seq, one.hash] = one
                fresh.append(one)
            elif known.erased() != one.erased() or (known.body and one.body and known != one):
                raise InputError(
                    f"event {one.seq} of stream {stream} differs between this database and {source}, and "
                    f"the one in {source} is sound: `verify` says more. Nothing was stored"
                )
            elif known.body is None and one.body is not None:
                union.filled += _fill(conn, one)
                tombstones = tombstones or one.kind == "participation_erased"
        store(conn, fresh, local=False)
        union.new += len(fresh)
    if tombstones:
        _apply_tombstones(conn)


def _fill(conn: Connection, one: Event) -> int:
    done = conn.execute(
        "UPDATE events SET body = ?, salt = ?, quoted = ? "
        "WHERE stream = ? AND seq = ? AND hash = ? AND body IS NULL AND NOT EXISTS "
        "(SELECT 1 FROM events WHERE participation = ? AND kind = 'participation_erased')",
        (one.body, one.salt, quoted_fields(one.body), one.stream, one.seq, one.hash, one.stream),
    )
    return done.rowcount


def _apply_tombstones(conn: Connection) -> None:
    """What the database does by itself when a tombstone is stored, for those whose payload came later."""
    streams = _named("participation")
    conn.execute(
        "UPDATE events SET body = NULL, salt = NULL, quoted = '' "
        f"WHERE body IS NOT NULL AND kind <> 'participation_erased' AND stream IN ({streams})"
    )
    conn.execute(f"DELETE FROM drafts WHERE stream IN ({streams})")
    conn.execute(f"DELETE FROM codes WHERE participant IN ({_named('participant')})")
    conn.execute("INSERT OR REPLACE INTO meta VALUES ('unclean', '')")


def _named(column: str) -> str:
    return f"SELECT {column} FROM events WHERE kind = 'participation_erased' AND body IS NOT NULL"


def unite_study(conn: Connection, study: Study, loaded_at: str) -> bool:
    """Store a study version that is not there; of two times of loading the earlier one stands.

    Returns:
        Whether it was new.
    """
    known = conn.execute("SELECT loaded_at FROM studies WHERE sha256 = ?", (study.sha256,)).fetchone()
    if known is not None:
        conn.execute(
            "UPDATE studies SET loaded_at = min(loaded_at, ?) WHERE sha256 = ?", (loaded_at, study.sha256)
        )
    else:
        settings = study.settings
        (last,) = conn.execute(
            "SELECT coalesce(max(version), 0) FROM studies WHERE name = ?", (settings.name,)
        ).fetchone()
        conn.execute(
            "INSERT INTO studies (sha256, name, version, title, study_kind, items, loaded_at) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                study.sha256,
                settings.name,
                last + 1,
                settings.title,
                settings.kind,
                len(study.ids),
                loaded_at,
            ),
        )
        conn.executemany(
            "INSERT INTO study_files (study, path, bytes) VALUES (?, ?, ?)",
            [(study.sha256, path, content) for path, content in sorted(study.files.items())],
        )
    _number(conn, study.settings.name)
    return known is None


def _number(conn: Connection, name: str) -> None:
    """Number the versions of a study by when each was first loaded."""
    found = conn.execute(
        "SELECT sha256, version FROM studies WHERE name = ? ORDER BY loaded_at, sha256", (name,)
    ).fetchall()
    if [version for _, version in found] == list(range(1, len(found) + 1)):
        return
    # Numbers are unique at every moment: out of the way first, then into place.
    above = max(version for _, version in found)
    for shift in (above + len(found), 0):
        conn.executemany(
            "UPDATE studies SET version = ? WHERE sha256 = ?",
            [(place + shift, sha256) for place, (sha256, _) in enumerate(found, start=1)],
        )


def unite_people(conn: Connection, people: Iterable[Person]) -> None:
    """Store participant codes; where one person has two, the first in order stands."""
    for one in people:
        conn.execute(
            "INSERT INTO codes (participant, name, code, code_key, pilot) VALUES (?, ?, ?, ?, ?) "
            "ON CONFLICT (participant) DO UPDATE SET code = excluded.code, code_key = excluded.code_key "
            "WHERE excluded.code < code",
            (one.participant, one.name, one.code, code_key(one.code), int(one.pilot)),
        )
