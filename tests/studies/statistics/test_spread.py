"""Median and quartiles."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.statistics.spread import Spread, spread


def test_by_hand() -> None:
    assert spread([1, 2, 3, 4, None]) == Spread(4, 2.5, 1.75, 3.25)
    assert spread([7]) == Spread(1, 7.0, 7.0, 7.0)
    assert spread([]) == spread([None]) == Spread(0, None, None, None)


@given(st.lists(st.integers(0, 10**9), min_size=1, max_size=30))
def test_it_is_that_of_numpy(values: list[int]) -> None:
    q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
    found = spread(values)
    assert (found.q1, found.median, found.q3) == (pytest.approx(q1), pytest.approx(median), pytest.approx(q3))
