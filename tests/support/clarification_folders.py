"""Small clarification folders as files in memory, each whole and without a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.folders import lines

STUDY = """\
title = "A small study"
kind = "clarification"
name = "small"
seed = 7
contact = "the lab, room 1"

[[consent]]
id = "take-part"
text = "I take part."
"""
HELPER = '[[assistants]]\nname = "helper"\nmodel = "rehearsal"\n'
JUDGE = '[[assistants]]\nname = "judge"\nmodel = "rehearsal"\n'
ANALYSIS = 'primary_outcome = "tkqr"\n'


def row(number: int = 1, **more: Any) -> dict[str, Any]:
    """A task with two gaps."""
    return {
        "id": f"t-{number}",
        "source": f"source-{number}",
        "statement": f"Add the lengths of part {number}.",
        "full_statement": f"Add the lengths of part {number}, in metres, without the broken ones.",
        "key_questions": [
            {
                "id": "unit",
                "question": "In which unit?",
                "answer": "In metres.",
                "type": "units",
                "cues": ["unit"],
            },
            {
                "id": "broken",
                "question": "Do broken ones count?",
                "answer": "No.",
                "type": "terminology",
                "cues": ["broken"],
            },
        ],
        "cases": [{"input": "1 2", "output": "3"}],
        "reference": "print(sum(map(int, input().split())))\n",
        "script": ["[QUESTION]\nWhich unit?\n[/QUESTION]", "[CODE]\nprint(3)\n[/CODE]"],
    } | more


def asked(number: int, **more: Any) -> dict[str, Any]:
    """An asked question that the judge matched with `unit`."""
    return {
        "id": f"a-{number}",
        "text": f"Metres or feet, number {number}?",
        "votes": {"unit": [True] * 3, "broken": [False] * 3},
    } | more


def study(seat: str = "answerer", more: str = "", assistants: str | None = None) -> str:
    """study.toml of a seat; `more` continues the table `clarification`."""
    own = {"answerer": HELPER, "asker": JUDGE}.get(seat, "")
    judge = '[clarification.judge]\nby = "judge"\n' if seat == "asker" else ""
    table = f'[clarification]\nseat = "{seat}"\n{more}\n{judge}'
    return f"{STUDY}\n{own if assistants is None else assistants}\n{table}"


def folder(
    settings: str | None = None,
    *,
    tasks: Sequence[dict[str, Any]] | None = None,
    analysis: str = ANALYSIS,
    **files: bytes | str,
) -> dict[str, bytes]:
    """A folder of three tasks; further files by their name with `_` for `.` and `__` for `/`."""
    made: dict[str, bytes] = {
        "study.toml": (study() if settings is None else settings).encode(),
        "analysis.toml": analysis.encode(),
        "consent.md": b"Please take part.",
        "instructions.md": b"Please read.",
        "debrief.md": b"Thank you.",
        "tasks.jsonl": lines([row(1), row(2), row(3)] if tasks is None else list(tasks)),
    }
    for name, data in files.items():
        made[name.replace("__", "/").replace("_", ".")] = data.encode() if isinstance(data, str) else data
    return made
