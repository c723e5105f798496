"""The agreement of an annotation study: the figures of what counts, and everything they must be read with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from studies.annotation.adjudication import adjudicator_ratings, labels_of
from studies.annotation.counting import Counted, annotators, count, over_collected
from studies.counting import NotCounted
from studies.events import Event
from studies.looks import Looked, deviations, looks
from studies.progress import planned_n
from studies.study import Study
from studies.taxonomy import ESCAPES

if TYPE_CHECKING:
    from studies.agreement.escapes import Reading
    from studies.agreement.ratings import Rating, Ratings
    from studies.agreement.report import AgreementReport

COMPLETED_BLOCKS = "sensitivity: with the finished blocks of unfinished participations"
ADJUDICATORS = "adjudicated labels of independent adjudicators, apart from the raters' own"


@dataclass(frozen=True, slots=True)
class StudyAgreement:
    """The agreement report of a study, with what only the study knows."""

    report: AgreementReport
    participants: int
    """Participations that are counted."""
    completed: int
    """Completed participations, whether a declared rule excludes them or not."""
    planned_n: int | None
    not_counted: tuple[NotCounted, ...]
    """Participations out for what became of them: unfinished, declined, withdrawn, dropped, excluded."""
    completed_blocks: Reading
    """The sensitivity run that counts the finished blocks of unfinished participations too."""
    adjudicators: Reading | None
    """Agreement of two or more independent adjudicators; None below two."""
    looks: tuple[Looked, ...]

    @property
    def reached(self) -> bool:
        """Whether planned N is complete, or none was planned."""
        return self.planned_n is None or self.completed >= self.planned_n

    def to_json(self) -> dict[str, Any]:
        """The contract's keys and, beside them, what only a study has."""
        return {
            **self.report.to_json(),
            "participants": self.participants,
            "completed": self.completed,
            "planned_n": self.planned_n,
            "planned_n_reached": self.reached,
            "not_counted": [
                {"participant": one.participant, "reason": one.reason} for one in self.not_counted
            ],
            "completed_blocks": asdict(self.completed_blocks),
            "adjudicators": asdict(self.adjudicators) if self.adjudicators else None,
            "looks": [asdict(one) for one in self.looks],
        }


def study_agreement(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
    resamples: int | None = None,
) -> StudyAgreement:
    """Every figure of a study's agreement. Takes long where there is much: not for an event loop.

    The figures are those of completed participations, less the ones a declared exclusion leaves out; with
    them, and with completed blocks, the figures stand beside these.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
        resamples: of the bootstraps; as the analysis plan says by default.
    """
    from studies.agreement.report import Circumstances, agreement

    people = annotators(study, streams, desk)
    counted = count(people)
    completed = sum(1 for one in people if one.state == "completed")
    planned = planned_n(study)
    declared = {one.participant or "": one.reason for one in counted.excluded if one.declared}
    report = agreement(
        _ratings(counted.ratings()),
        escape_codes=ESCAPES,
        category_order=labels_of(study),
        gold={one.id: one.gold for one in study.items if one.gold is not None},
        repeats=repeats(counted),
        seed=study.settings.seed,
        resamples=resamples or study.analysis.bootstrap,
        study=name or study.settings.name,
        over_collected=over_collected(study, counted.main),
        excluded=declared,
        with_excluded=_ratings(count(people, exclusions=False).ratings()) if declared else None,
        circumstances=Circumstances(
            tie_break=study.settings.annotation.tie_break,
            escapes_offered=study.settings.annotation.escapes,
            completed=completed,
            planned=planned,
            deviations=deviations(study, desk),
        ),
    )
    return StudyAgreement(
        report=report,
        participants=counted.participants,
        completed=completed,
        planned_n=planned,
        not_counted=tuple(one for one in counted.excluded if not one.declared),
        completed_blocks=_reading(count(people, include="completed_blocks").ratings(), COMPLETED_BLOCKS),
        adjudicators=_adjudicators(desk, study.sha256),
        looks=looks(desk, study.sha256),
    )


def repeats(counted: Counted) -> list[Rating]:
    """The second annotations of items that count, as ratings."""
    from studies.agreement.ratings import Rating

    return [
        Rating(two.item, two.participant, two.second.dominant, two.second.additional)
        for two in counted.repeats
    ]


def _adjudicators(desk: Sequence[Event], study: str) -> Reading | None:
    ratings = adjudicator_ratings(desk, study)
    if len({one.rater for one in ratings}) < 2:
        return None
    return _reading(ratings, ADJUDICATORS)


def _reading(ratings: Sequence[Rating], note: str) -> Reading:
    from studies.agreement.escapes import reading
    from studies.agreement.fleiss import fleiss_kappa

    table = _ratings(ratings)
    return reading(table, fleiss_kappa(table, seed=None), note, 1.0)


def _ratings(ratings: Sequence[Rating]) -> Ratings:
    from studies.agreement.ratings import Ratings

    return Ratings.of(ratings)
