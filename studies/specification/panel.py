"""Judges beside the person: how far they agree on frozen sheets, and which of two sheets each prefers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

from studies.agreement.ordinal import ordinal_alpha
from studies.specification.counting import Person
from studies.specification.figures import (
    HIGHEST,
    LOWEST,
    by_participant,
    mean_of,
)
from studies.specification.outcomes import Comparison, Outcome
from studies.specification.payloads import SheetJudged
from studies.specification.sections import CRITERIA
from studies.statistics.intervals import Interval, interval_json, mean_interval
from studies.statistics.paired import SignFlip, sign_flip
from studies.study import Study

PANEL = "panel"
"""All judges of a sheet together: the mean of their scores."""
PERSON = "participant"
NOT_JUDGED = "no sheet was judged"
ONE_JUDGE = "no sheet has two judges"
OFF_SCALE = "a mean of several judges is no point of the scale"


@dataclass(frozen=True, slots=True)
class Beside:
    """A judge beside the participants on one criterion."""

    judge: str
    criterion: str
    sheets: int
    participants: int
    alpha: float | None
    """Krippendorff's, ordinal, between the person and the judge."""
    difference: float | None
    """Mean over sheets of the judge's score less the person's."""
    difference_ci: Interval
    undefined_reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """As JSON values; an interval without ends is null beside its reason."""
        return asdict(self) | {"difference_ci": interval_json(self.difference_ci)}


@dataclass(frozen=True, slots=True)
class Among:
    """Agreement among the judges on one criterion, without the person."""

    criterion: str
    sheets: int
    """With two judges or more."""
    alpha: float | None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Alike:
    """How often a judge said the same as the person of what became of a requirement."""

    judge: str
    requirements: int
    share: float | None
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """Two agents that wrote for the same projects, compared blind: `a` against `b`."""

    judge: str
    """`participant`, or a judge."""
    a: str
    b: str
    win: int
    """Comparisons in which a's sheet is preferred."""
    tie: int
    loss: int
    participants: int
    difference: float | None
    """Mean over participants of the share won less the share lost."""
    ci: Interval
    test: SignFlip

    def to_json(self) -> dict[str, Any]:
        """As JSON values; an interval without ends is null beside its reason."""
        return {
            **asdict(self),
            "ci": interval_json(self.ci),
            "test": asdict(self.test),
            "undefined_reason": self.test.undefined_reason or self.ci.undefined_reason,
        }


@dataclass(frozen=True, slots=True)
class JudgeWork:
    """What one judge was asked, and what came of it."""

    judge: str
    model: str
    models_served: tuple[str, ...]
    sheets: int
    pairs: int
    failed: int
    """Sheets and pairs without a usable answer."""
    cost: float


def beside_people(study: Study, outcomes: Sequence[Outcome]) -> tuple[Beside, ...]:
    """Each judge, then the panel where there are several, beside the participants, by criterion."""
    judges = study.settings.specification.judges
    names = (*judges, PANEL) if len(judges) > 1 else judges
    counted = [one for one in outcomes if one.counts]
    return tuple(_beside(name, criterion, counted) for name in names for criterion in CRITERIA)


def _beside(judge: str, criterion: str, outcomes: Sequence[Outcome]) -> Beside:
    own: list[list[Fraction]] = []
    pairs: list[tuple[int, int]] = []
    for some in by_participant(outcomes):
        differences = []
        for one in some:
            scores = _scores(one, criterion, judge)
            if scores and criterion in one.scores:
                differences.append(Fraction(sum(scores), len(scores)) - one.scores[criterion])
                pairs.append((one.scores[criterion], scores[0]))
        if differences:
            own.append(differences)
    widest = HIGHEST - LOWEST
    interval = mean_interval([mean_of(one) for one in own], -widest, widest)
    if not own:
        return Beside(judge, criterion, 0, 0, None, None, interval, NOT_JUDGED)
    alpha = ordinal_alpha(pairs)
    value, reason = (None, OFF_SCALE) if judge == PANEL else (alpha.value, alpha.undefined_reason)
    return Beside(
        judge=judge,
        criterion=criterion,
        sheets=len(pairs),
        participants=len(own),
        alpha=value,
        difference=float(mean_of([one for some in own for one in some])),
        difference_ci=interval,
        undefined_reason="; ".join(
            f"{name}: {why}"
            for name, why in (("alpha", reason), ("difference_ci", interval.undefined_reason))
            if why
        )
        or None,
    )


