"""The judge as its users meet it."""

from __future__ import annotations

import asyncio
import os

import pytest
from support.attacks import ADD, GOOD

from capa_tui.sandbox import bubblewrap, guest, landlock
from capa_tui.sandbox.judge import SandboxJudge, judge_all
from capa_tui.sandbox.layout import Layout
from capa_tui.sandbox.pair import Isolation, Pair
from capa_tui.sandbox.pool import Pool
from capa_tui.sandbox.selftest import what_leaks
from studies.human_eval import HumanEvalProblem, read_problems
from studies.verdicts import FunctionCheck, PairsCheck, ProgramCheck

CHECK = FunctionCheck("add", ADD, time_limit=20.0)
WRONG = "def add(a, b):\n    return a - b\n"


async def test_a_verdict_says_what_happened_and_how(judge: SandboxJudge, isolation: Isolation) -> None:
    passed = await judge.judge("print('hi')\n" + GOOD, CHECK)
    assert (passed.verdict, passed.detail, passed.output, passed.isolation) == (
        "passed",
        "",
        "hi\n",
        isolation,
    )
    assert passed.ms > 0
    failed = await judge.judge(WRONG, CHECK)
    assert failed.detail == "line 2 of the tests: assert candidate(1, 2) == 3"
    raised = await judge.judge("def add(a, b):\n    c = a\n    return c / 0\n", CHECK)
    assert raised.detail.splitlines() == [
        "ZeroDivisionError: division by zero (line 3 of the code)",
        "line 2 of the tests: assert candidate(1, 2) == 3",
    ]
    late = await judge.judge(
        "def add(a, b):\n    while True: pass\n", FunctionCheck("add", ADD, time_limit=0.3)
    )
    assert late.detail.endswith("line 2 of the tests: assert candidate(1, 2) == 3")
    own = await judge.judge("class E(Exception): pass\ndef add(a, b):\n    raise E('x')\n", CHECK)
    assert own.detail.startswith("Exception: E: x (line 3 of the code)")


async def test_an_example_that_fails_is_noted(judge: SandboxJudge) -> None:
    verdict = await judge.judge(GOOD + "print(add(1, '2'))\n", CHECK)
    assert verdict.passed
    assert verdict.detail.startswith("the code's own example raised TypeError")
    assert verdict.detail.endswith("(line 2)")


async def test_what_was_printed_before_the_end_is_kept(judge: SandboxJudge) -> None:
    check = FunctionCheck("add", ADD, time_limit=1.5)
    endless = await judge.judge("print('begun', flush=True)\nwhile True: pass", check)
    assert (endless.verdict, endless.output) == ("timeout", "begun\n")
    strange = await judge.judge("print('é\\udcff')\n" + GOOD, CHECK)
    assert (strange.verdict, strange.output) == ("passed", "é\ufffd\n")
    control = await judge.judge("import os\nos.write(1, b'\\xff\\x1b[2J')\n" + GOOD, CHECK)
    assert control.output == "\ufffd\x1b[2J"


async def test_code_may_be_long_and_not_too_long(judge: SandboxJudge) -> None:
    assert (await judge.judge("#" * (1 << 20) + "\n" + GOOD, CHECK)).passed
    assert (await judge.judge("#" * (65 << 20) + "\n" + GOOD, CHECK)).verdict == "memory_limit"


async def test_pairs(judge: SandboxJudge) -> None:
    pairs = (("(1, 2)", "3"), ("([1], [2])", "[1, 2]"), ("(inf, 1)", "inf"))
    check = PairsCheck("add", pairs, time_limit=20.0)
    assert (await judge.judge(GOOD, check)).passed
    wrong = await judge.judge("def add(a, b):\n    return 3\n", check)
    assert (wrong.verdict, wrong.detail) == ("failed_assertion", "pair 2: add([1], [2]) is not [1, 2]")
    raised = await judge.judge("def add(a, b):\n    return a + b + 0\n", check)
    assert raised.verdict == "exception"
    assert raised.detail.startswith("pair 2: add([1], [2]): TypeError")
    for broken in (("1", "2"), ("(1,", "2"), ("(1, 2)", "open('x')")):
        assert (
            await judge.judge(GOOD, PairsCheck("add", (broken,), time_limit=20.0))
        ).verdict == "harness_error"


