"""Text columns become integer columns: names sorted, compared exactly after Unicode NFC, all faults found."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count
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

    faults: list[Fault] = []
    item_names, item = _coded("item", items, faults)
    rater_names, rater = _coded("rater", raters, faults)
    label_names, label = _coded("label", labels, faults)
    sets, extra = _coded_sets(additional or [()] * len(labels), faults)
    if faults:
        return None, sorted(faults)
    categories = sorted({*label_names}.union(*sets))
    place = {name: number for number, name in enumerate(categories)}
    label = np.array([place[one] for one in label_names], dtype=np.int64)[label]
    extras = [tuple(sorted(place[one] for one in names)) for names in sets]
    again = np.array([[one in names for names in extras] for one in range(len(place))]).reshape(
        -1, len(extras)
    )
    for row in np.flatnonzero(again[label, extra]).tolist():
        found = f"the dominant label {categories[label[row]]!r} again"
        faults.append(Fault(row, "additional", found, "further labels only"))
    order, twice = sort_rows(item, rater, len(rater_names))
    for first, second in twice.tolist():
        found = f"rater {rater_names[rater[first]]!r} rated item {item_names[item[first]]!r} twice"
        faults.append(Fault(second, "rater", found, "one rating per item and rater"))
    if faults:
        return None, sorted(faults)
    encoded = Columns(
        tuple(item_names),
        tuple(rater_names),
        tuple(categories),
        item[order],
        rater[order],
        label[order],
        tuple(extras),
        extra[order],
        (*lookalikes("labels", categories), *lookalikes("raters", rater_names)),
    )
    return encoded, []


def nfc(text: str) -> str:
    """The text in the form in which names and labels are compared."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _coded(key: str, values: Sequence[str], faults: list[Fault]) -> tuple[list[str], Ints]:
    """Sorted distinct names, and the index of each value among them; values without text are faults."""
    import numpy as np

    raw: defaultdict[str, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(raw.__getitem__, values), np.int64, len(values))
        blank = not all(isinstance(one, str) and one.strip() for one in raw)
    except TypeError:
        blank = True
    if blank:
        faults += [
            Fault(row, key, f"{key} {one!r:.80}", "text that is not blank (leave a missing rating out)")
            for row, one in enumerate(values)
            if not isinstance(one, str) or not one.strip()
        ]
        return [], np.zeros(0, dtype=np.int64)
    normal = list(map(nfc, raw))
    names = sorted(set(normal))
    place = dict(zip(names, count(), strict=False))
    return names, np.fromiter(map(place.__getitem__, normal), np.int64, len(normal))[codes]


def _coded_sets(rows: Sequence[Sequence[str]], faults: list[Fault]) -> tuple[list[frozenset[str]], Ints]:
    """The distinct sets of labels, the empty one first, and the index of each row's set among them."""
    import numpy as np

    raw: dict[Sequence[str], int] = {}
    sets: dict[frozenset[str], int] = {frozenset(): 0}
    codes = np.zeros(len(rows), dtype=np.int64)
    for row, labels in enumerate(rows):
        if not labels:
            continue
        key = tuple(labels)
        if key not in raw:
            if isinstance(labels, str) or not all(isinstance(one, str) and one.strip() for one in labels):
                faults.append(
                    Fault(row, "additional", f"additional {labels!r:.80}", "labels that are not blank")
                )
                continue
            raw[key] = sets.setdefault(frozenset(map(nfc, labels)), len(sets))
        codes[row] = raw[key]
    # Sorted, so that the order of the rows leaves no trace.
    ordered = sorted(sets, key=lambda one: (len(one), sorted(one)))
    place = {one: number for number, one in enumerate(ordered)}
    return ordered, np.array([place[one] for one in sets], dtype=np.int64)[codes]


def sort_rows(item: Ints, rater: Ints, raters: int) -> tuple[Ints, Ints]:
    """Rows sorted by item and rater, and the pairs of rows that have both in common."""
    import numpy as np

    keys = item * max(1, raters) + rater
    order = np.argsort(keys, kind="stable")
    same = np.flatnonzero(np.diff(keys[order]) == 0)
    return order, np.stack([order[same], order[same + 1]], axis=1)
