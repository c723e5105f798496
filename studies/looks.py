"""What every figure of a study is printed with: early looks, and what differs from plan or model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studies.desk import DeviationNoted, Look
from studies.events import Event, by_time
from studies.study import Study


@dataclass(frozen=True, slots=True)
class Looked:
    """One look at a figure before planned N."""

    at: str
    figure: str
    reason: str
    completed: int
    planned: int


def deviations(study: Study, desk: Sequence[Event]) -> tuple[str, ...]:
    """What differs from plan or model: as the analysis plan states it, then as the desk noted it."""
    noted = (one.payload for one in desk if isinstance(one.payload, DeviationNoted))
    texts = (*study.analysis.known_deviations, *(one.text for one in noted if one.study == study.sha256))
    return tuple(dict.fromkeys(texts))


def looks(desk: Sequence[Event], study: str) -> tuple[Looked, ...]:
    """Every look at a figure before planned N, oldest first."""
    return tuple(
        Looked(one.at, one.payload.figure, one.payload.reason, one.payload.completed, one.payload.planned)
        for one in by_time(desk)
        if isinstance(one.payload, Look) and one.payload.study == study
    )
