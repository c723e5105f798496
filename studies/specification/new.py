"""Write a new, editable specification folder: a template that explains itself, and the bundled projects."""

from __future__ import annotations

import hashlib
import textwrap
from pathlib import Path
from string import Template

from studies.bundles import directory as bundled
from studies.bundles import study as bundled_study
from studies.errors import InputError
from studies.feasibility import nearest_multiples
from studies.folder import read_files
from studies.folder_checks import accept
from studies.new_folder import Created, design_lines, free_root, slug, title_of, toml_value, write
from studies.specification.design import balanced_participants, treatments

_TEMPLATES = Path(__file__).parents[1] / "templates" / "specification"
_TEXTS = ("consent.md", "instructions.md", "debrief.md")
_MATERIALS = ("projects.jsonl", "personas.toml")


def create(directory: Path, *, participants: int | None = None, seed: int | None = None) -> Created:
    """Write a specification folder whose `check` finds no error, all of it or nothing.

    Args:
        directory: new or empty; its name gives title and name.
        participants: planned number of participants, one slot each; without it slots are made as people come.
        seed: of everything drawn by chance; derived from the projects by default.

    Raises:
        InputError: the directory is not empty, or the count is below 1.
    """
    root = free_root(directory)
    if participants is not None and participants < 1:
        raise InputError(f"--participants is {participants}; expected at least 1")
    study = bundled_study("specification")
    settings = study.settings.specification
    balanced = balanced_participants(settings, study.projects)
    own = read_files(bundled("specification"))
    title = title_of(root.name)
    about = (
        f"{len(study.projects)} projects, {len(treatments(settings))} agents: each project meets each agent "
        f"equally often, as each task it is fit for, with {balanced} participants or a multiple."
    )
    files = {
        "study.toml": _filled(
            "study.toml",
            about=textwrap.fill(about, 108, subsequent_indent="# "),
            title=toml_value(title),
            name=toml_value(slug(title)),
            seed=_seed_of(own["projects.jsonl"]) if seed is None else seed,
            design=design_lines(participants, example=balanced),
        ),
        "analysis.toml": _analysis(participants, balanced, tuple(one.name for one in settings.agents)),
        **{name: (_TEMPLATES / name).read_bytes() for name in _TEXTS},
        **{name: own[name] for name in _MATERIALS},
    }
    accept(files)
    write(root, files)
    return Created(directory, _notes(participants, balanced), len(study.projects), [])


def _filled(file: str, **values: object) -> bytes:
    return Template((_TEMPLATES / file).read_text(encoding="utf-8")).substitute(values).encode("utf-8")


def _analysis(participants: int | None, balanced: int, agents: tuple[str, ...]) -> bytes:
    words = "completed participations; figures stay hidden on screens until then"
    planned, rule = f"# planned_n = {balanced:<20} # {words}", ""
    if participants is not None:
        planned = f"planned_n = {participants:<22} # {words}"
        rule = f"All {participants} slots are completed; a drop-out's slot goes to a replacement."
    return _filled(
        "analysis.toml",
        contrast=toml_value(" minus ".join(agents[:2])),
        planned_n=planned,
        stopping_rule=toml_value(rule),
    )


def _notes(participants: int | None, balanced: int) -> list[str]:
    notes = [
        "The projects, people and scripts are those of the bundled study: put your own into projects.jsonl "
        "and personas.toml."
    ]
    if participants is None:
        notes.append(f"The design is balanced with {balanced} participants, or a multiple.")
    elif participants % balanced:
        near = " or ".join(map(str, nearest_multiples(participants, balanced)))
        notes.append(
            f"With {participants} participants not every project meets each agent equally often, as each "
            f"task it is fit for; with {near} it would."
        )
    return notes


def _seed_of(projects: bytes) -> int:
    return int.from_bytes(hashlib.sha256(projects).digest()[:4], "big") >> 1
