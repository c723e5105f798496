"""CAPA's balanced design: which profile meets which pair of mechanisms, and which source task goes where.

The 15 pairs of six mechanisms fall into five one-factors: three pairs each, in which every mechanism stands
once (the round robin of six). Two different one-factors give a profile six cells in which it meets each
mechanism exactly twice, in six different pairs. Five have ten pairs, one for each of ten profiles, and each
one-factor is in four of them: so each pair of mechanisms occurs in four of the 60 cells.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from studies.roleplay.balance import CELLS_A_PROFILE
from studies.taxonomy import MECHANISMS

PROFILES = 10
CELLS = PROFILES * CELLS_A_PROFILE
"""Cells of CAPA (Dataset statistics)."""
_ROUNDS = len(MECHANISMS) - 1

Pair = tuple[str, str]
Part = Literal["history", "reserve", "held_out"]


@dataclass(frozen=True, slots=True)
class Place:
    """One task of a cell, before it is known which source task it is made from."""

    profile: str
    pair: Pair
    number: int
    """Within the cell, from 1."""
    part: Part
    source: int
    """Index of the source task."""


def one_factors() -> tuple[tuple[Pair, ...], ...]:
    """Five sets of three disjoint pairs that hold each pair of mechanisms once, in the taxonomy's order."""

    def pair(a: int, b: int) -> Pair:
        first, second = sorted((a, b))
        return MECHANISMS[first], MECHANISMS[second]

    return tuple(
        (
            pair(_ROUNDS, turn),
            *(pair((turn + n) % _ROUNDS, (turn - n) % _ROUNDS) for n in range(1, _ROUNDS // 2 + 1)),
        )
        for turn in range(_ROUNDS)
    )


def capa_cells(profiles: Sequence[str], count: int = CELLS) -> tuple[tuple[str, Pair], ...]:
    """That many cells, as evenly spread as their number allows.

    Multiples of six are whole profiles, each of which meets every mechanism exactly twice; 30 and 60 also
    have each pair equally often. Other multiples of three give each profile one one-factor first, so that it
    meets every mechanism once; 15 and 45 have each pair equally often. What is left over begins another.

    Raises:
        ValueError: not ten profiles, or not 1 to 60 cells.
    """
    if len(profiles) != PROFILES or not 1 <= count <= CELLS:
        raise ValueError(f"{count} cells of {len(profiles)} profiles")
    factors = one_factors()
    # The ten pairs of five one-factors, as two rings: neighbours first, then those two apart.
    rings = [(turn, (turn + step) % _ROUNDS) for step in (1, 2) for turn in range(_ROUNDS)]
    own = list(zip(profiles, rings, strict=True))
    if count % CELLS_A_PROFILE == 0:
        order = [(profile, factor) for profile, pair in own for factor in pair]
    else:
        order = [(profile, pair[place]) for place in (0, 1) for profile, pair in own]
    laid = [(profile, pair) for profile, factor in order for pair in factors[factor]]
    return tuple(laid[:count])


def cells_for(participants: int, conditions: int) -> int:
    """The number of cells that so many participants fill evenly, each cell once in each rotation of the
    conditions: whole profiles where there is such a number, else the largest there is; where that would leave
    hardly any cell, the most whole profiles that can be visited often enough.
    """
    rotations, rest = divmod(participants, conditions)
    even = [one for one in range(1, CELLS + 1) if not rest and rotations % one == 0]
    whole = [one for one in even if one % CELLS_A_PROFILE == 0]
    if whole:
        return whole[-1]
    if even and even[-1] >= min(CELLS_A_PROFILE, rotations):
        return even[-1]
    most = min(CELLS, rotations)
    return most - most % CELLS_A_PROFILE if most >= CELLS_A_PROFILE else max(1, most)


def places(
    cells: Sequence[tuple[str, Pair]],
    order: Sequence[int],
    *,
    history: int,
    reserve: int,
    held_out: int,
) -> tuple[Place, ...]:
    """Every cell's tasks, with source tasks dealt from a circle so that each is used equally often, or once
    more; never twice in one cell, nor in cells next to each other as long as the circle allows.

    Args:
        cells: in the order of the file.
        order: indices of the source tasks in random order.
        history: history tasks of a cell.
        reserve: reserve tasks.
        held_out: held-out tasks.

    Raises:
        ValueError: there are fewer source tasks than a cell needs.
    """
    parts: list[Part] = ["history"] * history
    parts += ["reserve"] * reserve
    parts += ["held_out"] * held_out
    if len(order) < len(parts):
        raise ValueError(f"{len(order)} source tasks for {len(parts)} tasks a cell")
    return tuple(
        Place(profile, pair, number, part, order[(place * len(parts) + number - 1) % len(order)])
        for place, (profile, pair) in enumerate(cells)
        for number, part in enumerate(parts, start=1)
    )
