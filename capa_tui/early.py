"""Looks at figures before planned N: each is recorded, and the figures say so."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from capa_tui import report

if TYPE_CHECKING:
    from capa_tui.services import Services
    from studies.ports import StudyRecord


class Figures(Protocol):
    """Figures of a study: a frozen dataclass that also holds its `looks`."""

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""

    @property
    def completed(self) -> int:
        """Completed participations."""

    @property
    def planned_n(self) -> int | None:
        """How many are planned."""


F = TypeVar("F", bound=Figures)


async def looked(services: Services, record: StudyRecord, figure: str, reason: str, found: F) -> F:
    """The figures with this look among their looks, where they are seen before planned N.

    Args:
        services: an open database.
        record: the study version.
        figure: `agreement` or `evaluate`.
        reason: why they are looked at now.
        found: the figures.
    """
    if found.reached:
        return found
    from studies.looks import looks

    planned = found.planned_n or 0
    await services.desk.look(record, figure, reason, found.completed, planned)
    report.say(
        f"Before planned N ({found.completed} of {planned} participations completed): "
        "these figures are an early look, and the look has been recorded."
    )
    changed: dict[str, Any] = {"looks": looks(await services.archive.desk(record.sha256), record.sha256)}
    again: F = replace(found, **changed)  # type: ignore[type-var]
    return again
