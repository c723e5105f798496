"""The agreement of matchers: on pairs, on questions, on sets and on fresh hits; and with the judge's votes.

A decision is yes or no for each pair of an asked question and a key question. Everything comes out of the
same coefficients as the agreement of annotators; beside Gwet's intervals stand those clustered by task and by
matcher, and the figures weighted back to all asked questions, of which matchers got a sample by judge vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from studies.clarification.counting import Person, counted, people
from studies.clarification.matching import majority, match
from studies.clarification.sampling import strata, weights
from studies.counting import NotCounted
from studies.errors import InputError
from studies.events import Event
from studies.looks import Looked, deviations, looks
from studies.progress import planned_n
from studies.study import Study

if TYPE_CHECKING:
    from studies.agreement.clusters import ClusterInterval
    from studies.agreement.krippendorff import SetAlpha
    from studies.agreement.ratings import Rating
    from studies.agreement.report import AgreementReport
    from studies.agreement.shared_raters import SharedRaterInterval

YES, NO = "yes", "no"
NOTHING = "none"
"""Stands for a question that hits no key question."""
NO_VOTES = "no asked question has a judge's votes"
NO_RUNS = "no matcher labelled every question of a run up to a turn"


@dataclass(frozen=True, slots=True)
class Binary:
    """Agreement on a yes or no, with its intervals."""

    unit: str
    items: int
    raters: int
    ratings: int
    percent_agreement: float | None
    kappa: ClusterInterval
    """Fleiss' kappa in Gwet's form; the interval is over tasks."""
    ac1: ClusterInterval
    kappa_by_matcher: SharedRaterInterval
    weighted_kappa: ClusterInterval
    """Over all asked questions: each that was drawn counts for those of its stratum."""
    weighted_ac1: ClusterInterval
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class AgainstJudge:
    """Matchers against the majority of the judge's votes: every decision of theirs beside the judge's."""

    unit: str
    decisions: int
    percent_agreement: float | None
    kappa: float | None
    """Cohen's, over all decisions pooled."""
    by_matcher: Mapping[str, float | None]
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Sampled:
    """One stratum of asked questions."""

    there: int
    drawn: int
    labelled: int
    """At least once, by those who count."""


@dataclass(frozen=True, slots=True)
class MatcherAgreement:
    """The agreement of a matchers' study, with what only the study knows."""

    report: AgreementReport
    """Of pairs: the contract's keys."""
    pair: Binary
    any_match: Binary
    sets: SetAlpha
    """MASI distance between the sets of key questions; an empty set is a set like any other."""
    fresh_hit: Binary
    judge_pair: AgainstJudge
    judge_any: AgainstJudge
    strata: Mapping[str, Sampled]
    participants: int
    completed: int
    planned_n: int | None
    not_counted: tuple[NotCounted, ...]
    looks: tuple[Looked, ...]

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    def to_json(self) -> dict[str, Any]:
        """The contract's keys on pairs and, beside them, what a matchers' study has."""
        return {
            **self.report.to_json(),
            "kind": "clarification",
            "seat": "matcher",
            "unit": "pair",
            "pair": asdict(self.pair),
            "any_match": asdict(self.any_match),
            "masi_sets": {"value": self.sets.value, "undefined_reason": self.sets.undefined_reason},
            "fresh_hit": asdict(self.fresh_hit),
            "with_judge": {"pair": asdict(self.judge_pair), "any_match": asdict(self.judge_any)},
            "strata": {name: asdict(one) for name, one in self.strata.items()},
            "participants": self.participants,
            "completed": self.completed,
            "planned_n": self.planned_n,
            "planned_n_reached": self.reached,
            "not_counted": [asdict(one) for one in self.not_counted],
            "looks": [asdict(one) for one in self.looks],
        }


@dataclass(frozen=True, slots=True)
class Decision:
    """One matcher's decision on one asked question."""

    matcher: str
    asked: str
    task: str
    matches: tuple[str, ...]


