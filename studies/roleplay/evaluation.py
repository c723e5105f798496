"""The outcomes of a role-play study as they are printed: groups, contrasts, and what goes with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from studies.coding import HOW, Figure
from studies.counting import NotCounted
from studies.looks import Looked
from studies.roleplay.blank import BlankFigure
from studies.roleplay.contrasts import Contrast
from studies.roleplay.disclosure import Disclosure
from studies.roleplay.figures import Group
from studies.statistics.spread import Spread

NO_LEAKS = f"the messages have not been coded: {HOW}"


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The figures once more, under another rule about what counts."""

    name: str
    groups: tuple[Group, ...]
    """The whole, then by condition; empty where the run is undefined."""
    contrasts: tuple[Contrast, ...]
    """The planned ones."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Idle:
    """The participants' own time under one idle threshold."""

    idle_seconds: int
    planned: bool
    by: Mapping[str, str | None]
    times: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class Accepts:
    """How well participants judge, where they decide what is solved."""

    declared: int | None = None
    """Sessions that were declared done."""
    false_accepts: int | None = None
    """Of these, with code that the hidden tests do not accept."""
    accepted: int | None = None
    """Sessions with code that the hidden tests accept."""
    missed_accepts: int | None = None
    """Of these, the ones that went on, or ended otherwise, after it."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Leakage:
    """Sessions whose first message of the participant's own revealed a withheld fact, as coded."""

    by: Mapping[str, str | None]
    sessions: int
    """Those whose first message is coded, and those without a message."""
    leaked: int | None
    """All coders say so."""
    rate: Figure
    either: Figure
    """The rate where any coder says so."""

    def to_json(self) -> dict[str, Any]:
        """The rate, and beside it its interval and the rate under the other rule."""
        rate = self.rate.to_json()
        return {
            "by": dict(self.by),
            "sessions": self.sessions,
            "leaked": self.leaked,
            "rate": rate["value"],
            "rate_ci": rate["ci"],
            "either": self.either.to_json(),
            "undefined_reason": rate["undefined_reason"],
        }


@dataclass(frozen=True, slots=True)
class Donors:
    """Which sessions serve as shuffled histories."""

    sha256: str
    sessions: int
    fixed_at: str
    first_shown_at: str | None
    """When the first session under `shuffled` called an assistant."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of a study."""

    study: str
    sha256: str
    """Of the study version; the hash of the donors stands beside it."""
    settings: Mapping[str, Any]
    """The settings under which the figures came about."""
    participants: int
    """Participations that are counted."""
    completed: int
    """Completed participations, whether a declared rule excludes them or not."""
    planned_n: int | None
    plan: Mapping[str, str | None]
    """What the analysis plan says; the primary outcome is None where it names none of role-play."""
    groups: tuple[Group, ...]
    """The whole; then by condition, assistant, mechanism (a session counts under both of its pair), profile,
    difficulty, condition and assistant."""
    contrasts: tuple[Contrast, ...]
    sensitivity: tuple[Sensitivity, ...]
    idle: tuple[Idle, ...]
    leakage: tuple[Leakage, ...]
    disclosure: Disclosure | None
    """Which facts messages revealed; None where they were not coded."""
    accepts: Accepts
    blank_control: tuple[BlankFigure, ...]
    short_of_history: int
    """Completed participations in which too few history sessions were resolved for (all) held-out ones."""
    not_counted: tuple[NotCounted, ...]
    models_served: Mapping[str, Sequence[str]]
    isolation: tuple[str, ...]
    donors: Donors | None
    cost: float
    """US dollars of the counted sessions, as far as known."""
    unpriced: int
    """Calls of theirs whose cost is unknown."""
    flags: tuple[str, ...]
    """What every figure must be read with; a group has its own beside them."""
    deviations: tuple[str, ...]
    looks: tuple[Looked, ...]

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    def to_json(self) -> dict[str, Any]:
        """The contract's `groups` and `contrasts`, and beside them what they must be read with."""
        told = self.disclosure
        values = {
            **asdict(replace(self, disclosure=None)),
            "kind": "roleplay",
            "planned_n_reached": self.reached,
        }
        del values["disclosure"]
        values["leakage"] = [one.to_json() for one in self.leakage]
        values["leakage_flags"] = list(told.flags) if told else []
        values["coding"] = asdict(told.coding) if told else None
        values["revealed"] = [one.to_json() for one in told.revealed] if told else None
        values["revealed_undefined_reason"] = None if told else NO_LEAKS
        values["groups"] = [one.to_json() for one in self.groups]
        values["contrasts"] = [one.to_json() for one in self.contrasts]
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
