"""The pages tell the truth: generated parts are current, commands parse, links resolve, examples run."""

from __future__ import annotations

import asyncio
import csv
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from support.labs import study_folder, take_part
from support.robot import Robot, usual
from support.roleplay_lab import RoleplayLab
from support.visits import at, walk

from capa_tui import cli
from capa_tui.sandbox.judge import SandboxJudge
from capa_tui.services import Services
from storage.database import sqlite3
from studies.steps import Step

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")
LAB_DAY = (ROOT / "docs" / "lab-day.md").read_text("utf-8")
DATA_MODEL = (ROOT / "docs" / "data-model.md").read_text("utf-8")
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RENEW = "`make docs` writes it anew"

# One process runs the walk-through for all tests of it.
WALK = pytest.mark.xdist_group("walk-through")


def loaded(path: Path) -> Any:
    """A script of the documentation, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate = loaded(ROOT / "docs" / "generate.py")


def shell_lines(page: str) -> Iterator[str]:
    """Every command line in the page's blocks."""
    for one in generate.blocks(page):
        if one.language == "console":
            yield from generate.commands(one.body)
        elif one.language == "sh":
            yield from one.body.splitlines()


def test_the_generated_parts_of_the_data_model_are_current() -> None:
    assert generate.with_parts(DATA_MODEL, generate.parts()) == DATA_MODEL, RENEW


def test_every_event_kind_and_every_view_is_in_the_data_model() -> None:
    from storage.migrations import SCRIPTS
    from studies.events import _KINDS, PAYLOAD_MODULES

    for module in PAYLOAD_MODULES:
        importlib.import_module(module)
    for kind in _KINDS:
        assert f"**`{kind}`**" in DATA_MODEL
    for script in SCRIPTS:
        for view in re.findall(r"CREATE VIEW (\w+)", (ROOT / "storage" / script).read_text("utf-8")):
            assert f"| `{view}` |" in DATA_MODEL


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    prose = generate.FENCE.sub("", page.read_text("utf-8"))
    targets = [
        target
        for target in re.findall(r"\]\(([^)\s]+)\)", prose)
        if not target.startswith(("http://", "https://", "#"))
    ]
    assert [one for one in targets if not (page.parent / one.partition("#")[0]).exists()] == []


# -- command lines -----------------------------------------------------------------------------


def sub_parsers() -> dict[str, ArgumentParser]:
    """The parser of each command."""
    group = cli.parser()._subparsers
    assert group is not None
    return dict(group._group_actions[0].choices)  # type: ignore[arg-type]


def command_lines() -> list[tuple[str, str]]:
    """Every `capa-tui ...` in a block of a page."""
    return [
        (page.name, call.strip())
        for page in PAGES
        for line in shell_lines(page.read_text("utf-8"))
        for call in re.findall(r"\bcapa-tui(?= |$)[^|;]*", line.replace("\\\n", " "))
    ]


