"""The agreement of a study: from streams to figures, and what is printed beside them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from support.studies import study as make_study
from support.visits import Sitting, walk

from studies.annotation.adjudication import Adjudicator, decide, queue
from studies.annotation.counting import annotators, count
from studies.annotation.metrics import StudyAgreement, deviations, looks, study_agreement
from studies.desk import DeviationNoted, Look
from studies.events import Chain, Event, Payload
from studies.steps import Field, Step
from studies.study import Study

FLEISS = ("DCP DCP", "DCP SLM", "SLM SLM", "HCO HCO", "ICU DCP", "ICU ICU")
"""Labels of two raters on six items. Margins: DCP 4, SLM 3, HCO 2, ICU 3 of 12."""
KAPPA = (4 / 6 - (16 + 9 + 4 + 9) / 144) / (1 - (16 + 9 + 4 + 9) / 144)


def pair(**changes: Any) -> Study:
    design = {"kind": "crossed", "participants": 2, "block": 6} | changes.pop("design", {})
    return make_study(items=6, design=design, analysis=changes.pop("analysis", {"bootstrap": 100}), **changes)


async def sat(study: Study, slot: int, rater: int, **more: Any) -> Sitting:
    """A whole participation that gives the labels of one rater of `FLEISS`."""

    def answer(step: Step, field: Field) -> Any:
        if field.name == "dominant":
            number = int((step.about or "i1")[1:])
            return FLEISS[(number - 1) % 6].split()[rater] if (step.about or "").startswith("i") else "DCP"
        return more.get(field.name, {"take-part": True, "additional": [], "confidence": 3}.get(field.name))

    sitting = Sitting(study, slot)
    await walk(await sitting.visit(), answers=answer)
    return sitting


def found(study: Study, *sittings: Sitting, desk: tuple[Event, ...] = ()) -> StudyAgreement:
    return study_agreement(study, {one.stream: one.events for one in sittings}, desk)


def desk_events(*payloads: Payload) -> tuple[Event, ...]:
    chain = Chain("desk")
    return tuple(chain.make(one, f"2026-03-02T09:00:{at:02}.000Z") for at, one in enumerate(payloads))


async def test_a_study_comes_out_as_the_kappa_of_its_labels() -> None:
    study = pair()
    got = found(study, await sat(study, 1, 0), await sat(study, 2, 1))
    assert got.report.fleiss_kappa.value == pytest.approx(KAPPA)
    assert (got.report.items, got.report.raters, got.report.ratings) == (6, 2, 12)
    assert (got.completed, got.planned_n, got.reached, got.participants) == (2, 2, True, 2)
    assert got.report.categories == ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER")
    assert got.completed_blocks.value == got.report.fleiss_kappa.value
    assert (got.adjudicators, got.not_counted, got.looks) == (None, (), ())


async def test_gold_is_compared_and_enters_no_agreement() -> None:
    study = pair()
    got = found(study, await sat(study, 1, 0), await sat(study, 2, 1)).report.against_gold
    right = sum(
        FLEISS[n].split()[rater] == item.gold for n, item in enumerate(study.items) for rater in (0, 1)
    )
    assert (got.items, got.ratings, got.accuracy) == (6, 12, right / 12)


async def test_what_a_reader_must_know_is_printed_with_it() -> None:
    plan = {"bootstrap": 100, "known_deviations": ["no pass mark"]}
    study = pair(analysis=plan, annotation={"tie_break": False})
    desk = desk_events(
        DeviationNoted(study.sha256, "the fire alarm went off"), DeviationNoted("another", "elsewhere")
    )
    got = found(study, await sat(study, 1, 0), desk=desk)
    assert not got.reached
    assert got.report.circumstances.tie_break is False
    flags = "\n".join(got.report.flags)
    assert "1 of 2 participations" in flags
    assert "no tie-break rule" in flags
    assert deviations(study, desk) == ("no pass mark", "the fire alarm went off")
    assert "elsewhere" not in flags


async def test_declared_exclusions_are_told_with_and_without() -> None:
    plan = {"bootstrap": 100, "exclusions": {"checks_failed": 1}}
    design = {"kind": "crossed", "participants": 3, "block": 24, "checks": 1}
    study = make_study(items=24, checks=1, design=design, analysis=plan)
    sittings = [await sat(study, 1, 0), await sat(study, 2, 1)]

    def heeding(step: Step, field: Field) -> Any:
        if field.name == "dominant":
            return "NONE" if step.about == "c1" else "DCP"
        return {"take-part": True, "additional": [], "confidence": 3}.get(field.name)

    for slot in (1, 3):
        attentive = Sitting(study, slot)
        await walk(await attentive.visit(), answers=heeding)
        sittings.append(attentive)
    got = found(study, *sittings)
    assert got.participants == 2
    assert got.completed == 4
    assert len(got.report.excluded.raters) == 2
    assert got.report.fleiss_kappa.undefined_reason, "those who are left gave one label"
    assert got.report.excluded.with_excluded is not None
    assert got.report.excluded.with_excluded.ratings == 4 * 24
    assert got.report.excluded.with_excluded.value is not None


async def test_nothing_to_count_is_said_not_invented() -> None:
    study = pair()
    got = found(study)
    assert got.report.fleiss_kappa.value is None
    assert got.report.fleiss_kappa.undefined_reason
    assert got.completed_blocks.value is None
    json.dumps(got.to_json())


async def test_repeats_are_compared_with_the_first_showing() -> None:
    design = {"kind": "crossed", "participants": 1, "block": 22, "repeats": 2}
    study = make_study(items=22, design=design, analysis={"bootstrap": 100})
    got = found(study, await sat(study, 1, 0)).report.intra_rater
    assert (got.pairs, got.percent_agreement) == (2, 1.0)


async def test_items_with_too_many_raters_are_named() -> None:
    study = pair()
    sittings = [await sat(study, slot, slot % 2) for slot in (1, 2, 2)]
    got = found(study, *sittings)
    assert got.report.over_collected == ("i1", "i2", "i3", "i4", "i5", "i6")


async def test_looks_are_counted_in_their_order() -> None:
    desk = desk_events(
        Look("s", "agreement", "a first check", 3, 20), Look("other", "agreement", "no", 1, 2),
        Look("s", "agreement", "again", 9, 20),
    )  # fmt: skip
    assert [(one.reason, one.completed) for one in looks(desk, "s")] == [("a first check", 3), ("again", 9)]


async def test_two_adjudicators_have_a_kappa_of_their_own_and_change_no_other() -> None:
    study = pair()
    sittings = [await sat(study, 1, 0), await sat(study, 2, 1)]
    before = found(study, *sittings)
    counted = count(annotators(study, {one.stream: one.events for one in sittings}, ())).main
    said: list[Payload] = []
    for name, labels in (("alice", ("DCP", "SLM", "ICU")), ("bob", ("DCP", "SLM", "SLM"))):
        who = Adjudicator(name)
        cases = sorted(queue(study, counted, (), who), key=lambda one: one.item)
        assert len(cases) == 3, "two disagreements and a tenth of four"
        for case, label in zip(cases, labels, strict=True):
            said.append(decide(study, case, who, "independent", dominant=label, additional=(), reason="so"))
    one_only = found(study, *sittings, desk=desk_events(*said[:3]))
    assert one_only.adjudicators is None
    both = found(study, *sittings, desk=desk_events(*said))
    assert both.report == before.report
    assert both.adjudicators is not None
    assert (both.adjudicators.items, both.adjudicators.ratings) == (3, 6)
    chance = (2 / 6) ** 2 + (3 / 6) ** 2 + (1 / 6) ** 2
    assert both.adjudicators.value == pytest.approx((2 / 3 - chance) / (1 - chance))


async def test_the_json_is_plain_and_has_the_keys_of_the_contract() -> None:
    study = pair()
    got = json.loads(json.dumps(found(study, await sat(study, 1, 0), await sat(study, 2, 1)).to_json()))
    expected = (
        "study items raters ratings unit categories fleiss_kappa fleiss_levin_paik bootstrap "
        "shared_rater_interval per_category percent_agreement krippendorff_alpha gwet_ac1 masi_alpha "
        "cohen_pairs confusion escape_codes intra_rater against_gold items_with_unequal_raters "
        "over_collected excluded"
    )
    assert set(expected.split()) <= set(got)
    assert got["unit"] == "dominant"
    assert not any("take-part" in one for one in got["excluded"]["raters"])


def test_importing_the_models_loads_neither_numpy_nor_textual() -> None:
    models = ("counting", "adjudication", "metrics")
    modules = ["studies.progress", *(f"studies.annotation.{one}" for one in models)]
    code = (
        f"import sys\nfor one in {modules!r}: __import__(one)\n"
        "print([one for one in ('numpy', 'scipy', 'textual', 'pydantic') if one in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
