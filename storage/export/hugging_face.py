"""A Hugging Face dataset folder: a card with its configurations, the tables, and Croissant metadata."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from storage.export.canonical import lines
from storage.export.card import card
from storage.export.cells import flat
from storage.export.croissant import croissant
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.ports import Exporting
from studies.tables import Column, Filled, Table

CONVENTIONS = (
    "JSON Lines that load into typed columns: json columns are JSON text, and lone surrogates, which "
    "UTF-8 cannot hold, are written as visible escapes such as \\ud800. A table without rows has no file, "
    "and what loses its use once it is published (hidden tests) is left out."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write data/*.jsonl, README.md and croissant.json."""
    files = [
        out.write(
            f"data/{filled.table.name}.jsonl",
            lines(_flat(filled)),
            about=filled.table.description,
            rows=len(filled.rows),
            columns=_public(filled.table),
        )
        for filled in data.tables
        if filled.rows and not filled.table.secret
    ]
    out.write(
        "README.md",
        [card(data, files).encode("utf-8")],
        about="The dataset card. Its licence is for the researcher to fill in before publishing.",
    )
    out.write(
        "croissant.json",
        [json.dumps(croissant(data, files), indent=2).encode("ascii") + b"\n"],
        about="Croissant 1.0 metadata (schema.org JSON-LD).",
    )
    return CONVENTIONS


def _public(table: Table) -> list[Column]:
    return [one for one in table.columns if not one.secret]


def _flat(filled: Filled) -> Iterator[dict[str, Any]]:
    public = _public(filled.table)
    for row in filled.rows:
        values = filled.table.values(row)
        yield {one.name: flat(values[one.name], one.type) for one in public}
