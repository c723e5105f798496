"""Whether a role-play design is balanced: tasks over conditions, mechanisms over profiles, sources apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from math import gcd, lcm
from typing import TYPE_CHECKING

from studies.roleplay.design import CellTasks, held_out
from studies.taxonomy import MECHANISMS

if TYPE_CHECKING:
    from studies.settings import RoleplaySettings

CELLS_A_PROFILE = 6
"""Cells of a profile in CAPA's design, over which it meets each mechanism exactly twice."""


def balanced_participants(settings: RoleplaySettings, cells: Sequence[CellTasks]) -> int:
    """The least number of participants with whom each held-out task of every cell is played equally often,
    and equally often in each condition; so are all its multiples.

    A cell needs as many visits as there are conditions; where it has more held-out tasks than a person
    plays, as many such rotations as bring its first task round again.
    """
    conditions, visits = len(settings.conditions), 1
    for cell in cells:
        tasks = len(cell.held_out)
        played = min(settings.held_out, tasks) or 1
        visits = lcm(visits, conditions * (tasks // gcd(tasks, played) if tasks else 1))
    # A participant visits `settings.cells` cells, and cells are visited in turn.
    whole = len(cells) * visits
    return whole // gcd(whole, settings.cells)


def visits(settings: RoleplaySettings, cells: Sequence[CellTasks], participants: int) -> Counter[int]:
    """How often each cell, by place, is visited by that many participants."""
    whole, rest = divmod(participants * settings.cells, len(cells))
    return Counter({place: whole + (place < rest) for place in range(len(cells))})


def unequal(settings: RoleplaySettings, cells: Sequence[CellTasks], participants: int) -> tuple[str, ...]:
    """Ids of the held-out tasks that so many participants would not play equally often in each condition."""
    found: list[str] = []
    for place, times in visits(settings, cells, participants).items():
        tasks = cells[place].held_out
        played: Counter[tuple[str, str]] = Counter(
            (task.id, condition)
            for visitor in range(times)
            for task, condition in held_out(settings, tasks, visitor)
        )
        found += (
            one.id for one in tasks if len({played[one.id, other] for other in settings.conditions}) > 1
        )
    return tuple(found)


def mechanisms_met(cells: Sequence[CellTasks]) -> Mapping[str, Counter[str]]:
    """How many cells of each profile show each mechanism."""
    met: dict[str, Counter[str]] = {}
    for one in cells:
        profile, *pair = one.cell
        met.setdefault(profile, Counter()).update(pair)
    return met


def unbalanced_profiles(cells: Sequence[CellTasks]) -> Iterator[tuple[str, int, Counter[str]]]:
    """Profiles of several cells that do not meet all mechanisms equally often: profile, cells, counts."""
    sizes = Counter(one.cell[0] for one in cells)
    for profile, met in mechanisms_met(cells).items():
        if sizes[profile] > 1 and len({met[one] for one in MECHANISMS}) > 1:
            yield profile, sizes[profile], met


def sources_twice(settings: RoleplaySettings, cells: Sequence[CellTasks]) -> Iterator[tuple[str, str, str]]:
    """Tasks of one source that one person would meet twice: both ids and the source."""
    count = len(cells)
    # Visits begin anywhere on the circle of cells that a whole number of participants reaches.
    starts = {slot * settings.cells % count for slot in range(count)} if count else set()
    seen: set[tuple[str, str]] = set()
    for start in sorted(starts):
        first: dict[str, str] = {}
        for turn in range(min(settings.cells, count)):
            cell = cells[(start + turn) % count]
            for task in (*cell.history, *cell.reserve, *cell.held_out):
                other = first.setdefault(task.source_task, task.id)
                if other != task.id and (other, task.id) not in seen:
                    seen.add((other, task.id))
                    yield other, task.id, task.source_task
