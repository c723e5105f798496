"""What an export is made from: one study version, read in one snapshot, without what may not leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from storage.archive import read_study
from storage.rows import fetch
from storage.sides import is_forked, own_side
from studies.desk import CodesIssued, DeviationNoted
from studies.events import Event, by_time
from studies.ports import StudyRecord
from studies.publication import Release, release
from studies.rows import opening, pseudonym
from studies.study import Study
from studies.tables import Filled, Table
from studies.tidying import tidied

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class Dataset:
    """One study version as it may be exported."""

    record: StudyRecord
    study: Study
    events: tuple[Event, ...]
    """Participations and desk, by stream, number and hash; withheld payloads are missing."""
    codes: tuple[dict[str, Any], ...] | None
    """Lines of codes.jsonl; None where participants stay pseudonymous."""
    tables: tuple[Filled, ...]
    withheld: Mapping[str, int]
    """Participations whose answers are left out, by reason."""
    declares: Mapping[str, Any]
    """What the study's kind has every manifest say."""
    records: Mapping[str, Sequence[Mapping[str, Any]]]
    """Clarification: the lines of the benchmark's own files, by name."""
    deviations: tuple[str, ...]
    """Known differences from a published design, then what researchers noted, oldest first."""
    forks: int
    """Streams with two sides. Both are among the events; the tables hold the longer one, whichever station
    asks."""

    def rows(self, table: Table) -> Sequence[Any]:
        """The rows of a table; none where this kind of study does not have it."""
        return next((one.rows for one in self.tables if one.table is table), ())

    @property
    def lists_codes(self) -> bool:
        """Whether the study folder itself names participant codes."""
        return bool(self.study.settings.participants.codes)


def gather(conn: Connection, record: StudyRecord, *, identify: bool) -> Dataset:
    """Read a study version for an export; call it inside a transaction, so that all of it is of one moment.

    Args:
        conn: any connection.
        record: the version.
        identify: participant codes instead of pseudonyms.
    """
    study = read_study(conn, record.sha256)
    desk = desk_events(conn, record.sha256)
    streams = {one: tuple(fetch(conn, "stream = ?", [one])) for one in participations(conn, record.sha256)}
    released = {stream: release(study.settings, events) for stream, events in streams.items()}
    codes = read_codes(conn, record.name, people(released.values(), desk)) if identify else None
    names = {one["participant"]: one["code"] for one in codes or ()}
    made = tidied(
        study,
        {stream: replace(one, events=tuple(own_side(one.events, ()))) for stream, one in released.items()},
        desk,
        lambda person: names.get(person) or pseudonym(person),
    )
    events = [*desk, *(event for one in released.values() for event in one.events)]
    return Dataset(
        record=record,
        study=study,
        events=tuple(sorted(events, key=lambda one: (one.stream, one.seq, one.hash))),
        codes=codes,
        tables=made.tables,
        withheld=made.withheld,
        declares=made.declares,
        records=made.records,
        deviations=(*study.analysis.known_deviations, *noted(desk)),
        forks=sum(map(is_forked, streams.values())),
    )


def participations(conn: Connection, study: str) -> Sequence[str]:
    """Streams of a version, erased ones too: of those only the tombstone still names the study."""
    found = conn.execute(
        "SELECT stream FROM events WHERE study = ? AND kind = 'participation_opened' "
        "UNION SELECT participation FROM events WHERE study = ? AND kind = 'participation_erased'",
        [study, study],
    )
    # A tombstone of somebody who never came names no stream.
    return sorted(stream for (stream,) in found if stream)


def desk_events(conn: Connection, study: str) -> tuple[Event, ...]:
    """Desk events up to the last that concerns the study; payloads of other studies' are left out.

    That data left the database concerns nobody who reads it, and would make the second of two exports differ
    from the first: a trailing `exported` is cut off.
    """
    desks = conn.execute(
        "SELECT DISTINCT stream FROM events WHERE study = ? AND kind NOT IN ('participation_opened', "
        "'exported')",
        [study],
    ).fetchall()
    found: list[Event] = []
    for (stream,) in desks:
        found += _relevant(tuple(fetch(conn, "stream = ?", [stream])), study)
    return tuple(found)


def _relevant(events: Sequence[Event], study: str) -> list[Event]:
    """The chain behind every event that concerns the study."""
    previous = {one.hash: one.previous for one in events}
    needed: set[str] = set()
    for one in events:
        if one.kind != "exported" and _concerns(one, study):
            at = one.hash
            while at in previous and at not in needed:
                needed.add(at)
                at = previous[at]
    return [
        one if one.body is None or one.kind == "desk_opened" or _concerns(one, study) else one.erased()
        for one in events
        if one.hash in needed
    ]


def _concerns(event: Event, study: str) -> bool:
    return getattr(event.payload, "study", None) == study


def people(released: Iterable[Release], desk: Sequence[Event]) -> set[str]:
    """Random ids of everybody who was invited or took part, without those who withdrew or were erased."""
    found = {
        invited.participant
        for one in desk
        if isinstance(one.payload, CodesIssued)
        for invited in one.payload.invitations
    }
    gone: set[str] = set()
    for one in released:
        if one.withheld != "erased":
            (gone if one.withheld == "withdrawn" else found).add(opening(one.events).participant)
    return found - gone


def noted(desk: Sequence[Event]) -> list[str]:
    """Deviations that researchers noted, oldest first."""
    return [one.payload.text for one in by_time(desk) if isinstance(one.payload, DeviationNoted)]


def read_codes(conn: Connection, name: str, who: set[str]) -> tuple[dict[str, Any], ...]:
    """Codes of these people in the study of that name."""
    found = conn.execute(
        "SELECT participant, name, code, pilot FROM codes WHERE name = ? ORDER BY participant", [name]
    )
    return tuple(
        {"participant": person, "name": study, "code": code, "pilot": bool(pilot)}
        for person, study, code, pilot in found
        if person in who
    )
