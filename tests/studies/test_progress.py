"""Where a study stands: every state, free slots, what is assigned and done."""

from __future__ import annotations

from typing import Any

import pytest
from support.studies import study as make_study
from support.visits import Sitting, at, walk

from studies.assignment import lay_out
from studies.desk import SlotReleased
from studies.events import Chain, Event, Payload
from studies.payloads import ParticipationBlocked, ParticipationOpened
from studies.ports import ParticipationRecord
from studies.progress import Seat, StudyProgress, progress, worked_ms
from studies.steps import Field, Step
from studies.study import Study

CYCLIC = {"kind": "cyclic", "participants": 4, "items_each": 4, "raters": 2, "block": 2}
AT = "2026-03-02T09:00:00.000Z"


def cyclic(**changes: Any) -> Study:
    return make_study(items=8, design=CYCLIC, **changes)


def record(sitting: Sitting, code: str = "A") -> ParticipationRecord:
    opened = sitting.events[0].payload
    assert isinstance(opened, ParticipationOpened)
    return ParticipationRecord(
        sitting.stream, sitting.study.sha256, opened.participant, code, opened.slot, opened.pilot
    )


def stand(study: Study, *sittings: Sitting, desk: tuple[Event, ...] = ()) -> StudyProgress:
    records = [record(one, "ABCDEF"[place]) for place, one in enumerate(sittings)]
    return progress(study, records, {one.stream: one.events for one in sittings}, desk)


def desk_event(payload: Payload) -> Event:
    return Chain("desk").make(payload, AT)


def released(study: Study, sitting: Sitting) -> Event:
    opened = sitting.events[0].payload
    assert isinstance(opened, ParticipationOpened)
    return desk_event(SlotReleased(study.sha256, sitting.stream, opened.participant, opened.slot))


def by_code(found: StudyProgress, code: str) -> Seat:
    return next(one for one in found.participants if one.code == code)


def test_nobody_yet_every_slot_is_free_and_laid_out() -> None:
    study = cyclic()
    found = progress(study, [], {}, [])
    assert [one.slot for one in found.participants] == [1, 2, 3, 4]
    assert {one.state for one in found.participants} == {"free"}
    assert all(one.code is None and one.done == 0 for one in found.participants)
    for one in found.participants:
        assert one.assigned == tuple(place.item for place in lay_out(study, one.slot or 0).order)
    assert {one.assigned for one in found.items} == {2}
    assert {one.completed for one in found.items} == {0}
    assert (found.labels, found.labels_planned, found.planned_n, found.reached) == (0, 16, 4, False)


def test_the_json_has_the_keys_of_the_contract() -> None:
    study = cyclic()
    found = progress(study, [], {}, []).to_json()
    assert found["study"] == "small"
    assert set(found["participants"][0]) == {"code", "slot", "state", "assigned", "done"}
    assert set(found["items"][0]) == {"id", "assigned", "completed"}
    assert [one["id"] for one in found["items"]] == [one.id for one in study.items]


@pytest.mark.parametrize(
    ("step", "state", "now"),
    [
        ("consent", "invited", "consent"),
        ("instructions:2", "consented", "instructions"),
        ("overview", "consented", "categories"),
        ("training:1:t2", "training", "practice 2 of 2"),
        ("feedback:1:t2", "training", "practice"),
        ("main:1:", "working", "item 1 of 4"),
        ("rest:1", "resting", "after block 1"),
        ("questions:1", "working", "questions"),
        ("debrief", "working", "debrief"),
    ],
)
async def test_a_visit_stands_where_its_step_is(step: str, state: str, now: str) -> None:
    study = cyclic(training=2, questionnaire=[{"id": "q", "text": "Well?", "kind": "text"}])
    sitting = Sitting(study)
    await walk(await sitting.visit(), at(step))
    seat = by_code(stand(study, sitting), "A")
    assert seat.state == state
    assert now in (seat.now, seat.now.partition(" ")[0])


async def test_a_pause_keeps_the_place() -> None:
    study = cyclic()
    sitting = Sitting(study)
    visit = await sitting.visit()
    await walk(visit, at("rest:1"))
    await visit.pause()
    seat = by_code(stand(study, sitting), "A")
    assert (seat.state, seat.now, seat.done) == ("paused", "after block 1", 2)


async def test_the_ends() -> None:
    study = cyclic()
    done, declined, gone, blocked = (Sitting(study, slot) for slot in (1, 2, 3, 4))
    await walk(await done.visit())
    await walk(await declined.visit(), answers={"take-part": False})
    visit = await gone.visit()
    await walk(visit, at("rest:1"))
    await visit.withdraw()
    await walk(await blocked.visit(), at("rest:1"))
    refused = Chain.after(blocked.events[-1]).make(ParticipationBlocked(9.0, 7.0), AT)
    await blocked.journal.append([refused])

    found = stand(study, done, declined, gone, blocked)
    assert [by_code(found, code).state for code in "ABCD"] == [
        "completed",
        "declined",
        "withdrawn",
        "blocked",
    ]
    assert found.states == {"free": 2, "completed": 1, "declined": 1, "withdrawn": 1, "blocked": 1}
    assert [(one.slot, one.state) for one in found.participants][1:3] == [(2, "declined"), (2, "free")]
    assert (found.completed, found.people) == (1, 2)
    assert {one.assigned for one in found.items} == {2}, "a slot that was given up waits for another person"
    assert sum(one.completed for one in found.items) == 4 + 2, "withdrawn labels are gone, blocked ones kept"


