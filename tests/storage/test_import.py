"""Importing: everything comes back to the byte, nothing altered comes in, and it can be done again."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.stations import WITHHELD, Lab, bytes_of, export_from, held, lab_file, lab_files, table
from support.stored import AT

from storage.database import connect, open_readonly
from storage.importing import import_export
from storage.merging import merge
from storage.rows import store
from storage.verify import verify
from studies.errors import FolderError, InputError
from studies.events import Chain, new_id
from studies.payloads import ParticipationOpened, VisitEnded

__all__ = ["lab_file"]


@pytest.mark.parametrize("options", [{}, {"identify": True}])
def test_an_export_comes_back_to_the_same_bytes(
    lab_file: Path, tmp_path: Path, options: dict[str, bool]
) -> None:
    first = export_from(lab_file, tmp_path / "first", **options)
    done = import_export(tmp_path / "new.db", first)
    assert (done.study, done.new, done.studies) == ("gaps", done.events, 1)
    second = export_from(tmp_path / "new.db", tmp_path / "second", **options)
    assert bytes_of(second) == bytes_of(first)
    assert verify(tmp_path / "new.db") == []


def test_importing_again_changes_nothing(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    import_export(tmp_path / "new.db", out)
    before = held(tmp_path / "new.db")
    again = import_export(tmp_path / "new.db", out)
    assert (again.new, again.filled, again.studies) == (0, 0, 0)
    assert held(tmp_path / "new.db") == before


def test_a_withheld_payload_never_replaces_a_present_one(lab_file: Path, tmp_path: Path) -> None:
    before = held(lab_file)
    done = import_export(lab_file, export_from(lab_file, tmp_path / "out"))
    assert (done.new, done.filled) == (0, 0)
    assert held(lab_file) == before
    assert any(one.body and WITHHELD["refuses"] in one.body for one in before)


async def test_what_was_withheld_comes_in_when_it_is_published_after_all(tmp_path: Path) -> None:
    """Desk events of another study are withheld, until that study's own export brings them."""
    path = tmp_path / "two.db"
    async with Lab(path, files=lab_files(name="other")) as other:
        await other.store.desk.note(other.record, "of the other")
    async with Lab(path) as lab:
        await lab.store.desk.note(lab.record, "of this")
    first, second = export_from(path, tmp_path / "gaps"), export_from(path, tmp_path / "other", name="other")
    assert import_export(tmp_path / "new.db", first).filled == 0
    assert import_export(tmp_path / "new.db", second).filled > 0
    assert import_export(tmp_path / "reverse.db", second).studies == 1
    import_export(tmp_path / "reverse.db", first)
    assert held(tmp_path / "new.db") == held(tmp_path / "reverse.db") == held(path)
    for name in ("gaps", "other"):
        again = export_from(tmp_path / "new.db", tmp_path / f"{name} again", name=name)
        assert bytes_of(again) == bytes_of(tmp_path / name)


async def test_a_tombstone_wins_in_any_order(tmp_path: Path) -> None:
    path, secret = tmp_path / "a.db", "words to erase"
    async with Lab(path) as lab:
        await lab.person("one", note=secret)
    old = export_from(path, tmp_path / "old", identify=True)
    import_export(tmp_path / "first-old.db", old)
    async with Lab(path) as lab:
        await lab.store.desk.erase(lab.record, "one", "asked")
    new = export_from(path, tmp_path / "new")
    import_export(tmp_path / "first-old.db", new)
    import_export(tmp_path / "first-new.db", new)
    import_export(tmp_path / "first-new.db", old)
    for name in ("first-old.db", "first-new.db"):
        assert held(tmp_path / name) == held(path)
        assert secret.encode() not in (tmp_path / name).read_bytes()
        db = open_readonly(tmp_path / name)
        assert db.conn.execute("SELECT count(*) FROM codes").fetchone() == (0,)
        db.close()


async def test_a_tombstone_that_was_withheld_wins_once_it_is_known(tmp_path: Path) -> None:
    path, secret = tmp_path / "two.db", "words to erase"
    async with Lab(path, files=lab_files(name="other")) as other:
        await other.person("one", note=secret)
    import_export(tmp_path / "new.db", export_from(path, tmp_path / "old", name="other"))
    async with Lab(path) as lab:
        await lab.store.desk.erase(other.record, "one", "asked")
        await lab.store.desk.note(lab.record, "after the tombstone")
    import_export(tmp_path / "new.db", export_from(path, tmp_path / "gaps"))
    assert any(one.body and secret in one.body for one in held(tmp_path / "new.db"))
    import_export(tmp_path / "new.db", export_from(path, tmp_path / "other", name="other"))
    assert not any(one.body and secret in one.body for one in held(tmp_path / "new.db"))
    assert held(tmp_path / "new.db") == held(path)


