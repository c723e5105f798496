"""Published examples, to the decimals they are printed with."""

from __future__ import annotations

import pytest
from support.tables import diagnoses, four_coders, two_raters, wikipedia

from studies.agreement.bootstrap import bootstrap
from studies.agreement.cohen import cohen_pairs
from studies.agreement.fleiss import fleiss_kappa, levin_paik, per_category
from studies.agreement.gwet import gwet_ac1
from studies.agreement.krippendorff import krippendorff_alpha
from studies.agreement.ratings import Ratings
from studies.agreement.terms import percent_agreement, shares

pytestmark = pytest.mark.filterwarnings("error")


def test_wikipedia() -> None:
    ratings = wikipedia()
    assert percent_agreement(ratings) == pytest.approx(0.3780, abs=5e-5)
    assert (shares(ratings) ** 2).sum() == pytest.approx(0.2128, abs=5e-5)
    assert fleiss_kappa(ratings).value == pytest.approx(0.2099, abs=5e-5)


def test_fleiss_1971() -> None:
    ratings = diagnoses()
    kappa = fleiss_kappa(ratings)
    assert kappa.value == pytest.approx(0.430245, abs=1e-6)
    assert kappa.z == pytest.approx(17.6518, abs=5e-5)
    assert kappa.p is not None
    assert 0 < kappa.p < 1e-60
    assert (kappa.ci_low, kappa.ci_high) == (pytest.approx(0.319, abs=5e-4), pytest.approx(0.541, abs=5e-4))
    assert kappa.method == "Fleiss 1971"
    each = [one.value for one in per_category(ratings).values()]
    assert each == [pytest.approx(value, abs=5e-5) for value in (0.2448, 0.2448, 0.5200, 0.4711, 0.5661)]
    interval = bootstrap(ratings, seed=1).items
    assert interval.ci_low == pytest.approx(0.316, abs=5e-3)
    assert interval.ci_high == pytest.approx(0.527, abs=5e-3)


def test_four_coders_with_missing_ratings() -> None:
    ratings = four_coders()
    kappa, ac1 = fleiss_kappa(ratings), gwet_ac1(ratings)
    assert kappa.value == pytest.approx(0.76117, abs=5e-6)
    assert kappa.se == pytest.approx(0.15302, abs=5e-6)
    assert ac1.value == pytest.approx(0.77544, abs=5e-6)
    assert ac1.se == pytest.approx(0.14295, abs=5e-6)
    assert krippendorff_alpha(ratings).value == pytest.approx(0.743, abs=5e-4)
    assert levin_paik(ratings).value == pytest.approx(0.727, abs=5e-4)
    assert "unequal" in kappa.method


@pytest.mark.parametrize(
    ("table", "agreed", "kappa", "ac1"),
    [([[40, 9], [6, 45]], 0.85, 0.6995, 0.7007), ([[80, 10], [5, 5]], 0.85, 0.3182, 0.8080)],
)
def test_the_kappa_paradox(table: list[list[int]], agreed: float, kappa: float, ac1: float) -> None:
    ratings: Ratings = two_raters(table)
    pairs = cohen_pairs(ratings).pairs
    assert pairs is not None
    (pair,) = pairs
    assert percent_agreement(ratings) == pytest.approx(agreed)
    assert pair.percent_agreement == pytest.approx(agreed)
    assert pair.kappa == pytest.approx(kappa, abs=5e-5)
    assert gwet_ac1(ratings).value == pytest.approx(ac1, abs=5e-5)
    assert pair.confusion == tuple(map(tuple, table))
