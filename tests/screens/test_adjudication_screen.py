"""Adjudication on the screen: who decides, what they see, what is stored and what is kept."""

from __future__ import annotations

import asyncio
import dataclasses
import shutil
from pathlib import Path
from typing import Any

import pytest
from support import stations
from support.researcher import (
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

from screens.adjudication import AdjudicationScreen
from screens.dialogs import Dialog
from screens.form_dialog import FormDialog
from screens.lab import Lab
from screens.widgets.material import MaterialPanes
from screens.widgets.mechanisms import MechanismTable
from screens.widgets.note import NoteField
from screens.widgets.text import PlainText
from studies.annotation.tidy import adjudicated_rows
from studies.desk import AnnotationAdjudicated, Look
from studies.errors import JournalError
from studies.ports import StudyRecord

__all__ = ["desk_file"]

PEOPLE = {"P0": "DCP", "P1": "SLM", "P2": "HCO", "P3": "DCP", "P4": "SLM", "P5": "HCO"}


async def make_whole(path: Path) -> None:
    """A study of six who completed it and disagree on every item, as neighbours give different labels."""
    async with stations.Lab(path, files=desk_files()) as station:
        for code, label in PEOPLE.items():
            await annotate(station, code, giving(label))


@pytest.fixture
def whole(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of `make_whole`'s database; made once in a run."""
    made = tmp_path_factory.getbasetemp() / "disagreeing.db"
    if not made.exists():
        asyncio.run(make_whole(made))
    return Path(shutil.copy(made, tmp_path / "lab.db"))


async def opened_as(pilot: Pilot[Any], code: str, *keys: str) -> AdjudicationScreen:
    """Say who decides, and wait for the first case."""
    form = await on(pilot, FormDialog)
    assert "Who adjudicates?" in words_on(pilot.app)  # type: ignore[arg-type]
    await pilot.press(*code, *keys)
    await pilot.click("#do")
    await until(pilot, lambda: pilot.app.screen is not form)
    screen = await on(pilot, AdjudicationScreen)
    await until(pilot, lambda: screen._deciding is not None)
    await pilot.pause()
    return screen


async def decide(pilot: Pilot[Any], screen: AdjudicationScreen, *keys: str, reason: str = "so") -> None:
    """Mark, give a reason, save."""
    await pilot.press(*keys, "n", *reason, "escape")
    await until(pilot, lambda: screen.query_one(MechanismTable).has_focus)
    await pilot.press("enter")


async def rows(lab: Lab, record: StudyRecord) -> list[tuple[str, str, str, tuple[str, ...], str]]:
    """What is stored."""
    desk = await lab.archive.desk(record.sha256)
    return [
        (one.item, one.adjudicator, one.dominant, one.additional, one.reason)
        for one in adjudicated_rows(desk, record.sha256)
    ]


async def test_a_case_shows_labels_and_nothing_of_the_raters(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            assert screen._deciding is not None
            case = screen._deciding.case
            given = screen.query_one("#given-text", PlainText)
            lines = str(given.render()).splitlines()
            assert lines == [f"- short {one}" for one in case.labels]
            assert len(set(lines)) == len(lines)
            shown = seen(app)
            assert f"Request {case.item[1:]}," in shown
            for hidden in (*PEOPLE, "p-", "gold", "confidence", "SLM (", "x2"):
                assert hidden not in shown.replace("short ", ""), hidden
            table = screen.query_one(MechanismTable)
            assert table.dominant is None, "nothing is preselected"
            assert screen.query_one(MaterialPanes).region.width > 20


async def test_a_decision_is_stored_with_its_reason_and_the_next_comes(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            now = screen._deciding
            assert now is not None
            first = now.case.item
            await decide(pilot, screen, "3", "a", "1", "a", reason="It points nowhere.")
            await until(pilot, lambda: now.case.item != first and screen.is_open)
            assert await rows(lab, record) == [(first, "alice", "CCM", ("DCP",), "It points nowhere.")]
            assert f"item 2 of {len(now.cases)} · 1 decided" in seen(app)
            assert screen.query_one(MechanismTable).dominant is None
            assert screen.query_one(NoteField).text == ""
            await pilot.press("p")
            await until(pilot, lambda: "Decided: short CCM. You can change it." in seen(app))
            assert screen.query_one(NoteField).text == "It points nowhere."
            await pilot.press("6", "enter")
            await until(pilot, lambda: now.case.item != first and screen.is_open)
            stored = await rows(lab, record)
            assert [one[2] for one in stored] == ["CCM", "ICU"], "the earlier decision is kept"


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ((), "Which label is the final one?"),
        (("1",), "Is anything else there as well?"),
        (("1", "0"), "Please say why"),
        (("7",), "Please say why"),
    ],
)
async def test_what_is_missing_is_said_and_nothing_is_stored(
    whole: Path, keys: tuple[str, ...], said: str
) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            await opened_as(pilot, "alice")
            await pilot.press(*keys, "enter")
            await until(pilot, lambda: said in seen(app))
            assert await rows(lab, record) == []


async def test_one_comes_back_to_the_first_undecided_item(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        for n in range(2):
            app = app_on(lambda: AdjudicationScreen(lab, record))
            async with app.run_test() as pilot:
                screen = await opened_as(pilot, "alice")
                now = screen._deciding
                assert now is not None
                assert (now.place, now.decided) == (n, n)
                await decide(pilot, screen, "1", "0")
                await until(pilot, lambda now=now, n=n: now.decided == n + 1)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "bob")
            assert screen._deciding is not None
            assert screen._deciding.decided == 0, "another adjudicator starts afresh"


async def test_the_last_decision_says_that_all_is_decided(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            now = screen._deciding
            assert now is not None
            for n in range(len(now.cases)):
                await decide(pilot, screen, "7", reason="x")
                await until(pilot, lambda n=n: now.decided == n + 1 and screen.is_open)
            await until(pilot, lambda: "nothing is left to decide" in seen(app))
            assert len(await rows(lab, record)) == len(now.cases)


async def test_own_items_are_not_ones_own_to_decide_but_in_a_consensus(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        sizes = {}
        for mode, keys in (("independent", ()), ("consensus", ("tab", "2"))):
            app = app_on(lambda: AdjudicationScreen(lab, record))
            async with app.run_test() as pilot:
                screen = await opened_as(pilot, "p0", *keys)
                now = screen._deciding
                assert now is not None
                assert now.mode == mode
                sizes[mode] = {one.item for one in now.cases}
                own = now.who.own
                assert now.who.name.startswith("p-")
        assert len(own) == 4
        assert not sizes["independent"] & own
        assert sizes["consensus"] & own
        assert sizes["independent"] == sizes["consensus"] - own


async def test_leaving_with_something_unsaved_is_asked_about(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            await pilot.press("1", "k", "p")
            await until(pilot, lambda: screen.query_one(MechanismTable).dominant == "DCP")
            await pilot.press("q")
            await asked(pilot, "1 decision is not saved yet.")
            await pilot.press("enter")
            await on(pilot, AdjudicationScreen)
            await pilot.press("q")
            await on(pilot, Dialog)
            await pilot.press("up", "enter")
            await until(pilot, lambda: not app.is_running)
        assert await rows(lab, record) == []


async def test_what_could_not_be_stored_stays_and_is_stored_later(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        failing = [True]

        class Desk:
            async def adjudicate(self, decision: Any) -> None:
                if failing:
                    failing.pop()
                    raise JournalError("the disk is full; nothing was stored")
                await lab.desk.adjudicate(decision)

        desk: Any = Desk()
        app = app_on(lambda: AdjudicationScreen(dataclasses.replace(lab, desk=desk), record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            now = screen._deciding
            assert now is not None
            await decide(pilot, screen, "1", "0")
            await asked(pilot, "the disk is full")
            await pilot.press("enter")
            await on(pilot, AdjudicationScreen)
            assert "NOT SAVED" in seen(app)
            assert now.place == 0
            await pilot.press("enter")
            await until(pilot, lambda: now.decided == 1)
            assert len(await rows(lab, record)) == 1


async def test_the_codebook_opens_and_closes_in_place(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            await opened_as(pilot, "alice")
            await pilot.press("down", "question_mark")
            await until(pilot, lambda: "definition of SLM" in seen(app))
            await pilot.press("escape")
            await until(pilot, lambda: "definition of SLM" not in seen(app))
            assert isinstance(app.screen, AdjudicationScreen)


async def test_the_mouse_does_all_of_it(whole: Path) -> None:
    with opened(whole) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            screen = await opened_as(pilot, "alice")
            now = screen._deciding
            assert now is not None
            await pilot.click("#labels", offset=(6, 2))
            await pilot.click("#labels", offset=(6, 9))
            await pilot.click("#reason", offset=(1, 0))
            await pilot.press("o", "k")
            await pilot.click("#save")
            await until(pilot, lambda: now.decided == 1)
            assert [one[2:] for one in await rows(lab, record)] == [("SLM", (), "ok")]
            await pilot.click("#skip")
            await until(pilot, lambda: now.place == 2)
            await pilot.click("#previous")
            await until(pilot, lambda: now.place == 1)


async def test_before_planned_n_a_look_is_recorded(desk_file: Path) -> None:
    with opened(desk_file) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            await fill_in(pilot, "early", "enter")
            await opened_as(pilot, "alice")
        desk = await lab.archive.desk(record.sha256)
        assert [one.payload.figure for one in desk if isinstance(one.payload, Look)] == ["adjudication"]


async def test_with_nothing_to_decide_it_says_so(tmp_path: Path) -> None:
    path = tmp_path / "lab.db"
    async with stations.Lab(path, files=desk_files(plan="planned_n = 1\n")) as station:
        await annotate(station, "P0", giving("DCP"))
    with opened(path) as lab:
        record = await latest(lab)
        app = app_on(lambda: AdjudicationScreen(lab, record))
        async with app.run_test() as pilot:
            form = await on(pilot, FormDialog)
            await pilot.press("x", "enter")
            await until(pilot, lambda: app.screen is not form)
            await asked(pilot, "Nothing to adjudicate")
            await pilot.press("enter")
            await until(pilot, lambda: not app.is_running)
        desk = await lab.archive.desk(record.sha256)
        assert not [one for one in desk if isinstance(one.payload, AnnotationAdjudicated)]


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
def test_what_it_looks_like(desk_file: Path, snap_compare: Any, size: tuple[int, int]) -> None:
    with opened(desk_file) as lab:
        record = newest(lab)

        async def before(pilot: Pilot[Any]) -> None:
            await fill_in(pilot, "early", "enter")
            await opened_as(pilot, "alice")
            await pilot.press("1")
            await pilot.pause()

        made = app_on(lambda: AdjudicationScreen(lab, record))
        assert snap_compare(made, run_before=before, terminal_size=size)