async def test_an_imported_participation_goes_on(tmp_path: Path) -> None:
    """The person's code comes along when it was asked for, and their place in the study with it."""
    async with Lab(tmp_path / "a.db") as lab:
        await lab.person("one", until=lambda step: step.id.startswith("main:1:"))
    import_export(tmp_path / "b.db", export_from(tmp_path / "a.db", tmp_path / "out", identify=True))
    async with Lab(tmp_path / "b.db", station="b") as lab:
        await lab.person("one")
    rows = table(export_from(tmp_path / "b.db", tmp_path / "after"), "participants")
    assert [(one["slot"], one["state"]) for one in rows] == [(1, "completed")]


# -- what is refused -----------------------------------------------------------------------------


def resign(out: Path, name: str) -> None:
    """Give a changed file its checksum back, as somebody would who means to deceive."""
    manifest = json.loads((out / "manifest.json").read_text())
    manifest["files"][name]["sha256"] = hashlib.sha256((out / name).read_bytes()).hexdigest()
    (out / "manifest.json").write_text(json.dumps(manifest))


def change_line(out: Path, number: int, change: Callable[[dict[str, Any]], Any]) -> None:
    lines = (out / "events.jsonl").read_bytes().splitlines()
    lines[number - 1] = json.dumps(change(json.loads(lines[number - 1]))).encode()
    (out / "events.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def line_of(out: Path, kind: str) -> int:
    found = [
        number for number, one in enumerate(table(out, "events"), 1) if one["kind"] == kind and one["body"]
    ]
    return found[0]


def put(**values: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda line: {**line, **values}


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda line: {**line, "body": line["body"].replace(":3,", ":4,", 1)}, "its payload was altered"),
        (put(at="2026-03-02T10:00:00.000Z"), "its hash does not match its contents"),
        (put(salt=None), "a payload without a salt"),
        (put(seq="7"), "seq: '7'; expected a number"),
        (put(seq=0), "seq: 0; expected a number from 1"),
        (put(seq=2**63), "seq: 9223372036854775808; expected a number from 1"),
        (put(body="[1]"), "body: a JSON list; expected a JSON object"),
        (put(body="{"), "body: no JSON"),
        (put(kind="\u05d0"), "not ASCII"),
        (put(extra=1), "extra"),
        (lambda line: [line], "a JSON list; expected one JSON object a line"),
    ],
)
def test_an_altered_line_is_named(
    lab_file: Path, tmp_path: Path, change: Callable[[dict[str, Any]], Any], says: str
) -> None:
    out = export_from(lab_file, tmp_path / "out")
    number = line_of(out, "annotation_submitted")
    change_line(out, number, change)
    with pytest.raises(FolderError) as error:
        import_export(tmp_path / "new.db", out)
    assert "events.jsonl: SHA-256" in str(error.value)
    resign(out, "events.jsonl")
    with pytest.raises(FolderError) as error:
        import_export(tmp_path / "new.db", out)
    assert f"events.jsonl:{number}" in str(error.value)
    assert says in str(error.value)
    assert not (tmp_path / "new.db").exists()


