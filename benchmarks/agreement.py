"""Agreement beside statsmodels, in one run: `python benchmarks/agreement.py`.

Prints the best of several runs of each, and the ratio of the peers' time to ours. Nothing is asserted: times
belong to the machine they were taken on. The whole report stands beside a part of it by the peers: kappa,
alpha and Cohen's pairs, without intervals, tests, categories and readings.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats import inter_rater

sys.path.insert(0, str(Path(__file__).parents[1]))

from studies.agreement.bootstrap import RESAMPLES, bootstrap
from studies.agreement.fleiss import fleiss_kappa
from studies.agreement.ratings import Ratings
from studies.agreement.report import agreement

CATEGORIES = ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER")
LOOPED = 500
"""Resamples of the peer's loop, whose time is scaled to all of them."""


def labels(items: int, raters: int, *, among: int, seed: int = 1) -> tuple[Any, Any]:
    """Who rated (items x raters, out of `among` people) and what they said, right eight times in ten."""
    rng = np.random.default_rng(seed)
    who = (rng.integers(0, among, items)[:, None] + np.arange(raters)) % among
    truth = rng.integers(0, len(CATEGORIES), (items, 1))
    said = rng.integers(0, len(CATEGORIES), (items, raters))
    return who, np.where(rng.random((items, raters)) < 0.75, truth, said)


def table(who: Any, said: Any) -> Ratings:
    """A fresh table, so that nothing is remembered from the run before."""
    items, raters = said.shape
    item = np.repeat(np.arange(items), raters)
    return Ratings.from_indices(item, who.ravel(), said.ravel(), categories=CATEGORIES)


def best(run: Callable[[], object], times: int = 3) -> float:
    """Seconds of the fastest run."""
    found = []
    for _ in range(times):
        start = time.perf_counter()
        run()
        found.append(time.perf_counter() - start)
    return min(found)


def show(what: str, ours: float, peer: float, peer_is: str) -> None:
    print(f"{what:54} {ours:8.3f} s   {peer_is:52} {peer:8.3f} s   {peer / ours:6.1f} x")


def million(items: int, raters: int, among: int) -> None:
    who, said = labels(items, raters, among=among)
    print(f"{items * raters:,} ratings: {items:,} items, {raters} of {among} raters each")
    kappa = best(lambda: fleiss_kappa(table(who, said), seed=None))
    peer = best(lambda: inter_rater.fleiss_kappa(inter_rater.aggregate_raters(said)[0]))
    show(
        "  Fleiss' kappa with its interval, from arrays",
        kappa,
        peer,
        "statsmodels: aggregate_raters, fleiss_kappa",
    )
    tables = [table(who, said) for _ in range(3)]
    report = best(lambda: agreement(tables.pop()))
    counts = tables[0].counts() if tables else table(who, said).counts()
    peer += best(lambda: krippendorff.alpha(value_counts=counts, level_of_measurement="nominal"), 1)
    peer += best(lambda: pairs_by_peer(who, said, among), 1)
    show("  the whole report", report, peer, "that, krippendorff: alpha, scikit-learn: pairs")


def pairs_by_peer(who: Any, said: Any, among: int) -> int:
    """Cohen's kappa of every pair of raters that shares items, where there are at most 1,000."""
    if among > 100:
        return 0
    by_rater = np.full((len(who), among), -1)
    np.put_along_axis(by_rater, who, said, axis=1)
    done = 0
    for a, b in itertools.combinations(range(among), 2):
        both = (by_rater[:, a] >= 0) & (by_rater[:, b] >= 0)
        if both.any():
            cohen_kappa_score(by_rater[both, a], by_rater[both, b])
            done += 1
    return done


def resampling(items: int, raters: int) -> None:
    who, said = labels(items, raters, among=20)
    counts = table(who, said).counts()
    rng = np.random.default_rng(1)

    def loop() -> None:
        for _ in range(LOOPED):
            inter_rater.fleiss_kappa(counts[rng.integers(0, items, items)])

    ratings = table(who, said)
    ours = best(lambda: bootstrap(ratings, resamples=RESAMPLES), 5)
    peer = best(loop) * RESAMPLES / LOOPED
    print(f"{items} items, {raters} raters each")
    show(
        f"  bootstraps of items and of sets, {RESAMPLES:,} resamples",
        ours,
        peer,
        f"statsmodels in a loop: items, {LOOPED} resamples x {RESAMPLES // LOOPED}",
    )


def main() -> None:
    bootstrap(table(*labels(10, 2, among=4)))  # loads what is loaded once
    print(f"{'':54} {'ours':>8}     {'peers':52} {'':8}     peers / ours")
    million(500_000, 2, 20)
    million(50_000, 20, 20)
    million(200_000, 5, 1_000)
    resampling(200, 2)
    resampling(200, 20)


if __name__ == "__main__":
    main()
