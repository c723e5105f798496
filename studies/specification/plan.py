"""What an analysis plan of a specification study names: its outcome, and its contrasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from studies.mentions import mentioned_in
from studies.settings import AnalysisSettings, StudySettings
from studies.specification.sections import CRITERIA

Measure = Literal[
    "accuracy",
    "accuracy_not_asked",
    "coverage",
    "precision",
    "consistency",
    "insight",
    "readability",
    "queries",
]
MEASURES: tuple[Measure, ...] = get_args(Measure)
OF_CHECKLISTS: frozenset[str] = frozenset({"accuracy", "accuracy_not_asked"})
"""Outcomes of Task 1 alone."""
OF_SHEETS: frozenset[str] = frozenset(CRITERIA)
"""Outcomes of Task 2 alone."""
By = Literal["agent", "budget"]


@dataclass(frozen=True, slots=True)
class PlannedContrast:
    """`a` minus `b`. Budgets are named by their number of rounds, as text."""

    by: By
    a: str
    b: str


def primary_outcome(analysis: AnalysisSettings) -> Measure | None:
    """The outcome on which the study is planned; None where the plan names none of specification studies."""
    wanted = analysis.primary_outcome.strip().casefold().replace("-", "_").replace(" ", "_")
    return next((one for one in MEASURES if one == wanted), None)


def contrast_names(settings: StudySettings) -> dict[By, tuple[str, ...]]:
    """What can be contrasted: agents by name, budgets by their number of rounds."""
    specification = settings.specification
    return {
        "agent": tuple(one.name for one in specification.agents),
        "budget": tuple(map(str, specification.budgets)),
    }


def planned_contrasts(
    settings: StudySettings, analysis: AnalysisSettings
) -> tuple[tuple[PlannedContrast, ...], tuple[str, ...]]:
    """The planned contrasts, and those of the plan's texts that name none.

    A contrast is a text that names two agents, or two budgets, of the study: `buddy minus baseline`, or
    `10 minus 5`, is the first less the second. A semicolon separates several.
    """
    found: list[PlannedContrast] = []
    unread: list[str] = []
    for text in filter(None, map(str.strip, analysis.contrast.split(";"))):
        for by, known in contrast_names(settings).items():
            mentioned = mentioned_in(text, known)
            if len(mentioned) == 2:
                found.append(PlannedContrast(by, *mentioned))
                break
        else:
            unread.append(text)
    return tuple(dict.fromkeys(found)), tuple(unread)
