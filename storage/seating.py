"""Giving out slots: every function runs whole inside one immediate transaction, so that two stations on
one file never give out a slot twice."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from storage.codes import check_code, code_key, draw_code, is_issued_form
from storage.desk_stream import DeskStream
from storage.journal import append
from storage.seats import Seats, read_seats
from studies.assignment import lay_out, next_free, planned_slots, slot_order
from studies.desk import CodesIssued, Invitation, SlotReleased
from studies.errors import InputError, NoPlaceError, UnknownCodeError
from studies.events import Chain, new_id
from studies.payloads import ParticipationOpened
from studies.ports import ParticipationRecord
from studies.study import Study

if TYPE_CHECKING:
    from sqlite3 import Connection

MOST_CODES = 10_000
"""Codes that one call may ask for; random ones of this form run short beyond."""


def admit(
    conn: Connection, desk: DeskStream, study: Study, code: str, *, pilot: bool, expect_known: bool
) -> ParticipationRecord:
    """Seat a participant: their own participation again, or a new one.

    Args:
        conn: the writing connection, in a transaction.
        desk: says when, and which program this is.
        study: the version a new participation belongs to.
        code: as typed.
        pilot: marked, holds no slot and is never counted.
        expect_known: refuse a code that nobody has yet.

    Raises:
        NoPlaceError: unknown code where codes were issued or listed, no slot left, or a released person.
    """
    code = check_code(code)
    seats = read_seats(conn, study.settings.name)
    started = seats.started(code, pilot=pilot)
    for one in started:
        if one.stream not in seats.released:
            return one
    invited = [] if pilot else seats.invited(code)
    if started or any(one.participant in seats.released for one in invited):
        raise NoPlaceError(f"the place of {code} was released and may be taken; ask the researcher")
    known = bool(invited) or (not pilot and seats.knows(code))
    if not known and seats.restricted and not pilot:
        raise NoPlaceError(_unknown(seats, code))
    if not known and expect_known:
        raise UnknownCodeError(_unknown(seats, code))
    return _open(conn, desk, study, seats, code, invited, pilot=pilot)


def bind_listed(conn: Connection, study: Study) -> CodesIssued | None:
    """Know the codes that study.toml lists, and bind them, in their order, to the slots in theirs.

    A code that is known from an older version stays the same person's.
    """
    listed = study.settings.participants.codes
    if not listed:
        return None
    name = study.settings.name
    seats = read_seats(conn, name)
    slots: list[int | None] = list(slot_order(study))
    slots += [None] * (len(listed) - len(slots))
    invitations = []
    for code, slot in zip(listed, slots, strict=False):
        known = [one for one in seats.people(code) if not seats.is_pilot(one)]
        participant = min(known) if known else _add_person(conn, name, code)
        invitations.append(Invitation(participant, slot))
    return CodesIssued(study.sha256, tuple(invitations))


def issue_codes(conn: Connection, desk: DeskStream, study: Study, n: int) -> list[str]:
    """Make n codes nobody has; where there are slots, each reserves the next one while there are any left.

    Raises:
        InputError: n is not 1 to `MOST_CODES`.
    """
    if not 1 <= n <= MOST_CODES:
        raise InputError(f"codes are issued 1 to {MOST_CODES:,} at a time, not {n}")
    name = study.settings.name
    seats = read_seats(conn, name)
    free = _free_slots(study, seats)
    keys = {key for (key,) in conn.execute("SELECT code_key FROM codes WHERE name = ?", (name,))}
    issued: dict[str, Invitation] = {}
    while len(issued) < n:
        code = draw_code()
        if code_key(code) in keys:
            continue
        keys.add(code_key(code))
        issued[code] = Invitation(_add_person(conn, name, code), next(free, None))
    desk.record(conn, CodesIssued(study.sha256, tuple(issued.values())))
    return list(issued)


def release(conn: Connection, desk: DeskStream, study: Study, code: str) -> ParticipationRecord:
    """Free a drop-out's slot, also that of a person who was invited and never came.

    Raises:
        NoPlaceError: nobody of that code holds a slot, or they have finished.
    """
    code = check_code(code)
    seats = read_seats(conn, study.settings.name)
    holding = [one for one in seats.started(code, pilot=False) if one.stream not in seats.free_again]
    if any(one.stream in seats.completed for one in holding):
        raise NoPlaceError(f"{code} has finished the study; a finished participation keeps its slot")
    holding += (one for one in seats.invited(code) if one.participant not in seats.released)
    if not holding:
        raise NoPlaceError(f"nobody with the code {code} holds a slot of {study.settings.name}")
    # An invitation may stand in several versions; the one that was asked for comes first.
    one = min(holding, key=lambda one: (one.stream is None, one.study != study.sha256))
    desk.record(conn, SlotReleased(one.study, one.stream, one.participant, one.slot))
    return one


def _open(
    conn: Connection,
    desk: DeskStream,
    study: Study,
    seats: Seats,
    code: str,
    invited: list[ParticipationRecord],
    *,
    pilot: bool,
) -> ParticipationRecord:
    """Begin a new stream with the realised order of its slot."""
    held = seats.held(study.sha256)
    slot = next((one.slot for one in invited if one.study == study.sha256), None)
    if slot is None or slot in held:
        slot = next_free(study, held | seats.reserved(study.sha256))
    if slot is None and pilot:
        slot = slot_order(study)[0]
    if slot is None:
        raise NoPlaceError(
            f"{study.settings.name} has no free slot left: all {planned_slots(study)} are taken; "
            "a drop-out's slot is freed with `release`"
        )
    name = study.settings.name
    known = [one for one in seats.people(code) if seats.is_pilot(one) == pilot]
    participant = invited[0].participant if invited else min(known, default="")
    participant = participant or _add_person(conn, name, code, pilot=pilot)
    layout = lay_out(study, slot)
    opened = ParticipationOpened(
        study.sha256, participant, slot, pilot, layout.order, layout.options, desk.program
    )
    first = Chain(new_id()).make(opened, desk.clock.now())
    append(conn, [first])
    (kept,) = conn.execute("SELECT code FROM codes WHERE participant = ?", (participant,)).fetchone()
    return ParticipationRecord(first.stream, study.sha256, participant, kept, None if pilot else slot, pilot)


def _free_slots(study: Study, seats: Seats) -> Iterator[int]:
    taken = seats.held(study.sha256) | seats.reserved(study.sha256)
    return (slot for slot in slot_order(study) if slot not in taken)


def _add_person(conn: Connection, name: str, code: str, *, pilot: bool = False) -> str:
    participant = new_id()
    row = (participant, name, code, code_key(code), int(pilot))
    conn.execute("INSERT INTO codes (participant, name, code, code_key, pilot) VALUES (?, ?, ?, ?, ?)", row)
    return participant


def _unknown(seats: Seats, code: str) -> str:
    if not seats.restricted:
        return f"nobody with the code {code} has taken part yet"
    if len(code) == 6 and not is_issued_form(code):
        return f"the code {code} is not known here; a character may be mistyped, check it"
    return f"the code {code} is not known here; this study admits only the codes it lists or has issued"
