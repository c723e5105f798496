"""Exports from the screen: every format there is, and what was written."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from support.researcher import app_on, asked, desk_file, latest, newest, on, opened, seen, until, words_on
from textual.pilot import Pilot
from textual.widgets import Input

from screens.export import ExportScreen
from screens.lab import ExportFormat
from screens.widgets.marks import Choices

__all__ = ["desk_file"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder one starts in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


async def test_the_result_says_files_and_rows(desk_file: Path, here: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: ExportScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await on(pilot, ExportScreen)
            await pilot.press("f2")
            await until(pilot, lambda: screen.has_class("-written"))
            await until(pilot, lambda: "annotations.jsonl" in words_on(app))
            manifest = json.loads((here / "gaps-1-jsonl" / "manifest.json").read_text())
            assert manifest
            rows = len((here / "gaps-1-jsonl" / "annotations.jsonl").read_text().splitlines())
            assert f"annotations.jsonl {rows}" in words_on(app)
            assert f"written to {here / 'gaps-1-jsonl'}"[:40] in words_on(app)
            await pilot.press("escape")
            assert not screen.has_class("-written")
            await pilot.press("escape")
            await until(pilot, lambda: screen not in app.screen_stack)
        desk = [one.kind for one in await lab.archive.desk(record.sha256)]
        assert "exported" in desk


async def test_every_format_that_can_hold_the_study_is_offered(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: ExportScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await on(pilot, ExportScreen)
            offered = [one.value for one in screen.query_one("#format", Choices).options]
            fitting = [one.name for one in lab.formats if not one.kinds or "annotation" in one.kinds]
            assert offered == fitting
            assert offered == ["jsonl", "csv", "parquet", "hf", "label-studio"]


async def test_the_suggested_folder_follows_the_format(desk_file: Path, here: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: ExportScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await on(pilot, ExportScreen)
            folder = screen.query_one("#folder", Input)
            assert folder.value == str(here / "gaps-1-jsonl")
            await pilot.press("2")
            assert folder.value == str(here / "gaps-1-csv")
            folder.value = str(here / "mine")
            await pilot.press("1")
            assert folder.value == str(here / "mine")


async def test_options_reach_the_export(desk_file: Path, here: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: ExportScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await on(pilot, ExportScreen)
            await pilot.press("2")
            screen.query_one("#options").focus()
            await pilot.press("1", "3")
            await pilot.press("f2")
            await until(pilot, lambda: screen.has_class("-written"))
        written = (here / "gaps-1-csv" / "participants.csv").read_bytes()
        assert written.startswith(b"\xef\xbb\xbf")
        assert b"P0" in written


async def test_what_cannot_be_written_is_said_and_the_form_stays(desk_file: Path, here: Path) -> None:
    (here / "full").mkdir()
    (here / "full" / "file").write_text("")
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: ExportScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await on(pilot, ExportScreen)
            screen.query_one("#folder", Input).value = str(here / "full")
            await pilot.press("f2")
            await asked(pilot, "Nothing was exported")
            await pilot.press("enter")
            await on(pilot, ExportScreen)
            assert not screen.has_class("-written")
            screen.query_one("#folder", Input).value = ""
            await pilot.press("f2")
            await until(pilot, lambda: "Which folder" in seen(app))


def test_what_it_looks_like(desk_file: Path, snap_compare: Any) -> None:
    with opened(desk_file) as lab:
        record = newest(lab)

        async def before(pilot: Pilot[Any]) -> None:
            screen = await on(pilot, ExportScreen)
            screen.query_one("#folder", Input).value = "an-export"
            await pilot.pause()

        formats = [ExportFormat("one", "the first " + "and longest " * 6), ExportFormat("two", "the second")]
        fixed = dataclasses.replace(lab, formats=formats)
        assert snap_compare(app_on(lambda: ExportScreen(fixed, record)), run_before=before)
