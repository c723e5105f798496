"""Any JSON Lines or CSV file of requests, read as items."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from studies.annotation.materials import Label, Mechanism, gold_conflict
from studies.errors import Problem
from studies.reading import closest, listed, read_objects, read_text, shown
from studies.setting_types import IDENTIFIER, PATTERNS

MAX_BYTES = 256 * 2**20
"""Of an items file, unpacked."""

_RESERVED = ("id", "request", "context", "gold", "gold_additional", "source")
_DELIMITERS = (",", ";", "\t")


@dataclass(frozen=True, slots=True)
class _Fields:
    text: str
    id: str
    context: str | None

    def named(self) -> tuple[str, ...]:
        return (self.text, self.id) + ((self.context,) if self.context else ())


@dataclass(frozen=True, slots=True)
class _Line:
    """One record of the file, and the line it starts on."""

    line: int
    values: Mapping[str, Any]


def read_items(
    path: Path, text_field: str, id_field: str, *, context_field: str | None = None
) -> tuple[list[dict[str, Any]], list[Problem]]:
    """Rows of the shape of `Item`, and everything wrong with the file (then with no rows worth using).

    JSON Lines or CSV (comma, semicolon or tab), either gzipped or not; told apart by name, else by content.
    Further columns are kept. One that has the name of an item's own key is taken for it where every value
    fits, else kept under the name with `_` behind it, which a warning says.
    """
    file = str(path)
    problems: list[Problem] = []
    data = _unpacked(path, problems)
    if data is None:
        return [], problems
    fields = _Fields(text_field, id_field, context_field)
    if _is_csv(path, data):
        lines = list(_csv_lines(file, data, fields, problems))
    else:
        lines = [_Line(*one) for one in read_objects(file, data, problems)]
    if not lines and not problems:
        problems.append(Problem(file, 0, "", "the file holds no items", "at least one"))
    rows = _items(file, lines, fields, problems) if lines else []
    return rows, sorted(problems, key=lambda one: (one.warning, one))


# -- bytes to records --------------------------------------------------------------------------


def _unpacked(path: Path, problems: list[Problem]) -> bytes | None:
    file = str(path)
    try:
        with path.open("rb") as raw:
            packed = raw.read(2) == b"\x1f\x8b"
            raw.seek(0)
            source = gzip.GzipFile(fileobj=raw) if packed else raw
            data = source.read(MAX_BYTES + 1)
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        problems.append(Problem(file, 0, "", f"cannot be read: {reason}", "a JSON Lines or CSV file"))
        return None
    if len(data) > MAX_BYTES:
        found = f"more than {MAX_BYTES / 2**20:.0f} MiB"
        problems.append(Problem(file, 0, "", found, "a smaller file"))
        return None
    return data


def _is_csv(path: Path, data: bytes) -> bool:
    names = [one.casefold() for one in path.suffixes]
    if {".csv", ".tsv"} & set(names):
        return True
    if {".jsonl", ".ndjson", ".json"} & set(names):
        return False
    return not data.removeprefix(b"\xef\xbb\xbf").lstrip().startswith((b"{", b"["))


def _csv_lines(file: str, data: bytes, fields: _Fields, problems: list[Problem]) -> Iterator[_Line]:
    text = read_text(file, data, problems)
    if not text or text.isspace():
        return
    # The module's own limit, 128 KiB a cell, is for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), MAX_BYTES))
    delimiter = _delimiter(text, fields)
    records = _records(file, text, delimiter, problems)
    line, header = next(records, (0, []))
    # Spreadsheets end every line with empty cells where a column was once used.
    while header and not header[-1].strip():
        header = header[:-1]
    for name in sorted({one for one in header if header.count(one) > 1}):
        problems.append(Problem(file, line, shown(name), "the column is there twice", "different names"))
    for place, name in enumerate(header, 1):
        if not name.strip():
            problems.append(Problem(file, line, "", f"column {place} has no name", "a name"))
    for line, cells in records:
        filled = cells[: len(header)] + [one for one in cells[len(header) :] if one.strip()]
        if len(filled) == len(header):
            yield _Line(line, dict(zip(header, filled, strict=True)))
        else:
            problems.append(
                Problem(file, line, "", f"{len(filled)} cells", f"{len(header)}, as in the header")
            )


def _delimiter(text: str, fields: _Fields) -> str:
    """The delimiter under which the header holds the fields asked for, else the commonest in it."""
    line = text.lstrip().split("\n", 1)[0].rstrip("\r")
    headers = {one: next(csv.reader([line], delimiter=one), []) for one in _DELIMITERS}
    return max(headers, key=lambda one: (len(set(fields.named()) & set(headers[one])), len(headers[one])))


def _records(
    file: str, text: str, delimiter: str, problems: list[Problem]
) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        problems.append(Problem(file, line, "", f"not CSV: {error}", "RFC 4180 quoting, texts in quotes"))


# -- records to items --------------------------------------------------------------------------


def _items(
    file: str, lines: Sequence[_Line], fields: _Fields, problems: list[Problem]
) -> list[dict[str, Any]]:
    missing = _nowhere(file, lines, fields)
    problems.extend(missing)
    names = _column_names(file, lines, fields, problems)
    first: dict[str, int] = {}
    items = []
    for record in lines:
        item: dict[str, Any] = {}
        if fields.id not in {one.key for one in missing}:
            item["id"] = _id(file, record, fields.id, first, problems)
        if fields.text not in {one.key for one in missing}:
            item["request"] = _request(file, record, fields.text, problems)
        if fields.context and fields.context in record.values:
            try:
                item["context"] = dialogue(record.values[fields.context])
            except ValueError as error:
                problems.append(Problem(file, record.line, fields.context, str(error), DIALOGUE))
        for name, key in names.items():
            value = record.values.get(name)
            if key in _FITS:
                if value not in (None, "", []):
                    item[key] = _FITS[key](value)
            elif name in record.values:
                item[key] = value
        if wrong := gold_conflict(item.get("gold"), item.get("gold_additional", ())):
            problems.append(Problem(file, record.line, "gold_additional", *wrong))
        items.append(item)
    return items


def _nowhere(file: str, lines: Sequence[_Line], fields: _Fields) -> list[Problem]:
    """Fields asked for that no record has: one problem each, however long the file."""
    there = list(dict.fromkeys(name for record in lines for name in record.values))
    return [
        Problem(file, lines[0].line, name, "no such field", _instead(name, there))
        for name in fields.named()
        if name not in there
    ]


def _instead(name: str, there: Sequence[str]) -> str:
    near = closest(name, there)
    return f"one of {listed(there)}" + (f"; did you mean {near}?" if near else "")


def _id(file: str, record: _Line, field: str, first: dict[str, int], problems: list[Problem]) -> str | None:
    value = record.values.get(field)
    if field not in record.values:
        problems.append(Problem(file, record.line, field, "missing", _instead(field, list(record.values))))
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or not re.fullmatch(IDENTIFIER, value):
        problems.append(Problem(file, record.line, field, shown(value), PATTERNS[IDENTIFIER]))
        return None
    if first.setdefault(value, record.line) != record.line:
        found = f"the id {shown(value)} is on line {first[value]} too"
        problems.append(Problem(file, record.line, field, found, "an id of its own for each item"))
    return value


def _request(file: str, record: _Line, field: str, problems: list[Problem]) -> str | None:
    if field not in record.values:
        problems.append(Problem(file, record.line, field, "missing", _instead(field, list(record.values))))
        return None
    value = record.values[field]
    if not isinstance(value, str) or not value.strip():
        problems.append(Problem(file, record.line, field, shown(value), "text that is not blank"))
        return None
    return value


# -- further columns ---------------------------------------------------------------------------

DIALOGUE = 'a list of messages, each {"role": "user" or "assistant", "text": ...}'


def dialogue(value: Any) -> list[dict[str, str]]:
    """A dialogue as an item's context: a list of messages, or JSON that is one; empty for nothing.

    The text of a message may also be called `content`.

    Raises:
        ValueError: it is something else; the message says what.
    """
    if isinstance(value, str) and value.strip():
        try:
            value = json.loads(value)
        except ValueError:
            raise ValueError(shown(value)) from None
    if value in (None, "") or (isinstance(value, str) and not value.strip()):
        return []
    if not isinstance(value, list):
        raise ValueError(shown(value))
    return [_message(one) for one in value]


def _message(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise ValueError(f"a message that is {shown(value)}")
    text, role = value.get("text", value.get("content")), value.get("role")
    if role not in ("user", "assistant"):
        raise ValueError(f"a message of the role {shown(role)}")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"a message with the text {shown(text)}")
    return {"role": role, "text": text}


def _label(value: Any) -> str:
    if value not in get_args(Label):
        raise ValueError(shown(value))
    return str(value)


def _mechanisms(value: Any) -> list[str]:
    labels = [one.strip() for one in value.split(";")] if isinstance(value, str) else value
    if not isinstance(labels, list) or not all(one in get_args(Mechanism) for one in labels):
        raise ValueError(shown(value))
    return labels


def _source(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(shown(value))
    return value


_FITS = {"context": dialogue, "gold": _label, "gold_additional": _mechanisms, "source": _source}
"""How a column with the name of an item's own optional key is read; ValueError where it does not fit."""


