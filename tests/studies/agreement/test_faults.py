"""Kinds of fault that agreement software is reported to have, each with the right value or refusal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.tables import by_rater, from_counts

from studies.agreement.fleiss import fleiss_kappa
from studies.agreement.gwet import gwet_ac1
from studies.agreement.krippendorff import krippendorff_alpha, set_alpha
from studies.agreement.ratings import Rating, Ratings
from studies.agreement.read import read_csv
from studies.agreement.report import AgreementReport, agreement
from studies.agreement.terms import ONE_CATEGORY, percent_agreement
from studies.errors import FolderError, InputError

pytestmark = pytest.mark.filterwarnings("error")


def report(ratings: Ratings) -> AgreementReport:
    return agreement(ratings, resamples=200)


class TestMissingIsNoCategory:
    def test_absent_ratings(self) -> None:
        ratings = by_rater(x="L L P", y="L L .", z=". L P")
        found = report(ratings)
        assert found.krippendorff_alpha.value == pytest.approx(1.0)
        assert found.fleiss_kappa.value == pytest.approx(1.0)
        assert found.masi_alpha.value == pytest.approx(1.0)
        assert found.gwet_ac1.value == pytest.approx(1.0)
        assert found.percent_agreement == 1.0
        assert found.categories == ("L", "P")
        assert found.ratings == 7

    def test_blank_cells_of_a_table(self) -> None:
        rows = ["1,x,L", "2,x,L", "3,x,P", "1,y,L", "2,y,L", "3,y,", "1,z,", "2,z,L", "3,z,P"]
        ratings = read_csv("\n".join(["item,rater,label", *rows]), "t.csv")
        assert krippendorff_alpha(ratings).value == pytest.approx(1.0)
        assert ratings.categories == ("L", "P")
        assert ratings.warnings == ("2 row(s) without a label were left out as missing ratings",)

    @pytest.mark.parametrize("missing", [None, "", "  ", float("nan"), 0, ("L",)])
    def test_a_rating_without_a_label_is_refused(self, missing: Any) -> None:
        with pytest.raises(InputError, match=r"rating 2: label .*leave a missing rating out"):
            Ratings.of([Rating("1", "x", "L"), Rating("1", "y", missing)])

    @pytest.mark.parametrize("missing", ["nan", "None", "NA", "-", "."])
    def test_what_looks_missing_is_named(self, missing: str) -> None:
        ratings = read_csv(f"item,rater,label\n1,x,L\n1,y,{missing}\n", "t.csv")
        assert any(repr(missing) in one and "leave it blank" in one for one in ratings.warnings)

    def test_negative_codes_are_refused(self) -> None:
        with pytest.raises(InputError, match=r"label: found -1.*leave missing ratings out"):
            Ratings.from_indices([0, 0], [0, 1], [1, -1], categories="AB")

    def test_observed_and_expected_rest_on_the_same_ratings(self) -> None:
        """A lone rating changes what alpha expects of nothing, and is in Gwet's shares."""
        pairs = by_rater(x="A B A B", y="A B B B")
        with_lone = by_rater(x="A B A B B", y="A B B B .")
        assert krippendorff_alpha(with_lone).value == pytest.approx(krippendorff_alpha(pairs).value)
        assert fleiss_kappa(with_lone).value != pytest.approx(fleiss_kappa(pairs).value)
        assert percent_agreement(with_lone) == percent_agreement(pairs)


