"""Which of a study's names a sentence of its analysis plan mentions."""

from __future__ import annotations

import re
from collections.abc import Sequence


def mentioned_in(text: str, known: Sequence[str]) -> list[str]:
    """Which of the names a text mentions as whole words, in the order of their first mention."""
    if not known:
        return []
    # The longest first, since one name may begin another.
    names = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    by_folded = {one.casefold(): one for one in known}
    words = re.findall(rf"(?<![\w-])(?:{names})(?![\w-])", text, re.IGNORECASE)
    return list(dict.fromkeys(by_folded[one.casefold()] for one in words))
