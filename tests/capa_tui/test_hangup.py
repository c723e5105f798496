"""A terminal that is really gone: the program ends, keeps everything, and frees the participant."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.labs import study_folder, take_part
from support.terminal import PATIENCE, Terminal
from support.visits import at

from capa_tui.cli import main
from capa_tui.steady import Steady

pytestmark = pytest.mark.pty


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made = tmp_path / "lab.db"
    folder = study_folder(tmp_path / "mechanisms", 3)
    assert main(["load", str(folder), "--db", str(made)]) == 0
    assert take_part(made, "mechanisms", "ada", until=at("main"), pause=True) == "paused"
    return made


def run(db: Path) -> Terminal:
    return Terminal(["run", "mechanisms", "--participant", "ada", "--db", str(db)])


def test_a_lost_connection_ends_the_program_and_keeps_the_place(db: Path) -> None:
    with run(db) as window:
        window.until("item 1 of 3")
        window.until("saved")
        window.press("2", "2 (•)")
        window.press("n", "done writing")
        window.type("half a thought")
        window.until("half a thought")
        os.close(window._master)
        window._master = os.open(os.devnull, os.O_RDONLY)
        window.program.wait(PATIENCE)
    with run(db) as window:
        window.until("half a thought")
        assert "2 (•)" in window.text


def test_what_cannot_be_written_is_dropped() -> None:
    read, write = os.pipe()
    file = Steady(os.fdopen(write, "w"))
    file.write("one")
    file.flush()
    assert os.read(read, 10) == b"one"
    os.close(read)
    file.write("two")
    file.flush()
    assert file.gone
    assert file.write("three") == 5
    file.flush()
