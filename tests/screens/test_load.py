"""Loading a folder and writing a new one, from the home screen."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.researcher import app_on, asked, desk_files, on, opened, seen, until, words_on
from textual.pilot import Pilot
from textual.widgets import Input

from screens.form_dialog import FormDialog, complete
from screens.home import HomeScreen
from screens.load import FolderTree, LoadScreen


def write(folder: Path, **changes: bytes) -> Path:
    """A sound study folder, but for the changes."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (
        desk_files() | {key.replace("__", "."): value for key, value in changes.items()}
    ).items():
        (folder / name).write_bytes(content)
    return folder


async def load(pilot: Pilot[Any], folder: Path | str) -> LoadScreen:
    """From home, type a path and press Enter."""
    await on(pilot, HomeScreen)
    await pilot.press("l")
    screen = await on(pilot, LoadScreen)
    screen.query_one(Input).value = str(folder)
    await pilot.press("enter")
    return screen


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder one starts in."""
    start = tmp_path / "studies"
    start.mkdir()
    monkeypatch.chdir(start)
    return start


async def test_a_sound_folder_is_loaded_and_marked(tmp_path: Path, here: Path) -> None:
    folder = write(here / "one")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await load(pilot, folder)
            await asked(pilot, "is gaps@1, with 12 items.")
            await pilot.press("enter")
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.chosen is not None)
            await load(pilot, folder)
            await asked(pilot, "It was there already; nothing changed.")
            await pilot.press("enter")
            await on(pilot, HomeScreen)
            write(folder, debrief__md=b"Another text.")
            await load(pilot, folder)
            await asked(pilot, "is gaps@2")
            await pilot.press("enter")
            await until(pilot, lambda: home.chosen is not None and home.chosen.reference == "gaps@2")


async def test_every_problem_is_shown_at_once_with_its_place(tmp_path: Path, here: Path) -> None:
    lines = [json.dumps({"id": "i1", "request": "Fine."}), "{", json.dumps({"id": "i1", "request": 3})]
    folder = write(here / "bad", items__jsonl="\n".join(lines).encode(), analysis__toml=b"planed_n = 3")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            screen = await load(pilot, folder)
            await until(pilot, lambda: "Nothing was loaded." in words_on(app))
            await until(pilot, lambda: "items.jsonl:2: not JSON" in words_on(app))
            shown = words_on(app)
            assert "items.jsonl:3 request: 3; expected text" in shown
            assert "analysis.toml planed_n: unknown key; expected did you mean planned_n?" in shown
            assert "Nothing was loaded." in shown
            assert await lab.archive.studies() == []
            await pilot.press("escape")
            assert not screen.has_class("-problems")
            write(folder)
            await pilot.press("enter")
            await asked(pilot, "is gaps@1")


async def test_warnings_are_asked_about_before_the_version_is_frozen(tmp_path: Path, here: Path) -> None:
    folder = write(here / "open", consent__md=b"Ask [[name of the researcher]].")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            screen = await load(pilot, folder)
            await asked(pilot, "Load it with 1 warning?")
            assert "consent.md:1" in words_on(app)
            await pilot.press("enter")
            await until(pilot, lambda: app.screen is screen and screen.has_class("-problems"))
            assert await lab.archive.studies() == [], "the harmless choice loads nothing"
            await pilot.press("enter")
            await asked(pilot, "Load it with")
            await pilot.press("up", "enter")
            await asked(pilot, "is gaps@1")


@pytest.mark.parametrize(
    ("typed", "said"),
    [("nowhere", "there is no such folder"), ("a-file", "is a file"), ("~nobody-at-all/x", "no such folder")],
)
async def test_a_path_that_is_no_folder_is_said(tmp_path: Path, here: Path, typed: str, said: str) -> None:
    (here / "a-file").write_text("")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            screen = await load(pilot, typed)
            await until(pilot, lambda: screen.has_class("-problems"))
            await until(pilot, lambda: said in words_on(app))


async def test_folders_can_be_chosen_and_those_with_a_study_are_marked(tmp_path: Path, here: Path) -> None:
    write(here / "mine")
    (here / "[b] odd\x1b[2J").mkdir()
    (here / ".hidden").mkdir()
    (here / "file.txt").write_text("")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await on(pilot, HomeScreen)
            await pilot.press("l")
            screen = await on(pilot, LoadScreen)
            await until(pilot, lambda: "mine  (study)" in seen(app))
            assert "[b] odd\\x1b[2J" in seen(app)
            assert "hidden" not in seen(app)
            assert "file.txt" not in seen(app)
            await pilot.press("tab")
            assert isinstance(app.focused, FolderTree)
            await pilot.press("down", "down", "enter")
            await until(pilot, lambda: screen.query_one(Input).value == f"{here / 'mine'}/")
            await until(pilot, lambda: app.focused is screen.query_one(Input))
            await pilot.press("enter")
            await asked(pilot, "is gaps@1")


async def test_right_completes_a_path(tmp_path: Path, here: Path) -> None:
    (here / "long-name").mkdir()
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await on(pilot, HomeScreen)
            await pilot.press("l")
            screen = await on(pilot, LoadScreen)
            path = screen.query_one(Input)
            await pilot.press("l")
            await until(pilot, lambda: path._suggestion)
            await pilot.press("right")
            assert path.value == f"{here}/long-name/"


def test_completion_takes_folders_first_and_no_hidden_ones(here: Path) -> None:
    for name in ("ab", "abc", ".dot", "Zed"):
        (here / name).mkdir()
    (here / "aa").write_text("")
    assert complete("") is None
    assert complete("a") == "ab/"
    assert complete("aa") == "aa"
    assert complete(f"{here}/Z") == f"{here}/Zed/"
    assert complete(f"{here}/") == f"{here}/Zed/"
    assert complete(".d") == ".dot/"
    assert complete("q") is None
    assert complete("no/such/fol") is None
    assert complete("nul\x00/a") is None


async def test_a_new_study_is_written_checked_and_loaded(tmp_path: Path, here: Path) -> None:
    rows = [{"task": f"t{n}", "words": f"Make number {n} better."} for n in range(12)]
    (here / "tasks.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.has_class("-empty"))
            await pilot.press("n")
            form = await on(pilot, FormDialog)
            await pilot.press(*"fresh", "enter", *"tasks.jsonl", "enter", *"words", "enter", "enter")
            await pilot.click("#do")
            await until(pilot, lambda: "name its field" in words_on(app))
            assert not (here / "fresh").exists()
            form.query_one("#ask-id", Input).value = "task"
            # A button takes no second press while it still shows the first.
            await until(pilot, lambda: not form.query_one("#do").has_class("-active"))
            await pilot.click("#do")
            await asked(pilot, "12 items in fresh")
            await pilot.press("up", "enter")
            await asked(pilot, "warning")
            await pilot.press("up", "enter")
            await asked(pilot, "is fresh@1")
            await pilot.press("enter")
            await until(pilot, lambda: home.chosen is not None)
        assert [one.reference for one in await lab.archive.studies()] == ["fresh@1"]


async def test_a_new_study_that_cannot_be_gives_the_form_back(tmp_path: Path, here: Path) -> None:
    (here / "full").mkdir()
    (here / "full" / "file").write_text("")
    with opened(tmp_path / "lab.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.has_class("-empty"))
            await pilot.press("n")
            await on(pilot, FormDialog)
            await pilot.press(*"full")
            await pilot.click("#do")
            await asked(pilot, "is not empty")
            await pilot.press("enter")
            form = await on(pilot, FormDialog)
            assert form.values["directory"] == "full"
            await pilot.press("escape")
            await on(pilot, HomeScreen)


def test_what_it_looks_like(tmp_path: Path, here: Path, snap_compare: Any) -> None:
    write(Path("bad"), items__jsonl=b"{\n3\n", debrief__md=b"\xff", study__toml=b'title = "T"\nkindd = "x"\n')
    with opened(tmp_path / "lab.db") as lab:

        async def before(pilot: Pilot[Any]) -> None:
            screen = await load(pilot, "bad")
            await until(pilot, lambda: "Nothing was loaded" in seen(pilot.app))  # type: ignore[arg-type]
            screen.query_one(Input).blur()
            await pilot.pause()

        assert snap_compare(app_on(lambda: HomeScreen(lab)), run_before=before)
