"""Reading ratings from a long CSV table: columns item, rater, label and optionally additional."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
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
    columns = [one.strip() for one in next(records, (1, []))[1]]
    _check_header(columns, name)
    item, rater, label = map(columns.index, REQUIRED)
    further = columns.index(ADDITIONAL) if ADDITIONAL in columns else None
    problems: list[Problem] = []
    lines: list[int] = []
    items: list[str] = []
    raters: list[str] = []
    labels: list[str] = []
    additional: list[tuple[str, ...]] = []
    split: dict[str, tuple[str, ...]] = {"": ()}
    blank = 0
    for line, row in records:
        if len(row) != len(columns):
            expected = f"{len(columns)}, as in the header"
            problems.append(Problem(name, line, "", f"{len(row)} cells", expected))
            continue
        # A row without item or rater too is no missing rating but a broken one; `encode` names it.
        if not row[label].strip() and row[item].strip() and row[rater].strip():
            blank += 1
            continue
        lines.append(line)
        items.append(row[item])
        raters.append(row[rater])
        labels.append(row[label])
        if further is not None:
            cell = row[further]
            if cell not in split:
                split[cell] = tuple(one for one in cell.split(SEPARATOR) if one.strip())
            additional.append(split[cell])
    encoded, faults = encode(items, raters, labels, additional if further is not None else None)
    problems += [Problem(name, lines[one.row], one.key, one.found, one.expected) for one in faults]
    if problems or encoded is None:
        raise FolderError(sorted(problems))
    ratings = Ratings(*encoded)
    return replace(ratings, warnings=(*ratings.warnings, *_warnings(ratings, blank)))


def _check_header(columns: list[str], name: str) -> None:
    wrong = [one for one in REQUIRED if one not in columns]
    wrong += [one for one in (*REQUIRED, ADDITIONAL) if columns.count(one) > 1]
    if wrong:
        found = f"the columns {', '.join(map(repr, columns))}" if columns else "no header"
        expected = (
            "item, rater, label and optionally additional, each once, one rating a line, commas between"
        )
        raise FolderError([Problem(name, 1, one, found, expected) for one in wrong])


def _records(text: str, name: str) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not empty, each with the line it starts on."""
    # Without newline translation, so that a line break within quotes stays what it was.
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if row:
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise FolderError([Problem(name, line, "", str(error), "a CSV row (RFC 4180)")]) from error


def _warnings(ratings: Ratings, blank: int) -> Iterator[str]:
    if blank:
        yield f"{blank} row(s) without a label were left out as missing ratings"
    for one in sorted(PLACEHOLDERS.intersection(ratings.categories)):
        yield f"the label {one!r} is counted as a category; if it stands for a missing rating, leave it blank"
