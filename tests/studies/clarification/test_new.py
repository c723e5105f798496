"""New clarification folders: ClarifyCodeBench's files, run records, every seat."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from studies import bundles
from studies.clarification.benchmark import read_tasks
from studies.clarification.new import SEATS, create
from studies.clarification.settings import NOT_RELEVANT
from studies.clarification.taxonomy import TYPES
from studies.errors import FolderError, InputError
from studies.folder import read_files
from studies.folder_checks import accept, check
from studies.study import Study

ORDER = {"question": "In which order?", "answer": "Ascending."}
UNIT = {"question": "In which unit?", "answer": "In metres."}
BENCHMARK: list[dict[str, Any]] = [
    {
        "task_id": "task_1",
        "question_id": "abc_a",
        "keywords": ["Output Format"],
        "modified_content": "Print the lengths in metres.\nInput\nN\n\u2028",
        "qa_pairs": [ORDER],
    },
    {
        "task_id": "task_2",
        "question_id": "abc_a",
        "keywords": ["Output Format", "Units"],
        "modified_content": "Print the lengths.",
        "qa_pairs": [UNIT, ORDER],
    },
    {
        "task_id": "task_3",
        "question_id": "abc_b",
        "keywords": ["Edge Cases"],
        "modified_content": "Print the \x1b[31mlargest [b]number[/b].",
        "qa_pairs": [
            {"question": "And without any?", "answer": "-1"},
            {"question": "Ties?", "answer": "=1+1"},
        ],
        "difficulty": 3,
    },
]


def written(path: Path, rows: Sequence[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    return path


def study_in(directory: Path) -> Study:
    files = read_files(directory)
    assert [one for one in check(files) if not one.warning] == []
    return accept(files)


def record(task: str, turns: Sequence[tuple[str, str, int]], gaps: int, **more: Any) -> dict[str, Any]:
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "the task"}]
    for said, reply, _ in turns:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": reply}]
    messages.append({"role": "assistant", "content": "[CODE]\nprint()\n[/CODE]"})
    return {
        "task_id": task,
        "id": "x",
        "key_question_num": gaps,
        "messages": messages,
        "hit_dict": {str(turn): hit for turn, (_, _, hit) in enumerate(turns)},
        "turns": len(turns) + 1,
        "finished": True,
    } | more


RECORDS = [
    record("task_1", [("[QUESTION]\nUp or down?\n[/QUESTION]", "Ascending.\nGo on.", 1)], 1),
    record(
        "task_2",
        [
            ("[QUESTION]\nColour?\n[/QUESTION]", f"{NOT_RELEVANT}\nGo on.", 0),
            ("Which order?", "Ascending.\nGo on.", 1),
            ("[QUESTION]Order again?", "This question has already been answered.", 0),
        ],
        2,
    ),
]


def test_the_benchmarks_file_is_read_without_a_loss(tmp_path: Path) -> None:
    source = written(tmp_path / "bench.jsonl", BENCHMARK)
    made = create(tmp_path / "mine", source=source)
    study = study_in(tmp_path / "mine")
    again = [
        {
            "task_id": one.id,
            "question_id": one.source,
            "keywords": [TYPES[name].label for name in one.types],
            "modified_content": one.statement,
            "qa_pairs": [{"question": gap.question, "answer": gap.answer} for gap in one.key_questions],
            **one.columns,
        }
        for one in study.clarification_tasks
    ]
    assert again == BENCHMARK
    assert made.items == 3
    assert made.notes[0] == "Read 3 tasks with 5 question-answer pairs (1 with 1, 2 with 2)."
    assert made.notes[1].startswith("4 type labels,")
    assert "2 of 5 pairs have a type of their own" in made.notes[1]
    assert made.notes[2] == "Further columns are kept, otherwise unused: difficulty."


def test_a_gap_has_a_type_only_where_one_is_certain(tmp_path: Path) -> None:
    unit_alone = {**BENCHMARK[0], "task_id": "task_4", "keywords": ["Units"], "qa_pairs": [UNIT]}
    tasks = read_tasks(written(tmp_path / "bench.jsonl", [*BENCHMARK, unit_alone])).tasks
    # The labels' order is not the pairs' order.
    assert [gap.type for gap in tasks[1].key_questions] == ["units", "output-format"]
    assert [gap.type for gap in tasks[2].key_questions] == [None, None]


def test_every_problem_of_the_benchmarks_file_at_once(tmp_path: Path) -> None:
    rows = [
        BENCHMARK[0],
        {**BENCHMARK[1], "keywords": ["Outputs"], "qa_pairs": [{"question": "?"}, "x"]},
        {"task_id": 3, "modified_content": "m"},
        {**BENCHMARK[2], "task_id": "a b"},
        BENCHMARK[0],
    ]
    source = written(tmp_path / "bench.jsonl", rows)
    with pytest.raises(FolderError) as caught:
        create(tmp_path / "mine", source=source)
    assert [(one.line, one.key) for one in caught.value.problems] == [
        (0, "task_id"),
        (2, "keywords.0"),
        (2, "qa_pairs.0.answer"),
        (2, "qa_pairs.1"),
        (3, "keywords"),
        (3, "qa_pairs"),
        (3, "question_id"),
        (3, "task_id"),
        (4, "task_id"),
    ]
    assert not (tmp_path / "mine").exists()


@pytest.mark.parametrize("seat", [one for one in SEATS if one != "matcher"])
def test_each_seat_starts_from_the_bundled_tasks(tmp_path: Path, seat: str) -> None:
    create(tmp_path / "mine", seat=seat, participants=6, items_each=4, raters=2)
    study = study_in(tmp_path / "mine")
    assert study.settings.clarification.seat == seat
    assert (len(study.ids), study.analysis.planned_n, study.settings.design.block) == (12, 6, 3)
    full = {one.id: one.full_statement for one in bundles.study("clarification").clarification_tasks}
    assert {one.id: one.full_statement for one in study.clarification_tasks} == full
    if seat == "author":
        assert not any(one.statement or one.key_questions for one in study.clarification_tasks)


def test_a_file_of_tasks_as_folders_hold_them(tmp_path: Path) -> None:
    rows = [{"id": f"t-{number}", "full_statement": f"Add {number}."} for number in range(3)]
    create(tmp_path / "mine", source=written(tmp_path / "tasks.jsonl", rows), seat="author")
    assert study_in(tmp_path / "mine").ids == ("t-0", "t-1", "t-2")
    with pytest.raises(InputError, match="3 of 3 tasks lack a statement, which the seat answerer needs"):
        create(tmp_path / "other", source=tmp_path / "tasks.jsonl")


def test_run_records_become_questions_for_matchers(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    written(tmp_path / "runs" / "grey.jsonl", RECORDS)
    written(tmp_path / "runs" / "blue.jsonl", [{**RECORDS[0], "model": "azure"}])
    bench = written(tmp_path / "bench.jsonl", BENCHMARK)
    made = create(tmp_path / "mine", source=tmp_path / "runs", tasks_file=bench)
    study = study_in(tmp_path / "mine")
    assert study.settings.clarification.seat == "matcher"
    assert [one.id for one in study.clarification_tasks] == ["task_1", "task_2"]
    asked = {(one.run, one.turn, task.id): one for task in study.clarification_tasks for one in task.asked}
    assert {key: (one.text, one.model, one.hit, one.votes) for key, one in asked.items()} == {
        ("grey", 1, "task_1"): ("Up or down?", "grey", True, {"q1": (True,)}),
        ("blue", 1, "task_1"): ("Up or down?", "azure", True, {"q1": (True,)}),
        ("grey", 1, "task_2"): ("Colour?", "grey", False, {"q1": (False,), "q2": (False,)}),
        ("grey", 2, "task_2"): ("Which order?", "grey", True, {"q1": (False,), "q2": (True,)}),
        ("grey", 3, "task_2"): ("Order again?", "grey", False, {"q1": (False,), "q2": (True,)}),
    }
    assert sorted(study.ids) == [f"asked-{number}" for number in range(1, 6)]
    assert "Read 5 questions about 2 tasks, asked by azure, grey." in made.notes[-2]
    assert "Of 0 questions the record does not tell" in made.notes[-1]


def test_two_matchers_a_question_where_people_are_planned(tmp_path: Path) -> None:
    bench, runs = written(tmp_path / "bench.jsonl", BENCHMARK), written(tmp_path / "runs.jsonl", RECORDS)
    made = create(tmp_path / "mine", source=runs, tasks_file=bench, participants=4)
    design = study_in(tmp_path / "mine").settings.design
    assert (design.kind, design.participants, design.items_each, design.raters) == ("cyclic", 4, 2, 2)
    assert (made.items, made.left_out) == (4, [])


@pytest.mark.parametrize(
    ("change", "place", "key"),
    [
        ({"task_id": "task_9"}, 2, "task_id"),
        ({"key_question_num": 1}, 2, "key_question_num"),
        ({"messages": []}, 2, "messages"),
        ({"task_id": "task_1", "key_question_num": 1, "hit_dict": {"0": 0}, "turns": 4}, 0, "task_id"),
    ],
)
def test_records_that_do_not_fit_the_tasks(
    tmp_path: Path, change: dict[str, Any], place: int, key: str
) -> None:
    bench = written(tmp_path / "bench.jsonl", BENCHMARK)
    runs = written(tmp_path / "runs.jsonl", [RECORDS[0], {**RECORDS[1], **change}])
    with pytest.raises(FolderError) as caught:
        create(tmp_path / "mine", source=runs, tasks_file=bench)
    assert (place, key) in [(one.line, one.key) for one in caught.value.problems]


def test_seat_and_source_must_fit(tmp_path: Path) -> None:
    runs = written(tmp_path / "runs.jsonl", RECORDS)
    bench = written(tmp_path / "bench.jsonl", BENCHMARK)

    def refused(words: str, **given: Any) -> None:
        with pytest.raises(InputError, match=words):
            create(tmp_path / "mine", **given)
        assert not (tmp_path / "mine").exists()

    refused("no seat 'judge'", seat="judge")
    refused("give their tasks too, with --tasks FILE", source=runs)
    refused("--tasks goes with run records", source=bench, tasks_file=bench)
    refused("not for the seat asker", source=runs, tasks_file=bench, seat="asker")
    refused("matchers need asked questions", seat="matcher")
    refused("lack a complete statement", source=bench, seat="author")


def test_a_hosted_judge_is_named_in_the_consent(tmp_path: Path) -> None:
    create(tmp_path / "mine", source=written(tmp_path / "bench.jsonl", BENCHMARK), seat="asker")
    study = tomllib.loads((tmp_path / "mine" / "study.toml").read_text(encoding="utf-8"))
    assert [one["covers"] for one in study["consent"]] == ["participation", "processors", "publication"]
    assert study["assistants"][0]["model"] != "rehearsal"