async def test_a_released_slot_is_free_again_and_its_items_stay_assigned() -> None:
    study = cyclic()
    dropped = Sitting(study, 2)
    await walk(await dropped.visit(), at("rest:1"))
    desk = (released(study, dropped),)
    found = stand(study, dropped, desk=desk)
    assert [(one.slot, one.code, one.state) for one in found.participants] == [
        (1, None, "free"),
        (2, "A", "dropped"),
        (2, None, "free"),
        (3, None, "free"),
        (4, None, "free"),
    ]
    assert by_code(found, "A").done == 2
    assert {one.assigned for one in found.items} == {2}
    assert {one.completed for one in found.items} == {0}

    replacement = Sitting(study, 2)
    await walk(await replacement.visit())
    found = stand(study, dropped, replacement, desk=desk)
    assert [one.state for one in found.participants] == ["free", "dropped", "completed", "free", "free"]
    assert sum(one.completed for one in found.items) == 4


async def test_a_release_in_another_study_frees_nothing_here() -> None:
    study = cyclic()
    sitting = Sitting(study)
    await sitting.visit()
    elsewhere = desk_event(SlotReleased("another", sitting.stream, "p", 1))
    assert by_code(stand(study, sitting, desk=(elsewhere,)), "A").state == "invited"


def test_invitations_hold_their_slot_until_they_are_released() -> None:
    study = cyclic()
    invited = ParticipationRecord(None, study.sha256, "p1", "K7", 3)
    found = progress(study, [invited], {}, [])
    seat = by_code(found, "K7")
    assert (seat.state, seat.slot, len(seat.assigned)) == ("invited", 3, 4)
    assert len(found.participants) == 4
    gone = desk_event(SlotReleased(study.sha256, None, "p1", 3))
    found = progress(study, [invited], {}, [gone])
    assert by_code(found, "K7").state == "dropped"
    assert [one.slot for one in found.participants] == [1, 2, 3, 3, 4]
    assert {one.assigned for one in found.items} == {2}


async def test_pilots_are_apart_and_shift_nothing() -> None:
    study = cyclic()
    pilot = Sitting(study, 1, pilot=True)
    await walk(await pilot.visit())
    found = stand(study, pilot)
    assert [one.state for one in found.pilots] == ["completed"]
    assert [one.state for one in found.participants] == ["free"] * 4
    assert (found.completed, found.labels, found.people) == (0, 0, 0)
    assert found.to_json()["pilots"][0]["code"] == "A"


async def test_an_erased_participation_stands_as_withdrawn() -> None:
    study = cyclic()
    sitting = Sitting(study)
    await walk(await sitting.visit())
    known = record(sitting)
    erased = [one.erased() for one in sitting.events]
    found = progress(study, [known], {sitting.stream: erased}, [])
    seat = by_code(found, "A")
    assert (seat.state, seat.done, seat.assigned, seat.flags) == ("withdrawn", 0, (), ())


async def test_without_slots_seats_are_made_as_people_come() -> None:
    study = make_study(items=3)
    assert progress(study, [], {}, []).participants == ()
    first, declined = Sitting(study, 1), Sitting(study, 2)
    await walk(await first.visit(), at("main:1:"))
    await walk(await declined.visit(), answers={"take-part": False})
    found = stand(study, first, declined)
    assert [one.state for one in found.participants] == ["working", "declined"]
    assert {one.assigned for one in found.items} == {1}, "who declined is asked for nothing any more"
    assert (found.planned_n, found.reached) == (None, True)


async def test_planned_n_of_the_plan_goes_before_the_slots() -> None:
    study = cyclic(analysis={"planned_n": 1})
    sitting = Sitting(study)
    assert not stand(study, sitting).reached
    await walk(await sitting.visit())
    assert stand(study, sitting).reached


async def test_flags_name_failed_checks_and_flagged_items() -> None:
    design = CYCLIC | {"participants": 2, "items_each": 21, "raters": 2, "block": 21, "checks": 1}
    study = make_study(items=21, checks=1, design=design)
    sitting = Sitting(study)

    def answers(step: Step, field: Field) -> Any:
        if field.name == "flag":
            return step.about == "i1"
        return {"dominant": "DCP", "take-part": True, "additional": [], "confidence": 3}.get(field.name)

    await walk(await sitting.visit(), answers=answers)
    found = stand(study, sitting)
    assert by_code(found, "A").flags == ("check failed 1", "flagged 1")
    assert len(by_code(found, "A").assigned) == 21, "checks are not among the assigned items"


async def test_time_at_work_leaves_absences_out() -> None:
    study = cyclic()
    sitting = Sitting(study)
    visit = await sitting.visit()
    for pause in (30, 100, 100_000, 20):
        sitting.clock.move(seconds=pause)
        step = visit.current
        await visit.shown(step)  # type: ignore[arg-type]
    assert worked_ms(sitting.events, 120_000) == 150_000
    assert worked_ms(sitting.events, 60_000) == 50_000


async def test_items_made_more_often_than_planned_are_counted_as_over() -> None:
    study = cyclic()
    here, there = Sitting(study, 1), Sitting(study, 1)
    for sitting in (here, there):
        await walk(await sitting.visit())
    found = stand(study, here, there)
    assert found.coverage == {2: 4, 0: 4}
    assert found.over == 0
    third = Sitting(study, 1)
    await walk(await third.visit())
    assert stand(study, here, there, third).over == 4
