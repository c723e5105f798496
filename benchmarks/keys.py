"""From a key to its paint, on a disk that takes 50 ms to sync, in a study of 5,000 items.

A real terminal is read: the time is from writing the key to the first byte that comes back. The floor is the
same key in a Textual application that only counts keys.
"""

from __future__ import annotations

import json
import os
import pty
import select
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ITEMS, KEYS = 5_000, 300
FLOOR = """
from textual.app import App
from textual.widgets import Static
class Counter(App):
    def compose(self):
        yield Static("ready 0")
    def on_key(self, event):
        self.n = getattr(self, "n", 0) + 1
        self.query_one(Static).update(f"ready {self.n}")
Counter().run()
"""
SLOW = """
import functools, sys, time
from storage.store import Store
opened = Store.open.__func__
def slowly(cls, *words, **named):
    return opened(cls, *words, after_commit=lambda: time.sleep(0.05), **named)
Store.open = classmethod(slowly)
from capa_tui.cli import main
sys.exit(main(sys.argv[1:]))
"""


def times(command: list[str], env: dict[str, str], ready: bytes, keys: list[bytes]) -> list[float]:
    """Milliseconds from each key to the first byte that answers it."""
    master, slave = pty.openpty()
    program = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    seen = b""
    while ready not in seen:
        select.select([master], [], [], 30)
        seen += os.read(master, 65_536)
    quiet(master, 0.5)
    taken = []
    for key in keys:
        began = time.perf_counter()
        os.write(master, key)
        select.select([master], [], [], 10)
        taken.append((time.perf_counter() - began) * 1000)
        quiet(master, 0.12)
    program.kill()
    program.wait()
    os.close(master)
    return taken


def quiet(master: int, seconds: float) -> None:
    """Read until nothing has come for so long."""
    while select.select([master], [], [], seconds)[0]:
        os.read(master, 65_536)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        env = os.environ | {
            "XDG_DATA_HOME": folder,
            "CAPA_TUI_DB": str(work / "lab.db"),
            "TERM": "xterm-256color",
        }
        rows = [
            {"id": f"t-{n}", "text": f"Make number {n} better, and the other one too."} for n in range(ITEMS)
        ]
        (work / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
        capa = [sys.executable, "-m", "capa_tui"]
        study = str(work / "many")
        quietly = {"env": env, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": True}
        source = ["--items", str(work / "items.jsonl"), "--text-field", "text", "--id-field", "id"]
        subprocess.run([*capa, "new", study, "--kind", "annotation", *source], **quietly)
        (Path(study) / "training.jsonl").unlink()
        subprocess.run([*capa, "load", study], **quietly)
        to_first_item(capa, env)
        slow = [sys.executable, "-c", SLOW, "run", "many", "--participant", "ada"]
        keys = [b"%d" % (n % 6 + 1) for n in range(KEYS)]
        ours = times(slow, env, b"item 1 of", keys)
        floor = times([sys.executable, "-c", FLOOR], env, b"ready", keys)
    for name, taken in (("capa-tui, annotation", ours), ("Textual, one label", floor)):
        middle, high = statistics.median(taken), statistics.quantiles(taken, n=20)[-1]
        print(f"{name:22} median {middle:6.1f} ms   95% {high:6.1f} ms   max {max(taken):6.1f} ms")
    ratio = statistics.quantiles(ours, n=20)[-1] / statistics.quantiles(floor, n=20)[-1]
    print(f"95th percentile: {ratio:.2f} x the floor; a frame at 60 a second is 16.7 ms")


def to_first_item(capa: list[str], env: dict[str, str]) -> None:
    """Go through consent and pages as a program, up to the first item."""
    command = [*capa, "run", "many", "--participant", "ada", "--jsonl"]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        for line in program.stdout:
            message = json.loads(line)
            if message.get("field") == "dominant":
                break
            if "ask" in message:
                value = True if message["kind"] == "consent" else None
                program.stdin.write(json.dumps({"answer": message["ask"], "value": value}) + "\n")
                program.stdin.flush()
        program.stdin.close()
        program.stdout.read()


if __name__ == "__main__":
    main()
