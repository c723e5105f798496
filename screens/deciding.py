"""One adjudicator's way through their cases: what was said, what is missing, what is next. No widgets."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from studies.annotation.adjudication import Adjudicator, Case, Mode, adjudicator, decide, labels_of, queue
from studies.annotation.counting import annotators, count
from studies.annotation.tidy import adjudicated_rows
from studies.desk import AnnotationAdjudicated
from studies.events import Event
from studies.ports import Archive
from studies.taxonomy import ESCAPES, MECHANISMS

if TYPE_CHECKING:
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Decision:
    """What has been said on one case so far."""

    dominant: str | None = None
    additional: tuple[str, ...] | None = None
    """Empty: nothing else is there; None: not said."""
    reason: str = ""


class Deciding:
    """The cases in their order, the one that is up, and what was said and is not stored yet."""

    def __init__(self, study: Study, who: Adjudicator, mode: Mode, cases: Sequence[Case]) -> None:
        self.study = study
        self.who = who
        self.mode = mode
        self.cases = tuple(cases)
        self.place = 0
        self._said: dict[str, Decision] = {}

    @property
    def case(self) -> Case:
        """The one that is up."""
        return self.cases[self.place]

    @property
    def decision(self) -> Decision:
        """What has been said on it, now or when it was decided."""
        return self._said.get(self.case.item, self.stored)

    @property
    def stored(self) -> Decision:
        """What was decided on it."""
        row = self.case.decided
        if row is None:
            return Decision()
        return Decision(row.dominant, None if row.dominant in ESCAPES else row.additional, row.reason)

    @property
    def labels(self) -> tuple[str, ...]:
        """What may be the final label."""
        return labels_of(self.study)

    @property
    def others(self) -> tuple[str, ...]:
        """What may be there as well; empty where that is not asked."""
        dominant = self.decision.dominant
        if not self.study.settings.annotation.additional or dominant in ESCAPES:
            return ()
        return tuple(one for one in MECHANISMS if one != dominant)

    @property
    def decided(self) -> int:
        """Cases with a stored decision."""
        return sum(1 for one in self.cases if one.decided is not None)

    @property
    def unsaved(self) -> int:
        """Cases on which something was said that is not stored."""
        return len(self._said)

    # -- saying --------------------------------------------------------------------------------

    def choose(self, label: str) -> None:
        """Make a label the final one; it leaves the additional ones, and an escape code has none."""
        kept = self.decision.additional
        if kept and label in kept:
            kept = tuple(one for one in kept if one != label) or None
        self._change(dominant=label, additional=None if label in ESCAPES else kept)

    def toggle(self, label: str) -> None:
        """Add an additional label, or take it away."""
        there = set(self.decision.additional or ()) ^ {label}
        self._change(additional=tuple(one for one in MECHANISMS if one in there) or None)

    def nothing_else(self) -> None:
        """Say that nothing else is there, or take that back."""
        self._change(additional=None if self.decision.additional == () else ())

    def give_reason(self, reason: str) -> None:
        """Say why."""
        if reason != self.decision.reason:
            self._change(reason=reason)

    def _change(self, **to: Any) -> None:
        changed = replace(self.decision, **to)
        if changed == self.stored:
            self._said.pop(self.case.item, None)
        else:
            self._said[self.case.item] = changed

    def missing(self) -> str | None:
        """`dominant`, `additional` or `reason`: what keeps the decision from being stored."""
        said = self.decision
        if said.dominant is None:
            return "dominant"
        if said.additional is None and self.others:
            return "additional"
        return None if said.reason.strip() else "reason"

    def payload(self) -> AnnotationAdjudicated:
        """The decision as it is stored.

        Raises:
            InputError: it is not whole.
        """
        said = self.decision
        return decide(
            self.study,
            self.case,
            self.who,
            self.mode,
            dominant=said.dominant,
            additional=said.additional or (),
            reason=said.reason,
        )

    def take(self, desk: Sequence[Event], item: str) -> None:
        """The decision on an item is stored: follow the desk."""
        mine = {
            row.item: row
            for row in adjudicated_rows(desk, self.study.sha256)
            if row.latest and row.adjudicator == self.who.name
        }
        self.cases = tuple(replace(one, decided=mine.get(one.item)) for one in self.cases)
        self._said.pop(item, None)

    # -- going ---------------------------------------------------------------------------------

    def go(self, by: int) -> None:
        """Go on or back, around the ends."""
        self.place = (self.place + by) % len(self.cases)

    def go_undecided(self) -> bool:
        """Go to the next undecided case after this one, around the end; False where none is left."""
        n = len(self.cases)
        ahead = ((self.place + step) % n for step in range(1, n + 1))
        found = next((place for place in ahead if self.cases[place].decided is None), None)
        if found is not None:
            self.place = found
        return found is not None


async def open_cases(archive: Archive, sha256: str, code: str, mode: Mode) -> Deciding:
    """The cases of whoever a code stands for, the first undecided one up; the computing is done in a thread.

    Raises:
        InputError: the code is blank.
    """
    study = await archive.study(sha256)
    records = await archive.participations(sha256)
    streams = await archive.streams(sha256)
    desk = await archive.desk(sha256)

    def work() -> Deciding:
        who = adjudicator(code, records, streams)
        counted = count(annotators(study, streams, desk)).main
        return Deciding(study, who, mode, queue(study, counted, desk, who, mode))

    made = await asyncio.to_thread(work)
    made.place = len(made.cases) - 1
    if made.cases and not made.go_undecided():
        made.place = 0
    return made
