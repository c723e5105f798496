"""`new`, `check` and `load`: study folders."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from capa_tui import paths, report
from studies.errors import InputError, Problem

if TYPE_CHECKING:
    from studies.new_folder import Created


def new(arguments: Namespace) -> int:
    """`capa-tui new DIR`: write an editable study folder."""
    from studies.bundles import KINDS

    if arguments.kind not in KINDS:
        raise InputError(f"no study kind {arguments.kind!r}; there is: {', '.join(KINDS)}")
    made = _MAKERS[arguments.kind](arguments)
    for note in made.notes:
        report.say(note)
    things = "projects" if arguments.kind == "specification" else "items or tasks"
    report.say(f"{made.directory}: a study of {made.items} {things}. Next: edit study.toml, then")
    report.say(f"  capa-tui check {made.directory}\n  capa-tui load {made.directory}")
    return 0


def _roleplay(arguments: Namespace) -> Created:
    from studies.roleplay.new import create

    _refuse(
        arguments,
        (*_OF_ANNOTATION, *_OF_CLARIFICATION),
        "for other kinds; a role-play study takes --from and --participants",
    )
    return create(
        Path(arguments.directory),
        source=arguments.source,
        participants=arguments.participants,
        cells=arguments.cells,
        seed=arguments.seed,
    )


def _specification(arguments: Namespace) -> Created:
    from studies.specification.new import create

    takes = (
        "for other kinds; a specification study takes --participants and --seed, and its projects are edited"
    )
    _refuse(arguments, (*_OF_ANNOTATION, *_OF_ROLEPLAY), takes)
    return create(Path(arguments.directory), participants=arguments.participants, seed=arguments.seed)


def _annotation(arguments: Namespace) -> Created:
    from studies.new import create

    _refuse(
        arguments,
        (*_OF_ROLEPLAY, *_OF_CLARIFICATION),
        "for other kinds of study; an annotation study takes --items",
    )
    if arguments.items and not (arguments.text_field and arguments.id_field):
        raise InputError("--items also needs --text-field and --id-field")
    return create(
        Path(arguments.directory),
        items_file=Path(arguments.items) if arguments.items else None,
        text_field=arguments.text_field,
        id_field=arguments.id_field,
        context_field=arguments.context_field,
        participants=arguments.participants,
        items_each=arguments.items_each,
        raters=arguments.raters,
        block=arguments.block,
        unequal=arguments.unequal,
        preset=arguments.preset,
        seed=arguments.seed,
    )


def _clarification(arguments: Namespace) -> Created:
    from studies.clarification.new import create

    others = ("items", "text_field", "id_field", "context_field", "preset", "cells")
    _refuse(arguments, others, "for other kinds of study; a clarification study takes --from")
    return create(
        Path(arguments.directory),
        source=Path(arguments.source) if arguments.source else None,
        tasks_file=Path(arguments.tasks) if arguments.tasks else None,
        seat=arguments.seat,
        participants=arguments.participants,
        items_each=arguments.items_each,
        raters=arguments.raters,
        block=arguments.block,
        unequal=arguments.unequal,
        seed=arguments.seed,
    )


_MAKERS: Mapping[str, Callable[[Namespace], Created]] = {
    "annotation": _annotation,
    "roleplay": _roleplay,
    "clarification": _clarification,
    "specification": _specification,
}
_OF_ANNOTATION = (
    "items",
    "text_field",
    "id_field",
    "context_field",
    "items_each",
    "raters",
    "block",
    "unequal",
    "preset",
)
_OF_ROLEPLAY = ("from", "cells")
_OF_CLARIFICATION = ("seat", "tasks")


def _refuse(arguments: Namespace, flags: Sequence[str], words: str) -> None:
    """Refuse flags that the kind has no use for.

    Raises:
        InputError: some were given; it names them.
    """
    given = [
        "--" + one.replace("_", "-")
        for one in flags
        if getattr(arguments, "source" if one == "from" else one)
    ]
    if given:
        raise InputError(f"{', '.join(given)}: {words}")


def check(arguments: Namespace) -> int:
    """`capa-tui check DIR`: every problem at once; 1 if there is any."""
    from studies.folder import read_files
    from studies.folder_checks import check as problems_of

    files = read_files(Path(arguments.directory))
    found = problems_of(files)
    if not any(not one.warning for one in found):
        found += _refused_references(files)
    problems = [one for one in found if not one.warning]
    warnings = [one for one in found if one.warning]
    if arguments.json:
        shown = {"problems": problems, "warnings": warnings}
        report.emit({name: [_shown(asdict(one)) for one in some] for name, some in shown.items()})
    else:
        for one in problems:
            report.line(str(one))
        for one in warnings:
            report.line(f"warning: {one}")
        report.say(f"{len(problems)} problems, {len(warnings)} warnings")
    return 1 if problems else 0


def _refused_references(files: Mapping[str, bytes]) -> list[Problem]:
    """Tasks whose own hidden tests do not accept their reference solution."""
    from capa_tui.packs import of_study, references
    from studies.folder import parse

    submitted = references(of_study(parse(files)))
    if not submitted:
        return []
    from capa_tui.commands.judging import verdicts_on

    verdicts = asyncio.run(verdicts_on(submitted))
    problems = []
    for one, verdict in zip(submitted, verdicts, strict=True):
        if verdict.verdict == "not_run":
            return [
                Problem("tasks.jsonl", 0, "reference", f"not checked: {verdict.detail}", "", warning=True)
            ]
        if not verdict.passed:
            found = f"the task's own tests do not accept it: {verdict.verdict} {verdict.detail}".strip()
            problems.append(Problem("tasks.jsonl", 0, f"{one.task.id} reference", found, "a right solution"))
    return problems


def _shown(problem: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in problem.items() if key != "warning"}


def load(arguments: Namespace) -> int:
    """`capa-tui load DIR`: copy a study folder into the database."""
    from capa_tui.services import opened
    from studies.folder import read_files
    from studies.folder_checks import accept

    study = accept(read_files(Path(arguments.directory)))
    with opened(paths.database(arguments.db)) as services:
        loaded = asyncio.run(services.desk.load(study))
    record = loaded.record
    report.emit(
        {"study": record.name, "version": record.version, "items": record.items, "sha256": record.sha256}
    )
    already = "" if loaded.new else " (it was there already; nothing changed)"
    report.say(f"{record.title}: {record.reference}, {record.items} items{already}")
    return 0
