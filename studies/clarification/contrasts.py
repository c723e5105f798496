"""Contrasts between the assistants that ask, over the participants who met both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import inf

from studies.clarification.metrics import Run
from studies.clarification.plan import OUTCOMES, asker_names
from studies.clarification.plan import contrasts as planned_contrasts
from studies.statistics.contrasts import Contrast, Family, corrected, paired
from studies.study import Study

"""As in role-play: a planned contrast on the primary outcome, on another one, or a contrast of no plan."""
VALUES: Mapping[str, Callable[[Run], float | None]] = {
    "tkqr": lambda one: one.tkqr,
    "ora": lambda one: one.ora,
    "ora_strict": lambda one: one.ora_strict,
    "rounds": lambda one: one.rounds,
    "diff": lambda one: one.diff,
    "pass_at_1": lambda one: None if one.passed is None else float(one.passed),
}


def contrasts(study: Study, runs: Sequence[Run]) -> tuple[Contrast, ...]:
    """Every contrast between assistants that ask, on every outcome; the planned ones first.

    Args:
        study: its plan says which are planned, and how several are corrected.
        runs: that count.
    """
    if study.settings.clarification.seat != "answerer":
        return ()
    planned, _ = planned_contrasts(study.settings, study.analysis)
    named = {frozenset(one) for one in planned}
    others = [
        (a, b) for b, a in combinations(asker_names(study.settings), 2) if frozenset((a, b)) not in named
    ]
    found: list[Contrast] = []
    for pair in (*planned, *others):
        for outcome in OUTCOMES["answerer"]:
            family: Family = "exploratory"
            if pair in planned:
                family = "primary" if outcome == study.analysis.primary_outcome else "secondary"
            found.append(_contrast(pair, outcome, family, runs, study.settings.seed))
    return corrected(found, study.analysis.multiplicity)


def _contrast(
    pair: tuple[str, str], outcome: str, family: Family, runs: Sequence[Run], seed: int
) -> Contrast:
    value = VALUES[outcome]
    by: dict[str, tuple[list[Fraction], list[Fraction]]] = {}
    for one in runs:
        measured = value(one)
        if one.model in pair and measured is not None:
            by.setdefault(one.participant or "", ([], []))[pair.index(one.model)].append(Fraction(measured))
    both = [(a, b) for a, b in by.values() if a and b]
    widest = inf if outcome in ("rounds", "diff") else 1
    differences = [sum(a, Fraction(0)) / len(a) - sum(b, Fraction(0)) / len(b) for a, b in both]
    return paired(
        Contrast,
        ("assistant", *pair),
        outcome,
        family,
        differences,
        left_out=sum(bool(a) != bool(b) for a, b in by.values()),
        widest=widest,
        seed=seed,
    )
