"""Text columns become integer columns: names sorted, compared exactly after Unicode NFC, all faults found."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from studies.agreement.arrays import Ints


class Fault(NamedTuple):
    """What is wrong with one row."""

    row: int
    """From 0, in the order given."""
    key: str
    found: str
    expected: str


class Columns(NamedTuple):
    """What `Ratings` consists of; see there."""

    items: tuple[str, ...]
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    item: Ints
    rater: Ints
    label: Ints
    extras: tuple[tuple[int, ...], ...]
    extra: Ints
    warnings: tuple[str, ...]


def lookalikes(what: str, names: Iterable[str]) -> list[str]:
    """A warning for each group of different names that differ only in case or space."""
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        alike["".join(name.split()).casefold()].append(name)
    return [
        f"{what} that differ only in case or space are counted as different: "
        + ", ".join(repr(one) for one in sorted(group))
        for _, group in sorted(alike.items())
        if len(group) > 1
    ]


def encode(
    items: Sequence[str],
    raters: Sequence[str],
    labels: Sequence[str],
    additional: Sequence[Sequence[str]] | None,
) -> tuple[Columns | None, list[Fault]]:
    """The integer columns, sorted by item and rater, or every fault in the text columns."""
    import numpy as np

    given = {"item": items, "rater": raters, "label": labels}
    faults = [
        Fault(row, name, f"{name} {value!r:.80}", "text that is not blank; a missing rating is left out")
        for name, column in given.items()
        for row, value in enumerate(column)
        if not isinstance(value, str) or not value.strip()
    ]
    if faults:
        return None, sorted(faults)
    further, extra = _additional(labels, additional, faults)
    item_names, item = _index(items)
    rater_names, rater = _index(raters)
    label_names, label = _index([*labels, *sorted({one for extra_set in further for one in extra_set})])
    order, twice = sort_rows(item, rater, len(rater_names))
    faults += [
        Fault(
            int(second),
            "rater",
            f"rater {rater_names[rater[first]]!r} rated item {item_names[item[first]]!r} twice",
            "one rating per item and rater",
        )
        for first, second in twice.tolist()
    ]
    if faults:
        return None, sorted(faults)
    number = {name: place for place, name in enumerate(label_names)}
    sets = [tuple(sorted(number[unicodedata.normalize("NFC", one)] for one in names)) for names in further]
    encoded = Columns(
        tuple(item_names),
        tuple(rater_names),
        tuple(label_names),
        item[order],
        rater[order],
        label[: len(labels)][order],
        tuple(sets),
        np.asarray(extra, dtype=np.int64)[order],
        (*lookalikes("labels", label_names), *lookalikes("raters", rater_names)),
    )
    return encoded, []


def _additional(
    labels: Sequence[str], additional: Sequence[Sequence[str]] | None, faults: list[Fault]
) -> tuple[list[frozenset[str]], list[int]]:
    """The distinct additional sets, the empty one first, and which one each row has."""
    numbers: dict[frozenset[str], int] = {frozenset(): 0}
    if additional is None:
        return list(numbers), [0] * len(labels)
    rows: list[int] = []
    for row, names in enumerate(additional):
        if not names:
            rows.append(0)
            continue
        if isinstance(names, str) or not all(isinstance(one, str) and one.strip() for one in names):
            faults.append(Fault(row, "additional", f"additional {names!r:.80}", "labels that are not blank"))
            continue
        found = frozenset(unicodedata.normalize("NFC", one) for one in names)
        if unicodedata.normalize("NFC", labels[row]) in found:
            faults.append(
                Fault(row, "additional", f"the dominant label {labels[row]!r} again", "further labels only")
            )
        rows.append(numbers.setdefault(found, len(numbers)))
    return list(numbers), rows


def _index(values: Sequence[str]) -> tuple[list[str], Ints]:
    """Sorted distinct values after NFC, and the index of each value among them."""
    import numpy as np

    raw: dict[str, int] = {}
    codes = np.fromiter((raw.setdefault(one, len(raw)) for one in values), np.int64, len(values))
    normal = [unicodedata.normalize("NFC", one) for one in raw]
    names = sorted(set(normal))
    place = {name: number for number, name in enumerate(names)}
    return names, np.array([place[one] for one in normal], dtype=np.int64)[codes]


def sort_rows(item: Ints, rater: Ints, raters: int) -> tuple[Ints, Ints]:
    """Rows sorted by item and rater, and the pairs of rows that have both in common."""
    import numpy as np

    keys = item * max(1, raters) + rater
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    return order, np.stack([order[same], order[same + 1]], axis=1)
