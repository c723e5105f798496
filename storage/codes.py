"""Participant codes: short, unambiguous to read aloud, with a check character."""

from __future__ import annotations

import re
import secrets

from studies.errors import NoPlaceError

ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
"""Digits and capitals without 0/O and 1/I/L. That there are 31, a prime, is what the check rests on."""

LENGTH = 4
"""Characters before the check character."""

_PLACE = {char: place for place, char in enumerate(ALPHABET)}
_ALLOWED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,31}")


def draw_code() -> str:
    """A random code such as `K7QF-3`. One of the four characters is a digit, so that none is a word."""
    while True:
        stem = "".join(secrets.choice(ALPHABET) for _ in range(LENGTH))
        if any(char.isdigit() for char in stem):
            return f"{stem}-{check_character(stem)}"


def check_character(stem: str) -> str:
    """The character that makes the weighted sum a multiple of 31.

    Weights fall from 5 to 1 (the check's own). As 31 is prime and neighbours' weights differ by one, every
    single wrong character and every swap of two neighbours shows.
    """
    return ALPHABET[-_weighted(stem) % len(ALPHABET)]


def is_issued_form(code: str) -> bool:
    """Whether this is a code of our own making, without a typing error."""
    stem, dash, check = code.upper().rpartition("-")
    return (
        bool(dash)
        and len(stem) == LENGTH
        and len(check) == 1
        and all(char in _PLACE for char in stem + check)
        and check_character(stem) == check
    )


def check_code(code: str) -> str:
    """The code as typed, without surrounding blanks.

    Raises:
        NoPlaceError: no participant code can look like this.
    """
    code = code.strip()
    if not is_code(code):
        raise NoPlaceError(
            f"{code[:40]!r} is no participant code: expected up to 32 letters, digits, dots, dashes and "
            "underscores, with a letter or digit first"
        )
    return code


def is_code(text: str) -> bool:
    """Whether a participant code can look like this."""
    return _ALLOWED.fullmatch(text) is not None


def code_key(code: str) -> str:
    """What makes two codes the same: letters in either case."""
    return code.casefold()


def is_storable(code: str) -> bool:
    """Whether a text can be looked up in the database at all; what no code can be, cannot."""
    return "\0" not in code and not any("\ud800" <= char <= "\udfff" for char in code)


def _weighted(stem: str) -> int:
    return sum(weight * _PLACE[char] for weight, char in zip(range(len(stem) + 1, 1, -1), stem, strict=True))
