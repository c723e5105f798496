"""The outcome figures of a group of interviews (SpecBench, Task and Evaluation; Appendix B.5).

Task 1: accuracy is the share of checklist answers predicted, without those of no strong preference, in each
interview; a group's is the mean over its interviews. Task 2: the person's five scores of the frozen sheet.
Intervals are over participants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from fractions import Fraction
from typing import Any

from studies.specification.outcomes import DISPOSITIONS, ENDINGS, FATES, Comparison, Outcome
from studies.specification.plan import Measure
from studies.specification.sections import CRITERIA, SECTIONS
from studies.statistics.intervals import (
    FEW,
    FEW_PARTICIPANTS,
    NEAR,
    Interval,
    interval_json,
    mean_interval,
    share_interval,
)
from studies.statistics.spread import Spread, spread

NO_SESSIONS = "no interview counts"
NO_CHECKLIST = "no interview of Task 1 counts"
NO_PREFERENCES = "no checklist question with a preference"
NO_SHEET = "no interview of Task 2 counts"
NO_REQUIREMENT = "no requirement was stated"
NO_EDIT = "no sheet was edited"
ALL_ASKED = "every question was asked"
NO_RETEST = "no checklist question was asked again"
NO_COMPARISON = "no two agents wrote for one project"
BOTH_SIDES = "both agents of each comparison are in the group"
LOWEST, HIGHEST = 1, 5
"""Ends of the scale of a criterion."""
By = Mapping[str, str | int | None]


@dataclass(frozen=True, slots=True)
class WinTieLoss:
    """How often the group's sheets were preferred by the person, liked alike, and not preferred."""

    win: int
    tie: int
    loss: int


@dataclass(frozen=True, slots=True)
class Fates:
    """How the person's requirements fared in the frozen sheets: mean shares over sheets."""

    sheets: int
    requirements: int
    shares: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Edits:
    """What people made of sheets once they were rated: means over sheets, shares from 0 to 1."""

    sheets: int
    statements_struck: float
    sections_rewritten: float
    changes_accepted: float | None
    """Of the changes that the agent's review had made; None where it made none."""
    left_as_it_was: float


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one group of interviews. Proportions from 0 to 1, times in milliseconds."""

    by: By
    """What the interviews have in common; empty for the whole."""
    participants: int = 0
    """People with an interview that counts."""
    projects: int = 0
    """Different projects in these interviews."""
    sessions: int = 0
    """Interviews that count."""
    started: int = 0
    dispositions: Mapping[str, int] = field(default_factory=dict)
    """Of all that were begun."""
    ended_by: Mapping[str, int] = field(default_factory=dict)
    """Who or what ended those that count."""
    second_agents: int = 0
    """Of those that count, interviews of a second agent about the same project."""
    accuracy: float | None = None
    accuracy_ci: Interval | None = None
    accuracy_not_asked: float | None = None
    accuracy_not_asked_ci: Interval | None = None
    checklist_answers: int = 0
    """Answers that accuracy is over."""
    without_preference: int = 0
    """Answers of no strong preference, which it leaves out."""
    test_retest: float | None = None
    """Share of the checklist questions asked again that were answered alike, `no strong preference` too."""
    test_retest_ci: Interval | None = None
    queries: float | None = None
    queries_ci: Interval | None = None
    early_submit_rate: float | None = None
    early_submit_rate_ci: Interval | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    scores_ci: Mapping[str, Interval | None] = field(default_factory=dict)
    win_tie_loss: WinTieLoss | None = None
    requirements: Fates | None = None
    edited: Edits | None = None
    times: Mapping[str, Spread] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    """What the figures must be read with."""
    undefined_reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The contract's keys and, beside them, counts, intervals, times and flags."""
        values = asdict(self)
        for name in ("accuracy", "accuracy_not_asked", "test_retest", "queries", "early_submit_rate"):
            values[f"{name}_ci"] = interval_json(getattr(self, f"{name}_ci"))
        values["scores_ci"] = {name: interval_json(one) for name, one in self.scores_ci.items()}
        if self.requirements is not None:
            values["requirements"] = {
                "sheets": self.requirements.sheets,
                "requirements": self.requirements.requirements,
                **self.requirements.shares,
            }
        return values | {"flags": list(self.flags)}


