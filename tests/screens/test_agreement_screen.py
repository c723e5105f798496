"""Agreement: hidden until planned N, and then with everything it must be read with."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest
from support import stations
from support.researcher import (
    DESIGN,
    annotate,
    app_on,
    asked,
    desk_file,
    desk_files,
    fill_in,
    giving,
    latest,
    newest,
    on,
    opened,
    seen,
    until,
    words_on,
)
from textual.pilot import Pilot

from screens.agreement import AgreementScreen, Figures
from screens.form_dialog import FormDialog
from screens.home import HomeScreen
from screens.lab import Lab
from screens.widgets.heatmap import Heatmap
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText
from studies.annotation.metrics import study_agreement
from studies.annotation.summary import study_lines
from studies.desk import Look
from studies.errors import JournalError
from studies.ports import StudyRecord

__all__ = ["desk_file"]


async def looks(lab: Lab, record: StudyRecord) -> list[Look]:
    """The looks recorded so far."""
    return [one.payload for one in await lab.archive.desk(record.sha256) if isinstance(one.payload, Look)]


async def figures_of(pilot: Pilot[Any]) -> AgreementScreen:
    """The screen with its figures."""
    screen = await on(pilot, AgreementScreen)
    await until(pilot, lambda: screen.has_class("-found"))
    await pilot.pause()
    return screen


def told(screen: AgreementScreen) -> str:
    """Every word of the figures, in sight or not."""
    figures = " ".join(str(one.render()) for one in screen.query(Figures))
    return " ".join(figures.split())


async def test_before_planned_n_nothing_is_shown_without_a_reason(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.chosen)
            await pilot.press("a")
            await on(pilot, FormDialog)
            assert "4 of 6 participations are completed" in words_on(app)
            assert "kappa" not in " ".join(str(one.render()) for one in app.screen_stack[-2].query(PlainText))
            await pilot.press("enter")
            await until(pilot, lambda: "A reason is needed." in words_on(app))
            await pilot.press("escape")
            await on(pilot, HomeScreen)
            assert await looks(lab, record) == []


async def test_a_look_is_recorded_with_its_reason_before_it_is_granted(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: AgreementScreen(lab, record))
        async with app.run_test() as pilot:
            await fill_in(pilot, "training ran", "enter")
            screen = await figures_of(pilot)
            (look,) = await looks(lab, record)
            assert (look.figure, look.reason, look.completed, look.planned) == (
                "agreement",
                "training ran",
                4,
                6,
            )
            assert "1 look before planned N" in seen(app)
            assert "4 of 6 training ran" in told(screen)
            assert "before planned N: 4 of 6 participations completed" in told(screen)


async def test_a_look_that_cannot_be_recorded_shows_nothing(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)

        async def look(*_: object) -> None:
            raise JournalError("the disk is full")

        desk = type("Full", (), {"look": staticmethod(look)})()
        app = app_on(lambda: AgreementScreen(dataclasses.replace(lab, desk=desk), record))
        async with app.run_test() as pilot:
            await fill_in(pilot, "why not", "enter")
            await asked(pilot, "so nothing is shown")
            await pilot.press("enter")
            await until(pilot, lambda: not app.is_running)
            assert not app.screen_stack or not app.screen.query(Figures)


async def complete_study(path: Path) -> None:
    """All six complete it, so planned N is reached."""
    labels = ("DCP", "DCP", "SLM", "SLM", "HCO", "DCP")
    async with stations.Lab(path, files=desk_files()) as station:
        for number, label in enumerate(labels):
            await annotate(station, f"P{number}", giving(label))


async def test_at_planned_n_the_figures_are_shown_at_once(tmp_path: Path) -> None:
    await complete_study(tmp_path / "lab.db")
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: AgreementScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await figures_of(pilot)
            assert "6 of 6 completed" in seen(app)
            assert await looks(lab, record) == []
            study = await lab.archive.study(record.sha256)
            found = study_agreement(study, await lab.archive.streams(record.sha256), [])
            kappa = found.report.fleiss_kappa
            assert kappa.value is not None
            shown = told(screen)
            assert f"Fleiss' kappa {kappa.value:.3f} Fleiss 1971" in shown
            for what in (
                "Ratings 24 12 items, 6 raters", "95%, other items", "95%, bootstrap of items",
                "95%, bootstrap of sets", "95%, other annotators too", "Gwet's AC1", "Krippendorff's alpha",
                "Raw agreement", "Alpha, MASI distance", "By category", "short DCP", "Same rater twice",
                "Right by gold", "deviation: two sets, not one", "a tie-break rule was in force", "counted 6",
            ):  # fmt: skip
                assert what in shown, what


async def test_the_heat_map_says_every_number(tmp_path: Path) -> None:
    await complete_study(tmp_path / "lab.db")
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: AgreementScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await figures_of(pilot)
            pairs, gold = screen.query(Heatmap)
            assert sum(map(sum, pairs.matrix)) == 24, "twelve pairs, both ways"
            assert sum(gold.matrix[1]) == 24, "all items were meant as SLM"
            await pilot.press("m")
            await until(pilot, lambda: "rows: one rater" in seen(app))
            assert screen.query_one("#maps", Pane).has_focus
            shown = seen(app)
            assert "rows: one rater · columns: the other" in shown
            for number in {one for row in pairs.matrix for one in row if one}:
                assert str(number) in shown
            await pilot.press("m")
            assert screen.query_one("#figures", Pane).has_focus


async def test_an_undefined_figure_says_why(tmp_path: Path) -> None:
    plan = "planned_n = 1\nbootstrap = 200\n"
    async with stations.Lab(tmp_path / "lab.db", files=desk_files(plan=plan)) as station:
        await annotate(station, "P0", giving("DCP"))
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: AgreementScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await figures_of(pilot)
            shown = told(screen)
            assert "Fleiss' kappa undefined no item has two raters" in shown
            assert "Fleiss' kappa 0" not in shown


async def test_both_panes_are_beside_each_other_where_it_is_wide(tmp_path: Path) -> None:
    await complete_study(tmp_path / "lab.db")
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        app = app_on(lambda: AgreementScreen(lab, record))
        async with app.run_test(size=(140, 40)) as pilot:
            screen = await figures_of(pilot)
            assert screen.query_one("#figures").region.width > 40
            assert screen.query_one("#maps").region.width > 50
            assert "m heat map" not in seen(app)
            await pilot.resize_terminal(80, 24)
            await pilot.pause()
            await until(pilot, lambda: "m heat map" in seen(app))
            assert screen.query_one("#maps").region.width == 0


async def test_exclusions_and_people_left_out_are_told_with_and_without(tmp_path: Path) -> None:
    plan = "planned_n = 3\nbootstrap = 200\n[exclusions]\nmedian_ms_below = 5000\n"
    async with stations.Lab(tmp_path / "lab.db", files=desk_files(plan=plan, design=DESIGN)) as station:
        for number, label in enumerate(("DCP", "DCP", "SLM", "SLM")):
            await annotate(station, f"P{number}", giving(label))
        visit = await station.sit("fast")
        fast = giving("ICU")
        from studies.steps import Step

        while isinstance(step := visit.current, Step):
            await visit.shown(step)
            visit.activity("key")
            await station._fill(visit, fast)
            await visit.leave(step)
        await station.person("half", until=lambda step: step.id.startswith("rest:"))
    with opened(tmp_path / "lab.db") as lab:
        record = await latest(lab)
        study = await lab.archive.study(record.sha256)
        found = study_agreement(study, await lab.archive.streams(record.sha256), [])
        told = {one.label.strip(): one for one in study_lines(found)}
        assert told["Completed participations"].value == "5"
        assert told["counted"].value == "4"
        assert told["excluded"].note == "speed: median 0 ms an item, below 5000"
        assert told["with 1 excluded raters"].value != told["Fleiss' kappa"].value
        assert told["not counted"].note == "unfinished (paused)"
        assert "18 ratings" in told["Kappa with finished blocks"].note


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
def test_what_it_looks_like(desk_file: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    with opened(desk_file) as lab:
        record = newest(lab)

        async def before(pilot: Pilot[Any]) -> None:
            await fill_in(pilot, "a look", "enter")
            await figures_of(pilot)

        made = app_on(lambda: AgreementScreen(lab, record))
        assert snap_compare(made, run_before=before, terminal_size=size)


@pytest.mark.parametrize("plain", [False, True])
def test_what_the_heat_map_looks_like(
    desk_file: Path, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, plain: bool
) -> None:
    if plain:
        monkeypatch.setenv("NO_COLOR", "1")
    with opened(desk_file) as lab:
        record = newest(lab)

        async def before(pilot: Pilot[Any]) -> None:
            await fill_in(pilot, "a look", "enter")
            await figures_of(pilot)
            await pilot.press("m")
            await pilot.pause()

        assert snap_compare(app_on(lambda: AgreementScreen(lab, record)), run_before=before)
