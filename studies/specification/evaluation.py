"""The outcomes of a specification study as they are printed: groups, contrasts, and what goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from studies.counting import NotCounted
from studies.looks import Looked
from studies.specification.checkpoints import Checkpoint, Improvement
from studies.specification.figures import Group
from studies.specification.panel import Alike, Among, Beside, HeadToHead, JudgeWork
from studies.statistics.contrasts import Contrast
from studies.statistics.intervals import interval_json


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The figures once more, under another rule about what counts."""

    name: str
    groups: tuple[Group, ...]
    """The whole, then by agent; empty where the run is undefined."""
    contrasts: tuple[Contrast, ...]
    """The planned ones."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Judges:
    """Judges beside the participants."""

    work: tuple[JudgeWork, ...]
    beside_participants: tuple[Beside, ...]
    among_judges: tuple[Among, ...]
    requirements_alike: tuple[Alike, ...]
    undefined_reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As JSON values."""
        values = asdict(self)
        values["beside_participants"] = [one.to_json() for one in self.beside_participants]
        return values


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of a study."""

    study: str
    sha256: str
    settings: Mapping[str, Any]
    """The settings under which the figures came about."""
    participants: int
    """Participations that are counted."""
    completed: int
    """Completed participations, whether a declared rule excludes them or not."""
    planned_n: int | None
    plan: Mapping[str, str | None]
    """What the analysis plan says; the primary outcome is None where it names none of these studies."""
    groups: tuple[Group, ...]
    """The whole; then by agent, budget, task, agent and budget, agent and task, project, period, which
    interview about the project, and when the ground truth was taken down: each where there are several."""
    contrasts: tuple[Contrast, ...]
    head_to_head: tuple[HeadToHead, ...]
    """Win, tie and loss of two agents that wrote for the same projects, by participants and by each judge."""
    checkpoints: tuple[Checkpoint, ...]
    improvements: tuple[Improvement, ...]
    judges: Judges
    sensitivity: tuple[Sensitivity, ...]
    not_counted: tuple[NotCounted, ...]
    models_served: Mapping[str, Sequence[str]]
    """By assistant, judges included, the models as providers named them."""
    cost: float
    """US dollars of the counted interviews and their judges, as far as known."""
    unpriced: int
    """Answers of theirs whose cost is unknown."""
    flags: tuple[str, ...]
    """What every figure must be read with; a group has its own beside them."""
    deviations: tuple[str, ...]
    looks: tuple[Looked, ...]

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    def to_json(self) -> dict[str, Any]:
        """The contract's `groups`, and beside them what they must be read with."""
        values = {**asdict(self), "kind": "specification", "planned_n_reached": self.reached}
        for name in ("groups", "contrasts", "head_to_head"):
            values[name] = [one.to_json() for one in getattr(self, name)]
        values["checkpoints"] = [
            asdict(one) | {"accuracy_ci": interval_json(one.accuracy_ci)} for one in self.checkpoints
        ]
        values["improvements"] = [
            asdict(one) | {"share_ci": interval_json(one.share_ci)} for one in self.improvements
        ]
        values["judges"] = self.judges.to_json()
        values["sensitivity"] = [
            {
                "name": one.name,
                "groups": [own.to_json() for own in one.groups],
                "contrasts": [own.to_json() for own in one.contrasts],
                "undefined_reason": one.undefined_reason,
            }
            for one in self.sensitivity
        ]
        return values
