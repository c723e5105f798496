"""Run records, read as questions for matchers: what was asked about each task, and what the judge said of it.

Records hold no votes, only outcomes: `hit_dict` says of each question whether it hit a key question not hit
before, and the reply tells more. The judge walks the key questions in the file's order up to the first match.
So a reply with an annotated answer says yes to that key question and no to those before it, "not relevant"
says no to all, and "already answered" says yes to the one hit before, if there was only one. Each such
outcome is kept as one vote; what the record leaves open is left open.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.chance import Chance
from studies.clarification.benchmark import read_bytes
from studies.clarification.materials import AskedQuestion, ClarificationTask
from studies.clarification.records import read_records
from studies.clarification.settings import ALREADY_ANSWERED, NOT_RELEVANT
from studies.errors import FolderError, Problem
from studies.reading import listed, read_objects, shown

_TAGGED = re.compile(r"\[QUESTION\]\s*(.*?)\s*(?:\[/QUESTION\]|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Found:
    task: str
    run: str
    turn: int
    model: str
    text: str
    hit: bool
    votes: Mapping[str, tuple[bool, ...]]


def record_files(source: Path) -> list[Path]:
    """A file of records, or those of a folder: the benchmark names each file after its model.

    Raises:
        FolderError: there are none.
    """
    files = sorted(source.glob("*.jsonl")) if source.is_dir() else [source]
    if not files:
        raise FolderError([Problem(str(source), 0, "", "no .jsonl file in it", "files of run records")])
    return files


def looks_like_records(path: Path) -> bool:
    """Whether a file, or a folder of files, holds run records."""
    if path.is_dir():
        return True
    first = next(read_objects(str(path), read_bytes(path), []), (0, {}))[1]
    return "hit_dict" in first


def with_asked(
    tasks: Sequence[ClarificationTask], source: Path, seed: int
) -> tuple[tuple[ClarificationTask, ...], list[str]]:
    """The tasks that questions were asked about, with those questions; and what was read.

    The ids of questions are numbers in random order, so that none tells its model or turn.

    Raises:
        FolderError: the records have problems, or do not fit the tasks; it carries all of them.
    """
    known = {one.id: one for one in tasks}
    problems: list[Problem] = []
    found: list[_Found] = []
    for path in record_files(source):
        data = read_bytes(path)
        read_records(str(path), data, model=path.stem)
        found += _of_file(path, data, known, problems)
    turns = Counter((one.task, one.run, one.turn) for one in found)
    if twice := dict.fromkeys(f"{task} in {run}" for (task, run, _), count in turns.items() if count > 1):
        words = f"more than one record: {listed(twice)}"
        problems.append(Problem(str(source), 0, "task_id", words, "one for each task and run"))
    if not found and not problems:
        problems.append(Problem(str(source), 0, "", "nothing was asked in any record", "questions"))
    if problems:
        raise FolderError(sorted(set(problems)))
    asked: dict[str, list[AskedQuestion]] = defaultdict(list)
    width = len(str(len(found)))
    for number, one in enumerate(Chance(seed, 0, "ids of asked questions").shuffled(found), 1):
        asked[one.task].append(
            AskedQuestion(
                id=f"asked-{number:0{width}}",
                text=one.text,
                run=one.run,
                turn=one.turn,
                model=one.model,
                hit=one.hit,
                votes=dict(one.votes),
            )
        )
    kept = [one.model_copy(update={"asked": tuple(asked[one.id])}) for one in tasks if one.id in asked]
    return tuple(kept), list(_notes(found, kept))


def _notes(found: Sequence[_Found], kept: Sequence[ClarificationTask]) -> Iterator[str]:
    models = sorted({one.model for one in found})
    yield (
        f"Read {len(found)} questions about {len(kept)} tasks, asked by {listed(models)}. "
        f"{sum(one.hit for one in found)} of them hit a key question not hit before."
    )
    unclear = sum(not one.votes for one in found)
    yield (
        "Records keep the judge's outcome and no single votes: each outcome stands as one vote, so nothing "
        f"is split. Of {unclear} questions the record does not tell which key question was meant."
    )


def _of_file(
    path: Path, data: bytes, known: Mapping[str, ClarificationTask], problems: list[Problem]
) -> Iterator[_Found]:
    for line, values in read_objects(str(path), data, problems):
        task = known.get(str(values["task_id"]))
        if task is None:
            found = f"{shown(values['task_id'])}: no such task"
            problems.append(Problem(str(path), line, "task_id", found, "a task of the file of tasks"))
            continue
        gaps = values.get("key_question_num")
        if gaps is not None and gaps != task.gaps:
            found, expected = str(gaps), f"{task.gaps}, as in the file of tasks"
            problems.append(Problem(str(path), line, "key_question_num", found, expected))
            continue
        said = _dialogue(values)
        if len(said) < len(values["hit_dict"]):
            found, expected = f"{len(said)} responses", f"the {len(values['hit_dict'])} that were judged"
            problems.append(Problem(str(path), line, "messages", found, expected))
            continue
        model = values.get("model") or path.stem
        before: set[str | None] = set()
        for turn, (text, reply) in enumerate(said[: len(values["hit_dict"])], 1):
            if not text:
                continue
            hit = bool(values["hit_dict"][str(turn - 1)])
            votes = _votes(task, reply, before, hit=hit)
            if hit:
                before.add(next((gap for gap, (said,) in votes.items() if said), None))
            yield _Found(task.id, path.stem, turn, model, text, hit, votes)


def _dialogue(values: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Each question as it was asked, with the reply to it where the record holds one."""
    pairs: list[tuple[str, str]] = []
    for one in values.get("messages") or ():
        text = str(one.get("content") or "")
        if one.get("role") == "assistant":
            pairs.append((_question(text), ""))
        elif one.get("role") == "user" and pairs:
            pairs[-1] = (pairs[-1][0], text)
    return pairs or [(_question(str(one or "")), "") for one in values.get("response_contents") or ()]


def _question(text: str) -> str:
    found = _TAGGED.search(text)
    return (found[1] if found else text).strip()


def _votes(
    task: ClarificationTask, reply: str, before: Collection[str | None], *, hit: bool
) -> dict[str, tuple[bool, ...]]:
    """What the judge said of a question, as far as the record tells.

    Args:
        task: with its key questions.
        reply: to the question.
        before: the key questions hit before; None for one that is not known.
        hit: whether the question hit one not hit before.
    """
    gaps = task.key_questions
    if not hit and reply.startswith(NOT_RELEVANT):
        return {one.id: (False,) for one in gaps}
    given: list[int] = []
    if hit:
        given = [place for place, one in enumerate(gaps) if reply.startswith(one.answer)]
    elif reply.startswith(ALREADY_ANSWERED):
        given = [place for place, one in enumerate(gaps) if set(before) == {one.id}]
    if len(given) != 1:
        return {}
    return {one.id: (place == given[0],) for place, one in enumerate(gaps[: given[0] + 1])}
