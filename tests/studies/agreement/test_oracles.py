"""The coefficients beside those of established libraries, on random tables."""

from __future__ import annotations

import random
from itertools import permutations

import krippendorff
import numpy as np
import pytest
from nltk.metrics.agreement import AnnotationTask
from nltk.metrics.distance import masi_distance
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from statsmodels.stats import inter_rater
from support.tables import four_coders

from studies.agreement import krippendorff as ours
from studies.agreement.cohen import cohen_pairs, confusion
from studies.agreement.fleiss import fleiss_kappa, levin_paik
from studies.agreement.krippendorff import krippendorff_alpha, masi_distances, set_alpha
from studies.agreement.nulls import fleiss_nee_landis, gwet_permuted, levin_paik_permuted
from studies.agreement.ratings import Rating, Ratings

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
LABELS = ["DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER"]


def draw(seed: int, items: int, raters: int, keep: float = 1.0, additional: bool = False) -> list[Rating]:
    """Ratings that lean towards one label an item; `keep` is the share that is not missing."""
    rng = random.Random(seed)
    rows = []
    for item in range(items):
        truth = rng.choice(LABELS)
        for rater in range(raters):
            label = truth if rng.random() < 0.6 else rng.choice(LABELS)
            more = [one for one in LABELS[:6] if one != label and rng.random() < 0.2] if additional else []
            if rng.random() < keep:
                rows.append(Rating(f"i{item:03}", f"r{rater:02}", label, tuple(more)))
    return rows


@pytest.mark.parametrize("seed", range(5))
def test_fleiss_is_that_of_statsmodels(seed: int) -> None:
    ratings = Ratings.of(draw(seed, 40, 2 + seed))
    assert fleiss_kappa(ratings).value == pytest.approx(inter_rater.fleiss_kappa(ratings.counts()))


@pytest.mark.parametrize("seed", range(5))
def test_named_pairs_are_those_of_statsmodels_and_scikit_learn(seed: int) -> None:
    ratings = Ratings.of(draw(seed, 60, 4, keep=0.8))
    pairs = cohen_pairs(ratings).pairs
    assert pairs is not None
    assert len(pairs) == 6
    labels = {(one.item, one.rater): one.label for one in draw(seed, 60, 4, keep=0.8)}
    for pair in pairs:
        both = [item for item in ratings.items if {(item, pair.rater_a), (item, pair.rater_b)} <= set(labels)]
        a, b = ([labels[item, rater] for item in both] for rater in (pair.rater_a, pair.rater_b))
        categories = list(ratings.categories)
        assert pair.items == len(both)
        assert pair.kappa == pytest.approx(cohen_kappa_score(a, b, labels=categories))
        assert np.array_equal(pair.confusion, confusion_matrix(a, b, labels=categories))
        assert pair.kappa == pytest.approx(inter_rater.cohens_kappa(np.array(pair.confusion)).kappa)
    pooled = sum(np.array(pair.confusion) + np.array(pair.confusion).T for pair in pairs)
    assert np.array_equal(confusion(ratings).matrix, pooled)


