"""Weighted coefficients, and intervals over clusters of items."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from studies.agreement.clusters import ONE_CLUSTER, cluster_interval
from studies.agreement.fleiss import fleiss_kappa
from studies.agreement.gwet import gwet_ac1
from studies.agreement.ratings import Rating, Ratings
from studies.agreement.terms import terms

LABELS = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("no", "no"), ("yes", "yes"), ("no", "yes")]


def table(labels: list[tuple[str, str]]) -> Ratings:
    rows = [
        Rating(f"i{item:03}", rater, label)
        for item, pair in enumerate(labels)
        for rater, label in zip("ab", pair, strict=True)
    ]
    return Ratings.of(rows)


def test_items_that_are_their_own_clusters_have_gwets_interval() -> None:
    made = table(LABELS)
    own = {one: one for one in made.items}
    found, kappa = cluster_interval(made, own), fleiss_kappa(made, seed=None)
    assert found.value == pytest.approx(kappa.value)
    assert (found.ci_low, found.ci_high) == (pytest.approx(kappa.ci_low), pytest.approx(kappa.ci_high))
    ac1 = cluster_interval(made, own, "ac1")
    assert ac1.value == pytest.approx(gwet_ac1(made).value)
    assert ac1.se == pytest.approx(gwet_ac1(made).se)


def test_items_that_go_together_widen_the_interval() -> None:
    twice = table([one for one in LABELS for _ in range(2)])
    pairs = {one: f"c{place // 2}" for place, one in enumerate(twice.items)}
    clustered = cluster_interval(twice, pairs)
    # Six clusters of two equal items carry exactly what six items do.
    six = table(LABELS)
    assert clustered.se == pytest.approx(fleiss_kappa(six, seed=None).se)
    assert clustered.clusters == 6
    assert clustered.se > cluster_interval(twice, {one: one for one in twice.items}).se


def test_one_cluster_has_a_value_and_no_interval() -> None:
    found = cluster_interval(table(LABELS), dict.fromkeys(table(LABELS).items, "c"))
    assert found.value is not None
    assert (found.ci_low, found.ci_undefined_reason) == (None, ONE_CLUSTER)


@given(some.lists(some.integers(1, 4), min_size=6, max_size=6), some.sampled_from(["fleiss", "ac1"]))
def test_a_weight_is_as_many_items(weights: list[int], chance: str) -> None:
    repeated = table([one for one, weight in zip(LABELS, weights, strict=True) for _ in range(weight)])
    weighted = terms(table(LABELS), chance, np.array(weights, dtype=float))  # type: ignore[arg-type]
    assert weighted.value == pytest.approx(terms(repeated, chance).value)  # type: ignore[arg-type]
    assert float(weighted.influence.sum()) == pytest.approx(0, abs=1e-9)


def test_equal_weights_change_nothing() -> None:
    plain, weighted = terms(table(LABELS), "fleiss"), terms(table(LABELS), "fleiss", np.full(6, 3.0))
    assert weighted.value == pytest.approx(plain.value)
    assert weighted.se == pytest.approx(plain.se)
