"""Values as text cells, where a format cannot carry them as they are."""

from __future__ import annotations

import json
import re
from typing import Any

from studies.tables import ColumnType

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet takes a cell that starts so for a formula, or strips it to one."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_MARKUP = re.compile(r"([\\`*_{}\[\]<>()#+\-.!|&~])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def shown(text: str) -> str:
    """Text with control characters other than tab, LF and CR, and lone surrogates, as visible escapes."""
    return _CONTROL.sub(_escape, text)


def plain(text: str) -> str:
    """A text from a study's files as one line of Markdown in which nothing is markup."""
    return _MARKUP.sub(r"\\\1", " ".join(shown(text).split()))


def safe(text: str) -> str:
    """Text that a spreadsheet shows and never runs: as `shown`, and one that starts like a formula gets a
    leading apostrophe.
    """
    seen = shown(text)
    return "'" + seen if seen.startswith(FORMULA) else seen


def encodable(text: str) -> str:
    """Text as valid Unicode: lone surrogates are written as visible escapes, all else stays."""
    return _SURROGATE.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def json_text(value: Any) -> str:
    """A JSON value on one line that people can read."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def cell(value: Any, type: ColumnType) -> str:
    """A value as the text of a cell, before it is made safe. Null is the empty cell."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return repr(value)
    return ";".join(value) if type == "list" else json_text(value)


def is_text(value: Any) -> bool:
    """Whether a cell holds text rather than a number or a truth value."""
    return isinstance(value, str | list | dict)


def flat(value: Any, type: ColumnType) -> Any:
    """A value for a typed table: JSON columns become JSON text, and all text is valid Unicode."""
    if value is None:
        return None
    if type == "json":
        return encodable(json_text(value))
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [flat(one, "text") for one in value]
    if isinstance(value, dict):
        return {encodable(key): flat(one, "text") for key, one in value.items()}
    return value
