"""CSV: RFC 4180, one long file a table, safe to open in a spreadsheet unless asked otherwise."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from storage.export.cells import cell, is_text, safe
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.ports import Exporting
from studies.tables import Column, Filled

CONVENTIONS = (
    "RFC 4180, UTF-8. Null is an empty cell; true and false are words; a list is joined by `;`, anything "
    "else nested is JSON. {}"
)
SAFE = (
    "A text cell or header that starts with = + - @, a tab or a carriage return has a leading apostrophe, "
    "and control characters other than tab, LF and CR, and lone surrogates, are written as visible "
    "escapes such as \\x1b: the canonical export (jsonl) has every text unchanged."
)
RAW = (
    "Text is as it was typed: a spreadsheet may run it as a formula. A lone surrogate is written as its "
    "three UTF-8 bytes (Python's surrogatepass), which strict readers refuse."
)


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write every table, and a long table of each list column that is asked about on its own."""
    for filled in data.tables:
        header, rows = spread(filled)
        out.write(
            f"{filled.table.name}.csv",
            encode(header, rows, how),
            about=filled.table.description,
            rows=len(filled.rows),
            columns=header,
        )
        if filled.table.name == "annotations":
            _long(filled, "additional", out, how)
    return CONVENTIONS.format(RAW if how.raw else SAFE)


def _long(filled: Filled, column: str, out: Staging, how: Exporting) -> None:
    """One line a list entry, beside the columns that say which row it belongs to."""
    keys = [
        one
        for one in filled.table.columns
        if one.name in ("item", "participant", "pass", "revision", "latest")
    ]
    entry = next(one for one in filled.table.columns if one.name == column)
    header = [*keys, replace(entry, type="text", description="One additional mechanism.")]
    rows: list[dict[str, Any]] = []
    for row in filled.rows:
        values = filled.table.values(row)
        rows += ({**values, column: one} for one in values[column])
    about = "One line an additional mechanism; an annotation with none has no line here."
    out.write(
        f"{filled.table.name}_{column}.csv",
        encode(header, rows, how),
        about=about,
        rows=len(rows),
        columns=header,
    )


def spread(filled: Filled) -> tuple[list[Column], list[dict[str, Any]]]:
    """A table's header and rows, with the material's own further columns spread out."""
    fixed = [one for one in filled.table.columns if one.name != "columns"]
    rows = [filled.table.values(row) for row in filled.rows]
    if len(fixed) == len(filled.table.columns):
        return fixed, rows
    taken = {one.name for one in fixed}
    names: dict[str, str] = {}
    for key in dict.fromkeys(key for row in rows for key in row["columns"]):
        name = key
        while name in taken:
            name = f"columns.{name}"
        taken.add(name)
        names[key] = name
    further = [Column(name, "json", True, "A column of the study's own material.") for name in names.values()]
    for row in rows:
        row.update({names[key]: value for key, value in row.pop("columns").items()})
    return [*fixed, *further], rows


def encode(header: Sequence[Column], rows: Iterable[dict[str, Any]], how: Exporting) -> Iterator[bytes]:
    """The bytes of a CSV file, a row at a time."""
    guard = (lambda text: text) if how.raw else safe
    errors = "surrogatepass" if how.raw else "strict"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    if how.bom:
        yield b"\xef\xbb\xbf"

    def line(cells: Iterable[str]) -> bytes:
        writer.writerow(cells)
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return text.encode("utf-8", errors)

    yield line(guard(one.name) for one in header)
    for row in rows:
        values = ((row.get(one.name), one.type) for one in header)
        yield line(
            guard(cell(value, kind)) if is_text(value) else cell(value, kind) for value, kind in values
        )