def matcher_agreement(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
    resamples: int | None = None,
) -> MatcherAgreement:
    """Every figure of a matchers' study. Takes long where there is much: not for an event loop.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
        resamples: of the bootstraps; as the analysis plan says by default.

    Raises:
        InputError: the study's seat is another.
    """
    from studies.agreement.krippendorff import set_alpha
    from studies.agreement.ratings import Ratings
    from studies.agreement.report import Circumstances, agreement

    seat = study.settings.clarification.seat
    if seat != "matcher":
        raise InputError(f"{name or study.settings.name}: in the seat {seat} nobody labels; use evaluate")
    persons = people(study, streams, desk)
    kept, out = counted(persons)
    made = decisions(study, kept)
    completed, planned = sum(one.state == "completed" for one in persons), planned_n(study)
    declared = {one.participant or "": one.reason for one in out if one.declared}
    report = agreement(
        Ratings.of(pair_ratings(study, made)),
        escape_codes=(),
        category_order=(YES, NO),
        seed=study.settings.seed,
        resamples=resamples or study.analysis.bootstrap,
        study=name or study.settings.name,
        excluded=declared,
        circumstances=Circumstances(completed=completed, planned=planned, deviations=deviations(study, desk)),
    )
    counts = weights(study.clarification_tasks, study.asked)
    weighing = {one: float(weight) for one, weight in counts.items()}
    return MatcherAgreement(
        report=report,
        pair=pair_agreement(study, made),
        any_match=_binary("question", study, any_ratings(made), weighing),
        sets=set_alpha(Ratings.of(set_ratings(made))),
        fresh_hit=_binary("turn", study, fresh_ratings(study, made), weighing, NO_RUNS),
        judge_pair=_against("pair", pair_ratings(study, made), judge_pairs(study)),
        judge_any=_against("question", any_ratings(made), judge_any(study)),
        strata=_strata(study, made),
        participants=len(kept),
        completed=completed,
        planned_n=planned,
        not_counted=out,
        looks=looks(desk, study.sha256),
    )


def pair_agreement(study: Study, made: Sequence[Decision]) -> Binary:
    """The agreement on pairs of an asked question and a key question, or of a text and a statement."""
    counts = weights(study.clarification_tasks, study.asked)
    weighing = {one: float(weight) for one, weight in counts.items()}
    return _binary("pair", study, pair_ratings(study, made), weighing)


# -- decisions as ratings ----------------------------------------------------------------------


def decisions(study: Study, persons: Iterable[Person]) -> list[Decision]:
    """The last decision of each person on each question."""
    return [
        Decision(person.participant, one.item, one.task, one.matches)
        for person in persons
        for one in person.labels
    ]


def pair_ratings(study: Study, made: Iterable[Decision]) -> list[Rating]:
    """Yes or no for each pair of an asked question and a key question of its task."""
    from studies.agreement.ratings import Rating

    return [
        Rating(_pair(one.asked, gap.id), one.matcher, YES if gap.id in one.matches else NO)
        for one in made
        for gap in study.clarification_task(one.task).key_questions
    ]


def any_ratings(made: Iterable[Decision]) -> list[Rating]:
    """Whether a question hits any key question."""
    from studies.agreement.ratings import Rating

    return [Rating(one.asked, one.matcher, YES if one.matches else NO) for one in made]


def set_ratings(made: Iterable[Decision]) -> list[Rating]:
    """The set of key questions of a question; sets of different tasks are kept apart."""
    from studies.agreement.ratings import Rating

    return [
        Rating(one.asked, one.matcher, named[0], named[1:])
        for one in made
        for named in [tuple(f"{one.task} {gap}" for gap in one.matches) or (NOTHING,)]
    ]


