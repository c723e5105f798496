"""Adjudication: what is asked, of whom, and how blind."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.studies import study as make_study
from support.visits import Sitting, walk

from studies.annotation.adjudication import (
    Adjudicator,
    Mode,
    adjudicator,
    adjudicator_ratings,
    decide,
    queue,
    sample,
)
from studies.annotation.rows import AnnotationRow
from studies.desk import AnnotationAdjudicated
from studies.errors import InputError
from studies.events import Chain, Event
from studies.payloads import ParticipationOpened
from studies.ports import ParticipationRecord
from studies.rows import pseudonym

ALICE, BOB = Adjudicator("alice"), Adjudicator("bob")


def row(item: str, participant: str, dominant: str, additional: tuple[str, ...] = ()) -> AnnotationRow:
    return AnnotationRow(
        item=item,
        participant=participant,
        pass_=1,
        revision=1,
        latest=True,
        dominant=dominant,
        additional=additional,
        confidence=5,
        note="",
        flag=False,
        active_ms=None,
        shown_at=None,
        submitted_at="",
        role="main",
        block=1,
        position=1,
        elapsed_ms=1,
    )


def rows(**items: Sequence[str]) -> list[AnnotationRow]:
    return [
        row(item, f"p{place}", label) for item, labels in items.items() for place, label in enumerate(labels)
    ]


class DeskOf:
    """A desk in memory that decides."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._chain = Chain("desk")

    def say(self, payload: AnnotationAdjudicated) -> None:
        at = f"2026-03-02T09:00:{len(self.events):02}.000Z"
        self.events.append(self._chain.make(payload, at))


def test_disagreements_and_a_tenth_of_the_agreed_items_are_asked() -> None:
    study = make_study(items=40)
    split = {f"i{n}": ("DCP", "SLM") for n in range(1, 11)}
    agreed = {f"i{n}": ("ICU", "ICU") for n in range(11, 36)}
    alone = {f"i{n}": ("ICU",) for n in range(36, 40)}
    cases = queue(study, rows(**split, **agreed, **alone), [], ALICE)
    assert {one.item for one in cases if not one.agreed} == set(split)
    assert sum(one.agreed for one in cases) == math.ceil(0.1 * 25)
    assert {one.item for one in cases if one.agreed} == sample(study, agreed)
    assert not {one.item for one in cases} & set(alone)


def test_labels_come_once_each_without_names_and_counts() -> None:
    study = make_study(items=1)
    many = [*rows(i1=("DCP", "DCP", "DCP", "SLM")), row("i1", "p9", "HCO", ("CCM", "ICU"))]
    (case,) = queue(study, many, [], ALICE)
    assert sorted(case.labels) == ["DCP", "HCO", "SLM"]
    assert sorted(case.additional) == ["CCM", "ICU"]
    shown = {spec.name for spec in dataclasses.fields(case)}
    assert shown == {"item", "labels", "additional", "agreed", "decided"}


@given(st.permutations(["DCP", "SLM", "CCM", "HCO"]), st.text(min_size=1, max_size=5))
@settings(max_examples=50)
def test_the_order_of_labels_does_not_depend_on_who_gave_them(order: list[str], name: str) -> None:
    study = make_study(items=1)
    usual = queue(study, rows(i1=("DCP", "SLM", "CCM", "HCO")), [], Adjudicator(name))
    other = queue(study, rows(i1=order), [], Adjudicator(name))
    assert usual == other


def test_orders_are_drawn_for_each_item_and_adjudicator() -> None:
    study = make_study(items=40)
    split = rows(**{f"i{n}": ("DCP", "SLM") for n in range(1, 41)})
    mine, theirs = queue(study, split, [], ALICE), queue(study, split, [], BOB)
    assert mine == queue(study, split, [], ALICE)
    assert [one.item for one in mine] != [one.item for one in theirs]
    assert {one.labels for one in mine} == {("DCP", "SLM"), ("SLM", "DCP")}
    first_of = {one.item: one.labels for one in theirs}
    assert any(first_of[one.item] != one.labels for one in mine)


def test_the_sample_grows_with_the_agreed_items() -> None:
    study = make_study(items=1)
    items = [f"x{n}" for n in range(200)]
    assert sample(study, []) == set()
    assert len(sample(study, items[:1])) == 1
    assert len(sample(study, items)) == 20
    assert sample(study, items) == sample(study, items[::-1])
    other = dataclasses.replace(study, settings=study.settings.model_copy(update={"seed": 8}))
    assert sample(study, items) != sample(other, items)


def test_own_items_are_for_others_unless_it_is_a_consensus() -> None:
    study = make_study(items=2)
    split = rows(i1=("DCP", "SLM"), i2=("DCP", "SLM"))
    rater = Adjudicator("p-1", frozenset({"i1"}))
    assert [one.item for one in queue(study, split, [], rater)] == ["i2"]
    assert {one.item for one in queue(study, split, [], rater, "consensus")} == {"i1", "i2"}


