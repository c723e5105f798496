"""The canonical export: the events as they were hashed and the study folder, which `import` takes back.

Beside them lie the tidy tables as JSON Lines, ASCII-escaped, so that every text survives byte for byte.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from typing import Any

from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.events import Event, to_ascii_json
from studies.ports import Exporting
from studies.tables import Filled

EVENTS, STUDY, CODES = "events.jsonl", "study.json", "codes.jsonl"
EVENT_KEYS = ("stream", "seq", "kind", "at", "body", "salt", "digest", "previous", "hash")

CONVENTIONS = (
    "JSON Lines, one object a line, ASCII with escapes, so that NUL and lone surrogates travel unchanged; "
    "null is null. events.jsonl and study.json are what `import` reads; the other files are derived from "
    "them."
)

LISTED = (
    "Participant codes are in it all the same: study.toml, which study.json holds, lists them in the "
    "order of their slots. Publish another format, or issue codes instead of listing them."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write events, study folder, codes where they are asked for, and every tidy table."""
    out.write(
        EVENTS,
        lines(event_json(one) for one in data.events),
        about="One line an event, by stream and number. `body` is the payload exactly as it was hashed, null "
        "where it was erased or withheld; `digest` is the SHA-256 of salt, line feed and body; `hash` is the "
        "SHA-256 of the JSON list [previous, stream, seq, kind, at, digest].",
        rows=len(data.events),
    )
    out.write(
        STUDY,
        [to_ascii_json(study_json(data)).encode("ascii") + b"\n"],
        about="The study folder as it was loaded, each file in base64.",
    )
    if data.codes is not None:
        out.write(
            CODES,
            lines(data.codes),
            about="One line a person: random id, study, participant code, and whether it is a pilot's.",
            rows=len(data.codes),
        )
    for filled in data.tables:
        out.write(
            f"{filled.table.name}.jsonl",
            lines(rows(filled)),
            about=filled.table.description,
            rows=len(filled.rows),
            columns=filled.table.columns,
        )
    return f"{CONVENTIONS} {LISTED}" if data.lists_codes else CONVENTIONS


def event_json(one: Event) -> dict[str, Any]:
    """An event as its line holds it."""
    return {key: getattr(one, key) for key in EVENT_KEYS}


def study_json(data: Dataset) -> dict[str, Any]:
    """What study.json holds."""
    files = data.study.files
    return {
        "name": data.record.name,
        "title": data.record.title,
        "kind": data.record.study_kind,
        "sha256": data.record.sha256,
        "loaded_at": data.record.loaded_at,
        "files": {path: base64.b64encode(files[path]).decode("ascii") for path in sorted(files)},
    }


def rows(filled: Filled) -> Iterator[dict[str, Any]]:
    """A table's rows as JSON objects."""
    return (filled.table.values(row) for row in filled.rows)


def lines(objects: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    """JSON Lines, keys in the order given."""
    for one in objects:
        yield (
            json.dumps(one, ensure_ascii=True, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        )