def group(
    by: By, outcomes: Sequence[Outcome], comparisons: Sequence[Comparison] = (), *, noted: Sequence[str] = ()
) -> Group:
    """The figures of some interviews.

    Args:
        by: what they have in common.
        outcomes: every interview of the group that was begun.
        comparisons: all that may be about them, by anybody; those of judges are passed over.
        noted: what every figure of the study must be read with.
    """
    counted = [one for one in outcomes if one.counts]
    dispositions = Counter(one.disposition for one in outcomes)
    endings = Counter(one.ended_by for one in counted)
    found = Group(
        by=by,
        participants=len({one.participant for one in counted}),
        projects=len({one.item for one in counted}),
        sessions=len(counted),
        started=len(outcomes),
        dispositions={name: dispositions[name] for name in DISPOSITIONS},
        ended_by={name: endings[name] for name in ENDINGS},
        second_agents=sum(one.number > 1 for one in counted),
        checklist_answers=sum(len(one.hits) for one in counted),
        without_preference=sum(one.without_preference for one in counted),
        scores=dict.fromkeys(CRITERIA),
        scores_ci=dict.fromkeys(CRITERIA),
        requirements=_fates(counted),
        edited=_edits(counted),
        times={
            "own_ms": spread({(one.participant, one.item): one.trace.own_ms for one in counted}.values()),
            "interview_ms": spread(one.trace.interview_ms for one in counted),
            "model_ms": spread(one.trace.model_ms for one in counted),
        },
        flags=(*noted, *_flags(counted)),
    )
    if not counted:
        return replace(found, undefined_reason=NO_SESSIONS)
    return _with_means(found, counted, comparisons)


def _with_means(found: Group, counted: Sequence[Outcome], comparisons: Sequence[Comparison]) -> Group:
    people = by_participant(counted)
    accuracy = _share(people, lambda one: one.hits)
    not_asked = _share(people, lambda one: one.not_asked)
    retest = _share([_once(own) for own in people], lambda one: one.retest)
    queries, queries_ci = _mean(people, "queries", 0, max(one.budget for one in counted))
    scores = {name: _mean(people, name, LOWEST, HIGHEST) for name in CRITERIA}
    early = share_interval([[one.early for one in own] for own in people])
    result, no_result = _win_tie_loss(counted, comparisons)
    checklists = [one for one in counted if one.task == "checklist"]
    sheets = len(counted) - len(checklists)
    no_accuracy = NO_PREFERENCES if checklists else NO_CHECKLIST
    no_not_asked = no_accuracy if accuracy[0] is None else ALL_ASKED
    why = {
        "accuracy": no_accuracy if accuracy[0] is None else None,
        "accuracy_not_asked": no_not_asked if not_asked[0] is None else None,
        "test_retest": (NO_RETEST if checklists else NO_CHECKLIST) if retest[0] is None else None,
        "scores": None if sheets else NO_SHEET,
        "win_tie_loss": no_result,
        "requirements": None if found.requirements else NO_REQUIREMENT if sheets else NO_SHEET,
        "edited": None if found.edited else NO_EDIT if sheets else NO_SHEET,
    }
    intervals = {
        "accuracy_ci": accuracy[1],
        "accuracy_not_asked_ci": not_asked[1],
        "test_retest_ci": retest[1],
        "queries_ci": queries_ci,
        "early_submit_rate_ci": early,
        **{f"scores_ci.{name}": one[1] for name, one in scores.items()},
    }
    return replace(
        found,
        accuracy=accuracy[0],
        accuracy_ci=accuracy[1],
        accuracy_not_asked=not_asked[0],
        accuracy_not_asked_ci=not_asked[1],
        test_retest=retest[0],
        test_retest_ci=retest[1],
        queries=queries,
        queries_ci=queries_ci,
        early_submit_rate=sum(one.early for one in counted) / len(counted),
        early_submit_rate_ci=early,
        scores={name: one[0] for name, one in scores.items()},
        scores_ci={name: one[1] for name, one in scores.items()},
        win_tie_loss=result,
        undefined_reason=_reason(why, intervals),
    )