class TestOneCategory:
    @pytest.mark.parametrize("items", [1, 2, 50])
    @pytest.mark.parametrize("raters", [2, 3])
    def test_unanimous_raters_leave_chance_undefined(self, items: int, raters: int) -> None:
        ratings = Ratings.of(
            Rating(f"i{item}", f"r{rater}", "lexical") for item in range(items) for rater in range(raters)
        )
        found = report(ratings)
        assert found.percent_agreement == 1.0
        for figure in (
            found.fleiss_kappa, found.fleiss_levin_paik, found.gwet_ac1, found.krippendorff_alpha,
            found.masi_alpha, found.per_category["lexical"], found.escape_codes.all,
        ):  # fmt: skip
            assert figure.value is None
            assert figure.undefined_reason
        assert found.fleiss_kappa.undefined_reason == ONE_CATEGORY
        intervals = (found.bootstrap.items, found.bootstrap.sets, found.shared_rater_interval)
        assert all(one.ci_low is None and one.undefined_reason for one in intervals)
        pairs = found.cohen_pairs
        assert pairs is not None
        assert {(pair.kappa, pair.percent_agreement) for pair in pairs} == {(None, 1.0)}

    def test_perfect_agreement_on_two_categories_is_one_and_has_no_interval(self) -> None:
        found = report(by_rater(x="A B A B", y="A B A B"))
        assert found.fleiss_kappa.value == pytest.approx(1.0)
        assert found.fleiss_kappa.ci_low is None
        assert found.fleiss_kappa.ci_undefined_reason
        assert found.fleiss_kappa.z is not None
        assert found.bootstrap.items.ci_low is None
        assert found.bootstrap.items.undefined_resamples > 0

    def test_nobody_and_nothing(self) -> None:
        found = report(Ratings.of([]))
        assert found.undefined_reason == found.fleiss_kappa.undefined_reason == "there are no ratings"
        assert (found.items, found.ratings, found.percent_agreement) == (0, 0, None)

    def test_items_with_one_rater_each(self) -> None:
        found = report(by_rater(x="A B .", y=". . A"))
        assert found.undefined_reason == "no item has two raters"
        assert (
            found.fleiss_kappa.value is found.masi_alpha.value is found.masi_alpha.sets_agree_dominants_differ
        )
        assert found.krippendorff_alpha.undefined_reason == "no item has two raters"

    def test_a_single_item(self) -> None:
        found = report(by_rater(x="A", y="B", z="A"))
        assert found.percent_agreement == pytest.approx(1 / 3)
        for figure in (found.fleiss_kappa, found.gwet_ac1, found.krippendorff_alpha, found.masi_alpha):
            assert (figure.value, figure.undefined_reason) == (None, "there is a single item")

    def test_an_unused_category_has_no_kappa_and_changes_no_other(self) -> None:
        ratings = by_rater(x="A B A B", y="A B B B")
        more = ratings.ordered(["C", "A", "B"])
        found = agreement(more, resamples=200)
        assert found.categories == ("C", "A", "B")
        assert found.per_category["C"].value is None
        assert found.fleiss_kappa.value == fleiss_kappa(ratings).value
        assert gwet_ac1(more) == gwet_ac1(ratings)


class TestUnequalRaters:
    def test_three_two_and_one(self) -> None:
        ratings = Ratings.of(
            [
                Rating("1", "x", "A"),
                Rating("1", "y", "A"),
                Rating("1", "z", "B"),
                Rating("2", "x", "B"),
                Rating("2", "y", "B"),
                Rating("3", "x", "A"),
            ]
        )
        found = report(ratings)
        # pa = (1/3 + 1) / 2; pi = mean of 2/3, 0, 1 and of 1/3, 1, 0.
        pa, pi = 2 / 3, (5 / 9, 4 / 9)
        pe = pi[0] ** 2 + pi[1] ** 2
        assert found.percent_agreement == pytest.approx(pa)
        assert found.fleiss_kappa.value == pytest.approx((pa - pe) / (1 - pe))
        assert "unequal" in found.fleiss_kappa.method
        assert found.raters_per_item == {1: 1, 2: 1, 3: 1}
        assert found.items_with_unequal_raters == 2

    def test_a_split_of_two_raters_is_no_agreement(self) -> None:
        """Padding once made it a quarter."""
        ratings = Ratings.of(
            [Rating("1", "x", "A"), Rating("1", "y", "B"), *(Rating("2", r, "A") for r in "xyz")]
        )
        assert ratings.pair_agreement.tolist() == [0.0, 1.0]

    def test_equal_raters_are_no_special_case_of_the_count(self) -> None:
        found = report(by_rater(x="A B A", y="A B B"))
        assert (found.items_with_unequal_raters, found.raters_per_item) == (0, {2: 3})


