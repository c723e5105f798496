"""The whole report: its keys, its readings, and what it says about how it was made."""

from __future__ import annotations

import json

import numpy as np
import pytest
from support.tables import by_rater, diagnoses, four_coders

from studies.agreement import cohen
from studies.agreement.cohen import cohen_pairs
from studies.agreement.escapes import CONDITIONAL, NONE_LEFT, NOT_USED, escape_readings
from studies.agreement.fleiss import fleiss_kappa
from studies.agreement.gwet import gwet_ac1
from studies.agreement.ratings import Rating, Ratings
from studies.agreement.report import Circumstances, agreement
from studies.agreement.summary import lines
from studies.errors import InputError

pytestmark = pytest.mark.filterwarnings("error")
CONTRACT = [
    "study", "items", "raters", "ratings", "unit", "categories", "fleiss_kappa", "fleiss_levin_paik",
    "bootstrap", "shared_rater_interval", "per_category", "percent_agreement", "krippendorff_alpha",
    "gwet_ac1", "masi_alpha", "cohen_pairs", "confusion", "escape_codes", "intra_rater", "against_gold",
    "items_with_unequal_raters", "over_collected", "excluded",
]  # fmt: skip


def with_escapes() -> Ratings:
    return by_rater(
        x="DCP DCP SLM NONE OTHER SLM DCP", y="DCP SLM SLM NONE NONE SLM DCP", z="DCP DCP SLM SLM OTHER . SLM"
    )


def test_the_keys_are_the_contracts() -> None:
    found = agreement(diagnoses(), study="pilot@2", resamples=200).to_json()
    assert [key for key in found if key in CONTRACT] == CONTRACT
    for key, inner in {
        "fleiss_kappa": "value method se_null z p ci_low ci_high ci_method undefined_reason",
        "fleiss_levin_paik": "value z",
        "bootstrap": "items sets seed",
        "shared_rater_interval": "ci_low ci_high",
        "krippendorff_alpha": "value",
        "gwet_ac1": "value se ci_low ci_high",
        "masi_alpha": "value",
        "escape_codes": "all merged none_used",
    }.items():
        assert set(inner.split()) <= set(found[key]), key
    assert set(found["per_category"]) == set("ABCDE")
    assert {"value", "se_null", "z", "p"} <= set(found["per_category"]["A"])
    assert (found["study"], found["unit"], found["items"], found["ratings"]) == (
        "pilot@2",
        "dominant",
        30,
        180,
    )
    assert found == json.loads(json.dumps(found, allow_nan=False))


def test_the_three_readings_of_escape_codes() -> None:
    ratings = with_escapes()
    found = agreement(ratings, resamples=200).escape_codes
    assert found.all.value == fleiss_kappa(ratings).value
    merged = {"NONE": "E", "OTHER": "E"}
    names = [(ratings.items[i], ratings.raters[r], ratings.categories[c]) for i, r, c in _rows(ratings)]
    as_one = Ratings.of(Rating(item, rater, merged.get(label, label)) for item, rater, label in names)
    escaped = {item for item, _, label in names if label in merged}
    clean = Ratings.of(Rating(*row) for row in names if row[0] not in escaped)
    assert found.merged.value == pytest.approx(fleiss_kappa(as_one).value)
    assert found.none_used.value == pytest.approx(fleiss_kappa(clean).value)
    assert (found.none_used.items, found.none_used.share_kept) == (5, 5 / 7)
    assert found.none_used.note == CONDITIONAL
    assert "conditional and optimistic" in CONDITIONAL
    assert found.used == pytest.approx(5 / 20)


def _rows(ratings: Ratings) -> list[tuple[int, int, int]]:
    return list(zip(ratings.item.tolist(), ratings.rater.tolist(), ratings.label.tolist(), strict=True))


def test_without_escapes_the_readings_are_one() -> None:
    found = agreement(diagnoses(), resamples=200).escape_codes
    assert found.all == found.merged == found.none_used
    assert (found.all.note, found.used, found.all.share_kept) == (NOT_USED, 0.0, 1.0)


def test_an_escape_on_every_item_leaves_nothing_to_read() -> None:
    ratings = by_rater(x="A NONE B", y="NONE A NONE")
    found = escape_readings(ratings, ("NONE", "OTHER"), fleiss_kappa(ratings)).none_used
    assert (found.value, found.items, found.share_kept, found.undefined_reason) == (None, 0, 0.0, NONE_LEFT)


