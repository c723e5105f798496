"""Code that wants to be accepted, to get out or to do harm, in each isolation and for each kind of user."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from support.attacks import ADD, ATTACKS, GOOD, PROMPT, SECRET, SHORT, USERS, Attack

import capa_tui.sandbox
import studies.verdicts
from capa_tui.sandbox.judge import SandboxJudge
from capa_tui.sandbox.limits import OUTPUT_KEPT
from capa_tui.sandbox.pair import Isolation
from studies.verdicts import FunctionCheck, ProgramCheck

NOBODY = 65534


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda one: one.name)
async def test_every_verdict_is_right(
    attack: Attack, isolation: Isolation, judge: SandboxJudge, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if isolation not in attack.isolations:
        pytest.skip("harmless there")
    monkeypatch.setenv("CANARY", "must not be seen")
    check = FunctionCheck("add", attack.tests, PROMPT, attack.limit)
    verdict = await judge.judge(attack.code.replace(SECRET, secret), check)
    assert verdict.verdict in attack.expected(isolation), verdict.detail
    assert len(verdict.output) <= OUTPUT_KEPT


USER_SCRIPT = """
import asyncio, json, os, sys
from capa_tui.sandbox.judge import SandboxJudge
from studies.verdicts import FunctionCheck
from support.attacks import PROMPT, SECRET, USERS

async def main(isolation, secret):
    wrong, seen = [], 0
    async with SandboxJudge(isolation=isolation) as judge:
        missing = await asyncio.to_thread(judge.available)
        if missing:
            return {"missing": missing}
        gate = asyncio.Semaphore(2)
        async def one(attack):
            async with gate:
                check = FunctionCheck("add", attack.tests, PROMPT, attack.limit)
                verdict = await judge.judge(attack.code.replace(SECRET, secret), check)
            if verdict.verdict not in attack.expected(isolation):
                wrong.append((attack.name, verdict.verdict, verdict.detail))
            return 1
        seen = sum(await asyncio.gather(*(one(a) for a in USERS if isolation in a.isolations)))
    return {"user": os.getuid(), "seen": seen, "wrong": wrong}

