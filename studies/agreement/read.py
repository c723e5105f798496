"""Reading ratings from a long CSV table: columns item, rater, label and optionally additional."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import replace

from studies.agreement.encode import encode
from studies.agreement.ratings import Ratings
from studies.errors import FolderError, Problem

REQUIRED = ("item", "rater", "label")
ADDITIONAL = "additional"
SEPARATOR = ";"
PLACEHOLDERS = frozenset({"NA", "N/A", "n/a", "nan", "NaN", "None", "null", "NULL", "-", "–", "—", ".", "?"})
"""What other programs write for a missing value. Kept, since they may be labels, and named in a warning."""


def read_csv(text: str, name: str) -> Ratings:
    """The ratings of a CSV text (RFC 4180, comma, header first); `name` is the file's name in errors.

    A row whose label is blank is a missing rating: left out, and counted in a warning. `additional` holds
    labels separated by `;`. Further columns are not read. Names and labels are compared exactly.

    Raises:
        FolderError: the header lacks a column, a row has too many or too few cells, a quote is not closed, an
            item or rater is blank, the dominant label is among the additional ones, or a rater rated an item
            twice; all problems at once, with line and column.
    """
    records = _records(text, name)
    header = next(records, (1, []))[1]
    columns = [one.strip() for one in header]
    missing = [one for one in REQUIRED if one not in columns]
    twice = sorted({one for one in columns if columns.count(one) > 1 and one in (*REQUIRED, ADDITIONAL)})
    if missing or twice:
        found = f"the columns {', '.join(map(repr, columns))}" if columns else "no header"
        expected = "item, rater, label (and optionally additional), one rating a line, separated by commas"
        raise FolderError([Problem(name, 1, one, found, expected) for one in (*missing, *twice)])
    places = [columns.index(one) for one in REQUIRED]
    further = columns.index(ADDITIONAL) if ADDITIONAL in columns else None

    problems: list[Problem] = []
    lines: list[int] = []
    cells: tuple[list[str], list[str], list[str]] = ([], [], [])
    additional: list[Sequence[str]] = []
    blank = 0
    for line, row in records:
        if len(row) != len(columns):
            problems.append(Problem(name, line, "", f"{len(row)} cells", f"{len(columns)}, as in the header"))
            continue
        item, rater, label = (row[place] for place in places)
        if not label.strip() and item.strip() and rater.strip():
            blank += 1
            continue
        lines.append(line)
        for column, value in zip(cells, (item, rater, label), strict=True):
            column.append(value)
        if further is not None:
            additional.append([one for one in row[further].split(SEPARATOR) if one.strip()])
    encoded, faults = encode(*cells, additional if further is not None else None)
    problems += [Problem(name, lines[one.row], one.key, one.found, one.expected) for one in faults]
    if problems or encoded is None:
        raise FolderError(sorted(problems))
    ratings = Ratings(*encoded)
    return replace(ratings, warnings=(*ratings.warnings, *_warnings(ratings, blank)))


def _records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, each with the line it starts on."""
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    line = 1
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise FolderError([Problem(name, line, "", str(error), "a CSV row (RFC 4180)")]) from error
        if row:
            yield line, row
        line = reader.line_num + 1


def _warnings(ratings: Ratings, blank: int) -> Iterator[str]:
    if blank:
        yield f"{blank} row(s) without a label were left out as missing ratings"
    for one in sorted(PLACEHOLDERS.intersection(ratings.categories)):
        yield f"the label {one!r} is counted as a category; if it stands for a missing rating, leave it blank"
