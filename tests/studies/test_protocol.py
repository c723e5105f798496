"""The protocol: which step comes when, and what the events make of it."""

from __future__ import annotations

import pytest
from support.studies import study
from support.visits import Sitting, at, usual, walk

from studies.annotation.payloads import AnnotationSubmitted
from studies.payloads import ConsentDeclined, ConsentGiven, TrainingEnded
from studies.protocol import Protocol, _reached
from studies.runner import Visit
from studies.state import State
from studies.steps import Done, Field, Step
from studies.study import Study

QUESTION = {"id": "effort", "text": "How hard was it?", "kind": "scale"}


def ids(sitting: Sitting) -> list[str]:
    protocol = Protocol(sitting.study)
    return list(protocol.plan(protocol.replay(sitting.events)))


async def test_a_participation_goes_from_consent_to_debrief() -> None:
    sitting = Sitting(study(items=2, training=1, questionnaire=[QUESTION], annotation={"escapes": False}))
    plan = ids(sitting)
    assert plan[:4] == ["consent", "instructions:1", "instructions:2", "overview:rules"]
    assert plan[4:10] == [f"overview:{one}" for one in ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU")]
    assert plan[10:13] == ["training:1:t1", "feedback:1:t1", "practised:1"]
    assert sorted(plan[13:15]) == ["main:1:i1", "main:1:i2"]
    assert plan[15:] == ["questions:1", "debrief"]

    done = await walk(await sitting.visit())
    assert isinstance(done, Done)
    assert done.end == "completed"
    assert done.completion_code is not None
    assert sitting.kinds().count("annotation_submitted") == 2


async def test_a_rest_stands_between_blocks_and_not_after_the_last() -> None:
    sitting = Sitting(study(items=6, design={"kind": "crossed", "participants": 2, "block": 2}))
    middle = [one.split(":")[0] for one in ids(sitting) if one.startswith(("main", "rest"))]
    assert middle == ["main", "main", "rest", "main", "main", "rest", "main", "main"]


async def test_refusing_a_required_consent_ends_at_once_and_is_recorded() -> None:
    consent = [
        {"id": "take-part", "text": "I take part."},
        {"id": "publish", "text": "You may publish.", "required": False, "covers": "publication"},
    ]
    sitting = Sitting(study(consent=consent))
    done = await walk(await sitting.visit(), answers={"take-part": False})
    assert isinstance(done, Done)
    assert done.end == "declined"
    payload = sitting.events[-1].payload
    assert isinstance(payload, ConsentDeclined)
    assert payload.items == {"take-part": False, "publish": False}


async def test_an_optional_consent_may_be_refused_and_the_text_is_kept_by_hash() -> None:
    consent = [
        {"id": "take-part", "text": "I take part."},
        {"id": "publish", "text": "You may publish.", "required": False, "covers": "publication"},
    ]
    hashes = set()
    for text in ("You may publish.", "You may publish all of it."):
        consent[1] = {**consent[1], "text": text}
        sitting = Sitting(study(consent=consent))
        await walk(await sitting.visit(), at("instructions"), answers={"publish": False})
        given = [one.payload for one in sitting.events if isinstance(one.payload, ConsentGiven)]
        assert given[0].items == {"take-part": True, "publish": False}
        hashes.add(given[0].text_sha256)
    assert len(hashes) == 2


def practised(sitting: Sitting) -> list[TrainingEnded]:
    return [one.payload for one in sitting.events if isinstance(one.payload, TrainingEnded)]


async def train(sitting: Sitting, right: bool) -> Step | Done:
    """Answer every practice item rightly, or every one wrongly, and go on to the first item."""

    def answers(step: Step, field: Field) -> object:
        if step.id.startswith("training") and field.name == "dominant":
            gold = next(one.dominant for one in sitting.study.training if one.id == step.about)
            wrong = next(one.value for one in field.options if one.value != gold)
            return gold if right else wrong
        return usual(step, field)

    return await walk(await sitting.visit(), at("main"), answers)


async def test_without_a_pass_mark_practice_is_counted_and_never_failed() -> None:
    sitting = Sitting(study(training=3))
    step = await train(sitting, right=False)
    assert isinstance(step, Step)
    assert practised(sitting) == [TrainingEnded(1, 0, 3, None)]


async def test_a_missed_pass_mark_gives_another_round_and_then_goes_on() -> None:
    sitting = Sitting(_with_mark(exclude=False))
    step = await train(sitting, right=False)
    assert isinstance(step, Step)
    assert [one.passed for one in practised(sitting)] == [False, False]


async def test_a_missed_pass_mark_excludes_only_where_the_study_says_so() -> None:
    sitting = Sitting(_with_mark(exclude=True))
    done = await train(sitting, right=False)
    assert isinstance(done, Done)
    assert done.end == "excluded"
    assert sitting.kinds()[-2:] == ["training_ended", "participation_excluded"]


async def test_a_reached_pass_mark_ends_practice_after_one_round() -> None:
    sitting = Sitting(_with_mark(exclude=True))
    step = await train(sitting, right=True)
    assert isinstance(step, Step)
    assert practised(sitting) == [TrainingEnded(1, 3, 3, True)]


def _with_mark(exclude: bool) -> Study:
    made = study(training=3)
    training = made.settings.training.model_copy(update={"rounds": 2, "pass_mark": 0.67, "exclude": exclude})
    object.__setattr__(made, "settings", made.settings.model_copy(update={"training": training}))
    return made


async def test_feedback_shows_the_request_the_answer_and_why() -> None:
    sitting = Sitting(study(training=1))
    step = await walk(await sitting.visit(), at("feedback"), answers={"dominant": "ICU"})
    assert isinstance(step, Step)
    assert step.material is not None
    assert step.material.request == "Practice 1."
    assert "name of ICU" in step.body
    assert "name of SLM" in step.body
    assert "Because of 1." in step.body


@pytest.mark.parametrize("escape", ["NONE", "OTHER"])
async def test_escapes_exclude_additional_labels(escape: str) -> None:
    sitting = Sitting(study())
    visit = await sitting.visit()
    step = await walk(visit, at("main"))
    assert isinstance(step, Step)
    await visit.answer(step.ask_id("dominant"), escape)
    asked = visit.current
    assert isinstance(asked, Step)
    assert "additional" not in [one.name for one in asked.fields]
    assert asked.field("note").required is (escape == "OTHER")


async def test_a_new_dominant_label_leaves_the_additional_ones() -> None:
    sitting = Sitting(study())
    visit = await sitting.visit()
    step = await walk(visit, at("main"))
    assert isinstance(step, Step)
    await visit.answer(step.ask_id("dominant"), "DCP")
    await visit.answer(step.ask_id("additional"), ["SLM", "ICU"])
    await visit.answer(step.ask_id("dominant"), "SLM")
    assert visit.answers["additional"] == ("ICU",)
    await visit.answer(step.ask_id("dominant"), "ICU")
    assert visit.next_ask() == "additional"
    asked = visit.current
    assert isinstance(asked, Step)
    assert "ICU" not in [one.value for one in asked.field("additional").options]


async def test_switching_parts_off_leaves_only_the_dominant_label() -> None:
    off = dict.fromkeys(("escapes", "additional", "confidence", "note", "flag"), False)
    sitting = Sitting(study(annotation=off))
    step = await walk(await sitting.visit(), at("main"))
    assert isinstance(step, Step)
    assert [one.name for one in step.fields] == ["dominant"]
    assert sorted(one.value for one in step.fields[0].options) == sorted(
        ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU")
    )


async def test_the_tie_break_is_shown_only_where_it_is_in_force() -> None:
    for on in (True, False):
        sitting = Sitting(study(annotation={"tie_break": on}))
        step = await walk(await sitting.visit(), at("overview:rules"))
        assert isinstance(step, Step)
        assert ("the tie break" in step.body) is on


async def test_gold_is_nowhere_in_what_a_participant_is_shown() -> None:
    shown: list[str] = []

    def answers(step: Step, field: Field) -> object:
        shown.append(repr(step))
        return usual(step, field)

    made = study(items=2)
    secret = tuple(one.model_copy(update={"gold": "SBM", "secret_column": "tell-tale"}) for one in made.items)
    object.__setattr__(made, "items", secret)
    object.__setattr__(made, "_by_id", {one.id: one for one in secret})
    await walk(await Sitting(made).visit(), answers=answers)
    assert shown
    assert not [one for one in shown if "tell-tale" in one or "gold" in one]


async def test_long_questionnaires_come_in_screens_of_eight() -> None:
    questions = [{**QUESTION, "id": f"q{n}"} for n in range(17)]
    sitting = Sitting(study(questionnaire=questions))
    visit = await sitting.visit()
    sizes = []
    for n in (1, 2, 3):
        step = await walk(visit, at(f"questions:{n}"))
        assert isinstance(step, Step)
        sizes.append(len(step.fields))
    assert sizes == [8, 8, 1]


async def test_replaying_a_stream_gives_the_state_the_visit_had() -> None:
    sitting = Sitting(study(items=3, training=2, questionnaire=[QUESTION]))
    visit = await sitting.visit()
    while not isinstance(visit.current, Done):
        again = Visit(sitting.study, sitting.events, sitting.journal, sitting.clock)
        assert again.state == visit.state
        assert again.current == visit.current
        step = visit.current
        name = visit.next_ask()
        assert name is not None
        await visit.answer(step.ask_id(name), usual(step, step.field(name)), walk=True)
    assert visit.state.end == "completed"


@pytest.mark.parametrize(
    ("until", "standing"),
    [
        ("consent", "invited"),
        ("instructions", "consented"),
        ("training", "training"),
        ("main", "working"),
        ("rest", "resting"),
    ],
)
async def test_where_a_participation_stands(until: str, standing: str) -> None:
    made = study(items=4, training=1, design={"kind": "crossed", "participants": 1, "block": 2})
    sitting = Sitting(made)
    visit = await sitting.visit()
    await walk(visit, at(until))
    assert visit.protocol.standing(visit.state) == standing
    await visit.pause()
    assert visit.protocol.standing(visit.state) == "paused"


def test_an_empty_stream_asks_for_consent_first() -> None:
    protocol = Protocol(study())
    assert protocol.current_id(State()) == "consent"


async def test_the_submitted_annotation_says_everything() -> None:
    sitting = Sitting(study(items=1))
    answers = {"dominant": "HCO", "additional": ["SBM"], "confidence": 4, "note": "a\n\u202eb", "flag": True}
    visit = await sitting.visit()
    step = await walk(visit, at("main"), answers)
    assert isinstance(step, Step)
    await visit.shown(step)
    sitting.clock.move(seconds=7)
    await walk(visit, at("debrief"), answers)
    made = [one.payload for one in sitting.events if isinstance(one.payload, AnnotationSubmitted)]
    assert made == [
        AnnotationSubmitted(
            step="main:1:i1",
            item="i1",
            number=1,
            revision=1,
            role="main",
            block=1,
            dominant="HCO",
            additional=("SBM",),
            confidence=4,
            note="a\n\u202eb",
            flag=True,
            elapsed_ms=7000,
        )
    ]


@pytest.mark.parametrize(
    ("right", "asked", "mark"), [(7, 25, 0.28), (2, 3, 2 / 3), (1, 10, 0.1), (3, 3, 1.0)]
)
def test_a_pass_mark_is_reached_by_exactly_its_share(right: int, asked: int, mark: float) -> None:
    assert _reached(right, asked, mark)
    assert not _reached(right - 1, asked, mark)
