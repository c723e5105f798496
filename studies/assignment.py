"""Who annotates what, in which order: every participant's layout, drawn by chance and repeatable.

The items lie on a circle, in random order with the strata spread evenly. `cyclic`: participant p of n takes
the items_each consecutive items from floor(p N / n), so that every item has the same number of raters (or,
where the counts do not divide, the floor or the ceiling). `balanced`: the same hands, then mixed by trades
between pairs of participants. `crossed` and `everything`: the whole circle, its blocks begun at another one
by each slot. Blocks keep their order and the items of a block are shuffled for each slot. Last, repeats and
attention checks are put between, which leaves the order of the main items as it is.
"""

from __future__ import annotations

import functools
from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

from studies.chance import Chance
from studies.errors import InputError
from studies.feasibility import APART, feasible, misfits, nearest_design, nearest_items
from studies.payloads import Planned
from studies.strata import Stratum, draw_subset, spread, strata_by, strata_of
from studies.taxonomy import ESCAPES, MECHANISMS

if TYPE_CHECKING:
    from studies.study import Study

__all__ = [
    "ESCAPES",
    "MECHANISMS",
    "Layout",
    "draw_subset",
    "feasible",
    "lay_out",
    "misfits",
    "nearest_design",
    "nearest_items",
    "next_free",
    "planned_slots",
    "slot_order",
    "williams",
]

_TRADES = 10
"""Trades a participant of a balanced design; the pair is drawn at random each time."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What one slot gets, as it will be stored when a person takes the slot."""

    order: tuple[Planned, ...]
    """Everything shown, in order: main items, repeats and attention checks."""
    options: tuple[str, ...]
    """The order of the labels on screen: the six mechanisms, then the escape codes where they are offered."""


def planned_slots(study: Study) -> int | None:
    """Number of slots; None where slots are made as people come (`everything`)."""
    design = study.settings.design
    return None if design.kind == "everything" else design.participants


def slot_order(study: Study) -> tuple[int, ...]:
    """The seeded order in which free slots are given out; empty where they are made as people come."""
    slots = range(1, (planned_slots(study) or 0) + 1)
    return tuple(Chance(study.settings.seed, 0, "slots").shuffled(slots))


def next_free(study: Study, taken: Collection[int]) -> int | None:
    """The next slot to give out, None when none is left.

    Args:
        study: the study version.
        taken: slots held, without those of pilots and without released ones; a replacement so gets a
            released slot, and its layout, as soon as the seeded order comes to it.
    """
    held = frozenset(taken)
    if planned_slots(study) is None:
        return next(slot for slot in range(1, len(held) + 2) if slot not in held)
    return next((slot for slot in slot_order(study) if slot not in held), None)


def lay_out(study: Study, slot: int) -> Layout:
    """What the slot gets; always the same for one study version and slot.

    Raises:
        InputError: the design's counts do not fit the items, or the study has no such slot.
    """
    slots = planned_slots(study)
    if slot < 1 or (slots is not None and slot > slots):
        raise InputError(f"{study.settings.name} has slots 1 to {slots or '...'}; there is no slot {slot}")
    if study.settings.kind == "roleplay":
        from studies.roleplay.design import lay_out_sessions

        return Layout(lay_out_sessions(study, slot), ())
    if study.settings.kind == "clarification":
        from studies.clarification.design import lay_out_tasks

        return Layout(lay_out_tasks(study, slot), ())
    if study.settings.kind == "specification":
        from studies.specification.design import lay_out_projects

        return Layout(lay_out_projects(study, slot), ())
    design, seed = study.settings.design, study.settings.seed
    order = [
        Planned(study.ids[index], number)
        for number, block in enumerate(ordered_blocks(study, slot), start=1)
        for index in block
    ]
    order = _with_repeats(order, design.repeats, Chance(seed, slot, "repeats"))
    checks = [one.id for one in study.checks]
    order = _with_checks(order, checks, design.checks, Chance(seed, slot, "checks"))
    return Layout(tuple(order), _options(slot, escapes=study.settings.annotation.escapes))


def ordered_blocks(study: Study, slot: int) -> list[list[int]]:
    """The slot's blocks in order: the places in `study.ids` of what each holds, shuffled for the slot.

    Raises:
        InputError: the design's counts do not fit.
    """
    ground = _ground(_Same(study))
    chance = Chance(study.settings.seed, slot, "order")
    return [spread(block, ground.strata, chance) for block in ground.blocks(slot)]


def _options(slot: int, *, escapes: bool) -> tuple[str, ...]:
    rows = williams(len(MECHANISMS))
    row = rows[(slot - 1) % len(rows)]
    return tuple(MECHANISMS[place] for place in row) + (ESCAPES if escapes else ())


