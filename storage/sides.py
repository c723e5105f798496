"""Which side of a forked stream this file goes on with."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from studies.events import Event


def is_forked(events: Sequence[Event]) -> bool:
    """Whether two events of one ordered stream have the same number."""
    return any(one.seq == after.seq for one, after in pairwise(events))


def own_side(events: Sequence[Event], local: Collection[str]) -> list[Event]:
    """One unbroken side of one stream, in order.

    A withdrawal counts wherever it was said. Otherwise the side passes through the last event that this
    file's own writer stored and goes on from there; where there is none, and where it forks again, the
    longer side counts, then the lower hash. So files that hold the same events, none of them their own,
    choose alike.

    Args:
        events: the whole stream, both sides.
        local: hashes of the events that this file's own writer stored.
    """
    by_hash = {one.hash: one for one in events}
    reach: dict[str, Event] = {}
    for one in sorted(events, key=lambda one: (-one.seq, one.hash)):
        end = reach.setdefault(one.hash, one)
        best = reach.get(one.previous)
        if best is None or (-end.seq, end.hash) < (-best.seq, best.hash):
            reach[one.previous] = end
    withdrawn = [one for one in events if one.kind == "participation_withdrawn"]
    decisive = withdrawn or [by_hash[one] for one in local if one in by_hash]
    own = max(decisive, key=lambda one: (one.seq, one.hash), default=None)
    at: Event | None = reach[own.hash] if own else min(reach.values(), key=lambda one: (-one.seq, one.hash))
    side: list[Event] = []
    while at is not None:
        side.append(at)
        at = by_hash.get(at.previous)
    return side[::-1]
