"""Intervals: the bootstraps however they draw, and the one for other raters."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss
from support.tables import by_rater, diagnoses

from studies.agreement import bootstrap as drawing
from studies.agreement import shared_raters
from studies.agreement.bootstrap import bootstrap
from studies.agreement.fleiss import fleiss_kappa
from studies.agreement.ratings import Rating, Ratings
from studies.agreement.shared_raters import shared_rater_interval
from studies.agreement.terms import terms, undefined_reason

pytestmark = pytest.mark.filterwarnings("error")
MECHANISMS = ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU")


def cyclic(seed: int, accuracies: list[float], sets: int = 20, size: int = 10) -> Ratings:
    """CAPA's design: each set of items is rated by two neighbours, who are right with their own accuracy."""
    rng = np.random.default_rng(seed)
    people = len(accuracies)
    item = np.repeat(np.arange(sets * size), 2)
    rater = np.column_stack(
        [np.arange(sets * size) // size % people, (np.arange(sets * size) // size + 1) % people]
    )
    truth = rng.integers(0, 6, sets * size)[item]
    right = rng.random(len(item)) < np.array(accuracies)[rater.ravel()]
    label = np.where(right, truth, (truth + rng.integers(1, 6, len(item))) % 6)
    return Ratings.from_indices(item, rater.ravel(), label, categories=MECHANISMS)


def test_the_item_bootstrap_is_that_of_a_loop_over_statsmodels() -> None:
    ratings = diagnoses()
    counts = ratings.counts()
    rng = np.random.default_rng(3)
    loop = [statsmodels_fleiss(counts[rng.integers(0, 30, 30)]) for _ in range(4_000)]
    low, high = np.quantile(loop, [0.025, 0.975])
    found = bootstrap(ratings, seed=4).items
    assert (found.ci_low, found.ci_high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))
    assert (found.resamples, found.units, found.method) == (10_000, 30, "percentile")


def test_every_way_of_drawing_gives_the_same_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = cyclic(1, [0.8] * 40, sets=40, size=15)
    whole = bootstrap(ratings, seed=1)
    monkeypatch.setattr(drawing, "MOST_DRAWS", 0)
    monkeypatch.setattr(drawing, "MOST_COUNTS", 10**9)
    by_pattern = bootstrap(ratings, seed=1)
    monkeypatch.setattr(drawing, "MOST_COUNTS", 0)
    normal = bootstrap(ratings, seed=1)
    assert normal.items.method != by_pattern.items.method == whole.items.method
    for other in (by_pattern, normal):
        assert other.items.ci_low == pytest.approx(whole.items.ci_low, abs=0.005)
        assert other.items.ci_high == pytest.approx(whole.items.ci_high, abs=0.005)
        assert other.sets.ci_low == pytest.approx(whole.sets.ci_low, abs=0.01)
        assert other.sets.ci_high == pytest.approx(whole.sets.ci_high, abs=0.01)


def test_a_seed_gives_the_same_interval_again_and_another_seed_another() -> None:
    ratings = cyclic(2, [0.8] * 20)
    assert bootstrap(ratings, seed=7) == bootstrap(ratings, seed=7)
    assert bootstrap(ratings, seed=7).items != bootstrap(ratings, seed=8).items


def test_sets_are_the_groups_of_items_that_were_really_rated_by_the_same_people() -> None:
    # Rater z stood in for y on one item of the first block, so there are three sets, not two.
    ratings = by_rater(w=". . . A B A", x="A B A A B B", y="A A . . . .", z=". . A . . .")
    groups, number = ratings.sets
    assert number == 3
    assert [len(set(groups[part].tolist())) for part in (slice(0, 2), slice(2, 3), slice(3, 6))] == [1, 1, 1]
    assert bootstrap(ratings, resamples=300).sets.units == 3
    crossed = bootstrap(by_rater(x="A B A", y="A B B"), resamples=300).sets
    assert (crossed.ci_low, crossed.units) == (None, 1)
    assert crossed.undefined_reason


def test_raters_who_differ_widen_the_set_bootstrap() -> None:
    ratings = cyclic(5, [0.95, 0.95, 0.95, 0.4, 0.4] * 4)
    found = bootstrap(ratings)
    widths = [one.ci_high - one.ci_low for one in (found.items, found.sets) if one.ci_high and one.ci_low]
    assert widths[1] > 1.2 * widths[0]


@st.composite
def scattered(draw: st.DrawFn) -> Ratings:
    """Items rated by any subset of five raters."""
    raters = st.sets(st.sampled_from("vwxyz"), min_size=1)
    return Ratings.of(
        Rating(f"{item}", rater, draw(st.sampled_from("ABC")))
        for item in range(draw(st.integers(2, 10)))
        for rater in sorted(draw(raters))
    )


@given(scattered())
def test_the_shared_rater_variance_is_the_double_sum(ratings: Ratings) -> None:
    assume(undefined_reason(ratings) is None)
    figure = terms(ratings, "fleiss")
    people = [set(ratings.rater[ratings.item == item].tolist()) for item in range(len(ratings.items))]
    pairs = [(i, j) for i in range(len(people)) for j in range(len(people)) if people[i] & people[j]]
    expected = sum(figure.influence[i] * figure.influence[j] for i, j in pairs)
    assert shared_raters._products(ratings, figure.influence) == pytest.approx(expected, abs=1e-9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shared_raters, "MOST_PRODUCTS", 0)
        assert shared_raters._products(ratings, figure.influence) == pytest.approx(expected, abs=1e-9)
        patch.setattr(shared_raters, "MOST_SUBSETS", 0)
        undone = shared_rater_interval(ratings)
    assert (undone.ci_low, undone.se) == (None, None)
    assert undone.undefined_reason is not None
    assert "too many" in undone.undefined_reason
    found = shared_rater_interval(ratings)
    n, r = len(ratings.items), len(ratings.raters)
    variance = max(expected, figure.squared) / n**2 * r / (r - 1)
    if found.se is not None:
        assert found.se == pytest.approx(variance**0.5, abs=1e-6)
    assert found.df == r - 1


def test_where_everybody_rated_everything_raters_add_nothing_that_can_be_told() -> None:
    found = shared_rater_interval(diagnoses())
    assert found.floored
    assert found.se == pytest.approx((fleiss_kappa(diagnoses()).se or 0) * (29 / 30 * 6 / 5) ** 0.5)
    assert not shared_rater_interval(cyclic(5, [0.95, 0.95, 0.95, 0.4, 0.4] * 4)).floored


def test_the_shared_rater_interval_covers_where_gwets_does_not() -> None:
    """Raters drawn with accuracies of SD .10: kappa over all raters is the figure to be covered."""
    rng = random.Random(12)
    pool = [min(1.0, max(0.0, rng.gauss(0.8, 0.1))) for _ in range(20_000)]
    mean = sum(pool) / len(pool)
    kappa = (mean**2 + (1 - mean) ** 2 / 5 - 1 / 6) / (1 - 1 / 6)
    covered = {"gwet": 0, "shared": 0}
    runs = 200
    for seed in range(runs):
        ratings = cyclic(seed, rng.sample(pool, 20))
        gwet, shared = fleiss_kappa(ratings), shared_rater_interval(ratings)
        assert gwet.ci_low is not None
        assert gwet.ci_high is not None
        assert shared.ci_low is not None
        assert shared.ci_high is not None
        covered["gwet"] += gwet.ci_low <= kappa <= gwet.ci_high
        covered["shared"] += shared.ci_low <= kappa <= shared.ci_high
    assert covered["gwet"] / runs < 0.88
    assert covered["shared"] / runs > 0.90