def fresh_ratings(study: Study, made: Iterable[Decision]) -> list[Rating]:
    """The reference code's label of a turn: whether it hits a key question that the run had not hit before.

    Taken from a matcher's own decisions on the run, so only where they labelled every turn up to this one.
    """
    from studies.agreement.ratings import Rating

    runs: dict[str, list[str]] = {}
    for task in study.clarification_tasks:
        for asked in sorted(task.asked, key=lambda one: one.turn):
            if asked.run:
                runs.setdefault(f"{task.id} {asked.run}", []).append(asked.id)
    own: dict[str, dict[str, Decision]] = {}
    for one in made:
        own.setdefault(one.matcher, {})[one.asked] = one
    found: list[Rating] = []
    for matcher, labels in own.items():
        for turns in runs.values():
            covered: set[str] = set()
            for turn in turns:
                if (decided := labels.get(turn)) is None:
                    break
                task = study.clarification_task(decided.task)
                order = [gap.id for gap in task.key_questions]
                hit = match({gap: (True,) for gap in decided.matches}, order, covered)
                covered.update(hit.gaps)
                found.append(Rating(turn, matcher, YES if hit.outcome == "hit" else NO))
    return found


def judge_pairs(study: Study) -> dict[str, str]:
    """The majority of the judge's votes by pair, where there are votes."""
    return {
        _pair(asked.id, gap): YES if majority(votes) else NO
        for asked in _drawn(study)
        for gap, votes in asked.votes.items()
    }


def judge_any(study: Study) -> dict[str, str]:
    """Whether the judge matched a question with any key question, where there are votes or it was a hit."""
    return {
        asked.id: YES if asked.hit or any(map(majority, asked.votes.values())) else NO
        for asked in _drawn(study)
        if asked.votes or asked.hit
    }


def _drawn(study: Study) -> Iterator[Any]:
    for one in study.asked:
        yield study.asked_question(one)[1]


def _pair(asked: str, gap: str) -> str:
    return f"{asked} / {gap}"


# -- figures -----------------------------------------------------------------------------------


def _binary(
    unit: str, study: Study, rows: Sequence[Rating], weighing: Mapping[str, float], empty: str = ""
) -> Binary:
    from studies.agreement.clusters import cluster_interval
    from studies.agreement.ratings import Ratings
    from studies.agreement.shared_raters import shared_rater_interval
    from studies.agreement.terms import percent_agreement

    table = Ratings.of(rows)
    asked = {one: one.partition(" / ")[0] for one in table.items}
    tasks = {one: study.asked_question(question)[0].id for one, question in asked.items()}
    counts = {one: weighing[question] for one, question in asked.items()}
    kappa = cluster_interval(table, tasks)
    return Binary(
        unit=unit,
        items=len(table.items),
        raters=len(table.raters),
        ratings=len(table),
        percent_agreement=percent_agreement(table),
        kappa=kappa,
        ac1=cluster_interval(table, tasks, "ac1"),
        kappa_by_matcher=shared_rater_interval(table),
        weighted_kappa=cluster_interval(table, tasks, "fleiss", counts),
        weighted_ac1=cluster_interval(table, tasks, "ac1", counts),
        undefined_reason=(empty if empty and not rows else None) or kappa.undefined_reason,
    )


def _against(unit: str, rows: Sequence[Rating], judge: Mapping[str, str]) -> AgainstJudge:
    from studies.agreement.cohen import cohen_kappa

    both = [(one.rater, one.label, judge[one.item]) for one in rows if one.item in judge]
    if not both:
        return AgainstJudge(unit, 0, None, None, {}, NO_VOTES)

    def kappa(some: Sequence[tuple[str, str, str]]) -> tuple[float | None, float | None, str | None]:
        mine, theirs = Counter(one[1] for one in some), Counter(one[2] for one in some)
        chance = sum(mine[label] * theirs[label] for label in (YES, NO))
        found = cohen_kappa(len(some), sum(one[1] == one[2] for one in some), chance)
        return found.percent_agreement, found.kappa, found.undefined_reason

    agreed, value, reason = kappa(both)
    matchers = sorted({one[0] for one in both})
    own = {name: kappa([one for one in both if one[0] == name])[1] for name in matchers}
    return AgainstJudge(unit, len(both), agreed, value, own, reason)


def _strata(study: Study, made: Sequence[Decision]) -> dict[str, Sampled]:
    drawn, labelled = set(study.asked), {one.asked for one in made}
    return {
        name: Sampled(
            len(there),
            sum(one.id in drawn for one in there),
            sum(one.id in labelled for one in there),
        )
        for name, there in strata(study.clarification_tasks).items()
    }
