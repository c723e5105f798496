"""Nothing that was started is left over, however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from support.attacks import ADD, GOOD

from capa_tui.sandbox.judge import SandboxJudge
from capa_tui.sandbox.pair import Isolation, Pair
from capa_tui.sandbox.pool import Pool
from studies.verdicts import FunctionCheck, ProgramCheck, Verdict

CHECK = FunctionCheck("add", ADD, time_limit=20.0)
ENDLESS = "print('begun', flush=True)\nwhile True:\n    pass\n"


def gone(groups: list[int]) -> bool:
    """Whether no process of these groups is left, as soon as that is so; False after a while."""
    for _ in range(2000):
        if not any(map(_alive, groups)):
            return True
        threading.Event().wait(0.005)
    return False


def _alive(group: int) -> bool:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (OSError, ProcessLookupError):
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            return True
    return False


@pytest.fixture
def groups(monkeypatch: pytest.MonkeyPatch, judge: SandboxJudge) -> list[int]:
    """The process groups that are started during a test."""
    settled(judge)
    found: list[int] = []

    class Recorded(subprocess.Popen[bytes]):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            found.append(self.pid)

    monkeypatch.setattr("capa_tui.sandbox.pair.subprocess.Popen", Recorded)
    return found


ENDINGS = {
    "ends": GOOD,
    "dies": "import os\nos._exit(0)",
    "endless": ENDLESS,
    "sleeps": "import signal\nsignal.signal(15, signal.SIG_IGN)\nimport time\ntime.sleep(1e6)",
    "leaves its session": "import os\ntry: os.setsid()\nexcept OSError: pass\nwhile True: pass",
    "floods": "while True: print('x' * 100000)",
}


@pytest.mark.parametrize("name", ENDINGS)
def test_nothing_is_left_after_a_check(
    name: str, isolation: Isolation, judge: SandboxJudge, groups: list[int]
) -> None:
    settled(judge)
    before = open_descriptors()

    async def judged() -> None:
        async with SandboxJudge(isolation=isolation) as own:
            await own.judge(ENDINGS[name], FunctionCheck("add", ADD, time_limit=0.3))
            await own.judge(ENDINGS[name], ProgramCheck((("", ""),), 0.3))

    asyncio.run(judged())
    assert len(groups) >= 6
    assert gone(groups)
    assert open_descriptors() <= before


def settled(judge: SandboxJudge) -> None:
    """Wait until a judge has its spare again."""
    if judge._pool is not None and judge._pool._spare is not None:
        judge._pool._spare.result()


def until_begun(judge: SandboxJudge) -> None:
    """Wait until a check is under way."""
    while not any(ticket._pair for ticket in judge._tickets):
        threading.Event().wait(0.001)


def open_descriptors() -> set[str]:
    """What this process holds open to others."""
    found = set()
    for name in os.listdir("/proc/self/fd"):
        try:
            found.add(os.readlink(f"/proc/self/fd/{name}"))
        except OSError:
            continue
    return {one for one in found if one.startswith(("pipe:", "socket:"))}


async def test_a_cancelled_check_ends_at_once(
    isolation: Isolation, judge: SandboxJudge, groups: list[int]
) -> None:
    async with SandboxJudge(isolation=isolation, workers=1) as own:
        assert await asyncio.to_thread(own.available) is None
        running = asyncio.create_task(own.judge(ENDLESS, CHECK))
        queued = asyncio.create_task(own.judge(ENDLESS, CHECK))
        await asyncio.to_thread(until_begun, own)
        for task in (queued, running):
            task.cancel()
        await asyncio.wait([queued, running])
        assert all(task.cancelled() for task in (queued, running))
        assert (await own.judge(GOOD, CHECK)).passed
    assert gone(groups)


async def test_closing_ends_what_is_running(
    isolation: Isolation, judge: SandboxJudge, groups: list[int]
) -> None:
    own = SandboxJudge(isolation=isolation)
    running = asyncio.create_task(own.judge(ENDLESS, CHECK))
    await asyncio.to_thread(until_begun, own)
    await own.close()
    assert (await running).neutral
    assert gone(groups)
    assert own.available() == "The judge is closed."


def test_a_pair_that_is_ended_while_it_starts_leaves_nothing(
    isolation: Isolation, judge: SandboxJudge, groups: list[int]
) -> None:
    """Ending bwrap alone in its first milliseconds would leave its child."""
    for turn in range(60):
        pair = Pair(isolation)
        for _ in range(turn * 500):
            pass
        pair.kill()
        pair.reap()
    assert len(groups) == 120
    assert gone(groups)


def test_the_spare_outlives_the_thread_that_judged(isolation: Isolation, judge: SandboxJudge) -> None:
    """The kernel ends a sandbox when the thread that started it ends."""
    verdicts: list[Verdict] = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: verdicts.append(asyncio.run(judge.judge(GOOD, CHECK))))
        thread.start()
        thread.join()
        assert judge._pool is not None
        assert judge._pool._spare is not None
        assert judge._pool._spare.result().alive
    assert [one.verdict for one in verdicts] == ["passed"] * 3


PROGRAM = """
import asyncio, sys, threading
from capa_tui.sandbox import pair
from capa_tui.sandbox.judge import SandboxJudge
from studies.verdicts import FunctionCheck

