"""Appending: idempotent, linear, append-only; drafts; forks."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stored import AT, Stream

from storage.database import open_database, open_readonly, sqlite3, transaction
from storage.journal import append, read_stream
from storage.rows import store as store_rows
from storage.sides import own_side
from storage.store import Store
from studies.errors import ForkError, JournalError
from studies.events import Chain, Event
from studies.payloads import FieldAnswered, ParticipationWithdrawn

if TYPE_CHECKING:
    from sqlite3 import Connection


def twin(stream: Stream, after: int) -> Chain:
    """A second hand that goes on behind event `after` of the stream."""
    return Chain.after(stream.events[after - 1])


def more(chain: Chain, *values: Any) -> list[Event]:
    return [chain.make(FieldAnswered("s", 1, "f", value), AT) for value in values]


def rows(path: Path) -> int:
    with open_readonly(path) as db:
        return db["events"].count


# -- appending -----------------------------------------------------------------------------------


async def test_events_come_back_as_they_went_in(store: Store) -> None:
    stream = Stream()
    values = [
        "plain",
        "",
        "\0",
        "a\0b",
        "\ud800",
        "😀",
        "e\u0301",
        "\u202eabc",
        "'\";--",
        "\r\n",
        "\\u0000",
        None,
        True,
        3,
    ]
    values += [1.5, ["a", "\0"], {"k": "\udfff"}]
    for value in values:
        stream.answer(value)
    await store.journal.append(stream.events)
    assert list(await store.archive.events(stream.id)) == stream.events


async def test_repeated_append_changes_nothing(store: Store, path: Path) -> None:
    stream = Stream()
    await store.journal.append(stream.events)
    batch = stream.answer("a")
    for _ in range(3):
        await store.journal.append(batch)
        await store.journal.append([])
    later = stream.answer("b")
    await store.journal.append([*batch, *later])
    await store.journal.append(batch)
    assert list(await store.archive.events(stream.id)) == stream.events
    assert rows(path) == 5


async def test_gap_or_foreign_event_in_a_batch_is_refused(store: Store) -> None:
    stream, other = Stream(), Stream()
    a, b, c = stream.add(*(FieldAnswered("s", 1, "f", n) for n in range(3)))
    for batch in ([a, c], [b, a], [a, a], [a, other.events[0]], [stream.events[0], b]):
        with pytest.raises(JournalError, match="do not follow each other; nothing was stored"):
            await store.journal.append(batch)
    with pytest.raises(ForkError):
        await store.journal.append([a, b, c])
    assert await store.archive.events(stream.id) == []


async def test_second_hand_at_an_old_end_is_refused(store: Store) -> None:
    stream = Stream()
    await store.journal.append(stream.events)
    stale = twin(stream, 1)
    await store.journal.append(stream.answer("first"))
    with pytest.raises(ForkError, match="continued elsewhere"):
        await store.journal.append(more(stale, "second"))
    assert list(await store.archive.events(stream.id)) == stream.events


async def test_batch_with_a_bad_end_stores_nothing(store: Store) -> None:
    stream = Stream()
    await store.journal.append(stream.events)
    good, bad = stream.answer("a")
    with pytest.raises(JournalError, match="SQLite refused"):
        await store.journal.append([good, replace(bad, body="{")])
    assert list(await store.archive.events(stream.id)) == stream.events[:1]
    await store.journal.append([good, bad])
    assert list(await store.archive.events(stream.id)) == stream.events


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), max_size=12))
def test_any_order_of_batches_leaves_a_sound_beginning(batches: list[tuple[int, int]]) -> None:
    stream = Stream()
    stream.add(*(FieldAnswered("s", 1, "f", n) for n in range(12)))
    stored = 0
    with tempfile.TemporaryDirectory() as folder, open_database(Path(folder) / "lab.db") as db:
        for start, length in batches:
            batch = stream.events[start : start + length]
            end = start + len(batch)
            with transaction(db.conn):
                if not batch or start <= stored:
                    append(db.conn, batch)
                    stored = max(stored, end)
                else:
                    with pytest.raises(ForkError):
                        append(db.conn, batch)
            assert read_stream(db.conn, stream.id) == stream.events[:stored]


# -- the file's own law --------------------------------------------------------------------------

CHANGES = [
    "DELETE FROM events",
    "DELETE FROM events WHERE seq = 2",
    "UPDATE events SET body = '{}'",
    "UPDATE events SET body = '{}', salt = 'x' WHERE seq = 2",
    "UPDATE events SET kind = 'other'",
    "UPDATE events SET at = ''",
    "UPDATE events SET seq = seq + 1",
    "UPDATE events SET hash = '0', body = NULL, salt = NULL",
    "UPDATE events SET digest = '0'",
    "UPDATE events SET previous = '0'",
    "UPDATE events SET stream = 's'",
    "UPDATE events SET local = 0",
    "UPDATE events SET salt = NULL",
    "UPDATE events SET quoted = '|x|'",
    "UPDATE OR IGNORE events SET kind = 'other'",
    "UPDATE OR REPLACE events SET kind = 'other'",
]


@pytest.mark.parametrize("recursive", [0, 1])
@pytest.mark.parametrize("statement", CHANGES)
def test_sql_can_neither_change_nor_delete_events(path: Path, statement: str, recursive: int) -> None:
    stream = Stream()
    stream.answer("a")
    with open_database(path) as db:
        append(db.conn, stream.events)
        db.conn.execute(f"PRAGMA recursive_triggers = {recursive}")
        with pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.conn.execute(statement)
        assert read_stream(db.conn, stream.id) == stream.events


@pytest.mark.parametrize("recursive", [0, 1])
def test_replacing_an_event_keeps_the_first(path: Path, recursive: int) -> None:
    stream = Stream()
    with open_database(path) as db:
        db.conn.execute(f"PRAGMA recursive_triggers = {recursive}")
        append(db.conn, stream.events)
        db.conn.execute(
            "INSERT OR REPLACE INTO events (stream, seq, kind, at, body, salt, digest, previous, hash) "
            "SELECT stream, seq, 'forged', at, '{}', 'x', digest, previous, hash FROM events"
        )
        assert read_stream(db.conn, stream.id) == stream.events


def test_a_withheld_payload_may_come_in_after_all(path: Path) -> None:
    stream = Stream()
    (event,) = stream.events
    with open_database(path) as db:
        store_rows(db.conn, [event.erased()], local=False)
        db.conn.execute("UPDATE events SET body = ?, salt = ?", (event.body, event.salt))
        assert read_stream(db.conn, stream.id) == [event]


# -- forks ---------------------------------------------------------------------------------------


def forked(stream: Stream, conn: Connection, own: int, theirs: int) -> tuple[list[Event], list[Event]]:
    """Store a stream of 3 events that goes on for `own` here and `theirs` elsewhere."""
    stream.answer("shared")
    mine, yours = more(twin(stream, 3), *range(own)), more(twin(stream, 3), *range(theirs))
    append(conn, stream.events)
    if mine:
        append(conn, mine)
    store_rows(conn, yours, local=False)
    return mine, yours


@pytest.mark.parametrize(("own", "theirs"), [(1, 1), (1, 5), (5, 1)])
def test_own_side_of_a_fork_goes_on(path: Path, own: int, theirs: int) -> None:
    stream = Stream()
    with open_database(path) as db:
        mine, yours = forked(stream, db.conn, own, theirs)
        assert read_stream(db.conn, stream.id) == [*stream.events, *mine]
        further = more(Chain.after(mine[-1]), "on")
        append(db.conn, further)
        assert read_stream(db.conn, stream.id) == [*stream.events, *mine, *further]
        with pytest.raises(ForkError):
            append(db.conn, more(Chain.after(yours[0]), "not here"))
        assert db["events"].count == 3 + own + theirs + 1


def test_what_was_continued_elsewhere_goes_on_here(path: Path) -> None:
    stream = Stream()
    with open_database(path) as db:
        _, yours = forked(stream, db.conn, 0, 4)
        assert read_stream(db.conn, stream.id) == [*stream.events, *yours]
        append(db.conn, more(Chain.after(yours[-1]), "here"))
        assert len(read_stream(db.conn, stream.id)) == 8


@pytest.mark.parametrize("theirs", [0, 5])
def test_a_withdrawal_counts_on_whichever_side_it_was_said(path: Path, theirs: int) -> None:
    stream = Stream()
    with open_database(path) as db:
        _, yours = forked(stream, db.conn, 3, theirs)
        left = Chain.after(yours[-1] if yours else stream.events[-1]).make(ParticipationWithdrawn(), AT)
        store_rows(db.conn, [left], local=False)
        assert read_stream(db.conn, stream.id) == [*stream.events, *yours, left]


@given(st.permutations(range(9)), st.integers(0, 3))
def test_files_without_an_own_side_choose_alike(order: list[int], longer: int) -> None:
    stream = Stream()
    stream.add(*(FieldAnswered("s", 1, "f", n) for n in range(2)))
    left, right = more(twin(stream, 3), *"lll"), more(twin(stream, 3), *"rrr")
    events = [*stream.events, *left, *right]
    chosen = own_side([events[n] for n in order], set())
    assert chosen == own_side(events, set())
    assert chosen == [*stream.events, *min(left, right, key=lambda side: side[-1].hash)]
    further = more(Chain.after(left[-1]), *range(longer + 1))
    assert own_side([*further, *(events[n] for n in order)], set()) == [*stream.events, *left, *further]


# -- drafts --------------------------------------------------------------------------------------


async def test_drafts_are_replaced_and_dropped(store: Store) -> None:
    await store.journal.save_draft("s", "a/note/1", "one")
    await store.journal.save_draft("s", "a/note/1", "tw\0o \ud800 😀")
    await store.journal.save_draft("s", "b/note/1", "other")
    await store.journal.save_draft("t", "a/note/1", "someone else's")
    assert await store.journal.drafts("s") == {"a/note/1": "tw\0o \ud800 😀", "b/note/1": "other"}
    await store.journal.save_draft("s", "a/note/1", None)
    await store.journal.save_draft("s", "never/note/1", None)
    assert await store.journal.drafts("s") == {"b/note/1": "other"}
