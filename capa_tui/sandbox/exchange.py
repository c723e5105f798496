"""One job of a pair, seen from the app: hand it over, drain what is printed, wait for the verdict."""

from __future__ import annotations

import os
import selectors
import time
from dataclasses import dataclass, field

from capa_tui.sandbox.codec import CodecError, decode, encode
from capa_tui.sandbox.driver import Nothing
from capa_tui.sandbox.limits import GRACE, OUTPUT
from capa_tui.sandbox.pair import Pair

_CHUNK = 1 << 16
_FINISHED = ("ended", "killed")
"""After these words a program's output and exit status are still to come."""


@dataclass(slots=True)
class Outcome:
    """What came of one job."""

    word: str = "harness_error"
    """A verdict's word, or `ended` for a program that ran to its end."""
    detail: str = ""
    stdout: bytearray = field(default_factory=bytearray)
    stderr: bytearray = field(default_factory=bytearray)
    status: int | None = None
    """A program's exit status."""
    answered: bool = False
    """Whether the driver said what came of it."""


class Exchange:
    """Everything that goes in and out of a pair during one job.

    Args:
        job: as the driver's `main` reads it.
        seconds: the time limit. The driver keeps it; this is only for when it cannot.
        stdin: what a program reads; None where the job is no program.
    """

    def __init__(
        self, pair: Pair, job: tuple[object, ...], seconds: float, stdin: bytes | None = None
    ) -> None:
        data, _ = encode(job, Nothing())
        self._pair = pair
        self._due = time.monotonic() + seconds
        self._deadline = self._due + GRACE
        self._program = stdin is not None
        self._job = memoryview(len(data).to_bytes(4, "little") + data)
        self._stdin = memoryview(stdin or b"")
        self._answer = bytearray()
        self._outcome = Outcome()
        self._printing = {pair.stdout: self._outcome.stdout, pair.stderr: self._outcome.stderr}
        self._driver_gone = False

    def run(self) -> Outcome:
        """Wait for what comes of it."""
        outcome = self._outcome
        with selectors.DefaultSelector() as selector:
            self._register(selector)
            while not self._over():
                left = self._deadline - time.monotonic()
                if left <= 0:
                    outcome.word, outcome.detail = "timeout", "the time limit is over"
                    return outcome
                for key, events in selector.select(left):
                    key.data(selector, key.fd, events)
        if self._program and outcome.word in _FINISHED:
            outcome.status = self._pair.status(self._deadline - time.monotonic())
        return outcome

    def _register(self, selector: selectors.BaseSelector) -> None:
        pair = self._pair
        pair.job.setblocking(False)
        selector.register(pair.job, selectors.EVENT_READ | selectors.EVENT_WRITE, self._on_driver)
        for fd in self._printing:
            os.set_blocking(fd, False)
            selector.register(fd, selectors.EVENT_READ, self._on_output)
        if self._stdin:
            os.set_blocking(pair.stdin, False)
            selector.register(pair.stdin, selectors.EVENT_WRITE, self._on_stdin)
        else:
            pair.close_stdin()

    def _over(self) -> bool:
        outcome = self._outcome
        if outcome.word == "output_limit":
            return True
        if not outcome.answered:
            if self._driver_gone:
                outcome.detail = "the process with the tests ended without a verdict"
                if time.monotonic() >= self._due:  # it was busy when its time ran out
                    outcome.word = "timeout"
            return self._driver_gone
        if self._program and outcome.word in _FINISHED:
            return not self._printing
        # What was printed before the verdict has arrived before it.
        for fd in [*self._printing]:
            while self._drain(fd):
                pass
        return True

    def _on_driver(self, selector: selectors.BaseSelector, fd: int, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                self._job = self._job[self._pair.job.send(self._job) :]
                if not self._job:
                    selector.modify(self._pair.job, selectors.EVENT_READ, self._on_driver)
            if not events & selectors.EVENT_READ:
                return
            part = self._pair.job.recv(_CHUNK)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._answer += part
        size = int.from_bytes(self._answer[:4], "little")
        if len(self._answer) >= 4 + min(size, _CHUNK) and len(self._answer) >= 4:
            self._read_verdict(bytes(self._answer[4 : 4 + size]))
        if not part or self._outcome.answered:
            self._driver_gone = True
            selector.unregister(self._pair.job)

    def _read_verdict(self, data: bytes) -> None:
        outcome = self._outcome
        outcome.answered = True
        try:
            (word, detail), _ = decode(data, Nothing())
            outcome.word, outcome.detail = str(word), str(detail)
        except (CodecError, ValueError, TypeError):
            outcome.detail = "the process with the tests gave no verdict that can be read"

    def _on_output(self, selector: selectors.BaseSelector, fd: int, events: int) -> None:
        self._drain(fd)
        if fd not in self._printing:
            selector.unregister(fd)

    def _drain(self, fd: int) -> bool:
        """Take in what is there; False if that was nothing."""
        outcome = self._outcome
        try:
            part = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        self._printing[fd] += part
        if not part:
            del self._printing[fd]
        if len(outcome.stdout) + len(outcome.stderr) > OUTPUT:
            outcome.word, outcome.detail = "output_limit", f"the code printed more than {OUTPUT >> 20} MiB"
            return False
        return bool(part)

    def _on_stdin(self, selector: selectors.BaseSelector, fd: int, events: int) -> None:
        try:
            self._stdin = self._stdin[os.write(fd, self._stdin[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:  # nobody reads it any more
            self._stdin = self._stdin[:0]
        if not self._stdin:
            selector.unregister(fd)
            self._pair.close_stdin()
