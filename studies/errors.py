"""Errors that a person is meant to read: what happened, what was kept, what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class CapaError(Exception):
    """Base. The text is for a person; `exit_code` is the contract's."""

    exit_code = 2


class InputError(CapaError):
    """Bad input or usage."""


class MachineError(CapaError):
    """Something this machine lacks: disk, a library, a permission."""

    exit_code = 3


class JournalError(MachineError):
    """An event could not be made durable. Nothing of the batch was stored."""


class ForkError(JournalError):
    """The stream has grown elsewhere; this process holds an old end of it."""


class UnknownStudyError(InputError):
    """The database holds no such study or version."""


class NoPlaceError(InputError):
    """The participant cannot be seated: no slot left, an unknown code, or already open elsewhere."""


class UnknownCodeError(NoPlaceError):
    """Nobody has this code yet, and it may be a new participant's or a slip of the finger."""


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong in a file of a study folder."""

    file: str
    line: int
    """From 1; 0 where the file has no lines to speak of."""
    key: str
    """Key path, such as `design.raters`; empty for the whole line or file."""
    found: str
    expected: str
    warning: bool = False
    """True: worth knowing, and no reason to refuse."""

    def __str__(self) -> str:
        place = self.file + (f":{self.line}" if self.line else "") + (f" {self.key}" if self.key else "")
        return f"{place}: {self.found}" + (f"; expected {self.expected}" if self.expected else "")


class FolderError(InputError):
    """A study folder (or another set of input files) has problems; it carries all of them."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(one) for one in self.problems))
