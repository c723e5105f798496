"""Bootstrap intervals of Fleiss' kappa: over items, and over sets of items with the same raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.agreement.arrays import generator
from studies.agreement.terms import CONFIDENCE, NO_DISAGREEMENT, undefined_reason

if TYPE_CHECKING:
    import numpy as np

    from studies.agreement.arrays import Floats, Ints
    from studies.agreement.ratings import Ratings

RESAMPLES = 10_000
MOST_DRAWS = 20_000_000
"""Units drawn one by one over all resamples."""
MOST_COUNTS = 2_000_000
"""Numbers of alike units drawn over all resamples."""
MOST_CATEGORIES = 200
CHUNK_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A 95% percentile interval of Fleiss' kappa (Gwet's form where the numbers of raters differ)."""

    ci_low: float | None
    ci_high: float | None
    resamples: int
    units: int
    """What was resampled: items, or sets of items."""
    method: str | None
    undefined_resamples: int = 0
    """Resamples without a kappa (one category, or no item with two raters): left out."""
    undefined_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """The item bootstrap, and its sensitivity run over sets: maximal groups of items with the same raters."""

    items: BootstrapInterval
    sets: BootstrapInterval
    seed: int


def bootstrap(ratings: Ratings, seed: int = 0, resamples: int = RESAMPLES) -> Bootstrap:
    """Percentile intervals from resampled items, and from resampled sets, each row kept whole."""
    import numpy as np

    reason = undefined_reason(ratings)
    if not reason and len(ratings.used) > MOST_CATEGORIES:
        reason = f"there are more than {MOST_CATEGORIES} categories"
    if reason:
        return Bootstrap(_none(len(ratings.items), reason), _none(ratings.sets[1], reason), seed)
    patterns, kinds = ratings.patterns
    times = np.bincount(patterns, minlength=kinds)
    by_item = _interval(
        _sums(ratings, patterns, kinds) / times[:, None], times, resamples, generator(seed, "items")
    )
    sets, number = ratings.sets
    if number == 1:
        return Bootstrap(by_item, _none(1, "all items have the same raters: there is one set"), seed)
    whole = _sums(ratings, sets, number)
    by_set = _interval(whole, np.ones(number, dtype=np.int64), resamples, generator(seed, "sets"))
    return Bootstrap(by_item, by_set, seed)


def _none(units: int, reason: str) -> BootstrapInterval:
    return BootstrapInterval(None, None, 0, units, None, undefined_reason=reason)


def _sums(ratings: Ratings, unit: Ints, units: int) -> Floats:
    """What kappa needs of a unit's items, summed: items, pairable items, agreement, share by category."""
    import numpy as np

    cells, used = ratings.entries, len(ratings.used)
    label = (np.cumsum(ratings.totals > 0) - 1)[cells.label]
    shares = np.bincount(
        unit[cells.item] * used + label, cells.times / ratings.sizes[cells.item], units * used
    )
    columns = [
        np.bincount(unit, minlength=units),
        np.bincount(unit, (ratings.sizes >= 2).astype(np.float64), units),
        np.bincount(unit, ratings.pair_agreement, units),
    ]
    return np.column_stack([*columns, shares.reshape(units, used)])


def _interval(sums: Floats, times: Ints, resamples: int, rng: np.random.Generator) -> BootstrapInterval:
    """Resample units; unit k stands for `times[k]` units that are alike."""
    import numpy as np

    units = int(times.sum())
    drawn, method = _resampled(sums, times, resamples, rng)
    items, pairable, agreement, shares = drawn[:, 0], drawn[:, 1], drawn[:, 2], drawn[:, 3:]
    defined = (pairable > 0) & ((shares > 0).sum(axis=1) >= 2)
    pi = shares[defined] / items[defined, None]
    expected = np.einsum("ij,ij->i", pi, pi)
    kappas = (agreement[defined] / pairable[defined] - expected) / (1 - expected)
    lost = resamples - len(kappas)
    if not len(kappas) or np.ptp(kappas) < 1e-12:
        reason = NO_DISAGREEMENT if len(kappas) else "no resample has a kappa"
        return BootstrapInterval(None, None, resamples, units, method, lost, reason)
    low, high = np.quantile(kappas, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return BootstrapInterval(float(low), float(high), resamples, units, method, lost)


def _resampled(sums: Floats, times: Ints, resamples: int, rng: np.random.Generator) -> tuple[Floats, str]:
    """Sums over as many units as there are, drawn with replacement: one row a resample."""
    import numpy as np

    units, kinds = int(times.sum()), len(times)
    if units * resamples <= MOST_DRAWS:
        who = np.repeat(np.arange(kinds), times)
        rows = []
        chunk = max(1, CHUNK_CELLS // units)
        for done in range(0, resamples, chunk):
            size = min(chunk, resamples - done)
            drawn = who[rng.integers(0, units, (size, units))] + np.arange(size)[:, None] * kinds
            rows.append(np.bincount(drawn.ravel(), minlength=size * kinds).reshape(size, kinds) @ sums)
        return np.concatenate(rows), "percentile"
    if kinds * resamples <= MOST_COUNTS:
        return rng.multinomial(units, times / units, resamples) @ sums, "percentile"
    # Sums of thousands of draws are normal to well within the error of the percentiles.
    mean = times @ sums / units
    centred = (sums - mean) * np.sqrt(times)[:, None]
    values, vectors = np.linalg.eigh(centred.T @ centred)
    root = vectors * np.sqrt(np.maximum(values, 0))
    normal = rng.standard_normal((resamples, len(mean))) @ root.T
    return units * mean + normal, "percentile, sums drawn from their normal limit"
