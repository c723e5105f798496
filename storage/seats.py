"""Who holds which slot of a study, derived from the events of all its versions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.codes import code_key
from studies.ports import ParticipationRecord

if TYPE_CHECKING:
    from sqlite3 import Connection

FREEING = ("consent_declined", "participation_excluded", "participation_withdrawn")
"""Kinds of events after which a slot is free again."""


@dataclass(frozen=True, slots=True)
class _Code:
    code: str
    key: str
    pilot: bool


@dataclass(frozen=True)
class Seats:
    """Participations and invitations of one study name, over all its versions."""

    participations: tuple[ParticipationRecord, ...]
    """As they began; released and ended ones too."""
    invitations: tuple[ParticipationRecord, ...]
    """Of people who have not come (yet), one for each person and version."""
    free_again: frozenset[str]
    """Streams whose slot was released, or whose person declined, was excluded or withdrew."""
    released: frozenset[str]
    """Streams, and participants who never came, whose slot was released."""
    completed: frozenset[str]
    """Streams that came to their end and were not withdrawn."""
    restricted: bool
    """Codes were listed or issued, so unknown ones are refused."""
    _codes: Mapping[str, _Code]

    def people(self, code: str) -> frozenset[str]:
        """Ids of the participants with that code; merged stations may know one code twice."""
        key = code_key(code)
        return frozenset(one for one, known in self._codes.items() if known.key == key)

    def knows(self, code: str) -> bool:
        """Whether a participant (not just a pilot) has the code."""
        return any(not self._codes[one].pilot for one in self.people(code))

    def started(self, code: str, *, pilot: bool) -> list[ParticipationRecord]:
        """Participations under a code, earliest first."""
        people = self.people(code)
        return [one for one in self.participations if one.participant in people and one.pilot == pilot]

    def invited(self, code: str) -> list[ParticipationRecord]:
        """Invitations under a code that were not taken up."""
        people = self.people(code)
        return [one for one in self.invitations if one.participant in people]

    def is_pilot(self, participant: str) -> bool:
        """Whether the code of that participant was used for a pilot."""
        return self._codes[participant].pilot

    def held(self, study: str) -> set[int]:
        """Slots of a version that somebody sits in."""
        sitting = (one for one in self.participations if not one.pilot and one.stream not in self.free_again)
        return {one.slot for one in sitting if one.study == study and one.slot is not None}

    def reserved(self, study: str) -> set[int]:
        """Slots of a version that wait for an invited person."""
        waiting = (one for one in self.invitations if one.participant not in self.released)
        return {one.slot for one in waiting if one.study == study and one.slot is not None}

    def of(self, study: str) -> list[ParticipationRecord]:
        """Participations and open invitations of a version, in slot order, pilots last."""
        both = (one for one in (*self.participations, *self.invitations) if one.study == study)
        return sorted(both, key=lambda one: (one.pilot, one.slot is None, one.slot or 0))


def read_seats(conn: Connection, name: str) -> Seats:
    """The seats of a study name."""
    codes = {
        participant: _Code(code, key, bool(pilot))
        for participant, code, key, pilot in conn.execute(
            "SELECT participant, code, code_key, pilot FROM codes WHERE name = ?", (name,)
        )
    }
    released = _values(conn, name, "SELECT coalesce(participation, participant)", "slot_released")
    released_keys = {known.key for one, known in codes.items() if one in released}
    released |= {one for one, known in codes.items() if known.key in released_keys and not known.pilot}
    streams = _streams(conn, name, codes)
    started = {one.stream for one in streams if one.stream}
    freed = _ended(conn, FREEING) & started
    came = {one.participant for one in streams}
    came_keys = {codes[one].key for one in came if one in codes and not codes[one].pilot}
    gone = _values(conn, name, "SELECT participant", "participation_erased")
    return Seats(
        participations=tuple(streams),
        invitations=tuple(_invitations(conn, name, codes, came | gone, came_keys)),
        free_again=frozenset(freed | (released & started)),
        released=frozenset(released),
        completed=frozenset((_ended(conn, ("participation_completed",)) & started) - freed),
        restricted=bool(_values(conn, name, "SELECT study", "codes_issued")),
        _codes=codes,
    )


_OF_NAME = "study IN (SELECT sha256 FROM studies WHERE name = ?)"


def _values(conn: Connection, name: str, select: str, kind: str) -> set[str]:
    rows = conn.execute(f"{select} FROM events WHERE kind = ? AND {_OF_NAME}", (kind, name))
    return {value for (value,) in rows}


def _ended(conn: Connection, kinds: tuple[str, ...]) -> set[str]:
    marks = ", ".join("?" * len(kinds))
    return {stream for (stream,) in conn.execute(f"SELECT stream FROM events WHERE kind IN ({marks})", kinds)}


def _streams(conn: Connection, name: str, codes: Mapping[str, _Code]) -> list[ParticipationRecord]:
    rows = conn.execute(
        "SELECT stream, study, participant, slot, coalesce(body ->> '$.pilot', 0) FROM events "
        f"WHERE kind = 'participation_opened' AND seq = 1 AND {_OF_NAME} ORDER BY at, stream",
        (name,),
    )
    return [
        ParticipationRecord(
            stream=stream,
            study=study,
            participant=participant,
            code=codes[participant].code if participant in codes else None,
            slot=None if pilot else slot,
            pilot=bool(pilot),
        )
        for stream, study, participant, slot, pilot in rows
    ]


def _invitations(
    conn: Connection, name: str, codes: Mapping[str, _Code], gone: set[str], came_keys: set[str]
) -> list[ParticipationRecord]:
    found: dict[tuple[str, str], ParticipationRecord] = {}
    rows = conn.execute(
        f"SELECT study, body FROM events WHERE kind = 'codes_issued' AND {_OF_NAME} ORDER BY at, stream, seq",
        (name,),
    )
    for study, body in rows:
        for one in json.loads(body)["invitations"]:
            participant, slot = one["participant"], one["slot"]
            known = codes.get(participant)
            if participant in gone or (known and known.key in came_keys):
                continue
            # Two stations that loaded one list invited the same person to the same slot.
            person = known.key if known else participant
            found.setdefault(
                (study, person),
                ParticipationRecord(None, study, participant, known.code if known else None, slot),
            )
    return list(found.values())