class TestCountsAreNoRatings:
    @pytest.mark.parametrize(
        "table", [[[1, 1, 1], [1, 1, 1]], np.ones((2, 3), int), [("i", "r", "A")], ["AAB"], [None]]
    )
    def test_a_table_is_refused_where_ratings_are_expected(self, table: Any) -> None:
        with pytest.raises(InputError, match=r"expected ratings .*table of counts"):
            Ratings.of(table)
        with pytest.raises(InputError, match=r"expected ratings .*table of counts"):
            agreement(table)

    @pytest.mark.parametrize("array", [np.ones((2, 3), int), [[1, 1, 1], [1, 1, 1]], [0.5, 1.0], ["A", "B"]])
    def test_an_array_that_is_no_column_is_refused(self, array: Any) -> None:
        with pytest.raises(InputError, match="expected one integer a rating"):
            Ratings.from_indices(array, [0, 1], [0, 1], categories="AB")

    @pytest.mark.parametrize("header", ["item,A,B,C", "A,B,C", "rater1,rater2,rater3", "item;rater;label"])
    def test_a_wide_table_is_refused(self, header: str) -> None:
        with pytest.raises(FolderError, match="one rating a line"):
            read_csv(f"{header}\n1,1,1,1\n", "t.csv")


class TestOneRaterTwice:
    def test_named_with_the_item(self) -> None:
        rows = [Rating("1", "x", "A"), Rating("1", "y", "A"), Rating("2", "y", "B"), Rating("2", "y", "B")]
        with pytest.raises(InputError, match="rating 4: rater 'y' rated item '2' twice"):
            Ratings.of(rows)

    def test_the_same_name_in_another_unicode_form_is_the_same_rater(self) -> None:
        with pytest.raises(InputError, match="twice"):
            Ratings.of([Rating("1", "Ren\u00e9", "A"), Rating("1", "Rene\u0301", "A")])

    def test_a_look_alike_is_named_in_a_warning(self) -> None:
        ratings = Ratings.of([Rating("1", "ann", "A"), Rating("1", "Ann ", "A")])
        assert ratings.warnings == (
            "raters that differ only in case or space are counted as different: 'Ann ', 'ann'",
        )

    def test_every_one_is_named_with_its_line(self) -> None:
        text = "item,rater,label\n1,x,A\n1,x,A\n2,x,A\n2,y,A\n2,x,B\n1,x,B\n"
        with pytest.raises(FolderError) as refused:
            read_csv(text, "t.csv")
        assert [(one.line, one.key) for one in refused.value.problems] == [
            (3, "rater"),
            (6, "rater"),
            (7, "rater"),
        ]

    def test_in_arrays(self) -> None:
        with pytest.raises(InputError, match="rater 'y' rated item '1' twice"):
            Ratings.from_indices([0, 1, 1], [0, 1, 1], [0, 0, 0], categories="A", raters="xy")

    def test_names_given_twice_are_refused_in_arrays(self) -> None:
        with pytest.raises(InputError, match="name twice"):
            Ratings.from_indices([0, 0], [0, 1], [0, 0], categories="A", raters=["x", "x"])


@pytest.mark.parametrize(
    "table", [[[2, 0], [0, 2], [2, 0]], [[1, 1], [1, 1]], [[3, 0, 0], [0, 3, 0], [1, 1, 1]]]
)
def test_degenerate_tables_warn_of_nothing(table: list[list[int]]) -> None:
    found = report(from_counts(table))
    assert found.fleiss_kappa.value is not None
    assert set_alpha(from_counts(table)).value is not None
