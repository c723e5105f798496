"""The data dictionary of an export, generated from the row classes: for programs and for people."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from storage.export.cells import shown
from storage.export.dataset import Dataset
from storage.export.staging import Written
from studies.tables import ColumnType

TYPES: Mapping[ColumnType, str] = {
    "text": "Unicode text",
    "integer": "whole number",
    "number": "floating-point number, unrounded",
    "boolean": "true or false",
    "time": "ISO 8601 UTC with milliseconds",
    "list": "list of text",
    "messages": "list of objects with role (user or assistant) and text",
    "json": "any JSON value",
}


def dictionary(data: Dataset, files: Sequence[Written], conventions: str) -> dict[str, Any]:
    """The dictionary as JSON: every file, and every column of those that are tables."""
    return {
        "study": {"name": data.record.name, "title": data.record.title, "sha256": data.record.sha256},
        "conventions": [
            conventions,
            "Proportions are from 0 to 1, durations whole milliseconds, times ISO 8601 UTC, figures "
            "unrounded.",
            f"Active time leaves out gaps in activity longer than {data.study.analysis.idle_seconds} s "
            "(idle_seconds of analysis.toml).",
            "Participants are named by their codes."
            if data.codes is not None
            else "Participants are named by pseudonyms derived from random ids.",
        ],
        "types": dict(TYPES),
        "files": [
            {
                "name": one.name,
                "description": one.about,
                "columns": [
                    {
                        "name": column.name,
                        "type": column.type,
                        "nullable": column.nullable,
                        "description": column.description,
                    }
                    for column in one.columns
                ],
            }
            for one in files
        ],
    }


def to_json(made: Mapping[str, Any]) -> bytes:
    """The dictionary as ASCII JSON, indented."""
    return json.dumps(made, indent=2, allow_nan=False).encode("ascii") + b"\n"


def to_markdown(made: Mapping[str, Any]) -> bytes:
    """The same for people."""
    parts = [
        f"# Data dictionary of {_line(made['study']['name'])}",
        "\n".join(f"- {one}" for one in made["conventions"]),
    ]
    for file in made["files"]:
        parts.append(f"## {file['name']}\n\n{file['description']}")
        if file["columns"]:
            rows = ["| column | type | null | meaning |", "|---|---|---|---|"]
            rows += (
                f"| {_line(one['name'])} | {one['type']} | {'yes' if one['nullable'] else 'no'} "
                f"| {_line(one['description'])} |"
                for one in file["columns"]
            )
            parts.append("\n".join(rows))
    types = "\n".join(f"- {name}: {meaning}" for name, meaning in made["types"].items())
    return ("\n\n".join([*parts, f"## Types\n\n{types}"]) + "\n").encode("utf-8")


def _line(text: str) -> str:
    return " ".join(shown(text).split()).replace("|", "\\|")
