"""Make text safe for a terminal: nothing in it can act, and everything in it can be seen."""

from __future__ import annotations

import re

# C0 and C1 controls, DEL, lone surrogates, and the invisible marks that reorder what follows them.
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with each acting character written as an escape; tab and line feed stay.

    Carriage returns before a line feed are dropped, so that CRLF files look like any other.
    """
    return _ACTING.sub(_escape, text.replace("\r\n", "\n"))


def visible_line(text: str) -> str:
    """The same on one line: line feeds and tabs are written as escapes as well."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
