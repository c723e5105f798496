"""Forms with something to read beside them: the sheet that is rated, two sheets side by side, a proposal."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.specifications import BASELINE, BUDDY, project, question, wishes

from screens.widgets.beside import Beside
from screens.widgets.document import Document
from screens.widgets.note import NoteField
from screens.widgets.panes import Pane
from studies.specification import payloads as said
from studies.study import Study

Make = Callable[..., Any]


def pane(at: Any, where: str) -> Pane:
    return at.screen.query_one(where, Pane)  # type: ignore[no-any-return]


async def test_the_page_keys_read_from_any_question_and_hide_none(spec_seat: Make) -> None:
    at = await spec_seat().go("rate")
    async with at.sit():
        read = pane(at, "#read")
        assert "The sheet" in at.text and "It holds what I want." in at.text
        await at.press("pagedown")
        below = read.scroll_y
        assert below > 0
        await at.press("4", "tab")
        assert isinstance(at.app.focused, NoteField)
        await at.press(*"ok", "pagedown", "pageup", "pageup")
        assert read.scroll_y < below
        await at.press("tab", "tab")
        # The question that has the focus is to be seen whole.
        assert "Why? A sentence is enough." in at.text
        assert at.visit.answers["coverage"] == 4
        assert at.visit.answers["coverage.reason"] == "ok"
        await at.press("shift+tab", "shift+tab", "shift+tab", "shift+tab")
        assert at.app.focused is read


async def test_requirements_are_checked_one_by_one_beside_the_sheet(spec_seat: Make) -> None:
    at = await spec_seat().go("met")
    async with at.sit((120, 36)):
        assert "You want (project overview)" in at.text
        assert len(at.screen.step.fields) <= 8
        await at.press("2", "enter")
        assert "Still open" in at.says
        assert at.answered(at.screen.step.fields[0].name) == ["partly"]


def two() -> Study:
    return wishes(
        project("club", checklist=[question(n) for n in range(1, 9)]),
        agents=(BASELINE, BUDDY),
        more='task = "sheet"\nbudgets = [2]\nsecond_agent = true',
    )


async def test_two_sheets_are_compared_without_a_word_of_where_they_come_from(spec_seat: Make) -> None:
    at = await spec_seat(two()).go("compare")
    async with at.sit():
        assert pane(at, "#left").display and not pane(at, "#right").display
        assert "The left one" in at.text
        await at.press("f2")
        assert pane(at, "#right").display and not pane(at, "#left").display
        await at.press("pagedown")
        assert pane(at, "#right").scroll_y > 0
        for word in ("buddy", "plain", "baseline", "scripted"):
            assert word not in at.text.lower()
        await at.resize(120, 36)
        await at.until(lambda: pane(at, "#right").display and pane(at, "#left").display)
        await at.until(lambda: "the other one" not in at.text)
        await at.press("3", "tab", "k", "tab", "enter")
        await at.until(lambda: "sheets_compared" in at.kinds())
    compared = [one.payload for one in at.sitting.events if isinstance(one.payload, said.SheetsCompared)]
    assert compared[0].preferred == "tie"


async def test_texts_of_people_are_shown_as_they_are(spec_seat: Make) -> None:
    at = await spec_seat().go("truth", {"proposal": "# no heading\n*as it is* [/b] \x1b[2J"})
    async with at.sit():
        for text in ("# no heading", "*as it is* [/b] \\x1b[2J", "You answer as"):
            assert text in at.text
        assert isinstance(at.screen.query(Document).first(), Document)
        assert not at.screen.query_one(Beside).pair


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_it_looks_like(spec_seat: Make, snap_compare: Any, size: tuple[int, int]) -> None:
    at = spec_seat()
    asyncio.run(at.go("rate"))

    async def before(pilot: Any) -> None:
        at.pilot = pilot
        await at.settle()
        await at.press("4", "tab")

    assert snap_compare(at.application(), run_before=before, terminal_size=size)