print(json.dumps(asyncio.run(main(*sys.argv[1:]))))
"""


def _python_for_everybody() -> str | None:
    """An interpreter that an ordinary user may start, too."""
    for path in (sys.executable, shutil.which("python3", path="/usr/bin:/usr/local/bin")):
        if path is None:
            continue
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        try:
            done = subprocess.run(
                [path, "-c", code], user=NOBODY, group=NOBODY, extra_groups=[], cwd="/", check=False
            )
        except PermissionError:
            continue
        if done.returncode == 0:
            return path
    return None


@pytest.mark.skipif(os.getuid() != 0, reason="the other tests have been run as an ordinary user")
def test_an_ordinary_user_gets_the_same_verdicts(isolation: Isolation, judge: SandboxJudge) -> None:
    python = _python_for_everybody()
    if python is None:
        pytest.skip("no interpreter that an ordinary user may start")
    with tempfile.TemporaryDirectory() as folder:
        said = _verdicts(python, isolation, Path(folder))
    assert said["wrong"] == []
    assert (said["user"], said["seen"]) == (NOBODY, sum(isolation in one.isolations for one in USERS))


def _verdicts(python: str, isolation: Isolation, tmp_path: Path) -> dict[str, Any]:
    """What an ordinary user's sandbox says of the attacks."""
    for package, where in ((capa_tui.sandbox, "capa_tui/sandbox"), (studies.verdicts, "studies")):
        source = Path(str(package.__file__)).parent
        names = ["verdicts.py"] if where == "studies" else [one.name for one in source.glob("*.py")]
        (tmp_path / where).mkdir(parents=True)
        for name in names:
            shutil.copy(source / name, tmp_path / where / name)
    (tmp_path / "support").mkdir()
    shutil.copy(Path(__file__).parents[1] / "support" / "attacks.py", tmp_path / "support")
    (tmp_path / "secret").write_text("what the sandbox must not show")
    for path in [tmp_path, *tmp_path.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    done = subprocess.run(
        [python, "-B", "-c", USER_SCRIPT, isolation, str(tmp_path / "secret")],
        user=NOBODY,
        group=NOBODY,
        extra_groups=[],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PATH": os.environ["PATH"], "HOME": str(tmp_path), "CANARY": "x"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    if "missing" in said and isolation == "bubblewrap":
        pytest.skip(said["missing"])  # some systems give user namespaces to root alone
    return said


# Programs.

SUM = "a, b = map(int, input().split())\nprint(a + b)\n"
CASES = (("1 2\n", "3\n"), ("-1 5\n", "4\n"))
PROGRAMS = {
    "right": (SUM, "passed"),
    "wrong": ("print(3)", "failed_assertion"),
    "white space": ("print(' '.join(input().split()), ' \\n\\n')", "failed_assertion"),
    "white space at the ends": ("a, b = map(int, input().split())\nprint(a + b, ' \\r\\n \\n')", "passed"),
    "raises": (SUM + "1 / 0", "exception"),
    "exits": (SUM + "import sys\nsys.exit()", "passed"),
    "exits with a status": (SUM + "raise SystemExit(3)", "exception"),
    "exits with a text": (SUM + "raise SystemExit('x')", "exception"),
    "leaves fast": (SUM + "import os, sys\nsys.stdout.flush()\nos._exit(0)", "passed"),
    "leaves before its answer": ("import os\nos._exit(0)", "killed"),
    "leaves with a status": (SUM + "import os, sys\nsys.stdout.flush()\nos._exit(1)", "killed"),
    "in a main guard": ("if __name__ == '__main__':\n    print(sum(map(int, input().split())))", "passed"),
    "at exit": ("import atexit\natexit.register(lambda: print(sum(map(int, input().split()))))", "passed"),
    "in a file of its own": ("f = open(1, 'w', closefd=False)\n"
                             "f.write(str(sum(map(int, open(0).read().split()))))", "passed"),
    "by the system call": ("import os\nx = sum(map(int, os.read(0, 99).split()))\n"
                           "os.write(1, str(x).encode())", "passed"),
    "standard error apart": (SUM + "import sys\nprint('x', file=sys.stderr)", "passed"),
    "reads too much": (SUM + "input()", "exception"),
    "never ends": (SUM + "while True: pass", "timeout"),
    "sleeps at exit": (SUM + "import atexit, time\natexit.register(time.sleep, 1e6)", "timeout"),
    "prints without end": ("while True: print('3' * 10000)", "output_limit"),
    "memory": ("bytearray(8 << 30)", "memory_limit"),
    "dies": ("import ctypes\nctypes.string_at(0)", "killed"),
    "broken": ("print(", "syntax_error"),
    "forks": ("import os\nos.fork()\n" + SUM, "exception"),
    "remembers": ("import os\nif os.path.exists('/tmp/x'): print(4)\nelse:\n    print(3)\n"
                  "    try: open('/tmp/x', 'w')\n    except OSError: pass", "failed_assertion"),
    "empty": ("", "no_code"),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
async def test_programs(name: str, judge: SandboxJudge) -> None:
    code, expected = PROGRAMS[name]
    verdict = await judge.judge(code, ProgramCheck(CASES, SHORT if expected == "timeout" else 20.0))
    assert verdict.verdict == expected, verdict.detail


async def test_a_program_that_raises_is_not_accepted_because_nothing_is_expected(judge: SandboxJudge) -> None:
    check = ProgramCheck((("", ""),), 20.0)
    assert (await judge.judge("pass", check)).passed
    assert (await judge.judge("raise ValueError", check)).verdict == "exception"
    assert (await judge.judge("import os\nos.abort()", check)).verdict == "killed"


async def test_a_programs_input_and_output_may_be_large(judge: SandboxJudge) -> None:
    given = "x" * (1 << 20) + "\n"
    verdict = await judge.judge(
        "import sys\nprint(sys.stdin.read() * 5)", ProgramCheck(((given, given * 5),), 20.0)
    )
    assert verdict.passed
    assert len(verdict.output) == OUTPUT_KEPT
    unread = await judge.judge("print(1)", ProgramCheck(((given, "1"),), 20.0))
    assert unread.passed


# Anything at all.


@pytest.mark.parametrize("seed", range(40))
async def test_noise_on_the_channel_is_never_accepted(seed: int, judge: SandboxJudge) -> None:
    draw = random.Random(seed)
    frames = [b"?", b"=", bytes(draw.randrange(256) for _ in range(draw.randrange(1, 60)))]
    data = b"".join(
        draw.choice(frames[:2]) + len(part).to_bytes(4, "little") + part if draw.random() < 0.8 else part
        for part in (draw.choice([frames[2], b"t*\3\0\0\0u\2\0\0\0ok" + frames[2]]) for _ in range(3))
    )
    code = f"import os\ndef add(a, b):\n    os.write(3, {data!r})\n    return 0\n"
    verdict = await judge.judge(code, FunctionCheck("add", ADD, "", 2.0))
    assert verdict.verdict in ("killed", "failed_assertion", "exception", "timeout", "memory_limit")


@pytest.mark.parametrize("seed", range(20))
async def test_mangled_code_is_never_an_error_of_the_judge(seed: int, judge: SandboxJudge) -> None:
    draw = random.Random(seed)
    text = [*(GOOD.replace("+", "-") + "import os, sys\nsys.exit\n") * 2]
    for _ in range(draw.randrange(1, 30)):
        text[draw.randrange(len(text))] = draw.choice([*"()[]{}:'\"\\\n\t #@=+-*", "\0", "\ud800", "é", "0"])
    verdict = await judge.judge("".join(text), FunctionCheck("add", ADD, "", 2.0))
    assert not verdict.passed
    assert not verdict.neutral
