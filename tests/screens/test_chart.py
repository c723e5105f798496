"""The chart: votes, what settled each choice, and everything about the marked one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App

from screens.chart import ChartScreen, details, in_short, room_for_questions, votes_in_short
from screens.widgets.table import PlainTable
from studies.specification.decisions import Decision, Vote

Make = Callable[..., Any]


def decision(**more: Any) -> Decision:
    """A choice on which the simulated users disagree."""
    votes = (
        Vote(1, "B", True, "They like [b]order[/b]."),
        Vote(2, "B", False, "Perhaps."),
        Vote(3, "D", False, "Nothing is known \x1b[2J of them."),
    )
    given: dict[str, Any] = {
        "key": "who",
        "question": "Who may add a book?",
        "alternatives": ("Nobody", "Any member", "By vote", "Anyone"),
        "section": "core_features",
        "why_it_matters": "It decides who does the work.",
        "assumed": "B",
        "votes": votes,
        "standing": "open",
    }
    return Decision(**{**given, **more})


def test_votes_are_told_in_short() -> None:
    one = decision(chosen=("B", "C"), settled_by="answer", standing="confirmed", round=2)
    assert [votes_in_short(one, letter) for letter in "ABCD"] == ["", "1+2?*", "*", "3?"]
    assert in_short(one) == "you"
    assert in_short(decision()) == "open"
    assert in_short(decision(standing="left out")) == "left out"
    assert in_short(decision(settled_by="agreement", chosen=("A",))) == "all agree"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({}, "Still open."),
        ({"settled_by": "answer", "round": 2, "own_words": "by lot"}, "your answer to question 2: by lot"),
        ({"settled_by": "update", "round": 3, "chosen": ("A",)}, "another question, question 3: A"),
        ({"settled_by": "majority", "chosen": ("B",)}, "most of the simulated users say: B"),
        ({"standing": "left out"}, "nothing is said about it"),
    ],
)
def test_what_settled_a_choice_is_said_in_words(more: dict[str, Any], told: str) -> None:
    assert told in details(decision(**more)).plain


def test_everything_about_a_choice_is_there_and_is_data() -> None:
    told = details(decision()).plain
    for part in (
        "what the draft assumes",
        "It decides who does the work.",
        "Simulated user 2, with part of it left out: B, not sure",
        "[b]order[/b]",
        "\\x1b[2J",
    ):
        assert part in told
    assert "\x1b" not in told


def test_questions_get_the_room_that_is_left() -> None:
    six = decision(alternatives=tuple("abcdef"))
    assert room_for_questions([decision()] * 10, 80) > room_for_questions([six] * 10, 80) >= 16


class Alone(App[None]):
    """The chart and nothing else."""

    def __init__(self, decisions: list[Decision]) -> None:
        super().__init__()
        self._decisions = decisions

    def on_mount(self) -> None:
        self.push_screen(ChartScreen(self._decisions))

    def get_key_display(self, binding: Any) -> str:
        return str(binding.key_display or binding.key)


async def test_long_checklists_and_an_empty_chart_are_shown() -> None:
    many = [
        decision(question=f"[red]{n}[/] " + "long " * 40, alternatives=tuple("abcdef")) for n in range(80)
    ]
    app = Alone(many)
    async with app.run_test(size=(80, 24)) as pilot:
        table = app.screen.query_one(PlainTable)
        for _ in range(100):
            await pilot.pause()
            if table.row_count == 80:
                break
        await pilot.press("end")
        assert table.cursor_row == 79
        assert table.max_scroll_x == 0
        await pilot.press("escape")
        assert not isinstance(app.screen, ChartScreen)
    empty = Alone([])
    async with empty.run_test() as pilot:
        await pilot.press("down", "pagedown")
        assert "0 of 0 settled" in str(empty.screen.query_one("WhereAmI").render())


def looks_right(spec_seat: Make, snap_compare: Any, size: tuple[int, int]) -> bool:
    """Whether the chart over the second question is as it was."""
    at = spec_seat()
    asyncio.run(at.go("round"))

    async def before(pilot: Any) -> None:
        at.pilot = pilot
        await at.settle()
        await at.press("a", "enter")
        await at.at("interview")
        await at.press("f2", "down", "down")

    return bool(snap_compare(at.application(), run_before=before, terminal_size=size))


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_it_looks_like(spec_seat: Make, snap_compare: Any, size: tuple[int, int]) -> None:
    assert looks_right(spec_seat, snap_compare, size)


def test_what_it_looks_like_without_colours(
    spec_seat: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert looks_right(spec_seat, snap_compare, (80, 24))
