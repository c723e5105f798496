"""ClarifyCodeBench's run records: one JSON object a task, as its scorer reads them and its runs write them.

The scorer reads `hit_dict`, `turns` (else `response_contents`, else `messages`) and `key_question_num` (else
`qa_pairs`). Keys of our own stand beside the benchmark's, all optional: `model`, `seat`, `keywords`, `ended`,
`asked`, `passed`, `participant`; its scorer passes over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.clarification.metrics import FINAL, Ended, Run, Seat
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
class Response:
    """One response of whoever asks."""

    matched: int | None = None
    """Place, from 0, of the key question that it hit."""
    repeated: bool = False
    """That key question had been hit before."""


@dataclass(frozen=True, slots=True)
class Dialogue:
    """What a record is made of."""

    task: str
    source: str
    """Id of the problem that the task was made from (`id` in the record)."""
    key_questions: tuple[str, ...]
    """Their texts, in file order; K is their number."""
    prompt: str
    """The underspecified statement."""
    messages: tuple[tuple[str, str], ...]
    """Role (`system`, `user`, `assistant`) and text, in order."""
    responses: tuple[Response, ...]
    """One for each message of the role `assistant`; the final one among them."""
    ended: Ended
    code: str = ""
    """The final code, without what stood around it."""
    model: str | None = None
    seat: Seat | None = None
    types: tuple[str, ...] = ()
    asked: int | None = None
    """Questions really asked; None: every response but a final one."""
    passed: bool | None = None
    participant: str | None = None
    """Pseudonym."""


def record_of(dialogue: Dialogue) -> dict[str, Any]:
    """The record of a run, such that the benchmark's scorer gives the figures that we give.

    Raises:
        ValueError: a response is missing or too many, or matches no key question of the task.
    """
    said = [text for role, text in dialogue.messages if role == "assistant"]
    if len(said) != len(dialogue.responses):
        raise ValueError(f"{len(dialogue.responses)} responses to {len(said)} messages of the assistant")
    matched = [one.matched for one in dialogue.responses if one.matched is not None]
    if not set(matched) <= set(range(len(dialogue.key_questions))):
        raise ValueError(f"key questions {matched} of {len(dialogue.key_questions)}")
    turns = dialogue.responses[:-1] if dialogue.ended in FINAL else dialogue.responses
    hits = [one.matched is not None and not one.repeated for one in turns]
    own = {
        "model": dialogue.model,
        "seat": dialogue.seat,
        "keywords": [_label(one) for one in dialogue.types] or None,
        "ended": dialogue.ended,
        "asked": dialogue.asked,
        "passed": dialogue.passed,
        "participant": dialogue.participant,
    }
    return {
        "id": dialogue.source,
        "task_id": dialogue.task,
        "key_question_num": len(dialogue.key_questions),
        "prompt": dialogue.prompt,
        "messages": [{"role": role, "content": text} for role, text in dialogue.messages],
        "response_contents": said,
        "hit_dict": {str(turn): int(hit) for turn, hit in enumerate(hits)},
        "hit_questions": sorted({dialogue.key_questions[one] for one in matched}),
        "turns": len(said),
        "final_code": dialogue.code,
        "finished": dialogue.ended != "unfinished",
        **{key: value for key, value in own.items() if value is not None},
    }


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
