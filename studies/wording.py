"""Whether one text seems to hold what another says."""

from __future__ import annotations

import re
import unicodedata

GIVEN_AWAY = 0.8
"""Share of a statement's telling words from which a text may hold it."""
FEW_WORDS = 3
"""Telling words below which nothing can be said."""
_COMMON = """
about also always been both does each else ever every from have into itself made make makes more most must
never next none only other over same some such than that their them then there these they this those upon
very what when where which while whose will with within without would
"""
_COMMON_WORDS = frozenset(_COMMON.split())
_TELLING = re.compile(r"[^\W\d_]{4,}|\d+(?:[.,]\d+)*")


def folded(text: str) -> str:
    """A text without what does not change its words: spaces, case, the last full stop."""
    return unicodedata.normalize("NFC", " ".join(text.split())).casefold().rstrip(".")


def telling(text: str) -> set[str]:
    """The words and numbers that carry what a text says."""
    words = (one.removesuffix("s") for one in _TELLING.findall(folded(text)))
    return {one for one in words if one not in _COMMON_WORDS}


def holds(text: str, statement: str) -> bool:
    """Whether a text holds a statement word for word."""
    return folded(statement) in folded(text)


def nearly_holds(text: str, statement: str) -> bool:
    """Whether a text holds nearly all telling words of a statement that has enough of them."""
    told = telling(statement)
    return len(told) >= FEW_WORDS and len(told & telling(text)) >= GIVEN_AWAY * len(told)
