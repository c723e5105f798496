"""Integer-array tools behind the coefficients: grouping and pairing without Python loops over rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Floats = NDArray[np.float64]


def generator(seed: int, purpose: str) -> np.random.Generator:
    """A random generator seeded by SHA-256 of seed and purpose, so that two purposes never share draws."""
    import numpy as np

    digest = hashlib.sha256(f"{seed}|agreement|{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def renumber(keys: Ints, bound: int) -> tuple[Ints, Ints]:
    """Dense ids in the order of the keys, and the distinct keys; keys lie in [0, bound)."""
    import numpy as np

    if bound > 8 * keys.size + 100_000:
        distinct, ids = np.unique(keys, return_inverse=True)
        return ids.reshape(keys.shape), distinct
    present = np.zeros(bound, dtype=bool)
    present[keys] = True
    return (np.cumsum(present) - 1)[keys], np.flatnonzero(present)


def group_rows(rows: Ints, bound: int) -> tuple[Ints, int]:
    """Ids that are equal where rows are equal, and how many there are; values lie in [0, bound)."""
    import numpy as np

    ids, groups = np.zeros(len(rows), dtype=np.int64), 1 if len(rows) else 0
    for column in rows.T:
        ids, distinct = renumber(ids * bound + column, groups * bound)
        groups = len(distinct)
    return ids, groups


def group_ragged(starts: Ints, sizes: Ints, values: Ints, bound: int) -> tuple[Ints, int]:
    """As `group_rows` for rows of unequal length: row i is values[starts[i] : starts[i] + sizes[i]]."""
    import numpy as np

    ids, groups = np.zeros(len(sizes), dtype=np.int64), 0
    for size in np.flatnonzero(np.bincount(sizes)) if sizes.size else ():
        here = np.flatnonzero(sizes == size)
        found, number = group_rows(values[starts[here, None] + np.arange(size)], bound)
        ids[here] = found + groups
        groups += number
    return ids, groups


def pairs_within(unit: Ints) -> Iterator[tuple[Ints, Ints]]:
    """All pairs of rows of one unit, in chunks of two index arrays, first < second; rows sorted by unit."""
    import numpy as np

    sizes = np.bincount(unit) if unit.size else unit
    after = np.cumsum(sizes)[unit] - np.arange(len(unit)) - 1
    first = np.arange(len(unit))
    for lag in range(1, int(sizes.max(initial=0))):
        has = after >= lag
        first, after = first[has], after[has]
        yield first, first + lag
