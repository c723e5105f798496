"""ClarifyCodeBench's run records: one JSON object a task, as its scorer reads them and its runs write them.

The scorer reads `hit_dict`, `turns` (else `response_contents`, else `messages`) and `key_question_num` (else
`qa_pairs`). Keys of our own stand beside the benchmark's, all optional: `model`, `seat`, `keywords`, `ended`,
`asked`, `covered`, `passed`, `participant`; its scorer passes over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.clarification.metrics import FINAL, Ended, Run, Seat, fresh
from studies.clarification.record_line import Labels, RecordLine
from studies.clarification.taxonomy import TYPES
from studies.errors import FolderError, Problem
from studies.reading import read_objects, shown


@dataclass(frozen=True, slots=True)
class Records:
    """The runs of one file of records."""

    file: str
    runs: tuple[Run, ...]
    without_response: tuple[str, ...] = ()
    """Tasks of records in which the first call failed: they have no figures, and the benchmark's scorer stops
    at them."""
    unnamed: int = 0
    """Runs that do not name their model."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """One task's dialogue: what a record, and a run's figures, are made of.

    Raises:
        ValueError: responses and messages of the assistant differ in number, or a response matched a key
            question that there is not.
    """

    task: str
    source: str
    """Id of the problem that the task was made from (`id` in the record)."""
    key_questions: tuple[str, ...]
    """Their texts, in file order; K is their number."""
    prompt: str
    """The underspecified statement."""
    messages: tuple[tuple[str, str], ...]
    """Role (`system`, `user`, `assistant`) and text, in order."""
    matched: tuple[tuple[int, ...], ...]
    """Of each message of the role `assistant`, a final one included: places, from 0, of the key questions
    that it matched, open or hit before. At most one under the benchmark's own rule."""
    ended: Ended
    code: str = ""
    """The final code, without what stood around it."""
    model: str | None = None
    seat: Seat | None = None
    types: tuple[str, ...] = ()
    asked: int | None = None
    """Questions really asked; None: every response but a final one asked one."""
    passed: bool | None = None
    participant: str | None = None
    """Pseudonym."""

    def __post_init__(self) -> None:
        if len(self.said) != len(self.matched):
            raise ValueError(f"{len(self.matched)} responses, {len(self.said)} messages of the assistant")
        if not self.covered <= set(range(len(self.key_questions))):
            raise ValueError(f"matched {sorted(self.covered)} of {len(self.key_questions)} key questions")

    @property
    def said(self) -> tuple[str, ...]:
        """The responses."""
        return tuple(text for role, text in self.messages if role == "assistant")

    @property
    def turns(self) -> tuple[tuple[int, ...], ...]:
        """`matched` of the question turns alone."""
        return self.matched[:-1] if self.ended in FINAL else self.matched

    @property
    def covered(self) -> set[int]:
        """Key questions that were hit."""
        return {place for turn in self.turns for place in turn}


def record_of(dialogue: Dialogue) -> dict[str, Any]:
    """The record of a dialogue, such that the benchmark's scorer gives the figures that we give."""
    hits = fresh(dialogue.turns)
    own = {
        "model": dialogue.model,
        "seat": dialogue.seat,
        "keywords": [_label(one) for one in dialogue.types] or None,
        "ended": dialogue.ended,
        "asked": dialogue.asked,
        "covered": len(dialogue.covered) if len(dialogue.covered) > sum(hits) else None,
        "passed": dialogue.passed,
        "participant": dialogue.participant,
    }
    return {
        "id": dialogue.source,
        "task_id": dialogue.task,
        "key_question_num": len(dialogue.key_questions),
        "prompt": dialogue.prompt,
        "messages": [{"role": role, "content": text} for role, text in dialogue.messages],
        "response_contents": list(dialogue.said),
        "hit_dict": {str(turn): int(hit) for turn, hit in enumerate(hits)},
        "hit_questions": sorted({dialogue.key_questions[one] for one in dialogue.covered}),
        "turns": len(dialogue.matched),
        "final_code": dialogue.code,
        "finished": dialogue.ended != "unfinished",
        **{key: value for key, value in own.items() if value is not None},
    }


def run_of(dialogue: Dialogue) -> Run:
    """The same dialogue as a run, which the record also reads back as.

    Raises:
        ValueError: there is no response.
    """
    hits = fresh(dialogue.turns)
    return Run(
        task=dialogue.task,
        types=dialogue.types,
        model=dialogue.model or "",
        seat=dialogue.seat or "none",
        gaps=len(dialogue.key_questions),
        hits=hits,
        responses=len(dialogue.matched),
        asked=len(dialogue.turns) if dialogue.asked is None else dialogue.asked,
        ended=dialogue.ended,
        passed=dialogue.passed,
        participant=dialogue.participant,
        covered=len(dialogue.covered) if len(dialogue.covered) > sum(hits) else None,
    )


def read_records(
    file: str, data: bytes, *, model: str, labels: Mapping[str, Labels] | None = None
) -> Records:
    """The runs of a file of records.

    Args:
        file: its name in problems.
        data: JSON Lines.
        model: the model of records that name none; the benchmark names a file after its model.
        labels: from `read_labels`, for the types of records that have no `keywords`.

    Raises:
        FolderError: every problem at once, by line and key.
    """
    problems: list[Problem] = []
    runs: list[Run] = []
    without: list[str] = []
    unnamed = 0
    for line, values in read_objects(file, data, problems):
        record = RecordLine(file, line, values, problems)
        run = record.run(model, labels)
        if isinstance(run, Run):
            runs.append(run)
            unnamed += not values.get("model")
        elif run is not None:
            without.append(run)
    if not runs and not problems:
        found = "the file holds no run with a response" if without else "the file holds no records"
        problems.append(Problem(file, 0, "", found, "one run record a line"))
    if problems:
        raise FolderError(sorted(set(problems)))
    return Records(file, tuple(runs), tuple(without), unnamed)


def read_labels(file: str, data: bytes) -> dict[str, Labels]:
    """Ambiguity types and number of gaps by task id, from the benchmark's task file.

    Raises:
        FolderError: every problem at once, by line and key.
    """
    problems: list[Problem] = []
    found: dict[str, Labels] = {}
    for line, values in read_objects(file, data, problems):
        record = RecordLine(file, line, values, problems)
        task, pairs = record.task(), record.taken("qa_pairs", list, "a list")
        types = record.types()
        if task is None or pairs is None:
            record.missing("qa_pairs", pairs)
        elif task in found:
            record.problem("task_id", f"{shown(task)} is there before", "an id of its own for each line")
        else:
            found[task] = Labels(types, len(pairs))
    if not found and not problems:
        problems.append(Problem(file, 0, "", "the file holds no tasks", "one task a line"))
    if problems:
        raise FolderError(sorted(set(problems)))
    return found


def _label(name: str) -> str:
    """A type as the benchmark's files write it."""
    return next((entry.label for known, entry in TYPES.items() if known == name), name)
