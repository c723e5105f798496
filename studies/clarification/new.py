"""Write a new, editable clarification folder: for any seat, from tasks and perhaps from run records."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from studies.bundles import directory as bundled
from studies.clarification.asked import looks_like_records, with_asked
from studies.clarification.benchmark import read_tasks
from studies.clarification.materials import AskedQuestion, ClarificationTask
from studies.clarification.new_texts import render
from studies.clarification.quoted import is_export, quoted
from studies.clarification.settings import Coding
from studies.errors import InputError
from studies.events import to_ascii_json
from studies.folder_checks import accept
from studies.new_design import left_out_notes, settled, wished
from studies.new_folder import Created, free_root, json_line, write
from studies.reading import listed
from studies.strata import draw_from

Seat = Literal["answerer", "matcher", "asker", "author"]
SEATS: tuple[Seat, ...] = get_args(Seat)
MATCHERS = 2
"""People who label each asked question where the researcher sets no number."""
TASKS_A_BLOCK = 3
"""Tasks between two rests where the researcher sets no number."""
_Unit = ClarificationTask | tuple[ClarificationTask, AskedQuestion]
_Units = Sequence[_Unit]


@dataclass(frozen=True, slots=True)
class _Read:
    """What a study starts from."""

    tasks: tuple[ClarificationTask, ...]
    notes: tuple[str, ...]
    seed: int
    coding: Coding | None = None


def create(
    directory: Path,
    *,
    source: Path | None = None,
    tasks_file: Path | None = None,
    seat: str | None = None,
    participants: int | None = None,
    items_each: int | None = None,
    raters: int | None = None,
    block: int | None = None,
    unequal: bool = False,
    seed: int | None = None,
) -> Created:
    """Write a clarification folder whose `check` finds no error, all of it or nothing.

    Args:
        directory: new or empty; its name gives title and name.
        source: tasks in ClarifyCodeBench's format or that of tasks.jsonl; or run records (a file, or a folder
            with a file for each model), which make a study for matchers; or an export (jsonl) of a role-play
            or an answerers' study, which makes one for coders. None: the bundled study's tasks.
        tasks_file: the tasks that the run records are about.
        seat: where the participants sit; `matcher` for run records and exports, else `answerer` by default.
        participants: planned number of participants, one slot each.
        items_each: tasks, or asked questions, a participant gets.
        raters: participants each of them goes to; matchers are two by default where anything is planned, and
            coders always.
        block: tasks or asked questions between two rests.
        unequal: keep everything where the counts do not divide.
        seed: of everything drawn by chance; derived from the materials by default.

    Raises:
        InputError: the directory is not empty, seat and source do not fit, or the counts make no design.
        FolderError: a file has problems; it carries all of them.
    """
    root = free_root(directory)
    sits = _seat(seat, source, tasks_file)
    read = _read(sits, source, tasks_file, seed)
    if sits == "matcher" and raters is None and (participants or items_each):
        raters = None if participants and items_each else MATCHERS
    elif read.coding and not (participants or raters):
        participants = MATCHERS
    wish = wished(
        participants=participants, items_each=items_each, raters=raters, block=block, unequal=unequal
    )
    units = _units(sits, read.tasks)
    columns = _columns(sits, units)
    plan, changed = settled(replace(wish, strata=columns), len(units))
    if sits != "matcher":
        plan = replace(plan, block=wish.block or TASKS_A_BLOCK)
    strata = [tuple(to_ascii_json(_column(one, name)) for name in columns) for one in units]
    drawn = set(draw_from(strata, plan.items, read.seed))
    kept = [one for place, one in enumerate(units) if place in drawn]
    left_out = [_id(one) for place, one in enumerate(units) if place not in drawn]
    tasks = _tasks_of(kept)
    notes = [*read.notes, *changed, *left_out_notes(plan, len(units), [], left_out), *_missing(sits, tasks)]
    files = render(root.name, sits, plan, tasks, read.seed, left_out, read.coding)
    files["tasks.jsonl"] = b"".join(map(json_line, tasks))
    accept(files)
    write(root, files)
    return Created(directory, notes, len(kept), left_out)


# -- what to start from ------------------------------------------------------------------------


def _seat(seat: str | None, source: Path | None, tasks_file: Path | None) -> Seat:
    if seat is not None and seat not in SEATS:
        raise InputError(f"no seat {seat!r}; there is: {', '.join(SEATS)}")
    exported = source is not None and is_export(source)
    records = source is not None and not exported and looks_like_records(source)
    if records and tasks_file is None:
        raise InputError(
            f"{source} holds run records, which lack key questions; give their tasks too, with --tasks FILE"
        )
    if tasks_file is not None and not records:
        raise InputError("--tasks goes with run records: --from RECORDS --tasks FILE")
    if (records or exported) and seat not in (None, "matcher"):
        what = "run records make" if records else "an export makes"
        raise InputError(f"{what} a study for matchers, not for the seat {seat}")
    found: Seat = next(
        (one for one in SEATS if one == seat), "matcher" if records or exported else "answerer"
    )
    return found


def _read(seat: Seat, source: Path | None, tasks_file: Path | None, seed: int | None) -> _Read:
    if source is not None and is_export(source):
        told = quoted(source)
        return _Read(told.tasks, told.notes, _seed_of(told.tasks) if seed is None else seed, told.coding)
    path = tasks_file or source or bundled("clarification") / "tasks.jsonl"
    found = read_tasks(path)
    notes = found.notes if source else ("The tasks are those of the bundled study.",)
    seed = _seed_of(found.tasks) if seed is None else seed
    if tasks_file is not None and source is not None:
        tasks, more = with_asked(found.tasks, source, seed)
        return _Read(tasks, (*notes, *more), seed)
    if seat == "matcher" and not any(one.asked for one in found.tasks):
        raise InputError("matchers need asked questions: --from RECORDS --tasks FILE, or --from EXPORT")
    return _Read(_fitting(seat, found.tasks), notes, seed)


def _fitting(seat: Seat, tasks: Sequence[ClarificationTask]) -> tuple[ClarificationTask, ...]:
    """The tasks as the seat needs them, or an error that names those that lack what it needs."""
    if seat == "author":
        _refuse_without(
            "a complete statement (full_statement), which an author shortens", tasks, "full_statement"
        )
        gone = {"statement": "", "key_questions": (), "types": (), "asked": (), "script": ()}
        return tuple(one.model_copy(update=gone) for one in tasks)
    _refuse_without(f"a statement, which the seat {seat} needs", tasks, "statement")
    if seat == "answerer":
        return tuple(one if one.script else one.model_copy(update={"script": _script(one)}) for one in tasks)
    return tuple(one for one in tasks if one.asked) if seat == "matcher" else tuple(tasks)


def _refuse_without(what: str, tasks: Sequence[ClarificationTask], part: str) -> None:
    if lack := [one.id for one in tasks if not getattr(one, part).strip()]:
        raise InputError(f"{len(lack)} of {len(tasks)} tasks lack {what}: {listed(lack)}")


def _script(task: ClarificationTask) -> tuple[str, ...]:
    """For pilots without a model: the key questions word for word, then the reference or next to nothing."""
    asked = (f"[QUESTION]\n{one.question}\n[/QUESTION]" for one in task.key_questions)
    code = task.reference.rstrip() or "# A rehearsal: there is no program."
    return (*asked, f"[CODE]\n{code}\n[/CODE]")


def _seed_of(tasks: Sequence[ClarificationTask]) -> int:
    digest = hashlib.sha256(b"".join(map(json_line, tasks))).digest()
    return int.from_bytes(digest[:4], "big") >> 1


# -- what participants get ---------------------------------------------------------------------


def _units(seat: Seat, tasks: Sequence[ClarificationTask]) -> _Units:
    return [(task, one) for task in tasks for one in task.asked] if seat == "matcher" else tasks


def _id(unit: _Unit) -> str:
    return unit[1].id if isinstance(unit, tuple) else unit.id


def _column(unit: _Unit, name: str) -> str | int:
    if isinstance(unit, tuple):
        values: Mapping[str, str | int] = {"vote": unit[1].stratum, "model": unit[1].model}
    else:
        values = {"gaps": unit.gaps, "source": unit.source}
    return values[name]


def _columns(seat: Seat, units: _Units) -> tuple[str, ...]:
    """Over what the order is spread. An asker who met two variants of one source would learn from them."""
    wanted = {"matcher": ("vote", "model"), "asker": ("source",), "answerer": ("gaps",), "author": ()}[seat]
    return tuple(name for name in wanted if len({_column(one, name) for one in units}) > 1)


def _tasks_of(kept: _Units) -> list[ClarificationTask]:
    tasks: dict[str, ClarificationTask] = {}
    asked: dict[str, list[AskedQuestion]] = {}
    for one in kept:
        task, question = one if isinstance(one, tuple) else (one, None)
        tasks[task.id] = task
        if question is not None:
            asked.setdefault(task.id, []).append(question)
    return [
        one.model_copy(update={"asked": tuple(asked[one.id])}) if one.id in asked else one
        for one in tasks.values()
    ]


def _missing(seat: Seat, tasks: Sequence[ClarificationTask]) -> list[str]:
    notes = []
    if seat in ("answerer", "asker") and not any(one.full_statement for one in tasks):
        notes.append(
            'There are no complete statements: answers come from the annotated ones (source = "annotated").'
        )
    if seat == "answerer" and not any(one.testable for one in tasks):
        notes.append("There are no hidden tests: pass@1 is undefined until tasks.jsonl has tests.")
    if seat == "answerer" and not any(one.reference for one in tasks):
        notes.append(
            "The scripts of the rehearsal were made by program: it asks the key questions word for word. "
            "They are for pilots; put a model in its place."
        )
    return notes