@pytest.mark.parametrize(("page", "line"), command_lines())
def test_the_program_understands_every_command_line(page: str, line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    read = cli.parser().parse_args(words)
    named = [one for one in words if not one.startswith("-")]
    assert read.command is None or read.command in named


def mentions() -> set[tuple[str, str]]:
    """Every `capa-tui ...` in the prose of a page."""
    return {
        (page.name, " ".join(call.split()))
        for page in PAGES
        for call in re.findall(r"`(capa-tui [^`]+)`", generate.FENCE.sub("", page.read_text("utf-8")))
    }


@pytest.mark.parametrize(("page", "call"), sorted(mentions()))
def test_prose_mentions_only_commands_and_options_there_are(page: str, call: str) -> None:
    command, *words = shlex.split(call)[1:]
    if command.startswith("-"):
        cli.parser().parse_args([command, *words])
        return
    known = sub_parsers()[command]._option_string_actions
    assert [one for one in words if one.startswith("-") and one not in known] == []


# -- the walk-through --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which the README's walk-through was run as it stands."""
    folder: Path = tmp_path_factory.mktemp("walk")
    (folder / "README.md").write_text(generate.with_outputs(README, folder), encoding="utf-8")
    return folder


@WALK
def test_the_walk_through_gives_the_outputs_it_shows(walked: Path) -> None:
    assert (walked / "README.md").read_text("utf-8") == README, RENEW


@WALK
def test_the_kappa_of_the_walk_through_is_that_of_its_exported_labels(walked: Path) -> None:
    from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

    with (walked / "work" / "mechanisms-csv" / "annotations.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    labels: dict[str, list[str]] = {}
    for row in rows:
        labels.setdefault(row["item"], []).append(row["dominant"])
    table, _ = aggregate_raters([labels[item] for item in sorted(labels)])
    shown = re.search(r"^Fleiss' kappa +(\d\S+)", README, re.MULTILINE)
    assert shown is not None
    assert float(shown[1]) == pytest.approx(fleiss_kappa(table), abs=0.0005)


@WALK
def test_the_json_lines_are_as_the_readme_shows_them(walked: Path, tmp_path: Path) -> None:
    (block,) = [one.body for one in generate.blocks(README) if one.language == "json"]
    ask, answer, ok = map(json.loads, block.splitlines())
    db = tmp_path / "json.db"
    assert cli.main(["load", str(walked / "work" / "mechanisms"), "--db", str(db)]) == 0
    heard = []

    def listen(said: Any) -> Any:
        heard.append(said)
        return answer["value"] if said["ask"] == answer["answer"] else usual(said)

    robot = Robot(db, "mechanisms", "ada")
    assert robot.play(listen, lambda said, n: ok["ok"] in robot.acknowledged) is None
    robot.kill()
    assert robot.acknowledged[ok["ok"]] == answer["value"]
    (real,) = [one for one in heard if one["ask"] == ask["ask"]]
    shortened = real["text"][: len(ask["text"]) - len(" ...")] + " ..."
    assert real | {"text": shortened, "options": real["options"][: len(ask["options"])]} == ask


def test_the_readme_names_every_kind_of_ask_and_every_exit_code() -> None:
    for word in ("info", "consent", "choice", "multi", "scale", "text"):
        assert f"`{word}`" in README
    codes = " ".join(cli.EPILOG.split()).removeprefix("Exit codes: ").rstrip(".")
    assert codes in " ".join(re.sub(r" \([^)]*\)", "", README).split())


# -- the lab day -------------------------------------------------------------------------------


def test_the_lab_day_runs_from_beginning_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (requests,) = [one.body for one in generate.blocks(README) if one.name == "requests.csv"]
    Path("requests.csv").write_text(requests, encoding="utf-8")
    making = next(one for one in shell_lines(README) if one.startswith("capa-tui new"))
    assert cli.main(shlex.split(making.replace("\\\n", " "))[1:]) == 0
    gives_up = re.findall(r"^capa-tui release \S+ --participant (\S+)", LAB_DAY, re.MULTILINE)
    real: dict[str, str] = {}
    issued: list[str] = []
    for one in generate.blocks(LAB_DAY):
        if one.language == "text":
            # Codes are random: those of the page stand for those that were issued just before.
            real |= dict(zip(one.body.split(), issued, strict=True))
            continue
        for line in one.body.splitlines():
            command, *words = [real.get(word, word) for word in shlex.split(line, comments=True)]
            if command == "export":
                name, value = words[0].split("=", 1)
                monkeypatch.setenv(name, value)
                monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / f"home of {value}"))
            elif words[0] == "run":
                asked = cli.parser().parse_args(words)
                until = at("main") if asked.participant in [real.get(one) for one in gives_up] else None
                db = Path(os.environ["CAPA_TUI_DB"])
                end = take_part(db, asked.study, asked.participant, until=until, pilot=asked.pilot)
                assert end == (None if until else "completed"), line
            else:
                capsys.readouterr()
                assert cli.main(words) == 0, (line, capsys.readouterr().err)
            if words[0] == "codes":
                issued = capsys.readouterr().out.split()
    capsys.readouterr()
    assert cli.main(["status", "mechanisms", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["participants"]
    states = {one["code"]: one["state"] for one in told}
    expected = {"K7QF-S": "completed", "M2RX-7": "dropped", "T9CA-S": "completed", "W3NB-5": "completed"}
    assert states == {real[code]: state for code, state in expected.items()} | {None: "free"}


def quoted_messages() -> list[str]:
    """What the lab day's table quotes from the program, in pieces where it leaves something out."""
    (table,) = re.findall(r"^\| what you see \|.*?\n\n", LAB_DAY, re.MULTILINE | re.DOTALL)
    quoted = re.findall(r'"([^"]+)"', table) + re.findall(r"\*([^*]+)\*", table)
    return [piece.strip() for one in quoted for piece in one.split("...") if piece.strip()]


@pytest.mark.parametrize("message", quoted_messages())
def test_the_program_says_what_the_lab_day_quotes(message: str) -> None:
    sources = [path for package in ("capa_tui", "screens", "storage", "studies")
               for path in (ROOT / package).rglob("*.py")]  # fmt: skip
    assert any(message in path.read_text("utf-8") for path in sources)


# -- the data model ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with something in it for every example."""
    folder = tmp_path_factory.mktemp("lab")
    made = study_folder(folder / "mechanisms", 4, "--participants", "4", "--items-each", "2", "--raters", "2")
    db = folder / "lab.db"
    assert cli.main(["load", str(made), "--db", str(db)]) == 0
    answers = {"dominant": "SLM", "additional": ["HCO"], "note": "a NUL: \x00"}
    assert take_part(db, "mechanisms", "ada", answers) == "completed"
    assert take_part(db, "mechanisms", "ben", until=at("main")) is None
    asyncio.run(change_an_answer(db))
    asyncio.run(play_tasks(db))
    return db


async def play_tasks(db: Path) -> None:
    """A whole participation in a role-play study."""
    judge = SandboxJudge(unsafe=True)
    try:
        async with RoleplayLab(db, judge) as lab:
            await lab.play("dora", "Which one?")
    finally:
        await judge.close()


async def change_an_answer(db: Path) -> None:
    """A whole participation in which the first answer is changed after the second request came up."""
    async with Services.open(db) as services:
        visit = await services.seat("mechanisms", "cleo")
        await visit.begin("plain")
        first = await walk(visit, at("main"))
        assert isinstance(first, Step)
        second = await walk(visit, lambda step: step.id.startswith("main") and step.id != first.id)
        assert isinstance(second, Step)
        await visit.back(second)
        await walk(visit, answers={"dominant": "ICU"})


def sql_examples() -> list[str]:
    """The SQL blocks of the data model."""
    return [one.body for one in generate.blocks(DATA_MODEL) if one.language == "sql"]


@pytest.mark.parametrize("sql", sql_examples())
def test_sql_examples_find_something(lab: Path, sql: str) -> None:
    with closing(sqlite3.connect(f"{lab.as_uri()}?mode=ro", uri=True)) as conn:
        assert conn.execute(sql).fetchall() != []


def test_the_labels_that_the_first_example_finds_are_those_the_program_counts(
    lab: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with closing(sqlite3.connect(lab)) as conn:
        found = conn.execute(sql_examples()[1]).fetchall()
    assert cli.main(["agreement", "mechanisms", "--db", str(lab), "--json"]) == 0
    assert len(found) == json.loads(capsys.readouterr().out)["ratings"]


def test_the_program_that_verifies_chains_by_hand_finds_what_was_altered(lab: Path, tmp_path: Path) -> None:
    (program,) = [one.body for one in generate.blocks(DATA_MODEL) if one.name == "verify.py"]
    (tmp_path / "verify.py").write_text(program, encoding="utf-8")
    copy = tmp_path / "copy.db"
    assert cli.main(["backup", str(copy), "--db", str(lab)]) == 0
    verify = [sys.executable, "verify.py", "copy.db"]
    sound = subprocess.run(verify, cwd=tmp_path, capture_output=True, text=True)
    assert sound.returncode == 0, sound.stderr
    # Three participations, and the desk of every station that looked at them.
    assert re.fullmatch(r"[4-9] sound chains\n", sound.stdout)
    for change in (
        "UPDATE events SET body = replace(body, 'SLM', 'ICU') WHERE kind = 'annotation_submitted'",
        "UPDATE events SET at = '2020-01-01T00:00:00.000Z' WHERE seq = 5",
        "DELETE FROM events WHERE seq = 3",
    ):
        original = copy.read_bytes()
        with closing(sqlite3.connect(copy)) as conn:
            conn.execute("DROP TRIGGER events_are_never_altered")
            conn.execute("DROP TRIGGER events_are_never_deleted")
            conn.execute(change)
            conn.commit()
        altered = subprocess.run(verify, cwd=tmp_path, capture_output=True, text=True)
        assert altered.returncode == 1, change
        assert altered.stderr.startswith("event "), change
        copy.write_bytes(original)
