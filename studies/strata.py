"""Strata: items of one sort, spread evenly over an order or kept in proportion in a subset."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from studies.chance import Chance
from studies.errors import InputError
from studies.events import to_ascii_json

if TYPE_CHECKING:
    from studies.annotation.materials import Item

Stratum = tuple[str, ...]
"""An item's values in the strata columns, as JSON; the first column weighs most."""

_TIE = 1 << 32


def strata_of(items: Sequence[Item], columns: Sequence[str]) -> list[Stratum]:
    """Every item's stratum. A column is a field of the item or one of its further keys; missing is null."""
    wanted = set(columns)
    return strata_by((item.model_dump(mode="json", include=wanted) for item in items), columns)


def strata_by(rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> list[Stratum]:
    """Every row's stratum; a missing column is null."""
    return [tuple(to_ascii_json(row.get(column)) for column in columns) for row in rows]


def spread(indices: Sequence[int], strata: Sequence[Stratum], chance: Chance) -> list[int]:
    """The indices in random order, with the strata spread evenly.

    In every run of w consecutive places, also one that wraps around the end, a value of the first column
    with share q of the indices has more than qw - 2 and fewer than qw + 2 of them (with two values, at
    most 1 away from qw). The further columns are spread in the same way among the items that agree in the
    columns before. Without strata this is a plain shuffle.

    Args:
        indices: what to order.
        strata: the stratum of each index, by index; all of one length.
        chance: where the draws come from.
    """
    return _spread(indices, strata, chance, 0)


def _spread(indices: Sequence[int], strata: Sequence[Stratum], chance: Chance, column: int) -> list[int]:
    if not indices or column == len(strata[indices[0]]):
        return chance.shuffled(indices)
    groups = [_spread(group, strata, chance, column + 1) for group in _split(indices, strata, column)]
    rest = [iter(group) for group in groups]
    pattern = _interleave([len(group) for group in groups], chance)
    # Every pattern begins alike; without the turn, so would all groups of the column before.
    return chance.rotated([next(rest[group]) for group in pattern])


def _split(indices: Sequence[int], strata: Sequence[Stratum], column: int) -> list[list[int]]:
    groups: dict[str, list[int]] = {}
    for index in indices:
        groups.setdefault(strata[index][column], []).append(index)
    return list(groups.values())


def _interleave(sizes: Sequence[int], chance: Chance) -> list[int]:
    """Group numbers in an order in which every group is, after any k places, at most
    1 - 1/(2g - 2) away from k times its share (g groups).

    Such an order exists (Tijdeman 1980, the chairman assignment problem). The bound gives each group's
    j-th place an earliest and a latest position; taking the most urgent of the possible ones finds the
    order (unit jobs with release times and deadlines), ties by chance.
    """
    total, unit = sum(sizes), 2 * len(sizes) - 2
    if unit == 0:
        return [0] * total
    taken = [0] * len(sizes)
    ready: list[tuple[int, int, int]] = []
    waiting = [(1, group) for group in range(len(sizes))]
    order: list[int] = []
    for place in range(1, total + 1):
        while waiting and waiting[0][0] <= place:
            group = heapq.heappop(waiting)[1]
            latest = (unit * (taken[group] + 1) - 1) * total // (unit * sizes[group]) + 1
            heapq.heappush(ready, (latest, chance.below(_TIE), group))
        group = heapq.heappop(ready)[2]
        order.append(group)
        taken[group] += 1
        if taken[group] < sizes[group]:
            earliest = -(-(unit * taken[group] + 1) * total // (unit * sizes[group]))
            heapq.heappush(waiting, (earliest, group))
    return order


def draw_subset(items: Sequence[Item], n: int, strata: Sequence[str], seed: int) -> list[int]:
    """Indices of a seeded subset of n items, ascending, in which the strata keep their proportions.

    Each value of the first column gets its proportional share of n, rounded by largest remainders (ties
    by chance); within it each value of the next column likewise; within the last, items are drawn at random.

    Raises:
        InputError: there are fewer than n items.
    """
    return draw_from(strata_of(items, strata), n, seed)


def draw_from(values: Sequence[Stratum], n: int, seed: int) -> list[int]:
    """Like `draw_subset`, of what has these strata.

    Raises:
        InputError: there are fewer than n.
    """
    if not 0 <= n <= len(values):
        raise InputError(f"cannot draw {n} of {len(values)} items")
    return sorted(_draw(range(len(values)), n, values, Chance(seed, 0, "subset"), 0))


def _draw(
    indices: Sequence[int], n: int, strata: Sequence[Stratum], chance: Chance, column: int
) -> list[int]:
    if not indices or column == len(strata[indices[0]]):
        return chance.shuffled(indices)[:n]
    groups = _split(indices, strata, column)
    shares = [divmod(n * len(group), len(indices)) for group in groups]
    over = n - sum(whole for whole, _ in shares)
    by_remainder = sorted(chance.shuffled(range(len(groups))), key=lambda group: -shares[group][1])
    raised = set(by_remainder[:over])
    return [
        index
        for number, group in enumerate(groups)
        for index in _draw(group, shares[number][0] + (number in raised), strata, chance, column + 1)
    ]
