"""Typed reads, and the views that any SQLite tool shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.memory import TestClock
from support.stored import AT, Stream, stored_study

from storage.archive import choose, records
from storage.database import open_database
from storage.journal import append
from storage.merging import merge
from storage.rows import quoted_fields
from storage.store import Store
from studies.annotation.metrics import looks
from studies.annotation.payloads import AnnotationSubmitted
from studies.annotation.tidy import adjudicated_rows
from studies.desk import AnnotationAdjudicated
from studies.errors import MachineError, UnknownStudyError
from studies.events import Payload, to_ascii_json
from studies.payloads import (
    ConsentGiven,
    FieldAnswered,
    ParticipationCompleted,
    ParticipationWithdrawn,
    QuestionnaireSubmitted,
    StepShown,
    TrainingAnswered,
    VisitEnded,
    VisitStarted,
)
from studies.ports import StudyRecord

NASTY = ["a\0b", "\0", "\ud800", "x\udfff", "\ud83d \ude00"]
PLAIN = [
    "",
    "plain",
    "😀",
    "e\u0301",
    "\u202eright to left",
    '"quotes" and \\u0000',
    "a\r\nb",
    "|note|",
    "'; DROP",
]


def record(name: str, version: int, sha256: str) -> StudyRecord:
    return StudyRecord(sha256, name, version, "T", "annotation", 4, AT)


# -- studies -------------------------------------------------------------------------------------


async def test_versions_count_by_name_in_the_order_of_loading(store: Store) -> None:
    first, second, other = stored_study(items=3), stored_study(items=4), stored_study(name="other")
    loaded = [await store.desk.load(one) for one in (first, second, other, first)]
    assert [(one.record.reference, one.new) for one in loaded] == [
        ("small@1", True),
        ("small@2", True),
        ("other@1", True),
        ("small@1", False),
    ]
    assert [one.reference for one in await store.archive.studies()] == ["small@1", "small@2", "other@1"]
    assert (await store.archive.find("small")).version == 2
    assert (await store.archive.find("small@1")).sha256 == first.sha256
    assert (await store.archive.find(second.sha256[:8].upper())).sha256 == second.sha256


async def test_study_comes_back_as_it_was_loaded(store: Store) -> None:
    made = stored_study(items=5)
    await store.desk.load(made)
    found = await store.archive.study(made.sha256)
    assert found.files == made.files
    assert (found.sha256, found.items, found.settings) == (made.sha256, made.items, made.settings)
    assert await store.archive.study(made.sha256) is found


async def test_loading_again_changes_nothing(store: Store) -> None:
    made = stored_study(codes=["A", "B"])
    await store.desk.load(made)
    before = await store.archive.desk(), await store.archive.participations(made.sha256)
    assert not (await store.desk.load(made)).new
    assert (await store.archive.desk(), await store.archive.participations(made.sha256)) == before


@pytest.mark.parametrize(
    "reference", ["", "nobody", "small@3", "small@", "small@x", "abcdef12", "aaaaaaa", "@1"]
)
def test_unknown_reference_names_what_there_is(reference: str) -> None:
    loaded = [record("small", 1, "a" * 64), record("small", 2, "b" * 64)]
    with pytest.raises(UnknownStudyError, match="there is: small@1, small@2"):
        choose(loaded, reference)


def test_ambiguous_digits_and_an_empty_database() -> None:
    with pytest.raises(UnknownStudyError, match="2 hashes"):
        choose([record("a", 1, "c" * 63 + "1"), record("b", 1, "c" * 63 + "2")], "c" * 10)
    with pytest.raises(UnknownStudyError, match="nothing is loaded yet"):
        choose([], "small")


def test_a_name_comes_before_a_hash() -> None:
    assert (
        choose([record("deadbeef", 1, "1" * 64), record("b", 1, "deadbeef" * 8)], "deadbeef").name
        == "deadbeef"
    )


async def test_unknown_hash_is_no_study(store: Store) -> None:
    with pytest.raises(UnknownStudyError):
        await store.archive.study("0" * 64)
    assert await store.archive.participations("0" * 64) == []
    assert await store.archive.streams("0" * 64) == {}
    assert await store.archive.events("nothing") == []


# -- streams -------------------------------------------------------------------------------------


async def test_streams_are_those_of_the_version(store: Store) -> None:
    first, second = stored_study(items=3), stored_study(items=4)
    streams = []
    for made in (first, first, second):
        await store.desk.load(made)
        streams.append(Stream(made.sha256))
        streams[-1].answer("a")
        await store.journal.append(streams[-1].events)
    found = await store.archive.streams(first.sha256)
    assert {stream: list(events) for stream, events in found.items()} == {
        one.id: one.events for one in streams[:2]
    }


async def test_desk_of_one_study_or_all(store: Store) -> None:
    first, second = stored_study(items=3), stored_study(items=4)
    for made in (first, second):
        one = (await store.desk.load(made)).record
        await store.desk.look(one, "agreement", "curious", 3, 20)
    kinds = [one.kind for one in await store.archive.desk()]
    assert kinds == ["desk_opened", "study_loaded", "look", "study_loaded", "look"]
    assert [one.kind for one in await store.archive.desk(second.sha256)] == ["study_loaded", "look"]


async def test_a_station_keeps_its_desk_over_restarts(path: Path) -> None:
    made = stored_study()
    for station in ("one", "two", "one"):
        async with Store.open(path, station, "test") as store:
            await store.desk.note((await store.desk.load(made)).record, "x")
    async with Store.open(path, "one", "test") as store:
        desk = await store.archive.desk()
    assert len({one.stream for one in desk}) == 2
    assert [one.kind for one in desk].count("desk_opened") == 2
    assert [one.kind for one in desk].count("deviation_noted") == 3


# -- views ---------------------------------------------------------------------------------------


def rows(path: Path, view: str, columns: str = "*") -> list[tuple[Any, ...]]:
    with open_database(path) as db:
        return db.conn.execute(f"SELECT {columns} FROM {view}").fetchall()


def keep(path: Path, *payloads: Payload) -> Stream:
    stream = Stream()
    stream.add(*payloads)
    with open_database(path) as db:
        append(db.conn, stream.events)
    return stream


def annotation(
    revision: int = 1, number: int = 1, dominant: str = "DCP", note: str = ""
) -> AnnotationSubmitted:
    role = "main" if number == 1 else "repeat"
    return AnnotationSubmitted(
        f"{role}:{number}:i1", "i1", number, revision, role, 1, dominant, ("SLM", "CCM"), 4, note, True, 1200
    )


@pytest.mark.parametrize("text", PLAIN)
def test_views_show_plain_text_as_it_is(path: Path, text: str) -> None:
    keep(
        path,
        annotation(note=text),
        FieldAnswered("s", 1, "note", text),
        QuestionnaireSubmitted("q", {"free-text": text}),
        AnnotationAdjudicated("0" * 64, "i1", text, "DCP", (), text),
    )
    assert rows(path, "annotations", "note") == [(text,)]
    assert rows(path, "field_answers", "value") == [(text,)]
    assert rows(path, "questionnaires", "question, answer") == [("free-text", text)]
    assert rows(path, "adjudications", "adjudicator, reason") == [(text, text)]


@pytest.mark.parametrize("text", NASTY)
def test_views_show_what_sqlite_cannot_carry_as_json(path: Path, text: str) -> None:
    keep(
        path,
        annotation(note=text),
        FieldAnswered("s", 1, "note", text),
        QuestionnaireSubmitted("q", {"fine": "plain", "free-text": text}),
        AnnotationAdjudicated("0" * 64, "i1", text, "DCP", (), text),
    )
    shown = [row[0] for row in rows(path, "annotations", "note") + rows(path, "field_answers", "value")]
    shown += [
        answer for question, answer in rows(path, "questionnaires", "question, answer") if question != "fine"
    ]
    shown += rows(path, "adjudications", "adjudicator, reason")[0]
    assert [json.loads(one) for one in shown] == [text] * 5
    assert ("fine", "plain") in rows(path, "questionnaires", "question, answer")


@pytest.mark.parametrize("view", ["field_answers", "annotations", "events"])
@pytest.mark.parametrize("text", NASTY)
def test_views_can_be_read_whole_whatever_an_item_is_called(path: Path, view: str, text: str) -> None:
    keep(path, FieldAnswered(text, 1, "note", [text], text), StepShown(text, 1, text))
    assert rows(path, view) or view == "annotations"


def test_quoted_names_fields_and_keys() -> None:
    body = to_ascii_json(
        {"a": "x", "b": "\0", "c": {"k": "\ud800", "l": "x"}, "d": ["x", ["\0"]], "e": "😀\\u0000"}
    )
    assert quoted_fields(body) == "|b|c|c.k|d|"
    assert quoted_fields(None) == quoted_fields('{"a":1}') == quoted_fields(to_ascii_json({"a": "😀"})) == ""


def test_annotations_know_the_latest_of_each_pass(path: Path) -> None:
    stream = keep(
        path,
        StepShown("main:1:i1", 1, "i1"),
        annotation(1, 1, "DCP"),
        StepShown("main:1:i1", 2, "i1"),
        annotation(2, 1, "SLM"),
        annotation(1, 2, "CCM"),
        ParticipationCompleted("code"),
    )
    found = rows(path, "annotations", "participation, item, pass, role, revision, dominant, latest ")
    assert sorted(found, key=lambda row: row[2:5]) == [
        (stream.id, "i1", 1, "main", 1, "DCP", 0),
        (stream.id, "i1", 1, "main", 2, "SLM", 1),
        (stream.id, "i1", 2, "repeat", 1, "CCM", 1),
    ]
    columns = "participant, additional, confidence, flag, elapsed_ms, shown_at, submitted_at"
    assert (stream.participant, '["SLM","CCM"]', 4, 1, 1200, AT, AT) in rows(path, "annotations", columns)


def test_the_other_views(path: Path) -> None:
    stream = keep(
        path,
        VisitStarted("tui", "here", 80, 24),
        ConsentGiven({"take-part": True, "publish": False}, "f" * 64),
        VisitStarted("plain"),
        TrainingAnswered("t1", 1, 1, {"dominant": "DCP"}, True),
        QuestionnaireSubmitted("q:1", {"age": 33, "tools": ["a", "b"], "nothing": None}),
        VisitEnded("paused"),
    )
    visits = rows(path, "visits", "participation, front_end, station, width, ended_at")
    assert visits == [(stream.id, "tui", "here", 80, None), (stream.id, "plain", "", None, AT)]
    assert rows(path, "consents", "given, items, text_sha256") == [
        (1, '{"publish":false,"take-part":true}', "f" * 64)
    ]
    assert rows(path, "training", "item, attempt, answers, correct") == [("t1", 1, '{"dominant":"DCP"}', 1)]
    answers = rows(path, "questionnaires", "question, answer")
    assert answers == [("age", "33"), ("nothing", "null"), ("tools", '["a","b"]')]
    assert rows(path, "participations", "participation, slot, pilot, ended, events") == [
        (stream.id, 1, 0, None, 7)
    ]


def test_participations_say_how_they_ended(path: Path) -> None:
    stream = keep(path, ParticipationCompleted("c"), ParticipationWithdrawn())
    assert rows(path, "participations", "participation, ended") == [(stream.id, "withdrawn")]


async def test_desk_views(store: Store, path: Path) -> None:
    study = (await store.desk.load(stored_study())).record
    await store.desk.look(study, "agreement", "curious", 3, 20)
    for label in ("DCP", "SLM"):
        await store.desk.adjudicate(AnnotationAdjudicated(study.sha256, "i1", "Ada", label, (), "so"))
    assert rows(path, "looks", "study, figure, reason, completed, planned") == [
        (study.sha256, "agreement", "curious", 3, 20)
    ]
    assert rows(path, "adjudications", "item, adjudicator, dominant, latest ") == [
        ("i1", "Ada", "SLM", 1),
        ("i1", "Ada", "DCP", 0),
    ]


async def test_a_clock_that_is_put_back_changes_no_order(path: Path) -> None:
    clock = TestClock()
    store = Store.open(path, "station", "test", clock=clock)
    study = (await store.desk.load(stored_study())).record
    for label in ("DCP", "SLM", "CCM"):
        await store.desk.adjudicate(AnnotationAdjudicated(study.sha256, "i1", "Ada", label, (), "so"))
        await store.desk.look(study, "agreement", label, 3, 20)
        clock.move(hours=-1)
    newer = (await store.desk.load(stored_study(items=5))).record
    desk = await store.archive.desk(study.sha256)
    store.close()
    assert [one.seq for one in desk] == sorted(one.seq for one in desk)
    decided = [(one.dominant, one.latest) for one in adjudicated_rows(desk, study.sha256)]
    assert decided == [("DCP", False), ("SLM", False), ("CCM", True)]
    assert [one.reason for one in looks(desk, study.sha256)] == ["DCP", "SLM", "CCM"]
    assert rows(path, "adjudications", "dominant, latest ")[0] == ("CCM", 1)
    assert newer.loaded_at > study.loaded_at
    other = path.with_name("other.db")
    for into in (other, path):
        merge([one for one in (path, other) if one != into], into)
        with open_database(into) as db:
            assert [(one.sha256, one.version) for one in records(db.conn)] == [
                (study.sha256, 1),
                (newer.sha256, 2),
            ]


async def test_reads_cannot_write(store: Store) -> None:
    with pytest.raises(MachineError, match="read-only"):
        await store._readers.run(lambda conn: conn.execute("DELETE FROM meta"))
