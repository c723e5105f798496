"""Erasing: the words are gone from the bytes, the chain verifies, and no merge brings them back."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.processes import Child
from support.stored import AT, Stream, stored_study

from storage.database import open_database
from storage.erase import is_unclean
from storage.journal import append, read_stream
from storage.rows import store as store_rows
from storage.store import Store
from storage.verify import verify
from studies.desk import ParticipationErased
from studies.errors import JournalError, MachineError, NoPlaceError
from studies.events import Chain, Erased, faults, new_id
from studies.payloads import FieldAnswered
from studies.ports import ParticipationRecord, StudyRecord

SECRET = "correct-horse-battery-staple"
CODE = "Zebra-Quagga"


def bytes_beside(path: Path) -> bytes:
    """Everything SQLite keeps: the file, its log, its index."""
    return b"".join(one.read_bytes() for one in sorted(path.parent.iterdir()) if one.is_file())


async def taken_part(
    store: Store, code: str, secret: str, answers: int = 6
) -> tuple[StudyRecord, ParticipationRecord]:
    """A person who has written short and long secrets, in events and in a draft."""
    record = (await store.desk.load(stored_study())).record
    seated = await store.desk.admit(record, code, pilot=False)
    stream = str(seated.stream)
    chain = Chain.after((await store.archive.events(stream))[-1])
    for number in range(answers):
        text = f"{number} {secret} " * (1 if number % 2 else 800)
        await store.journal.append([chain.make(FieldAnswered("s", 1, "note", text, "i1"), AT)])
    await store.journal.save_draft(stream, "s/note/1", f"draft {secret}")
    return record, seated


async def test_words_and_code_are_gone_from_the_bytes(path: Path) -> None:
    async with Store.open(path, "station", "test") as store:
        record, seated = await taken_part(store, CODE, SECRET)
        await taken_part(store, "other", "someone elses words")
        assert SECRET.encode() in bytes_beside(path)
        assert CODE.encode() in bytes_beside(path)
        assert await store.desk.erase(record, CODE.lower(), "asked for it") == 7
        for gone in (SECRET, CODE, CODE.casefold()):
            assert gone.encode() not in bytes_beside(path)
        assert b"someone elses words" in bytes_beside(path)
        events = await store.archive.events(str(seated.stream))
        assert [type(one.payload) for one in events] == [Erased] * 7
        assert faults(list(events)) == []
        assert await store.journal.drafts(str(seated.stream)) == {}
        assert [one.code for one in await store.archive.participations(record.sha256)] == ["other"]
    assert SECRET.encode() not in bytes_beside(path)
    assert verify(path) == []


async def test_tombstone_is_recorded_and_stays(store: Store, path: Path) -> None:
    record, seated = await taken_part(store, CODE, SECRET)
    await store.desk.erase(record, CODE, "asked for it")
    (tombstone,) = [
        one for one in await store.archive.desk(record.sha256) if one.kind == "participation_erased"
    ]
    assert tombstone.payload == ParticipationErased(
        record.sha256, str(seated.stream), "asked for it", seated.participant
    )
    with open_database(path) as db, pytest.raises(Exception, match="append-only"):
        db.conn.execute("UPDATE events SET body = NULL, salt = NULL WHERE kind = 'participation_erased'")


async def test_nothing_more_can_be_stored_for_an_erased_person(store: Store) -> None:
    record, seated = await taken_part(store, CODE, SECRET)
    stream = str(seated.stream)
    before = await store.archive.events(stream)
    await store.desk.erase(record, CODE, "asked for it")
    more = Chain.after(before[-1]).make(FieldAnswered("s", 1, "note", SECRET), AT)
    with pytest.raises(JournalError, match="was erased; nothing more can be stored"):
        await store.journal.append([more])
    await store.journal.append(before)
    await store.journal.save_draft(stream, "s/note/1", SECRET)
    assert await store.journal.drafts(stream) == {}
    assert all(one.body is None for one in await store.archive.events(stream))
    assert len(await store.archive.events(stream)) == len(before)


async def test_all_versions_and_pilots_of_a_person_go(store: Store) -> None:
    old, first = await taken_part(store, CODE, SECRET, answers=2)
    new = (await store.desk.load(stored_study(items=5))).record
    pilot = await store.desk.admit(new, CODE, pilot=True)
    other = (await store.desk.load(stored_study(name="other"))).record
    elsewhere = await store.desk.admit(other, CODE, pilot=False)
    assert await store.desk.erase(new, CODE, "asked for it") == 4
    for stream in (first.stream, pilot.stream):
        assert all(one.body is None for one in await store.archive.events(str(stream)))
    assert all(one.body for one in await store.archive.events(str(elsewhere.stream)))
    assert await store.archive.participations(old.sha256) == []


@pytest.mark.parametrize("code", ["nobody", "", "\udcff", "a\0b"])
async def test_what_can_be_no_code_erases_nothing(store: Store, code: str) -> None:
    record, _ = await taken_part(store, "known", SECRET)
    with pytest.raises(NoPlaceError, match="nothing was erased"):
        await store.desk.erase(record, code, "asked for it")


async def test_unknown_code_erases_nothing(store: Store) -> None:
    record, _ = await taken_part(store, CODE, SECRET)
    with pytest.raises(NoPlaceError, match="nothing was erased"):
        await store.desk.erase(record, "nobody", "x")
    assert len(await store.archive.participations(record.sha256)) == 1


async def test_person_whose_code_is_unknown_goes_by_their_id(store: Store, path: Path) -> None:
    record, seated = await taken_part(store, CODE, SECRET)
    with open_database(path) as db:
        db.conn.execute("DELETE FROM codes")
    assert (await store.archive.participations(record.sha256))[0].code is None
    assert await store.desk.erase(record, seated.participant, "asked for it") == 7


# -- merging -------------------------------------------------------------------------------------


def tombstone(stream: Stream) -> Chain | Any:
    desk = Chain(new_id())
    return desk.make(ParticipationErased(stream.events[0].hash, stream.id, "asked", stream.participant), AT)


@pytest.mark.parametrize("tombstone_first", [True, False])
@pytest.mark.parametrize("statement", ["INSERT", "INSERT OR IGNORE", "INSERT OR REPLACE"])
def test_tombstone_wins_in_either_order(path: Path, tombstone_first: bool, statement: str) -> None:
    stream = Stream()
    stream.answer(SECRET)
    with open_database(path) as db, open_database(path.with_name("other.db")) as other:
        append(other.conn, stream.events)
        store_rows(other.conn, [tombstone(stream)], local=True) if not tombstone_first else None
        parts = [[tombstone(stream)], stream.events]
        for events in parts if tombstone_first else parts[::-1]:
            for one in events:
                db.conn.execute(
                    f"{statement} INTO events (stream, seq, kind, at, body, salt, digest, previous, hash) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    (
                        one.stream,
                        one.seq,
                        one.kind,
                        one.at,
                        one.body,
                        one.salt,
                        one.digest,
                        one.previous,
                        one.hash,
                    ),
                )
        db.conn.execute(f"{statement} INTO codes VALUES (?, 'small', 'c', 'c', 0)", (stream.participant,))
        db.conn.execute(f"{statement} INTO drafts VALUES (?, 'a', '\"x\"')", (stream.id,))
        found = read_stream(db.conn, stream.id)
        assert [one.body for one in found] == [None] * 3
        assert faults(found) == []
        assert is_unclean(db.conn)
        if tombstone_first:
            assert db["codes"].count == db["drafts"].count == 0
        with pytest.raises(Exception, match="append-only"):
            db.conn.execute("UPDATE events SET body = '{}', salt = 'x' WHERE stream = ?", (stream.id,))


async def test_what_a_merge_erased_is_cleaned_when_the_file_is_opened(path: Path) -> None:
    stream = Stream()
    stream.answer(SECRET * 500)
    with open_database(path) as db:
        append(db.conn, stream.events)
        store_rows(db.conn, [tombstone(stream)], local=False)
    assert ["erasure" in one.check for one in verify(path)].count(True) == 1
    async with Store.open(path, "station", "test") as store:
        await store.desk.load(stored_study())
        assert SECRET.encode() not in bytes_beside(path)
    assert [one.check for one in verify(path)] == []


async def test_another_program_in_the_way_is_told_and_cleaned_later(path: Path) -> None:
    def read(child: Child) -> None:
        with open_database(path) as db:
            db.conn.execute("BEGIN")
            db.conn.execute("SELECT count(*) FROM events").fetchall()
            child.say("reading")
            child.hear()

    async with Store.open(path, "station", "test") as store:
        record, _ = await taken_part(store, CODE, SECRET)
    with Child(read) as child:
        assert child.hear() == "reading"
        async with Store.open(path, "station", "test", timeout=0.05) as store:
            with pytest.raises(MachineError, match="7 payloads were erased, but their old bytes"):
                await store.desk.erase(record, CODE, "asked for it")
            assert await store.archive.participations(record.sha256) == []
            assert [one.check for one in await asyncio.to_thread(verify, path)] == ["erasure"]
        child.say("done")
        child.end()
    async with Store.open(path, "station", "test") as store:
        await store.desk.load(stored_study(items=5))
        assert SECRET.encode() not in bytes_beside(path)
    assert verify(path) == []