async def test_a_participants_code_stands_for_their_pseudonym_and_their_items() -> None:
    study = make_study(items=2)
    sitting = Sitting(study, pilot=True)
    await walk(await sitting.visit())
    opened = sitting.events[0].payload
    assert isinstance(opened, ParticipationOpened)
    records = [
        ParticipationRecord(sitting.stream, study.sha256, opened.participant, "K7-Q", 1),
        ParticipationRecord(None, study.sha256, "nobody", None, 2),
    ]
    streams = {sitting.stream: sitting.events}
    known = adjudicator(" k7-q ", records, streams)
    assert known == Adjudicator(pseudonym(opened.participant), frozenset({"i1", "i2"}))
    assert "K7-Q" not in known.name
    assert adjudicator("Dr. Who", records, streams) == Adjudicator("Dr. Who")
    with pytest.raises(InputError, match="blank"):
        adjudicator(" ", records, streams)


def test_a_decision_is_found_again_and_can_be_changed() -> None:
    study, desk = make_study(items=3), DeskOf()
    split = rows(i1=("DCP", "SLM"), i2=("DCP", "SLM"), i3=("ICU", "ICU"))
    case = queue(study, split, desk.events, ALICE)[0]

    def decided(label: str) -> str | None:
        desk.say(decide(study, case, ALICE, "independent", dominant=label, additional=(), reason="so"))
        found = next(one for one in queue(study, split, desk.events, ALICE) if one.item == case.item)
        return found.decided.dominant if found.decided else None

    assert decided("DCP") == "DCP"
    assert decided("SLM") == "SLM"
    assert all(one.decided is None for one in queue(study, split, desk.events, BOB))
    settled = [one for one in split if one.item != case.item]
    assert case.item not in {one.item for one in queue(study, settled, desk.events, ALICE)}, "no label counts"


def test_what_was_decided_stays_in_the_queue_when_the_raters_come_to_agree() -> None:
    study, desk = make_study(items=30), DeskOf()
    split = rows(i1=("DCP", "SLM"))
    (case,) = queue(study, split, [], ALICE)
    desk.say(decide(study, case, ALICE, "independent", dominant="DCP", additional=(), reason="so"))
    agreed = rows(**{f"i{n}": ("DCP", "DCP") for n in range(1, 31)})
    assert "i1" in {one.item for one in queue(study, agreed, desk.events, ALICE)}


def test_a_decision_says_what_was_shown() -> None:
    study = make_study(items=1)
    (case,) = queue(study, rows(i1=("DCP", "SLM")), [], ALICE)
    made = decide(
        study, case, ALICE, "consensus", dominant="HCO", additional={"ICU", "DCP"}, reason=" the schema \n"
    )
    assert (made.dominant, made.additional, made.reason) == ("HCO", ("DCP", "ICU"), "the schema")
    assert (made.labels, made.mode, made.sampled_agreement) == (case.labels, "consensus", False)
    assert (made.study, made.item, made.adjudicator) == (study.sha256, "i1", "alice")


@pytest.mark.parametrize(
    ("dominant", "additional", "reason", "message"),
    [
        (None, (), "so", "expected one of"),
        ("XYZ", (), "so", "expected one of"),
        ("NONE", ("DCP",), "so", "cannot be additional"),
        ("DCP", ("DCP",), "so", "cannot be additional"),
        ("DCP", ("NONE",), "so", "cannot be additional"),
        ("DCP", (), " \n", "reason is blank"),
    ],
)
def test_a_decision_that_cannot_be_is_refused(
    dominant: str | None, additional: tuple[str, ...], reason: str, message: str
) -> None:
    study = make_study(items=1)
    (case,) = queue(study, rows(i1=("DCP", "SLM")), [], ALICE)
    with pytest.raises(InputError, match=message):
        decide(study, case, ALICE, "independent", dominant=dominant, additional=additional, reason=reason)


def test_without_escapes_an_adjudicator_has_none_either() -> None:
    study = make_study(items=1, annotation={"escapes": False})
    (case,) = queue(study, rows(i1=("DCP", "SLM")), [], ALICE)
    with pytest.raises(InputError, match="expected one of"):
        decide(study, case, ALICE, "independent", dominant="NONE", additional=(), reason="so")


def test_adjudicators_have_ratings_of_their_own() -> None:
    study, desk = make_study(items=2), DeskOf()
    split = rows(i1=("DCP", "SLM"), i2=("DCP", "SLM"))

    def say(who: Adjudicator, item: str, label: str, mode: Mode = "independent") -> None:
        case = next(one for one in queue(study, split, desk.events, who, mode) if one.item == item)
        desk.say(decide(study, case, who, mode, dominant=label, additional=(), reason="so"))

    say(ALICE, "i1", "DCP")
    say(ALICE, "i1", "SLM")
    say(BOB, "i1", "DCP")
    say(BOB, "i2", "DCP", "consensus")
    found: list[Any] = adjudicator_ratings(desk.events, study.sha256)
    assert {(one.item, one.rater, one.label) for one in found} == {
        ("i1", "alice", "SLM"),
        ("i1", "bob", "DCP"),
    }
    assert adjudicator_ratings(desk.events, "another") == []
