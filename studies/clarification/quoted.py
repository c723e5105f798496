"""Texts of participants, read from an export, as questions for matchers: the tasks of a coding study.

An export holds nothing of people who refused publication, withdrew or were erased. Of the rest, no name,
model, condition, turn or outcome goes into the tasks, and pilots stay out.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from studies.clarification.benchmark import read_bytes
from studies.clarification.materials import AskedQuestion, ClarificationTask, KeyQuestion
from studies.clarification.settings import Coding
from studies.coding import text_id
from studies.errors import FolderError, InputError, Problem
from studies.folder import parse
from studies.reading import read_rows, shown
from studies.roleplay.materials import Task
from studies.study import Study

MANIFEST, STUDY = "manifest.json", "study.json"
EXPECTED = "an export in the format jsonl, of a role-play study or of a clarification study's answerers"
KEEP = (
    "The folder holds what participants wrote. Whoever withdraws or is erased later is still in it, and in "
    "what is loaded from it: make it anew then."
)
M = TypeVar("M", bound=BaseModel)


class _Person(BaseModel):
    participant: str
    pilot: bool


class _Session(BaseModel):
    session: str
    part: str


class _Answer(BaseModel):
    session: str
    item: str
    participant: str
    turn: int
    by: str
    text: str
    own_words: bool


class _Turn(BaseModel):
    session: str
    item: str
    participant: str
    turn: int
    request: str
    opening: str


@dataclass(frozen=True, slots=True)
class Quoted:
    """What a coding study is made of."""

    tasks: tuple[ClarificationTask, ...]
    coding: Coding
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Text:
    item: str
    participant: str
    session: str
    turn: int
    text: str


def is_export(path: Path) -> bool:
    """Whether a folder holds an export."""
    return (path / MANIFEST).is_file()


def quoted(directory: Path) -> Quoted:
    """The tasks of an exported study with what its participants wrote about them.

    Of a role-play study these are the messages of held-out sessions, without fixed openings; of a
    clarification study the answers in people's own words.

    Raises:
        InputError: the export is of another format or kind, or nothing in it is to be coded.
        FolderError: a file of it has problems; it carries all of them.
    """
    study = _study(directory)
    messages = study.settings.kind == "roleplay"
    coding = Coding(of="messages" if messages else "answers", study=study.sha256)
    problems: list[Problem] = []
    pilots = {one.participant for one in _rows(directory, "participants", _Person, problems) if one.pilot}
    read = _messages if messages else _answers
    texts = {
        (one.session, one.turn): one
        for one in read(directory, problems)
        if one.participant not in pilots and one.text.strip()
    }
    if problems:
        raise FolderError(sorted(problems))
    asked: dict[str, list[AskedQuestion]] = {}
    for (session, turn), one in texts.items():
        name = text_id(study.settings.seed, session, turn)
        asked.setdefault(one.item, []).append(AskedQuestion(id=name, text=one.text))
    told = [_of_facts(one) for one in study.tasks] or [_of_gaps(one) for one in study.clarification_tasks]
    # In the order of their names, which is as good as chance.
    made = tuple(
        one.model_copy(update={"asked": tuple(sorted(asked[one.id], key=lambda text: text.id))})
        for one in told
        if one.id in asked and one.key_questions
    )
    several = sum(len(one.asked) for one in made)
    if not several:
        raise InputError(f"{directory}: it holds no {coding.of} about tasks with anything to give away")
    return Quoted(made, coding, (f"Read {several} {coding.of} about {len(made)} tasks.", KEEP))


# -- the tasks ---------------------------------------------------------------------------------


def _of_gaps(task: ClarificationTask) -> ClarificationTask:
    gaps = (KeyQuestion(id=one.id, question=one.question, answer=one.answer) for one in task.key_questions)
    statement = task.statement or task.full_statement
    return ClarificationTask(
        id=task.id, statement=statement, interface=task.interface, key_questions=tuple(gaps)
    )


def _of_facts(task: Task) -> ClarificationTask:
    facts = (KeyQuestion(id=one.id, question=one.text, answer=one.text) for one in task.facts)
    statement = task.opening or task.brief
    return ClarificationTask(
        id=task.id, statement=statement, interface=task.interface, key_questions=tuple(facts)
    )


# -- the export --------------------------------------------------------------------------------


def _answers(directory: Path, problems: list[Problem]) -> Iterator[_Text]:
    for one in _rows(directory, "answers", _Answer, problems):
        if one.by == "person" and one.own_words:
            yield _Text(one.item, one.participant, one.session, one.turn, one.text)


def _messages(directory: Path, problems: list[Problem]) -> Iterator[_Text]:
    sessions = _rows(directory, "sessions", _Session, problems)
    held_out = {one.session for one in sessions if one.part == "held_out"}
    for one in _rows(directory, "turns", _Turn, problems):
        if one.session in held_out and one.opening != "fixed":
            yield _Text(one.item, one.participant, one.session, one.turn, one.request)


def _rows(directory: Path, table: str, model: type[M], problems: list[Problem]) -> Sequence[M]:
    path = directory / f"{table}.jsonl"
    return [row.value for row in read_rows(str(path), read_bytes(path), model, problems)]


def _study(directory: Path) -> Study:
    """The study that was exported, if what its participants wrote can be coded."""
    about = _object(directory / MANIFEST)
    if about.get("format") != "jsonl":
        raise InputError(f"{directory}: an export in the format {shown(about.get('format'))}, not {EXPECTED}")
    try:
        files = {
            str(name): base64.b64decode(data, validate=True)
            for name, data in _object(directory / STUDY)["files"].items()
        }
    except (LookupError, TypeError, AttributeError, ValueError, binascii.Error) as error:
        raise InputError(f"{directory / STUDY}: cannot be read: {error}") from error
    study = parse(files)
    kind, seat = study.settings.kind, study.settings.clarification.seat
    if kind != "roleplay" and (kind, seat) != ("clarification", "answerer"):
        which = f"the seat {seat}" if kind == "clarification" else f"the kind {kind}"
        raise InputError(f"{directory}: an export of {which}, not {EXPECTED}")
    return study


def _object(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path))
    except ValueError as error:
        raise InputError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise InputError(f"{path}: {shown(found)}, not an object")
    return found
