"""Intervals over participants: by hand, against scipy and statsmodels, and how often they cover."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from studies.statistics.intervals import (
    BY_SESSIONS,
    BY_T,
    NO_WIDTH,
    TOO_FEW,
    clopper_pearson,
    design_effect,
    mean_interval,
    share_interval,
)

HALF = [True, False]


def shares(*solved: int, of: int = 4) -> list[list[bool]]:
    """Participants with `of` sessions each, of which so many were solved."""
    return [[True] * one + [False] * (of - one) for one in solved]


def test_t_over_participant_means_by_hand() -> None:
    # Means .25 .5 .5 .75 .75 1: mean .625, s^2 = .06875, se = .10704, t(5) = 2.5706.
    found = share_interval(shares(1, 2, 2, 3, 3, 4))
    assert found.mean == 0.625
    assert found.low == pytest.approx(0.625 - 2.570582 * 0.107044, abs=1e-5)
    assert found.high == pytest.approx(0.625 + 2.570582 * 0.107044, abs=1e-5)
    assert (found.method, found.participants, found.few_participants) == (BY_T, 6, True)


def test_t_is_that_of_scipy() -> None:
    solved = (1, 2, 2, 3, 3, 4, 0, 2, 3, 3, 1, 2, 2, 4, 3)
    means = np.array(solved) / 4
    low, high = stats.t.interval(0.95, len(means) - 1, means.mean(), stats.sem(means))
    found = share_interval(shares(*solved))
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert not found.few_participants


def test_unequal_numbers_of_sessions_weigh_people_alike() -> None:
    outcomes = [[True] * 9 + [False], [False, True], [True, False], [False], [True], HALF, HALF]
    assert share_interval(outcomes).mean == pytest.approx((0.9 + 0.5 * 4 + 0 + 1) / 7)


def test_an_interval_ends_at_the_ends_of_the_range() -> None:
    found = share_interval(shares(4, 4, 4, 4, 4, 0))
    assert found.method == BY_T
    assert found.high == 1.0
    assert found.low is not None
    assert found.low > 0


@pytest.mark.parametrize("solved", [(4,) * 6, (0,) * 6])
def test_nothing_but_successes_or_failures(solved: tuple[int, ...]) -> None:
    found = share_interval(shares(*solved))
    low, high = proportion_confint(sum(solved), 24, 0.05, "beta")
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert (found.method, found.design_effect) == (BY_SESSIONS, 1.0)


def test_equal_means_do_not_make_an_interval_of_no_width() -> None:
    found = share_interval(shares(*[2] * 8))
    low, high = proportion_confint(16, 32, 0.05, "beta")
    assert (found.low, found.high, found.design_effect) == (pytest.approx(low), pytest.approx(high), 0.0)


def test_near_the_end_sessions_of_one_person_count_for_less() -> None:
    # One of 20 has all four unsolved: mean .95, s^2 = .05, so deff = .05 * 4 / (.95 * .05) = 4.2105.
    outcomes = shares(*[4] * 19, 0)
    found = share_interval(outcomes)
    assert design_effect(outcomes) == pytest.approx(0.05 * 4 / (0.95 * 0.05))
    assert found.method == BY_SESSIONS
    assert found.design_effect == pytest.approx(4.210526)
    low, high = proportion_confint(76 / 4.2105263158, 80 / 4.2105263158, 0.05, "beta")
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))


def test_the_border_of_the_middle() -> None:
    assert share_interval(shares(*[4] * 19, 0)).method == BY_SESSIONS
    assert share_interval(shares(*[4] * 18, 0, 3)).method == BY_T


def test_below_six_participants_there_is_none_and_it_says_why() -> None:
    found = share_interval(shares(1, 2, 3, 4, 0))
    assert (found.low, found.high, found.undefined_reason) == (None, None, TOO_FEW)
    assert found.mean == 0.5
    assert share_interval([]).undefined_reason == TOO_FEW


def test_fifteen_participants_are_no_longer_few() -> None:
    assert share_interval(shares(*[1, 3] * 7)).few_participants
    assert not share_interval(shares(*[1, 3] * 7, 2)).few_participants


def test_a_mean_of_turns() -> None:
    means = [Fraction(2), Fraction(5, 2), Fraction(8), Fraction(3), Fraction(3), Fraction(7, 2)]
    values = np.array([float(one) for one in means])
    low, high = stats.t.interval(0.95, 5, values.mean(), stats.sem(values))
    found = mean_interval(means, 1, 8)
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    wide = mean_interval([Fraction(8)] * 5 + [Fraction(1)], 1, 8)
    assert wide.high == 8
    assert mean_interval([Fraction(3)] * 9, 1, 8).undefined_reason == NO_WIDTH
    assert mean_interval([Fraction(3)] * 5, 1, 8).undefined_reason == TOO_FEW


@given(st.integers(0, 60), st.integers(1, 60))
def test_clopper_pearson_is_that_of_scipy(successes: int, trials: int) -> None:
    successes = min(successes, trials)
    oracle = stats.binomtest(successes, trials).proportion_ci(0.95, "exact")
    assert clopper_pearson(successes, trials) == (
        pytest.approx(oracle.low, abs=1e-9),
        pytest.approx(oracle.high, abs=1e-9),
    )


def test_clopper_pearson_refuses_what_is_no_count() -> None:
    for successes, trials in ((3, 2), (-1, 2), (0, 0)):
        with pytest.raises(ValueError, match="trials"):
            clopper_pearson(successes, trials)


@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=6), min_size=6, max_size=25))
def test_an_interval_lies_in_the_range_and_mirrors(outcomes: list[list[bool]]) -> None:
    found = share_interval(outcomes)
    mirrored = share_interval([[not one for one in own] for own in outcomes])
    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low < found.high <= 1
    assert (mirrored.low, mirrored.high) == (
        pytest.approx(1 - found.high, abs=1e-9),
        pytest.approx(1 - found.low, abs=1e-9),
    )
    if found.method == BY_T:
        assert found.mean is not None
        assert found.low <= found.mean <= found.high


def test_it_covers_what_it_says_where_people_differ() -> None:
    """12 people of 4 sessions whose own chance varies by SD .2 around .6."""
    rng = np.random.default_rng(11)
    hits = 0
    for _ in range(400):
        chances = np.clip(rng.normal(0.6, 0.2, 12), 0, 1)
        outcomes = [list(map(bool, rng.random(4) < one)) for one in chances]
        found = share_interval(outcomes)
        assert found.low is not None
        assert found.high is not None
        hits += found.low <= 0.595 <= found.high
    assert hits / 400 >= 0.91
