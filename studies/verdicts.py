"""Judging code: what is to be checked, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

VerdictWord = Literal[
    "passed",
    "failed_assertion",
    "exception",
    "timeout",
    "memory_limit",
    "output_limit",
    "killed",
    "syntax_error",
    "no_function",
    "no_code",
    "unsupported",
    "harness_error",
    "not_run",
]
"""The last three are neutral: they say nothing about the code."""

NEUTRAL = frozenset({"unsupported", "harness_error", "not_run"})
TIME_LIMIT = 5.0
"""Seconds a check may take unless the task says otherwise."""


@dataclass(frozen=True, slots=True)
class FunctionCheck:
    """Hidden tests for one function, as HumanEval writes them: `check(candidate)`."""

    entry_point: str
    tests: str
    """Source that defines `check(candidate)`."""
    prompt: str = ""
    """Trusted source before the candidate (imports, helpers, the signature); the driver runs it with
    `pass` for a body, and a body-only reply is put behind it."""
    time_limit: float = TIME_LIMIT


@dataclass(frozen=True, slots=True)
class PairsCheck:
    """Input/output pairs for one function; the arguments and the result are Python literals.

    `inf`, `nan`, `set()` and `frozenset()` may stand in them too. Results are compared with `==`.
    """

    entry_point: str
    pairs: tuple[tuple[str, str], ...]
    """(`(1, 2)`, `3`): a tuple of arguments, the expected result."""
    prompt: str = ""
    time_limit: float = TIME_LIMIT


@dataclass(frozen=True, slots=True)
class ProgramCheck:
    """Whole programs: (standard input, expected standard output) a case.

    The time limit is each case's own. White space at the ends of lines and of the output does not count.
    """

    cases: tuple[tuple[str, str], ...]
    time_limit: float = TIME_LIMIT


Check = FunctionCheck | PairsCheck | ProgramCheck


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of one check."""

    verdict: VerdictWord
    detail: str = ""
    """For the researcher: the failing assertion's line, the exception's type and text; for what passed, an
    exception of the code's own example. Never shown to a participant unless the study says so; may hold
    anything the code printed into an exception."""
    ms: int = 0
    output: str = ""
    """The first 64 KiB of what the code printed."""
    isolation: str = ""
    """`bubblewrap`, `landlock`, or `unsafe`; empty where nothing ran."""

    @property
    def passed(self) -> bool:
        """Whether the code is accepted."""
        return self.verdict == "passed"

    @property
    def neutral(self) -> bool:
        """Whether this says nothing about the code."""
        return self.verdict in NEUTRAL


class Judge(Protocol):
    """Runs code that nobody trusts against hidden tests."""

    async def judge(self, code: str, check: Check) -> Verdict:
        """The verdict on extracted code. Never raises for what the code does."""

    def available(self) -> str | None:
        """None if code can be run here; otherwise what is missing and what to install."""
