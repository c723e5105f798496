"""What holds for every table of ratings."""

from __future__ import annotations

import json
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from studies.agreement.bootstrap import bootstrap
from studies.agreement.fleiss import equal_raters, fleiss_kappa, levin_paik, per_category
from studies.agreement.gwet import gwet_ac1
from studies.agreement.krippendorff import krippendorff_alpha, set_alpha
from studies.agreement.ratings import Rating, Ratings
from studies.agreement.report import agreement
from studies.agreement.summary import lines
from studies.agreement.terms import terms, undefined_reason

pytestmark = pytest.mark.filterwarnings("error")
LABELS = ("A", "B", "C", "D", "NONE")
Rows = list[Rating]


@st.composite
def tables(draw: st.DrawFn, missing: bool = True) -> Rows:
    """Ratings of up to eight items by up to five raters; with `missing`, any of them may be absent."""
    items, raters = draw(st.integers(1, 8)), draw(st.integers(2, 5))
    used = draw(st.integers(1, len(LABELS)))
    label = st.sampled_from(LABELS[:used])
    further = st.sets(st.sampled_from(LABELS[:4]), max_size=2)
    rows = []
    for item in range(items):
        for rater in range(raters):
            if missing and not draw(st.booleans()):
                continue
            dominant = draw(label)
            rows.append(Rating(f"i{item}", f"r{rater}", dominant, tuple(sorted(draw(further) - {dominant}))))
    return rows


def figures(rows: Rows) -> dict[str, Any]:
    """All figures that must not depend on names and order."""
    report = agreement(Ratings.of(rows), resamples=200).to_json()
    names = ("raters", "categories", "confusion", "cohen_pairs", "per_category", "per_mechanism", "warnings")
    return {key: value for key, value in report.items() if key not in names}


