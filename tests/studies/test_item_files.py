"""Any JSON Lines or CSV file as items."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies import item_files
from studies.errors import Problem
from studies.item_files import read_items


def read(
    path: Path, data: str | bytes, name: str = "rows.jsonl", **fields: str
) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Read `data` from a file of that name, text in `text` and id in `key` unless told otherwise."""
    file = path / name
    file.write_bytes(data.encode() if isinstance(data, str) else data)
    asked = {"text_field": "text", "id_field": "key"} | fields
    return read_items(file, asked.pop("text_field"), asked.pop("id_field"), **asked)


def jsonl(*rows: dict[str, Any]) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def good(found: tuple[list[dict[str, Any]], list[Problem]]) -> list[dict[str, Any]]:
    rows, problems = found
    assert problems == []
    return rows


# -- JSON Lines --------------------------------------------------------------------------------


def test_text_id_and_further_columns(tmp_path: Path) -> None:
    pairs = [{"question": "q", "answer": None}]
    row = {"key": "task_1", "text": "Sort it.", "qa_pairs": pairs, "score": 1.5, "ok": True, "none": None}
    assert good(read(tmp_path, jsonl(row))) == [
        {"id": "task_1", "request": "Sort it.", "qa_pairs": pairs, "score": 1.5, "ok": True, "none": None}
    ]


def test_numbers_become_ids(tmp_path: Path) -> None:
    rows = good(read(tmp_path, jsonl({"key": 7, "text": "a"}, {"key": 1.5, "text": "b"})))
    assert [row["id"] for row in rows] == ["7", "1.5"]


@pytest.mark.parametrize("name", ["rows.jsonl.gz", "rows.csv.gz", "rows", "rows.ndjson"])
def test_gzip_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    text = "key,text\na,x\n" if "csv" in name else jsonl({"key": "a", "text": "x"})
    assert good(read(tmp_path, gzip.compress(text.encode()), name)) == [{"id": "a", "request": "x"}]


def test_a_field_that_no_line_has_is_named_once_with_the_closest(tmp_path: Path) -> None:
    rows = [{"task_id": str(number), "modified_content": "x"} for number in range(9)]
    found = read(tmp_path, jsonl(*rows), text_field="modified_contents", id_field="task_id")[1]
    [problem] = found
    assert (problem.line, problem.key, problem.found) == (1, "modified_contents", "no such field")
    assert problem.expected == "one of task_id, modified_content; did you mean modified_content?"
    assert problem.file.endswith("rows.jsonl")


def test_what_single_lines_lack(tmp_path: Path) -> None:
    rows = [
        {"key": "a", "text": "x"},
        {"key": "b"},
        {"text": "x"},
        {"key": "d", "text": " \n"},
        {"key": "e", "text": 5},
        {"key": "", "text": "x"},
        {"key": "f g", "text": "x"},
        {"key": None, "text": "x"},
        {"key": True, "text": "x"},
        {"key": "a", "text": "x"},
    ]
    found = read(tmp_path, jsonl(*rows))[1]
    assert [(one.line, one.key) for one in found] == [
        (2, "text"), (3, "key"), (4, "text"), (5, "text"), (6, "key"), (7, "key"), (8, "key"), (9, "key"),
        (10, "key"),
    ]  # fmt: skip
    assert "letter or digit" in found[5].expected
    assert found[-1].found == "the id 'a' is on line 1 too"


def test_json_problems_have_their_line(tmp_path: Path) -> None:
    found = read(tmp_path, jsonl({"key": "a", "text": "x"}) + '\n{"key": NaN}\n{"key": 1, "key": 2}\n{\n')[1]
    assert [one.line for one in found] == [3, 4, 5]


def test_a_lone_surrogate_may_be_in_a_text_and_not_in_a_name(tmp_path: Path) -> None:
    assert good(read(tmp_path, jsonl({"key": "a", "text": "x\ud800"})))[0]["request"] == "x\ud800"
    [problem] = read(tmp_path, jsonl({"key": "a", "text": "x", "\ud800": 1}))[1]
    assert problem.line == 1


# -- reserved names ----------------------------------------------------------------------------


