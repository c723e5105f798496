"""Numbers of participants that balance a role-play design, against playing it out."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.roleplay_folders import row

from studies.feasibility import nearest_multiples
from studies.roleplay.balance import (
    balanced_participants,
    sources_twice,
    unequal,
    visits,
)
from studies.roleplay.design import CellTasks, cells_of, held_out
from studies.roleplay.materials import Task
from studies.settings import RoleplaySettings

CONDITIONS = ("none", "same-user", "shuffled", "gated")


def settings(**values: Any) -> RoleplaySettings:
    return RoleplaySettings.model_validate(values)


def cells(*held: int) -> tuple[CellTasks, ...]:
    """Cells with so many held-out tasks each."""
    return cells_of(
        Task.model_validate(row(n, profile=f"p{cell}"))
        for cell, count in enumerate(held)
        for n in range(count)
    )


def played(
    chosen: RoleplaySettings, laid: tuple[CellTasks, ...], participants: int
) -> Counter[tuple[str, str]]:
    """How often each task is played in each condition, person by person."""
    found: Counter[tuple[str, str]] = Counter()
    for place in range(participants * chosen.cells):
        tasks = laid[place % len(laid)].held_out
        found.update((task.id, condition) for task, condition in held_out(chosen, tasks, place // len(laid)))
    return found


@given(
    st.integers(1, 4),
    st.integers(1, 2),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.integers(1, 3),
    st.integers(1, 2),
)
def test_the_number_named_plays_each_task_equally_often_in_each_condition(
    conditions: int, rounds: int, tasks: list[int], cells_each: int, times: int
) -> None:
    chosen = settings(
        conditions=CONDITIONS[:conditions], held_out=conditions * rounds, cells=min(cells_each, len(tasks))
    )
    laid = cells(*(one * conditions * rounds for one in tasks))
    base = balanced_participants(chosen, laid)
    found = played(chosen, laid, base * times)
    for cell in laid:
        counts = {found[task.id, one] for task in cell.held_out for one in chosen.conditions}
        assert len(counts) == 1
        assert counts != {0}
    assert unequal(chosen, laid, base * times) == ()


@given(st.integers(2, 3), st.lists(st.integers(2, 5), min_size=1, max_size=3), st.integers(1, 14))
def test_what_is_unequal_is_what_playing_it_out_shows(
    conditions: int, tasks: list[int], participants: int
) -> None:
    chosen = settings(conditions=CONDITIONS[:conditions], held_out=conditions)
    laid = cells(*(one + conditions for one in tasks))
    found = played(chosen, laid, participants)
    expected = {
        task.id
        for cell in laid
        for task in cell.held_out
        if len({found[task.id, one] for one in chosen.conditions}) > 1
    }
    assert set(unequal(chosen, laid, participants)) == expected
    assert sum(visits(chosen, laid, participants).values()) == participants


def test_two_conditions_and_sixty_cells_need_120() -> None:
    assert balanced_participants(settings(), cells(*[4] * 60)) == 120
    assert balanced_participants(settings(conditions=CONDITIONS), cells(*[4] * 60)) == 240
    assert balanced_participants(settings(cells=2), cells(*[4] * 60)) == 60
    # Six held-out tasks of which a person plays four: three rotations bring the first one round again.
    assert balanced_participants(settings(), cells(6)) == 6


@pytest.mark.parametrize(("number", "base", "near"), [(10, 4, (8, 12)), (3, 4, (4,)), (5, 2, (4, 6))])
def test_the_nearest_multiples(number: int, base: int, near: tuple[int, ...]) -> None:
    assert nearest_multiples(number, base) == near


def test_sources_are_compared_over_the_cells_that_one_person_plays() -> None:
    rows = [row(n, profile=f"p{cell}", source_task=f"s{n}") for cell in range(4) for n in range(2)]
    laid = cells_of(Task.model_validate(one) for one in rows)
    assert list(sources_twice(settings(), laid)) == []
    found = {(a, b) for a, b, _ in sources_twice(settings(cells=2), laid)}
    # Two cells a person, four cells: nobody plays the second and the third.
    assert found == {("p0-0", "p1-0"), ("p0-1", "p1-1"), ("p2-0", "p3-0"), ("p2-1", "p3-1")}
