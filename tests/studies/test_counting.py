"""What counts: every way for an annotation to stay out of the figures, and the ways back in."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from support.studies import study as make_study
from support.visits import Sitting, at, walk

from studies.annotation.counting import Annotator, annotators, count, over_collected
from studies.annotation.payloads import AnnotationSubmitted
from studies.desk import SlotReleased
from studies.events import Chain, Event
from studies.payloads import ParticipationBlocked, ParticipationOpened
from studies.rows import pseudonym
from studies.settings import Training
from studies.steps import Field, Step
from studies.study import Study

AT = "2026-03-02T09:00:00.000Z"
BLOCKS = {"kind": "crossed", "participants": 3, "block": 2}


def blocks(**changes: Any) -> Study:
    return make_study(items=4, design=BLOCKS | changes.pop("design", {}), **changes)


def people(study: Study, *sittings: Sitting, desk: tuple[Event, ...] = ()) -> tuple[Annotator, ...]:
    return annotators(study, {one.stream: one.events for one in sittings}, desk)


def name_of(sitting: Sitting) -> str:
    opened = sitting.events[0].payload
    assert isinstance(opened, ParticipationOpened)
    return pseudonym(opened.participant)


def choosing(labels: Mapping[str, str] | str, **more: Any) -> Any:
    """Answers that give each item its label; `other` is told why."""

    def answer(step: Step, field: Field) -> Any:
        if field.name == "dominant":
            return labels if isinstance(labels, str) else labels.get(step.about or "", "DCP")
        given = {"additional": [], "confidence": 3, "note": "because", "flag": None} | more
        return given.get(field.name, True if field.kind == "consent" else None)

    return answer


def item_number(position: int) -> Callable[[Step], bool]:
    return lambda step: step.kind == "annotation" and step.progress.position == position


async def finished(study: Study, slot: int = 1, **more: Any) -> Sitting:
    sitting = Sitting(study, slot, pilot=more.pop("pilot", False))
    await walk(await sitting.visit(), answers=choosing(more.pop("labels", "DCP"), **more))
    return sitting


async def test_the_last_revision_of_the_first_showing_counts() -> None:
    study = blocks()
    sitting = Sitting(study)
    visit = await sitting.visit()
    first = await walk(visit, at("main:"), choosing("DCP"))
    assert isinstance(first, Step)
    await walk(visit, lambda step: step.id != first.id and step.id.startswith("main:"), choosing("DCP"))
    await visit.back(visit.current)  # type: ignore[arg-type]
    again = visit.current
    assert isinstance(again, Step)
    await visit.answer(again.ask_id("dominant"), "SLM")
    await visit.leave(again)
    await walk(visit, answers=choosing("DCP"))

    counted = count(people(study, sitting))
    assert [one.item for one in counted.main] == ["i1", "i2", "i3", "i4"]
    assert {one.item: one.dominant for one in counted.main if one.dominant != "DCP"} == {first.about: "SLM"}
    made = [one.payload for one in sitting.events if isinstance(one.payload, AnnotationSubmitted)]
    assert len(made) == 5, "the earlier revision is kept in the journal"


async def test_repeats_checks_and_practice_never_count() -> None:
    design = {"kind": "crossed", "participants": 1, "block": 22, "repeats": 2, "checks": 1}
    study = make_study(items=22, training=2, checks=1, design=design)
    sitting = await finished(study)
    counted = count(people(study, sitting))
    assert sorted(one.item for one in counted.main) == sorted(one.id for one in study.items)
    assert {(one.role, one.pass_) for one in counted.main} == {("main", 1)}
    assert len(counted.repeats) == 2
    for two in counted.repeats:
        assert (two.first.item, two.first.pass_) == (two.item, 1)
        assert (two.second.item, two.second.pass_, two.second.role) == (two.item, 2, "repeat")


async def test_an_annotation_after_the_end_does_not_count() -> None:
    study = blocks()
    sitting = await finished(study)
    late = AnnotationSubmitted("main:1:i1", "i1", 1, 2, "main", 1, "SBM", (), 3, "", False, 100)
    await sitting.journal.append([Chain.after(sitting.events[-1]).make(late, AT)])
    assert {one.dominant for one in count(people(study, sitting)).main} == {"DCP"}


async def test_who_is_out_and_why() -> None:
    study = make_study(items=4, design={"kind": "crossed", "participants": 6, "block": 2})
    whole, working, declined, withdrawn, blocked, dropped = (Sitting(study, slot) for slot in range(1, 7))
    pilot = Sitting(study, 1, pilot=True)
    await walk(await whole.visit())
    await walk(await pilot.visit())
    await walk(await declined.visit(), answers={"take-part": False})
    for one in (working, withdrawn, blocked, dropped):
        await walk(await one.visit(), at("rest:1"))
    await (await withdrawn.visit()).withdraw()
    refused = Chain.after(blocked.events[-1]).make(ParticipationBlocked(9.0, 7.0), AT)
    await blocked.journal.append([refused])
    opened = dropped.events[0].payload
    assert isinstance(opened, ParticipationOpened)
    release = SlotReleased(study.sha256, dropped.stream, opened.participant, opened.slot)
    everyone = people(
        study, whole, working, declined, withdrawn, blocked, dropped, pilot,
        desk=(Chain("desk").make(release, AT),),
    )  # fmt: skip

    counted = count(everyone)
    assert counted.participants == 1
    assert {one.participant for one in counted.main} == {name_of(whole)}
    reasons = {one.participant: one.reason for one in counted.excluded}
    assert reasons == {
        name_of(working): "unfinished (resting)",
        name_of(declined): "declined",
        name_of(withdrawn): "withdrawn",
        name_of(blocked): "unfinished (blocked)",
        name_of(dropped): "dropped",
    }
    assert name_of(pilot) not in reasons, "pilots are not even candidates"
    assert not any(one.declared for one in counted.excluded)

    more = count(everyone, include="completed_blocks")
    assert {one.participant for one in more.main} == {name_of(one) for one in (whole, working, blocked)}
    assert len(more.main) == 4 + 2 + 2


async def test_completed_blocks_are_whole_ones_only() -> None:
    study = blocks()
    sitting = Sitting(study)
    await walk(await sitting.visit(), item_number(4))
    one = people(study, sitting)[0]
    assert one.finished_blocks == {1}
    assert len(one.main) == 3
    assert len(count([one], include="completed_blocks").main) == 2

    early = Sitting(study)
    await walk(await early.visit(), item_number(2))
    counted = count(people(study, early), include="completed_blocks")
    assert (counted.participants, counted.excluded[0].reason) == (0, "no finished block (working)")


async def test_an_erased_participation_is_out_without_a_name() -> None:
    study = blocks()
    sitting = await finished(study)
    erased = {sitting.stream: [one.erased() for one in sitting.events]}
    counted = count(annotators(study, erased, ()))
    assert counted.main == ()
    assert [(one.participant, one.reason) for one in counted.excluded] == [(None, "withdrawn")]


async def test_the_practice_score_of_the_last_round_excludes() -> None:
    rules = {"exclusions": {"training_below": 0.55}}
    study = make_study(items=2, training=20, analysis=rules)
    twice = study.settings.model_copy(update={"training": Training(rounds=2, pass_mark=0.9)})
    study = dataclasses.replace(study, settings=twice)
    right = {one.id: one.dominant for one in study.training}

    async def practised(first: int, last: int) -> Annotator:
        def answer(step: Step, field: Field) -> Any:
            if step.id.startswith("training:") and field.name == "dominant":
                known = first if step.id.startswith("training:1:") else last
                label = right[step.about or ""]
                return label if int((step.about or "")[1:]) <= known else "OTHER"
            return choosing("DCP")(step, field)

        sitting = Sitting(study)
        await walk(await sitting.visit(), answers=answer)
        return people(study, sitting)[0]

    assert (await practised(2, 11)).breaks == (), "0.55 of 20 is eleven"
    low = await practised(12, 10)
    assert low.breaks == ("practice: 10 of 20 right, below 0.55",)
    assert count([low]).excluded[0].declared
    assert count([low]).main == ()
    assert len(count([low], exclusions=False).main) == 2
    assert count([low], exclusions=False).excluded == ()


@pytest.mark.parametrize(("limit", "out"), [(1, True), (2, False)])
async def test_failed_checks_exclude_where_the_plan_says_so(limit: int, out: bool) -> None:
    design = {"kind": "crossed", "participants": 2, "block": 21, "checks": 1}
    study = make_study(items=21, checks=1, design=design, analysis={"exclusions": {"checks_failed": limit}})
    failing, heeding = await finished(study), await finished(study, 2, labels={"c1": "NONE"})
    counted = count(people(study, failing, heeding))
    both = {name_of(heeding), name_of(failing)}
    assert {one.participant for one in counted.main} == ({name_of(heeding)} if out else both)
    assert [one.reason for one in counted.excluded] == (
        ["attention checks: 1 failed, 1 or more exclude"] if out else []
    )


async def test_speed_is_judged_by_active_time_and_by_elapsed_time_where_there_is_none() -> None:
    study = make_study(items=3, analysis={"exclusions": {"median_ms_below": 2_000}})

    async def paced(seconds: float, activity: bool) -> Annotator:
        sitting = Sitting(study)
        visit = await sitting.visit()
        await walk(visit, at("main:"))
        while isinstance(step := visit.current, Step) and step.id.startswith("main:"):
            await visit.shown(step)
            sitting.clock.move(seconds=seconds)
            if activity:
                visit.activity("key")
            await walk(visit, lambda now, then=step.id: now.id != then)
        await walk(visit)
        return people(study, sitting)[0]

    assert (await paced(1.5, True)).breaks == ("speed: median 1500 ms an item, below 2000",)
    assert (await paced(1.5, False)).breaks == ("speed: median 1500 ms an item, below 2000",)
    assert (await paced(2.0, True)).breaks == ()
    idle = await paced(600.0, True)
    assert idle.breaks == ("speed: median 0 ms an item, below 2000",), "an absence is no work"


async def test_exclusions_keep_blocks_of_unfinished_people_out_too() -> None:
    design = {"kind": "crossed", "participants": 1, "block": 21, "checks": 1}
    study = make_study(items=42, checks=1, design=design, analysis={"exclusions": {"checks_failed": 1}})
    sitting = Sitting(study)
    await walk(await sitting.visit(), item_number(43), choosing("DCP"))
    (one,) = people(study, sitting)
    assert one.state == "working"
    assert one.breaks
    assert count([one], include="completed_blocks").main == ()
    assert count([one], include="completed_blocks", exclusions=False).main != ()


async def test_items_with_more_raters_than_planned_are_named() -> None:
    design = {"kind": "cyclic", "participants": 2, "items_each": 2, "raters": 1, "block": 2}
    study = make_study(items=4, design=design)
    here, there = await finished(study, 1), await finished(study, 1)
    counted = count(people(study, here, there))
    mine = sorted(one.item for one in people(study, here)[0].main)
    assert over_collected(study, counted.main) == dict.fromkeys(mine, 2)
    assert over_collected(make_study(items=4), counted.main) == {}


async def test_the_ratings_are_those_that_count() -> None:
    study = blocks()
    sitting = await finished(study, labels={"i1": "SLM", "i2": "NONE"}, additional=["HCO"])
    ratings = count(people(study, sitting)).ratings()
    assert {(one.item, one.label, one.additional) for one in ratings} == {
        ("i1", "SLM", ("HCO",)),
        ("i2", "NONE", ()),
        ("i3", "DCP", ("HCO",)),
        ("i4", "DCP", ("HCO",)),
    }
    assert {one.rater for one in ratings} == {name_of(sitting)}