def test_columns_of_an_items_own_keys_are_used_where_they_fit(tmp_path: Path) -> None:
    row = {
        "key": "a",
        "text": "x",
        "context": [{"role": "user", "content": "hi", "at": 3}],
        "gold": "DCP",
        "gold_additional": "SLM; CCM",
        "source": "lab",
    }
    rows = good(read(tmp_path, jsonl(row, {"key": "b", "text": "y", "gold": None, "source": ""})))
    assert rows == [
        {
            "id": "a",
            "request": "x",
            "context": [{"role": "user", "text": "hi"}],
            "gold": "DCP",
            "gold_additional": ["SLM", "CCM"],
            "source": "lab",
        },
        {"id": "b", "request": "y"},
    ]


def test_columns_that_do_not_fit_are_kept_under_another_name(tmp_path: Path) -> None:
    rows = [
        {"key": "a", "text": "x", "gold": "DCP", "id": 3, "request": "y", "context": "said", "source": 1},
        {"key": "b", "text": "x", "gold": "def f(): ...", "gold_": 1},
    ]
    kept, notes = read(tmp_path, jsonl(*rows))
    assert kept == [
        {"id": "a", "request": "x", "gold__": "DCP", "id_": 3,
         "request_": "y", "context_": "said", "source_": 1},
        {"id": "b", "request": "x", "gold__": "def f(): ...", "gold_": 1},
    ]  # fmt: skip
    assert all(one.warning for one in notes)
    found = {one.key: one.found for one in notes}
    assert (
        found["gold"]
        == "line 2 has 'def f(): ...', which is no gold of an item, so the column is kept as gold__"
    )
    assert found["id"] == "the study takes this from another field, so the column is kept as id_"


def test_the_fields_asked_for_may_have_reserved_names(tmp_path: Path) -> None:
    row = {"source": "a", "gold": "x", "context": "kept"}
    rows, notes = read(tmp_path, jsonl(row), text_field="gold", id_field="source")
    assert rows == [{"id": "a", "request": "x", "context_": "kept"}]
    assert [one.key for one in notes] == ["context"]


def test_gold_labels_that_exclude_each_other(tmp_path: Path) -> None:
    row = {"key": "a", "text": "x", "gold": "NONE", "gold_additional": ["DCP"]}
    [problem] = read(tmp_path, jsonl(row))[1]
    assert (problem.line, problem.key, problem.warning) == (1, "gold_additional", False)


@pytest.mark.parametrize(
    ("value", "context"),
    [
        (
            [{"role": "user", "text": "a"}, {"role": "assistant", "content": "b"}],
            [("user", "a"), ("assistant", "b")],
        ),
        ('[{"role": "user", "text": "a"}]', [("user", "a")]),
        ([], []),
        (None, []),
        ("", []),
    ],
)
def test_a_context_field(tmp_path: Path, value: Any, context: list[tuple[str, str]]) -> None:
    row = {"key": "a", "text": "x", "turns": value}
    [made] = good(read(tmp_path, jsonl(row), context_field="turns"))
    assert [(one["role"], one["text"]) for one in made["context"]] == context
    assert "turns" not in made


@pytest.mark.parametrize(
    "value",
    [
        "User: hi",
        3,
        {"role": "user"},
        [3],
        [{"role": "system", "text": "x"}],
        [{"role": "user", "text": " "}],
    ],
)
def test_a_context_that_is_no_dialogue(tmp_path: Path, value: Any) -> None:
    row = {"key": "a", "text": "x", "turns": value}
    [problem] = read(tmp_path, jsonl(row), context_field="turns")[1]
    assert (problem.line, problem.key) == (1, "turns")
    assert '"role"' in problem.expected


# -- CSV ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_the_delimiter_is_the_one_under_which_the_fields_are_there(tmp_path: Path, delimiter: str) -> None:
    text = delimiter.join(["a,b;c", "key", "text"]).replace("a,b;c", '"a,b;c"') + "\n"
    text += delimiter.join(["1", "k", '"x, y; z"']) + "\n"
    assert good(read(tmp_path, text, "rows.csv")) == [{"id": "k", "request": "x, y; z", "a,b;c": "1"}]


def test_quotes_line_ends_byte_order_marks_and_blank_lines(tmp_path: Path) -> None:
    data = '\ufeffkey,text\r\na,"one ""two""\r\nthree, four"\r\n\r\n,\r\nb,five\r\n'
    rows = good(read(tmp_path, data, "rows.csv"))
    assert rows == [
        {"id": "a", "request": 'one "two"\r\nthree, four'},
        {"id": "b", "request": "five"},
    ]


