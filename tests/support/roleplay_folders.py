"""Small role-play folders as files in memory, each whole and without a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.folders import lines

STUDY = """\
title = "A small study"
kind = "roleplay"
name = "small"
seed = 7
contact = "the lab, room 1"

[[consent]]
id = "take-part"
text = "I take part."

[[assistants]]
name = "helper"
model = "rehearsal"
"""
SETTINGS = "[roleplay]\nhistory = 1\nheld_out = 2\n"
ANALYSIS = 'primary_outcome = "es"\ncontrast = "same-user minus none"\n'


def profile(name: str) -> str:
    """A profile."""
    return (
        f'[[profiles]]\nid = "{name}"\nname = "{name.title()}"\noccupation = "o"\nabout = "a"\nmanner = "m"\n'
    )


def row(number: int, part: str = "held_out", profile: str = "mara", **more: Any) -> dict[str, Any]:
    """A fully authored task."""
    return {
        "id": f"{profile}-{number}",
        "profile": profile,
        "mechanisms": ["DCP", "HCO"],
        "resolution": f"{profile} means the second",
        "speaks": "She says it short.",
        "brief": f"Want {number}.",
        "interface": "def f(x: str) -> str",
        "entry_point": "f",
        "tests": "def check(candidate):\n    assert candidate('x') == 'right'\n",
        "reference": "def f(x):\n    return 'right'\n",
        "facts": [
            {"id": "a", "text": "The result is lower case.", "status": "withheld", "how": "DCP"},
            {"id": "b", "text": "Lines end with a semicolon.", "status": "withheld", "how": "HCO"},
        ],
        "opening": f"Do number {number} for me.",
        "script": ["Which one?", "```python\ndef f(x):\n    return 'right'\n```"],
        "source_task": f"source-{profile}-{number}",
        "part": part,
    } | more


def cell(profile: str = "mara", held_out: int = 2, first: int = 1, **more: Any) -> list[dict[str, Any]]:
    """The tasks of a cell: one of history, one in reserve, some held out."""
    parts = ["history", "reserve", *["held_out"] * held_out]
    return [row(number, part, profile, **more) for number, part in enumerate(parts, start=first)]


def folder(
    *,
    study: str = STUDY + SETTINGS,
    tasks: Sequence[dict[str, Any]] | None = None,
    analysis: str = ANALYSIS,
    profiles: Sequence[str] = ("mara", "ben"),
    shipped: Sequence[dict[str, Any]] = (),
    **files: bytes | str,
) -> dict[str, bytes]:
    """A folder of one cell; further files by their name with `_` for `.` and `__` for `/`."""
    made: dict[str, bytes] = {
        "study.toml": study.encode(),
        "analysis.toml": analysis.encode(),
        "consent.md": b"Please take part.",
        "instructions.md": b"Please read.",
        "debrief.md": b"Thank you.",
        "profiles.toml": "\n".join(map(profile, profiles)).encode(),
        "tasks.jsonl": lines(list(cell() if tasks is None else tasks)),
    }
    if shipped:
        made["histories.jsonl"] = lines(list(shipped))
    for name, data in files.items():
        made[name.replace("__", "/").replace("_", ".")] = data.encode() if isinstance(data, str) else data
    return made


def session(number: int = 1, profile: str = "ben", **more: Any) -> dict[str, Any]:
    """A shipped session that shares nothing with the cell above."""
    return {
        "id": f"h-{number}",
        "profile": profile,
        "mechanisms": ["SLM", "ICU"],
        "resolution": "Ben means the first",
        "source_task": f"elsewhere-{number}",
        "dialogue": [{"role": "user", "text": "Do it."}, {"role": "assistant", "text": "```python\n```"}],
    } | more
