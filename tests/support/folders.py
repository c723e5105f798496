"""Small study folders as files in memory, each whole and without a problem."""

from __future__ import annotations

import json
from typing import Any

STUDY = """\
title = "A small study"
kind = "annotation"
name = "small"
seed = 7
contact = "the lab, room 1"

[[consent]]
id = "take-part"
text = "I take part."
"""


def lines(rows: list[dict[str, Any]]) -> bytes:
    """Rows as JSON Lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def item(number: int, **more: Any) -> dict[str, Any]:
    """An item that has a context, with a text of its own."""
    context = [{"role": "user", "text": f"Before request {number}."}]
    return {"id": f"i-{number}", "request": f"Write program number {number}.", "context": context, **more}


def practice(number: int, **more: Any) -> dict[str, Any]:
    """A practice item."""
    request = f"Practise on number {number}."
    return {"id": f"t-{number}", "request": request, "dominant": "HCO", "feedback": "Because.", **more}


def folder(
    *, study: str = STUDY, items: int | list[dict[str, Any]] = 4, **files: bytes | str
) -> dict[str, bytes]:
    """A folder of that many items; further files by their name with `_` for `.`, as in `checks_jsonl`."""
    rows = items if isinstance(items, list) else [item(number) for number in range(1, items + 1)]
    made: dict[str, bytes] = {
        "study.toml": study.encode(),
        "consent.md": b"Please take part.",
        "instructions.md": b"Please read.",
        "debrief.md": b"Thank you.",
        "items.jsonl": lines(rows),
    }
    for name, data in files.items():
        made[name.replace("_", ".")] = data.encode() if isinstance(data, str) else data
    return made