def williams(c: int) -> tuple[tuple[int, ...], ...]:
    """The rows of a Williams design for conditions 0 to c - 1, one row a participant.

    Every condition stands once in each position (twice for an odd c) and follows each other one equally
    often. Rows are the cyclic shifts of 0, 1, c-1, 2, c-2, ...; an odd c also needs each row reversed.
    """
    first = [(place + 1) // 2 if place % 2 else (c - place // 2) % c for place in range(c)]
    rows = tuple(tuple((one + shift) % c for one in first) for shift in range(c))
    return rows + tuple(row[::-1] for row in rows) if c % 2 and c > 1 else rows


@dataclass(frozen=True)
class _Ground:
    """What all slots of a study share."""

    strata: Sequence[Stratum]
    circle: Sequence[int]
    """Item indices, in the order in which they lie on the circle."""
    hands: Sequence[Sequence[int]]
    """Item indices of each slot, from slot 1; empty where everybody gets all."""
    block: int
    each: int | None = None
    """How many of all a slot gets where every slot could get all; None for all."""

    def blocks(self, slot: int) -> list[Sequence[int]]:
        """The slot's items, cut where the rests come."""
        if self.hands:
            return list(_cut(self.hands[slot - 1], self.block))
        if self.each is not None:
            start = (slot - 1) * self.each % len(self.circle)
            return list(_cut([*self.circle, *self.circle][start : start + self.each], self.block))
        blocks = list(_cut(self.circle, self.block))
        if not blocks:
            return []
        # One more place on after each common round, or a set's position would go with the labels' order.
        turn = (slot - 1) + (slot - 1) // lcm(len(blocks), len(MECHANISMS))
        start = turn % len(blocks)
        return blocks[start:] + blocks[:start]


class _Same:
    """A study compared by identity: hashing a whole one would cost more than what is kept."""

    def __init__(self, study: Study) -> None:
        self.study = study

    def __hash__(self) -> int:
        return id(self.study)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and other.study is self.study


@functools.lru_cache(maxsize=4)
def _ground(same: _Same) -> _Ground:
    study = same.study
    design, seed, ids = study.settings.design, study.settings.seed, study.ids
    if wrong := misfits(design, len(ids), len(study.checks)):
        raise InputError("\n".join(f"{study.settings.name}: {one}" for one in wrong))
    strata, each = _strata(study)
    circle = spread(range(len(ids)), strata, Chance(seed, 0, "circle"))
    hands: list[list[int]] = []
    if design.kind in ("cyclic", "balanced"):
        hands = _deal(circle, design.participants or 0, design.items_each or 0)
    if design.kind == "balanced":
        chance = Chance(seed, 0, "balance")
        _trade(hands, strata, chance)
        hands = [spread(hand, strata, chance) for hand in hands]
    return _Ground(strata, circle, hands, design.block or max(len(circle), 1), each)


def _strata(study: Study) -> tuple[list[Stratum], int | None]:
    """The stratum of each id, and how many a slot gets where the design does not say it."""
    columns = study.settings.design.strata
    if study.settings.kind == "clarification":
        from studies.clarification.design import strata_columns

        return strata_by(strata_columns(study), columns), study.settings.clarification.tasks_each
    return strata_of(study.items, columns), None


def _cut(values: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    return (values[start : start + size] for start in range(0, len(values), size))


def _deal(circle: Sequence[int], n: int, each: int) -> list[list[int]]:
    starts = [number * len(circle) // n for number in range(n)]
    twice = [*circle, *circle]
    return [twice[start : start + each] for start in starts]


def _trade(hands: list[list[int]], strata: Sequence[Stratum], chance: Chance) -> None:
    """Mix who has what; the size of every hand, its count of every stratum and every item's raters stay.

    A trade takes a random pair of participants, and within each stratum deals anew the items that only one
    of the two has, each getting as many as before (a curveball trade: Strona et al. 2014). It cannot fail,
    and gives nobody an item twice.
    """
    if len(hands) < 2:
        return
    for _ in range(_TRADES * len(hands)):
        one = chance.below(len(hands))
        other = (one + 1 + chance.below(len(hands) - 1)) % len(hands)
        mine, theirs = set(hands[one]), set(hands[other])
        shared = [index for index in hands[one] if index in theirs]
        pools: dict[Stratum, tuple[list[int], list[int]]] = {}
        for side, hand, opposite in ((0, hands[one], theirs), (1, hands[other], mine)):
            for index in hand:
                if index not in opposite:
                    pools.setdefault(strata[index], ([], []))[side].append(index)
        hands[one], hands[other] = shared[:], shared[:]
        for left, right in pools.values():
            pool = chance.shuffled(left + right)
            hands[one] += pool[: len(left)]
            hands[other] += pool[len(left) :]


def _with_repeats(main: Sequence[Planned], count: int, chance: Chance) -> list[Planned]:
    """The order with `count` of its items shown again, at least `APART` entries between the two showings."""
    room = len(main) - APART
    # Where places with ten items before them run out, all come after the last item.
    packed = count > room
    gaps = [len(main)] * count if packed else chance.places(count, range(APART + 1, len(main) + 1))
    unused = list(range(len(main)))
    result: list[Planned] = []
    done = 0
    for number, gap in enumerate(gaps):
        early = bisect_left(unused, gap - APART + (number if packed else 0))
        again = main[unused.pop(chance.below(early))]
        result += main[done:gap]
        result.append(Planned(again.item, main[gap - 1].block, "repeat", 2))
        done = gap
    return [*result, *main[done:]]


def _with_checks(order: Sequence[Planned], ids: Sequence[str], count: int, chance: Chance) -> list[Planned]:
    """The order with attention checks spread over it, none of them first or last in a block."""
    inside = [place for place in range(1, len(order)) if order[place - 1].block == order[place].block]
    chosen = chance.shuffled(ids)[:count]
    result: list[Planned] = []
    done = 0
    for place, check in zip(chance.places(count, inside), chosen, strict=True):
        result += order[done:place]
        result.append(Planned(check, order[place].block, "check"))
        done = place
    return [*result, *order[done:]]
