"""The contrasts that an analysis plan names, read from its words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from studies.mentions import mentioned_in
from studies.roleplay.design import speaker_names
from studies.settings import AnalysisSettings, StudySettings

Measure = Literal["es", "ft_es", "ttc"]
MEASURES: tuple[Measure, ...] = get_args(Measure)
By = Literal["condition", "assistant"]


@dataclass(frozen=True, slots=True)
class PlannedContrast:
    """`a` minus `b`."""

    by: By
    a: str
    b: str


def primary_outcome(analysis: AnalysisSettings) -> Measure | None:
    """The outcome on which the study is planned; None where the plan names none of role-play."""
    wanted = analysis.primary_outcome.strip().casefold().replace("-", "_")
    return next((one for one in MEASURES if one == wanted), None)


def planned_contrasts(
    settings: StudySettings, analysis: AnalysisSettings
) -> tuple[tuple[PlannedContrast, ...], tuple[str, ...]]:
    """The planned contrasts, and those of the plan's texts that name none.

    A contrast is a text that names two conditions, or two assistants, of the study: `same-user minus none`
    is the first less the second. A semicolon separates several.
    """
    names: tuple[tuple[By, tuple[str, ...]], ...] = (
        ("condition", settings.roleplay.conditions),
        ("assistant", speaker_names(settings)),
    )
    found: list[PlannedContrast] = []
    unread: list[str] = []
    for text in filter(None, map(str.strip, analysis.contrast.split(";"))):
        for by, known in names:
            mentioned = mentioned_in(text, known)
            if len(mentioned) == 2:
                found.append(PlannedContrast(by, *mentioned))
                break
        else:
            unread.append(text)
    return tuple(dict.fromkeys(found)), tuple(unread)
