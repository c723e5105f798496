"""Which asked questions matchers get: drawn by how the judge voted, and weighted back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from studies.chance import Chance

if TYPE_CHECKING:
    from studies.clarification.materials import AskedQuestion, ClarificationTask, Stratum
    from studies.clarification.settings import Sample


def strata(tasks: Iterable[ClarificationTask]) -> Mapping[Stratum, Sequence[AskedQuestion]]:
    """The asked questions by the judge's vote, each list in the order of the file."""
    found: dict[Stratum, list[AskedQuestion]] = defaultdict(list)
    for task in tasks:
        for one in task.asked:
            found[one.stratum].append(one)
    return found


def drawn(tasks: Sequence[ClarificationTask], sample: Sample, seed: int) -> tuple[str, ...]:
    """Ids of the asked questions that matchers get, in the order of the file; the same for the same seed."""
    chosen: set[str] = set()
    for name, there in strata(tasks).items():
        wanted: int | None = getattr(sample, name)
        ids = [one.id for one in there]
        chance = Chance(seed, 0, f"asked questions {name}")
        chosen.update(ids if wanted is None else chance.shuffled(ids)[:wanted])
    return tuple(one.id for task in tasks for one in task.asked if one.id in chosen)


def weights(tasks: Sequence[ClarificationTask], ids: Iterable[str]) -> dict[str, Fraction]:
    """How many asked questions of its stratum each drawn one stands for (the inverse of its chance)."""
    among = set(ids)
    found: dict[str, Fraction] = {}
    for there in strata(tasks).values():
        kept = [one.id for one in there if one.id in among]
        found |= {one: Fraction(len(there), len(kept)) for one in kept}
    return found