def _column_names(
    file: str, lines: Sequence[_Line], fields: _Fields, problems: list[Problem]
) -> dict[str, str]:
    """The key under which each further column is kept."""
    there = dict.fromkeys(name for record in lines for name in record.values)
    names: dict[str, str] = {}
    for name in there:
        if name in fields.named():
            continue
        if any("\ud800" <= one <= "\udfff" for one in name):
            line = next(record.line for record in lines if name in record.values)
            problems.append(Problem(file, line, shown(name), "a lone surrogate in a name", "another name"))
        key = name
        if name in _RESERVED and (misfit := _misfit(name, lines, fields)):
            while key in there or key in _RESERVED:
                key += "_"
            found = f"{misfit}, so the column is kept as {key}"
            problems.append(Problem(file, lines[0].line, name, found, "", warning=True))
        names[name] = key
    return names


def _misfit(name: str, lines: Sequence[_Line], fields: _Fields) -> str | None:
    if name not in _FITS or (name == "context" and fields.context):
        return "the study takes this from another field"
    for record in lines:
        value = record.values.get(name)
        try:
            if value not in (None, "", []):
                _FITS[name](value)
        except (ValueError, TypeError) as error:
            return f"line {record.line} has {error}, which is no {name.replace('_', ' ')} of an item"
    return None
