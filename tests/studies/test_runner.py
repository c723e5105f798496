"""The runner: nothing acknowledged is lost, nothing is counted twice, any place can be come back to."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.studies import study
from support.visits import Sitting, at, usual, walk

from studies.annotation.payloads import AnnotationSubmitted
from studies.errors import JournalError
from studies.events import faults
from studies.payloads import Activity, FieldAnswered, ParticipationBlocked, VisitStarted
from studies.runner import Visit
from studies.steps import AnswerError, Done, Step

ANSWERS = {"dominant": "DCP", "additional": ["SLM"], "confidence": 4}


def annotations(sitting: Sitting) -> list[AnnotationSubmitted]:
    return [one.payload for one in sitting.events if isinstance(one.payload, AnnotationSubmitted)]


async def at_item(sitting: Sitting, prefix: str = "main") -> tuple[Visit, Step]:
    visit = await sitting.visit()
    step = await walk(visit, at(prefix), ANSWERS)
    assert isinstance(step, Step)
    return visit, step


async def fill(visit: Visit, step: Step, dominant: str = "DCP") -> None:
    await visit.answer(step.ask_id("dominant"), dominant)
    await visit.answer(step.ask_id("additional"), [])
    await visit.answer(step.ask_id("confidence"), 3)


async def test_leaving_twice_at_once_makes_one_annotation_and_one_step() -> None:
    sitting = Sitting(study(items=3))
    visit, step = await at_item(sitting)
    await fill(visit, step)
    first, second = await asyncio.gather(visit.leave(step), visit.leave(step))
    assert first == second
    assert len(annotations(sitting)) == 1


async def test_leaving_without_a_required_answer_stores_nothing_and_says_which() -> None:
    sitting = Sitting(study())
    visit, step = await at_item(sitting)
    await visit.answer(step.ask_id("dominant"), "DCP")
    before = sitting.kinds()
    with pytest.raises(AnswerError, match="additional"):
        await visit.leave(step)
    assert sitting.kinds() == before


async def test_every_change_of_mind_stays_and_the_last_one_counts() -> None:
    sitting = Sitting(study())
    visit, step = await at_item(sitting)
    for label in ("DCP", "CCM", "CCM", "DCP"):
        await visit.answer(step.ask_id("dominant"), label)
    said = [
        one.payload.value
        for one in sitting.events
        if isinstance(one.payload, FieldAnswered) and one.payload.field == "dominant"
    ]
    assert said == ["DCP", "CCM", "DCP"]
    await visit.answer(step.ask_id("additional"), [])
    await visit.answer(step.ask_id("confidence"), 1)
    await visit.leave(step)
    assert annotations(sitting)[0].dominant == "DCP"


async def test_going_back_makes_a_revision_and_returns_to_where_one_was() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    reopened = await visit.back(second)
    assert isinstance(reopened, Step)
    assert (reopened.id, reopened.revision) == (first.id, 2)
    assert reopened.previous is not None
    assert reopened.previous["dominant"] == "DCP"
    await visit.answer(reopened.ask_id("dominant"), "ICU")
    assert await visit.leave(reopened) == second
    one, two = annotations(sitting)
    assert (one.revision, one.dominant) == (1, "DCP")
    assert (two.revision, two.dominant, two.confidence) == (2, "ICU", 3)


async def test_a_reopened_step_left_alone_makes_no_revision() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    reopened = await visit.back(second)
    assert isinstance(reopened, Step)
    assert await visit.leave(reopened) == second
    assert len(annotations(sitting)) == 1
    assert sitting.kinds()[-1] == "revisit_left"


async def test_going_back_further_and_further_stops_at_the_blocks_first_item() -> None:
    sitting = Sitting(study(items=4, design={"kind": "crossed", "participants": 1, "block": 2}))
    visit = await sitting.visit()
    rest = await walk(visit, at("rest"), ANSWERS)
    assert isinstance(rest, Step)
    third = await visit.leave(rest)
    assert isinstance(third, Step)
    assert not third.can_go_back
    assert await visit.back(third) == third
    fourth = await walk(visit, lambda step: step.id.startswith("main") and step.id != third.id, ANSWERS)
    assert isinstance(fourth, Step)
    assert fourth.can_go_back
    back = await visit.back(fourth)
    assert isinstance(back, Step)
    assert back.id == third.id
    assert not back.can_go_back


async def test_answers_wait_for_the_return_of_who_goes_back_and_are_not_asked_for_again() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    await visit.answer(second.ask_id("dominant"), "SBM")
    for restart in (False, True):
        reopened = await visit.back(second)
        assert isinstance(reopened, Step)
        assert visit.next_ask() == "dominant"
        if restart:
            await visit.answer(reopened.ask_id("dominant"), "ICU")
            visit = await sitting.visit()
        await visit.leave(reopened)
        assert visit.answers == {"dominant": "SBM"}
        assert visit.next_ask() == "additional"
    await visit.answer(second.ask_id("additional"), [])
    await visit.answer(second.ask_id("confidence"), 4)
    await visit.leave(second)
    made = [(one.item, one.revision, one.dominant) for one in annotations(sitting)]
    assert made == [(first.about, 1, "DCP"), (first.about, 3, "ICU"), (second.about, 1, "SBM")]


async def test_going_back_from_a_changed_step_keeps_the_change_as_a_revision() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    await fill(visit, second)
    third = await visit.leave(second)
    assert isinstance(third, Step)
    reopened = await visit.back(third)
    assert isinstance(reopened, Step)
    await visit.answer(reopened.ask_id("dominant"), "ICU")
    further = await visit.back(reopened)
    assert isinstance(further, Step)
    assert (further.id, further.revision) == (first.id, 2)
    assert await visit.leave(further) == third
    made = [(one.item, one.revision, one.dominant) for one in annotations(sitting)]
    assert made == [(first.about, 1, "DCP"), (second.about, 1, "DCP"), (second.about, 2, "ICU")]


async def test_a_changed_step_that_lacks_an_answer_cannot_be_gone_back_from() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    await visit.answer(second.ask_id("dominant"), "NONE")
    await visit.answer(second.ask_id("confidence"), 2)
    third = await visit.leave(second)
    assert isinstance(third, Step)
    reopened = await visit.back(third)
    assert isinstance(reopened, Step)
    await visit.answer(reopened.ask_id("dominant"), "DCP")
    with pytest.raises(AnswerError, match="additional"):
        await visit.back(reopened)
    assert visit.answers == {"dominant": "DCP"}


async def test_changing_from_an_escape_asks_for_additional_labels_again() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await visit.answer(first.ask_id("dominant"), "NONE")
    await visit.answer(first.ask_id("confidence"), 2)
    second = await visit.leave(first)
    assert isinstance(second, Step)
    reopened = await visit.back(second)
    assert isinstance(reopened, Step)
    await visit.answer(reopened.ask_id("dominant"), "DCP")
    with pytest.raises(AnswerError, match="additional"):
        await visit.leave(reopened)


async def test_an_ask_has_the_same_id_after_a_restart_and_a_new_one_after_going_back() -> None:
    sitting = Sitting(study(items=3))
    _, first = await at_item(sitting)
    ask = first.ask_id("dominant")
    again = await sitting.visit()
    current = again.current
    assert isinstance(current, Step)
    assert current.ask_id("dominant") == ask
    await fill(again, current)
    second = await again.leave(current)
    assert isinstance(second, Step)
    reopened = await again.back(second)
    assert isinstance(reopened, Step)
    assert reopened.ask_id("dominant") != ask


async def test_answering_an_ask_that_is_on_disk_changes_nothing() -> None:
    sitting = Sitting(study(items=3))
    visit, first = await at_item(sitting)
    await fill(visit, first)
    await visit.leave(first)
    before = sitting.kinds()
    await visit.answer(first.ask_id("dominant"), "ICU")
    assert sitting.kinds() == before
    with pytest.raises(AnswerError, match="not being asked"):
        await visit.answer("main:1:nothing/dominant/1", "ICU")


async def test_the_last_answer_of_a_walk_and_its_closing_are_one_batch() -> None:
    sitting = Sitting(study(items=1, annotation={"note": False, "flag": False}))
    visit, step = await at_item(sitting)
    await visit.answer(step.ask_id("dominant"), "DCP", walk=True)
    await visit.answer(step.ask_id("additional"), [], walk=True)
    sitting.journal.fail_before = 1
    with pytest.raises(JournalError):
        await visit.answer(step.ask_id("confidence"), 3, walk=True)
    assert annotations(sitting) == []
    assert not visit.acknowledged(step.ask_id("confidence"))
    await visit.answer(step.ask_id("confidence"), 3, walk=True)
    assert sitting.kinds()[-2:] == ["field_answered", "annotation_submitted"]


@pytest.mark.parametrize("stored", [False, True], ids=["nothing stored", "stored after all"])
async def test_a_failed_append_is_made_good_by_the_next_call(stored: bool) -> None:
    sitting = Sitting(study(items=2))
    visit, step = await at_item(sitting)
    await visit.answer(step.ask_id("additional"), [])
    await visit.answer(step.ask_id("confidence"), 5)
    if stored:
        sitting.journal.fail_after = 1
    else:
        sitting.journal.fail_before = 1
    with pytest.raises(JournalError):
        await visit.answer(step.ask_id("dominant"), "HCO")
    assert "dominant" not in visit.answers
    await visit.leave(step)
    assert [one.dominant for one in annotations(sitting)] == ["HCO"]
    assert faults(sitting.events) == []


async def test_a_failed_leave_can_be_repeated_without_skipping_a_step() -> None:
    sitting = Sitting(study(items=3))
    visit, step = await at_item(sitting)
    await fill(visit, step)
    sitting.journal.fail_after = 1
    with pytest.raises(JournalError):
        await visit.leave(step)
    following = await visit.leave(step)
    assert isinstance(following, Step)
    assert following.progress.position == 2
    assert len(annotations(sitting)) == 1


async def test_pausing_and_coming_back_goes_on_at_the_very_place() -> None:
    sitting = Sitting(study(items=3))
    visit, step = await at_item(sitting)
    await visit.answer(step.ask_id("dominant"), "SBM")
    done = await visit.pause()
    assert done.end == "paused"
    again = await sitting.visit()
    current = again.current
    assert isinstance(current, Step)
    assert current.id == step.id
    assert again.answers == {"dominant": "SBM"}


async def test_drafts_survive_and_go_when_their_step_closes() -> None:
    sitting = Sitting(study(items=3))
    visit, step = await at_item(sitting)
    await visit.draft(step.ask_id("note"), "half a thou")
    again = await sitting.visit()
    assert again.drafts == {step.ask_id("note"): "half a thou"}
    current = again.current
    assert isinstance(current, Step)
    await fill(again, current)
    await again.leave(current)
    assert sitting.journal.kept == {}


async def test_who_came_back_too_late_can_still_withdraw() -> None:
    sitting = Sitting(study(items=1, resume={"max_days": 1, "after": "block"}))
    first = await sitting.visit()
    await walk(first, at("main"))
    await first.pause()
    sitting.clock.move(days=2)
    blocked = await sitting.visit()
    assert isinstance(blocked.current, Done)
    assert blocked.current.end == "blocked"
    assert (await blocked.withdraw()).end == "withdrawn"
    assert sitting.kinds()[-1] == "participation_withdrawn"


async def test_withdrawing_ends_everything_even_after_completion() -> None:
    sitting = Sitting(study(items=1))
    visit = await sitting.visit()
    done = await walk(visit)
    assert isinstance(done, Done)
    assert (await visit.withdraw()).end == "withdrawn"
    again = await sitting.visit()
    assert isinstance(again.current, Done)
    assert again.current.end == "withdrawn"
    assert sitting.kinds()[-1] == "participation_withdrawn"


async def test_a_finished_stream_is_left_untouched_by_a_visit() -> None:
    sitting = Sitting(study(items=1))
    await walk(await sitting.visit())
    before = len(sitting.events)
    again = await sitting.visit()
    assert isinstance(again.current, Done)
    assert again.current.end == "completed"
    assert len(sitting.events) == before


@pytest.mark.parametrize("after", ["block", "continue"])
async def test_after_a_long_absence_the_resume_policy_decides(after: str) -> None:
    sitting = Sitting(study(items=2, resume={"max_days": 3, "after": after}))
    visit, step = await at_item(sitting)
    first = step.fields[0]
    await visit.answer(step.ask_id(first.name), first.options[0].value)
    await visit.pause()
    sitting.clock.move(days=2.9)
    assert isinstance((await sitting.visit()).current, Step)
    sitting.clock.move(days=3.1)
    again = await sitting.visit()
    if after == "block":
        assert isinstance(again.current, Done)
        assert again.current.end == "blocked"
        assert isinstance(sitting.events[-1].payload, ParticipationBlocked)
        return
    assert isinstance(again.current, Step)
    assert again.current.id == "refresh:1"
    started = sitting.events[-1].payload
    assert isinstance(started, VisitStarted)
    assert started.refresh
    back = await walk(again, at("main"))
    assert isinstance(back, Step)
    assert back.id == step.id
    assert again.answers == {first.name: first.options[0].value}, "what was answered stays answered"


async def test_signs_of_life_are_kept_once_a_second_and_belong_to_their_step() -> None:
    sitting = Sitting(study(items=2))
    visit, step = await at_item(sitting)
    await visit.shown(step)
    for _ in range(3):
        visit.activity("key")
        sitting.clock.move(milliseconds=400)
    visit.activity("mouse")
    await fill(visit, step)
    await visit.leave(step)
    kept = [one.payload for one in sitting.events if isinstance(one.payload, Activity)]
    assert [(one.step, one.samples) for one in kept] == [(step.id, ((0, "key"), (1200, "mouse")))]


async def test_a_killed_visit_leaves_an_open_step_that_closes_on_return() -> None:
    sitting = Sitting(study(items=2, annotation={"note": False, "flag": False}))
    visit, step = await at_item(sitting)
    await fill(visit, step)
    again = await sitting.visit()
    assert again.next_ask() is None
    current = again.current
    assert isinstance(current, Step)
    await again.leave(current)
    assert len(annotations(sitting)) == 1


@settings(max_examples=30, deadline=None)
@given(st.data())
async def test_whatever_fails_or_restarts_every_item_is_annotated_once(data: st.DataObject) -> None:
    sitting = Sitting(study(items=3, annotation={"note": False, "flag": False, "confidence": False}))
    visit = await sitting.visit()
    for _ in range(400):
        step = visit.current
        if isinstance(step, Done):
            break
        what = data.draw(st.sampled_from(["answer", "answer", "answer", "fail", "lost", "restart", "back"]))
        if what == "fail":
            sitting.journal.fail_before = 1
        elif what == "lost":
            sitting.journal.fail_after = 1
        elif what == "restart":
            sitting.journal.fail_before = sitting.journal.fail_after = 0
            visit = await sitting.visit()
            continue
        try:
            if what == "back":
                await visit.back(step)
                continue
            name = visit.next_ask()
            if name is None:
                await visit.leave(step)
            else:
                await visit.answer(step.ask_id(name), usual(step, step.field(name)), walk=True)
        except JournalError:
            pass
    sitting.journal.fail_before = sitting.journal.fail_after = 0
    visit = await sitting.visit()
    done = await walk(visit)
    assert isinstance(done, Done)
    assert faults(sitting.events) == []
    latest = {one.item: one for one in annotations(sitting)}
    assert sorted(latest) == ["i1", "i2", "i3"]
    revisions = [(one.item, one.revision) for one in annotations(sitting)]
    assert len(set(revisions)) == len(revisions)
