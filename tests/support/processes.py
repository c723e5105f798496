"""Real other processes, forked from the test so that they start at once; no sleeps, only pipes.

SQLite's connections do not survive a fork: start a process before the test opens a store, or after it closed.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NOBODY = 65534


class Child:
    """A process running `work(child)`; both sides talk in lines of JSON. A context manager.

    What `work` raises comes back as the line `"Name: message"`.
    """

    def __init__(self, work: Callable[[Child], Any]) -> None:
        down_read, down_write = os.pipe()
        up_read, up_write = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(down_write)
                os.close(up_read)
                self._in, self._out = os.fdopen(down_read), os.fdopen(up_write, "w")
                try:
                    work(self)
                except BaseException as error:
                    self.say(f"{type(error).__name__}: {error}")
            finally:
                os._exit(0)
        os.close(down_read)
        os.close(up_write)
        self._in, self._out = os.fdopen(up_read), os.fdopen(down_write, "w")
        self._ended = False

    def say(self, message: Any = None) -> None:
        """Tell the other side."""
        self._out.write(json.dumps(message) + "\n")
        self._out.flush()

    def hear(self) -> Any:
        """What the other side says next; EOFError if it has ended."""
        line = self._in.readline()
        if not line.endswith("\n"):
            raise EOFError
        return json.loads(line)

    def rest(self) -> list[Any]:
        """Everything the other side still says until it ends."""
        return [json.loads(line) for line in self._in if line.endswith("\n")]

    def kill(self) -> None:
        """kill -9."""
        os.kill(self.pid, signal.SIGKILL)
        self.end()

    def end(self) -> int:
        """Wait for its end; the status as `waitpid` gives it."""
        self._ended = True
        return os.waitpid(self.pid, 0)[1]

    def __enter__(self) -> Child:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._ended:
            self.kill()
        self._in.close()
        with suppress(BrokenPipeError):
            self._out.close()


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """Run `work(n)` in so many processes that are let go together; their results."""

    def run(number: int, child: Child) -> None:
        child.say("ready")
        child.hear()
        child.say(work(number))

    children = [Child(lambda child, number=number: run(number, child)) for number in range(count)]  # type: ignore[misc]
    for one in children:
        assert one.hear() == "ready"
    for one in children:
        one.say("go")
    results = [one.hear() for one in children]
    for one in children:
        one.end()
        with one:
            pass
    return results


def as_ordinary_user(work: Callable[[], Any]) -> Any:
    """The result of `work` in a process that permissions apply to, whoever runs the tests."""

    def run(child: Child) -> None:
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
        child.say(work())

    with Child(run) as child:
        result = child.hear()
        child.end()
    return result


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that every user may enter and write."""
    folder = Path(tempfile.mkdtemp())
    try:
        folder.chmod(0o777)
        yield folder
    finally:
        folder.chmod(0o777)
        shutil.rmtree(folder)