def _scores(one: Outcome, criterion: str, judge: str = PANEL) -> list[int]:
    return [
        own.scores[criterion]
        for own in one.judged
        if own.scores and criterion in own.scores and judge in (PANEL, own.judge)
    ]


def among_judges(study: Study, outcomes: Sequence[Outcome]) -> tuple[Among, ...]:
    """Ordinal alpha among the judges, by criterion; nothing where the study has none."""
    return tuple(_among(one, outcomes) for one in CRITERIA if study.settings.specification.judges)


def _among(criterion: str, outcomes: Sequence[Outcome]) -> Among:
    scores = [_scores(one, criterion) for one in outcomes if one.counts]
    several = [one for one in scores if len(one) > 1]
    if not several:
        return Among(criterion, 0, None, ONE_JUDGE if any(scores) else NOT_JUDGED)
    alpha = ordinal_alpha(several)
    return Among(criterion, len(several), alpha.value, alpha.undefined_reason)


def requirements_alike(study: Study, outcomes: Sequence[Outcome]) -> tuple[Alike, ...]:
    """For each judge, the share of requirements of which it says what the person says."""
    found = []
    for name in study.settings.specification.judges:
        same = [
            judged.requirements[key] == fate
            for one in outcomes
            if one.counts
            for judged in one.judged
            if judged.judge == name
            for key, fate in one.fates.items()
            if key in judged.requirements
        ]
        share = sum(same) / len(same) if same else None
        found.append(Alike(name, len(same), share, None if same else NOT_JUDGED))
    return tuple(found)


def head_to_head(study: Study, comparisons: Sequence[Comparison]) -> tuple[HeadToHead, ...]:
    """Win, tie and loss of each two agents with the same projects, by participants and by each judge."""
    names = [one.name for one in study.settings.specification.agents]
    found = []
    for a, b in combinations(names, 2):
        between = [one for one in comparisons if set(one.agents.values()) == {a, b}]
        for judge in ("", *study.settings.specification.judges):
            own = [one for one in between if one.judge == judge]
            if own or (between and not judge):
                found.append(_head_to_head(study, judge or PERSON, a, b, own))
    return tuple(found)


def _head_to_head(study: Study, judge: str, a: str, b: str, comparisons: Sequence[Comparison]) -> HeadToHead:
    people: dict[str, list[Fraction]] = {}
    for one in comparisons:
        preferred = None if one.preferred is None else one.agents[one.preferred]
        people.setdefault(one.participant, []).append(Fraction({a: 1, b: -1}.get(preferred or "", 0)))
    results = [one for own in people.values() for one in own]
    means = [mean_of(own) for own in people.values()]
    return HeadToHead(
        judge=judge,
        a=a,
        b=b,
        win=results.count(Fraction(1)),
        tie=results.count(Fraction(0)),
        loss=results.count(Fraction(-1)),
        participants=len(people),
        difference=float(mean_of(means)) if means else None,
        ci=mean_interval(means, -1, 1),
        test=sign_flip(means, study.settings.seed),
    )


def work_of_judges(study: Study, people: Sequence[Person]) -> tuple[JudgeWork, ...]:
    """What each judge of the study has done for the participations that are counted."""
    return tuple(_work_of_judges(study, people))


def _work_of_judges(study: Study, people: Sequence[Person]) -> Iterator[JudgeWork]:
    models = {one.name: one.model for one in study.settings.assistants}
    for name in study.settings.specification.judges:
        own = [one for person in people for one in person.judges if one.judge == name]
        sheets = [one for one in own if isinstance(one, SheetJudged)]
        rated = sum(one.scores is not None for one in sheets)
        compared = sum(not isinstance(one, SheetJudged) and one.preferred is not None for one in own)
        served = {one.model_served for one in sheets if one.model_served}
        yield JudgeWork(
            judge=name,
            model=models.get(name, ""),
            models_served=tuple(sorted(served)),
            sheets=rated,
            pairs=compared,
            failed=len(own) - rated - compared,
            cost=sum(one.cost or 0.0 for one in own),
        )
