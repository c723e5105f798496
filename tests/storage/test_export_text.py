"""Whatever a person can type survives JSON Lines unchanged, and harms no spreadsheet and no terminal."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.stations import NOTES, export_from, lab_file, table

from storage.export.canonical import lines, rows
from storage.export.cells import FORMULA, encodable, flat, safe
from storage.export.spreadsheet import encode, spread
from studies.annotation.rows import ANNOTATIONS, MATERIALS, AnnotationRow, MaterialRow
from studies.ports import Exporting
from studies.tables import Column, Filled

__all__ = ["lab_file"]

# Two halves of a pair that stand side by side become one character in JSON, as in every stored text.
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=30).map(
    lambda one: json.loads(json.dumps(one))
)
NASTY = st.one_of(
    ANY_TEXT,
    st.sampled_from(NOTES),
    st.builds(str.__add__, st.sampled_from((*FORMULA, "\0", "\n", '"', ",")), ANY_TEXT),
)
SAFE, RAW = Exporting("csv", Path("unused")), Exporting("csv", Path("unused"), raw=True)


def annotation(note: str) -> Filled:
    row = AnnotationRow(
        "i1", "p", 1, 1, True, "DCP", ("SLM", "ICU"), None, note, False, -3, None, "now", "main", 1, 1, 9
    )
    return Filled(ANNOTATIONS, [row])


def material(columns: dict[str, Any], request: str = "r", source: str = "") -> Filled:
    row = MaterialRow(
        "i1", "main", request, [{"role": "user", "text": request}], None, (), source, None, columns
    )
    return Filled(MATERIALS, [row])


def read_csv(content: bytes, errors: str = "strict") -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8", errors), newline=""), strict=True))


@given(NASTY)
def test_json_lines_carry_every_text_unchanged(text: str) -> None:
    line = b"".join(lines(rows(annotation(text))))
    assert line.isascii()
    assert line.count(b"\n") == 1
    assert json.loads(line)["note"] == text


def test_json_lines_carry_what_was_typed_from_key_to_file(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out")
    assert {one["note"] for one in table(out, "annotations")} == {*NOTES, ""}
    said = {one["value"] for one in table(out, "questionnaire") if one["question"] == "more"}
    assert said == {*NOTES, ""}


@given(NASTY, NASTY, st.dictionaries(NASTY, NASTY, max_size=3))
def test_csv_is_read_back_cell_for_cell(request: str, source: str, columns: dict[str, str]) -> None:
    header, values = spread(material(columns, request, source))
    for how, expected in ((SAFE, safe), (RAW, str)):
        content = b"".join(encode(header, values, how))
        names, cells = read_csv(content, "surrogatepass")
        assert names == [expected(one.name) for one in header]
        found = dict(zip((one.name for one in header), cells, strict=True))
        assert found["request"] == expected(request)
        assert found["source"] == expected(source)
        for name, value in columns.items():
            own = name if name not in {one.name for one in MATERIALS.columns} else f"columns.{name}"
            assert found[own] == expected(value)


@given(NASTY)
def test_safe_cells_start_no_formula_and_hold_no_control(text: str) -> None:
    seen = safe(text)
    assert not seen.startswith(FORMULA)
    allowed = set("\t\n\r")
    assert not any(
        (char < " " or "\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff") and char not in allowed
        for char in seen
    )
    seen.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-2+3", "'-2+3"),
        ("@SUM", "'@SUM"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("a=1", "a=1"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\0b", "a\\x00b"),
        ("\x9bx", "\\x9bx"),
        ("\ud800", "\\ud800"),
        ("two\nlines\tand\rmore", "two\nlines\tand\rmore"),
        ("", ""),
        ("\u05d0\U0001f600e\u0301", "\u05d0\U0001f600e\u0301"),
    ],
)
def test_the_rule_for_cells(text: str, seen: str) -> None:
    assert safe(text) == seen


def test_headers_are_as_safe_as_cells(lab_file: Path, tmp_path: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "csv")
    header, first, *_ = read_csv((out / "materials.csv").read_bytes())
    assert header[-2:] == ["'=cmd", "difficulty"]
    assert first[-2:] == ["'=1+1", "1"]
    raw = export_from(lab_file, tmp_path / "raw", "csv", raw=True)
    header, first, *_ = read_csv((raw / "materials.csv").read_bytes())
    assert header[-2:] == ["=cmd", "difficulty"]
    assert first[-2:] == ["=1+1", "1"]


def test_numbers_are_no_formulas_and_null_is_empty() -> None:
    header, values = spread(annotation("n"))
    _, cells = read_csv(b"".join(encode(header, values, SAFE)))
    found = dict(zip((one.name for one in header), cells, strict=True))
    assert found["active_ms"] == "-3"
    assert found["confidence"] == ""
    assert found["latest"] == "true"
    assert found["additional"] == "SLM;ICU"


def test_every_line_ends_as_the_standard_says_and_a_mark_comes_only_when_asked() -> None:
    header = [Column("a", "text", False, "")]
    for bom, start in ((False, b""), (True, b"\xef\xbb\xbf")):
        how = Exporting("csv", Path("unused"), bom=bom)
        content = b"".join(encode(header, [{"a": 'a, "b"\nc'}, {"a": ""}], how))
        assert content == start + b'a\r\n"a, ""b""\nc"\r\n""\r\n'


def test_additional_mechanisms_have_a_long_table(tmp_path: Path, lab_file: Path) -> None:
    out = export_from(lab_file, tmp_path / "out", "csv")
    header, *_ = read_csv((out / "annotations_additional.csv").read_bytes())
    assert header == ["item", "participant", "pass", "revision", "latest", "additional"]


@given(NASTY)
def test_typed_tables_hold_valid_text(text: str) -> None:
    assert flat(text, "text") == encodable(text)
    assert encodable(text).encode("utf-8").decode() == encodable(text)
    assert json.loads(flat({"a": [text]}, "json")) == {"a": [text]}


def test_no_column_of_the_material_hides_another() -> None:
    header, (row,) = spread(material({"item": "a", "columns.item": "b", "columns": "c"}))
    own = {one.name: row[one.name] for one in header[-3:]}
    assert own == {"columns.item": "a", "columns.columns.item": "b", "columns": "c"}
