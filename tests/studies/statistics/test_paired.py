"""Paired tests and Holm's correction: by hand, against scipy and statsmodels, and their error."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests

from studies.statistics import paired
from studies.statistics.paired import exact_mcnemar, holm, sign_flip


def quarters(*values: int) -> list[Fraction]:
    return [Fraction(one, 4) for one in values]


def test_by_hand() -> None:
    # All six the same way: only the two extreme patterns of 64 are as far out.
    found = sign_flip(quarters(1, 1, 1, 1, 1, 1), 1)
    assert (found.p, found.exact, found.draws, found.participants) == (2 / 64, True, 64, 6)
    # 1, 1, -1: sums of +-1 +-1 +-1 are at least 1 away from zero always.
    assert sign_flip(quarters(1, 1, -1), 1).p == 1.0
    # 3 and 1: |+-3 +-1| >= 4 in two patterns of four.
    assert sign_flip(quarters(3, 1), 1).p == 0.5


def test_ties_are_ties() -> None:
    tenths = [Fraction(1, 10), Fraction(2, 10), Fraction(3, 10)]
    assert sign_flip([*tenths, Fraction(-3, 10)], 1).p == sign_flip(quarters(1, 2, 3, -3), 1).p


@given(st.lists(st.integers(-4, 4), min_size=2, max_size=9))
def test_it_is_the_permutation_test_of_scipy(values: list[int]) -> None:
    oracle = stats.permutation_test(
        (np.array(values), np.zeros(len(values))),
        lambda x, y: np.mean(x - y),
        permutation_type="samples",
        vectorized=False,
        n_resamples=np.inf,
    )
    assert sign_flip(quarters(*values), 1).p == pytest.approx(oracle.pvalue)


def test_nobody_with_both() -> None:
    found = sign_flip([], 1)
    assert found.p is None
    assert found.undefined_reason == "no participant has both"


def test_beyond_sixteen_people_patterns_are_drawn_and_a_seed_repeats_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    values = quarters(*[1, 2, -1, 3, 0, 1, -2, 2, 1, 1, -1, 2, 0, 1, 2, -1, 1, 1])
    drawn = sign_flip(values, 5)
    assert (drawn.exact, drawn.draws) == (False, 100_000)
    assert sign_flip(values, 5) == drawn
    monkeypatch.setattr(paired, "MOST_EXACT", 18)
    exact = sign_flip(values, 5)
    assert exact.exact
    assert drawn.p == pytest.approx(exact.p, abs=0.003)


def test_a_drawn_p_is_never_zero() -> None:
    assert sign_flip(quarters(*[1] * 40), 1).p == 1 / 100_001


@settings(max_examples=30)
@given(st.lists(st.integers(-4, 4), min_size=1, max_size=12), st.integers(1, 7), st.randoms())
def test_order_sign_and_scale_do_not_matter(values: list[int], scale: int, chance) -> None:  # type: ignore[no-untyped-def]
    p = sign_flip(quarters(*values), 1).p
    shuffled = values[:]
    chance.shuffle(shuffled)
    assert sign_flip(quarters(*shuffled), 2).p == p
    assert sign_flip(quarters(*(-scale * one for one in values)), 3).p == p


def test_its_error_is_what_it_says() -> None:
    """Ten people who differ widely from each other, and no effect."""
    rng = np.random.default_rng(3)
    rejected = 0
    for _ in range(400):
        people = rng.normal(0.5, 0.25, 10)
        a, b = (rng.binomial(4, np.clip(people, 0, 1)) for _ in range(2))
        p = sign_flip([Fraction(int(x) - int(y), 4) for x, y in zip(a, b, strict=True)], 1).p
        rejected += p is not None and p <= 0.05
    assert rejected / 400 <= 0.07


def test_agrestis_approval_of_the_prime_minister() -> None:
    assert exact_mcnemar(86, 150) == pytest.approx(3.716e-5, rel=1e-3)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_is_that_of_statsmodels(b: int, c: int) -> None:
    oracle = mcnemar([[5, b], [c, 7]], exact=True).pvalue if b + c else 1.0
    assert exact_mcnemar(b, c) == pytest.approx(min(1.0, oracle))


def test_mcnemar_without_discordant_pairs() -> None:
    assert exact_mcnemar(0, 0) == 1.0
    assert exact_mcnemar(1, 1) == 1.0
    assert exact_mcnemar(0, 6) == 2 / 64


@pytest.mark.parametrize(
    "values", [[0.2], [0.01, 0.04, 0.03], [0.5, 0.5, 0.001, 0.02, 0.011, 1.0], [0.0, 0.9]]
)
def test_holm_is_that_of_statsmodels(values: list[float]) -> None:
    assert holm(values) == pytest.approx(list(multipletests(values, method="holm")[1]))


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_keeps_order_and_never_lowers_a_p(values: list[float]) -> None:
    adjusted = [one for one in holm(values) if one is not None]
    assert all(before <= after <= 1 for before, after in zip(values, adjusted, strict=True))
    places = sorted(range(len(values)), key=values.__getitem__)
    assert [adjusted[one] for one in places] == sorted(adjusted)


def test_holm_by_hand_and_with_undefined_values() -> None:
    assert holm([0.01, None, 0.04, 0.03]) == [
        pytest.approx(0.03),
        None,
        pytest.approx(0.06),
        pytest.approx(0.06),
    ]
    assert holm([]) == []
    assert holm([None]) == [None]
