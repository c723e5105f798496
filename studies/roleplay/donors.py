"""Who may serve as somebody else's history in the `shuffled` condition."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studies.events import Event
from studies.protocol import Protocol
from studies.roleplay.payloads import Donor
from studies.roleplay.protocol import sessions_of
from studies.study import Study


def eligible(study: Study, streams: Mapping[str, Sequence[Event]]) -> tuple[Donor, ...]:
    """Resolved history sessions of people who agreed to be donors, in a fixed order.

    Pilots, and people who declined, withdrew or were excluded, give nothing.

    Args:
        study: the version.
        streams: its participations' events by stream id.
    """
    items = [one.id for one in study.settings.consent if one.covers == "donor"]
    protocol = Protocol(study)
    found: list[Donor] = []
    for stream, events in streams.items():
        state = protocol.replay(events)
        agreed = bool(items) and all(state.consents.get(one) is True for one in items)
        if not agreed or state.opened is None or state.opened.pilot or state.end in OUT:
            continue
        found += (
            Donor(stream, one.id, one.item)
            for one in sessions_of(state).all
            if one.resolved and one.part != "held_out"
        )
    return tuple(sorted(found, key=lambda one: (one.item, one.stream)))


OUT = ("declined", "withdrawn", "excluded", "blocked")