class Recorded(pair.subprocess.Popen):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        print(self.pid, flush=True)

pair.subprocess.Popen = Recorded
code = "import signal\\nfor n in (1, 2, 3, 13, 14, 15): signal.signal(n, signal.SIG_IGN)\\nwhile True: pass"
judge = SandboxJudge(isolation=sys.argv[1])
assert judge.available() is None
judge._pool._spare.result()
print("ready", flush=True)
asyncio.run(judge.judge(code, FunctionCheck("add", "def check(c): pass", time_limit=60)))
"""


def test_nothing_outlives_a_program_that_is_killed(isolation: Isolation, judge: SandboxJudge) -> None:
    root = str(Path(__file__).parents[2])
    app = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, isolation],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert app.stdout is not None
    started: list[int] = []
    for line in app.stdout:
        if line == "ready\n":
            break
        started.append(int(line))
    while not _busy(started[2:]):
        threading.Event().wait(0.005)
    app.send_signal(signal.SIGKILL)
    app.wait()
    rest = app.stdout.read()
    app.stdout.close()
    started += map(int, rest.split())
    assert len(started) >= 4
    assert gone(started)


def _busy(groups: list[int]) -> bool:
    """Whether the code under test is running: it alone uses time."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (OSError, ProcessLookupError):
            continue
        if int(fields[2]) in groups and int(fields[11]) >= 10:
            return True
    return False


def test_a_pool_keeps_one_spare_and_uses_each_pair_once(
    isolation: Isolation, judge: SandboxJudge, groups: list[int]
) -> None:
    pool = Pool(isolation)
    pool.refill()
    pool.refill()
    first = pool.take()
    second = pool.take()
    assert first.spare
    assert not second.spare
    assert len(groups) == 4
    for pair in (first, second):
        pool.retire(pair)
    pool.close()
    assert gone(groups)


def test_a_pair_that_cannot_be_started_leaves_nothing(
    isolation: Isolation, judge: SandboxJudge, groups: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    settled(judge)
    before = open_descriptors()
    start = Pair._start

    def fail_second(self: Pair, role: str, *rest: Any) -> None:
        if role == "driver":
            raise OSError("no more processes")
        start(self, role, *rest)

    monkeypatch.setattr(Pair, "_start", fail_second)
    with pytest.raises(OSError, match="no more"):
        Pair(isolation)
    assert len(groups) == 1
    assert gone(groups)
    assert open_descriptors() <= before


async def test_a_judge_that_cannot_start_processes_says_so(
    isolation: Isolation, judge: SandboxJudge, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with SandboxJudge(isolation=isolation, warm=False) as own:
        assert await asyncio.to_thread(own.available) is None

        def refuse(*_: object, **__: object) -> None:
            raise OSError("no more processes")

        monkeypatch.setattr(Pair, "_start", refuse)
        verdict = await own.judge(GOOD, CHECK)
        assert (verdict.verdict, verdict.neutral) == ("harness_error", True)
        assert "no more processes" in verdict.detail
