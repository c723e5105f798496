"""Which counts of participants, items and raters make a design, and what fits instead."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING

from studies.errors import InputError

if TYPE_CHECKING:
    from studies.settings import Design

APART = 10
"""Entries of a participant's order between the two showings of a repeated item, at least."""
CHECK_EVERY = 20
"""At most one of this many shown entries is an attention check."""


@dataclass(frozen=True, slots=True)
class Counts:
    """An equal design: participants x items_each = items x raters."""

    participants: int
    items_each: int
    raters: int
    items: int


def nearest_multiples(number: int, base: int) -> tuple[int, ...]:
    """The multiples of `base`, at least one of it, just below and just above a number that is none."""
    below = number // base * base
    return tuple(one for one in (below, below + base) if one)


def feasible(
    participants: int,
    items_each: int,
    raters: int,
    items: int,
    *,
    unequal: bool = False,
    repeats: int = 0,
) -> str | None:
    """None where the counts make a design; else a sentence with what is wrong and the nearest that fit.

    An equal design exists iff raters divides participants x items_each, raters <= participants, and the
    quotient is the number of items. With `unequal` every item has the floor or the ceiling of
    participants x items_each / items raters, of which `raters` must be one.
    """
    n, each, r = participants, items_each, raters
    if min(n, each, r, items) < 1:
        return "participants, items each, raters and items are all at least 1"
    if r > n:
        return (
            f"{_many(r, 'rater')} an item need at least {_many(r, 'participant')}, and there {_are(n)}; "
            f"the nearest that fit: {_many(n, 'rater')}, or {_many(r, 'participant')}"
        )
    if unequal:
        return _unequal(n, each, r, items) or _repeats(repeats, each)
    if n * each % r:
        wrong = f"make {n * each} annotations, which {r} raters an item do not divide"
    elif n * each // r != items:
        wrong = f"and {_many(r, 'rater')} an item need exactly {n * each // r} items, and there {_are(items)}"
    else:
        return _repeats(repeats, each)
    nearest = _nearest(n, each, r, items)
    return f"{_hands(n, each)} {wrong}; the nearest that fit: {nearest}"


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def _hands(n: int, each: int) -> str:
    return f"{_many(n, 'participant')} with {_many(each, 'item')} each"


def _are(count: int) -> str:
    return "is 1" if count == 1 else f"are {count}"


