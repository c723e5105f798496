"""Participations as tables tell of them: under which name, how far they came, without what must not leave."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.progress import released, standing
from studies.protocol import Protocol
from studies.rows import opening, participant_row

if TYPE_CHECKING:
    from studies.events import Event
    from studies.publication import Release, Withholding
    from studies.rows import ParticipantRow
    from studies.state import State
    from studies.study import Study

GONE = ("erased", "withdrawn")
"""Of whom not even a row is left."""


@dataclass(frozen=True, slots=True)
class Participation:
    """One participation of which a table may tell."""

    stream: str
    name: str
    """What the person is called."""
    events: Sequence[Event]
    """As consent lets them out."""
    state: State
    row: ParticipantRow


def names_of(streams: Mapping[str, Release], name: Callable[[str], str]) -> dict[str, str]:
    """What each person is called, by stream id, in the order of the names; without those who are gone."""
    named = sorted(
        (name(opening(one.events).participant), stream)
        for stream, one in streams.items()
        if one.withheld not in GONE
    )
    return {stream: who for who, stream in named}


def participations(
    protocol: Protocol, streams: Mapping[str, Release], desk: Iterable[Event], named: Mapping[str, str]
) -> Iterator[Participation]:
    """Everybody of whom a table may tell.

    Args:
        protocol: of the study version.
        streams: its participations by stream id, as their consent lets them out.
        desk: desk events; those of other studies are passed over.
        named: from `names_of`.
    """
    study: Study = protocol.study
    freed = released(desk, study.sha256)
    for stream, who in named.items():
        events = streams[stream].events
        state = protocol.replay(events)
        row = participant_row(
            events,
            name=who,
            state=standing(protocol, state, released=stream in freed),
            done=protocol.kind.done(state),
            withheld=streams[stream].withheld,
        )
        yield Participation(stream, who, events, state, row)


def withheld_from(streams: Mapping[str, Release]) -> Mapping[Withholding, int]:
    """Participations whose answers are in no table, by reason."""
    return dict(sorted(Counter(one.withheld for one in streams.values() if one.withheld).items()))