async def test_a_prompt_gives_its_names_and_not_its_function(judge: SandboxJudge) -> None:
    prompt = "from math import floor\n\n\ndef half(x):\n    return floor(x / 2)\n\n\ndef add(a, b):\n"
    tests = "def check(candidate):\n    assert candidate(2, 4) == half(6)\n    assert add is candidate\n"
    for end in ("", '    """Add."""\n', "    '''Add.\n    '''"):
        check = FunctionCheck("add", tests, prompt + end, 20.0)
        assert (await judge.judge("def add(a, b):\n    return half(a + b)\n", check)).passed
        assert (await judge.judge("x = 1\n", check)).verdict == "no_function"
    broken = FunctionCheck("add", tests, "def add(:\n", 20.0)
    assert (await judge.judge(GOOD, broken)).verdict == "harness_error"


async def test_many_checks_at_a_time_do_not_disturb_each_other(judge: SandboxJudge) -> None:
    codes = [
        GOOD,
        WRONG,
        "import os\nos._exit(0)",
        "def add(a, b):\n    while True: pass\n",
        "x = 1",
        "def add(",
    ] * 4
    words = ["passed", "failed_assertion", "killed", "timeout", "no_function", "syntax_error"] * 4
    limits = [0.4 if word == "timeout" else 20.0 for word in words]
    verdicts = await asyncio.gather(
        *(
            judge.judge(code, FunctionCheck("add", ADD, time_limit=limit))
            for code, limit in zip(codes, limits, strict=True)
        )
    )
    assert [one.verdict for one in verdicts] == words


async def test_several_judges_at_a_time(isolation: Isolation, judge: SandboxJudge) -> None:
    async def one() -> list[bool]:
        async with SandboxJudge(isolation=isolation, workers=1) as own:
            return [(await own.judge(code, CHECK)).passed for code in (GOOD, WRONG, GOOD)]

    assert await asyncio.gather(*(one() for _ in range(4))) == [[True, False, True]] * 4


def test_a_judge_outlives_loops_and_threads(judge: SandboxJudge) -> None:
    for _ in range(3):
        assert asyncio.run(judge.judge(GOOD, CHECK)).passed


async def test_judging_many_in_any_order(judge: SandboxJudge) -> None:
    found = {place: one.passed async for place, one in judge_all([(GOOD, CHECK), (WRONG, CHECK)] * 3, judge)}
    assert found == {n: n % 2 == 0 for n in range(6)}


async def test_a_spare_that_died_costs_nothing(isolation: Isolation, judge: SandboxJudge) -> None:
    async with SandboxJudge(isolation=isolation) as own:
        assert await asyncio.to_thread(own.available) is None
        for _ in range(2):
            assert own._pool is not None
            spare = own._pool._spare
            assert spare is not None
            spare.result().kill()
            assert (await own.judge(GOOD, CHECK)).passed


