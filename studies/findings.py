"""Short ways to write down what is wrong with a study folder."""

from __future__ import annotations

from studies.errors import Problem


def error(file: str, key: str, found: str, expected: str = "", line: int = 0) -> Problem:
    """Something that would make the data invalid: the folder cannot be loaded."""
    return Problem(file, line, key, found, expected)


def warning(file: str, key: str, found: str, expected: str = "", line: int = 0) -> Problem:
    """Something worth knowing."""
    return Problem(file, line, key, found, expected, warning=True)
