"""Words: the sentences of a text, its content words, and whether somebody said something."""

from __future__ import annotations

import re
import unicodedata

_END = re.compile(
    r"(?<!\be\.g\.)(?<!\bi\.e\.)(?<!\betc\.)(?<!\bvs\.)(?:(?<=[.!?…])|(?<=[.!?…][\"')\]»”’]))\s+"
    r"|(?<=[。！？])|\n+"
)
_MARKS = re.compile("[\"'`´‘’‚‛“”„‟«»‹›「」『』]+")
_WORD = re.compile(r"[^\W_]+")
_WITHOUT_SPACES = "\u2e80"
"""From this character on, scripts set no spaces between words."""
_EMPTY_WORDS = """
    a about after all also an and any are as at be been before being but by can could did do does each
    for from get had has have how if in into is it its just like may me might more most much must my need
    no not of off on one only or other our out over own please should so some something such than that the
    their them then there these they thing this those to too up use used user users very want was way we
    were what when where whether which while who whom why will with would you your
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())
"""Words that say nothing about what a text is about."""


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, in order; they are numbered from 1 wherever they are named."""
    return tuple(filter(None, map(str.strip, _END.split(text))))


def content_words(text: str) -> frozenset[str]:
    """What a text is about: its words without the empty ones, in one form for singular, plural and verb."""
    words = (each for one in _WORD.findall(text.casefold()) for each in _parts(one))
    return frozenset(_stem(one) for one in words if one not in _EMPTY and (len(one) > 2 or not one.isascii()))


def likeness(one: str, other: str) -> float:
    """How much of what two texts are about they share: shared content words over all (Jaccard), 0 to 1."""
    ours, theirs = content_words(one), content_words(other)
    return len(ours & theirs) / len(ours | theirs) if ours | theirs else 0.0


def said_in(quote: str, text: str) -> bool:
    """Whether a text holds a quote, from one end of a word to the other.

    White space, case and the kind of quotation marks may differ; nothing else may.
    """
    wanted = _bare(quote).strip("' ")
    if not wanted:
        return False
    # Only where words are set apart by spaces is there an end of a word to keep to.
    before = "(?<![a-z0-9])" if wanted[0].isascii() else ""
    after = "(?![a-z0-9])" if wanted[-1].isascii() else ""
    return re.search(f"{before}{re.escape(wanted)}{after}", _bare(text)) is not None


def same(text: str) -> str:
    """A text as it is compared with another: case and white space do not count."""
    return " ".join(text.casefold().split())


def clipped(text: str, most: int) -> str:
    """A text on one line, cut at a word where it is longer than `most` characters."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    whole, _, _ = line[: most - 1].rpartition(" ")
    return f"{whole or line[: most - 1]}…"


def _bare(text: str) -> str:
    return same(_MARKS.sub("'", unicodedata.normalize("NFC", text)))


def _parts(word: str) -> tuple[str, ...]:
    """The word; in writing without spaces, each two characters beside each other."""
    if not any(letter >= _WITHOUT_SPACES for letter in word):
        return (word,)
    return tuple(word[place : place + 2] for place in range(max(1, len(word) - 1)))


def _stem(word: str) -> str:
    if not word.isascii():
        return word
    if word.endswith("ies") and len(word) > 4:
        word = f"{word[:-3]}y"
    elif word.endswith("s") and not word.endswith("ss") and len(word) > 3:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending)
    return word.removesuffix("e") if len(word) > 3 else word
