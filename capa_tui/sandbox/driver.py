"""The process that holds the hidden tests, runs them, and alone writes the verdict.

The candidate is at the other end of a channel. Whatever ends the check (the deadline, the worker's death, a
message that is none) writes the verdict at once and leaves, so no `except` in a test can hide it.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` would import `enum`
import posix
import sys

from capa_tui.sandbox.codec import decode, encode
from capa_tui.sandbox.limits import limit
from capa_tui.sandbox.proxy import ITERATOR, Lost, Opaque, Peer, flags_of, line_in, write
from capa_tui.sandbox.stub import compile_stub
from capa_tui.sandbox.worker import preload_modules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_TESTS = "<tests>"


class Nothing:
    """A codec's end that lets no object through: jobs and verdicts are plain data."""

    exact = True

    def outgoing(self, value: object) -> tuple[bytes, int, int]:
        """Refused."""
        raise TypeError(type(value).__name__)

    def incoming(self, flags: int, number: int) -> object:
        """Refused."""
        raise TypeError("an object")

    def own(self, number: int) -> object:
        """Refused."""
        raise LookupError(number)


class Driver(Peer):
    """The end whose word counts."""

    exact = True

    def __init__(self, fd: int, job: int) -> None:
        super().__init__(fd)
        self._job = job
        self._lines: list[str] = []
        self._note = ""

    def finish(self, verdict: str, detail: str = "") -> NoReturn:
        """Say what came of it, and leave."""
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        data, _ = encode((verdict, detail[:4000]), Nothing())
        write(self._job, len(data).to_bytes(4, "little") + data)
        posix._exit(0)

    # What differs from the worker's end.

    def request(self, op: str, number: int, args: tuple[object, ...] = (), kwargs: object = None) -> Any:
        """Have something done by the candidate; without a candidate the check ends here."""
        try:
            return super().request(op, number, args, kwargs)
        except Lost as lost:
            self.finish("killed", self._at(f"the code's process ended or broke the channel ({lost})"))

    def outgoing(self, value: object) -> tuple[bytes, int, int]:
        """Functions and iterators of the tests may be used from there; other objects cannot be shown."""
        if not isinstance(value, Opaque):
            function = callable(value) and not isinstance(value, type)
            if not function and not flags_of(value) & ITERATOR:
                kind = value.__name__ if isinstance(value, type) else type(value).__name__
                self.finish(
                    "unsupported", self._at(f"the tests pass a {kind}, which cannot enter the sandbox")
                )
        return super().outgoing(value)

    def missing(self, number: int, name: str) -> None:
        """The tests want an attribute of an object that has it, and stays in the sandbox."""
        if self.request("has", number, (name,)) is True:
            text = f"the tests use the attribute {name!r} of an object that cannot leave the sandbox"
            self.finish("unsupported", self._at(text))

    def perform(self, op: str, number: int, args: Any, kwargs: Any) -> object:
        """A function that the tests passed is called. If the tests assert in it, that counts."""
        if op not in ("call", "iter", "next"):
            raise ValueError(op)
        try:
            return super().perform(op, number, args, kwargs)
        except AssertionError as raised:
            if not hasattr(raised, "capa_remote"):
                self.finish("failed_assertion", self._where(raised))
            raise

    def described(self, raised: BaseException) -> tuple[str, tuple[object, ...], str, int, int]:
        """Exceptions of the tests keep their identity when the candidate lets them pass."""
        self._thrown.append(raised)
        return (*super().described(raised)[:4], len(self._thrown) - 1)

    # Checks.

    def check_function(
        self, code: str, prompt: str, entry_point: str, tests: str, seconds: float
    ) -> NoReturn:
        """Run `check(candidate)`."""
        self._lines = tests.split("\n")
        names: dict[str, Any] = {"__name__": "tests"}
        try:
            compiled = compile(tests, _TESTS, "exec", dont_inherit=True)
            if prompt:
                exec(compile_stub(prompt, "<prompt>"), names)  # noqa: S102
        except BaseException as problem:
            self.finish("harness_error", f"the tests cannot be set up: {type(problem).__name__}: {problem}")
        candidate = self._loaded(code, prompt, entry_point, seconds)
        names[entry_point] = names["candidate"] = candidate
        try:
            exec(compiled, names)  # noqa: S102
            check = names.get("check")
            if not callable(check):
                self.finish("harness_error", "the tests define no check(candidate)")
            check(candidate)
        except BaseException as raised:
            self._failed(raised)
        self.finish("passed", self._note)

    def check_pairs(
        self, code: str, prompt: str, entry_point: str, pairs: tuple[tuple[str, str], ...], seconds: float
    ) -> NoReturn:
        """Compare the function's results with those that are expected."""
        known: list[tuple[Any, Any]] = []
        for number, (arguments, expected) in enumerate(pairs, 1):
            try:
                known.append((_literal(arguments), _literal(expected)))
                if type(known[-1][0]) is not tuple:
                    raise TypeError("the arguments are no tuple")
            except Exception as problem:
                self.finish("harness_error", f"pair {number}: {type(problem).__name__}: {problem}")
        candidate = self._loaded(code, prompt, entry_point, seconds)
        for number, (arguments, expected) in enumerate(known, 1):
            self._lines = [f"pair {number}: {entry_point}{pairs[number - 1][0]}"]
            try:
                if candidate(*arguments) != expected:
                    self.finish("failed_assertion", f"{self._lines[0]} is not {pairs[number - 1][1]}")
            except BaseException as raised:
                self._failed(raised, self._lines[0])
        self.finish("passed", self._note)

    def run_program(self, code: str, seconds: float) -> NoReturn:
        """Run a program; what it printed is compared where it arrives."""
        try:
            word, problem = self.request("run", 0, (code, seconds))
        except BaseException as raised:
            self._failed(raised)
        self.finish("syntax_error" if word == "syntax_error" else "ended", str(problem))

    def _loaded(self, code: str, prompt: str, entry_point: str, seconds: float) -> Any:
        try:
            word, function, note = self.request("load", 0, (code, prompt, entry_point, seconds))
        except BaseException as raised:
            self._failed(raised)
        if word == "function" and callable(function):
            self._note = f"the code's own example raised {note}" if note else ""
            return function
        if word not in ("syntax_error", "no_function"):
            self.finish("killed", "the code answered for the sandbox")
        self.finish(word, str(note) or f"the code defines no function {entry_point}")

    def _failed(self, raised: BaseException, place: str = "") -> NoReturn:
        remote = getattr(raised, "capa_remote", "")
        if isinstance(raised, MemoryError):
            self.finish("memory_limit", self._where(raised, remote or "the result is too large to be tested"))
        if isinstance(raised, AssertionError) and not remote:
            self.finish("failed_assertion", self._where(raised))
        text = remote or f"{type(raised).__name__}: {raised}"
        self.finish("exception", f"{place}: {text}" if place else self._where(raised, text))

    def _where(self, raised: BaseException, text: str | None = None) -> str:
        """What happened, and the line of the tests in which it did."""
        if text is None:
            text = str(raised)
        line = line_in(_TESTS, raised)
        if not 0 < line <= len(self._lines):
            return text
        return f"{text}\n" * bool(text) + f"line {line} of the tests: {self._lines[line - 1].strip()}"

    def _at(self, text: str) -> str:
        """The same for the line that is being run."""
        frame = sys._getframe()
        while frame.f_back is not None and frame.f_code.co_filename != _TESTS:
            frame = frame.f_back
        if frame.f_code.co_filename != _TESTS:
            return text
        return f"{text}\nline {frame.f_lineno} of the tests: {self._lines[frame.f_lineno - 1].strip()}"

    def late(self, *_: object) -> NoReturn:
        """The deadline has come."""
        self.finish("timeout", self._at("the time limit is over"))


def _literal(text: str) -> Any:
    names = {"set": set, "frozenset": frozenset, "inf": float("inf"), "nan": float("nan")}
    return eval(text.strip(), {"__builtins__": {}, **names})


def main(channel: int, job: int, preload: bool) -> None:
    """Wait for a job, do it, say the verdict."""
    if preload:
        preload_modules(job)
    size = int.from_bytes(posix.read(job, 4), "little")
    data = b""
    while len(data) < size:
        part = posix.read(job, size - len(data))
        if not part:
            posix._exit(0)
        data += part
    if not data:
        posix._exit(0)
    (kind, *rest), _ = decode(data, Nothing())
    seconds = rest[-1]
    driver = Driver(channel, job)
    limit(seconds)
    _signal.signal(_signal.SIGALRM, driver.late)
    _signal.setitimer(_signal.ITIMER_REAL, seconds)
    sys.setrecursionlimit(5000)
    try:
        if kind == "function":
            driver.check_function(*rest)
        if kind == "pairs":
            driver.check_pairs(*rest)
        driver.run_program(*rest)
    except BaseException as problem:
        driver.finish("harness_error", f"{type(problem).__name__}: {problem}")
