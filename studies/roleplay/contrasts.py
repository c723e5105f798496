"""Contrasts between conditions, and between assistants, over the participants who met both."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal

from studies.roleplay.counting import Outcome
from studies.roleplay.design import speaker_names
from studies.roleplay.figures import (
    FEW_PARTICIPANTS,
    by_participant,
    counting,
    first_turn,
    interval_json,
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
from studies.statistics.intervals import FEW, Interval, mean_interval
from studies.statistics.paired import SignFlip, exact_mcnemar, holm, sign_flip
from studies.study import Study

Family = Literal["primary", "secondary", "exploratory"]
"""primary: a planned contrast on the primary outcome. secondary: a planned contrast on another outcome.
exploratory: no contrast of the plan. Each family is corrected by itself."""
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
class Contrast:
    """`a` minus `b` on one outcome."""

    by: By
    a: str
    b: str
    outcome: Measure
    family: Family
    participants: int
    """With sessions that count on both sides."""
    left_out: int
    """With such sessions on one side only."""
    difference: float | None
    """Mean over participants of their mean under a less their mean under b."""
    ci: Interval
    test: SignFlip
    p_corrected: float | None
    correction: str
    mcnemar: McNemar
    flags: tuple[str, ...] = ()
    """What the contrast must be read with."""

    @property
    def planned(self) -> bool:
        """Whether the analysis plan names the contrast."""
        return self.family != "exploratory"

    def to_json(self) -> dict[str, Any]:
        """The contrast as JSON values; an interval without ends is null beside its reason."""
        return {
            "by": self.by,
            "a": self.a,
            "b": self.b,
            "outcome": self.outcome,
            "planned": self.planned,
            "family": self.family,
            "participants": self.participants,
            "left_out": self.left_out,
            "difference": self.difference,
            "ci": interval_json(self.ci),
            "p": self.test.p,
            "method": "two-sided sign-flip over participants' mean differences",
            "exact": self.test.exact,
            "draws": self.test.draws,
            "p_corrected": self.p_corrected,
            "correction": self.correction,
            "mcnemar": asdict(self.mcnemar),
            "flags": list(self.flags),
            "undefined_reason": self.test.undefined_reason or self.ci.undefined_reason,
        }


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
            made = _contrast(one, measure, family, counted, study)
            few = [FEW_PARTICIPANTS] if 0 < made.participants < FEW else []
            found.append(replace(made, flags=(*noted, *few)))
    return _corrected(found, analysis.multiplicity)


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
    one: PlannedContrast, measure: Measure, family: Family, outcomes: Sequence[Outcome], study: Study
) -> Contrast:
    limit = study.settings.roleplay.turns

    def side(some: Sequence[Outcome], name: str) -> list[Outcome]:
        return [own for own in some if (own.condition if one.by == "condition" else own.assistant) == name]

    people = [(side(some, one.a), side(some, one.b)) for some in by_participant(outcomes)]
    both = [(a, b) for a, b in people if a and b]
    differences = [mean(measure, a, limit) - mean(measure, b, limit) for a, b in both]
    widest = limit - 1 if measure == "ttc" else 1
    return Contrast(
        by=one.by,
        a=one.a,
        b=one.b,
        outcome=measure,
        family=family,
        participants=len(both),
        left_out=sum(1 for a, b in people if bool(a) != bool(b)),
        difference=float(sum(differences, Fraction(0)) / len(differences)) if differences else None,
        ci=mean_interval(differences, -widest, widest),
        test=sign_flip(differences, study.settings.seed),
        p_corrected=None,
        correction="",
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


def _corrected(found: Sequence[Contrast], how: str) -> tuple[Contrast, ...]:
    """The contrasts with p corrected within each family: by Holm, unless the plan says `none`."""
    plain = how.strip().casefold() == "none"
    result: list[Contrast] = []
    for family in ("primary", "secondary", "exploratory"):
        own = [one for one in found if one.family == family]
        raw = [one.test.p for one in own]
        words = "none" if plain else f"Holm over {sum(1 for one in raw if one is not None)} {family} tests"
        result += (
            replace(one, p_corrected=p, correction=words)
            for one, p in zip(own, raw if plain else holm(raw), strict=True)
        )
    return tuple(result)