async def test_a_spare_that_dies_at_the_last_moment_costs_nothing(
    isolation: Isolation, judge: SandboxJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SandboxJudge(isolation=isolation) as own:
        assert await asyncio.to_thread(own.available) is None
        assert own._pool is not None
        assert own._pool._spare is not None
        own._pool._spare.result().kill()
        monkeypatch.setattr(Pair, "alive", True)
        assert (await own.judge(GOOD, CHECK)).passed


# Which isolation.


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that offers nothing."""
    monkeypatch.setattr(bubblewrap, "find", lambda: None)
    monkeypatch.setattr(landlock, "version", lambda: 0)


@pytest.mark.usefixtures("bare_machine")
async def test_without_a_sandbox_nothing_is_run() -> None:
    async with SandboxJudge() as judge:
        missing = await asyncio.to_thread(judge.available)
        assert missing is not None
        assert "apt install bubblewrap" in missing
        assert "Landlock" in missing
        for check in (CHECK, ProgramCheck((("", ""),))):
            verdict = await judge.judge(GOOD, check)
            assert (verdict.verdict, verdict.detail, verdict.isolation) == ("not_run", missing, "")
            assert verdict.neutral


@pytest.mark.usefixtures("bare_machine")
async def test_unsafe_is_only_when_asked_for_and_says_so() -> None:
    async with SandboxJudge(unsafe=True) as judge:
        assert await asyncio.to_thread(judge.available) is None
        assert (await judge.judge(GOOD, CHECK)).isolation == "unsafe"
        assert (await judge.judge(WRONG, CHECK)).verdict == "failed_assertion"


async def test_unsafe_still_prefers_a_sandbox(judge: SandboxJudge) -> None:
    async with SandboxJudge(unsafe=True) as own:
        assert (await own.judge(GOOD, CHECK)).isolation == "bubblewrap"


async def test_landlock_takes_over_where_bubblewrap_does_not_work(
    judge: SandboxJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/bin/false")
    async with SandboxJudge() as own:
        assert (await own.judge(GOOD, CHECK)).isolation == "landlock"


def test_the_self_test_sees_a_sandbox_that_is_none(
    monkeypatch: pytest.MonkeyPatch, judge: SandboxJudge
) -> None:
    monkeypatch.setattr(Pair, "_program", lambda self, role: guest.program(role, False))
    pool = Pool("landlock")
    try:
        said = what_leaks(pool, "landlock")
    finally:
        pool.close()
    assert said is not None
    for what in (
        "read a file",
        "list a folder",
        "write beside",
        "start a process",
        "open a socket",
        "reach the program",
    ):
        assert what in said


def test_the_self_test_says_why_bubblewrap_does_not_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "find", lambda: "/bin/false")
    pool = Pool("bubblewrap")
    try:
        assert "does not work here" in str(what_leaks(pool, "bubblewrap"))
    finally:
        pool.close()


def test_hidden_folders_are_gone_around() -> None:
    library = os.path.dirname(os.__file__)
    hidden = os.path.join(library, "json")
    rules = dict(guest.readable(Layout("", (library,), (hidden,), ())))
    assert rules[library] == landlock.READ_DIR
    assert rules[os.path.join(library, "os.py")] == landlock.READ_FILE
    assert rules[os.path.join(library, "email")] == landlock.READ_FILE | landlock.READ_DIR
    assert hidden not in rules


# HumanEval.


async def _passing(judge: SandboxJudge, problems: list[HumanEvalProblem], completion: object) -> list[str]:
    assert callable(completion)
    checks = [(one.program(completion(one)), one.check(10.0)) for one in problems]
    return [problems[n].task_id async for n, verdict in judge_all(checks, judge) if verdict.passed]


def _mutants(problem: HumanEvalProblem) -> dict[str, str]:
    lines = problem.canonical_solution.split("\n")

    def each(change: str) -> str:
        return "\n".join(
            line[: line.index("return ")] + change.format(line.partition("return ")[2])
            if line.lstrip().startswith("return ") else line
            for line in lines
        )  # fmt: skip

    return {"none": "    return None\n", "wrapped": each("return [{}]"), "changed": each("return ({},)[0:0]")}


async def test_humaneval_solutions_pass(judge: SandboxJudge, isolation: Isolation) -> None:
    problems = read_problems()[:: 1 if isolation == "bubblewrap" else 8]
    passing = await _passing(judge, problems, lambda one: one.canonical_solution)
    assert sorted(passing) == sorted(one.task_id for one in problems)


@pytest.mark.parametrize(("how", "every"), [("none", 1), ("wrapped", 6), ("changed", 6)])
async def test_broken_humaneval_solutions_fail(
    how: str, every: int, judge: SandboxJudge, isolation: Isolation
) -> None:
    problems = read_problems()[:: every if isolation == "bubblewrap" else 12]
    assert await _passing(judge, problems, lambda one: _mutants(one)[how]) == []
