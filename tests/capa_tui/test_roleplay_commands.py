"""The commands around role-play: judge, check with references, evaluate, blank control, unauthored tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.robot import Robot

from capa_tui.cli import main
from studies import bundles
from studies.folder import read_files

GROUP_KEYS = {
    *("by", "participants", "sessions", "dispositions", "es", "ft_es", "ttc", "es_ci", "ft_es_ci", "ttc_ci"),
}
pytestmark = pytest.mark.xdist_group("judge")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The bundled study with two of its tasks, in a folder of its own."""
    made = tmp_path / "ours"
    for name, data in read_files(bundles.directory("roleplay")).items():
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_bytes(data)
    return made


def tasks(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "tasks.jsonl").read_text("utf-8").splitlines()]


def verdicts(capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(one.keys() == {"task_id", "verdict", "detail", "ms", "code"} for one in lines)
    return {one["task_id"]: one["verdict"] for one in lines}


def test_samples_and_replies_are_judged(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, two, three = tasks(folder)[:3]
    samples = folder.parent / "samples.jsonl"
    lines = [
        {"task_id": one["id"], "completion": one["reference"]},
        {"task_id": two["id"], "completion": f"def {two['entry_point']}(*words):\n    return 17.25\n"},
    ]
    samples.write_text("\n".join(map(json.dumps, lines)))
    assert main(["judge", str(folder), "--samples", str(samples)]) == 0
    judged = verdicts(capsys)
    assert judged[one["id"]] == "passed"
    assert judged[two["id"]] in ("failed_assertion", "exception")
    replies = folder.parent / "replies.jsonl"
    lines = [
        {"task_id": one["id"], "reply": f"Here:\n```python\n{one['reference']}\n```\nDone."},
        {"task_id": two["id"], "reply": "Which of the two do you mean?"},
        {"task_id": three["id"], "reply": "```python\ndef other():\n    pass\n```"},
    ]
    replies.write_text("\n".join(map(json.dumps, lines)))
    assert main(["judge", str(folder), "--replies", str(replies)]) == 0
    assert verdicts(capsys) == {one["id"]: "passed", two["id"]: "no_code", three["id"]: "no_function"}


@pytest.mark.parametrize("line", ['{"task_id": "nobody", "completion": ""}', '{"task_id": "t-01"}', "x"])
def test_bad_samples_are_named_by_line(folder: Path, capsys: pytest.CaptureFixture[str], line: str) -> None:
    samples = folder.parent / "samples.jsonl"
    samples.write_text(line)
    assert main(["judge", str(folder), "--samples", str(samples)]) == 2
    assert "samples.jsonl:1" in capsys.readouterr().err


def test_a_reference_that_its_own_tests_refuse_is_named(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tasks(folder)
    changed[3]["reference"] = f"def {changed[3]['entry_point']}(*words):\n    return 17\n"
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, changed)))
    assert main(["judge", str(folder), "--references"]) == 1
    assert [name for name, word in verdicts(capsys).items() if word != "passed"] == [changed[3]["id"]]
    assert main(["check", str(folder), "--json"]) == 1
    (problem,) = json.loads(capsys.readouterr().out)["problems"]
    assert (problem["file"], problem["key"]) == ("tasks.jsonl", f"{changed[3]['id']} reference")


def test_without_a_sandbox_every_verdict_is_not_run_and_the_exit_is_3(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from capa_tui.sandbox.judge import SandboxJudge

    monkeypatch.setattr(SandboxJudge, "available", lambda judge: "install bubblewrap")
    assert main(["judge", str(folder), "--references"]) == 3
    assert set(verdicts(capsys).values()) == {"not_run"}


def test_evaluate_has_the_contracts_keys_and_records_the_blank_control(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(tmp_path / "lab.db")
    assert main(["load", str(folder), "--db", db]) == 0
    capsys.readouterr()
    words = ["evaluate", "personal-ambiguity", "--json", "--db", db]
    assert main(words) == 0
    empty = json.loads(capsys.readouterr().out)
    assert empty["groups"][0]["by"] == {}
    assert all(one.keys() >= GROUP_KEYS for one in empty["groups"])
    assert empty["groups"][0]["es"] is None
    assert empty["blank_control"][0]["undefined_reason"]
    assert main([*words, "--blank", "--reason", "before the first participant"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["blank_control"][0]["solved"], told["blank_control"][0]["tasks"]) == (14, 14)
    assert [one["reason"] for one in told["looks"]] == ["", "before the first participant"]
    assert main([*words, "--blank"]) == 0
    assert "blank control:" not in capsys.readouterr().err


def test_figures_of_the_other_kind_are_refused_with_where_they_are(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = str(tmp_path / "lab.db")
    assert main(["load", str(folder), "--db", db]) == 0
    assert main(["agreement", "personal-ambiguity", "--db", db]) == 2
    assert "evaluate" in capsys.readouterr().err


def test_unauthored_tasks_run_only_as_pilots(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = tasks(folder)
    changed[0]["derived"] = True
    (folder / "tasks.jsonl").write_text("\n".join(map(json.dumps, changed)))
    db = tmp_path / "lab.db"
    assert main(["load", str(folder), "--db", str(db)]) == 0
    refused = Robot(db, "personal-ambiguity", "ada")
    assert refused.play() is None
    assert refused.close() == 2
    assert changed[0]["id"] in refused.stderr
    pilot = Robot(db, "personal-ambiguity", "ada", "--pilot")
    first = pilot.hear()
    assert first is not None
    assert first["kind"] == "consent"
    pilot.kill()


def test_what_each_call_saw_can_be_shown(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = tmp_path / "lab.db"
    assert main(["load", str(folder), "--db", str(db)]) == 0
    openings = {one["id"]: one["opening"] for one in tasks(folder)}
    robot = Robot(db, "personal-ambiguity", "ada")

    def answer(ask: Any) -> Any:
        if ask["kind"] == "chat":
            return openings[ask["about"]]
        if ask["kind"] == "consent":
            return True
        return None if ask["kind"] in ("info", "text") else (ask["options"] or [{"value": None}])[0]["value"]

    asked: list[str] = []

    def second_turn(ask: Any, n: int) -> bool:
        asked.append(ask["kind"])
        return asked.count("chat") == 2

    assert robot.play(answer, second_turn) is None
    robot.kill()
    capsys.readouterr()
    assert main(["saw", "personal-ambiguity", "--participant", "ADA", "--db", str(db)]) == 0
    (call,) = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert call["whole"] is True
    assert call["messages"][-1]["content"] == openings[call["item"]]
    assert main(["saw", "personal-ambiguity", "--participant", "nobody", "--db", str(db)]) == 2
