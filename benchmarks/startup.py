"""Start to first paint beside a Textual hello-world, and `--help` beside bare Python.

Each program is started in a pseudo-terminal in turn, so that all meet the same load; medians are compared.
"""

from __future__ import annotations

import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROUNDS = 15
HELLO = """
from textual.app import App
from textual.widgets import Static
class Hello(App):
    def compose(self):
        yield Static("hello world")
Hello().run()
"""


def first_paint(command: list[str], wanted: bytes, env: dict[str, str]) -> float:
    """Seconds from starting a program to the first byte of what it paints."""
    master, slave = pty.openpty()
    began = time.perf_counter()
    program = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    seen = b""
    while wanted not in seen:
        select.select([master], [], [], 30)
        seen += os.read(master, 65_536)
    took = time.perf_counter() - began
    program.kill()
    program.wait()
    os.close(master)
    return took


def whole(command: list[str], env: dict[str, str]) -> float:
    """Seconds that a program takes from start to end."""
    began = time.perf_counter()
    subprocess.run(command, env=env, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"XDG_DATA_HOME": folder, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
        db = str(Path(folder) / "lab.db")
        capa = [sys.executable, "-m", "capa_tui"]
        demo = [*capa, "demo", "--jsonl", "--db", db]
        subprocess.run(demo, input=b"", stdout=subprocess.DEVNULL, check=True, env=env)
        name = "ambiguity-mechanisms"
        painted = {
            "Textual hello-world": ([sys.executable, "-c", HELLO], b"hello world"),
            "capa-tui run": ([*capa, "run", name, "--participant", "DEMO", "--db", db], b"opening"),
            "capa-tui (home)": ([*capa, "--db", db], b"opening"),
        }
        ended = {"python -c pass": [sys.executable, "-c", "pass"], "capa-tui --help": [*capa, "--help"]}
        times: dict[str, list[float]] = {one: [] for one in [*painted, *ended]}
        for _ in range(ROUNDS):
            for one, (command, wanted) in painted.items():
                times[one].append(first_paint(command, wanted, env))
            for one, command in ended.items():
                times[one].append(whole(command, env))
    floors = dict.fromkeys(painted, "Textual hello-world") | dict.fromkeys(ended, "python -c pass")
    for one, taken in times.items():
        median, floor = statistics.median(taken), statistics.median(times[floors[one]])
        print(f"{one:22} {median * 1000:7.0f} ms   {median / floor:5.2f} x {floors[one]}")


if __name__ == "__main__":
    main()
