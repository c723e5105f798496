"""Everything that is reported about the agreement of annotators: the contract's `agreement --json`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from studies.agreement.bootstrap import RESAMPLES, Bootstrap, bootstrap
from studies.agreement.cohen import CohenPair, Confusion, cohen_pairs, confusion
from studies.agreement.encode import lookalikes
from studies.agreement.escapes import EscapeReadings, Reading, escape_readings, reading
from studies.agreement.fleiss import CategoryKappa, Kappa, LevinPaik, fleiss_kappa, levin_paik, per_category
from studies.agreement.gold import AgainstGold, against_gold
from studies.agreement.gwet import AC1, gwet_ac1
from studies.agreement.intra import IntraRater, intra_rater
from studies.agreement.krippendorff import Alpha, SetAlpha, krippendorff_alpha, set_alpha
from studies.agreement.mechanisms import BinaryAgreement, per_mechanism
from studies.agreement.ratings import Rating, Ratings, not_ratings
from studies.agreement.shared_raters import SharedRaterInterval, shared_rater_interval
from studies.agreement.terms import NO_PAIRS, NO_RATINGS, percent_agreement

ESCAPE_CODES = ("NONE", "OTHER")


@dataclass(frozen=True, slots=True)
class Circumstances:
    """How the ratings came about, as far as it is known; each is told beside the figures."""

    tie_break: bool | None = None
    """Whether raters were shown a rule for ties."""
    escapes_offered: bool | None = None
    completed: int | None = None
    """Completed participations."""
    planned: int | None = None
    """Planned N."""
    deviations: tuple[str, ...] = ()

    def flags(self) -> tuple[str, ...]:
        """One sentence for each thing a reader of the figures must know."""
        told: list[str] = []
        if self.planned is not None and (self.completed or 0) < self.planned:
            told.append(f"before planned N: {self.completed or 0} of {self.planned} participations completed")
        if self.tie_break is not None:
            told.append(
                "a tie-break rule was in force" if self.tie_break else "no tie-break rule was in force"
            )
        if self.escapes_offered is not None:
            told.append(
                "escape codes were offered: not to be compared with studies that forced a choice"
                if self.escapes_offered
                else "no escape codes were offered"
            )
        return (*told, *(f"deviation: {one}" for one in self.deviations))


@dataclass(frozen=True, slots=True)
class Excluded:
    """Raters left out by rules declared before the study, and the figures with them."""

    raters: Mapping[str, str]
    """The reason by rater."""
    with_excluded: Reading | None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All figures; field names are the contract's keys."""

    study: str | None
    items: int
    raters: int
    ratings: int
    unit: str
    categories: tuple[str, ...]
    fleiss_kappa: Kappa
    fleiss_levin_paik: LevinPaik
    bootstrap: Bootstrap
    shared_rater_interval: SharedRaterInterval
    per_category: Mapping[str, CategoryKappa]
    percent_agreement: float | None
    krippendorff_alpha: Alpha
    gwet_ac1: AC1
    masi_alpha: SetAlpha
    cohen_pairs: tuple[CohenPair, ...] | None
    cohen_pairs_omitted_reason: str | None
    confusion: Confusion
    escape_codes: EscapeReadings
    intra_rater: IntraRater
    against_gold: AgainstGold
    items_with_unequal_raters: int
    """Items whose number of ratings is not the most common one."""
    raters_per_item: Mapping[int, int]
    """How many items have that many ratings."""
    per_mechanism: Mapping[str, BinaryAgreement] | None
    """Agreement on whether each label applies at all; null where no rating has additional labels."""
    over_collected: tuple[str, ...]
    """Items with more completed ratings than planned."""
    excluded: Excluded
    circumstances: Circumstances
    flags: tuple[str, ...]
    warnings: tuple[str, ...]
    undefined_reason: str | None
    """Why not even the percent agreement is defined."""

    def to_json(self) -> dict[str, Any]:
        """JSON values under the contract's keys."""
        values: dict[str, Any] = _plain(asdict(self))
        return values


