"""From a reply to a verdict: what a task's hidden tests are, and whether a reply is a submission."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.extraction import extract
from studies.verdicts import Check, FunctionCheck, Judge, PairsCheck, Verdict

if TYPE_CHECKING:
    from studies.roleplay.materials import Task


def check_of(task: Task, time_limit: float) -> Check:
    """A task's hidden tests."""
    if task.pairs:
        pairs = tuple((one.arguments, one.result) for one in task.pairs)
        return PairsCheck(task.entry_point, pairs, task.prompt, time_limit)
    return FunctionCheck(task.entry_point, task.tests, task.prompt, time_limit)


async def verdict_on(reply: str, task: Task, time_limit: float, judge: Judge) -> tuple[str, bool, Verdict]:
    """The code a reply holds, whether it is a submission, and the verdict.

    A reply without code is a question: nothing is run and its verdict is `no_code`.
    """
    found = extract(reply, task.entry_point, task.prompt)
    if found.kind == "question":
        return "", False, Verdict("no_code")
    if found.verdict_hint is not None:
        return found.code, True, Verdict(found.verdict_hint)
    return found.code, True, await judge.judge(found.code, check_of(task, time_limit))
