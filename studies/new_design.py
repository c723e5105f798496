"""The design a new study gets: what was asked for, as far as the items there are allow it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from studies.assignment import feasible, nearest_design
from studies.errors import InputError
from studies.reading import listed

PRESETS = ("capa",)
REST_AFTER = 10
"""Items between two rests where the researcher sets no number: about ten minutes of work."""

_CAPA_DEVIATIONS = (
    "Whether CAPA offered escape codes is not known. Here `not ambiguous` and `other` are offered, and only "
    "a study without them is compared with its 0.66.",
    "CAPA's codebook was not available; the codebook in force is this program's own.",
)
_TOO_FEW_COUNTS = "--unequal also needs two of --participants, --items-each and --raters"


@dataclass(frozen=True, slots=True)
class Plan:
    """The design to be written. Counts are None where the design has none."""

    kind: Literal["everything", "crossed", "cyclic"]
    items: int
    participants: int | None = None
    items_each: int | None = None
    raters: int | None = None
    block: int | None = None
    unequal: bool = False
    strata: tuple[str, ...] = ()
    tie_break: bool = True
    deviations: tuple[str, ...] = ()


def wished(
    *,
    participants: int | None = None,
    items_each: int | None = None,
    raters: int | None = None,
    block: int | None = None,
    unequal: bool = False,
    preset: str | None = None,
) -> Plan:
    """The design asked for; how many items it takes is not settled yet.

    Raises:
        InputError: a count below 1, an unknown preset, or wishes that exclude each other.
    """
    counts = {"participants": participants, "items-each": items_each, "raters": raters, "block": block}
    given = {name: count for name, count in counts.items() if count is not None}
    if low := [f"--{name} is {count}" for name, count in given.items() if count < 1]:
        raise InputError(f"{', '.join(low)}; expected at least 1")
    if preset is not None:
        if preset not in PRESETS:
            raise InputError(f"no preset {preset!r}; there is: {', '.join(PRESETS)}")
        if given or unequal:
            words = ", ".join([f"--{name}" for name in given] + ["--unequal"] * unequal)
            raise InputError(f"the preset {preset} fixes the design; leave out {words}")
        return Plan("cyclic", 200, 20, 20, 2, 10, tie_break=False, deviations=_CAPA_DEVIATIONS)
    kind: Literal["everything", "crossed", "cyclic"] = "everything"
    if items_each or raters:
        kind = "cyclic"
    elif participants:
        kind = "crossed"
    if unequal and kind != "cyclic":
        raise InputError(_TOO_FEW_COUNTS)
    return Plan(kind, 0, participants, items_each, raters, block, unequal)


def settled(wish: Plan, available: int) -> tuple[Plan, list[str]]:
    """The design that the items there are allow, and what was changed for it.

    Raises:
        InputError: they allow none; the text names the nearest that fits.
    """
    if wish.kind != "cyclic":
        return _rested(replace(wish, items=available)), []
    return _unequal(wish, available) if wish.unequal else _equal(wish, available)


def _equal(wish: Plan, available: int) -> tuple[Plan, list[str]]:
    n, each, r = wish.participants, wish.items_each, wish.raters
    if n and each and r and n * each % r == 0 and n * each // r > available:
        if wish.deviations:
            raise InputError(
                f"the preset needs {wish.items} items, and there are {available}; give more with --items"
            )
        raise InputError(feasible(n, each, r, available) or "")
    found = nearest_design(available, participants=n, items_each=each, raters=r)
    if found is None:
        sentence = feasible(n, each, r, available) if n and each and r else None
        raise InputError(sentence or f"no design with these counts fits {available} items")
    plan = replace(
        wish,
        items=found.items,
        participants=found.participants,
        items_each=found.items_each,
        raters=found.raters,
    )
    notes = []
    if each and each != found.items_each:
        notes.append(
            f"{n} participants with {each} items each are {(n or 0) * each} annotations, which {r} raters an "
            f"item do not divide: each participant gets {found.items_each} items instead."
        )
    return _rested(plan), notes


def _unequal(wish: Plan, available: int) -> tuple[Plan, list[str]]:
    n, each, r = wish.participants, wish.items_each, wish.raters
    if sum(one is None for one in (n, each, r)) > 1:
        raise InputError(_TOO_FEW_COUNTS)
    n = n or -(-(r or 0) * available // (each or 1))
    each = each or -(-(r or 0) * available // n)
    r = r or n * each // available
    if sentence := feasible(n, each, r, available, unequal=True):
        raise InputError(sentence)
    low, high = n * each // available, -(-n * each // available)
    notes = [f"All {available} items are kept; each gets {low} or {high} raters."] if low != high else []
    return _rested(replace(wish, items=available, participants=n, items_each=each, raters=r)), notes


def _rested(plan: Plan) -> Plan:
    each = plan.items_each or plan.items
    return plan if plan.block or each < 2 * REST_AFTER else replace(plan, block=REST_AFTER)


def left_out_notes(plan: Plan, available: int, quoting: Sequence[str], drawn_out: Sequence[str]) -> list[str]:
    """What to say of items that are not in the study: `quoting` a codebook example, or not drawn."""
    notes = []
    if quoting:
        notes.append(f"Left out, as examples of the codebook have their texts: {listed(quoting)}.")
    if drawn_out:
        over = " and ".join(plan.strata)
        how = f"stratified by {over}" if over else "no gold or source column to stratify by"
        notes.append(
            f"{plan.participants} participants with {plan.items_each} items each and {plan.raters} raters an "
            f"item make {plan.items} items. They were drawn at random from {available} ({how}). Left out: "
            f"{listed(drawn_out)}; all of these ids are at the end of study.toml."
        )
    return notes
