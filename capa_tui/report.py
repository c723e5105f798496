"""Printing for people and programs: tables on stdout, talk on stderr, nothing that a terminal obeys."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

from studies.visible import visible, visible_line


def emit(value: Any) -> None:
    """One JSON document on stdout, ASCII only."""
    print(json.dumps(value, ensure_ascii=True, indent=2))


def say(text: str) -> None:
    """A sentence to the person, on stderr."""
    print(visible(text), file=sys.stderr)


def line(text: str) -> None:
    """A line of data on stdout."""
    print(visible(text))


def table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """An aligned table on stdout; columns of numbers to the right."""
    cells = [[visible_line(_cell(one)) for one in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    numeric = [
        bool(rows) and all(isinstance(row[at], int | float) for row in rows) for at in range(len(head))
    ]
    for row in [list(head), *cells]:
        aligned = [
            one.rjust(width) if right else one.ljust(width)
            for one, width, right in zip(row, widths, numeric, strict=True)
        ]
        print("  ".join(aligned).rstrip())


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.4f}" if isinstance(value, float) else str(value)
