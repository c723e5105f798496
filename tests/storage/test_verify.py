"""What `verify` finds, each fault made by hand; and that it finds nothing in a sound file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.stored import AT, Stream, stored_study

from storage.database import connect, open_database
from storage.journal import append
from storage.migrations import MIGRATIONS
from storage.rows import store as store_rows
from storage.store import Store
from storage.verify import verify
from studies.errors import InputError
from studies.events import Chain
from studies.payloads import FieldAnswered

if TYPE_CHECKING:
    from sqlite3 import Connection


def prepare(path: Path) -> Stream:
    """A sound database: a study, its desk, a participant, and a stream of three events."""
    study = stored_study()

    async def run() -> None:
        async with Store.open(path, "station", "test") as store:
            record = (await store.desk.load(study)).record
            await store.desk.admit(record, "P1", pilot=False)

    asyncio.run(run())
    stream = Stream(study.sha256)
    stream.answer("a\0b")
    with open_database(path) as db:
        append(db.conn, stream.events)
    return stream


def found(path: Path) -> list[str]:
    return [one.check for one in verify(path)]


def drop_laws(conn: Connection) -> None:
    for (name,) in conn.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
        conn.execute(f"DROP TRIGGER {name}")


def test_sound_file_has_no_findings_and_stays_as_it_is(path: Path) -> None:
    prepare(path)
    before = path.read_bytes()
    assert verify(path) == []
    assert path.read_bytes() == before


FORGERIES: list[tuple[str, str, str]] = [
    ("UPDATE events SET body = replace(body, 'note', 'nope') WHERE seq = 3", "chain", "payload was altered"),
    ("UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 2", "chain", "hash does not match"),
    ("UPDATE events SET kind = 'page_read' WHERE seq = 2", "chain", "hash does not match"),
    ("DELETE FROM events WHERE seq = 2", "chain", "event 2 is missing"),
    ("DELETE FROM events WHERE seq = 1 AND kind = 'participation_opened'", "chain", "event 1 is missing"),
    ("UPDATE events SET quoted = '' WHERE quoted <> ''", "views", "does not fit"),
    ("UPDATE study_files SET bytes = X'00' WHERE path = 'consent.md'", "studies", "its files give the hash"),
    ("DELETE FROM study_files WHERE path = 'consent.md'", "studies", "its files give the hash"),
    ("INSERT INTO study_files VALUES ('0', 'a', X'')", "references", "names something missing"),
]


@pytest.mark.parametrize(("statement", "check", "words"), FORGERIES)
def test_what_was_done_behind_our_back_is_found(path: Path, statement: str, check: str, words: str) -> None:
    prepare(path)
    with open_database(path) as db:
        db.conn.execute("PRAGMA foreign_keys = OFF")
        drop_laws(db.conn)
        db.conn.execute(statement)
    assert any(one.check == check and words in one.text for one in verify(path))


def test_missing_study_is_found(path: Path) -> None:
    open_database(path).close()
    with open_database(path) as db:
        append(db.conn, Stream().events)
    (finding,) = verify(path)
    assert (finding.check, "is not in this file" in finding.text) == ("references", True)


def test_forks_are_reported(path: Path) -> None:
    stream = prepare(path)
    other = Chain.after(stream.events[1]).make(FieldAnswered("s", 1, "f", "x"), AT)
    with open_database(path) as db:
        store_rows(db.conn, [other], local=False)
    (finding,) = verify(path)
    assert finding.check == "chain"
    assert f"event 3 of stream {stream.id}: the stream forks here" in finding.text


def test_a_code_that_took_part_twice_is_reported(path: Path) -> None:
    stream = prepare(path)
    with open_database(path) as db:
        db.conn.execute("INSERT INTO codes VALUES (?, 'small', 'p1', 'p1', 0)", (stream.participant,))
    (finding,) = verify(path)
    assert (finding.check, "took part twice" in finding.text) == ("codes", True)


def scribble(content: bytes) -> bytes:
    return content[:8192] + b"\xaa" * 4096 + content[12288:]


@pytest.mark.parametrize(
    "harm",
    [lambda content: content[:-1], lambda content: content[:8192], lambda content: content[:500], scribble],
)
def test_damaged_file_is_a_finding(path: Path, harm: Callable[[bytes], bytes]) -> None:
    prepare(path)
    path.write_bytes(harm(path.read_bytes()))
    assert "file" in found(path)


def test_what_is_no_database_of_ours_is_bad_input(path: Path) -> None:
    with pytest.raises(InputError, match="no such database"):
        verify(path)
    path.write_text("text " * 1000)
    with pytest.raises(InputError, match="not a SQLite database"):
        verify(path)


def test_another_version_is_not_judged(path: Path) -> None:
    open_database(path).close()
    for version, words in ((len(MIGRATIONS) + 1, "update capa-tui"), (0, "open it first")):
        conn = connect(path)
        conn.execute(f"PRAGMA user_version = {version}")
        conn.close()
        with pytest.raises(InputError, match=words):
            verify(path)
