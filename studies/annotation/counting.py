"""What counts: which annotations of which participants enter a figure, and why the others do not.

The last revision of the first showing of an item, made before the participation ended. Repeats, attention
checks and practice never enter; pilots never do. Unfinished, declined, excluded, withdrawn and released
participations are out, and so are those that a rule of the analysis plan excludes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING, Literal

from studies.annotation.rows import AnnotationRow
from studies.annotation.tidy import annotation_rows
from studies.counting import NotCounted, everybody, why_out
from studies.events import Event
from studies.payloads import Planned
from studies.progress import OUT, planned_raters, standing
from studies.protocol import Protocol
from studies.rows import ENDINGS, pseudonym
from studies.state import State
from studies.study import Study

if TYPE_CHECKING:
    from studies.agreement.ratings import Rating

Include = Literal["completed", "completed_blocks"]


@dataclass(frozen=True, slots=True)
class Repeated:
    """One item that one participant annotated twice."""

    participant: str
    item: str
    first: AnnotationRow
    second: AnnotationRow


@dataclass(frozen=True, slots=True)
class Annotator:
    """One participation that is no pilot, with what it brings to the figures."""

    participant: str
    """The person's pseudonym; empty where the participation was erased."""
    state: str
    """The contract's word for where it stands."""
    main: tuple[AnnotationRow, ...]
    """The annotation of each item that counts if the person does."""
    repeats: tuple[Repeated, ...]
    finished_blocks: frozenset[int]
    """Blocks in which everything planned was annotated."""
    breaks: tuple[str, ...]
    """Which declared exclusions apply, in words."""


@dataclass(frozen=True, slots=True)
class Counted:
    """What enters one set of figures."""

    main: tuple[AnnotationRow, ...]
    repeats: tuple[Repeated, ...]
    participants: int
    excluded: tuple[NotCounted, ...]

    def ratings(self) -> list[Rating]:
        """The annotations as ratings, in the order of items and people."""
        from studies.agreement.ratings import Rating

        return [Rating(one.item, one.participant, one.dominant, one.additional) for one in self.main]


def annotators(
    study: Study, streams: Mapping[str, Sequence[Event]], desk: Iterable[Event]
) -> tuple[Annotator, ...]:
    """Every participation of the study but pilots, by pseudonym.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
    """
    return everybody(study, streams, desk, _annotator)


def count(people: Sequence[Annotator], *, exclusions: bool = True, include: Include = "completed") -> Counted:
    """What enters the figures.

    Args:
        people: from `annotators`.
        exclusions: apply the exclusions that the analysis plan declares.
        include: `completed_blocks` adds the finished blocks of unfinished participations.
    """
    main: list[AnnotationRow] = []
    repeats: list[Repeated] = []
    excluded: list[NotCounted] = []
    participants = 0
    for one in people:
        why = why_out(one, exclusions=exclusions)
        blocks: frozenset[int] | None = None
        if why and include == "completed_blocks" and one.state not in {*OUT, "completed"}:
            kept_out = exclusions and one.breaks
            why = "; ".join(one.breaks) if kept_out else None
            blocks = one.finished_blocks
            if not why and not blocks:
                why = f"no finished block ({one.state})"
        if why:
            excluded.append(NotCounted(one.participant or None, why, one.state == "completed"))
            continue
        participants += 1
        main += (row for row in one.main if blocks is None or row.block in blocks)
        repeats += (two for two in one.repeats if blocks is None or two.second.block in blocks)
    main.sort(key=lambda row: (row.item, row.participant))
    return Counted(tuple(main), tuple(repeats), participants, tuple(excluded))


def over_collected(study: Study, main: Iterable[AnnotationRow]) -> dict[str, int]:
    """Items with more annotations than the design has raters for them, with their number."""
    planned = planned_raters(study)
    if planned is None:
        return {}
    found = Counter(one.item for one in main)
    return {item: found[item] for item in sorted(found) if found[item] > planned.get(item, 0)}


def failed_checks(study: Study, state: State) -> tuple[str, ...]:
    """Ids of the attention checks that were answered otherwise than their text asks."""
    right = {one.id: one.dominant for one in study.checks}
    return tuple(
        check
        for step, one in state.submitted.items()
        if step.startswith("check:")
        and (check := step.split(":", 2)[2]) in right
        and one.answers.get("dominant") != right[check]
    )


def until_end(events: Sequence[Event]) -> Sequence[Event]:
    """The events up to the one that ended the participation."""
    for place, one in enumerate(events):
        if one.kind in ENDINGS:
            return events[: place + 1]
    return events


def _annotator(protocol: Protocol, stream: str, events: Sequence[Event], freed: bool) -> Annotator | None:
    study = protocol.study
    state = protocol.replay(events)
    stands = standing(protocol, state, released=freed)
    if state.opened is None:
        return Annotator("", stands, (), (), frozenset(), ())
    if state.opened.pilot:
        return None
    name = pseudonym(state.opened.participant)
    rows = [
        row
        for row in annotation_rows(until_end(events), name, study.analysis.idle_seconds * 1000)
        if row.latest
    ]
    main = {row.item: row for row in rows if row.role == "main" and row.pass_ == 1}
    repeats = [
        Repeated(name, row.item, main[row.item], row)
        for row in rows
        if row.role == "repeat" and row.item in main
    ]
    breaks = tuple(_breaks(study, state, tuple(main.values())))
    blocks = _finished(state.opened.order, rows)
    return Annotator(name, stands, tuple(main.values()), tuple(repeats), blocks, breaks)


def _finished(order: Sequence[Planned], rows: Iterable[AnnotationRow]) -> frozenset[int]:
    made = {(row.role, row.pass_, row.item) for row in rows}
    open_blocks = {one.block for one in order if (one.role, one.number, one.item) not in made}
    return frozenset(one.block for one in order) - open_blocks


def _breaks(study: Study, state: State, main: Sequence[AnnotationRow]) -> Iterator[str]:
    rules = study.analysis.exclusions
    if rules.training_below is not None and state.rounds:
        last = state.rounds[-1]
        if last.asked and last.correct / last.asked < rules.training_below:
            yield f"practice: {last.correct} of {last.asked} right, below {rules.training_below:g}"
    if rules.checks_failed is not None:
        failed = len(failed_checks(study, state))
        if failed >= rules.checks_failed:
            yield f"attention checks: {failed} failed, {rules.checks_failed} or more exclude"
    if rules.median_ms_below is not None and main:
        # Where no activity was captured the elapsed time stands in: active time is never longer.
        times = [one.elapsed_ms if one.active_ms is None else one.active_ms for one in main]
        if (typical := median(times)) < rules.median_ms_below:
            yield f"speed: median {typical:g} ms an item, below {rules.median_ms_below}"
