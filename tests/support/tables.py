"""Tables of ratings that tests share: published examples, and ways to write ratings down shortly."""

from __future__ import annotations

from collections.abc import Sequence

from studies.agreement.ratings import Rating, Ratings

WIKIPEDIA = (
    "0 0 0 0 14|0 2 6 4 2|0 0 3 5 6|0 3 9 2 0|2 2 8 1 1|7 7 0 0 0|3 2 6 3 0|2 5 3 2 2|6 5 2 1 0|0 2 2 3 7"
)
"""Ten items, fourteen raters, five categories."""
DIAGNOSES = (
    "00060 03003 01401 00006 03030 20400 00402 20310 20040 00006 10050 11040 03300 10050 02031 "
    "00501 30012 51000 02040 10203 00006 01050 02013 20040 10041 05010 40002 02040 10500 00006"
)
"""Fleiss 1971: thirty patients, six psychiatrists, five diagnoses."""
FOUR_CODERS = {
    "A": "1 2 3 3 2 1 4 1 2 . . .",
    "B": "1 2 3 3 2 2 4 1 2 5 . .",
    "C": ". 3 3 3 2 3 4 2 2 5 1 3",
    "D": "1 2 3 3 2 4 4 1 2 5 1 .",
}
"""Krippendorff's and Gwet's example with missing ratings."""


def from_counts(table: Sequence[Sequence[int]], categories: Sequence[str] = "ABCDEFGH") -> Ratings:
    """Ratings with these counts; who gave which label is made up."""
    return Ratings.of(
        Rating(f"item {number:05}", f"rater {rater:03}", label)
        for number, row in enumerate(table)
        for rater, label in enumerate(
            label for label, times in zip(categories, row, strict=False) for _ in range(times)
        )
    )


def by_rater(**labels: str) -> Ratings:
    """Ratings from each rater's labels in the items' order, `.` for a missing one."""
    return Ratings.of(
        Rating(f"item {number:03}", rater, label)
        for rater, row in labels.items()
        for number, label in enumerate(row.split())
        if label != "."
    )


def two_raters(table: Sequence[Sequence[int]]) -> Ratings:
    """Two raters whose cross table this is; rows are rater a's."""
    labels = [
        ("ABCDEFGH"[i], "ABCDEFGH"[j])
        for i, row in enumerate(table)
        for j, n in enumerate(row)
        for _ in range(n)
    ]
    return by_rater(a=" ".join(one for one, _ in labels), b=" ".join(two for _, two in labels))


def wikipedia() -> Ratings:
    """Ratings with the counts of `WIKIPEDIA`."""
    return from_counts([[int(cell) for cell in row.split()] for row in WIKIPEDIA.split("|")])


def diagnoses() -> Ratings:
    """Ratings with the counts of `DIAGNOSES`."""
    return from_counts([[int(cell) for cell in row] for row in DIAGNOSES.split()])


def four_coders() -> Ratings:
    """Ratings of `FOUR_CODERS`."""
    return by_rater(**FOUR_CODERS)
