"""The canonical export: complete, the same whenever it is made, and silent about those who refused."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path

import pytest
from support.stations import NOTES, WITHHELD, Lab, bytes_of, export_from, held, lab_file, lab_files, table
from support.visits import at

from storage.database import connect
from storage.export.write import check_format, formats_of
from storage.rows import store
from studies.errors import InputError, MachineError
from studies.events import Chain, Event, faults
from studies.ports import Exporting
from studies.rows import pseudonym

__all__ = ["lab_file"]

ANNOTATION_KEYS = [
    "item",
    "participant",
    "pass",
    "revision",
    "latest",
    "dominant",
    "additional",
    "confidence",
    "note",
    "flag",
    "active_ms",
    "shown_at",
    "submitted_at",
]


def events_of(folder: Path) -> list[Event]:
    return [Event.stored(**line) for line in table(folder, "events")]


def test_every_response_of_every_rater_is_a_row(lab_file: Path, tmp_path: Path) -> None:
    rows = table(export_from(lab_file, tmp_path / "out"), "annotations")
    assert all(list(one) == ANNOTATION_KEYS for one in rows)
    raters = {one["participant"] for one in rows if one["item"] == "i1"}
    assert len(raters) == len(NOTES) + 1
    assert all(sum(one["item"] == item for one in rows) == 7 for item in ("i1", "i2", "i3"))


async def test_revisions_stay_and_the_last_is_marked(tmp_path: Path) -> None:
    async with Lab(tmp_path / "a.db") as lab:
        visit = await lab.person("one", until=at("main:1:"))
        visit = await lab.sit("one")
        first = visit.current.id  # type: ignore[union-attr]
        for _ in range(2):
            step = visit.current
            for name, value in (("dominant", "CCM"), ("additional", ["ICU"]), ("confidence", 4)):
                await visit.answer(step.ask_id(name), value)  # type: ignore[union-attr]
            await visit.leave(step)  # type: ignore[arg-type]
        second = visit.current
        step = await visit.back(second)  # type: ignore[arg-type]
        await visit.answer(step.ask_id("dominant"), "OTHER")  # type: ignore[union-attr]
        await visit.answer(step.ask_id("note"), "something else")  # type: ignore[union-attr]
        await visit.leave(step)  # type: ignore[arg-type]
    rows = table(export_from(tmp_path / "a.db", tmp_path / "out"), "annotations")
    found = [(one["revision"], one["latest"], one["dominant"], one["additional"]) for one in rows]
    assert found == [(1, True, "CCM", ["ICU"]), (1, False, "CCM", ["ICU"]), (2, True, "OTHER", [])]
    assert first.endswith(rows[0]["item"])


async def test_exporting_again_gives_the_same_bytes(lab_file: Path, tmp_path: Path) -> None:
    async with Lab(lab_file, station="another") as lab:
        for name in ("first", "second"):
            await lab.store.desk.export(lab.record, Exporting("jsonl", tmp_path / name))
            lab.clock.move(days=1)
    assert bytes_of(tmp_path / "first") == bytes_of(tmp_path / "second")
    kinds = {one.kind for one in held(lab_file)}
    assert "exported" in kinds


@pytest.mark.parametrize("format", formats_of("annotation"))
@pytest.mark.parametrize("options", [{}, {"identify": True}, {"raw": True}])
def test_what_may_not_be_published_is_in_no_file(
    lab_file: Path, tmp_path: Path, format: str, options: dict[str, bool]
) -> None:
    files = bytes_of(export_from(lab_file, tmp_path / "out", format, **options))
    everything = b"\n".join(files.values())
    for secret in WITHHELD.values():
        assert secret.encode() not in everything
    assert b"asked for it" not in everything or format == "jsonl"


def test_withheld_payloads_leave_a_chain_that_verifies(lab_file: Path, tmp_path: Path) -> None:
    events = events_of(export_from(lab_file, tmp_path / "out"))
    streams: dict[str, list[Event]] = {}
    for one in events:
        streams.setdefault(one.stream, []).append(one)
    assert [fault for stream in streams.values() for fault in faults(stream)] == []
    refused = next(
        s for s in streams.values() if any(one.body and '"publish":false' in one.body for one in s)
    )
    assert {one.kind for one in refused if one.body} == {
        "participation_opened",
        "visit_started",
        "consent_given",
        "participation_completed",
    }
    left = next(s for s in streams.values() if s[-1].kind == "participation_withdrawn")
    assert {one.kind for one in left if one.body} == {"participation_opened", "participation_withdrawn"}
    erased = [s for s in streams.values() if not any(one.body for one in s)]
    assert len(erased) == 1


def test_participants_say_who_counts(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    people = table(out, "participants")
    found = sorted((one["state"], one["pilot"], one["counted"], one["withheld"] or "") for one in people)
    assert found == [
        ("completed", False, False, "publication refused"),
        *[("completed", False, True, "")] * len(NOTES),
        ("completed", True, False, ""),
        ("paused", False, False, ""),
    ]
    assert json.loads((out / "manifest.json").read_text())["withheld"] == {
        "erased": 1,
        "publication refused": 1,
        "withdrawn": 1,
    }


def test_raw_and_aggregated_labels_are_apart_and_a_tie_stays_a_tie(lab_file: Path, tmp_path: Path) -> None:
    rows = table(export_from(lab_file, tmp_path / "out"), "aggregated")
    assert [one["item"] for one in rows] == ["i1", "i2", "i3"]
    assert rows[0]["counts"] == {"DCP": 3, "SLM": 3}
    assert rows[0]["dominant"] is None
    assert "tie" in rows[0]["undefined_reason"]


def test_active_time_is_null_only_without_activity(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    pilots = {one["participant"] for one in table(out, "participants") if one["pilot"]}
    for one in table(out, "annotations"):
        assert one["active_ms"] == (None if one["participant"] in pilots else 5000)


def test_codes_leave_only_when_asked(lab_file: Path, tmp_path: Path) -> None:
    plain = export_from(lab_file, tmp_path / "plain")
    assert b"whole1" not in b"".join(bytes_of(plain).values())
    named = export_from(lab_file, tmp_path / "named", identify=True)
    codes = {one["participant"]: one["code"] for one in table(named, "codes")}
    assert sorted(codes.values()) == [*("paused", "refuses", "trial"), *(f"whole{n}" for n in range(6))]
    by_code = {one["participant"] for one in table(named, "participants")}
    assert by_code == set(codes.values())
    assert {pseudonym(one) for one in codes} == {one["participant"] for one in table(plain, "participants")}


async def test_the_code_of_one_who_was_invited_and_left_stays_here(tmp_path: Path) -> None:
    async with Lab(tmp_path / "a.db") as lab:
        stays, leaves = await lab.store.desk.issue_codes(lab.record, 2)
        await lab.person(stays)
        left = await lab.sit(leaves)
        await left.withdraw()
    out = export_from(tmp_path / "a.db", tmp_path / "out", identify=True)
    assert [one["code"] for one in table(out, "codes")] == [stays]


async def test_a_study_that_lists_codes_says_that_they_are_in_its_folder(tmp_path: Path) -> None:
    files = lab_files()
    files["study.toml"] += b'[participants]\ncodes = ["P-ONE", "P-TWO"]\n'
    async with Lab(tmp_path / "a.db", files=files) as lab:
        await lab.person("P-ONE")
    canonical = export_from(tmp_path / "a.db", tmp_path / "jsonl")
    assert json.loads((canonical / "manifest.json").read_text())["identified"] is True
    assert "Participant codes are in it all the same" in (canonical / "DICTIONARY.md").read_text()
    published = export_from(tmp_path / "a.db", tmp_path / "hf", "hf")
    assert json.loads((published / "manifest.json").read_text())["identified"] is False
    assert b"P-ONE" not in b"".join(bytes_of(published).values())


def test_the_manifest_tells_counts_checksums_and_deviations(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    files = bytes_of(out)
    manifest = json.loads(files.pop("manifest.json"))
    assert manifest["files"] == {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in files.items()
    }
    assert manifest["deviations"] == ["two sets, not one", "the heating failed"]
    for name, rows in manifest["counts"].items():
        assert len(files[name].splitlines()) == rows
    dictionary = json.loads(files["dictionary.json"])
    for file in dictionary["files"]:
        if file["columns"] and (rows := table(out, file["name"].removesuffix(".jsonl"))):
            assert [one["name"] for one in file["columns"]] == list(rows[0])
            assert all(one["description"] for one in file["columns"])


async def test_the_desk_of_other_studies_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "two.db"
    async with Lab(path, files=lab_files(name="other")) as other:
        await other.store.desk.note(other.record, "a secret of the other study")
    async with Lab(path) as lab:
        await lab.store.desk.note(lab.record, "of this study")
        await lab.store.desk.note(other.record, "another secret of the other study")
    out = export_from(path, tmp_path / "out")
    everything = b"".join(bytes_of(out).values())
    assert b"of this study" in everything
    assert b"secret" not in everything
    desk = events_of(out)
    assert [one.body is None for one in desk] == [False, True, True, False, False]
    assert faults(desk) == []


def test_a_folder_that_holds_something_is_refused(lab_file: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").write_text("mine")
    with pytest.raises(InputError, match="not empty"):
        export_from(lab_file, tmp_path / "full")
    with pytest.raises(InputError, match="is a file"):
        export_from(lab_file, tmp_path / "full" / "note.txt")
    assert bytes_of(tmp_path / "full") == {"note.txt": b"mine"}
    (tmp_path / "empty").mkdir()
    assert (export_from(lab_file, tmp_path / "empty") / "manifest.json").exists()


@pytest.mark.parametrize("format", ["jsonl", "hf"])
def test_a_folder_that_is_there_is_filled_and_not_replaced(
    lab_file: Path, tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    monkeypatch.chdir(here)
    before = here.stat().st_ino
    export_from(lab_file, Path("."), format)
    assert here.stat().st_ino == before
    assert bytes_of(Path(".")) == bytes_of(export_from(lab_file, elsewhere, format))
    with pytest.raises(InputError, match="not empty"):
        export_from(lab_file, Path("."), format)


def test_a_failed_export_leaves_nothing(
    lab_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MachineError, match="the extra parquet"):
        export_from(lab_file, tmp_path / "out", "parquet")
    (tmp_path / "file").write_text("")
    with pytest.raises(MachineError):
        export_from(lab_file, tmp_path / "file" / "out")
    assert [one.name for one in tmp_path.iterdir() if not one.name.startswith("lab.db")] == ["file"]


def test_formats_of_other_kinds_say_so() -> None:
    for name in ("capa", "human-eval", "clarifycodebench"):
        with pytest.raises(InputError, match="studies; this one can be exported as jsonl"):
            check_format(name, "annotation")
    with pytest.raises(InputError, match="there are jsonl, csv, parquet, hf, label-studio"):
        check_format("xlsx", "annotation")


def test_a_fork_is_exported_whole(lab_file: Path, tmp_path: Path) -> None:
    # The last event of a finished stream, once more with another salt: a second side of equal length.
    events = held(lab_file)
    gone = {one.stream for one in events if one.kind == "participation_withdrawn" or one.body is None}
    last = max(
        (one for one in events if one.kind == "participation_completed" and one.stream not in gone),
        key=lambda one: one.stream,
    )
    other = Chain(last.stream, last.seq - 1, last.previous).make(last.payload, last.at)
    conn = connect(lab_file)
    store(conn, [other], local=False)
    conn.close()
    out = export_from(lab_file, tmp_path / "out")
    assert {last, other} <= set(events_of(out))
    assert json.loads((out / "manifest.json").read_text())["forked_streams"] == 1
    assert len(table(out, "participants")) == len(NOTES) + 3
