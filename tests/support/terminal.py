"""A real terminal for tests: the program in a pseudo-terminal, its screen read by an emulator."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

import pyte

PATIENCE = 60.0
"""Seconds after which waiting for something to appear counts as failed."""
QUIET = 0.1
"""A program that has written nothing for these seconds has drawn its screen."""
AGAIN = 5.0
"""Seconds after which a key without effect was dropped, and a person would press it again."""


class Terminal:
    """`capa-tui` with these words, drawn on an 80x24 screen unless said otherwise."""

    def __init__(self, words: Sequence[str], width: int = 80, height: int = 24, **env: str) -> None:
        self._screen = pyte.Screen(width, height)
        self._stream = pyte.ByteStream(self._screen)
        self.written = bytearray()
        """Every byte the program wrote."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        self.program = subprocess.Popen(
            [sys.executable, "-m", "capa_tui", *words],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env=os.environ | {"TERM": "xterm-256color", "LANG": "C.UTF-8"} | env,
        )
        os.close(slave)

    @property
    def text(self) -> str:
        """What the screen shows, line by line."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    def type(self, keys: str) -> None:
        """Press keys, once the program has stopped drawing."""
        while self._read(time.monotonic() + QUIET):
            pass
        os.write(self._master, keys.encode())

    def press(self, keys: str, wanted: str | Callable[[str], bool]) -> str:
        """Press keys until they show: a key that comes before a screen is painted is dropped on purpose."""
        shows = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + PATIENCE
        while True:
            self.type(keys)
            again = min(time.monotonic() + AGAIN, deadline)
            while not shows(self.text):
                if not self._read(again):
                    break
            if shows(self.text):
                return self.text
            if time.monotonic() >= deadline:
                raise AssertionError(f"{keys!r} did not bring {wanted!r}; the screen shows\n{self.text}")

    def until(self, wanted: str | Callable[[str], bool]) -> str:
        """Wait until the screen shows something; what it shows then."""
        shows = wanted if callable(wanted) else lambda text: wanted in text
        deadline = time.monotonic() + PATIENCE
        while not shows(self.text):
            if not self._read(deadline):
                raise AssertionError(f"waited in vain for {wanted!r}; the screen shows\n{self.text}")
        return self.text

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65_536)
        except OSError:
            return False
        self.written += data
        # The emulator does not know the sequences of the Kitty keyboard protocol.
        self._stream.feed(data.replace(b"\x1b[>25u", b"").replace(b"\x1b[<u", b""))
        return bool(data)

    def resize(self, width: int, height: int) -> None:
        """Make the window another size."""
        self._screen.resize(height, width)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
        os.killpg(self.program.pid, signal.SIGWINCH)

    def kill(self) -> None:
        """End the program as a power cut would."""
        os.killpg(self.program.pid, signal.SIGKILL)
        self.program.wait(PATIENCE)

    def hang_up(self) -> int:
        """Close the window; the exit code."""
        os.killpg(self.program.pid, signal.SIGHUP)
        # Whoever draws just then waits for a reader.
        return self.end()

    def end(self) -> int:
        """Read to the end of the program; its exit code."""
        deadline = time.monotonic() + PATIENCE / 2
        while self.program.poll() is None and time.monotonic() < deadline:
            self._read(min(deadline, time.monotonic() + 0.2))
        while self._read(time.monotonic()):
            pass
        return self.program.wait(1)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.program.poll() is None:
            self.kill()
        os.close(self._master)