@pytest.mark.parametrize("keep", [1.0, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_nominal_alpha_is_that_of_krippendorff(seed: int, keep: float) -> None:
    ratings = Ratings.of(draw(seed, 40, 4, keep))
    expected = krippendorff.alpha(value_counts=ratings.counts(), level_of_measurement="nominal")
    assert krippendorff_alpha(ratings).value == pytest.approx(expected)


@pytest.mark.parametrize("keep", [1.0, 0.7])
@pytest.mark.parametrize("seed", range(3))
def test_masi_alpha_is_that_of_nltk(seed: int, keep: float) -> None:
    rows = draw(seed, 30, 4, keep, additional=True)
    rated = [one.item for one in rows]
    # nltk's own treatment of items with one rating is no part of this.
    task = AnnotationTask(
        [
            (one.rater, one.item, frozenset({one.label, *one.additional}))
            for one in rows
            if rated.count(one.item) > 1
        ],
        distance=masi_distance,
    )
    assert set_alpha(Ratings.of(rows)).value == pytest.approx(task.alpha())


def test_masi_distance_is_that_of_nltk() -> None:
    rng = random.Random(1)
    sets = [tuple(sorted(rng.sample(range(7), rng.randint(1, 5)))) for _ in range(60)]
    expected = [[masi_distance(set(a), set(b)) for b in sets] for a in sets]
    assert masi_distances(sets, 7) == pytest.approx(np.array(expected))


def test_masi_alpha_of_single_labels_is_the_nominal_one() -> None:
    ratings = Ratings.of(draw(3, 40, 4, 0.7))
    sets, union = ours.label_sets(ratings)
    assert ours._masi_alpha(ratings, sets, union).value == pytest.approx(krippendorff_alpha(ratings).value)
    assert set_alpha(ratings).value == krippendorff_alpha(ratings).value


def test_additional_labels_alone_agree_where_nobody_has_any() -> None:
    # Pairs of sets: equal and empty; empty and {B}; {A, B} and {B}; values: {} 3 times, {B} twice, {A, B}.
    rows = [
        Rating("1", "x", "C"), Rating("1", "y", "C"),
        Rating("2", "x", "C"), Rating("2", "y", "C", ("B",)),
        Rating("3", "x", "C", ("A", "B")), Rating("3", "y", "D", ("B",)),
    ]  # fmt: skip
    subset = 1 - 1 / 2 * 2 / 3
    observed = (0 + 2 * 1 + 2 * subset) / 6
    expected = 2 * (3 * 2 + 3 * 1 + 2 * subset) / 30
    assert set_alpha(Ratings.of(rows)).additional_only.value == pytest.approx(1 - observed / expected)


def test_permuting_labels_has_the_null_error_of_fleiss_for_equal_raters() -> None:
    ratings = Ratings.of(draw(2, 60, 3))
    kappa = fleiss_kappa(ratings)
    assert kappa.value is not None
    exact = fleiss_nee_landis(ratings, kappa.value)
    drawn = gwet_permuted(ratings, kappa.value, seed=5)
    assert exact.se is not None
    assert drawn.se == pytest.approx(exact.se, rel=0.05)
    assert levin_paik_permuted(ratings, kappa.value).se == pytest.approx(exact.se, rel=0.02)


def test_the_null_error_of_two_categories_is_that_of_permuting_labels() -> None:
    rng = random.Random(4)
    ratings = Ratings.of(
        Rating(f"{item:04}", str(rater), rng.choice("AAAB"))
        for item in range(400)
        for rater in range(1 + item % 5)
    )
    kappa = levin_paik(ratings)
    assert kappa.value is not None
    assert kappa.z is not None
    assert kappa.null_method == "Fleiss and Cuzick 1979"
    assert kappa.value / kappa.z == pytest.approx(levin_paik_permuted(ratings, kappa.value).se, rel=0.02)


def test_a_permuted_p_value_is_never_zero() -> None:
    kappa = fleiss_kappa(four_coders(), permutations=999)
    assert kappa.p == 1 / 1000
    assert kappa.null_method == "labels permuted over ratings, 999 permutations, seed 0"


def test_the_permuted_variance_is_exact() -> None:
    layout, labels = (0, 0, 0, 1, 1, 2, 2), "AABBBCC"
    raters = [layout[:n].count(item) for n, item in enumerate(layout)]

    def kappa(order: tuple[str, ...]) -> float:
        rows = zip(layout, raters, order, strict=True)
        value = levin_paik(Ratings.of(Rating(str(i), str(r), label) for i, r, label in rows)).value
        assert value is not None
        return value

    # Each arrangement of the labels once: the others repeat them equally often.
    every = [kappa(order) for order in sorted(set(permutations(labels)))]
    table = Ratings.of(Rating(str(i), str(r), x) for i, r, x in zip(layout, raters, labels, strict=True))
    assert levin_paik_permuted(table, 0.5).se == pytest.approx(float(np.std(every)))


def test_permuted_p_values_of_unrelated_labels_are_not_small() -> None:
    rng = random.Random(8)
    p_values = []
    for seed in range(20):
        rows = [
            Rating(f"{item:02}", str(rater), rng.choice("ABC"))
            for item in range(20)
            for rater in range(2 + item % 2)
        ]
        kappa = fleiss_kappa(Ratings.of(rows), seed)
        assert kappa.p is not None
        p_values.append(kappa.p)
    assert sum(p < 0.05 for p in p_values) <= 4
    assert 0.2 < float(np.mean(p_values)) < 0.8
