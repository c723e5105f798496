"""Who plays which task in which condition: cells, history tasks, held-out tasks rotated over conditions.

A cell is a profile with a mechanism pair (CAPA, Dataset statistics). Slot s plays cell (s - 1) modulo the
number of cells, so cells fill evenly; its k-th visitor meets held-out task i in condition (i + k) modulo
the number of conditions, so that each held-out task occurs equally often in each condition.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.chance import Chance
from studies.payloads import Planned

if TYPE_CHECKING:
    from studies.roleplay.materials import Task
    from studies.settings import RoleplaySettings, StudySettings
    from studies.study import Study

Cell = tuple[str, str, str]
"""Profile and the two mechanisms of the pair."""
SESSIONS_A_BLOCK = 2
"""Sessions between two rests."""


@dataclass(frozen=True, slots=True)
class CellTasks:
    """The tasks of one cell, in the order of the file."""

    cell: Cell
    history: tuple[Task, ...]
    reserve: tuple[Task, ...]
    held_out: tuple[Task, ...]


def cells(study: Study) -> tuple[CellTasks, ...]:
    """The study's cells, in the order in which their first task stands in the file."""
    return cells_of(study.tasks)


def cells_of(tasks: Iterable[Task]) -> tuple[CellTasks, ...]:
    """The tasks by cell, in the order in which each cell's first task comes."""
    found: dict[Cell, list[Task]] = {}
    for task in tasks:
        found.setdefault(task.cell, []).append(task)

    def part(tasks: Sequence[Task], name: str) -> tuple[Task, ...]:
        return tuple(one for one in tasks if one.part == name)

    return tuple(
        CellTasks(cell, part(tasks, "history"), part(tasks, "reserve"), part(tasks, "held_out"))
        for cell, tasks in found.items()
    )


def speakers(study: Study) -> tuple[str, ...]:
    """Names of the assistants that take part in sessions: all but the gate."""
    return speaker_names(study.settings)


def speaker_names(settings: StudySettings) -> tuple[str, ...]:
    """Names of the assistants that take part in sessions: all but the gate and the second opinion."""
    beside = (settings.roleplay.gate, settings.roleplay.second_opinion)
    return tuple(one.name for one in settings.assistants if one.name not in beside)


def lay_out_sessions(study: Study, slot: int) -> tuple[Planned, ...]:
    """The sessions of a slot in order: history tasks, reserve tasks, then held-out ones."""
    settings, known = study.settings.roleplay, cells(study)
    names = speakers(study)
    planned: list[Planned] = []
    for turn in range(settings.cells):
        place = (slot - 1) * settings.cells + turn
        cell, visitor = known[place % len(known)], place // len(known)
        assistant = names[visitor // len(settings.conditions) % len(names)]
        planned += _of_cell(study, cell, slot, visitor, assistant)
    return _in_blocks(planned)


def _of_cell(study: Study, cell: CellTasks, slot: int, visitor: int, assistant: str) -> list[Planned]:
    settings = study.settings.roleplay
    chance = Chance(study.settings.seed, slot, f"sessions {'|'.join(cell.cell)}")
    history = [
        Planned(one.id, 1, one.part, condition="none", assistant=assistant)
        for group in (cell.history, cell.reserve)
        for one in chance.shuffled(group)
    ]
    cap = settings.history_tasks if settings.history_tasks is not None else len(history)
    held = [
        Planned(one.id, 1, "held_out", condition=condition, assistant=assistant)
        for one, condition in held_out(settings, cell.held_out, visitor)
    ]
    return [*history[:cap], *chance.shuffled(held)]


def held_out(settings: RoleplaySettings, tasks: Sequence[Task], visitor: int) -> list[tuple[Task, str]]:
    """The held-out tasks of a cell's visitor (from 0), with their conditions."""
    # Where a cell has more tasks than a person plays, each next full rotation begins further on.
    start = visitor // len(settings.conditions) * settings.held_out
    chosen = [(start + n) % len(tasks) for n in range(min(settings.held_out, len(tasks)))]
    return [
        (tasks[at], settings.conditions[(n + visitor) % len(settings.conditions)])
        for n, at in enumerate(chosen)
    ]


def _in_blocks(planned: Sequence[Planned]) -> tuple[Planned, ...]:
    """The sessions with their blocks: a rest after every few, and always before the first held-out one."""
    result: list[Planned] = []
    block, filled = 1, 0
    for before, one in zip((None, *planned), planned, strict=False):
        turns = before is not None and before.role != "held_out" and one.role == "held_out"
        if before is not None and (filled == SESSIONS_A_BLOCK or turns):
            block, filled = block + 1, 0
        filled += 1
        result.append(Planned(one.item, block, one.role, 1, one.condition, one.assistant))
    return tuple(result)
