"""New study folders: editable, whole, and without an error."""

from __future__ import annotations

import json
import os
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies import new_folder
from studies.assignment import lay_out
from studies.bundles import directory
from studies.bundles import study as bundled
from studies.errors import FolderError, InputError
from studies.folder import parse, read_files
from studies.folder_checks import check
from studies.new import Created, create
from studies.new_files import toml_value
from studies.study import Study


def rows_file(path: Path, count: int, **more: Any) -> Path:
    """A JSON Lines file of requests, in which `more` gives each row further columns by function."""
    rows = [
        {"task": f"task_{n}", "prompt": f"Do {n}."} | {key: make(n) for key, make in more.items()}
        for n in range(count)
    ]
    file = path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


def made(path: Path, count: int = 0, /, *, columns: dict[str, Any] | None = None, **asked: Any) -> Created:
    """A new folder from that many requests, or from the bundled study."""
    if count:
        file = rows_file(path, count, **(columns or {}))
        asked |= {"items_file": file, "text_field": "prompt", "id_field": "task"}
    return create(path / "my-study", **asked)


def study_of(created: Created) -> Study:
    """The study written, which has no error."""
    files = read_files(created.directory)
    assert [one for one in check(files) if not one.warning] == []
    study = parse(files)
    assert study.files == files
    assert len(study.items) == created.items
    return study


# -- what is written ---------------------------------------------------------------------------


def test_without_items_it_starts_from_the_bundled_study(tmp_path: Path) -> None:
    created = made(tmp_path)
    study = study_of(created)
    own = bundled("annotation")
    assert study.items == own.items
    assert study.training == own.training
    assert (created.notes, created.left_out) == ([], [])


def test_without_counts_everybody_gets_everything_and_nothing_is_added(tmp_path: Path) -> None:
    settings = study_of(made(tmp_path, 30)).settings
    design = settings.design
    assert (design.kind, design.participants, design.items_each, design.raters) == (
        "everything",
        None,
        None,
        None,
    )
    assert (design.repeats, design.checks, settings.training.pass_mark) == (0, 0, None)
    assert (settings.name, settings.title) == ("my-study", "my study")


def test_further_columns_and_any_character_are_kept(tmp_path: Path) -> None:
    columns = {
        "qa_pairs": lambda n: [{"question": "q", "answer": n}],
        "note": lambda n: "\u2028\u0085\x00\U0001f600\u202e" + ("\udc80" if n else ""),
    }
    created = made(tmp_path, 2, columns=columns)
    extra = [item.model_extra for item in study_of(created).items]
    assert extra == [{key: make(n) for key, make in columns.items()} for n in range(2)]
    written = (created.directory / "items.jsonl").read_text(encoding="utf-8")
    assert len(written.splitlines()) == 2
    assert "\U0001f600" in written


