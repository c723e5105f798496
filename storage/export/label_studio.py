"""Label Studio JSON: a task an item, an annotation a response, and the labelling configuration for both."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import UUID
from xml.etree import ElementTree

from storage.export.cells import shown
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.annotation.rows import ANNOTATIONS, CHECKS, MATERIALS, AnnotationRow, MaterialRow
from studies.ports import Exporting
from studies.rows import PARTICIPANTS, ParticipantRow
from studies.study import Study
from studies.taxonomy import ESCAPES, MECHANISMS

CONVENTIONS = (
    "tasks.json is Label Studio's JSON, one task an item with every participant's last revision of each "
    "pass; earlier revisions are in the canonical export. lead_time is in seconds. `additional` NONE_ELSE "
    "is the explicit none. completed_by names participants by an address that reaches nobody: to import "
    "it, give Label Studio members of those addresses or set ALLOW_IMPORT_TASKS_WITH_UNKNOWN_EMAILS. "
    "unique_id keeps a second import from doubling annotations. Intended labels are under meta, which "
    "annotators do not see."
)
NOTHING_ELSE = "NONE_ELSE"


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write tasks.json and label_config.xml."""
    tables = {one.table.name: one.rows for one in data.tables}
    people = {one.participant: one for one in tables[PARTICIPANTS.name]}
    given: dict[tuple[str, str], list[AnnotationRow]] = {}
    for table, set in ((ANNOTATIONS, "main"), (CHECKS, "check")):
        for row in tables[table.name]:
            if row.latest:
                given.setdefault((row.item, set), []).append(row)
    tasks = [
        _task(number, material, given.get((material.item, material.set), []), people, data.study)
        for number, material in enumerate(
            (one for one in tables[MATERIALS.name] if one.set != "training"), start=1
        )
    ]
    out.write("tasks.json", _json_list(tasks), about="Items with their annotations.", rows=len(tasks))
    out.write(
        "label_config.xml",
        [label_config(data.study)],
        about="The labelling configuration for a Label Studio project.",
    )
    return CONVENTIONS


def label_config(study: Study) -> bytes:
    """The labelling configuration: what an annotator was asked, in Label Studio's tags."""
    view = ElementTree.Element("View")
    ElementTree.SubElement(
        view, "Paragraphs", name="context", value="$context", nameKey="role", textKey="text"
    )
    ElementTree.SubElement(view, "Text", name="request", value="$request")
    settings = study.settings.annotation
    names: dict[str, str] = {one.label: shown(one.name) for one in study.codebook.entries}
    escapes = {label: names[label] for label in ESCAPES} if settings.escapes else {}
    mechanisms = {label: names[label] for label in MECHANISMS}
    _choices(view, "dominant", "single", mechanisms | escapes)
    if settings.additional:
        _choices(view, "additional", "multiple", mechanisms | {NOTHING_ELSE: "nothing else"})
    if settings.confidence:
        ElementTree.SubElement(view, "Rating", name="confidence", toName="request", maxRating="5")
    ElementTree.SubElement(view, "TextArea", name="note", toName="request")
    if settings.flag:
        _choices(view, "flag", "single", {"flagged": "for the researcher"})
    ElementTree.indent(view)
    text: bytes = ElementTree.tostring(view, encoding="utf-8")
    return text + b"\n"


def _choices(view: ElementTree.Element, name: str, choice: str, labels: Mapping[str, str]) -> None:
    group = ElementTree.SubElement(view, "Choices", name=name, toName="request", choice=choice)
    for label, hint in labels.items():
        ElementTree.SubElement(group, "Choice", value=label, hint=hint)


def _json_list(entries: list[dict[str, Any]]) -> Iterator[bytes]:
    yield b"["
    for place, one in enumerate(entries):
        yield (b",\n" if place else b"\n") + json.dumps(one, allow_nan=False).encode("ascii")
    yield b"\n]\n"


def _task(
    number: int,
    material: MaterialRow,
    given: list[AnnotationRow],
    people: Mapping[str, ParticipantRow],
    study: Study,
) -> dict[str, Any]:
    return {
        "id": number,
        "data": {
            "item": material.item,
            "request": material.request,
            "context": list(material.context),
            "source": material.source,
        },
        "meta": {
            "set": material.set,
            "gold": material.gold,
            "gold_additional": list(material.gold_additional),
            "columns": material.columns,
        },
        "annotations": [_annotation(one, people[one.participant], study) for one in given],
    }


def _annotation(row: AnnotationRow, person: ParticipantRow, study: Study) -> dict[str, Any]:
    identity = hashlib.sha256(
        f"{study.sha256}|{row.role}|{row.item}|{row.participant}|{row.pass_}|{row.revision}".encode()
    ).hexdigest()
    return {
        "unique_id": str(UUID(identity[:32])),
        "completed_by": {"email": f"{row.participant}@participants.invalid"},
        "created_at": row.submitted_at,
        "lead_time": row.elapsed_ms / 1000,
        "was_cancelled": False,
        "ground_truth": False,
        "result": [
            {
                "id": f"{identity[:8]}-{name}",
                "from_name": name,
                "to_name": "request",
                "type": kind,
                "value": value,
            }
            for name, kind, value in _results(row, study.settings.annotation.additional)
        ],
        "meta": {
            "pass": row.pass_,
            "role": row.role,
            "revision": row.revision,
            "active_ms": row.active_ms,
            "pilot": person.pilot,
            "state": person.state,
        },
    }


def _results(row: AnnotationRow, additional: bool) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    yield "dominant", "choices", {"choices": [row.dominant]}
    if additional and row.dominant not in ESCAPES:
        yield "additional", "choices", {"choices": list(row.additional) or [NOTHING_ELSE]}
    if row.confidence is not None:
        yield "confidence", "rating", {"rating": row.confidence}
    if row.note:
        yield "note", "textarea", {"text": [row.note]}
    if row.flag:
        yield "flag", "choices", {"choices": ["flagged"]}
