"""The outcomes of the seats in a dialogue: TKQR, ORA and the rest, with what they must be read with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, get_args

from studies.clarification.contrasts import contrasts
from studies.clarification.counting import Person, counted, people
from studies.clarification.dialogues import LEFT_OUT, dialogue_of
from studies.clarification.figures import Group, group, groups
from studies.clarification.metrics import Run
from studies.clarification.payloads import Ending
from studies.clarification.plan import OUTCOMES
from studies.clarification.records import run_of
from studies.clarification.volunteered import CodedAnswers, volunteered
from studies.coding import HOW, Coding
from studies.counting import NotCounted
from studies.errors import InputError
from studies.events import Event
from studies.looks import Looked, deviations, looks
from studies.progress import planned_n
from studies.statistics.contrasts import Contrast
from studies.study import Study

NOT_CODED = f"the answers have not been coded: {HOW}"
NOBODY_ANSWERED = "the participants asked, so no answer is a participant's own"
ADRIFT = (
    "{several} questions were never matched, because the session ended before the judge had voted; they "
    "count as misses"
)


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The whole once more, under another rule about what counts."""

    name: str
    group: Group | None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The outcomes of a study."""

    study: str
    sha256: str
    seat: str
    settings: Mapping[str, Any]
    """The settings under which the figures came about."""
    plan: Mapping[str, str | None]
    participants: int
    """Participations that are counted."""
    completed: int
    """Completed participations, whether a declared rule excludes them or not."""
    planned_n: int | None
    sessions: int
    """Sessions of counted participations that have ended."""
    endings: Mapping[str, int]
    """How they ended; `technical` and `spend_cap` are in no figure."""
    without_response: int
    """Sessions that ended before any response; in no figure."""
    groups: tuple[Group, ...]
    """The whole; then by seat; within it by type, by model and by number of gaps."""
    contrasts: tuple[Contrast, ...]
    sensitivity: tuple[Sensitivity, ...]
    volunteered: CodedAnswers | None
    """What the answers gave away, asked or not, as two coders see it."""
    volunteered_undefined_reason: str | None
    not_counted: tuple[NotCounted, ...]
    models_served: Mapping[str, Sequence[str]]
    isolation: tuple[str, ...]
    cost: float
    """US dollars of counted participations, as far as known."""
    unpriced: int
    flags: tuple[str, ...]
    deviations: tuple[str, ...]
    looks: tuple[Looked, ...]

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    def to_json(self) -> dict[str, Any]:
        """The contract's `groups`, and beside them what they must be read with."""
        plain = {
            name: getattr(self, name)
            for name in ("study", "sha256", "seat", "participants", "completed", "planned_n", "sessions")
        }
        return {
            **plain,
            "kind": "clarification",
            "planned_n_reached": self.reached,
            "settings": dict(self.settings),
            "plan": dict(self.plan),
            "endings": dict(self.endings),
            "without_response": self.without_response,
            "groups": [one.to_json() for one in self.groups],
            "contrasts": [one.to_json() for one in self.contrasts],
            "sensitivity": [
                {
                    "name": one.name,
                    "group": one.group.to_json() if one.group else None,
                    "undefined_reason": one.undefined_reason,
                }
                for one in self.sensitivity
            ],
            "volunteered": self.volunteered.to_json() if self.volunteered else None,
            "volunteered_undefined_reason": self.volunteered_undefined_reason,
            "not_counted": [asdict(one) for one in self.not_counted],
            "models_served": {name: list(models) for name, models in self.models_served.items()},
            "isolation": list(self.isolation),
            "cost": self.cost,
            "unpriced": self.unpriced,
            "flags": list(self.flags),
            "deviations": list(self.deviations),
            "looks": [asdict(one) for one in self.looks],
        }


