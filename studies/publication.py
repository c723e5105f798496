"""What of a participation may leave the database, decided from the participant's own consent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from studies.events import Erased, Event
from studies.payloads import ConsentGiven

if TYPE_CHECKING:
    from studies.settings import StudySettings

Withholding = Literal["erased", "withdrawn", "no consent", "publication refused"]

ATTENDANCE = frozenset(
    {
        "participation_opened",
        "visit_started",
        "visit_ended",
        "consent_given",
        "consent_declined",
        "participation_completed",
        "participation_excluded",
        "participation_blocked",
        "participation_limited",
        "participation_withdrawn",
    }
)
"""Kinds that say only who was there and how it ended: kept where words and answers are withheld."""

OUTLINE = frozenset({"participation_opened", "participation_withdrawn"})
"""What is kept of a withdrawn participation: that a slot of the design was taken, and given back."""


@dataclass(frozen=True, slots=True)
class Release:
    """A stream as it may be exported."""

    events: tuple[Event, ...]
    """Every event; those that may not leave have no payload."""
    withheld: Withholding | None
    """Why payloads are missing; None where all are there."""


def release(settings: StudySettings, events: Sequence[Event]) -> Release:
    """A participation's events with everything withheld that its consent does not let out.

    Applying it to its own result changes nothing.

    Args:
        settings: of the study version the participation belongs to.
        events: the whole stream.
    """
    reason = _reason(settings, events)
    if reason is None:
        return Release(tuple(events), None)
    keep = {"erased": frozenset[str](), "withdrawn": OUTLINE}.get(reason, ATTENDANCE)
    return Release(tuple(_kept(one, keep) for one in events), reason)


def _kept(event: Event, keep: Collection[str]) -> Event:
    return event if event.kind in keep or event.body is None else event.erased()


def _reason(settings: StudySettings, events: Sequence[Event]) -> Withholding | None:
    if any(one.kind == "participation_opened" and isinstance(one.payload, Erased) for one in events):
        return "erased"
    if any(one.kind == "participation_withdrawn" for one in events):
        return "withdrawn"
    consents = [one.payload.items for one in events if isinstance(one.payload, ConsentGiven)]
    if not consents:
        return "no consent"
    asked = [one.id for one in settings.consent if one.covers == "publication"]
    if all(items.get(name) is True for items in consents for name in asked):
        return None
    return "publication refused"
