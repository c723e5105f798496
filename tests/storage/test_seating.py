"""Who gets which slot: returning, inviting, releasing, erasing, pilots, and stations at once."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from support.processes import together
from support.stored import AT, stored_study

from storage import seating
from storage.codes import is_issued_form
from storage.database import open_database, transaction
from storage.desk import load
from storage.desk_stream import DeskStream
from storage.journal import append
from storage.seats import read_seats
from storage.store import Store
from studies.assignment import lay_out, slot_order
from studies.clock import SystemClock
from studies.desk import CodesIssued, SlotReleased
from studies.errors import InputError, NoPlaceError, UnknownCodeError
from studies.events import Chain, Payload
from studies.payloads import (
    ConsentDeclined,
    ParticipationBlocked,
    ParticipationCompleted,
    ParticipationExcluded,
    ParticipationOpened,
    ParticipationWithdrawn,
)
from studies.ports import ParticipationRecord, StudyRecord
from studies.study import Study

ENDS: dict[str, Payload] = {
    "declined": ConsentDeclined({"take-part": False}, "0" * 64),
    "excluded": ParticipationExcluded("training"),
    "withdrawn": ParticipationWithdrawn(),
    "completed": ParticipationCompleted("c"),
    "blocked": ParticipationBlocked(40.0, 30.0),
}


class Lab:
    """A store with one study loaded, and short words for what happens in it."""

    def __init__(self, store: Store, study: Study, record: StudyRecord) -> None:
        self.store, self.study, self.record = store, study, record

    @classmethod
    async def of(cls, store: Store, **given: Any) -> Lab:
        study = stored_study(**given)
        return cls(store, study, (await store.desk.load(study)).record)

    async def admit(self, code: str, **how: Any) -> ParticipationRecord:
        return await self.store.desk.admit(self.record, code, **{"pilot": False} | how)

    async def end(self, seated: ParticipationRecord, how: str) -> None:
        assert seated.stream
        events = await self.store.archive.events(seated.stream)
        await self.store.journal.append([Chain.after(events[-1]).make(ENDS[how], AT)])

    async def seats(self) -> Sequence[ParticipationRecord]:
        return await self.store.archive.participations(self.record.sha256)


# -- coming and coming back ----------------------------------------------------------------------


async def test_first_event_holds_the_realised_order(store: Store) -> None:
    lab = await Lab.of(store, participants=3)
    seated = await lab.admit("P1")
    assert seated.slot == slot_order(lab.study)[0]
    (first,) = await store.archive.events(str(seated.stream))
    layout = lay_out(lab.study, seated.slot or 0)
    assert first.payload == ParticipationOpened(
        lab.study.sha256, seated.participant, seated.slot or 0, False, layout.order, layout.options, "test"
    )
    assert "P1" not in str(first.body)


async def test_same_code_is_the_same_person_in_either_case_and_after_a_restart(path: Path) -> None:
    async with Store.open(path, "station", "test") as store:
        first = await (await Lab.of(store)).admit("Anna-1")
    async with Store.open(path, "another", "test") as store:
        lab = await Lab.of(store)
        assert await lab.admit(" aNNA-1 ") == first
        assert await lab.admit("anna-1", expect_known=True) == first
        assert len(await lab.seats()) == 1


@pytest.mark.parametrize("end", [None, *ENDS])
async def test_whoever_has_ended_comes_back_to_their_own_participation(store: Store, end: str | None) -> None:
    lab = await Lab.of(store, participants=2)
    first = await lab.admit("P1")
    if end:
        await lab.end(first, end)
    assert await lab.admit("P1") == first


async def test_a_person_stays_in_the_version_they_began(store: Store) -> None:
    old = await Lab.of(store, items=3)
    first = await old.admit("P1")
    new = await Lab.of(store, items=4)
    assert await new.admit("p1") == first
    assert (await new.admit("P2")).study == new.record.sha256
    assert await old.admit("P2") == await new.admit("P2")


async def test_another_study_knows_nothing_of_the_code(store: Store) -> None:
    one, other = await Lab.of(store), await Lab.of(store, name="other")
    assert (await one.admit("P1")).participant != (await other.admit("P1")).participant


async def test_expecting_a_known_person_makes_no_new_one(store: Store) -> None:
    lab = await Lab.of(store)
    with pytest.raises(UnknownCodeError, match="nobody with the code P1 has taken part yet"):
        await lab.admit("P1", expect_known=True)
    assert await lab.seats() == []


async def test_slots_are_made_as_people_come(store: Store) -> None:
    lab = await Lab.of(store)
    assert [(await lab.admit(f"P{n}")).slot for n in range(4)] == [1, 2, 3, 4]


async def test_slots_follow_the_seeded_order_until_none_is_left(store: Store) -> None:
    lab = await Lab.of(store, participants=5)
    given = [(await lab.admit(f"P{n}")).slot for n in range(5)]
    assert tuple(given) == slot_order(lab.study)
    assert given != sorted(slot for slot in given if slot)
    with pytest.raises(NoPlaceError, match="no free slot left: all 5 are taken"):
        await lab.admit("P5")
    assert len(await lab.seats()) == 5


@pytest.mark.parametrize("end", ["declined", "excluded", "withdrawn"])
async def test_slot_of_someone_who_is_out_is_free_again(store: Store, end: str) -> None:
    lab = await Lab.of(store, participants=2)
    first = await lab.admit("P1")
    await lab.admit("P2")
    await lab.end(first, end)
    assert (await lab.admit("P3")).slot == first.slot
    with pytest.raises(NoPlaceError):
        await lab.admit("P4")


@pytest.mark.parametrize("end", ["completed", "blocked"])
async def test_slot_of_someone_who_counts_or_may_come_back_is_kept(store: Store, end: str) -> None:
    lab = await Lab.of(store, participants=1)
    await lab.end(await lab.admit("P1"), end)
    with pytest.raises(NoPlaceError):
        await lab.admit("P2")


# -- pilots --------------------------------------------------------------------------------------


@pytest.mark.parametrize("participants", [None, 3])
async def test_pilots_shift_nothing(store: Store, participants: int | None) -> None:
    lab = await Lab.of(store, participants=participants)
    expected = slot_order(lab.study)[:2] if participants else (1, 2)
    for n in range(4):
        pilot = await lab.admit(f"pilot{n}", pilot=True)
        assert (pilot.slot, pilot.pilot) == (None, True)
        (opened,) = await store.archive.events(str(pilot.stream))
        assert isinstance(opened.payload, ParticipationOpened)
        assert (opened.payload.slot, opened.payload.pilot) == (expected[0], True)
    assert [(await lab.admit(f"P{n}")).slot for n in range(2)] == list(expected)
    seats = await lab.seats()
    assert [one.pilot for one in seats] == [False] * 2 + [True] * 4


async def test_a_real_code_used_in_a_pilot_is_still_a_new_participant(store: Store) -> None:
    lab = await Lab.of(store)
    pilot = await lab.admit("P1", pilot=True)
    real = await lab.admit("P1")
    assert (real.pilot, real.slot) == (False, 1)
    assert real.participant != pilot.participant
    assert await lab.admit("p1", pilot=True) == pilot
    assert await lab.admit("p1") == real


async def test_pilots_need_no_known_code_and_no_free_slot(store: Store) -> None:
    lab = await Lab.of(store, participants=1, codes=["A"])
    await lab.admit("A")
    pilot = await lab.admit("unlisted", pilot=True)
    assert pilot.pilot
    with pytest.raises(NoPlaceError):
        await lab.admit("unlisted")


# -- listed and issued codes ---------------------------------------------------------------------


async def test_listed_codes_are_bound_in_their_order_to_slots_in_theirs(store: Store) -> None:
    lab = await Lab.of(store, participants=3, codes=["Ada", "Bob", "Cyd", "Dan"])
    order = slot_order(lab.study)
    bound = {one.code: one.slot for one in await lab.seats()}
    assert bound == {"Ada": order[0], "Bob": order[1], "Cyd": order[2], "Dan": None}
    assert all(one.stream is None for one in await lab.seats())
    assert (await lab.admit("cyd")).slot == order[2]
    assert (await lab.admit("ADA")).slot == order[0]
    with pytest.raises(NoPlaceError, match="no free slot"):
        await lab.admit("dan")
    with pytest.raises(NoPlaceError, match="admits only the codes it lists or has issued"):
        await lab.admit("Eve")
    assert {one.code: one.slot for one in await lab.seats()} == bound


async def test_someone_without_a_slot_takes_a_freed_one(store: Store) -> None:
    lab = await Lab.of(store, participants=1, codes=["A", "B"])
    await lab.end(await lab.admit("A"), "declined")
    assert (await lab.admit("B")).slot == 1


async def test_listed_codes_without_slots_come_as_they_come(store: Store) -> None:
    lab = await Lab.of(store, codes=["A", "B"])
    assert (await lab.admit("B")).slot == 1
    assert (await lab.admit("A")).slot == 2


async def test_issued_codes_reserve_slots_and_close_the_study(store: Store) -> None:
    lab = await Lab.of(store, participants=4)
    walk_in = await lab.admit("walk-in")
    codes = await store.desk.issue_codes(lab.record, 5)
    assert len(set(codes)) == 5
    assert all(map(is_issued_form, codes))
    reserved = [one.slot for one in await lab.seats() if one.stream is None and one.slot]
    assert sorted([*reserved, walk_in.slot or 0]) == [1, 2, 3, 4]
    with pytest.raises(NoPlaceError):
        await lab.admit("someone")
    assert await lab.admit("walk-in") == walk_in
    assert [(await lab.admit(code)).slot for code in codes[:3]] == list(slot_order(lab.study)[1:])
    with pytest.raises(NoPlaceError, match="no free slot"):
        await lab.admit(codes[4])


async def test_a_mistyped_code_is_told(store: Store) -> None:
    lab = await Lab.of(store)
    (code,) = await store.desk.issue_codes(lab.record, 1)
    wrong = ("2" if code[0] != "2" else "3") + code[1:]
    with pytest.raises(NoPlaceError, match="mistyped"):
        await lab.admit(wrong)


async def test_the_desk_does_not_know_codes(store: Store) -> None:
    lab = await Lab.of(store, participants=2, codes=["Listed-Name"])
    codes = await store.desk.issue_codes(lab.record, 1)
    desk = await store.archive.desk()
    issued = [one.payload for one in desk if isinstance(one.payload, CodesIssued)]
    assert [len(one.invitations) for one in issued] == [1, 1]
    for word in ("Listed-Name", *codes):
        assert not any(word in str(one.body) for one in desk)


async def test_codes_issued_for_one_version_serve_the_next(store: Store) -> None:
    old = await Lab.of(store, items=3, participants=2)
    codes = await store.desk.issue_codes(old.record, 2)
    new = await Lab.of(store, items=4, participants=2)
    with pytest.raises(NoPlaceError, match="admits only"):
        await new.admit("someone")
    assert (await new.admit(codes[0])).study == new.record.sha256
    assert [one.code for one in await old.seats()] == [codes[1]]


@pytest.mark.parametrize("n", [0, -1, 10_001])
async def test_a_senseless_number_of_codes_is_refused(store: Store, n: int) -> None:
    lab = await Lab.of(store)
    with pytest.raises(InputError, match="1 to 10,000 at a time"):
        await store.desk.issue_codes(lab.record, n)


# -- release -------------------------------------------------------------------------------------


async def test_released_slot_goes_to_a_replacement(store: Store) -> None:
    lab = await Lab.of(store, participants=2)
    first = await lab.admit("P1")
    await lab.admit("P2")
    assert await store.desk.release(lab.record, "p1") == first
    assert (await lab.admit("P3")).slot == first.slot
    with pytest.raises(NoPlaceError, match="the place of P1 was released"):
        await lab.admit("P1")
    with pytest.raises(NoPlaceError, match="nobody with the code P1 holds a slot"):
        await store.desk.release(lab.record, "P1")
    assert first in await lab.seats()
    released = [one.payload for one in await store.archive.desk() if isinstance(one.payload, SlotReleased)]
    assert released == [SlotReleased(lab.record.sha256, first.stream, first.participant, first.slot)]


async def test_invitation_can_be_released(store: Store) -> None:
    lab = await Lab.of(store, participants=1, codes=["A", "B"])
    invited = await store.desk.release(lab.record, "A")
    assert (invited.stream, invited.slot) == (None, 1)
    with pytest.raises(NoPlaceError, match="released"):
        await lab.admit("A")
    assert (await lab.admit("B")).slot == 1


@pytest.mark.parametrize(
    ("end", "said"),
    [("completed", "has finished"), ("declined", "holds a slot"), ("withdrawn", "holds a slot")],
)
async def test_what_cannot_be_released(store: Store, end: str, said: str) -> None:
    lab = await Lab.of(store, participants=2)
    await lab.end(await lab.admit("P1"), end)
    for code, words in (("P1", said), ("nobody", "holds a slot")):
        with pytest.raises(NoPlaceError, match=words):
            await store.desk.release(lab.record, code)


# -- erased --------------------------------------------------------------------------------------


async def test_erased_person_leaves_a_free_slot(store: Store) -> None:
    lab = await Lab.of(store, participants=1)
    first = await lab.admit("P1")
    await store.desk.erase(lab.record, "P1", "asked for it")
    assert await lab.seats() == []
    again = await lab.admit("P1")
    assert again.slot == first.slot
    assert again.participant != first.participant


async def test_erased_invitation_leaves_a_free_slot_and_an_unknown_code(store: Store) -> None:
    lab = await Lab.of(store, participants=2, codes=["A", "B"])
    assert await store.desk.erase(lab.record, "A", "asked for it") == 0
    assert [one.code for one in await lab.seats()] == ["B"]
    with pytest.raises(NoPlaceError, match="admits only"):
        await lab.admit("A")
    await store.desk.load(lab.study)
    with pytest.raises(NoPlaceError, match="admits only"):
        await lab.admit("A")
    codes = await store.desk.issue_codes(lab.record, 1)
    assert (await lab.admit(codes[0])).slot == slot_order(lab.study)[0]


# -- stations ------------------------------------------------------------------------------------


@pytest.mark.parametrize("participants", [None, 8])
def test_eight_stations_at_once_give_out_eight_slots(path: Path, participants: int | None) -> None:
    study = stored_study(participants=participants)

    def come(number: int) -> int | None:
        async def run() -> int | None:
            async with Store.open(path, f"station{number}", "test") as store:
                record = (await store.desk.load(study)).record
                return (await store.desk.admit(record, f"P{number}", pilot=False)).slot

        return asyncio.run(run())

    assert sorted(together(8, come)) == list(range(1, 9))
    with open_database(path) as db:
        assert db["studies"].count == 1
        assert len(read_seats(db.conn, "small").participations) == 8


def test_one_code_at_eight_stations_is_one_participation(path: Path) -> None:
    study = stored_study(participants=8)

    def come(number: int) -> str | None:
        async def run() -> str | None:
            async with Store.open(path, f"station{number % 2}", "test") as store:
                record = (await store.desk.load(study)).record
                return (await store.desk.admit(record, "P1", pilot=False)).stream

        return asyncio.run(run())

    assert len(set(together(8, come))) == 1
    with open_database(path) as db:
        desks = db.conn.execute("SELECT count(DISTINCT stream) FROM events WHERE kind = 'desk_opened'")
        assert desks.fetchone()[0] <= 2


def test_one_list_at_two_stations_invites_each_person_once(tmp_path: Path) -> None:
    """Two files load one list, each invents its own ids; united, a person is there once."""
    study = stored_study(participants=3, codes=["A", "B", "C"])
    desk = DeskStream("station", "test", SystemClock())
    with open_database(tmp_path / "1.db") as one, open_database(tmp_path / "2.db") as two:
        for db in (one, two):
            load(db.conn, desk, study)
        here = seating.admit(one.conn, desk, study, "A", pilot=False, expect_known=False)
        there = seating.admit(two.conn, desk, study, "B", pilot=False, expect_known=False)
        assert {here.slot, there.slot} == set(slot_order(study)[:2])
        one.conn.execute("ATTACH ? AS other", (str(tmp_path / "2.db"),))
        columns = "stream, seq, kind, at, body, salt, digest, previous, hash, quoted"
        one.conn.execute(f"INSERT INTO events ({columns}) SELECT {columns} FROM other.events")
        one.conn.execute("INSERT INTO codes SELECT * FROM other.codes")
        seats = read_seats(one.conn, "small")
        assert [(seat.code, seat.slot) for seat in seats.of(study.sha256)] == sorted(
            zip("ABC", slot_order(study), strict=True), key=lambda seat: seat[1]
        )
        assert seating.admit(one.conn, desk, study, "b", pilot=False, expect_known=True) == there


async def test_reserved_slot_that_another_station_gave_away_is_not_given_twice(store: Store) -> None:
    lab = await Lab.of(store, participants=2, codes=["A"])
    slot = slot_order(lab.study)[0]
    merged = ParticipationOpened(lab.study.sha256, "1" * 32, slot)
    await store.journal.append([Chain("2" * 32).make(merged, AT)])
    assert (await lab.admit("A")).slot == slot_order(lab.study)[1]


# -- any history ---------------------------------------------------------------------------------


class Seating(RuleBasedStateMachine):
    """Whatever happens in whatever order, no slot has two people and nobody gets a second one."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = TemporaryDirectory()
        self.db = open_database(Path(self._folder.name) / "lab.db")
        self.study = stored_study(participants=3)
        self.desk = DeskStream("station", "test", SystemClock())
        with transaction(self.db.conn):
            load(self.db.conn, self.desk, self.study)
        self.known: dict[tuple[str, bool], ParticipationRecord] = {}

    codes = st.sampled_from(["A", "a", "B", "C", "D", "E"])

    @rule(code=codes, pilot=st.booleans())
    def come(self, code: str, pilot: bool) -> None:
        key = (code.casefold(), pilot)
        try:
            with transaction(self.db.conn):
                seated = seating.admit(
                    self.db.conn, self.desk, self.study, code, pilot=pilot, expect_known=False
                )
        except NoPlaceError:
            assert not pilot
            return
        assert self.known.setdefault(key, seated) == seated

    @rule(code=codes, end=st.sampled_from(sorted(ENDS)))
    def go(self, code: str, end: str) -> None:
        seated = self.known.get((code.casefold(), False))
        if seated:
            stream = str(seated.stream)
            seats = read_seats(self.db.conn, "small")
            if stream not in seats.free_again | seats.completed:
                (seq, head) = self.db.conn.execute(
                    "SELECT seq, hash FROM events WHERE stream = ? ORDER BY seq DESC", (stream,)
                ).fetchone()
                append(self.db.conn, [Chain(stream, seq, head).make(ENDS[end], AT)])

    @rule(code=codes)
    def release(self, code: str) -> None:
        try:
            with transaction(self.db.conn):
                seating.release(self.db.conn, self.desk, self.study, code)
        except NoPlaceError:
            return

    @invariant()
    def nobody_shares_a_slot(self) -> None:
        seats = read_seats(self.db.conn, "small")
        sitting = [
            one.slot for one in seats.participations if not one.pilot and one.stream not in seats.free_again
        ]
        assert len(sitting) == len(set(sitting))
        assert set(sitting) <= {1, 2, 3}

    def teardown(self) -> None:
        self.db.close()
        self._folder.cleanup()


TestSeating = Seating.TestCase
TestSeating.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
