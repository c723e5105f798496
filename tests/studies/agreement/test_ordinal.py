"""Alpha on ordered values: the published example, a known library, and what must hold of any ratings."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import FOUR_CODERS

from studies.agreement.ordinal import ordinal_alpha

RATINGS = st.lists(st.lists(st.integers(1, 5), min_size=0, max_size=4), min_size=2, max_size=12)


def test_the_published_example() -> None:
    columns = zip(*(row.split() for row in FOUR_CODERS.values()), strict=True)
    items = [[int(one) for one in column if one != "."] for column in columns]
    assert ordinal_alpha(items).value == pytest.approx(0.815, abs=0.0005)


@given(RATINGS)
def test_it_is_that_of_the_library(items: list[list[int]]) -> None:
    got = ordinal_alpha(items)
    paired = [one for one in items if len(one) > 1]
    if got.value is None:
        assert got.undefined_reason
        assert len({value for one in paired for value in one}) < 2 or len([one for one in items if one]) == 1
        return
    table = np.full((4, len(items)), np.nan)
    for at, one in enumerate(items):
        table[: len(one), at] = one
    assert got.value == pytest.approx(krippendorff.alpha(table, level_of_measurement="ordinal"))


@given(RATINGS, st.integers(1, 9))
def test_only_the_order_of_the_values_counts(items: list[list[int]], step: int) -> None:
    stretched = [[value * step + (value > 2) * 100 for value in one] for one in items]
    assert ordinal_alpha(items) == ordinal_alpha(stretched)
