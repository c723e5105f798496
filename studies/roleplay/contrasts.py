"""Contrasts between conditions, and between assistants, over the participants who met both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any

from studies.roleplay.counting import Outcome
from studies.roleplay.design import speaker_names
from studies.roleplay.figures import (
    by_participant,
    counting,
    first_turn,
    mean,
)
from studies.roleplay.payloads import Disposition
from studies.roleplay.plan import (
    MEASURES,
    By,
    Measure,
    PlannedContrast,
    planned_contrasts,
    primary_outcome,
)
from studies.statistics import contrasts as statistics
from studies.statistics.contrasts import Family, corrected, paired
from studies.statistics.paired import exact_mcnemar
from studies.study import Study

SEVERAL = "a participant has several sessions in a condition, so that pairs are not independent"
NOT_YES_OR_NO = "the outcome is no yes or no"
NO_PAIRS = "no participant has both"


@dataclass(frozen=True, slots=True)
class McNemar:
    """The exact McNemar test, where each participant has exactly one session on each side."""

    p: float | None
    only_a: int | None = None
    """Participants who succeeded under a alone."""
    only_b: int | None = None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Contrast(statistics.Contrast):
    """`a` minus `b` on one outcome, `by` condition or assistant."""

    mcnemar: McNemar = McNemar(None)

    def to_json(self) -> dict[str, Any]:
        """The contrast as JSON values."""
        return {**statistics.Contrast.to_json(self), "mcnemar": asdict(self.mcnemar)}


def contrasts(
    study: Study,
    outcomes: Sequence[Outcome],
    *,
    unsolved: Collection[Disposition] = (),
    noted: Sequence[str] = (),
    planned_only: bool = False,
) -> tuple[Contrast, ...]:
    """Every contrast on every outcome, the planned ones first.

    Args:
        study: its plan says which contrasts are planned, and how several are corrected.
        outcomes: started held-out sessions.
        unsolved: dispositions that count as unsolved here, though they are left out otherwise.
        noted: what every figure of the study must be read with.
        planned_only: leave out what the plan does not name.
    """
    settings, analysis = study.settings, study.analysis
    planned, _ = planned_contrasts(settings, analysis)
    primary = primary_outcome(analysis)
    counted = counting(outcomes, unsolved)
    found: list[Contrast] = []
    known = _all(planned, settings.roleplay.conditions, speaker_names(settings))
    for one in planned if planned_only else known:
        for measure in MEASURES:
            family: Family = "exploratory"
            if one in planned and primary is not None:
                family = "primary" if measure == primary else "secondary"
            found.append(_contrast(one, measure, family, counted, study, noted))
    return corrected(found, analysis.multiplicity)


def _all(
    planned: Sequence[PlannedContrast], conditions: Sequence[str], assistants: Sequence[str]
) -> Iterable[PlannedContrast]:
    """The planned contrasts, then the others, each later name less the earlier one."""
    known = {frozenset((one.a, one.b)) for one in planned}
    yield from planned
    pairs: tuple[tuple[By, Sequence[str]], ...] = (("condition", conditions), ("assistant", assistants))
    for by, names in pairs:
        for b, a in combinations(names, 2):
            if frozenset((a, b)) not in known:
                yield PlannedContrast(by, a, b)


def _contrast(
    one: PlannedContrast,
    measure: Measure,
    family: Family,
    outcomes: Sequence[Outcome],
    study: Study,
    noted: Sequence[str],
) -> Contrast:
    limit = study.settings.roleplay.turns

    def side(some: Sequence[Outcome], name: str) -> list[Outcome]:
        return [own for own in some if (own.condition if one.by == "condition" else own.assistant) == name]

    people = [(side(some, one.a), side(some, one.b)) for some in by_participant(outcomes)]
    both = [(a, b) for a, b in people if a and b]
    differences = [mean(measure, a, limit) - mean(measure, b, limit) for a, b in both]
    widest = limit - 1 if measure == "ttc" else 1
    return paired(
        Contrast,
        (one.by, one.a, one.b),
        measure,
        family,
        differences,
        left_out=sum(1 for a, b in people if bool(a) != bool(b)),
        widest=widest,
        seed=study.settings.seed,
        noted=noted,
        mcnemar=_mcnemar(measure, both),
    )


def _mcnemar(measure: Measure, both: Sequence[tuple[list[Outcome], list[Outcome]]]) -> McNemar:
    if measure == "ttc":
        return McNemar(None, undefined_reason=NOT_YES_OR_NO)
    if not both:
        return McNemar(None, undefined_reason=NO_PAIRS)
    if any(len(a) > 1 or len(b) > 1 for a, b in both):
        return McNemar(None, undefined_reason=SEVERAL)

    def yes(own: Outcome) -> bool:
        return own.solved if measure == "es" else first_turn(own)

    only_a = sum(yes(a) and not yes(b) for (a,), (b,) in both)
    only_b = sum(yes(b) and not yes(a) for (a,), (b,) in both)
    return McNemar(exact_mcnemar(only_a, only_b), only_a, only_b)