def test_practice_is_apart_from_the_items(tmp_path: Path) -> None:
    practice = bundled("annotation").training
    rows = [
        {"id": practice[1].id, "request": "Something else."},
        {"id": "x", "request": practice[0].request.upper()},
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    study = study_of(create(tmp_path / "new", items_file=file))
    assert study.training[0].id == f"practice-{practice[1].id}"
    assert len(study.training) == len(practice) - 1


def test_examples_of_the_codebook_are_left_out(tmp_path: Path) -> None:
    example = bundled("annotation").codebook.entry("DCP").examples[0].split('"')[1]
    rows = [{"id": "a", "request": "Something else."}, {"id": "b", "request": example}]
    file = tmp_path / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    created = create(tmp_path / "new", items_file=file)
    assert [one.id for one in study_of(created).items] == ["a"]
    assert created.left_out == ["b"]
    assert "examples of the codebook" in created.notes[0]


def test_every_key_that_is_commented_out_is_one_that_there_is(tmp_path: Path) -> None:
    files = read_files(made(tmp_path).directory)
    commented = re.compile(rb"^# (?=\w+ = .* # )", re.MULTILINE)
    opened = parse({name: commented.sub(b"", data) for name, data in files.items()})
    assert opened.settings.design.participants == 20
    assert opened.settings.training.exclude
    assert opened.settings.resume.max_days == 14
    assert opened.analysis.exclusions.median_ms_below == 5000


def test_a_csv_with_a_dialogue(tmp_path: Path) -> None:
    file = tmp_path / "rows.csv"
    file.write_text('id;request;turns\na;"one; ""two""";"[{""role"": ""user"", ""text"": ""hi""}]"\n')
    study = study_of(create(tmp_path / "new", items_file=file, context_field="turns"))
    assert study.items[0].request == 'one; "two"'
    assert study.items[0].context[0].text == "hi"


def test_columns_that_had_to_be_renamed_are_told(tmp_path: Path) -> None:
    created = made(tmp_path, 2, columns={"gold": lambda n: "code"})
    assert "kept as gold_" in created.notes[0]
    assert study_of(created).items[0].model_extra == {"gold_": "code"}


# -- the design --------------------------------------------------------------------------------


def test_counts_that_the_items_fit(tmp_path: Path) -> None:
    created = made(tmp_path, 60, participants=6, items_each=20, raters=2, block=5)
    study = study_of(created)
    assert study.settings.design.block == 5
    assert study.analysis.planned_n == 6
    assert (created.items, created.left_out, created.notes) == (60, [], [])
    seen = [place.item for slot in range(1, 7) for place in lay_out(study, slot).order]
    assert {seen.count(item.id) for item in study.items} == {2}


def test_more_items_than_the_counts_need(tmp_path: Path) -> None:
    created = made(tmp_path, 419, participants=20, items_each=20, raters=2, seed=1)
    study = study_of(created)
    assert (created.items, len(created.left_out)) == (200, 219)
    kept = [item.id for item in study.items]
    assert sorted([*kept, *created.left_out]) == sorted(f"task_{n}" for n in range(419))
    assert kept == sorted(kept, key=lambda one: int(one[5:]))
    written = (created.directory / "study.toml").read_text(encoding="utf-8")
    assert set(created.left_out) <= set(written.split())
    assert "219 items" in written
    assert "drawn at random from 419" in created.notes[0]


def test_two_counts_fix_the_third_and_the_nearest_smaller_number_of_items(tmp_path: Path) -> None:
    created = made(tmp_path, 419, participants=20, raters=2)
    design = study_of(created).settings.design
    assert (design.participants, design.items_each, design.raters, created.items) == (20, 41, 2, 410)
    assert len(created.left_out) == 9


def test_counts_that_do_not_divide(tmp_path: Path) -> None:
    created = made(tmp_path, 40, participants=3, items_each=21, raters=2)
    assert study_of(created).settings.design.items_each == 20
    assert "20 items instead" in created.notes[0]


def test_the_subset_keeps_the_proportions_of_the_strata(tmp_path: Path) -> None:
    columns = {"gold": lambda n: ("DCP", "SLM", "SLM", "SLM")[n % 4], "source": lambda n: "ab"[n % 8 < 4]}
    created = made(tmp_path, 80, columns=columns, participants=4, items_each=20, raters=2, seed=3)
    study = study_of(created)
    assert study.settings.design.strata == ("gold", "source")
    cells = [(item.gold, item.source) for item in study.items]
    assert {cell: cells.count(cell) for cell in cells} == {
        ("DCP", "a"): 5,
        ("DCP", "b"): 5,
        ("SLM", "a"): 15,
        ("SLM", "b"): 15,
    }


def test_a_seed_repeats_the_draw_and_another_changes_it(tmp_path: Path) -> None:
    def left_out(name: str, seed: int | None) -> list[str]:
        (tmp_path / name).mkdir()
        return made(tmp_path / name, 90, participants=4, items_each=20, raters=2, seed=seed).left_out

    assert left_out("a", 1) == left_out("b", 1) != left_out("c", 2)
    assert left_out("d", None) == left_out("e", None)


def test_unequal_keeps_every_item(tmp_path: Path) -> None:
    created = made(tmp_path, 41, participants=5, raters=2, unequal=True)
    study = study_of(created)
    assert (created.items, created.left_out) == (41, [])
    assert created.notes == ["All 41 items are kept; each gets 2 or 3 raters."]
    seen = [place.item for slot in range(1, 6) for place in lay_out(study, slot).order]
    assert {seen.count(item.id) for item in study.items} == {2, 3}


def test_participants_alone_cross_with_all_items(tmp_path: Path) -> None:
    study = study_of(made(tmp_path, 7, participants=3))
    assert (study.settings.design.kind, study.settings.design.participants) == ("crossed", 3)
    assert study.analysis.planned_n == 3


def test_the_capa_preset(tmp_path: Path) -> None:
    created = made(tmp_path, 205, preset="capa")
    study = study_of(created)
    design, settings = study.settings.design, study.settings
    assert (len(study.items), design.participants, design.items_each, design.raters) == (200, 20, 20, 2)
    assert (design.kind, design.block, design.repeats, design.checks) == ("cyclic", 10, 0, 0)
    assert (settings.annotation.tie_break, settings.annotation.escapes) == (False, True)
    assert settings.training.pass_mark is None
    assert study.analysis.planned_n == 20
    assert any("escape codes" in one for one in study.analysis.known_deviations)
    shared = [{place.item for place in lay_out(study, slot).order} for slot in range(1, 21)]
    pairs = [len(one & other) for n, one in enumerate(shared) for other in shared[n + 1 :]]
    assert sorted(pairs) == [0] * 170 + [10] * 20


@given(
    count=st.integers(1, 60),
    participants=st.none() | st.integers(1, 8),
    items_each=st.none() | st.integers(1, 30),
    raters=st.none() | st.integers(1, 4),
    block=st.none() | st.integers(1, 12),
    unequal=st.booleans(),
)
def test_any_counts_give_a_folder_without_errors_or_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, count: int, **asked: Any
) -> None:
    path = tmp_path_factory.mktemp("new")
    try:
        created = made(path, count, **asked)
    except InputError:
        created = None
    if created is None:
        assert os.listdir(path) == ["rows.jsonl"]
    else:
        study_of(created)
        assert created.items + len(created.left_out) == count


