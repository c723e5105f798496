"""New specification folders: an editable copy of the template with the bundled projects."""

from __future__ import annotations

from pathlib import Path

import pytest

from capa_tui.cli import main
from studies.errors import InputError
from studies.folder import parse, read_files
from studies.folder_checks import check
from studies.specification.new import create


def test_a_new_folder_has_no_error_and_open_places_to_fill_in(tmp_path: Path) -> None:
    made = create(tmp_path / "my-sheets")
    files = read_files(made.directory)
    found = check(files)
    assert all(one.warning for one in found)
    assert {one.file for one in found} == {"consent.md", "debrief.md", "study.toml"}
    study = parse(files)
    assert (study.settings.name, study.settings.title, made.items) == ("my-sheets", "my sheets", 3)
    assert study.settings.design.kind == "everything"
    assert "12 participants, or a multiple" in made.notes[-1]


def test_planned_participants_have_slots_and_a_plan(tmp_path: Path) -> None:
    even, uneven = create(tmp_path / "even", participants=24), create(tmp_path / "uneven", participants=20)
    study = parse(read_files(even.directory))
    assert study.settings.design.participants == study.analysis.planned_n == 24
    assert not [one for one in check(read_files(even.directory)) if one.file == "analysis.toml"]
    (odd,) = [one for one in check(read_files(uneven.directory)) if one.file == "analysis.toml"]
    assert odd.expected == "12 or 24"
    assert "with 12 or 24 it would" in uneven.notes[-1]


def test_the_seed_is_given_or_follows_from_the_projects(tmp_path: Path) -> None:
    seeds = [
        parse(read_files(create(tmp_path / name, seed=seed).directory)).settings.seed
        for name, seed in (("a", None), ("b", None), ("c", 5))
    ]
    assert seeds[0] == seeds[1] != seeds[2] == 5


def test_nothing_is_written_over_or_half(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")
    for directory, participants in ((tmp_path, 4), (tmp_path / "new", 0)):
        with pytest.raises(InputError):
            create(directory, participants=participants)
    assert [one.name for one in tmp_path.iterdir()] == ["kept"]


def test_the_command_says_which_flags_do_not_apply(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["new", str(tmp_path / "x"), "--kind", "specification"]
    assert main([*words, "--items", "a.csv", "--raters", "2", "--from", "human-eval"]) == 2
    said = capsys.readouterr().err
    assert all(flag in said for flag in ("--items", "--raters", "--from", "takes --participants and --seed"))
    assert main([*words, "--participants", "12"]) == 0
    assert "a study of 3 projects" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "x")]) == 0
