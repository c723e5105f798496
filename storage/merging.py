"""Uniting stations' databases: a set union of events, studies and codes, in any order, again and again."""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from storage.archive import read_study, records
from storage.database import connect, explained, open_database, open_readonly, transaction
from storage.erase import clean, is_unclean
from storage.migrations import MIGRATIONS
from storage.rows import fetch
from storage.seats import read_seats
from storage.uniting import Person, Union, unite_events, unite_people, unite_study, unsound
from studies.assignment import planned_slots
from studies.errors import InputError
from studies.events import Event

REFUSED = "Nothing was merged; bring back a backup of this file, or merge without it"

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Merged:
    """What a merge did, and what a researcher has to look at."""

    events: int
    """Events in the united database."""
    new: int
    """Events that it did not hold before."""
    filled: int
    """Payloads that had been withheld from it and came in now."""
    studies: int
    """Study versions that it did not hold before."""
    forks: tuple[str, ...]
    """Streams that were continued at two stations; both sides are kept."""
    shared_codes: tuple[tuple[str, str], ...]
    """(study name, code) of codes that stand for two different people; both are kept."""
    shared_slots: tuple[tuple[str, int], ...]
    """(study version, slot) of slots of the design that two people hold; both are kept."""


def merge(sources: Sequence[Path], into: Path) -> Merged:
    """Unite databases into another one, which may be new or hold data already.

    All or nothing. Drafts stay where they are: a participation goes on at its own station.

    Args:
        sources: read only, and left as they are.
        into: none of the sources.

    Raises:
        InputError: a source is missing, foreign or damaged, naming the event; or `into` is a source.
        MachineError: a file cannot be read or written; nothing was stored.
    """
    for source in sources:
        if into.exists() and source.exists() and os.path.samefile(source, into):
            raise InputError(f"{into} is one of the files to merge; name another one with --into")
        if not source.is_file():
            raise InputError(f"{source}: there is no such database")
    existed = into.exists()
    db = open_database(into)
    try:
        with explained(into):
            with transaction(db.conn):
                made = _merge(db.conn, sources)
            if is_unclean(db.conn):
                clean(db.conn, wait=False)
    except BaseException:
        db.close()
        if not existed:
            into.unlink(missing_ok=True)
        raise
    db.close()
    return made


def _merge(conn: Connection, sources: Sequence[Path]) -> Merged:
    union = Union()
    for source in sources:
        with _opened(source) as other, explained(source):
            _take(conn, other, source, union)
    (events,) = conn.execute("SELECT count(*) FROM events").fetchone()
    return Merged(
        events=events,
        new=union.new,
        filled=union.filled,
        studies=union.studies,
        forks=forked(conn),
        shared_codes=shared_codes(conn),
        shared_slots=shared_slots(conn),
    )


def _take(conn: Connection, other: Connection, source: Path, union: Union) -> None:
    for sha256, loaded_at in other.execute("SELECT sha256, loaded_at FROM studies").fetchall():
        study = read_study(other, sha256)
        if study.sha256 != sha256:
            raise InputError(f"{source}: the files of study version {sha256} were altered. {REFUSED}")
        union.studies += unite_study(conn, study, loaded_at)
    unite_events(conn, _sound(fetch(other), source), union, str(source))
    people = other.execute("SELECT participant, name, code, pilot FROM codes ORDER BY participant")
    unite_people(conn, (Person(*row) for row in people))


def _sound(events: Iterator[Event], source: Path) -> Iterator[Event]:
    """The events of a database, each stream verified before it is handed on."""
    for _, stream in groupby(events, key=attrgetter("stream")):
        whole = tuple(stream)
        for one, why in unsound(whole):
            raise InputError(f"{source}: event {one.seq} of stream {one.stream}: {why}. {REFUSED}")
        yield from whole


@contextmanager
def _opened(source: Path) -> Iterator[Connection]:
    """A source in one snapshot, with nothing left beside it that was not there."""
    with ExitStack() as stack:
        place = source
        if not os.access(source.parent, os.W_OK):
            # SQLite reads a write-ahead log only where it may write; here nobody else can either.
            place = Path(stack.enter_context(TemporaryDirectory())) / source.name
            for one in (source, source.with_name(source.name + "-wal")):
                if one.exists():
                    shutil.copyfile(one, place.with_name(one.name))
        alone = not any(place.with_name(place.name + end).exists() for end in ("-wal", "-shm"))
        db = open_readonly(place)
        try:
            (version,) = db.conn.execute("PRAGMA user_version").fetchone()
            if version != len(MIGRATIONS):
                todo = "update capa-tui" if version > len(MIGRATIONS) else "open it once with this one"
                raise InputError(f"{source}: another version of capa-tui made this database; {todo}")
            db.conn.execute("BEGIN")
            yield db.conn
        finally:
            db.close()
            if alone and os.access(place, os.W_OK):
                # A reader leaves its log behind; a writer that writes nothing takes it away.
                with closing(connect(place)) as writer:
                    writer.execute("SELECT count(*) FROM sqlite_schema").fetchone()


def forked(conn: Connection) -> tuple[str, ...]:
    """Streams with two events of one number."""
    found = conn.execute(
        "SELECT DISTINCT stream FROM events GROUP BY stream, seq HAVING count(*) > 1 ORDER BY stream"
    )
    return tuple(stream for (stream,) in found)


def shared_codes(conn: Connection) -> tuple[tuple[str, str], ...]:
    """Codes under which two different people took part in one study; pilots may share theirs."""
    found = conn.execute(
        "SELECT name, min(code) FROM codes WHERE NOT pilot AND EXISTS (SELECT 1 FROM events WHERE "
        "events.participant = codes.participant AND kind = 'participation_opened') "
        "GROUP BY name, code_key HAVING count(*) > 1 ORDER BY 1, 2"
    )
    return tuple((name, code) for name, code in found)


def shared_slots(conn: Connection) -> tuple[tuple[str, int], ...]:
    """Slots of planned designs that two people hold at once."""
    found: list[tuple[str, int]] = []
    for version in records(conn):
        if planned_slots(read_study(conn, version.sha256)) is None:
            continue
        seats = read_seats(conn, version.name)
        held = Counter(
            one.slot
            for one in seats.participations
            if one.study == version.sha256 and one.slot and one.stream not in seats.free_again
        )
        found += ((version.reference, slot) for slot, times in sorted(held.items()) if times > 1)
    return tuple(found)
