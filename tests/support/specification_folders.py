"""Small specification folders as files in memory, each whole and without a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.folders import lines

STUDY = """\
title = "A small study"
kind = "specification"
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
AGENTS = """\
[[specification.agents]]
name = "buddy"
design = "buddy"
assistant = "helper"
[[specification.agents]]
name = "plain"
design = "baseline"
assistant = "helper"
"""
ANALYSIS = 'primary_outcome = "accuracy"\ncontrast = "buddy minus plain"\n'
PERSONAS = """\
[[personas]]
id = "mara"
name = "Mara"
occupation = "o"
backstory = "b"
traits = ["t"]
behaviour = "b"
[[personas.check]]
id = "c"
text = "Who?"
options = ["she", "he"]
answer = "she"
"""


def settings(**values: str) -> str:
    """The table of the kind, with the agents behind it; values as TOML."""
    known = {"identity": '"persona"'} | values
    return "[specification]\n" + "".join(f"{key} = {value}\n" for key, value in known.items()) + AGENTS


def checklist(count: int = 10) -> list[dict[str, Any]]:
    """That many questions of two options."""
    return [
        {"id": f"q-{n}", "question": f"Which, {n}?", "options": ["this", "that"]} for n in range(1, count + 1)
    ]


def project(number: int, **more: Any) -> dict[str, Any]:
    """A project with a checklist, of a persona, with a past conversation."""
    return {
        "id": f"p-{number}",
        "title": f"Project {number}",
        "proposal": f"I want number {number}.",
        "persona": "mara",
        "checklist": checklist(),
        "conversations": [
            {
                "id": "c-1",
                "dialogue": [{"role": "user", "text": "Do it."}, {"role": "assistant", "text": "Done."}],
            }
        ],
        "script": {"summary": {"summary": "She wants it done."}},
    } | more


def folder(
    *,
    study: str | None = None,
    projects: Sequence[dict[str, Any]] | None = None,
    analysis: str = ANALYSIS,
    personas: str | None = PERSONAS,
) -> dict[str, bytes]:
    """A folder of two projects."""
    made: dict[str, bytes] = {
        "study.toml": (STUDY + settings() if study is None else study).encode(),
        "analysis.toml": analysis.encode(),
        "consent.md": b"Please take part.",
        "instructions.md": b"Please read.",
        "debrief.md": b"Thank you.",
        "projects.jsonl": lines(list([project(1), project(2)] if projects is None else projects)),
    }
    if personas is not None:
        made["personas.toml"] = personas.encode()
    return made
