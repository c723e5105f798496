"""What authors and their cross-checkers have written: a fold, and what of it others may check."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from studies.clarification import payloads as said
from studies.events import Event, Payload


@dataclass(frozen=True, slots=True)
class Draft:
    """One task as its author has left it so far."""

    item: str
    statement: str = ""
    gaps: tuple[said.GapWritten, ...] = ()
    """In order; the last revision of each."""

    @property
    def complete(self) -> bool:
        """Whether the author has written the last gap."""
        return bool(self.gaps) and not self.gaps[-1].more


@dataclass(frozen=True, slots=True)
class Check:
    """One cross-check."""

    item: str
    author: str
    """The author's stream."""
    dropped: bool = False
    own: tuple[str, ...] | None = None
    """The questions that were written from the shortened task alone; None before."""
    compared: said.GapsCompared | None = None
    settled: tuple[said.DifferencesSettled, ...] = ()


@dataclass(frozen=True, slots=True)
class Authoring:
    """The author's part of a participation."""

    drafts: Mapping[str, Draft] = field(default_factory=dict)
    checks: Mapping[str, Check] = field(default_factory=dict)
    agenda: tuple[str, ...] = ()
    """Items of the checks in order; an empty text where there was nothing to check yet."""

    def complete(self) -> tuple[Draft, ...]:
        """The drafts that others may check."""
        return tuple(one for one in self.drafts.values() if one.complete)


def fold_authoring(past: Authoring, payload: Payload) -> Authoring:
    """The author's part after one more event."""
    match payload:
        case said.StatementShortened() as shortened:
            draft = past.drafts.get(shortened.item, Draft(shortened.item))
            return _draft(past, replace(draft, statement=shortened.text))
        case said.GapWritten() as gap:
            draft = past.drafts.get(gap.item, Draft(gap.item))
            others = [one for one in draft.gaps if one.number != gap.number]
            gaps = tuple(sorted((*others, gap), key=lambda one: one.number))
            return _draft(past, replace(draft, gaps=gaps))
        case said.CheckAwaited():
            return replace(past, agenda=(*past.agenda, ""))
        case said.CheckAssigned() as assigned:
            checks = {**past.checks, assigned.item: Check(assigned.item, assigned.author)}
            return replace(past, checks=checks, agenda=(*past.agenda, assigned.item))
        case said.CheckDropped(item=item) if item in past.checks:
            return _check(past, replace(past.checks[item], dropped=True))
        case said.OwnQuestionsWritten() as own if own.item in past.checks:
            return _check(past, replace(past.checks[own.item], own=own.questions))
        case said.GapsCompared() as compared if compared.item in past.checks:
            return _check(past, replace(past.checks[compared.item], compared=compared))
        case said.DifferencesSettled() as settled if settled.item in past.checks:
            before = past.checks[settled.item]
            return _check(past, replace(before, settled=(*before.settled, settled)))
    return past


def _draft(past: Authoring, draft: Draft) -> Authoring:
    return replace(past, drafts={**past.drafts, draft.item: draft})


def _check(past: Authoring, check: Check) -> Authoring:
    return replace(past, checks={**past.checks, check.item: check})


@dataclass(frozen=True, slots=True)
class Authored:
    """One finished draft of somebody, as others may check it."""

    author: str
    """Their stream."""
    draft: Draft
    checks: int = 0
    """Cross-checks it was assigned for."""


def authored_in(streams: Mapping[str, Sequence[Event]], *, besides: str = "") -> tuple[Authored, ...]:
    """The finished drafts in these streams, those with the fewest checks first.

    Args:
        streams: events of participations by stream id; withdrawn, released and pilot ones left out.
        besides: a stream whose own drafts are passed over.
    """
    parts = {stream: authoring_of(events) for stream, events in streams.items()}
    counts: dict[tuple[str, str], int] = {}
    for one in parts.values():
        for check in one.checks.values():
            key = (check.author, check.item)
            counts[key] = counts.get(key, 0) + (not check.dropped)
    found = [
        Authored(stream, draft, counts.get((stream, draft.item), 0))
        for stream, one in sorted(parts.items())
        if stream != besides
        for draft in one.complete()
    ]
    return tuple(sorted(found, key=lambda one: one.checks))


def authoring_of(events: Iterable[Event]) -> Authoring:
    """The author's part of a stream."""
    past = Authoring()
    for one in events:
        past = fold_authoring(past, one.payload)
    return past
