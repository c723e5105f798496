"""Merging: a set union, whatever the order, however often; nothing of the sources is touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.stations import Lab, bytes_of, export_from, held, lab_file, lab_files, table
from support.stored import Stream

from storage.database import connect, open_database, open_readonly
from storage.merging import merge
from storage.rows import store
from storage.verify import verify
from studies.desk import DeskOpened, ParticipationErased
from studies.errors import InputError, MachineError
from studies.events import Chain, Event
from studies.folder_parts import complete
from studies.study import version_hash

__all__ = ["lab_file"]

AT = "2026-03-02T09:00:00.000Z"


def database(path: Path, events: Sequence[Event] = ()) -> Path:
    """A database with these events."""
    db = open_database(path)
    store(db.conn, events, local=True)
    db.close()
    return path


@st.composite
def stations(draw: Any) -> list[list[Event]]:
    """Stations that each hold the beginnings of some streams: forked, withheld or erased here and there."""
    streams = []
    for _ in range(2):
        one = Stream()
        for _ in range(draw(st.integers(0, 3))):
            one.answer(draw(st.sampled_from(["a", "\0", "\ud800"])))
        streams.append(one.events)
        fork = Chain(one.id, 1, one.events[0].hash)
        if draw(st.booleans()):
            streams.append([one.events[0], fork.make(one.events[0].payload, AT)])
    desk = Chain("desk")
    tombstone = ParticipationErased("0" * 64, streams[0][0].stream, "asked", "p")
    streams.append([desk.make(DeskOpened("s"), AT), desk.make(tombstone, AT)])
    made = []
    for _ in range(draw(st.integers(1, 3))):
        events = []
        for stream in streams:
            for one in stream[: draw(st.integers(0, len(stream)))]:
                events.append(one.erased() if draw(st.integers(0, 4)) == 0 else one)
        made.append(events)
    return made


@settings(max_examples=25)
@given(stations(), st.randoms(use_true_random=False))
def test_any_order_ends_in_the_same_events(held_by: list[list[Event]], chance: Any) -> None:
    with TemporaryDirectory() as folder:
        sources = [database(Path(folder) / f"{number}.db", events) for number, events in enumerate(held_by)]
        for _ in range(chance.randint(0, 1)):
            sources.append(sources[0])
        results = []
        for number in range(2):
            chance.shuffle(sources)
            into = Path(folder) / f"into{number}.db"
            done = merge(sources, into)
            results.append(held(into))
            assert done.events == done.new == len(results[-1])
            again = merge(sources, into)
            assert (again.new, again.filled, again.forks) == (0, 0, done.forks)
            assert held(into) == results[-1]
        # One source after the other ends where all at once does.
        for one in sources:
            merge([one], Path(folder) / "slowly.db")
        assert results[0] == results[1] == held(Path(folder) / "slowly.db")
        everything = {(one.stream, one.seq, one.hash) for events in held_by for one in events}
        assert {(one.stream, one.seq, one.hash) for one in results[0]} == everything


def test_sources_stay_as_they_are(lab_file: Path, tmp_path: Path) -> None:
    before = bytes_of(tmp_path)
    merge([lab_file], tmp_path / "away" / "into.db")
    after = {name: content for name, content in bytes_of(tmp_path).items() if not name.startswith("away")}
    assert after == before
    assert held(tmp_path / "away" / "into.db") == held(lab_file)


def test_a_source_that_nobody_can_write_is_read_from_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Stream()
    folder = tmp_path / "read only"
    db = open_database(folder / "a.db")
    store(db.conn, stream.events, local=True)
    before = bytes_of(folder)
    real = os.access
    # Whoever runs the tests may be allowed everything.
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != folder and real(path, mode))
    merge([folder / "a.db"], tmp_path / "into.db")
    assert held(tmp_path / "into.db") == set(stream.events)
    assert bytes_of(folder) == before
    db.close()


def test_a_source_that_is_still_open_is_read_to_its_last_commit(tmp_path: Path) -> None:
    stream = Stream()
    db = open_database(tmp_path / "a.db")
    store(db.conn, stream.events, local=True)
    merge([tmp_path / "a.db"], tmp_path / "into.db")
    assert held(tmp_path / "into.db") == set(stream.events)
    store(db.conn, stream.answer("later"), local=True)
    db.close()
    assert held(tmp_path / "a.db") == set(stream.events)


@pytest.mark.parametrize("change", ["body = replace(body, 'x', 'y')", "at = '2026'", "salt = 'other'"])
def test_an_altered_event_is_refused_and_named(tmp_path: Path, change: str) -> None:
    stream = Stream()
    stream.answer("x marks the spot")
    source = database(tmp_path / "a.db", stream.events)
    conn = connect(source)
    conn.execute("DROP TRIGGER events_are_never_altered")
    conn.execute(f"UPDATE events SET {change} WHERE seq = 3")
    conn.close()
    sound = database(tmp_path / "b.db", Stream().events)
    with pytest.raises(InputError, match=rf"a\.db: event 3 of stream {stream.id}"):
        merge([sound, source], tmp_path / "into.db")
    assert not (tmp_path / "into.db").exists()
    into = database(tmp_path / "old.db", stream.events[:1])
    with pytest.raises(InputError, match="event 3"):
        merge([sound, source], into)
    assert held(into) == set(stream.events[:1])


def test_a_fork_is_reported_and_both_sides_stay(tmp_path: Path) -> None:
    stream = Stream()
    other = Chain(stream.id, 1, stream.events[0].hash).make(stream.events[0].payload, AT)
    stream.answer("here")
    sources = [
        database(tmp_path / "a.db", stream.events),
        database(tmp_path / "b.db", [stream.events[0], other]),
    ]
    done = merge(sources, tmp_path / "into.db")
    assert done.forks == (stream.id,)
    assert held(tmp_path / "into.db") == {*stream.events, other}


def test_a_missing_event_is_named(tmp_path: Path) -> None:
    stream = Stream()
    stream.answer("a")
    source = database(tmp_path / "a.db", [stream.events[0], stream.events[2]])
    with pytest.raises(InputError, match="event 2, which it follows, is missing"):
        merge([source], tmp_path / "into.db")


def test_a_merge_into_a_source_is_refused(lab_file: Path, tmp_path: Path) -> None:
    os.link(lab_file, tmp_path / "same.db")
    for into in (lab_file, tmp_path / "same.db"):
        with pytest.raises(InputError, match="one of the files to merge"):
            merge([lab_file], into)


def test_what_is_no_database_is_refused(lab_file: Path, tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("a text that is long enough to be no database at all" * 20)
    (tmp_path / "folder").mkdir()
    for wrong in ("missing.db", "folder", "text.db"):
        with pytest.raises(InputError, match=wrong):
            merge([lab_file, tmp_path / wrong], tmp_path / "into.db")
        assert not (tmp_path / "into.db").exists()
    with pytest.raises((InputError, MachineError)):
        merge([lab_file], tmp_path / "folder")


async def test_two_stations_of_one_lab(tmp_path: Path) -> None:
    files = lab_files()
    for number in (1, 2):
        async with Lab(tmp_path / f"{number}.db", station=f"s{number}", files=files) as lab:
            lab.clock.move(days=number)
            await lab.person(f"only{number}")
            await lab.person("both", note=f"at {number}")
    sources = [tmp_path / "1.db", tmp_path / "2.db"]
    done = merge(sources, tmp_path / "into.db")
    assert (done.studies, done.forks) == (1, ())
    assert done.shared_codes == (("gaps", "both"),)
    assert verify(tmp_path / "into.db")[0].text.startswith("gaps: the code both took part twice")
    out = export_from(tmp_path / "into.db", tmp_path / "out", identify=True)
    assert sorted(one["participant"] for one in table(out, "participants")) == [
        "both",
        "both",
        "only1",
        "only2",
    ]
    assert len({(one["participant"], one["note"]) for one in table(out, "annotations")}) == 4


async def test_a_slot_that_two_people_hold_is_reported(tmp_path: Path) -> None:
    files = lab_files()
    files["study.toml"] += b'[design]\nkind = "crossed"\nparticipants = 2\n'
    for number in (1, 2):
        async with Lab(tmp_path / f"{number}.db", station=f"s{number}", files=files) as lab:
            await lab.sit(f"only{number}")
    done = merge([tmp_path / "1.db", tmp_path / "2.db"], tmp_path / "into.db")
    assert [study for study, _ in done.shared_slots] == ["gaps@1"]


async def test_versions_are_numbered_by_first_load_in_any_order(tmp_path: Path) -> None:
    versions = [lab_files(), lab_files(items=4), lab_files(items=5)]
    # (station, version, day): the second was first loaded before the first, at another station.
    for station, version, day in ((0, 0, 5), (0, 1, 9), (1, 1, 1), (1, 2, 7), (2, 0, 8)):
        lab = Lab(tmp_path / f"{station}.db", files=versions[version])
        lab.clock.move(days=day)
        async with lab:
            pass
    numbered = []
    for name, order in (("a.db", (0, 1, 2)), ("b.db", (2, 1, 0)), ("c.db", (1, 2, 0))):
        merge([tmp_path / f"{number}.db" for number in order], tmp_path / name)
        db = open_readonly(tmp_path / name)
        numbered.append(
            db.conn.execute("SELECT sha256, version, loaded_at FROM studies ORDER BY version").fetchall()
        )
        db.close()
    assert numbered[0] == numbered[1] == numbered[2]
    assert [version for _, version, _ in numbered[0]] == [1, 2, 3]
    times = [loaded_at for _, _, loaded_at in numbered[0]]
    assert times == sorted(times)
    assert [sha256 for sha256, _, _ in numbered[0]] == [
        version_hash(complete(versions[number])) for number in (1, 0, 2)
    ]


def test_a_person_with_two_codes_has_the_same_one_after_any_order(tmp_path: Path) -> None:
    stream = Stream()
    for name, code in (("a.db", "x-1"), ("b.db", "w-2")):
        conn = connect(database(tmp_path / name, stream.events))
        conn.execute("INSERT INTO codes VALUES (?, 'gaps', ?, ?, 0)", (stream.participant, code, code))
        conn.close()
    for into, order in (("c.db", "ab"), ("d.db", "ba")):
        merge([tmp_path / f"{one}.db" for one in order], tmp_path / into)
        db = open_readonly(tmp_path / into)
        assert db.conn.execute("SELECT code, code_key FROM codes").fetchall() == [("w-2", "w-2")]
        db.close()


def test_an_altered_study_is_refused(lab_file: Path, tmp_path: Path) -> None:
    conn = connect(lab_file)
    conn.execute("UPDATE study_files SET bytes = ? WHERE path = 'consent.md'", (b"Another text.",))
    conn.close()
    with pytest.raises(InputError, match=r"lab\.db: the files of study version \w+ were altered"):
        merge([lab_file], tmp_path / "into.db")
    assert not (tmp_path / "into.db").exists()


async def test_an_erased_person_stays_erased_at_every_station(tmp_path: Path) -> None:
    secret = "words to erase"
    async with Lab(tmp_path / "a.db") as lab:
        await lab.person("one", note=secret)
    merge([tmp_path / "a.db"], tmp_path / "b.db")
    async with Lab(tmp_path / "b.db", station="b") as lab:
        await lab.store.desk.erase(lab.record, "one", "asked")
    for name, sources in (("c.db", "ab"), ("d.db", "ba")):
        merge([tmp_path / f"{one}.db" for one in sources], tmp_path / name)
        assert secret.encode() not in (tmp_path / name).read_bytes()
        assert held(tmp_path / name) == held(tmp_path / "b.db")
        assert verify(tmp_path / name) == []