def _nearest(n: int, each: int, r: int, items: int) -> str:
    kept = nearest_design(items, participants=n, items_each=each, raters=r)
    step = n // gcd(n, r)
    lower = items - items % step
    found = [(kept.items, kept.items_each)] if kept else []
    found += [(size, size * r // n) for size in (lower, lower + step) if size]
    text = ", or ".join(f"{_many(size, 'item')} with {one} each" for size, one in dict.fromkeys(found))
    if _unequal(n, each, r, items) is None:
        low, high = _raters(n, each, items)
        text += f"; or, unequal, all {items} items with {low} or {high} raters"
    return text


def _raters(n: int, each: int, items: int) -> tuple[int, int]:
    return n * each // items, -(-n * each // items)


def _unequal(n: int, each: int, r: int, items: int) -> str | None:
    if each > items:
        more = f"{_many(each, 'item')} each are more than the {items} there are"
        return f"{more}; the nearest that fit: {items} each"
    low, high = _raters(n, each, items)
    if low >= 1 and r in (low, high):
        return None
    span = f"{low}" if low == high else f"{low} or {high}"
    wrong = f"{_hands(n, each)} give an item {span} raters, not {r}"
    nearest = [one for one in dict.fromkeys((r * items // n, -(-r * items // n))) if one]
    fits = [one for one in nearest if _raters(n, one, items)[0] >= 1 and r in _raters(n, one, items)]
    if not fits:
        return f"{wrong}; the nearest that fit: {max(low, 1)} raters"
    return f"{wrong}; the nearest that fit: {' or '.join(map(str, fits))} items each"


def _repeats(repeats: int, each: int) -> str | None:
    if repeats == 0:
        return None
    if each <= APART:
        return (
            f"{_many(each, 'item')} each are too few to show one again at least {APART} items later; "
            f"the nearest that fit: {APART + 1} items each, or no repeats"
        )
    if repeats > each:
        return f"{repeats} repeats are more than the {each} items each; the nearest that fit: {each} repeats"
    return None


def nearest_design(
    items: int,
    *,
    participants: int | None = None,
    items_each: int | None = None,
    raters: int | None = None,
) -> Counts | None:
    """The equal design with the most items, at most `items`, that keeps the counts given; or None.

    Two of the three counts fix the third. Where all three are given and need more items than there are, or
    do not divide, participants and raters stay and items_each is lowered. Where raters are not given there
    are at least two.

    Raises:
        InputError: fewer than two of the counts are given.
    """
    n, each, r = participants, items_each, raters
    if n is not None and r is not None:
        step = r // gcd(n, r)
        most = min(items * r // n, items if each is None else each)
        size = most - most % step
        return Counts(n, size, r, n * size // r) if size and r <= n else None
    if each is not None and r is not None:
        step = each // gcd(each, r)
        size = items - items % step
        return Counts(size * r // each, each, r, size) if size >= each else None
    if n is not None and each is not None:
        for r in range(2, n + 1):
            if n * each % r == 0 and n * each // r <= items:
                return Counts(n, each, r, n * each // r)
        return None
    raise InputError("a design needs two of: participants, items each, raters")


def nearest_items(participants: int, items_each: int, raters: int, items: int) -> int:
    """Items of `nearest_design` with all three counts, 0 where there is none.

    The items each participant then gets are the result x raters / participants.
    """
    found = nearest_design(items, participants=participants, items_each=items_each, raters=raters)
    return found.items if found else 0


def misfits(design: Design, items: int, checks: int) -> list[str]:
    """Everything that keeps a design from being laid out, each a sentence; empty where it fits.

    Args:
        design: the study's settings.
        items: how many items the study has.
        checks: how many different attention checks it has.
    """
    each = design.items_each or items
    if design.kind in ("cyclic", "balanced"):
        counts = feasible(
            design.participants or 0,
            design.items_each or 0,
            design.raters or 0,
            items,
            unequal=design.unequal,
            repeats=design.repeats,
        )
        found = [counts] if counts else []
    else:
        found = _every_item(design, items)
        each = items
        if too_short := _repeats(design.repeats, each):
            found.append(too_short)
    return found + _checks(design, each, checks)


def _every_item(design: Design, items: int) -> list[str]:
    people = design.participants
    found = []
    if design.kind == "everything" and people is not None:
        found.append(
            f"an everything design makes slots as people come, so {people} participants cannot be "
            "planned; the nearest that fit: a crossed design"
        )
    if design.items_each not in (None, items):
        found.append(f"every participant gets all {items} items, not {design.items_each} each")
    if design.raters is not None and design.raters != people:
        found.append(
            f"every participant rates every item; {_many(design.raters, 'rater')} an item do not fit"
        )
    return found


def _checks(design: Design, each: int, there: int) -> list[str]:
    asked = design.checks
    found = []
    if asked > there:
        verb = "is" if asked == 1 else "are"
        found.append(
            f"{_many(asked, 'attention check')} a participant {verb} more than the {there} the study has"
        )
    most = (each + design.repeats) // (CHECK_EVERY - 1)
    if asked > most:
        found.append(
            f"{_many(asked, 'attention check')} among {each + design.repeats} other entries would be more "
            f"than one in {CHECK_EVERY}; the nearest that fit: {most}"
        )
    elif asked and each - -(-each // (design.block or each)) < asked:
        found.append(
            f"blocks of {design.block} leave no place for an attention check that is neither first nor last"
        )
    return found
