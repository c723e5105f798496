"""Parquet, Hugging Face and Label Studio: what their own readers expect."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

import pyarrow.json
import pyarrow.parquet
from hypothesis import given
from hypothesis import strategies as st
from support.stations import NOTES, Lab, export_from, lab_file, lab_files, table
from support.visits import at

from storage.export.cells import plain
from storage.export.croissant import TYPES
from studies.assignment import lay_out

__all__ = ["lab_file"]


async def test_parquet_holds_answers_that_were_skipped(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    async with Lab(path) as lab:
        await lab.person("skips", note=None)
    out = export_from(path, tmp_path / "out", "parquet")
    answers = pyarrow.parquet.read_table(out / "questionnaire.parquet").to_pylist()
    assert {one["question"]: one["value"] for one in answers}["more"] is None


def test_parquet_has_typed_columns(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "parquet")
    read = pyarrow.parquet.read_table(out / "annotations.parquet")
    types = {field.name: str(field.type) for field in read.schema}
    assert types["additional"] == "list<element: string>"
    assert types["submitted_at"] == "timestamp[ms, tz=UTC]"
    assert types["active_ms"] == "int64"
    assert types["latest"] == "bool"
    assert all(field.metadata[b"description"] for field in read.schema)
    rows = read.to_pylist()
    assert len(rows) == 3 * (len(NOTES) + 1)
    assert {one["note"] for one in rows} == {*NOTES[:-1], NOTES[-1].replace("\ud800", "\\ud800"), ""}
    assert all(one["submitted_at"] >= datetime(2026, 3, 2, tzinfo=UTC) for one in rows)
    materials = pyarrow.parquet.read_table(out / "materials.parquet").to_pylist()
    assert materials[0]["context"] == [{"role": "user", "text": "before 1"}]
    assert json.loads(materials[0]["columns"]) == {"=cmd": "=1+1", "difficulty": 1}


def test_a_table_without_rows_keeps_its_types(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "parquet")
    read = pyarrow.parquet.read_table(out / "adjudicated.parquet")
    assert read.num_rows == 0
    assert str(read.schema.field("labels").type) == "list<element: string>"


def test_the_card_names_every_data_file_once(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "hf")
    _, front, body = (out / "README.md").read_text().split("---\n", 2)
    named = re.findall(r"^- config_name: (\w+)\n  data_files: (\S+)$", front, re.MULTILINE)
    assert {path for _, path in named} == {
        one.relative_to(out).as_posix() for one in (out / "data").iterdir()
    }
    assert front.count("default: true") == 1
    sections = ["Motivation", "Composition", "Collection", "Consent", "Uses", "Limits"]
    assert re.findall(r"^## (.+)$", body, re.MULTILINE) == sections
    assert "Deviation: two sets, not one" in body
    assert r"Requests \& \<their\> gaps" in body
    assert "publication refused: 1" in body


def test_the_tables_load_into_columns(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "hf")
    for path in (out / "data").iterdir():
        rows = pyarrow.json.read_json(path).to_pylist()
        assert len(rows) == len(path.read_bytes().splitlines())
    assert "adjudicated.jsonl" not in {one.name for one in (out / "data").iterdir()}


def test_croissant_describes_the_files_that_are_there(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "hf")
    told = json.loads((out / "croissant.json").read_text())
    assert told["conformsTo"] == "http://mlcommons.org/croissant/1.0"
    files = {one["@id"]: one for one in told["distribution"]}
    for name, one in files.items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == one["sha256"]
    for records in told["recordSet"]:
        first = table(out / "data", records["name"])[0]
        assert [field["name"] for field in records["field"]] == list(first)
        for field in records["field"]:
            for part in field.get("subField", [field]):
                assert part["source"]["fileObject"]["@id"] in files
                assert part["dataType"] in TYPES.values()
    ids = [field["@id"] for records in told["recordSet"] for field in records["field"]]
    assert max(Counter(ids).values()) == 1


def test_label_studio_has_a_task_an_item_and_an_annotation_a_response(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "label-studio")
    tasks = json.loads((out / "tasks.json").read_text())
    assert [one["data"]["item"] for one in tasks] == ["i1", "i2", "i3"]
    config = ElementTree.fromstring((out / "label_config.xml").read_bytes())
    controls = {one.get("name"): one for one in config.iter() if one.get("toName")}
    values = {name: {choice.get("value") for choice in one.iter("Choice")} for name, one in controls.items()}
    for task in tasks:
        raters = [one["completed_by"]["email"] for one in task["annotations"]]
        assert len(raters) == len(set(raters)) == len(NOTES) + 1
        assert "gold" not in task["data"]
        for annotation in task["annotations"]:
            assert annotation["was_cancelled"] is False
            assert annotation["lead_time"] == 5.0
            assert annotation["created_at"].startswith("2026-03-02T")
            for result in annotation["result"]:
                assert result["to_name"] == "request"
                assert result["from_name"] in controls
                if result["type"] == "choices":
                    assert set(result["value"]["choices"]) <= values[result["from_name"]]
            additional = next(one for one in annotation["result"] if one["from_name"] == "additional")
            assert additional["value"] == {"choices": ["NONE_ELSE"]}
    identities = [one["unique_id"] for task in tasks for one in task["annotations"]]
    assert len(set(identities)) == len(identities)
    again = export_from(lab_file, tmp_path / "again", "label-studio")
    assert (again / "tasks.json").read_bytes() == (out / "tasks.json").read_bytes()


async def test_label_studio_takes_the_last_revision(tmp_path: Path) -> None:
    async with Lab(tmp_path / "a.db") as lab:
        first, second, _ = (one.item for one in lay_out(lab.study, 1).order)
        await lab.person("one", until=at(f"main:1:{second}"))
        visit = await lab.sit("one")
        step = await visit.back(visit.current)  # type: ignore[arg-type]
        await visit.answer(step.ask_id("dominant"), "HCO")  # type: ignore[union-attr]
        await visit.leave(step)  # type: ignore[arg-type]
    out = export_from(tmp_path / "a.db", tmp_path / "out", "label-studio")
    tasks = json.loads((out / "tasks.json").read_text())
    given = [one for task in tasks if task["data"]["item"] == first for one in task["annotations"]]
    assert [(one["meta"]["revision"], one["result"][0]["value"]["choices"]) for one in given] == [
        (2, ["HCO"])
    ]


async def test_checks_are_tasks_of_their_own(tmp_path: Path) -> None:
    check = {"id": "c1", "request": "Choose not ambiguous.", "dominant": "NONE"}
    files = lab_files(items=20, checks__jsonl=json.dumps(check).encode())
    files["study.toml"] += b"[design]\nchecks = 1\n"
    async with Lab(tmp_path / "a.db", files=files) as lab:
        await lab.person("one", dominant="NONE")
    out = export_from(tmp_path / "a.db", tmp_path / "out", "label-studio")
    tasks = json.loads((out / "tasks.json").read_text())
    assert [one["data"]["item"] for one in tasks if one["meta"]["set"] == "check"] == ["c1"]
    assert all(len(one["annotations"]) == 1 for one in tasks)
    # An escape code has no additional mechanisms: nothing was asked, so nothing is said.
    assert not any(result["from_name"] == "additional" for result in tasks[0]["annotations"][0]["result"])


@given(st.text(st.characters(exclude_categories=()), max_size=40))
def test_texts_of_a_study_are_no_markup_in_the_card(text: str) -> None:
    seen = plain(text)
    assert "\n" not in seen
    seen.encode("utf-8")
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_\[\]<>`#|]", seen)
