"""The agreement of authors and cross-checkers before consensus; and the tasks that come out of it.

Types are compared as each named them blind; a gap counts as found where the cross-checker had asked about it
from the shortened task alone. What was settled afterwards changes neither.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from studies.clarification.authored import Check, Draft
from studies.clarification.counting import Person, counted, people
from studies.clarification.payloads import GapWritten
from studies.clarification.taxonomy import TYPES
from studies.counting import NotCounted
from studies.errors import InputError
from studies.events import Event
from studies.looks import Looked, deviations, looks
from studies.progress import planned_n
from studies.statistics.intervals import Interval, share_interval
from studies.study import Study

if TYPE_CHECKING:
    from studies.agreement.report import AgreementReport

NO_CHECKS = "no cross-check is complete"


@dataclass(frozen=True, slots=True)
class Compared:
    """One gap with both views of it."""

    item: str
    author: str
    """Pseudonym."""
    checker: str
    number: int
    """Of the gap, from 1."""
    gap: GapWritten
    checker_type: str
    found_by: str
    """The cross-checker's own question about it; empty where none was."""
    final_type: str
    kept: bool
    """False: it was settled that it is no gap."""


@dataclass(frozen=True, slots=True)
class Share:
    """A share of gaps."""

    value: float | None
    gaps: int
    found: int
    interval: Interval | None
    """Over cross-checkers."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class AuthorAgreement:
    """The agreement of an authors' study."""

    report: AgreementReport
    """On the types of gaps: author and cross-checker are the two raters of a gap."""
    gaps_found: Share
    by_type: Mapping[str, Share]
    further: int
    """Own questions that were settled to show one more gap."""
    dropped: int
    """Gaps that were settled to be none."""
    tasks: int
    """With a complete cross-check."""
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
        """The contract's keys on types and, beside them, what an authors' study has."""
        return {
            **self.report.to_json(),
            "kind": "clarification",
            "seat": "author",
            "unit": "gap",
            "gaps_found": asdict(self.gaps_found),
            "gaps_found_by_type": {name: asdict(one) for name, one in self.by_type.items()},
            "further_gaps": self.further,
            "dropped_gaps": self.dropped,
            "tasks": self.tasks,
            "participants": self.participants,
            "completed": self.completed,
            "planned_n": self.planned_n,
            "planned_n_reached": self.reached,
            "not_counted": [asdict(one) for one in self.not_counted],
            "looks": [asdict(one) for one in self.looks],
        }


def author_agreement(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
    resamples: int | None = None,
) -> AuthorAgreement:
    """Every figure of an authors' study.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
        resamples: of the bootstraps; as the analysis plan says by default.

    Raises:
        InputError: the study's seat is another.
    """
    from studies.agreement.ratings import Rating, Ratings
    from studies.agreement.report import Circumstances, agreement

    seat = study.settings.clarification.seat
    if seat != "author":
        raise InputError(f"{name or study.settings.name}: in the seat {seat} nobody writes tasks")
    persons = people(study, streams, desk)
    kept, out = counted(persons)
    made = list(compared(kept))
    ratings = [
        Rating(f"{one.item} {one.author} {one.number} {one.checker}", rater, label)
        for one in made
        for rater, label in ((one.author, one.gap.type), (one.checker, one.checker_type))
    ]
    completed, planned = sum(one.state == "completed" for one in persons), planned_n(study)
    report = agreement(
        Ratings.of(ratings),
        escape_codes=(),
        category_order=tuple(TYPES),
        seed=study.settings.seed,
        resamples=resamples or study.analysis.bootstrap,
        study=name or study.settings.name,
        circumstances=Circumstances(completed=completed, planned=planned, deviations=deviations(study, desk)),
    )
    present = Counter(one.gap.type for one in made)
    return AuthorAgreement(
        report=report,
        gaps_found=_share(made),
        by_type={
            name: _share([one for one in made if one.gap.type == name]) for name in TYPES if present[name]
        },
        further=sum(_further(one) for person in kept for one in person.past.authoring.checks.values()),
        dropped=sum(not one.kept for one in made),
        tasks=len({(one.item, one.author) for one in made}),
        participants=len(kept),
        completed=completed,
        planned_n=planned,
        not_counted=out,
        looks=looks(desk, study.sha256),
    )


def compared(persons: Sequence[Person]) -> Iterator[Compared]:
    """Every gap with a complete cross-check, where author and cross-checker both count."""
    by_stream = {one.stream: one for one in persons}
    for checker in persons:
        for check in checker.past.authoring.checks.values():
            author = by_stream.get(check.author)
            draft = author.past.authoring.drafts.get(check.item) if author else None
            if author is not None and draft is not None and check.compared is not None:
                yield from _gaps(draft, check, author.participant, checker.participant)


def _gaps(draft: Draft, check: Check, author: str, checker: str) -> Iterator[Compared]:
    assert check.compared is not None
    types = {key: value for one in check.settled for key, value in one.types.items()}
    kept = {key: value for one in check.settled for key, value in one.kept.items()}
    own = check.own or ()
    views = zip(draft.gaps, check.compared.found, check.compared.types, strict=True)
    for number, (gap, found, type_) in enumerate(views, start=1):
        yield Compared(
            item=draft.item,
            author=author,
            checker=checker,
            number=number,
            gap=gap,
            checker_type=type_,
            found_by=own[found - 1] if found else "",
            final_type=types.get(str(number), gap.type),
            kept=kept.get(str(number), True),
        )


def _further(check: Check) -> int:
    return sum(shown for one in check.settled for shown in one.further.values())


def _share(made: Sequence[Compared]) -> Share:
    if not made:
        return Share(None, 0, 0, None, NO_CHECKS)
    found = [bool(one.found_by) for one in made]
    by: dict[str, list[bool]] = {}
    for one in made:
        by.setdefault(one.checker, []).append(bool(one.found_by))
    return Share(
        float(Fraction(sum(found), len(found))), len(found), sum(found), share_interval(list(by.values()))
    )


def benchmark_lines(study: Study, persons: Sequence[Person]) -> Iterator[dict[str, Any]]:
    """The authored tasks in ClarifyCodeBench's own format, one object a task; a pair names its type as well.

    Where the study asks for cross-checks, only tasks with a complete one, with the settled types and without
    gaps that were settled to be none; else every finished draft as its author left it.
    """
    settled: dict[tuple[str, str], dict[int, Compared]] = {}
    for one in compared(persons):
        # A task that several people checked keeps what the first of them settled.
        settled.setdefault((one.author, one.item), {}).setdefault(one.number, one)
    number = 0
    for person in persons:
        for draft in person.past.authoring.complete():
            views = settled.get((person.participant, draft.item))
            if study.settings.clarification.cross_check and views is None:
                continue
            gaps = [
                (gap, views[place].final_type if views and place in views else gap.type)
                for place, gap in enumerate(draft.gaps, start=1)
                if not views or place not in views or views[place].kept
            ]
            if not gaps:
                continue
            number += 1
            task = study.clarification_task(draft.item)
            yield {
                "task_id": f"task_{number}",
                "question_id": task.source or task.id,
                "keywords": [_label(type_) for _, type_ in gaps],
                "modified_content": draft.statement,
                "qa_pairs": [
                    {"question": gap.question, "answer": gap.answer, "type": _label(type_)}
                    for gap, type_ in gaps
                ],
            }


def _label(name: str) -> str:
    return next((one.label for known, one in TYPES.items() if known == name), name)
