"""The rules of a task's code, whatever the kind: whether it can be read, and fits together.

Nothing of a study folder is run here: code is only parsed.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.errors import Problem
from studies.findings import error
from studies.reading import shown

if TYPE_CHECKING:
    from studies.clarification.materials import ClarificationTask
    from studies.roleplay.materials import Task

FILE = "tasks.jsonl"


def code_problems(task: Task | ClarificationTask, line: int) -> Iterator[Problem]:
    """What is wrong with the code of a task on that line; a whole program has no entry point to define."""
    trees: dict[str, ast.Module] = {}
    for key, source in (("prompt", task.prompt), ("reference", task.reference), ("tests", task.tests)):
        if not source:
            continue
        tree = _parsed(source)
        if key == "prompt" and isinstance(tree, str):
            # It may end in the line of a function whose body is the candidate's.
            tree = _parsed(f"{source.rstrip()}\n    pass\n")
        if isinstance(tree, str):
            yield error(FILE, key, f"{task.id}: {tree}", "Python that can be parsed", line)
        else:
            trees[key] = tree
    named = task.entry_point is not None
    if named and "reference" in trees and task.entry_point not in _defined(trees["reference"]):
        found = f"{task.id}: the reference does not define {task.entry_point}"
        yield error(FILE, "reference", found, f"a function {task.entry_point}", line)
    if "tests" in trees and "check" not in _defined(trees["tests"]):
        yield error(FILE, "tests", f"{task.id}: no function check", "check(candidate)", line)
    if named and not re.search(rf"\b{task.entry_point}\b", task.interface):
        found = f"{shown(task.interface)} does not name {task.entry_point}"
        yield error(FILE, "interface", found, "the signature line of the entry point", line)
    for place, pair in enumerate(task.pairs):
        arguments, result = _literal(pair.arguments), _literal(pair.result)
        if not (arguments and isinstance(arguments[0], tuple)):
            found, expected = shown(pair.arguments), "a tuple of Python literals, as in (1, 2) or (1,)"
            yield error(FILE, f"pairs.{place}.arguments", found, expected, line)
        if not result:
            yield error(FILE, f"pairs.{place}.result", shown(pair.result), "a Python literal", line)


def _parsed(source: str) -> ast.Module | str:
    try:
        # Odd escapes and comparisons in other people's code are no concern of ours.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except SyntaxError as problem:
        return f"line {problem.lineno or 1}: {problem.msg}"
    except (ValueError, RecursionError, MemoryError) as problem:
        return f"cannot be parsed: {problem or type(problem).__name__}"


def _defined(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.Assign(targets=targets):
                names |= {one.id for one in targets if isinstance(one, ast.Name)}
            case ast.AnnAssign(target=ast.Name(id=name)):
                names.add(name)
            case ast.Import(names=imported) | ast.ImportFrom(names=imported):
                names |= {one.asname or one.name for one in imported}
    return names


def _literal(text: str) -> tuple[object] | None:
    """The value of a literal in a tuple of one, so that a None differs from none."""
    try:
        return (ast.literal_eval(text.strip()),)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
