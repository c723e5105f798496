"""Contrasts between the assistants that ask, over the participants who met both."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import Any, Literal

from studies.clarification.intervals import interval_json
from studies.clarification.metrics import Run
from studies.clarification.plan import OUTCOMES, asker_names
from studies.clarification.plan import contrasts as planned_contrasts
from studies.statistics.intervals import Interval, mean_interval
from studies.statistics.paired import SignFlip, holm, sign_flip
from studies.study import Study

Family = Literal["primary", "secondary", "exploratory"]
"""As in role-play: a planned contrast on the primary outcome, on another one, or a contrast of no plan."""
VALUES: Mapping[str, Callable[[Run], float | None]] = {
    "tkqr": lambda one: one.tkqr,
    "ora": lambda one: one.ora,
    "ora_strict": lambda one: one.ora_strict,
    "rounds": lambda one: one.rounds,
    "diff": lambda one: one.diff,
    "pass_at_1": lambda one: None if one.passed is None else float(one.passed),
}


@dataclass(frozen=True, slots=True)
class Contrast:
    """`a` minus `b` on one outcome."""

    a: str
    b: str
    outcome: str
    family: Family
    participants: int
    """With runs of both."""
    left_out: int
    """With runs of one only."""
    difference: float | None
    """Mean over participants of their mean under a less their mean under b."""
    ci: Interval
    test: SignFlip
    p_corrected: float | None = None
    correction: str = ""

    @property
    def planned(self) -> bool:
        """Whether the analysis plan names the contrast."""
        return self.family != "exploratory"

    def to_json(self) -> dict[str, Any]:
        """The contrast as JSON values."""
        return {
            "by": "assistant",
            "a": self.a,
            "b": self.b,
            "outcome": self.outcome,
            "planned": self.planned,
            "family": self.family,
            "participants": self.participants,
            "left_out": self.left_out,
            "difference": self.difference,
            "ci": interval_json(self.ci, "participants"),
            "p": self.test.p,
            "method": "two-sided sign-flip over participants' mean differences",
            "exact": self.test.exact,
            "draws": self.test.draws,
            "p_corrected": self.p_corrected,
            "correction": self.correction,
            "undefined_reason": self.test.undefined_reason or self.ci.undefined_reason,
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
    return _corrected(found, study.analysis.multiplicity)


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
    return Contrast(
        a=pair[0],
        b=pair[1],
        outcome=outcome,
        family=family,
        participants=len(both),
        left_out=sum(bool(a) != bool(b) for a, b in by.values()),
        difference=float(sum(differences, Fraction(0)) / len(differences)) if differences else None,
        ci=mean_interval(differences, -widest, widest),
        test=sign_flip(differences, seed),
    )


def _corrected(found: Sequence[Contrast], how: str) -> tuple[Contrast, ...]:
    """With p corrected within each family: by Holm, unless the plan says `none`."""
    plain = how.strip().casefold() == "none"
    result: list[Contrast] = []
    for family in ("primary", "secondary", "exploratory"):
        own = [one for one in found if one.family == family]
        raw = [one.test.p for one in own]
        words = "none" if plain else f"Holm over {sum(one is not None for one in raw)} {family} tests"
        result += (
            replace(one, p_corrected=p, correction=words)
            for one, p in zip(own, raw if plain else holm(raw), strict=True)
        )
    return tuple(result)
