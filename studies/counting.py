"""Who counts: what every study kind decides alike about its participations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from studies.events import Event
from studies.progress import OUT, released
from studies.protocol import Protocol as StudyProtocol

if TYPE_CHECKING:
    from studies.study import Study

COMPLETED = frozenset({"completed"})
ENDED = frozenset({"completed", "limit"})
"""States of participations that came to their end: a spending limit is the study's doing."""


class Countable(Protocol):
    """One participation that is no pilot, as far as counting it goes."""

    @property
    def participant(self) -> str:
        """The person's pseudonym; empty where the participation was erased."""

    @property
    def state(self) -> str:
        """The contract's word for where it stands."""

    @property
    def breaks(self) -> tuple[str, ...]:
        """Which declared exclusions apply, in words."""


@dataclass(frozen=True, slots=True)
class NotCounted:
    """A participation that does not count."""

    participant: str | None
    reason: str
    declared: bool
    """True: by an exclusion of the analysis plan, and back in the figures without exclusions."""


P = TypeVar("P", bound=Countable)
Read = Callable[[StudyProtocol, str, Sequence[Event], bool], P | None]
"""What a kind makes of a stream: protocol, stream id, events, whether it was released; None for a pilot."""


def everybody(
    study: Study, streams: Mapping[str, Sequence[Event]], desk: Iterable[Event], read: Read[P]
) -> tuple[P, ...]:
    """Every participation of a study but pilots, by pseudonym.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        read: what the kind makes of each.
    """
    protocol = StudyProtocol(study)
    freed = released(desk, study.sha256)
    made = (read(protocol, stream, events, stream in freed) for stream, events in streams.items() if events)
    return tuple(sorted((one for one in made if one), key=lambda one: (one.participant, one.state)))


def why_out(one: Countable, *, exclusions: bool, states: frozenset[str] = COMPLETED) -> str | None:
    """Why a participation does not count; None if it does.

    Args:
        one: the participation.
        exclusions: apply the exclusions that the analysis plan declares.
        states: of the participations that count.
    """
    if one.state not in states:
        return one.state if one.state in OUT else f"unfinished ({one.state})"
    return "; ".join(one.breaks) or None if exclusions else None
