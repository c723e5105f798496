"""Gives a task's function a name that says nothing, in code and in words."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from studies.roleplay.materials import Task

PLAIN = "task_function"


def renamed(task: Task) -> Task:
    """The task with its entry point called `PLAIN` wherever it is meant.

    In code names are replaced, and mentions in strings and comments are not; in words every mention is. Names
    of other things stay, though they contain the entry point or are reached through a dot.
    """
    old = task.entry_point
    code = (task.interface, task.tests, task.prompt, task.reference)
    new = PLAIN
    while any(new in one for one in (*code, task.brief, *task.script)):
        new += "_"
    word = re.compile(rf"(?<![\w.]){re.escape(old)}(?!\w)")

    def in_words(text: str) -> str:
        return word.sub(new, text)

    def in_code(text: str) -> str:
        return _replaced(text, old, new, in_words)

    changes: dict[str, Any] = {
        "entry_point": new,
        "interface": in_code(task.interface),
        "tests": in_code(task.tests),
        "prompt": in_words(task.prompt),
        "reference": in_code(task.reference),
        "brief": in_words(task.brief),
        "speaks": in_words(task.speaks),
        "opening": in_words(task.opening),
        "script": tuple(map(in_words, task.script)),
        "facts": tuple(one.model_copy(update={"text": in_words(one.text)}) for one in task.facts),
    }
    return task.model_copy(update=changes)


def _replaced(text: str, old: str, new: str, otherwise: Callable[[str], str]) -> str:
    """The code with one name replaced; what is no whole program is treated as words."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return otherwise(text)
    # Not `splitlines`, which also splits at separators that Python's own lines may hold.
    lines = io.StringIO(text).readlines()
    before = ""
    places: list[tuple[int, int]] = []
    for one in tokens:
        if one.type == tokenize.NAME and one.string == old and before != ".":
            places.append((one.start[0] - 1, one.start[1]))
        before = one.string
    for line, column in reversed(places):
        content = lines[line]
        lines[line] = content[:column] + new + content[column + len(old) :]
    return "".join(lines)