def by_participant(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """The interviews of each person, people in the order of their pseudonyms."""
    own: dict[str, list[Outcome]] = {}
    for one in outcomes:
        own.setdefault(one.participant, []).append(one)
    return [own[name] for name in sorted(own)]


def value_of(measure: Measure, one: Outcome) -> Fraction | None:
    """What one interview brings to an outcome, exactly; None where it brings nothing."""
    match measure:
        case "accuracy":
            return _hit_share(one.hits)
        case "accuracy_not_asked":
            return _hit_share(one.not_asked)
        case "queries":
            return Fraction(one.queries)
        case _:
            return Fraction(one.scores[measure]) if measure in one.scores else None


def mean_of(values: Sequence[Fraction]) -> Fraction:
    """The exact mean of at least one value."""
    return sum(values, Fraction(0)) / len(values)


def _hit_share(hits: Mapping[str, bool]) -> Fraction | None:
    return Fraction(sum(hits.values()), len(hits)) if hits else None


def _mean(
    people: Sequence[Sequence[Outcome]], measure: Any, low: float, high: float
) -> tuple[float | None, Interval | None]:
    own = [[value for one in some if (value := value_of(measure, one)) is not None] for some in people]
    own = [values for values in own if values]
    if not own:
        return None, None
    return float(mean_of([one for values in own for one in values])), mean_interval(
        list(map(mean_of, own)), low, high
    )


def _share(
    people: Sequence[Sequence[Outcome]], hits: Callable[[Outcome], Mapping[str, bool]]
) -> tuple[float | None, Interval | None]:
    """The mean over interviews of a share of answers, and its interval."""
    own = [[hits(one) for one in some if hits(one)] for some in people]
    own = [some for some in own if some]
    if not own:
        return None, None
    shares = [[Fraction(sum(one.values()), len(one)) for one in some] for some in own]
    means = list(map(mean_of, shares))
    mean = float(mean_of([one for some in shares for one in some]))
    if NEAR < mean_of(means) < 1 - NEAR and len(set(means)) > 1:
        return mean, mean_interval(means, 0, 1)
    return mean, share_interval([[hit for one in some for hit in one.values()] for some in own])


def _once(own: Sequence[Outcome]) -> list[Outcome]:
    """One interview a project: what belongs to the person is not counted again for a second agent."""
    return list({one.item: one for one in own}.values())


def _win_tie_loss(
    counted: Sequence[Outcome], comparisons: Sequence[Comparison]
) -> tuple[WinTieLoss | None, str | None]:
    sessions = {one.session for one in counted}
    made = [one for one in comparisons if not one.judge and sessions & one.agents.keys()]
    told = [one for one in made if len(sessions & one.agents.keys()) == 1]
    if not told:
        return None, BOTH_SIDES if made else NO_COMPARISON
    win = sum(one.preferred in sessions for one in told)
    tie = sum(one.preferred is None for one in told)
    return WinTieLoss(win, tie, len(told) - win - tie), None


def _fates(counted: Sequence[Outcome]) -> Fates | None:
    own = [Counter(one.fates.values()) for one in counted if one.fates]
    if not own:
        return None
    shares = {name: float(mean_of([Fraction(one[name], one.total()) for one in own])) for name in FATES}
    return Fates(len(own), sum(one.total() for one in own), shares)


def _edits(counted: Sequence[Outcome]) -> Edits | None:
    made = [one.edit for one in counted if one.edit is not None]
    if not made:
        return None
    accepted = [Fraction(one.accepted, one.changes) for one in made if one.changes]
    struck = [Fraction(one.struck, one.statements or 1) for one in made]
    return Edits(
        sheets=len(made),
        statements_struck=float(mean_of(struck)),
        sections_rewritten=float(mean_of([Fraction(one.rewritten, len(SECTIONS)) for one in made])),
        changes_accepted=float(mean_of(accepted)) if accepted else None,
        left_as_it_was=sum(one.untouched for one in made) / len(made),
    )


def _flags(counted: Sequence[Outcome]) -> Iterator[str]:
    people = len({one.participant for one in counted})
    if 0 < people < FEW:
        yield FEW_PARTICIPANTS
    for what, several in (
        ("interviews were a second agent's about the same project", sum(one.number > 1 for one in counted)),
        ("answers of agents did not fit or never came", sum(one.trace.unfit for one in counted)),
        ("interviews were ended by the participant", sum(one.ended_by == "participant" for one in counted)),
    ):
        if several:
            yield f"{several} {what}"


def _reason(why: Mapping[str, str | None], intervals: Mapping[str, Interval | None]) -> str | None:
    """Why figures or intervals are missing, with their names; None where all are there."""
    missing: dict[str, list[str]] = {}
    reasons = {name: one.undefined_reason for name, one in intervals.items() if one is not None}
    for name, reason in {**why, **reasons}.items():
        if reason is not None:
            missing.setdefault(reason, []).append(name)
    return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in missing.items()) or None
