"""How far a role-play study is: sessions ended, the task in hand, free slots, flags."""

from __future__ import annotations

from typing import Any

from support.chats import FAIL, PASS, Talk, roleplay_study, talk
from support.sessions import Played
from support.visits import at, usual, walk

from studies.assignment import lay_out
from studies.payloads import ParticipationOpened
from studies.ports import ParticipationRecord
from studies.progress import Seat, StudyProgress, progress
from studies.settings import Design
from studies.steps import Step
from studies.study import Study


def study_of(slots: int | None = None, **changes: Any) -> Study:
    made = roleplay_study(**({"history": 1, "reserve": 1, "held_out": 2, "gate": "gate"} | changes))
    if slots:
        design = Design(kind="crossed", participants=slots)
        object.__setattr__(made, "settings", made.settings.model_copy(update={"design": design}))
    return made


def stand(study: Study, *events: Any) -> StudyProgress:
    records, streams = [], {}
    for code, own in zip("ABCDEF", events, strict=False):
        opened = own[0].payload
        assert isinstance(opened, ParticipationOpened)
        stream = own[0].stream
        records.append(
            ParticipationRecord(stream, study.sha256, opened.participant, code, opened.slot, opened.pilot)
        )
        streams[stream] = own
    return progress(study, records, streams, [])


def seat(found: StudyProgress, code: str = "A") -> Seat:
    return next(one for one in found.participants if one.code == code)


async def say(made: Talk) -> None:
    step = await walk(made.visit, lambda one: one.kind == "chat", usual)
    assert isinstance(step, Step)
    assert step.chat is not None
    text = step.chat.opening if step.chat.turn == 1 else "the second"
    await made.visit.answer(step.ask_id("message"), text)
    await made.live.advance()


def test_free_slots_have_the_tasks_that_come_if_all_goes_well() -> None:
    study = study_of(slots=2)
    found = stand(study)
    assert [one.state for one in found.participants] == ["free", "free"]
    for one in found.participants:
        order = lay_out(study, one.slot or 0).order
        assert one.assigned == tuple(each.item for each in order if each.role != "reserve")
    assert {one.id: (one.assigned, one.completed, one.planned) for one in found.items} == {
        "mara-1": (2, 0, 2),
        "mara-2": (0, 0, 0),
        "mara-3": (2, 0, 2),
        "mara-4": (2, 0, 2),
    }
    assert (found.labels, found.labels_planned, found.planned_n) == (0, 6, 2)


async def test_sessions_that_have_ended_are_done_and_the_task_in_hand_is_named() -> None:
    study = study_of()
    made = await talk(study, PASS)
    await walk(made.visit, at("brief"))
    assert (seat(stand(study, made.sitting.events)).now, seat(stand(study, made.sitting.events)).done) == (
        "task 1 of 3",
        0,
    )
    await say(made)
    now = seat(stand(study, made.sitting.events))
    assert (now.state, now.done, now.now) == ("resting", 1, "after block 1")
    await walk(made.visit, at("session"))
    now = seat(stand(study, made.sitting.events))
    assert (now.state, now.done, now.now) == ("working", 1, "task 2 of 3")


async def test_a_reserve_task_comes_in_once_it_is_needed() -> None:
    study = study_of(turns=1)
    made = await talk(study, FAIL)
    await say(made)
    found = stand(study, made.sitting.events)
    assert seat(found).assigned[:2] == ("mara-1", "mara-2")
    assert (len(seat(found).assigned), seat(found).done) == (4, 1)
    assert {one.id: one.completed for one in found.items} == dict.fromkeys(
        ("mara-1", "mara-2", "mara-3", "mara-4"), 0
    ) | {"mara-1": 1}


def test_the_json_has_the_keys_of_the_contract_and_tasks_for_items() -> None:
    study = study_of()
    one = Played(study, 1)
    one.history()
    a, b = one.planned("held_out")
    one.session(a, "n", "technical")
    one.session(b, "q", "gave_up")
    found = stand(study, one.end().events)
    made = found.to_json()
    assert [each["id"] for each in made["items"]] == [task.id for task in study.tasks]
    assert set(made["participants"][0]) == {"code", "slot", "state", "assigned", "done"}
    assert made["participants"][0]["done"] == 3
    assert seat(found).flags == ("failed technically 1", "given up 1")
    assert (found.completed, found.labels, found.labels_planned) == (1, 3, 3)
