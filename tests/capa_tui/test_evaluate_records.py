"""`evaluate --records`: run records scored without a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from capa_tui.cli import main

LINES = [
    {"task_id": "t1", "key_question_num": 1, "hit_dict": {"0": 1}, "turns": 2},
    {"task_id": "t2", "key_question_num": 2, "hit_dict": {"0": 1}, "turns": 2},
]


@pytest.fixture(autouse=True)
def _no_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CAPA_TUI_DB", str(tmp_path / "none" / "lab.db"))


def written(path: Path, *lines: dict[str, Any]) -> str:
    path.write_text("".join(json.dumps(one) + "\n" for one in lines), "utf-8")
    return str(path)


def test_figures_of_several_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "gpt-x.jsonl", *LINES)
    two = written(tmp_path / "other.jsonl", {**LINES[0], "model": "named", "passed": True})
    tasks = written(
        tmp_path / "tasks.jsonl",
        {"task_id": "t1", "keywords": ["Units"], "qa_pairs": [{}]},
        {"task_id": "t2", "keywords": ["Output Format"], "qa_pairs": [{}, {}]},
    )
    assert main(["evaluate", "--records", one, two, "--tasks", tasks, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    groups = {json.dumps(own["by"]): own for own in told["groups"]}
    assert told["groups"][0]["by"] == {}
    assert told["groups"][0]["tkqr"] == pytest.approx((1 + 0.6131471927654584 + 1) / 3)
    assert groups['{"seat": "none", "model": "gpt-x"}']["tasks"] == 2
    assert groups['{"seat": "none", "model": "named"}']["pass_at_1"] == 1
    assert groups['{"seat": "none", "type": "units"}']["runs"] == 2
    assert [own["runs"] for own in told["records"]] == [2, 1]
    assert told["flags"] == ["runs that name no model are named after their file"]


def test_the_table_is_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{**LINES[0], "model": "m\x1b[31m"}, {**LINES[1], "turns": 1}]
    assert main(["evaluate", "--records", written(tmp_path / "m.jsonl", *lines)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split()[:3] == ["group", "tasks", "runs"]
    assert "D2-H1" in out
    assert "note: some runs carry no ambiguity types" in out
    assert "note: runs that ended on a question: 1" in out
    assert "\x1b" not in out


def test_bad_input_is_told_whole_and_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = written(tmp_path / "a.jsonl", {**LINES[0], "turns": None})
    two = written(tmp_path / "b.jsonl", LINES[1], {**LINES[0], "hit_dict": {"0": 2}})
    assert main(["evaluate", "--records", one, two]) == 2
    said = capsys.readouterr().err
    assert f"{one}:1 turns: missing" in said
    assert f"{two}:2 hit_dict.0: 2; expected 0 or 1" in said
    for words in ([str(tmp_path / "none.jsonl")], [str(tmp_path)], [one, "--tasks", str(tmp_path)]):
        assert main(["evaluate", "--records", *words]) == 2
    for words in ([], ["study", "--records", one], ["study", "--tasks", one]):
        assert main(["evaluate", *words]) == 2
    assert "--tasks goes with --records" in capsys.readouterr().err
