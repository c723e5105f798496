"""What a judge's reply says: yes, no, or neither."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]+")
_VERDICTS = {"yes": True, "no": False}


def vote_in(text: str) -> bool | None:
    """The vote in a reply: its first word, else its last, else the only one of `yes` and `no` in it."""
    words = [one.casefold() for one in _WORD.findall(text)]
    for one in words[:1] + words[-1:]:
        if one in _VERDICTS:
            return _VERDICTS[one]
    held = {_VERDICTS[one] for one in words if one in _VERDICTS}
    return held.pop() if len(held) == 1 else None