def same(one: Any, other: Any) -> bool:
    """Equal, numbers but for rounding."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float) and isinstance(other, float):
        return one == pytest.approx(other, abs=1e-9)
    return bool(one == other)


@settings(max_examples=60)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_of_the_rows_changes_nothing_at_all(rows: Rows, rng: random.Random) -> None:
    shuffled = rng.sample(rows, len(rows))
    assert agreement(Ratings.of(rows), resamples=200) == agreement(Ratings.of(shuffled), resamples=200)


@settings(max_examples=60)
@given(tables(), st.permutations(range(8)), st.permutations(range(5)))
def test_names_of_items_and_raters_change_no_figure(rows: Rows, items: list[int], raters: list[int]) -> None:
    renamed = [
        Rating(f"i{items[int(one.item[1:])]}", f"r{raters[int(one.rater[1:])]}", one.label, one.additional)
        for one in rows
    ]
    seeded = ("bootstrap", "fleiss_kappa")
    before, after = figures(rows), figures(renamed)
    for key in before.keys() - set(seeded):
        assert same(before[key], after[key]), key
    for name in ("value", "se", "ci_low", "ci_high", "undefined_reason"):
        assert same(before["fleiss_kappa"][name], after["fleiss_kappa"][name])


@settings(max_examples=60)
@given(tables(), st.permutations(LABELS))
def test_names_of_labels_change_no_coefficient(rows: Rows, labels: list[str]) -> None:
    name = dict(zip(LABELS, labels, strict=True))
    renamed = Ratings.of(
        Rating(one.item, one.rater, name[one.label], tuple(name[more] for more in one.additional))
        for one in rows
    )
    ratings = Ratings.of(rows)
    for figure in (fleiss_kappa, levin_paik, gwet_ac1, krippendorff_alpha, set_alpha):
        assert figure(ratings).value == pytest.approx(figure(renamed).value), figure


@settings(max_examples=60)
@given(tables())
@example([])
@example([Rating("i", "r", "A")])
@example([Rating("i", "r", "A"), Rating("i", "s", "B")])
def test_every_report_is_json_without_nan_and_says_why_a_value_is_missing(rows: Rows) -> None:
    report = agreement(Ratings.of(rows), resamples=100)
    text = json.dumps(report.to_json(), allow_nan=False)
    read = json.loads(text)

    def check(value: Any) -> None:
        if isinstance(value, dict):
            if "undefined_reason" in value and "value" in value:
                assert (value["value"] is None) == (value["undefined_reason"] is not None), value
            for inner in value.values():
                check(inner)

    check(read)
    assert (read["percent_agreement"] is None) == (read["undefined_reason"] is not None)
    assert all(line.value or line.note for line in lines(report))


@settings(max_examples=60)
@given(tables())
def test_coefficients_are_at_most_one_and_intervals_hold_them(rows: Rows) -> None:
    report = agreement(Ratings.of(rows), resamples=100)
    kappa, ac1 = report.fleiss_kappa, report.gwet_ac1
    for value in (kappa.value, ac1.value, report.krippendorff_alpha.value, report.masi_alpha.value):
        assert value is None or value <= 1 + 1e-12
    for figure in (kappa, ac1):
        if figure.ci_low is not None and figure.ci_high is not None and figure.value is not None:
            assert figure.ci_low <= figure.value + 1e-12
            assert figure.value - 1e-12 <= figure.ci_high <= 1


@settings(max_examples=60)
@given(tables(missing=False))
def test_alpha_is_kappa_with_a_small_sample_correction_on_complete_tables(rows: Rows) -> None:
    ratings = Ratings.of(rows)
    kappa, alpha = fleiss_kappa(ratings), krippendorff_alpha(ratings)
    assume(kappa.value is not None)
    assert kappa.value is not None
    n = len(ratings)
    assert alpha.value == pytest.approx(1 - (1 - kappa.value) * (n - 1) / n)


@settings(max_examples=60)
@given(tables(missing=False))
def test_kappa_is_the_weighted_mean_of_the_categories(rows: Rows) -> None:
    ratings = Ratings.of(rows)
    kappa = fleiss_kappa(ratings)
    assume(kappa.value is not None)
    p = ratings.totals / len(ratings)
    each = per_category(ratings)
    weights = {
        label: share * (1 - share) for label, share in zip(ratings.categories, p.tolist(), strict=True)
    }
    total = sum(weights[label] * (one.value or 0.0) for label, one in each.items())
    assert kappa.value == pytest.approx(total / sum(weights.values()))
    assert levin_paik(ratings).value == pytest.approx(kappa.value)


@settings(max_examples=60)
@given(tables(missing=False))
def test_gwets_form_is_fleiss_own_for_equal_raters(rows: Rows) -> None:
    ratings = Ratings.of(rows)
    assume(undefined_reason(ratings) is None)
    assert equal_raters(ratings)
    counts = ratings.counts().astype(float)
    n = counts.sum(axis=1)[0]
    observed = ((counts**2).sum(axis=1) - n).mean() / (n * (n - 1))
    expected = ((counts.sum(axis=0) / counts.sum()) ** 2).sum()
    assert terms(ratings, "fleiss").value == pytest.approx((observed - expected) / (1 - expected))


@settings(max_examples=60)
@given(tables())
def test_influences_sum_to_zero(rows: Rows) -> None:
    ratings = Ratings.of(rows)
    assume(undefined_reason(ratings) is None)
    for chance in ("fleiss", "ac1"):
        assert terms(ratings, chance).influence.sum() == pytest.approx(0, abs=1e-9)


@settings(max_examples=60)
@given(tables())
def test_an_absent_rating_is_the_same_as_no_row(rows: Rows) -> None:
    """Integer arrays, named ratings and the count table agree on what is there."""
    assume(rows)
    ratings = Ratings.of(rows)
    again = Ratings.from_indices(
        ratings.item, ratings.rater, ratings.label, categories=ratings.categories, items=ratings.items
    )
    assert fleiss_kappa(again) == fleiss_kappa(ratings)
    assert ratings.counts().sum() == len(rows)
    assert np.array_equal(ratings.counts().sum(axis=1), ratings.sizes)
    assert ratings.sizes.min() >= 1


def test_draws_over_sets_do_not_depend_on_what_raters_are_called() -> None:
    labels = ["DCP", "SLM", "CCM", "HCO"]

    def named(first: str, second: str, third: str) -> Ratings:
        pairs = [(first, second), (second, third), (third, first)]
        return Ratings.of(
            Rating(f"i{n:02}", rater, labels[(n * (1 if rater == pairs[n % 3][0] else 2)) % 4])
            for n in range(24)
            for rater in pairs[n % 3]
        )

    one, other = (bootstrap(named(*names), seed=3, resamples=500) for names in ("abc", "cab"))
    assert one.sets == other.sets
    assert one.items == other.items
