"""The commands, as the contract words them, over real files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from support.labs import rows, study_folder, take_part
from support.robot import Robot
from support.visits import at, usual

from capa_tui.cli import main
from studies.steps import Field, Step


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "lab.db"


@pytest.fixture
def folder(tmp_path: Path, db: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    made = study_folder(
        tmp_path / "mechanisms", 4, "--participants", "4", "--items-each", "2", "--raters", "2"
    )
    assert main(["load", str(made), "--db", str(db)]) == 0
    capsys.readouterr()
    return made


class Shell:
    """Runs commands in this process on one database."""

    def __init__(self, db: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.db, self._capsys = db, capsys
        self.err = ""

    def __call__(self, *words: str, code: int = 0) -> str:
        assert main([*words, "--db", str(self.db)]) == code, self._capsys.readouterr().err
        out, self.err = self._capsys.readouterr()
        return out

    def json(self, *words: str, code: int = 0) -> Any:
        out = self(*words, "--json", code=code)
        assert out.isascii()
        return json.loads(out)


@pytest.fixture
def shell(db: Path, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(db, capsys)


def test_load_is_idempotent_and_names_version_and_hash(folder: Path, shell: Shell) -> None:
    first = shell.json("load", str(folder))
    assert first.keys() == {"study", "version", "items", "sha256"}
    assert (first["study"], first["version"], first["items"]) == ("mechanisms", 1, 4)
    assert shell.json("load", str(folder)) == first
    text = (folder / "debrief.md").read_text()
    (folder / "debrief.md").write_text(text + "\nMore.")
    assert shell.json("load", str(folder))["version"] == 2
    (folder / "debrief.md").write_text(text)
    assert shell.json("load", str(folder)) == first


def test_a_bad_folder_is_refused_whole_and_check_names_everything(folder: Path, shell: Shell) -> None:
    with (folder / "items.jsonl").open("a") as file:
        file.write('{"id": "t-0", "request": "again"}\n{"id": "x"}\nnot json\n')
    problems = shell.json("check", str(folder), code=1)["problems"]
    assert {(one["file"], one["line"]) for one in problems} >= {("items.jsonl", n) for n in (5, 6, 7)}
    before = shell.json("status")
    shell("load", str(folder), code=2)
    assert "items.jsonl:6" in shell.err
    assert shell.json("status") == before


def test_status_lays_out_free_slots_and_counts_what_was_done(folder: Path, shell: Shell, db: Path) -> None:
    empty = shell.json("status", "mechanisms")
    assert empty["study"] == "mechanisms"
    assert [one["state"] for one in empty["participants"]] == ["free"] * 4
    assert all(one["code"] is None and len(one["assigned"]) == 2 for one in empty["participants"])
    assert [one["assigned"] for one in empty["items"]] == [2] * 4

    assert take_part(db, "mechanisms", "ada") == "completed"
    assert take_part(db, "mechanisms", "ben", until=at("main")) is None
    seats = {one["code"]: one for one in shell.json("status", "mechanisms")["participants"]}
    assert (seats["ada"]["state"], seats["ada"]["done"]) == ("completed", 2)
    assert (seats["ben"]["state"], seats["ben"]["done"]) == ("working", 0)
    assert seats["ada"].keys() == {"code", "slot", "state", "assigned", "done"}


def test_a_drop_outs_slot_goes_to_a_replacement_with_the_same_items(
    folder: Path, shell: Shell, db: Path
) -> None:
    assert take_part(db, "mechanisms", "leaver", until=at("main"), pause=True) == "paused"
    seat = next(one for one in shell.json("status", "mechanisms")["participants"] if one["code"])
    shell("release", "mechanisms", "--participant", "leaver")
    for code in ("b", "c", "d", "e"):
        assert take_part(db, "mechanisms", code) == "completed"
    seats = shell.json("status", "mechanisms")["participants"]
    heir = next(one for one in seats if one["slot"] == seat["slot"] and one["state"] == "completed")
    assert heir["assigned"] == seat["assigned"]
    assert next(one for one in seats if one["code"] == "leaver")["state"] == "dropped"
    assert [one["completed"] for one in shell.json("status", "mechanisms")["items"]] == [2] * 4
    full = Robot(db, "mechanisms", "late")
    assert full.play() is None
    assert full.close() == 2


def test_release_names_the_version_in_which_the_person_sat(folder: Path, shell: Shell, db: Path) -> None:
    assert take_part(db, "mechanisms", "leaver", until=at("main"), pause=True) == "paused"
    (folder / "debrief.md").write_text("Another.")
    shell("load", str(folder))
    shell("release", "mechanisms", "--participant", "leaver")
    assert shell.err.startswith("mechanisms@1: ")


def test_issued_codes_keep_strangers_out(folder: Path, shell: Shell, db: Path) -> None:
    codes = shell.json("codes", "mechanisms", "--n", "2")["codes"]
    assert len(set(codes)) == 2
    stranger = Robot(db, "mechanisms", "stranger")
    assert stranger.play() is None
    assert stranger.close() == 2
    assert "stranger" in stranger.stderr
    assert take_part(db, "mechanisms", codes[0].lower()) == "completed"


def test_pilots_shift_nothing(folder: Path, shell: Shell, db: Path) -> None:
    for n in range(4):
        assert take_part(db, "mechanisms", f"pilot{n}", pilot=True) == "completed"
    seats = shell.json("status", "mechanisms")["participants"]
    assert [one["state"] for one in seats] == ["free"] * 4
    assert [one["completed"] for one in shell.json("status", "mechanisms")["items"]] == [0] * 4
    assert shell.json("agreement", "mechanisms")["ratings"] == 0


def test_agreement_before_planned_n_is_flagged_and_recorded(folder: Path, shell: Shell, db: Path) -> None:
    take_part(db, "mechanisms", "ada")
    shell("agreement", "mechanisms", "--reason", "a meeting")
    assert "early look" in shell.err
    figures = shell.json("agreement", "mechanisms")
    # The look that shows them counts itself.
    assert [one["reason"] for one in figures["looks"]] == ["a meeting", ""]
    assert figures["planned_n_reached"] is False
    for code in ("b", "c", "d"):
        take_part(db, "mechanisms", code)
    before = len(shell.json("agreement", "mechanisms")["looks"])
    assert len(shell.json("agreement", "mechanisms")["looks"]) == before
    assert shell.json("agreement", "mechanisms")["planned_n_reached"] is True
    assert re.search(r"^Looks before planned N +2$", shell("agreement", "mechanisms"), re.MULTILINE)


def test_agreement_prints_who_does_not_count_and_the_sensitivity_run(
    folder: Path, shell: Shell, db: Path
) -> None:
    for code in ("a", "b", "c"):
        assert take_part(db, "mechanisms", code) == "completed"
    assert take_part(db, "mechanisms", "d", until=at("questions"), pause=True) == "paused"
    printed = shell("agreement", "mechanisms")
    assert re.search(r"^Completed participations +3  of 4 planned$", printed, re.MULTILINE)
    assert re.search(r"^  not counted +p-[0-9a-f]{10}  unfinished \(paused\)$", printed, re.MULTILINE)
    assert re.search(r"^Kappa with finished blocks .* 8 ratings; sensitivity", printed, re.MULTILINE)


AGREEMENT_KEYS = {
    *("study", "items", "raters", "ratings", "unit", "categories", "fleiss_kappa", "fleiss_levin_paik"),
    *("bootstrap", "shared_rater_interval", "per_category", "percent_agreement", "krippendorff_alpha"),
    *("gwet_ac1", "masi_alpha", "cohen_pairs", "confusion", "escape_codes", "intra_rater", "against_gold"),
    *("items_with_unequal_raters", "over_collected", "excluded"),
}


def test_agreement_has_the_contracts_keys_and_the_right_figures(folder: Path, shell: Shell, db: Path) -> None:
    for code in ("a", "b", "c", "d"):
        label = {"t-0": "DCP", "t-1": "SLM", "t-2": "HCO", "t-3": "ICU"}

        def answer(step: Step, field: Field, label: dict[str, str] = label) -> Any:
            return label[str(step.about)] if field.name == "dominant" else usual(step, field)

        assert take_part(db, "mechanisms", code, answer) == "completed"
    figures = shell.json("agreement", "mechanisms")
    assert figures.keys() >= AGREEMENT_KEYS
    assert (figures["items"], figures["raters"], figures["ratings"]) == (4, 4, 8)
    assert (figures["study"], figures["version"]) == ("mechanisms", 1)
    assert figures["unit"] == "dominant"
    assert figures["fleiss_kappa"]["value"] == 1.0
    assert figures["percent_agreement"] == 1.0


def test_agreement_of_a_table(tmp_path: Path, shell: Shell) -> None:
    table = tmp_path / "table.csv"
    table.write_text("item,rater,label\n1,a,x\n1,b,x\n2,a,y\n2,b,y\n")
    assert shell.json("agreement", "--csv", str(table))["fleiss_kappa"]["value"] == 1.0
    table.write_text("item,rater,label\n1,a,x\n1,a,y\n")
    shell("agreement", "--csv", str(table), code=2)
    assert "table.csv:3" in shell.err
    shell("agreement", "--csv", str(tmp_path / "absent.csv"), code=2)
    shell("agreement", code=2)


def test_export_import_export_gives_the_same_bytes(
    folder: Path, shell: Shell, db: Path, tmp_path: Path
) -> None:
    note = 'a, "b"\nc \u202e \U0001f600 \x00 \ud83d =HYPERLINK(1)'

    take_part(db, "mechanisms", "ada", {"note": note})
    shell("export", "mechanisms", "--format", "jsonl", "--out", str(tmp_path / "one"))
    assert {one["note"] for one in rows(tmp_path / "one" / "annotations.jsonl")} == {note}
    other = Shell(tmp_path / "other.db", shell._capsys)
    other("import", str(tmp_path / "one"))
    other("import", str(tmp_path / "one"))
    other("export", "mechanisms", "--format", "jsonl", "--out", str(tmp_path / "two"))
    names = sorted(path.relative_to(tmp_path / "one") for path in (tmp_path / "one").rglob("*.*"))
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes(), name


def test_merging_stations_and_erasing_a_person(folder: Path, shell: Shell, db: Path, tmp_path: Path) -> None:
    codes = shell.json("codes", "mechanisms", "--n", "4")["codes"]
    shell("backup", str(tmp_path / "station.db"))
    take_part(db, "mechanisms", codes[0])
    take_part(tmp_path / "station.db", "mechanisms", codes[1])
    lab = Shell(tmp_path / "lab-all.db", shell._capsys)
    for sources in ((str(db), str(tmp_path / "station.db")), (str(tmp_path / "station.db"), str(db))):
        assert main(["merge", *sources, "--into", str(lab.db)]) == 0
    shell._capsys.readouterr()
    done = [
        one["code"] for one in lab.json("status", "mechanisms")["participants"] if one["state"] == "completed"
    ]
    assert sorted(done) == sorted(codes[:2])
    lab("erase", "mechanisms", "--participant", codes[0], "--reason", "asked for it")
    assert codes[0] not in [one["code"] for one in lab.json("status", "mechanisms")["participants"]]
    main(["merge", str(db), "--into", str(lab.db)])
    shell._capsys.readouterr()
    assert codes[0] not in [one["code"] for one in lab.json("status", "mechanisms")["participants"]]
    assert lab.json("verify") == {"database": str(lab.db), "findings": []}


def test_the_database_is_chosen_before_or_after_the_command_or_by_the_environment(
    folder: Path, db: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = []
    for words in (["--db", str(db), "status", "--json"], ["status", "--json", "--db", str(db)]):
        assert main(words) == 0
        answers.append(capsys.readouterr().out)
    monkeypatch.setenv("CAPA_TUI_DB", str(db))
    assert main(["status", "--json"]) == 0
    answers.append(capsys.readouterr().out)
    assert len(set(answers)) == 1
    assert json.loads(answers[0])["studies"][0]["study"] == "mechanisms"


@pytest.mark.parametrize(
    "words",
    [
        ("status", "no-such-study"),
        ("agreement", "mechanisms@9"),
        ("codes", "mechanisms", "--n", "0"),
        ("release", "mechanisms", "--participant", "nobody"),
        ("erase", "mechanisms", "--participant", "nobody", "--reason", "x"),
        ("export", "mechanisms", "--format", "xml", "--out", "x"),
        ("export", "mechanisms", "--format", "jsonl"),
        ("new", "x", "--kind", "sonnets"),
        ("demo", "sonnets"),
        ("check", "no-such-folder"),
        ("backup", "."),
    ],
)
def test_bad_input_is_one_clear_sentence_and_exit_2(
    folder: Path, shell: Shell, words: tuple[str, ...]
) -> None:
    assert shell(*words, code=2) == ""
    assert shell.err.startswith("capa-tui: ")
    assert "Traceback" not in shell.err


def test_unknown_options_are_usage_errors(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["status", "--colour"])
    assert ended.value.code == 2


def test_screens_refuse_where_there_is_no_terminal(folder: Path, shell: Shell) -> None:
    shell("run", "mechanisms", "--participant", "ada", code=3)
    assert "--plain" in shell.err


def test_listing_formats_needs_no_database(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", "--list-formats"]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert listed == [
        "jsonl",
        "csv",
        "parquet",
        "hf",
        "label-studio",
        "capa",
        "human-eval",
        "clarifycodebench",
    ]


def test_the_demo_runs_in_a_throwaway_database(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import subprocess

    from support.robot import COMMAND

    monkeypatch.setenv("CAPA_TUI_DB", str(tmp_path / "lab.db"))
    done = subprocess.run(
        [*COMMAND, "demo", "--jsonl"], input="", capture_output=True, text=True, timeout=60, cwd=tmp_path
    )
    first, *_, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert first["kind"] == "consent"
    assert last == {"done": "paused"}
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_codes_without_a_slot_are_said(folder: Path, shell: Shell) -> None:
    shell("codes", "mechanisms", "--n", "4")
    assert "attention" not in shell.err
    shell("codes", "mechanisms", "--n", "2")
    assert "no slot for 2 of these codes" in shell.err


def test_a_slip_in_the_path_makes_no_database(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    absent = tmp_path / "lba.db"
    for words in (
        ["status", "x"],
        ["agreement", "x"],
        ["codes", "x", "--n", "1"],
        ["run", "x", "--participant", "a"],
    ):
        assert main([*words, "--db", str(absent)]) == 2
        assert "no such database" in capsys.readouterr().err
    assert main(["status", "--json", "--db", str(absent)]) == 0
    assert json.loads(capsys.readouterr().out) == {"studies": []}
    assert not absent.exists()
