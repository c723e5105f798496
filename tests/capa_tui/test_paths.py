"""Where this machine keeps things, and what happens when it cannot."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from support.processes import together

from capa_tui import paths
from capa_tui.cli import main


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("CAPA_TUI_DB", raising=False)
    return tmp_path


def test_programs_that_start_together_are_one_station(home: Path) -> None:
    ids = set(together(6, lambda _: paths.station()))
    assert ids == {paths.station()}
    assert [one.name for one in (home / "data" / "capa-tui").iterdir()] == ["station"]


@pytest.mark.parametrize("left", [b"", b"\n", b"\xff\xfe"])
def test_a_station_file_that_was_cut_off_is_made_anew(home: Path, left: bytes) -> None:
    file = home / "data" / "capa-tui" / "station"
    file.parent.mkdir(parents=True)
    file.write_bytes(left)
    assert len(paths.station()) == 32
    assert paths.station() == paths.station()


def test_the_default_database_is_for_its_owner_alone(home: Path) -> None:
    before = os.umask(0o002)
    try:
        assert main(["status"]) == 0
        assert main(["backup", str(home / "copy.db")]) == 0
    finally:
        os.umask(before)
    for made in (home / "data" / "capa-tui" / "capa-tui.db", home / "copy.db"):
        assert stat.S_IMODE(made.stat().st_mode) == 0o600


@pytest.mark.parametrize("command", ["status", "doctor", "verify"])
def test_a_path_that_leads_nowhere_is_said_in_a_sentence(
    home: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    circle = home / "circle.db"
    circle.symlink_to(circle)
    for path in (str(circle), "~nobody-of-that-name/lab.db"):
        if (command, path) != ("doctor", str(circle)):
            assert main([command, "--db", path]) in (2, 3)
            assert capsys.readouterr().err.startswith("capa-tui: ")


def test_doctor_names_a_place_where_nothing_can_be_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (home / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "file" / "data"))
    assert main(["doctor", "--json"]) == 3
    states = {one["about"]: one["state"] for one in json.loads(capsys.readouterr().out)["findings"]}
    assert (states["disk"], states["station"]) == ("missing", "missing")
