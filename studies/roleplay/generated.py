"""Unauthored role-play tasks, made by program from problems in HumanEval's format."""

from __future__ import annotations

import ast
import re
import warnings
from inspect import cleandoc
from typing import TYPE_CHECKING, cast

from studies.roleplay.materials import Fact, Task

if TYPE_CHECKING:
    from studies.annotation.materials import Mechanism
    from studies.human_eval import HumanEvalProblem
    from studies.roleplay.capa import Place

ASKED_FIRST = "What exactly should the function do?"
"""What the rehearsal says before it shows the reference: a pilot tries the screens, not an assistant."""
_EXAMPLES = re.compile(
    r"^\s*(?:>>>|\[?(?:for )?examples?\b.*:?\s*$|\w+\(.*\)\s*(?:==|=>|->|➞|#|should)|\[input/output\])",
    re.IGNORECASE | re.MULTILINE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9`'\"(\[])|\n\s*\n|\n\s*(?=[-*] |\d+[.)] )")
MOST_FACTS = 40


def generated(problem: HumanEvalProblem, place: Place) -> Task:
    """The task of one place of the design.

    The facts are the docstring's sentences, all open and marked `derived`; what a researcher has to author
    (what is withheld and how, the opening, the resolution pattern, how the person speaks) is left empty.
    """
    first, second = place.pair
    tree = _parsed(problem.prompt)
    told = _docstring(tree, problem)
    prose, examples = _in_two(told)
    cell = "-".join((place.profile, first.lower(), second.lower()))
    return Task(
        id=f"{cell}-{place.number:02}",
        profile=place.profile,
        mechanisms=(cast("Mechanism", first), cast("Mechanism", second)),
        resolution="",
        speaks="",
        brief=f"{prose}\n\n```text\n{examples}\n```" if examples else prose,
        interface=_interface(tree, problem),
        entry_point=problem.entry_point,
        tests=problem.test,
        prompt=problem.prompt,
        reference=problem.reference,
        facts=facts(prose),
        opening="",
        script=(ASKED_FIRST, f"```python\n{problem.reference.rstrip()}\n```"),
        source_task=problem.task_id,
        part=place.part,
        derived=True,
    )


def facts(prose: str) -> tuple[Fact, ...]:
    """The sentences and list entries of a docstring, as open facts."""
    told = (" ".join(one.split()) for one in _SENTENCE.split(prose))
    kept = [one for one in told if re.search(r"\w", one)][:MOST_FACTS]
    return tuple(Fact(id=f"f{n}", text=one, status="open") for n, one in enumerate(kept, start=1))


def _in_two(told: str) -> tuple[str, str]:
    """What a docstring says, and the examples behind it."""
    found = _EXAMPLES.search(told)
    if found is None or not told[: found.start()].strip():
        return told.strip(), ""
    return told[: found.start()].strip(), told[found.start() :].strip()


def _parsed(prompt: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for source in (prompt, f"{prompt.rstrip()}\n    pass\n"):
            try:
                return ast.parse(source)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
    return None


def _function(tree: ast.Module | None, name: str) -> ast.FunctionDef | None:
    body = tree.body if tree else []
    return next((one for one in body if isinstance(one, ast.FunctionDef) and one.name == name), None)


def _docstring(tree: ast.Module | None, problem: HumanEvalProblem) -> str:
    function = _function(tree, problem.entry_point)
    # Not `ast.get_docstring`: in some problems an import comes before the text.
    for node in function.body if function else ():
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))) if text.strip():
                return cleandoc(text)
    return problem.prompt.strip()


def _interface(tree: ast.Module | None, problem: HumanEvalProblem) -> str:
    function = _function(tree, problem.entry_point)
    if function is None:
        return f"def {problem.entry_point}(...)"
    returns = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"def {function.name}({ast.unparse(function.args)}){returns}"