# -- refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"participants": 20, "items_each": 20, "raters": 2}, "need exactly 200 items, and there are 30"),
        ({"participants": 2, "items_each": 6, "raters": 4}, "at least 4 participants"),
        ({"items_each": 6}, "two of"),
        ({"participants": 0}, "--participants is 0"),
        ({"items_each": -1, "raters": 0}, "--items-each is -1, --raters is 0"),
        ({"unequal": True}, "--unequal also needs"),
        ({"unequal": True, "raters": 2}, "--unequal also needs"),
        ({"unequal": True, "participants": 2, "items_each": 1, "raters": 2}, "items each"),
        ({"preset": "cap"}, "there is: capa"),
        ({"preset": "capa"}, "needs 200 items, and there are 30"),
        ({"preset": "capa", "items_each": 3, "unequal": True}, "leave out --items-each, --unequal"),
    ],
)
def test_counts_that_make_no_design(tmp_path: Path, asked: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        made(tmp_path, 30, **asked)
    assert sentence in str(caught.value)
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_every_problem_of_the_items_file_and_nothing_written(tmp_path: Path) -> None:
    file = rows_file(tmp_path, 3)
    with pytest.raises(FolderError) as caught:
        create(tmp_path / "new", items_file=file, text_field="promt", id_field="taks")
    assert len(caught.value.problems) == 2
    assert os.listdir(tmp_path) == ["rows.jsonl"]


def test_a_folder_that_holds_anything_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".hidden").write_text("kept")
    with pytest.raises(InputError, match="not empty"):
        create(tmp_path)
    (tmp_path / "file").write_text("kept")
    with pytest.raises(InputError, match="is a file"):
        create(tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == [".hidden", "file"]


def test_an_empty_folder_a_link_to_one_and_missing_parents(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    for path in (tmp_path / "empty", tmp_path / "link", tmp_path / "not" / "there"):
        assert read_files(create(path).directory)
    assert (tmp_path / "link").is_symlink()
    assert sorted(os.listdir(tmp_path)) == ["empty", "link", "not", "real"]


def test_a_folder_that_is_there_is_filled_and_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = tmp_path.stat().st_ino
    create(Path("."))
    assert tmp_path.stat().st_ino == before
    create(Path("beside"))
    assert {one.name for one in tmp_path.iterdir()} - {"beside"} == {
        one.name for one in (tmp_path / "beside").iterdir()
    }


@pytest.mark.parametrize("there", [True, False])
def test_all_of_it_or_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: bool) -> None:
    real, done = os.rename, []

    def full(*names: Any) -> None:
        if len(done) == (3 if there else 0):
            raise OSError(28, "No space left on device")
        done.append(real(*names))

    if there:
        (tmp_path / "new").mkdir()
    monkeypatch.setattr(new_folder.os, "rename", full)
    with pytest.raises(InputError, match="No space left"):
        create(tmp_path / "new")
    assert [str(one.relative_to(tmp_path)) for one in tmp_path.rglob("*")] == ["new"] * there


def test_a_parent_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="could not be written"):
        create(tmp_path / "file" / "new")


# -- TOML --------------------------------------------------------------------------------------


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_survives_toml(text: str) -> None:
    assert tomllib.loads(f"a = {toml_value(text)}")["a"] == text


@given(st.recursive(st.integers() | st.booleans() | st.text("ab\"'\\\n"), st.lists, max_leaves=5))
def test_values_survive_toml(value: Any) -> None:
    assert tomllib.loads(f"a = {toml_value(value)}")["a"] == value


@pytest.mark.parametrize(
    ("name", "title", "slug"),
    [
        ("Étude_n° 1", "Étude n° 1", "etude-n-1"),
        ("研究", "研究", "study"),
        ('a"\x1b\n\\b', 'a"\x1b \\b', "a-b"),
        ("-- --", "study", "study"),
        ("x" * 90, "x" * 90, "x" * 64),
    ],
)
def test_any_name_of_a_folder_makes_a_title_and_a_name(
    tmp_path: Path, name: str, title: str, slug: str
) -> None:
    settings = study_of(create(tmp_path / name)).settings
    assert (settings.title, settings.name) == (title, slug)


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    created = create(tmp_path / os.fsdecode(b"caf\xe9"))
    assert study_of(created).settings.title == "caf\ufffd"


def test_the_templates_ship_beside_the_bundled_study() -> None:
    assert directory("annotation").is_dir()
    assert sorted(
        one.name for one in (Path(new_folder.__file__).parent / "templates" / "annotation").iterdir()
    ) == [
        "analysis.toml",
        "consent.md",
        "debrief.md",
        "instructions.md",
        "study.toml",
    ]
