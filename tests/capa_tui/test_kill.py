"""`kill -9` at any moment: nothing acknowledged is lost, nothing is counted twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.labs import rows, study_folder
from support.robot import Robot, usual

from capa_tui.cli import main

ITEMS = 3


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made = tmp_path / "lab.db"
    folder = study_folder(tmp_path / "mechanisms", ITEMS)
    assert main(["load", str(folder), "--db", str(made)]) == 0
    return made


def answers_on_disk(db: Path, out: Path) -> dict[str, Any]:
    """Every answered field by ask id, from the canonical export."""
    assert main(["export", "mechanisms", "--format", "jsonl", "--out", str(out), "--db", str(db)]) == 0
    found = {}
    for event in rows(out / "events.jsonl"):
        if event["kind"] == "field_answered":
            said = json.loads(event["body"])
            found[f"{said['step']}/{said['field']}/{said['revision']}"] = said["value"]
    return found


@pytest.mark.parametrize("reads_acknowledgement", [True, False], ids=["after the ok", "before the ok"])
def test_killed_at_every_few_answers(db: Path, tmp_path: Path, reads_acknowledgement: bool) -> None:
    acknowledged: dict[str, Any] = {}
    asked_again: list[str] = []
    open_ask: str | None = None
    for survived in (0, 5, 4, 7):
        robot = Robot(db, "mechanisms", "ada")
        first = True

        def stop(ask: Any, n: int, robot: Robot = robot, survived: int = survived) -> bool:
            nonlocal open_ask, first
            if first and open_ask is not None:
                asked_again.append(ask["ask"])
                # The ask that was open comes again, unless its answer was on disk before the kill.
                assert reads_acknowledgement is False or ask["ask"] == open_ask
            first = False
            open_ask = ask["ask"]
            if n < survived:
                return False
            if not reads_acknowledgement:
                robot.say({"answer": ask["ask"], "value": usual(ask)})
            return True

        assert robot.play(stop=stop) is None
        robot.kill()
        acknowledged |= robot.acknowledged
    assert len(asked_again) == 3
    last = Robot(db, "mechanisms", "ada")
    assert last.play() == "completed"
    acknowledged |= last.acknowledged

    stored = answers_on_disk(db, tmp_path / "out")
    assert {ask: stored[ask] for ask in acknowledged} == acknowledged
    annotations = rows(tmp_path / "out" / "annotations.jsonl")
    assert sorted(one["item"] for one in annotations) == ["t-0", "t-1", "t-2"]
    assert {one["revision"] for one in annotations} == {1}
    assert main(["verify", "--db", str(db)]) == 0


def test_a_code_that_is_open_elsewhere_is_refused_until_its_program_dies(db: Path) -> None:
    first = Robot(db, "mechanisms", "ada")
    assert first.hear() is not None
    second = Robot(db, "mechanisms", "ada")
    assert second.play() is None
    assert second.close() == 2
    assert "open" in second.stderr
    first.kill()
    assert Robot(db, "mechanisms", "ada").play() == "completed"
