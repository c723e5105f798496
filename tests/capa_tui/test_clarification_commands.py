"""The commands around clarification folders: new, check with references, load, judge."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capa_tui.cli import main

pytestmark = pytest.mark.xdist_group("judge")


def test_a_new_folder_passes_check_and_load(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, database = tmp_path / "mine", str(tmp_path / "lab.db")
    flags = ["--participants", "6", "--items-each", "4", "--raters", "2"]
    assert main(["new", str(folder), "--kind", "clarification", "--seat", "asker", *flags]) == 0
    assert main(["check", str(folder)]) == 0
    capsys.readouterr()
    assert main(["load", str(folder), "--db", database]) == 0
    assert json.loads(capsys.readouterr().out)["items"] == 12
    assert main(["new", str(tmp_path / "other"), "--kind", "clarification", "--preset", "capa"]) == 2
    assert "--preset: for other kinds" in capsys.readouterr().err


def test_check_and_judge_run_programs_and_functions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "mine"
    assert main(["new", str(folder), "--kind", "clarification"]) == 0
    path = folder / "tasks.jsonl"
    tasks = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    program = next(one for one in tasks if "cases" in one)
    function = next(one for one in tasks if "tests" in one)
    replies = tmp_path / "replies.jsonl"
    said = [
        {"task_id": program["id"], "reply": f"[CODE]\n{program['reference']}[/CODE]"},
        {"task_id": function["id"], "reply": "[QUESTION]\nWhich one?\n[/QUESTION]"},
    ]
    replies.write_text("\n".join(map(json.dumps, said)))
    capsys.readouterr()
    assert main(["judge", str(folder), "--replies", str(replies)]) == 0
    found = [json.loads(line)["verdict"] for line in capsys.readouterr().out.splitlines()]
    assert found == ["passed", "no_code"]
    program["reference"] = "print(17)\n"
    path.write_text("".join(json.dumps(one) + "\n" for one in tasks), encoding="utf-8")
    assert main(["check", str(folder)]) == 1
    assert f"{program['id']} reference: the task's own tests do not accept it" in capsys.readouterr().out