def test_a_look_alike_of_an_escape_code_is_named() -> None:
    found = agreement(by_rater(x="A other", y="A none"), resamples=200)
    assert found.escape_codes.used == 0
    assert len(found.warnings) == 2
    assert "'OTHER', 'other'" in found.warnings[1]


def test_gold() -> None:
    ratings = by_rater(x="A A B B", y="A B B C", z="A . . .")
    gold = {"item 000": "A", "item 001": "A", "item 002": "B", "elsewhere": "Z"}
    found = agreement(ratings, gold=gold, resamples=200).against_gold
    assert (found.items, found.ratings, found.accuracy) == (3, 7, 6 / 7)
    # Margins of gold: A 5, B 2; of ratings: A 4, B 3.
    assert found.kappa == pytest.approx((6 / 7 - 26 / 49) / (1 - 26 / 49))
    assert found.categories == ("A", "B", "C", "Z")
    assert found.confusion == ((4, 1, 0, 0), (0, 2, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    assert [(one.rater, one.ratings, one.accuracy) for one in found.raters] == [
        ("x", 3, 1.0), ("y", 3, 2 / 3), ("z", 1, 1.0),
    ]  # fmt: skip
    assert found.raters[2].undefined_reason == "there is a single item"
    assert agreement(ratings, gold=gold, resamples=200).fleiss_kappa == fleiss_kappa(
        ratings, permutations=200
    )


def test_a_rater_against_themself() -> None:
    ratings = by_rater(x="A A B B", y="A B B C")
    again = [
        Rating("item 000", "x", "A"), Rating("item 002", "x", "A"), Rating("item 003", "y", "C"),
        Rating("item 001", "y", "B"), Rating("item 009", "y", "B"), Rating("item 000", "nobody", "B"),
    ]  # fmt: skip
    found = agreement(ratings, repeats=again, resamples=200).intra_rater
    assert (found.pairs, found.percent_agreement, found.unmatched) == (4, 3 / 4, 2)
    # First: A, B, B, C; again: A, A, B, C.
    assert found.kappa == pytest.approx((3 / 4 - 5 / 16) / (1 - 5 / 16))
    assert found.confusion == ((1, 0, 0), (1, 1, 0), (0, 0, 1))
    assert [(one.rater, one.pairs, one.percent_agreement) for one in found.raters] == [
        ("x", 2, 0.5),
        ("y", 2, 1.0),
    ]
    assert agreement(ratings, resamples=200).intra_rater.undefined_reason
    with pytest.raises(InputError, match="twice"):
        agreement(ratings, repeats=[*again, again[0]])


def test_repeats_of_nothing() -> None:
    found = agreement(Ratings.of([]), repeats=[Rating("1", "x", "A")], resamples=200).intra_rater
    assert (found.pairs, found.unmatched, found.kappa) == (0, 1, None)


def test_labels_one_by_one_count_additional_ones_too() -> None:
    rows = [
        Rating("1", "x", "A", ("B",)), Rating("1", "y", "B"),
        Rating("2", "x", "A"), Rating("2", "y", "A"),
        Rating("3", "x", "C", ("B",)), Rating("3", "y", "B", ("C",)),
    ]  # fmt: skip
    found = agreement(Ratings.of(rows), resamples=200)
    assert found.per_mechanism is not None
    b = by_rater(x="yes no yes", y="yes no yes")
    a = by_rater(x="yes yes no", y="no yes no")
    assert found.per_mechanism["B"].kappa == pytest.approx(fleiss_kappa(b).value)
    assert found.per_mechanism["A"].kappa == pytest.approx(fleiss_kappa(a).value)
    assert found.per_mechanism["A"].gwet_ac1 == pytest.approx(gwet_ac1(a).value)
    assert found.per_mechanism["A"].share == 0.5
    # On item 3 both mean {B, C} and neither the same as dominant.
    assert found.masi_alpha.sets_agree_dominants_differ == pytest.approx(1 / 3)
    assert agreement(four_coders(), resamples=200).per_mechanism is None


def test_the_figures_with_excluded_raters_stand_beside() -> None:
    everybody = four_coders()
    without = Ratings.of(
        Rating(everybody.items[i], everybody.raters[r], everybody.categories[c])
        for i, r, c in _rows(everybody)
        if everybody.raters[r] != "D"
    )
    found = agreement(without, excluded={"D": "failed 3 checks"}, with_excluded=everybody, resamples=200)
    assert found.excluded.raters == {"D": "failed 3 checks"}
    assert found.excluded.with_excluded is not None
    assert found.excluded.with_excluded.value == fleiss_kappa(everybody).value
    assert found.raters == 3
    assert agreement(without, resamples=200).excluded.with_excluded is None


def test_too_many_pairs_are_not_listed_and_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = four_coders()
    assert len(cohen_pairs(ratings).pairs or ()) == 6
    monkeypatch.setattr(cohen, "MOST_PAIRS", 5)
    omitted = cohen_pairs(ratings)
    assert omitted.pairs is None
    assert omitted.omitted_reason
    monkeypatch.setattr(cohen, "MOST_PAIRS", 6)
    monkeypatch.setattr(cohen, "MOST_CELLS", 149)
    assert agreement(ratings, resamples=200).to_json()["cohen_pairs"] is None


def test_very_many_labels_have_a_kappa_and_no_matrix() -> None:
    names = [f"label {n}" for n in range(500)]
    rng = np.random.default_rng(1)
    label = np.repeat(rng.integers(0, 500, 600), 2)
    label[::8] = rng.integers(0, 500, 150)
    ratings = Ratings.from_indices(
        np.repeat(np.arange(600), 2), np.tile([0, 1], 600), label, categories=names
    )
    found = agreement(ratings, resamples=200)
    assert found.fleiss_kappa.value == pytest.approx(0.75, abs=0.02)
    assert found.confusion.matrix is None
    assert found.confusion.omitted_reason
    assert found.bootstrap.items.undefined_reason


def test_a_table_too_large_to_permute_says_so() -> None:
    items = np.repeat(np.arange(20_000), 3)[1:]
    raters = np.tile([0, 1, 2], 20_000)[1:]
    labels = np.random.default_rng(2).integers(0, 3, len(items))
    ratings = Ratings.from_indices(items, raters, labels, categories="ABC")
    kappa = fleiss_kappa(ratings)
    assert (kappa.z, kappa.p, kappa.se_null) == (None, None, None)
    assert kappa.null_undefined_reason == "59999 ratings are too many to permute"
    assert agreement(ratings, resamples=200).fleiss_levin_paik.z == pytest.approx(0, abs=3)


class TestLines:
    def test_what_must_be_known_comes_first(self) -> None:
        told = Circumstances(
            tie_break=True, escapes_offered=True, completed=4, planned=20, deviations=("late start",)
        )
        found = lines(agreement(with_escapes(), circumstances=told, over_collected=["item 1"], resamples=200))
        notes = [line.note for line in found if line.label == "Note"]
        assert notes == [
            "before planned N: 4 of 20 participations completed",
            "a tie-break rule was in force",
            "escape codes were offered: not to be compared with studies that forced a choice",
            "deviation: late start",
        ]
        assert [line.label for line in found][:4] == ["Note"] * 4
        assert any(line.label == "Over-collected items" and line.value == "1" for line in found)

    def test_figures_carry_method_interval_and_n(self) -> None:
        table = {line.label.strip(): line for line in lines(agreement(diagnoses(), seed=3))}
        assert table["Fleiss' kappa"].value == "0.430"
        assert table["95%, other items"] == (
            "  95%, other items",
            "0.319 to 0.541",
            "Gwet, t with 29 degrees of freedom",
        )
        assert "10,000 resamples of 30 items, seed 3" in table["95%, bootstrap of items"].note
        assert table["test of kappa = 0"].value == "z = 17.65, p < 0.001"
        assert table["95%, bootstrap of sets"].value == "undefined"
        assert table["Ratings"] == ("Ratings", "180", "30 items, 6 raters")
        assert "Escape codes" not in table

    def test_undefined_comes_with_its_reason(self) -> None:
        table = {
            line.label.strip(): line for line in lines(agreement(by_rater(x="A A", y="A A"), resamples=200))
        }
        assert table["Fleiss' kappa"].value == "undefined"
        assert "one category" in table["Fleiss' kappa"].note
        assert table["Raw agreement"].value == "100.0%"

    def test_escapes_are_read_three_ways(self) -> None:
        table = {line.label.strip(): line for line in lines(agreement(with_escapes(), resamples=200))}
        assert "5 items (71.4%)" in table["kappa, none used"].note
        assert "conditional and optimistic" in table["kappa, none used"].note
        assert {"kappa, all codes", "kappa, merged"} <= set(table)

    def test_excluded_raters(self) -> None:
        ratings = four_coders()
        found = lines(agreement(ratings, excluded={"E": "too fast"}, with_excluded=ratings, resamples=200))
        assert any(line.label == "  with 1 excluded raters" and line.value == "0.761" for line in found)
