"""The hidden tests of a clarification task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.verdicts import Check, FunctionCheck, PairsCheck, ProgramCheck

if TYPE_CHECKING:
    from studies.clarification.materials import ClarificationTask


def check_of(task: ClarificationTask, time_limit: float) -> Check | None:
    """A task's hidden tests; None where it has none, and pass@1 is undefined."""
    if task.cases:
        return ProgramCheck(tuple((one.input, one.output) for one in task.cases), time_limit)
    if task.entry_point is None:
        return None
    if task.pairs:
        pairs = tuple((one.arguments, one.result) for one in task.pairs)
        return PairsCheck(task.entry_point, pairs, task.prompt, time_limit)
    if task.tests:
        return FunctionCheck(task.entry_point, task.tests, task.prompt, time_limit)
    return None