def agreement(
    ratings: Ratings,
    *,
    escape_codes: Sequence[str] = ESCAPE_CODES,
    category_order: Sequence[str] | None = None,
    gold: Mapping[str, str] | None = None,
    repeats: Iterable[Rating] | Ratings | None = None,
    seed: int = 0,
    resamples: int = RESAMPLES,
    study: str | None = None,
    over_collected: Iterable[str] = (),
    excluded: Mapping[str, str] | None = None,
    with_excluded: Ratings | None = None,
    circumstances: Circumstances = Circumstances(),
) -> AgreementReport:
    """Every coefficient of these ratings, each with its method, its interval and why it is undefined.

    Args:
        ratings: what counts, without excluded raters and without repeats.
        escape_codes: labels for `not ambiguous` and `other`.
        category_order: labels in the order to report them, unused ones too; further ones follow.
        gold: the intended label by item.
        repeats: second ratings of items by the same rater.
        seed: what bootstraps and permutations are drawn from.
        resamples: of each bootstrap, and permutations where a test draws them.
        study: what the study is called.
        over_collected: items with more ratings than planned.
        excluded: raters that were left out, and why.
        with_excluded: the ratings with those of excluded raters.
        circumstances: what a reader of the figures must know.

    Raises:
        InputError: `ratings` is not a table of ratings, a repeat is there twice, or the order names a label
            twice.
    """
    if not isinstance(ratings, Ratings):
        raise not_ratings(ratings)
    if category_order is not None:
        ratings = ratings.ordered(category_order)
    again = repeats if repeats is None or isinstance(repeats, Ratings) else Ratings.of(repeats)
    kappa = fleiss_kappa(ratings, seed, resamples)
    pairs = cohen_pairs(ratings)
    per_item = _raters_per_item(ratings)
    used_codes = {ratings.categories[one] for one in ratings.used.tolist()}
    near = lookalikes("labels", used_codes.union(escape_codes))
    percent = percent_agreement(ratings)
    return AgreementReport(
        study=study,
        items=len(ratings.items),
        raters=len(ratings.raters),
        ratings=len(ratings),
        unit="dominant",
        categories=ratings.categories,
        fleiss_kappa=kappa,
        fleiss_levin_paik=levin_paik(ratings),
        bootstrap=bootstrap(ratings, seed, resamples),
        shared_rater_interval=shared_rater_interval(ratings),
        per_category=per_category(ratings),
        percent_agreement=percent,
        krippendorff_alpha=krippendorff_alpha(ratings),
        gwet_ac1=gwet_ac1(ratings),
        masi_alpha=set_alpha(ratings),
        cohen_pairs=pairs.pairs,
        cohen_pairs_omitted_reason=pairs.omitted_reason,
        confusion=confusion(ratings),
        escape_codes=escape_readings(ratings, escape_codes, kappa),
        intra_rater=intra_rater(ratings, again),
        against_gold=against_gold(ratings, gold),
        items_with_unequal_raters=len(ratings.items) - max(per_item.values(), default=0),
        raters_per_item=per_item,
        per_mechanism=per_mechanism(ratings),
        over_collected=tuple(sorted(over_collected)),
        excluded=_excluded(excluded or {}, with_excluded),
        circumstances=circumstances,
        flags=circumstances.flags(),
        warnings=tuple(dict.fromkeys((*ratings.warnings, *near))),
        undefined_reason=None if percent is not None else NO_PAIRS if len(ratings) else NO_RATINGS,
    )


def _raters_per_item(ratings: Ratings) -> dict[int, int]:
    import numpy as np

    items = np.bincount(ratings.sizes)
    return {number: int(items[number]) for number in np.flatnonzero(items).tolist()}


def _excluded(raters: Mapping[str, str], ratings: Ratings | None) -> Excluded:
    if ratings is None:
        return Excluded(dict(raters), None)
    return Excluded(
        dict(raters), reading(ratings, fleiss_kappa(ratings, seed=None), "with excluded raters", 1.0)
    )


def _plain(value: Any) -> Any:
    """Tuples become lists and keys text, as JSON would have them."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return value
