"""ClarifyCodeBench's file of tasks, read as clarification tasks; nothing in it is lost.

A line holds task_id, question_id (the source), keywords, modified_content (the statement) and qa_pairs. The
keywords label a task as a whole: there can be fewer of them than pairs, and their order is not that of the
pairs. So a gap gets a type only where one is certain: it is the task's only gap under its only label, or the
same question stands so in another task of the same source.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from studies.clarification.materials import ClarificationTask
from studies.clarification.taxonomy import TYPES, AmbiguityType, type_of
from studies.errors import FolderError, Problem
from studies.reading import explain, listed, read_objects, shown

KEYS = ("task_id", "question_id", "keywords", "modified_content", "qa_pairs")
_NAMES = {"id": "task_id", "source": "question_id", "types": "keywords", "statement": "modified_content"}
_PAIR = frozenset({"question", "answer", "type"})
_Line = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Tasks:
    """What a file of tasks holds."""

    tasks: tuple[ClarificationTask, ...]
    notes: tuple[str, ...]
    """What was read, for the researcher."""


def read_bytes(path: Path) -> bytes:
    """A file's bytes.

    Raises:
        FolderError: it cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
        raise FolderError([Problem(str(path), 0, "", reason, "a JSON Lines file")]) from error


def read_tasks(path: Path) -> Tasks:
    """The tasks of a file in the benchmark's format, or of a tasks.jsonl of this kind.

    Raises:
        FolderError: with every problem at once, by line and key.
    """
    file, problems = str(path), list[Problem]()
    lines = list(read_objects(file, read_bytes(path), problems))
    if not lines and not problems:
        problems.append(Problem(file, 0, "", "the file holds no tasks", "one task a line"))
    own = bool(lines) and not any("modified_content" in values or "qa_pairs" in values for _, values in lines)
    found = [_checked(file, line, values, {}, problems) for line, values in lines] if own else []
    if not own:
        found = list(_of_benchmark(file, lines, problems))
    tasks = [one for one in found if one is not None]
    if twice := [one for one, count in Counter(one.id for one in tasks).items() if count > 1]:
        expected = "an id of its own for each line"
        problems.append(Problem(file, 0, "id" if own else "task_id", f"{listed(twice)} twice", expected))
    if problems:
        raise FolderError(sorted(set(problems)))
    labels = 0 if own else sum(len(values["keywords"]) for _, values in lines)
    return Tasks(tuple(tasks), tuple(_notes(tasks, labels)))


def _notes(tasks: Sequence[ClarificationTask], labels: int) -> Iterator[str]:
    gaps = Counter(one.gaps for one in tasks)
    spread = ", ".join(f"{count} with {number}" for number, count in sorted(gaps.items()))
    pairs = sum(one.gaps for one in tasks)
    yield f"Read {len(tasks)} tasks with {pairs} question-answer pairs ({spread})."
    typed = sum(gap.type is not None for one in tasks for gap in one.key_questions)
    if labels:
        yield (
            f"{labels} type labels, kept for each task as a whole: they are not in the order of the pairs. "
            f"{typed} of {pairs} pairs have a type of their own: the only pair under the only label, or the "
            "same question standing so in another task of the source."
        )
    if others := sorted({key for one in tasks for key in one.columns}):
        yield f"Further columns are kept, otherwise unused: {listed(others)}."


# -- a line ------------------------------------------------------------------------------------


def _of_benchmark(
    file: str, lines: Sequence[_Line], problems: list[Problem]
) -> Iterator[ClarificationTask | None]:
    good = [(line, values) for line, values in lines if _shaped(file, line, values, problems)]
    alone = _alone([values for _, values in good])
    for line, values in good:
        types = tuple(one for one in map(type_of, values["keywords"]) if one is not None)
        pairs = values["qa_pairs"]
        gaps = [
            {
                "id": f"q{number}",
                "question": one["question"],
                "answer": one["answer"],
                "type": type_of(one.get("type") or "") or _certain(alone, values, one["question"], types),
            }
            for number, one in enumerate(pairs, 1)
        ]
        columns = {key: value for key, value in values.items() if key not in KEYS}
        if any(set(one) - _PAIR for one in pairs):
            columns["qa_pairs"] = pairs
        task = {
            "id": values["task_id"],
            "source": values["question_id"],
            "statement": values["modified_content"],
            "key_questions": tuple(gaps),
            "types": types,
            "columns": columns,
        }
        yield _checked(file, line, task, _NAMES, problems)


def _shaped(file: str, line: int, values: Mapping[str, Any], problems: list[Problem]) -> bool:
    before = len(problems)

    def wrong(key: str, found: str, expected: str) -> None:
        problems.append(Problem(file, line, key, found, expected))

    for key, kind, words in (
        ("task_id", str, "text"),
        ("question_id", str, "text"),
        ("keywords", list, "a list of types"),
        ("modified_content", str, "text"),
        ("qa_pairs", list, "a list of pairs"),
    ):
        if not isinstance(values.get(key), kind):
            wrong(key, shown(values[key]) if key in values else "missing", words)
    if len(problems) > before:
        return False
    for place, label in enumerate(values["keywords"]):
        if not isinstance(label, str) or type_of(label) is None:
            wrong(f"keywords.{place}", shown(label), f"one of {listed(one.label for one in TYPES.values())}")
    for place, pair in enumerate(values["qa_pairs"]):
        if not isinstance(pair, dict):
            wrong(f"qa_pairs.{place}", shown(pair), "a question with its answer")
            continue
        for key in ("question", "answer"):
            if not (isinstance(pair.get(key), str) and pair[key].strip()):
                found = shown(pair[key]) if key in pair else "missing"
                wrong(f"qa_pairs.{place}.{key}", found, "text that is not blank")
    return len(problems) == before


def _checked(
    file: str, line: int, values: Mapping[str, Any], names: Mapping[str, str], problems: list[Problem]
) -> ClarificationTask | None:
    try:
        return ClarificationTask.model_validate(values)
    except ValidationError as error:
        for one in explain(error, ClarificationTask, file, line):
            first, dot, rest = one.key.partition(".")
            key = f"{names.get(first, first)}{dot}{rest}"
            problems.append(Problem(file, line, key, one.found, one.expected))
        return None


# -- types of single gaps ----------------------------------------------------------------------

_Alone = Mapping[tuple[str, str], frozenset[AmbiguityType]]


def _alone(lines: Sequence[Mapping[str, Any]]) -> _Alone:
    """The type of each question that is the only one of a task with one label, by source and question."""
    found: dict[tuple[str, str], set[AmbiguityType]] = defaultdict(set)
    for values in lines:
        if len(values["qa_pairs"]) == len(values["keywords"]) == 1:
            label = type_of(values["keywords"][0])
            assert label is not None
            found[values["question_id"], values["qa_pairs"][0]["question"]].add(label)
    return {key: frozenset(labels) for key, labels in found.items()}


def _certain(
    alone: _Alone, values: Mapping[str, Any], question: str, types: Sequence[AmbiguityType]
) -> AmbiguityType | None:
    labels = alone.get((values["question_id"], question), frozenset()) & set(types)
    return next(iter(labels)) if len(labels) == 1 else None