def evaluate(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
    coding: Coding | None = None,
) -> Evaluation:
    """Every outcome figure of a study in which people answer or ask.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
        coding: what two coders say that the answers give away; None before.

    Raises:
        InputError: the study's seat has no dialogues.
    """
    seat = study.settings.clarification.seat
    if seat not in ("answerer", "asker"):
        raise InputError(f"{name or study.settings.name}: the seat {seat} has no dialogues; use agreement")
    persons = people(study, streams, desk)
    kept, out = counted(persons)
    runs = runs_of(study, kept)
    sessions = [one for person in kept for one in person.sessions]
    endings = Counter(str(one.ending) for one in sessions)
    served = _served(kept)
    isolation = tuple(sorted(frozenset().union(*(one.isolation for one in kept))))
    return Evaluation(
        study=name or study.settings.name,
        sha256=study.sha256,
        seat=seat,
        settings=_settings(study),
        plan=_plan(study),
        participants=len(kept),
        completed=sum(one.state == "completed" for one in persons),
        planned_n=planned_n(study),
        sessions=len(sessions),
        endings={one: endings[one] for one in get_args(Ending)},
        without_response=sum(one.ending not in LEFT_OUT and not one.used for one in sessions),
        groups=groups(runs),
        contrasts=contrasts(study, runs),
        sensitivity=tuple(_sensitivity(study, persons, out)),
        volunteered=volunteered(study, kept, coding) if coding else None,
        volunteered_undefined_reason=None if coding else NOT_CODED if seat == "answerer" else NOBODY_ANSWERED,
        not_counted=out,
        models_served=served,
        isolation=isolation,
        cost=sum(one.past.spent for one in kept),
        unpriced=sum(one.past.unpriced for one in kept),
        flags=tuple(_flags(study, sessions, served, isolation)),
        deviations=deviations(study, desk),
        looks=looks(desk, study.sha256),
    )


def runs_of(study: Study, persons: Sequence[Person]) -> list[Run]:
    """The sessions that enter a figure, as runs."""
    made: list[Run] = []
    for person in persons:
        for one in person.sessions:
            dialogue = dialogue_of(study, one, person.participant) if one.ending not in LEFT_OUT else None
            if dialogue is not None:
                made.append(run_of(dialogue))
    return made


def _sensitivity(study: Study, persons: Sequence[Person], out: Sequence[NotCounted]) -> Iterator[Sensitivity]:
    name = "with the people whom a declared exclusion leaves out"
    if any(one.declared for one in out):
        kept, _ = counted(persons, exclusions=False)
        yield Sensitivity(name, group({}, runs_of(study, kept)))
    else:
        yield Sensitivity(name, None, "no declared exclusion applies to anybody")
    kept, _ = counted(one for one in persons if one.state == "completed")
    yield Sensitivity("without participations that a spending limit ended", group({}, runs_of(study, kept)))


def _flags(
    study: Study, sessions: Sequence[Any], served: Mapping[str, Sequence[str]], isolation: Sequence[str]
) -> Iterator[str]:
    for assistant, models in served.items():
        if len(models) > 1:
            yield f"the model of {assistant} as served changed: {', '.join(models)}"
    if "unsafe" in isolation:
        yield "code was run without isolation"
    elif study.settings.unsafe:
        yield "the study allows code to run without isolation"
    adrift = sum(one is None for session in sessions for one in session.outcomes())
    if adrift:
        yield ADRIFT.format(several=adrift)
    if study.settings.clarification.seat == "answerer" and study.settings.clarification.judge.by == "person":
        yield "whoever answered also said which key question was hit"
    both = sum(one.read is not None and one.read.both for session in sessions for one in session.rounds)
    if both:
        rule = study.settings.clarification.both
        yield f"responses with a question and code: {both}; each counts as {rule}"


def _served(persons: Sequence[Person]) -> dict[str, list[str]]:
    served: dict[str, set[str]] = {}
    for person in persons:
        for assistant, models in person.models_served.items():
            served.setdefault(assistant, set()).update(models)
    return {name: sorted(served[name]) for name in sorted(served)}


def _settings(study: Study) -> dict[str, Any]:
    how = study.settings.clarification
    return {
        "seat": how.seat,
        "source": how.source,
        "responses": how.responses,
        "judge": how.judge.model_dump(),
        "matching": how.matching,
        "both": how.both,
        "neither": how.neither,
        "bundle": how.bundle,
        "answers": how.answers,
        "coder": how.coder,
        "unsafe": how.unsafe,
        "assistants": {one.name: one.model for one in study.settings.assistants},
    }


def _plan(study: Study) -> dict[str, str | None]:
    analysis = study.analysis
    known = OUTCOMES[study.settings.clarification.seat]
    return {
        "primary_outcome": analysis.primary_outcome if analysis.primary_outcome in known else None,
        "contrast": analysis.contrast,
        "stopping_rule": analysis.stopping_rule,
        "multiplicity": analysis.multiplicity,
    }
