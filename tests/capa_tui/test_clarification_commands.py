"""The commands around clarification folders: new, check with references, load, judge."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from support.visits import walk

from capa_tui.cli import main
from capa_tui.services import Services
from studies.steps import Done

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


def visit_of(folder: Path, database: Path, code: str) -> None:
    """One whole participation of an answerer: every question is placed at the first gap and answered."""

    async def play() -> None:
        async with Services.open(database) as services:
            visit = await services.seat(folder.name, code)
            assert visit.live is not None
            await visit.begin("test")
            while True:
                step = await walk(visit, lambda one: one.kind == "chat")
                if isinstance(step, Done):
                    return
                if step.due:
                    await visit.live.advance()
                else:
                    await visit.answer(step.ask_id("match"), step.fields[0].options[0].value, walk=True)
                    await visit.answer(step.ask_id("message"), "As it was said.", walk=True)

    asyncio.run(play())


def test_a_study_is_evaluated_and_its_export_scores_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, database = tmp_path / "mine", tmp_path / "lab.db"
    assert main(["new", str(folder), "--kind", "clarification"]) == 0
    settings = (folder / "study.toml").read_text("utf-8")
    (folder / "study.toml").write_text(settings.replace("# tasks_each = 6", "tasks_each = 1"), "utf-8")
    reading = ["--db", str(database), "--json"]
    assert main(["load", str(folder), *reading[:2]]) == 0
    visit_of(folder, database, "ADA")
    capsys.readouterr()
    assert main(["evaluate", "mine", *reading]) == 0
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["participants"], found["groups"][0]["by"], found["sessions"]) == (
        1,
        {},
        found["groups"][0]["runs"],
    )
    assert main(["saw", "mine", "--participant", "ada", *reading[:2]]) == 0
    calls = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(one["whole"] for one in calls)
    out = tmp_path / "out"
    assert main(["export", "mine", "--format", "clarifycodebench", "--out", str(out), *reading[:2]]) == 0
    capsys.readouterr()
    assert main(["evaluate", "--records", str(out / "results.jsonl"), "--json"]) == 0
    again = json.loads(capsys.readouterr().out)["groups"][0]
    for name in ("tkqr", "ora", "ora_strict", "rounds", "diff", "pass_at_1", "hit_rates"):
        assert again[name] == pytest.approx(found["groups"][0][name])
    assert main(["agreement", "mine", *reading]) == 2
    assert "use evaluate" in capsys.readouterr().err
