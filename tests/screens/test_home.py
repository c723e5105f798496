"""Home: the studies, how far they are, and everything done from there."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.researcher import (
    app_on,
    asked,
    desk_file,
    desk_files,
    fill_in,
    on,
    opened,
    seen,
    until,
    words_on,
)
from textual.pilot import Pilot
from textual.widgets import Input

from screens.board import BoardScreen
from screens.dialogs import Dialog
from screens.form_dialog import FormDialog
from screens.home import HomeScreen
from screens.listing import ListingScreen
from studies.folder import parse
from studies.ports import StudyRecord

__all__ = ["desk_file"]


async def home_of(pilot: Pilot[Any]) -> HomeScreen:
    """The home, with all that is in sight worked out."""
    home = await on(pilot, HomeScreen)
    await until(pilot, lambda: home._records and not home._stale)
    return home


async def test_it_shows_the_studies_and_how_far_they_are(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await until(pilot, lambda: "18 of 24" in words_on(app))
            shown = words_on(app)
    assert "Requests & <their> gaps" in shown
    assert "18 of 24" in shown
    assert "4 of 6" in shown
    assert "1 free · 1 paused · 4 completed" in shown
    assert "kappa hidden until 6 completed (4 now)" in shown


async def test_the_newest_version_comes_first_and_is_marked(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        await lab.desk.load(parse(desk_files(18)))
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await home_of(pilot)
            await pilot.pause()
            assert [one.reference for one in home._records.values()] == ["gaps@2", "gaps@1"]
            assert home.chosen is not None
            assert home.chosen.reference == "gaps@2"
            await pilot.press("down")
            assert home.chosen.reference == "gaps@1"


async def test_empty_it_offers_the_demo_and_a_new_study(tmp_path: Path) -> None:
    with opened(tmp_path / "new.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.has_class("-empty"))
            shown = words_on(app)
            assert "capa-tui new DIR" in shown
            assert "Try the demo" in shown
            assert "a agreement" not in shown, "there is nothing yet to agree on"
            await pilot.press("p", "a", "j", "x", "c")
            await pilot.pause()
            assert app.screen is home, "without a study these keys do nothing"


async def test_the_demo_is_a_participants_visit_and_leaves_nothing_behind(tmp_path: Path) -> None:
    from screens.consent import ConsentScreen

    with opened(tmp_path / "new.db") as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.has_class("-empty"))
            await pilot.press("d")
            await on(pilot, ConsentScreen)
            await pilot.press("q")
            await on(pilot, Dialog)
            await pilot.press("up", "enter")
            await until(pilot, lambda: type(app.screen).__name__ == "DoneScreen" and app.screen.is_open)
            await pilot.press("enter")
            await on(pilot, HomeScreen)
            assert await lab.archive.studies() == []


async def test_enter_and_a_click_open_the_board(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("enter")
            by_key = await on(pilot, BoardScreen)
            await pilot.press("escape")
            await on(pilot, HomeScreen)
            await pilot.click("#studies", offset=(4, 2))
            by_mouse = await on(pilot, BoardScreen)
            assert by_key.chosen == by_mouse.chosen == (await lab.archive.studies())[0]


async def test_a_known_code_is_seated_at_once_and_handed_back_after(desk_file: Path) -> None:
    from screens.page import RestScreen

    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, "p9", "enter")
            await on(pilot, RestScreen)
            await pilot.press("q")
            await on(pilot, Dialog)
            await pilot.press("up", "enter")
            await until(pilot, lambda: type(app.screen).__name__ == "DoneScreen" and app.screen.is_open)
            await pilot.press("enter")
            handed = await asked(pilot, "hand the station back")
            assert handed.has_class("-opaque"), "the participant sees nothing of the researcher's side"
            await pilot.press("enter")
            await on(pilot, HomeScreen)


async def test_an_unknown_code_is_asked_about(desk_file: Path) -> None:
    from screens.consent import ConsentScreen

    with opened(desk_file) as lab:
        record = (await lab.archive.studies())[-1]
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, "new1", "enter")
            await asked(pilot, "Nobody with the code new1")
            await pilot.press("enter")
            form = await on(pilot, FormDialog)
            assert form.values["code"] == "new1", "to be corrected"
            assert "new1" not in {one.code for one in await lab.archive.participations(record.sha256)}
            await pilot.press("enter")
            await asked(pilot, "Nobody with the code")
            await pilot.press("up", "enter")
            await on(pilot, ConsentScreen)
        assert "new1" in {one.code for one in await lab.archive.participations(record.sha256)}


async def test_a_pilot_takes_no_slot(desk_file: Path) -> None:
    from screens.consent import ConsentScreen

    with opened(desk_file) as lab:
        record = (await lab.archive.studies())[-1]
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, "look", "tab", "space")
            await pilot.click("#do")
            await asked(pilot, "A pilot takes no slot.")
            await pilot.press("up", "enter")
            await on(pilot, ConsentScreen)
        (mine,) = [one for one in await lab.archive.participations(record.sha256) if one.code == "look"]
        assert (mine.pilot, mine.slot) == (True, None)


async def test_where_codes_were_issued_unknown_ones_are_refused_calmly(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        await lab.desk.issue_codes((await lab.archive.studies())[-1], 1)
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, "stranger", "enter")
            await asked(pilot, "admits only the codes")
            await pilot.press("escape")
            await on(pilot, FormDialog)
            await pilot.press("escape")
            await on(pilot, HomeScreen)


async def test_a_form_says_what_is_missing_and_stays(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, " ", "enter")
            await until(pilot, lambda: "A code is needed." in words_on(app))
            assert isinstance(app.screen, FormDialog)
            await pilot.press("escape")
            await on(pilot, HomeScreen)


async def test_codes_are_issued_and_shown(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = (await lab.archive.studies())[-1]
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("c")
            await fill_in(pilot, "3", "enter")
            listing = await on(pilot, ListingScreen)
            codes = listing._lines
            assert len(codes) == 3
            assert all(code in words_on(app) for code in codes)
            await pilot.press("y")
            assert app.clipboard.split() == list(codes)
            await pilot.press("escape")
            await on(pilot, HomeScreen)
        assert set(codes) <= {one.code for one in await lab.archive.participations(record.sha256)}


async def test_a_study_that_cannot_be_read_is_said_and_the_others_are_shown(desk_file: Path) -> None:
    from studies.errors import UnknownStudyError

    with opened(desk_file) as lab:
        lost = StudyRecord("f" * 64, "lost", 1, "A lost one", "annotation", 3, "2026-03-02T09:00:00.000Z")
        listed = [*await lab.archive.studies(), lost]

        async def studies() -> list[StudyRecord]:
            return listed

        lab.archive.studies = studies  # type: ignore[method-assign]
        with pytest.raises(UnknownStudyError):
            await lab.archive.study(lost.sha256)
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await until(pilot, lambda: "unreadable" in words_on(app) and "5 of 6" in words_on(app))
            assert "no study version" in words_on(app)


async def test_a_refresh_does_not_move_the_cursor(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        await lab.desk.load(parse(desk_files(18)))
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await home_of(pilot)
            await pilot.press("down")
            await lab.desk.load(parse(desk_files(24)))
            await pilot.press("r")
            await until(pilot, lambda: len(home._records) == 3 and not home._stale)
            assert home.chosen is not None
            assert home.chosen.reference == "gaps@1"


async def test_only_what_is_in_sight_of_a_long_list_is_worked_out(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        real = (await lab.archive.studies())[-1]
        many = [
            StudyRecord(f"{n:064x}", "gaps", n + 2, f"Study {n}", "annotation", 12, real.loaded_at)
            for n in range(200)
        ]
        asked: list[str] = []
        study, participations = lab.archive.study, lab.archive.participations

        async def studies() -> list[StudyRecord]:
            return many

        async def one_study(sha256: str) -> Any:
            asked.append(sha256)
            return await study(real.sha256)

        async def people(_: str) -> Any:
            return await participations(real.sha256)

        lab.archive.studies = studies  # type: ignore[method-assign]
        lab.archive.study = one_study  # type: ignore[method-assign]
        lab.archive.participations = people  # type: ignore[method-assign]
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: len(home._records) == 200 and home._next() is None)
            assert many[-1].sha256 in asked, "newest first"
            assert len(set(asked)) < 40
            await pilot.press("end")
            await until(pilot, lambda: home._next() is None and many[0].sha256 in asked)


async def test_the_palette_finds_what_has_a_key(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await home_of(pilot)
            titles = {one.title for one in home.commands()}
            assert {"Participant", "Agreement", "Adjudicate", "Export", "Load folder", "Quit"} <= titles
            next(one for one in home.commands() if one.title == "Participant").callback()
            await on(pilot, FormDialog)


async def test_keys_of_the_form_go_to_the_form_only(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("p")
            await fill_in(pilot, "q")
            assert app.screen.query_one(Input).value == "q"


async def test_q_leaves(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            await home_of(pilot)
            await pilot.press("q")
            await until(pilot, lambda: not app.is_running)


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_what_it_looks_like(desk_file: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    with opened(desk_file) as lab:

        async def before(pilot: Pilot[Any]) -> None:
            await home_of(pilot)
            await until(pilot, lambda: "5 of 6" in seen(pilot.app))  # type: ignore[arg-type]
            await pilot.pause()

        assert snap_compare(app_on(lambda: HomeScreen(lab)), run_before=before, terminal_size=size)


def test_what_it_looks_like_empty(tmp_path: Path, snap_compare: Any) -> None:
    with opened(tmp_path / "new.db") as lab:

        async def before(pilot: Pilot[Any]) -> None:
            home = await on(pilot, HomeScreen)
            await until(pilot, lambda: home.has_class("-empty"))
            await pilot.pause()

        assert snap_compare(app_on(lambda: HomeScreen(lab)), run_before=before)


async def test_leaving_while_studies_are_being_read_is_calm(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        reading, free = asyncio.Event(), asyncio.Event()
        studies = lab.archive.studies

        async def slowly() -> Any:
            reading.set()
            await free.wait()
            return await studies()

        lab.archive.studies = slowly  # type: ignore[method-assign]
        app = app_on(lambda: HomeScreen(lab))
        async with app.run_test() as pilot:
            home = await on(pilot, HomeScreen)
            await reading.wait()
            # As it is while the screen is being closed: its widgets are gone and it is still there.
            await home.remove_children()
            free.set()
            await pilot.pause()
        assert app._exception is None
