"""The commands around the data of a specification study: saw, status, export, erase, verify."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.specification_lab import NAME, specification_file
from support.stations import held

from capa_tui.cli import main

__all__ = ["specification_file"]


def printed(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_saw_rebuilds_every_call(specification_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["saw", NAME, "--participant", "WHOLE", "--db", str(specification_file)]) == 0
    calls = printed(capsys)
    assert {one["call"].partition(":")[0] for one in calls} >= {"draft", "chart", "simulate", "plan", "act"}
    assert calls[0].keys() == {
        *("item", "turn", "call", "attempt", "assistant", "at", "messages", "whole", "missing")
    }
    assert all(one["whole"] and one["messages"] and not one["missing"] for one in calls)
    assert main(["saw", NAME, "--participant", "nobody", "--db", str(specification_file)]) == 2


def test_status_counts_projects(specification_file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", NAME, "--json", "--db", str(specification_file)]) == 0
    status = json.loads(capsys.readouterr().out)
    people = {one["code"]: one for one in status["participants"]}
    assert (people["whole"]["state"], people["whole"]["done"]) == ("completed", 2)
    assert (people["paused"]["state"], people["paused"]["done"]) == ("paused", 0)
    assert sorted(people["paused"]["assigned"]) == ["club", "hall"]
    assert {one["id"]: one["completed"] for one in status["items"]} == {"club": 1, "hall": 1}


def test_erasing_blanks_everything_and_the_chains_stay_sound(
    specification_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db = ["--db", str(specification_file)]
    (stream,) = {one.stream for one in held(specification_file) if one.kind == "sheet_edited"}
    assert main(["erase", NAME, "--participant", "whole", "--reason", "asked for it", *db]) == 0
    assert {one.body for one in held(specification_file) if one.stream == stream} == {None}
    assert b"Mine.\\n# Own" not in specification_file.read_bytes()
    assert main(["verify", *db]) == 0
    capsys.readouterr()
    assert main(["saw", NAME, "--participant", "whole", *db]) == 2
    assert main(["export", NAME, "--format", "spec-sheets", "--out", str(tmp_path / "out"), *db]) == 0
    assert (tmp_path / "out" / "sheets.jsonl").read_bytes() == b""
