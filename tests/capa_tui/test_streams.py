"""Standard streams as other programs leave them: closed, full, in another encoding, ended by a signal."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from support.labs import rows, study_folder
from support.robot import COMMAND, Robot

from capa_tui.cli import main

TITLE = "Mehrdeutig 日本"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made = tmp_path / "lab.db"
    folder = study_folder(tmp_path / "mechanisms", 2)
    settings = folder / "study.toml"
    text = settings.read_text(encoding="utf-8").replace('title = "mechanisms"', f'title = "{TITLE}"')
    settings.write_text(text, encoding="utf-8")
    assert main(["load", str(folder), "--db", str(made)]) == 0
    return made


def shell(db: Path, words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """`capa-tui WORDS`, with the redirections that a shell makes of them."""
    return subprocess.run(
        ["sh", "-c", f'"$@" {words}', "sh", *COMMAND],
        env=os.environ | {"CAPA_TUI_DB": str(db)} | environment,
        input=b"",
        capture_output=True,
        timeout=60,
    )


@pytest.mark.parametrize("words", ["status", "run mechanisms --participant ada --plain"])
def test_text_that_the_locale_cannot_hold_is_printed_as_escapes(db: Path, words: str) -> None:
    done = shell(db, words, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"Mehrdeutig \u65e5\u672c" in done.stdout


@pytest.mark.parametrize("front", ["--jsonl", "--plain"])
def test_a_visit_without_any_input_pauses(db: Path, front: str) -> None:
    done = shell(db, f"run mechanisms --participant ada {front} <&-")
    assert (done.returncode, done.stderr) == (0, b"")
    assert "paused" in status(db)


@pytest.mark.parametrize("words", ["status --json", "run mechanisms --participant ada --jsonl"])
def test_output_that_cannot_be_written_is_the_machines_fault(db: Path, words: str) -> None:
    done = shell(db, f"{words} >/dev/full")
    assert done.returncode == 3
    assert done.stderr.startswith(b"capa-tui: ")
    assert len(done.stderr.splitlines()) == 1


def test_a_reader_that_goes_away_leaves_the_visit_paused(db: Path) -> None:
    robot = Robot(db, "mechanisms", "ada")
    assert robot.hear() is not None
    robot.leave()
    assert robot.close() == 0
    assert robot.stderr == ""
    assert "paused" in status(db)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_pauses_a_visit_as_the_end_of_the_input_does(db: Path, number: signal.Signals) -> None:
    robot = Robot(db, "mechanisms", "ada")
    assert robot.hear() is not None
    robot.signal(number)
    assert robot.hear() == {"done": "paused"}
    assert robot.close() == 0
    assert "paused" in status(db)


def status(db: Path) -> list[str]:
    """States of the study's participations, from a canonical export."""
    out = db.parent / "out"
    assert main(["export", "mechanisms", "--format", "jsonl", "--out", str(out), "--db", str(db)]) == 0
    return [str(one["state"]) for one in rows(out / "participants.jsonl")]
