"""A participant made of code: drives `capa-tui run --jsonl` as any other program would."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

COMMAND = [sys.executable, "-m", "capa_tui"]


def usual(ask: Mapping[str, Any]) -> Any:
    """Yes, the first option, none; nothing where nothing is required."""
    if ask["kind"] in ("info", "text"):
        return "because" if ask["required"] and ask["kind"] == "text" else None
    if ask["kind"] == "multi":
        return []
    return ask["options"][0]["value"]


class Robot:
    """One visit over a pipe."""

    def __init__(self, db: Path, study: str, code: str, *flags: str) -> None:
        self._program = subprocess.Popen(
            [*COMMAND, "run", study, "--participant", code, "--jsonl", "--db", str(db), *flags],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )
        self.acknowledged: dict[str, Any] = {}
        self.errors: list[str] = []

    def hear(self) -> dict[str, Any] | None:
        """The next message, or None at the end."""
        assert self._program.stdout is not None
        line = self._program.stdout.readline()
        return json.loads(line) if line else None

    def say(self, message: Mapping[str, Any]) -> None:
        """One message."""
        assert self._program.stdin is not None
        self._program.stdin.write(json.dumps(message) + "\n")
        self._program.stdin.flush()

    def play(
        self,
        answer: Callable[[Mapping[str, Any]], Any] = usual,
        stop: Callable[[Mapping[str, Any], int], bool] = lambda ask, n: False,
    ) -> str | None:
        """Answer until the end, or until `stop` says so of an ask; how it ended."""
        pending: dict[str, Any] = {}
        while (message := self.hear()) is not None:
            if "done" in message:
                self.close()
                return str(message["done"])
            if "ok" in message:
                self.acknowledged[message["ok"]] = pending[message["ok"]]
            elif "error" in message:
                self.errors.append(message["message"])
            elif "ask" in message:
                if stop(message, len(self.acknowledged)):
                    return None
                pending[message["ask"]] = answer(message)
                self.say({"answer": message["ask"], "value": pending[message["ask"]]})
        return None

    def signal(self, number: signal.Signals) -> None:
        """Send the program a signal."""
        self._program.send_signal(number)

    def leave(self) -> None:
        """Read no more, then say something."""
        assert self._program.stdout is not None
        self._program.stdout.close()
        self.say({"do": "back"})
        self._program.stdout = None

    def kill(self) -> None:
        """End the program as a power cut would."""
        self._program.send_signal(signal.SIGKILL)
        self.close()

    def close(self) -> int:
        """Wait for the end; the exit code."""
        _, self.stderr = self._program.communicate(timeout=60)
        return self._program.returncode