def test_problems_have_the_line_a_record_starts_on(tmp_path: Path) -> None:
    data = 'key,text\na,"one\ntwo"\nb,\na,"three\n"\nc,x,y\nd\ne,"x" y\n'
    found = read(tmp_path, data, "rows.csv")[1]
    assert [one.line for one in found] == [4, 5, 7, 8, 9]
    assert found[2].found == "3 cells"
    assert found[1].found == "the id 'a' is on line 2 too"


def test_an_open_quote_is_a_problem_and_no_item(tmp_path: Path) -> None:
    [problem] = read(tmp_path, 'key,text\na,x\nb,"y\nc,z\n', "rows.csv")[1]
    assert problem.line == 3
    assert problem.found.startswith("not CSV")


def test_headers_are_distinct_and_named(tmp_path: Path) -> None:
    assert good(read(tmp_path, "key,text,,\na,x,,\n", "rows.csv")) == [{"id": "a", "request": "x"}]
    found = read(tmp_path, "key,,text,key\na,b,x,c\n", "rows.csv")[1]
    assert [one.found for one in found[:2]] == ["column 2 has no name", "the column is there twice"]


def test_spreadsheet_cells_for_gold(tmp_path: Path) -> None:
    rows = good(read(tmp_path, "key,text,gold,gold_additional\na,x,DCP,SLM;CCM\nb,y,,\n", "rows.csv"))
    assert rows == [
        {"id": "a", "request": "x", "gold": "DCP", "gold_additional": ["SLM", "CCM"]},
        {"id": "b", "request": "y"},
    ]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip), min_size=1),
    st.sampled_from([",", ";", "\t"]),
)
def test_any_text_survives_csv(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str], delimiter: str
) -> None:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter)
    writer.writerow(["key", "text"])
    writer.writerows([f"k{number}", text] for number, text in enumerate(texts))
    rows = good(read(tmp_path_factory.getbasetemp(), out.getvalue(), "rows.csv"))
    assert [row["request"] for row in rows] == texts


# -- files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
@pytest.mark.parametrize("data", [b"", b" \n", b"\xef\xbb\xbf"])
def test_an_empty_file(tmp_path: Path, name: str, data: bytes) -> None:
    [problem] = read(tmp_path, data, name)[1]
    assert problem.found == "the file holds no items"


def test_a_header_alone(tmp_path: Path) -> None:
    [problem] = read(tmp_path, "key,text\n", "rows.csv")[1]
    assert problem.found == "the file holds no items"


@pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
def test_bytes_that_are_not_utf8(tmp_path: Path, name: str) -> None:
    [problem] = read(tmp_path, b"key,text\na,caf\xe9\n", name)[1]
    assert (problem.line, problem.expected) == (2, "UTF-8")


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path in (tmp_path, tmp_path / "none.csv"):
        rows, [problem] = read_items(path, "text", "key")
        assert (rows, problem.found.split(":")[0]) == ([], "cannot be read")
    cut = gzip.compress(jsonl({"key": "a", "text": "x" * 1000}).encode())[:-9]
    assert "cannot be read" in read(tmp_path, cut)[1][0].found
    monkeypatch.setattr(item_files, "MAX_BYTES", 5)
    assert "more than" in read(tmp_path, jsonl({"key": "a", "text": "x"}))[1][0].found


@given(st.binary(max_size=300), st.sampled_from(["a.csv", "a.jsonl", "a"]))
def test_any_bytes_give_rows_or_problems(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str
) -> None:
    rows, problems = read(tmp_path_factory.getbasetemp(), data, name)
    assert rows or problems


def test_a_cell_may_hold_a_whole_file_of_code(tmp_path: Path) -> None:
    long = "x = 1\n" * 100_000
    path = tmp_path / "long.csv"
    path.write_text(f'id,text\n1,"{long}"\n', encoding="utf-8")
    rows, problems = read_items(path, "text", "id")
    assert problems == []
    assert rows == [{"id": "1", "request": long}]


def test_one_endless_line_is_no_table(tmp_path: Path) -> None:
    path = tmp_path / "endless.csv"
    path.write_text("x" * 200_000, encoding="utf-8")
    _, problems = read_items(path, "text", "id")
    assert [one.found for one in problems] == ["the file holds no items"]
