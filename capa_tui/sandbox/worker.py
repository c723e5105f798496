"""The process that runs the code under test. It knows that code and nothing of the tests."""

from __future__ import annotations

import posix
import sys

from capa_tui.sandbox.limits import limit
from capa_tui.sandbox.proxy import Lost, Peer
from capa_tui.sandbox.stub import compile_stub

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANNEL = 3
"""The descriptor of the channel to the driver, whatever it was when the process started."""
_STREAMS = (sys.stdout, sys.stderr)
PRELOADED = ("typing", "math")
"""Modules that most solutions import; a spare pair loads them while it waits."""


class Worker(Peer):
    """The driver's other end."""

    ended = False

    def perform(self, op: str, number: int, args: Any, kwargs: Any) -> object:
        """Load the code, or do something with an object that it made."""
        try:
            if op == "load":
                return self._load(*args)
            if op == "run":
                return self._run(*args)
            if op == "has":
                return hasattr(self.own(number), args[0])
            return super().perform(op, number, args, kwargs)
        finally:
            flush()

    def serve(self) -> None:
        """Do what the driver asks; a program is run once, and then the process ends as programs do."""
        while not self.ended:
            self.serve_one()

    def _load(self, code: str, prompt: str, entry_point: str, seconds: float) -> tuple[str, object, str]:
        """The function of that name: `("function", it, what else was raised)`, or why there is none."""
        limit(seconds)
        names = _module("candidate")
        if prompt:
            exec(compile_stub(prompt, "<prompt>"), names)  # noqa: S102
            names.pop(entry_point, None)
        compiled, problem = _compiled(code)
        if compiled is None:
            return "syntax_error", None, problem
        note = ""
        try:
            exec(compiled, names)  # noqa: S102
        except Lost:
            raise
        except BaseException as raised:
            if not callable(names.get(entry_point)):
                raise
            name, _, text, line, _ = self.described(raised)
            note = f"{text if text.startswith(name) else f'{name}: {text}'} (line {line})"
        function = names.get(entry_point)
        if not callable(function):
            return "no_function", None, ""
        return "function", function, note

    def _run(self, code: str, seconds: float) -> tuple[str, str]:
        limit(seconds)
        self.ended = True
        compiled, problem = _compiled(code)
        if compiled is None:
            return "syntax_error", problem
        names = _module("__main__")
        try:
            exec(compiled, names)  # noqa: S102
        except SystemExit as left:
            if left.code not in (None, 0):
                raise
        return "ended", ""


def _compiled(code: str) -> tuple[Any, str]:
    try:
        return compile(code, "<candidate>", "exec", dont_inherit=True), ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as problem:
        return None, f"{type(problem).__name__}: {problem}"[:500]


def _module(name: str) -> dict[str, Any]:
    module = type(sys)(name)
    sys.modules[name] = module
    return module.__dict__


def flush() -> None:
    """Hand over what was printed, whatever the code made of its streams."""
    for stream in (getattr(sys, "stdout", None), getattr(sys, "stderr", None), *_STREAMS):
        try:
            stream.flush()  # type: ignore[union-attr]
        except BaseException:
            continue


def main(fd: int, preload: bool) -> None:
    """Serve the driver until it is gone."""
    if fd != CHANNEL:
        posix.dup2(fd, CHANNEL)
        posix.close(fd)
    if preload:
        preload_modules(CHANNEL)
    worker = Worker(CHANNEL)
    try:
        worker.serve()
    except Lost:
        posix._exit(0)


def preload_modules(fd: int) -> None:
    """Load what most solutions import, unless there is something to do."""
    from select import select

    for name in PRELOADED:
        if select([fd], [], [], 0)[0]:
            return
        __import__(name)
