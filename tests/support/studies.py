"""Small studies made in memory, so that a test says only what it is about."""

from __future__ import annotations

import json
from typing import Any

from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem
from studies.settings import AnalysisSettings, StudySettings
from studies.study import Study, Texts, version_hash

LABELS = ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER")


def codebook() -> Codebook:
    """A codebook whose texts name their label, for tests that look for them."""
    entries = [
        {
            "label": label,
            "name": f"name of {label}",
            "short": f"short {label}",
            "definition": f"definition of {label}",
            "choose_when": f"choose {label}",
            "not_when": f"not {label}",
        }
        for label in LABELS
    ]
    return Codebook.model_validate(
        {
            "version": "test",
            "gate": "the gate",
            "dominant_rule": "the rule",
            "tie_break": "the tie break",
            "entries": entries,
        }
    )


def settings(**changes: Any) -> StudySettings:
    """study.toml with one consent item and everything else at its default."""
    base: dict[str, Any] = {
        "title": "A small study",
        "kind": "annotation",
        "name": "small",
        "seed": 7,
        "consent": [{"id": "take-part", "text": "I take part."}],
    }
    return StudySettings.model_validate(base | changes)


def study(
    items: int = 4,
    training: int = 0,
    checks: int = 0,
    analysis: dict[str, Any] | None = None,
    instructions: str = "Page one.\n\n---\nPage two.",
    requests: list[str] | None = None,
    **changes: Any,
) -> Study:
    """A study with the given numbers of items; `changes` go to study.toml."""
    made = settings(**changes)
    texts = requests or [f"Request {n}: make it better." for n in range(1, items + 1)]
    main = tuple(
        Item(id=f"i{n}", request=text, gold=LABELS[n % 6], source="test") for n, text in enumerate(texts, 1)
    )
    practice = tuple(
        TrainingItem(
            id=f"t{n}", request=f"Practice {n}.", dominant=LABELS[n % 6], feedback=f"Because of {n}."
        )
        for n in range(1, training + 1)
    )
    attention = tuple(
        CheckItem(id=f"c{n}", request=f"Check {n}: choose short NONE.", dominant="NONE")
        for n in range(1, checks + 1)
    )
    plan = AnalysisSettings.model_validate(analysis or {})
    identity = version_hash(
        {
            "study": made.model_dump_json(exclude_defaults=True).encode(),
            "items": json.dumps([one.model_dump(exclude_defaults=True) for one in main]).encode(),
            "analysis": plan.model_dump_json(exclude_defaults=True).encode(),
        }
    )
    return Study(
        sha256=identity,
        files={},
        settings=made,
        analysis=plan,
        texts=Texts("Please read this.", instructions, "What was hidden."),
        codebook=codebook(),
        items=main,
        training=practice,
        checks=attention,
    )
