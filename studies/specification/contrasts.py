"""Contrasts between agents, and between budgets, over the participants who met both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations

from studies.specification.figures import (
    HIGHEST,
    LOWEST,
    by_participant,
    mean_of,
    value_of,
)
from studies.specification.outcomes import Outcome
from studies.specification.plan import (
    MEASURES,
    OF_CHECKLISTS,
    OF_SHEETS,
    Measure,
    contrast_names,
    planned_contrasts,
    primary_outcome,
)
from studies.statistics.contrasts import Contrast, Family, corrected, paired
from studies.study import Study


def contrasts(
    study: Study, outcomes: Sequence[Outcome], *, noted: Sequence[str] = (), planned_only: bool = False
) -> tuple[Contrast, ...]:
    """Every contrast on every outcome that the study's tasks have, the planned ones first.

    `by` is `agent`, `budget`, `interview` (a second agent's, `2`, less the first), or `ground_truth` (taken
    down `after` the interview less `before` it); what is compared lies within each task.

    Args:
        study: its plan says which contrasts are planned, and how several are corrected.
        outcomes: interviews that were begun.
        noted: what every figure of the study must be read with.
        planned_only: leave out what the plan does not name.
    """
    planned, _ = planned_contrasts(study.settings, study.analysis)
    known = [(one.by, one.a, one.b) for one in planned]
    primary = primary_outcome(study.analysis)
    counted = [one for one in outcomes if one.counts]
    found: list[Contrast] = []
    for by, a, b in known if planned_only else (*known, *_others(study, known)):
        for measure in _measures(study):
            family: Family = "exploratory"
            if (by, a, b) in known and primary is not None:
                family = "primary" if measure == primary else "secondary"
            found.append(_contrast(study, (by, a, b), measure, family, counted, noted))
    return corrected(found, study.analysis.multiplicity)


def _measures(study: Study) -> tuple[Measure, ...]:
    unused = {"checklist": OF_SHEETS, "sheet": OF_CHECKLISTS}
    left_out = unused.get(study.settings.specification.task, frozenset[str]())
    return tuple(one for one in MEASURES if one not in left_out)


def _others(study: Study, known: Sequence[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    """What the plan does not name, each later name less the earlier one."""
    names = {frozenset((a, b)) for _, a, b in known}
    for by, those in contrast_names(study.settings).items():
        for b, a in combinations(those, 2):
            if frozenset((a, b)) not in names:
                yield by, a, b
    if study.settings.specification.second_agent:
        yield "interview", "2", "1"
    if study.settings.specification.ground_truth == "split":
        yield "ground_truth", "after", "before"


def _side(by: str, one: Outcome) -> str:
    sides = {"agent": one.agent, "budget": str(one.budget), "interview": str(one.number)}
    return sides.get(by, one.truth)


def _contrast(
    study: Study,
    sides: tuple[str, str, str],
    measure: Measure,
    family: Family,
    outcomes: Sequence[Outcome],
    noted: Sequence[str],
) -> Contrast:
    by, a, b = sides

    def own(some: Sequence[Outcome], name: str, task: str) -> list[Fraction]:
        values = (value_of(measure, one) for one in some if _side(by, one) == name and task in ("", one.task))
        return [one for one in values if one is not None]

    differences: list[Fraction] = []
    left_out = 0
    for some in by_participant(outcomes):
        # An agent with more interviews of one task than the other would be compared by the task.
        met = [(own(some, a, task), own(some, b, task)) for task in ("checklist", "sheet")]
        within = [mean_of(one) - mean_of(other) for one, other in met if one and other]
        if within:
            differences.append(mean_of(within))
        else:
            left_out += bool(own(some, a, "") or own(some, b, ""))
    widest = _widest(study, measure)
    return paired(
        Contrast,
        sides,
        measure,
        family,
        differences,
        left_out=left_out,
        widest=widest,
        seed=study.settings.seed,
        noted=noted,
    )


def _widest(study: Study, measure: Measure) -> int:
    """The greatest difference that there can be."""
    if measure in OF_CHECKLISTS:
        return 1
    settings = study.settings.specification
    return max((*settings.budgets, *settings.checkpoints)) if measure == "queries" else HIGHEST - LOWEST
