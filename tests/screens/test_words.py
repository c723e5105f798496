"""How numbers, times and standings are said, and tables that stay where they were."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from screens import words
from screens.widgets.table import Cell, PlainTable
from studies.progress import ItemProgress, Seat, StudyProgress

NOW = "2026-03-02T12:00:00.000Z"


@pytest.mark.parametrize(
    ("ms", "said"), [(0, ""), (999, ""), (1_000, "0:01"), (842_000, "14:02"), (3_600_000, "1:00:00")]
)
def test_durations(ms: int, said: str) -> None:
    assert words.clock_time(ms) == said


@pytest.mark.parametrize(
    ("then", "said"),
    [
        ("", ""),
        ("2026-03-02T11:59:30.000Z", "just now"),
        ("2026-03-02T12:00:05.000Z", "just now"),
        ("2026-03-02T11:58:00.000Z", "2 min"),
        ("2026-03-02T10:59:00.000Z", "1 h"),
        ("2026-03-01T23:59:00.000Z", "yesterday"),
        ("2026-02-20T12:00:00.000Z", "10 days"),
    ],
)
def test_how_long_ago(then: str, said: str) -> None:
    assert words.ago(then, NOW) == said


def seat(state: str, slot: int | None = 1) -> Seat:
    return Seat("c", slot, state, ("i1",), 0)


def standing(*states: str, planned: int | None = 3, slots: int | None = 3, **items: int) -> StudyProgress:
    made = tuple(ItemProgress(name, 2, done, 2) for name, done in items.items())
    return StudyProgress("s", tuple(seat(one) for one in states), (), made, planned, slots)


def test_standings_in_words() -> None:
    found = standing("completed", "completed", "free", "dropped", i1=2, i2=1, i3=0, i4=3)
    assert words.people(found) == "2 of 3 people"
    assert words.states(found) == "1 free · 2 completed · 1 dropped"
    assert words.labels(found, "annotation") == "6 of 8 labels"
    assert words.labels(found, "specification") == "6 of 8 projects"
    assert words.coverage(found, "annotation") == "items: 1 3 times · 1 twice · 1 once · 1 none · 1 over"
    assert words.hidden(found, "annotation") == "kappa hidden until 3 completed (2 now)"
    assert "agreement is shown" in words.hidden(standing("completed", planned=1), "annotation")
    assert "agreement is shown" in words.hidden(standing("completed", planned=None), "annotation")
    assert words.people(standing("working", slots=None)) == "1 person"
    assert words.labels(standing(), "annotation") == "no labels yet"
    assert words.hidden(found, "roleplay") == "figures hidden until 3 completed (2 now)"
    assert words.states(standing()) == "nobody yet"


class TableApp(App[None]):
    """One table."""

    def compose(self) -> ComposeResult:
        yield PlainTable(("name", "n"))


def rows(table: PlainTable) -> list[list[str]]:
    return [[str(cell) for cell in table.get_row_at(n)] for n in range(table.row_count)]


async def test_rows_are_changed_in_place_and_added_at_the_end() -> None:
    app = TableApp()
    async with app.run_test() as pilot:
        table = app.query_one(PlainTable)
        await table.fill({"a": ("[red]A[/]", "1"), "b": ("B\x1b[2J", Cell("2", right=True))})
        assert rows(table) == [["[red]A[/]", "1"], ["B\\x1b[2J", "2"]]
        table.move_cursor(row=1)
        await table.fill({"a": ("A", "1"), "b": ("B", "3"), "c": ("C", "4")})
        await pilot.pause()
        assert rows(table) == [["A", "1"], ["B", "3"], ["C", "4"]]
        assert table.selected_key == "b"
        table.change("c", ("CC", "5"))
        table.change("gone", ("x", "y"))
        assert rows(table)[2] == ["CC", "5"]


async def test_the_cursor_follows_its_row_when_others_come_or_go() -> None:
    app = TableApp()
    async with app.run_test(size=(40, 10)) as pilot:
        table = app.query_one(PlainTable)
        await table.fill({f"r{n}": (f"R{n}", "") for n in range(300)})
        await pilot.pause()
        table.move_cursor(row=200, animate=False)
        await pilot.pause()
        above = table.scroll_y
        fewer = {f"r{n}": (f"R{n}", "") for n in range(300) if n != 3}
        await table.fill(fewer)
        await pilot.pause()
        assert table.selected_key == "r200"
        assert table.cursor_row == 199
        assert abs(table.scroll_y - above) <= 1
        await table.fill({key: row for key, row in fewer.items() if key != "r200"})
        await pilot.pause()
        assert table.row_count == 298
        assert table.selected_key is not None
        await table.fill({})
        assert table.selected_key is None