async def test_what_is_not_of_its_kind_is_named_however_well_it_is_sealed(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    async with Lab(path) as lab:
        study = lab.record.sha256
    chain = Chain(new_id())
    opened = ParticipationOpened(study, "f" * 32, "first")  # type: ignore[arg-type]
    conn = connect(path)
    store(conn, [chain.make(opened, AT), chain.make(VisitEnded("x"), "yesterday")], local=False)
    conn.close()
    out = export_from(path, tmp_path / "out")
    with pytest.raises(FolderError) as error:
        import_export(tmp_path / "new.db", out)
    assert "its field slot is 'first'" in str(error.value)
    assert "its time is 'yesterday'" in str(error.value)
    with pytest.raises(InputError, match="its field slot is 'first'"):
        merge([path], tmp_path / "into.db")
    assert [one.check for one in verify(path)] == ["chain", "chain"]


def test_a_missing_line_is_named_by_the_one_after_it(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    number = line_of(out, "annotation_submitted")
    lines = (out / "events.jsonl").read_bytes().splitlines(keepends=True)
    (out / "events.jsonl").write_bytes(b"".join(lines[: number - 1] + lines[number:]))
    resign(out, "events.jsonl")
    with pytest.raises(FolderError, match=rf"events\.jsonl:{number}: .*which it follows, is missing"):
        import_export(tmp_path / "new.db", out)


@pytest.mark.parametrize(
    "values",
    [
        {"code": "[/b]"},
        {"code": "a\0b"},
        {"code": 5},
        {"pilot": "no"},
        {"name": "\ud800"},
        {"participant": ""},
    ],
)
def test_a_line_that_is_no_participants_code_is_named(
    lab_file: Path, tmp_path: Path, values: dict[str, Any]
) -> None:
    out = export_from(lab_file, tmp_path / "out", identify=True)
    lines = (out / "codes.jsonl").read_bytes().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | values).encode()
    (out / "codes.jsonl").write_bytes(b"\n".join(lines) + b"\n")
    resign(out, "codes.jsonl")
    with pytest.raises(FolderError, match=r"codes\.jsonl:2: no participant's code"):
        import_export(tmp_path / "new.db", out)
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("loaded_at", ["yesterday", "\ud800", ""])
def test_a_time_of_loading_that_is_none_is_named(lab_file: Path, tmp_path: Path, loaded_at: str) -> None:
    out = export_from(lab_file, tmp_path / "out")
    study = json.loads((out / "study.json").read_text())
    (out / "study.json").write_text(json.dumps(study | {"loaded_at": loaded_at}))
    resign(out, "study.json")
    with pytest.raises(FolderError, match=r"study\.json loaded_at"):
        import_export(tmp_path / "new.db", out)


def test_the_order_of_lines_means_nothing(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    lines = (out / "events.jsonl").read_bytes().splitlines(keepends=True)
    (out / "events.jsonl").write_bytes(b"".join(reversed(lines)))
    resign(out, "events.jsonl")
    import_export(tmp_path / "new.db", out)
    import_export(tmp_path / "other.db", export_from(lab_file, tmp_path / "as it was"))
    assert held(tmp_path / "new.db") == held(tmp_path / "other.db")


def test_every_problem_is_told_at_once(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    (out / "materials.jsonl").unlink()
    (out / "visits.jsonl").write_text("")
    study = json.loads((out / "study.json").read_text())
    study["files"]["consent.md"] = base64.b64encode(b"Another text.").decode()
    (out / "study.json").write_text(json.dumps(study))
    with pytest.raises(FolderError) as error:
        import_export(tmp_path / "new.db", out)
    files = {one.file for one in error.value.problems}
    assert files == {"materials.jsonl", "visits.jsonl", "study.json"}
    assert "do not hash to" in str(error.value)


def test_only_a_canonical_export_is_taken(lab_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no manifest\.json"):
        import_export(tmp_path / "new.db", tmp_path / "nowhere")
    with pytest.raises(InputError, match="the format is 'csv'"):
        import_export(tmp_path / "new.db", export_from(lab_file, tmp_path / "csv", "csv"))
    out = export_from(lab_file, tmp_path / "out")
    manifest = json.loads((out / "manifest.json").read_text())
    (out / "manifest.json").write_text(json.dumps(manifest | {"format_version": 2}))
    with pytest.raises(InputError, match="update capa-tui"):
        import_export(tmp_path / "new.db", out)
    (out / "manifest.json").write_text(json.dumps(manifest | {"files": {"../../etc/passwd": {"sha256": ""}}}))
    with pytest.raises(InputError, match="checksums are missing"):
        import_export(tmp_path / "new.db", out)
    manifest["files"]["../secret"] = {"sha256": ""}
    (out / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(InputError, match=r"the path '\.\./secret'"):
        import_export(tmp_path / "new.db", out)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.one_of(st.binary(max_size=60), st.recursive(st.none(), lambda one: st.lists(one)).map(str)))
def test_no_manifest_whatever_it_holds_breaks_the_reader(tmp_path: Path, content: bytes | str) -> None:
    data = content if isinstance(content, bytes) else content.encode()
    (tmp_path / "manifest.json").write_bytes(data)
    with pytest.raises(FolderError, match=r"manifest\.json"):
        import_export(tmp_path / "new.db", tmp_path)
    assert not (tmp_path / "new.db").exists()


async def test_nothing_is_stored_when_the_database_holds_an_altered_copy(
    lab_file: Path, tmp_path: Path
) -> None:
    out = export_from(lab_file, tmp_path / "out")
    import_export(tmp_path / "new.db", out)
    alter(tmp_path / "new.db")
    before = held(tmp_path / "new.db")
    with pytest.raises(InputError, match="differs between this database"):
        import_export(tmp_path / "new.db", out)
    assert held(tmp_path / "new.db") == before


def alter(path: Path) -> None:
    """Change one annotation behind the program's back."""
    conn = connect(path)
    conn.execute("DROP TRIGGER events_are_never_altered")
    conn.execute(
        "UPDATE events SET body = replace(body, 'DCP', 'ICU') WHERE rowid = (SELECT min(rowid) FROM events "
        "WHERE kind = 'annotation_submitted' AND body LIKE '%DCP%')"
    )
    conn.close()
