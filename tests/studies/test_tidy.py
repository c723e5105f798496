"""Tidy rows: every answer once, with its time, and nothing of people who do not want it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.studies import study
from support.visits import Sitting, at, walk

from studies import payloads as said
from studies.activity import Attention, active_ms
from studies.annotation.rows import ANNOTATIONS, CHECKS, PASSES, AnnotationRow
from studies.annotation.tidy import aggregated_rows, tidy
from studies.desk import AnnotationAdjudicated, SlotReleased
from studies.events import Chain, Event, Payload
from studies.publication import ATTENDANCE, release
from studies.rows import pseudonym, visit_rows
from studies.tables import Column, Time, columns

AT = "2026-03-02T09:00:00.000Z"
PUBLISH = [
    {"id": "take-part", "text": "I take part."},
    {"id": "publish", "text": "Publish.", "required": False, "covers": "publication"},
]


def stream(*payloads: Payload) -> list[Event]:
    chain = Chain("stream")
    return [chain.make(one, AT) for one in payloads]


# -- active time ---------------------------------------------------------------------------------

TIMES = st.lists(st.integers(0, 10**6), max_size=30)


@given(TIMES, st.integers(0, 10**6), st.integers(0, 10**6))
def test_active_time_is_the_whole_less_the_long_gaps(samples: list[int], end: int, idle: int) -> None:
    points = sorted({0, end, *(one for one in samples if one < end)})
    gaps = [after - before for before, after in pairwise(points)]
    assert active_ms(samples, end, idle) == sum(gap for gap in gaps if gap <= idle)


@given(TIMES, st.integers(0, 10**6), st.integers(0, 10**6), st.integers(0, 10**6))
def test_a_higher_threshold_never_takes_time_away(samples: list[int], end: int, one: int, two: int) -> None:
    low, high = sorted((one, two))
    assert 0 <= active_ms(samples, end, low) <= active_ms(samples, end, high) <= end


@pytest.mark.parametrize(
    ("samples", "end", "active"),
    [([], 119_000, 119_000), ([], 121_000, 0), ([1_000], 200_000, 1_000), ([100_000], 200_000, 200_000)],
)
def test_a_gap_longer_than_the_threshold_is_idle(samples: list[int], end: int, active: int) -> None:
    assert active_ms(samples, end, 120_000) == active


def test_a_step_that_was_broken_off_counts_to_its_last_sign_of_life() -> None:
    attention = Attention()
    for one in stream(
        said.StepShown("s", 1),
        said.Activity("s", 1, ((1_000, "key"), (4_000, "key"))),
        said.StepShown("s", 1),
        said.Activity("s", 1, ((500, "mouse"),)),
        said.StepShown("s", 2),
    ):
        attention.take(one)
    assert attention.active_ms("s", 1, 2_000, 120_000) == 4_000 + 2_000
    assert attention.active_ms("s", 2, 2_000, 120_000) is None
    assert attention.shown_at("s", 1) == AT
    assert attention.shown_at("other", 1) is None


# -- what may leave ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "withheld"), [(True, None), (False, "publication refused"), (None, "publication refused")]
)
async def test_publication_needs_a_yes(answer: bool | None, withheld: str | None) -> None:
    sitting = Sitting(study(consent=PUBLISH))
    await walk(await sitting.visit(), answers={"publish": answer is True})
    events = sitting.events
    if answer is None:
        events = stream(*(one.payload for one in events if one.kind == "participation_opened"))
        events += stream(said.ConsentGiven({"take-part": True}, "0"))
    released = release(sitting.study.settings, events)
    assert released.withheld == withheld
    kept = {one.kind for one in released.events if one.body}
    assert kept <= ATTENDANCE if withheld else kept == {one.kind for one in events}
    assert [one.hash for one in released.events] == [one.hash for one in events]


async def test_nothing_leaves_before_consent_or_after_a_withdrawal() -> None:
    sitting = Sitting(study())
    visit = await sitting.visit()
    assert release(sitting.study.settings, sitting.events).withheld == "no consent"
    await walk(visit, at("main:1:"))
    assert release(sitting.study.settings, sitting.events).withheld is None
    await visit.withdraw()
    released = release(sitting.study.settings, sitting.events)
    assert released.withheld == "withdrawn"
    assert [one.kind for one in released.events if one.body] == [
        "participation_opened",
        "participation_withdrawn",
    ]


async def test_releasing_again_changes_nothing() -> None:
    for consent, leave in ((PUBLISH, False), (PUBLISH, True), (PUBLISH[:1], False)):
        sitting = Sitting(study(consent=consent))
        visit = await sitting.visit()
        await walk(visit, answers={"publish": False})
        if leave:
            await visit.withdraw()
        once = release(sitting.study.settings, sitting.events)
        assert release(sitting.study.settings, once.events) == once
    erased = [one.erased() for one in sitting.events]
    assert release(sitting.study.settings, erased).withheld == "erased"


# -- rows ----------------------------------------------------------------------------------------


async def test_the_rows_of_a_whole_visit() -> None:
    asked = [{"id": "q", "text": "Well?", "kind": "text"}]
    design = {"kind": "everything", "repeats": 1, "checks": 1}
    made = study(items=20, training=2, checks=1, design=design, questionnaire=asked)
    sitting = Sitting(made)
    await walk(await sitting.visit())
    tables = tidy(made, {sitting.stream: release(made.settings, sitting.events)}, [])
    roles = [one.role for one in tables.annotations]
    assert (roles.count("main"), roles.count("repeat"), len(roles)) == (20, 1, 21)
    assert [one.item for one in tables.checks] == ["c1"]
    places = [one.position for one in (*tables.annotations, *tables.checks)]
    assert sorted(places, key=int) == list(range(1, 23))
    again = next(one for one in tables.annotations if one.role == "repeat")
    assert again.pass_ == 2
    assert again.latest
    assert [one.attempt for one in tables.training] == [1, 1]
    assert [one.question for one in tables.questionnaire] == ["q"]
    assert [(one.visit, one.end) for one in tables.visits] == [(1, "completed")]
    assert [(one.state, one.assigned, one.done) for one in tables.participants] == [("completed", 20, 20)]
    assert [one.set for one in tables.materials] == ["main"] * 20 + ["training"] * 2 + ["check"]
    assert {one.raters for one in tables.aggregated} == {1}


async def test_a_slot_that_was_released_is_marked() -> None:
    sitting = Sitting(study())
    await walk(await sitting.visit(), at("main:1:"))
    freed = SlotReleased(sitting.study.sha256, sitting.stream, "someone", 1)
    streams = {sitting.stream: release(sitting.study.settings, sitting.events)}
    [person] = tidy(sitting.study, streams, stream(freed)).participants
    assert (person.state, person.counted) == ("dropped", False)


def test_the_last_decision_of_each_adjudicator_is_marked() -> None:
    made = study()

    def decision(who: str, label: str, of: str = made.sha256) -> AnnotationAdjudicated:
        return AnnotationAdjudicated(of, "i1", who, label, (), "because")

    desk = stream(
        decision("a", "DCP"), decision("b", "SLM"), decision("a", "CCM"), decision("c", "ICU", "another")
    )
    rows = tidy(made, {}, desk).adjudicated
    assert [(one.adjudicator, one.dominant, one.latest) for one in rows] == [
        ("a", "DCP", False),
        ("b", "SLM", True),
        ("a", "CCM", True),
    ]


def label(item: str, who: str, dominant: str, **changes: Any) -> AnnotationRow:
    base = {"pass_": 1, "revision": 1, "latest": True, "additional": (), "confidence": None, "note": ""}
    rest = {"flag": False, "active_ms": None, "shown_at": None, "submitted_at": AT, "role": "main"}
    places = {"block": 1, "position": 1, "elapsed_ms": 0}
    return AnnotationRow(item=item, participant=who, dominant=dominant, **(base | rest | places | changes))


def test_votes_count_first_passes_of_main_items_only() -> None:
    labels = [
        label("a", "p", "DCP", latest=False),
        label("a", "p", "SLM", revision=2, additional=("ICU",)),
        label("a", "q", "SLM"),
        label("a", "r", "CCM"),
        label("a", "p", "ICU", pass_=2, role="repeat"),
        label("b", "p", "DCP"),
        label("b", "q", "SLM"),
        label("b", "q", "NONE", role="check"),
    ]
    first, second, third = aggregated_rows(["a", "b", "c"], labels)
    assert (first.raters, first.counts, first.dominant, first.share) == (
        3,
        {"CCM": 1, "SLM": 2},
        "SLM",
        2 / 3,
    )
    assert first.additional == {"ICU": 1}
    assert (second.dominant, second.share) == (None, None)
    assert second.undefined_reason == "a tie between DCP, SLM with 1 each"
    assert (third.raters, third.undefined_reason) == (0, "nobody has annotated this item")


def test_a_visit_that_was_cut_off_has_no_end() -> None:
    rows = list(
        visit_rows(
            stream(
                said.VisitStarted("tui"),
                said.StepShown("s", 1),
                said.VisitStarted("plain"),
                said.VisitEnded("paused"),
                said.ParticipationBlocked(9.0, 7.0),
            ),
            "p",
        )
    )
    assert [(one.visit, one.front_end, one.end) for one in rows] == [(1, "tui", None), (2, "plain", "paused")]


async def test_who_was_seated_and_never_began_has_no_visit() -> None:
    sitting = Sitting(study())
    streams = {sitting.stream: release(sitting.study.settings, sitting.events)}
    tables = tidy(sitting.study, streams, [])
    assert tables.visits == ()
    assert [(one.state, one.withheld) for one in tables.participants] == [("invited", "no consent")]


def test_pseudonyms_are_stable_and_tell_nothing() -> None:
    assert pseudonym("00ff") == pseudonym("00ff") != pseudonym("00fe")
    assert "00ff" not in pseudonym("00ff")


# -- columns -------------------------------------------------------------------------------------


def test_annotations_have_the_contracts_keys_and_what_else_is_known_lies_apart() -> None:
    keys = (
        "item participant pass revision latest dominant additional confidence note flag active_ms shown_at "
        "submitted_at"
    )
    row = label("i", "p", "DCP", role="repeat", pass_=2)
    assert list(ANNOTATIONS.values(row)) == list(CHECKS.values(row)) == keys.split()
    more = {"role": "repeat", "block": 1, "position": 1, "elapsed_ms": 0}
    assert PASSES.values(row) == {"item": "i", "participant": "p", "pass": 2, "revision": 1} | more


def test_columns_come_from_the_row_class() -> None:
    assert ANNOTATIONS.columns[2].name == "pass"
    types = {one.name: (one.type, one.nullable) for one in ANNOTATIONS.columns}
    assert types["additional"] == ("list", False)
    assert types["shown_at"] == ("time", True)
    assert types["confidence"] == ("integer", True)
    values = ANNOTATIONS.values(label("i", "p", "DCP", additional=("SLM",)))
    assert list(values) == [one.name for one in ANNOTATIONS.columns]
    assert values["additional"] == ["SLM"]


def test_a_column_without_a_description_is_refused() -> None:
    @dataclass
    class Row:
        described: Annotated[Time, "When."]
        bare: int

    with pytest.raises(TypeError, match=r"Row\.bare has no description"):
        columns(Row)
    assert Column("a", "text", False, "x") != Column("a", "text", True, "x")
