"""The figures of an agreement report as rows of text, so that command line and screen say the same."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from studies.agreement.escapes import Reading
from studies.agreement.report import AgreementReport

UNDEFINED = "undefined"


class Line(NamedTuple):
    """One row of a table. Labels and names from the data are in it as they are: never markup."""

    label: str
    """Indented by two spaces where it belongs to the figure above."""
    value: str
    note: str
    """n, method, or why the value is undefined."""


def lines(report: AgreementReport) -> tuple[Line, ...]:
    """What must be known first, then each figure with its n, method, interval, or why it is undefined."""
    return (*_notices(report), *_kappa(report), *_others(report), *_escapes(report), *_categories(report))


def number(value: float | None, digits: int = 3) -> str:
    """A coefficient with that many decimals, or `undefined`."""
    return UNDEFINED if value is None else f"{value:.{digits}f}"


def percent(value: float | None) -> str:
    """A proportion as a percentage with one decimal, or `undefined`."""
    return UNDEFINED if value is None else f"{value:.1%}"


def interval(low: float | None, high: float | None) -> str:
    """`low to high`, or `undefined`."""
    return UNDEFINED if low is None or high is None else f"{low:.3f} to {high:.3f}"


def p_value(p: float | None) -> str:
    """`p = 0.012`, or `p < 0.001`."""
    return f"p {UNDEFINED}" if p is None else "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _notices(report: AgreementReport) -> Iterator[Line]:
    yield from (Line("Note", "", one) for one in report.flags)
    yield from (Line("Warning", "", one) for one in report.warnings)
    told = f"{report.items:,} items, {report.raters:,} raters"
    if report.items_with_unequal_raters:
        told += f"; {report.items_with_unequal_raters:,} items with another number of raters than most"
    yield Line("Ratings", f"{report.ratings:,}", told)
    if report.over_collected:
        yield Line("Over-collected items", f"{len(report.over_collected):,}", "more ratings than planned")


def _kappa(report: AgreementReport) -> Iterator[Line]:
    kappa, shared, boot = report.fleiss_kappa, report.shared_rater_interval, report.bootstrap
    yield Line("Fleiss' kappa", number(kappa.value), kappa.undefined_reason or kappa.method)
    if kappa.value is None:
        return
    yield Line(
        "  95%, other items",
        interval(kappa.ci_low, kappa.ci_high),
        kappa.ci_undefined_reason or kappa.ci_method or "",
    )
    note = f"{shared.raters:,} raters, t with {shared.df} degrees of freedom; the one to publish"
    if shared.floored:
        note = "this design cannot tell the raters' own spread: wider than the first only by its few raters"
    yield Line(
        "  95%, other annotators too",
        interval(shared.ci_low, shared.ci_high),
        shared.undefined_reason or note,
    )
    for what, one in (("items", boot.items), ("sets", boot.sets)):
        note = f"{one.method}, {one.resamples:,} resamples of {one.units:,} {what}, seed {boot.seed}"
        if one.undefined_resamples:
            note += f", {one.undefined_resamples:,} without a kappa left out"
        yield Line(
            f"  95%, bootstrap of {what}", interval(one.ci_low, one.ci_high), one.undefined_reason or note
        )
    test = UNDEFINED if kappa.z is None else f"z = {kappa.z:.2f}, {p_value(kappa.p)}"
    yield Line("  test of kappa = 0", test, kappa.null_undefined_reason or kappa.null_method or "")
    with_excluded = report.excluded.with_excluded
    if with_excluded:
        yield _reading(f"  with {len(report.excluded.raters):,} excluded raters", with_excluded)


def _others(report: AgreementReport) -> Iterator[Line]:
    levin, ac1, sets = report.fleiss_levin_paik, report.gwet_ac1, report.masi_alpha
    alpha, intra, gold = report.krippendorff_alpha, report.intra_rater, report.against_gold
    agreed = report.undefined_reason or "pairs of raters within items"
    yield Line("Raw agreement", percent(report.percent_agreement), agreed)
    bounds = ac1.ci_undefined_reason or f"95% {interval(ac1.ci_low, ac1.ci_high)}"
    yield Line("Gwet's AC1", number(ac1.value), ac1.undefined_reason or bounds)
    yield Line("Krippendorff's alpha", number(alpha.value), alpha.undefined_reason or "nominal")
    yield Line("Levin-Paik kappa", number(levin.value), levin.undefined_reason or f"z = {number(levin.z, 2)}")
    swapped = percent(sets.sets_agree_dominants_differ)
    note = f"dominant and additional together; sets agree and dominants differ on {swapped} of the items"
    yield Line("Alpha, MASI distance", number(sets.value), sets.undefined_reason or note)
    note = f"Cohen's kappa of {intra.pairs:,} pairs; {percent(intra.percent_agreement)} agree"
    yield Line("Same rater twice", number(intra.kappa), intra.undefined_reason or note)
    note = f"of {gold.ratings:,} ratings; Cohen's kappa {number(gold.kappa)}"
    yield Line("Right by gold", percent(gold.accuracy), note if gold.ratings else gold.undefined_reason or "")


def _escapes(report: AgreementReport) -> Iterator[Line]:
    escapes = report.escape_codes
    if not escapes.used:
        return
    yield Line("Escape codes", percent(escapes.used), f"of the ratings: {', '.join(escapes.codes)}")
    yield _reading("  kappa, all codes", escapes.all)
    yield _reading("  kappa, merged", escapes.merged)
    yield _reading("  kappa, none used", escapes.none_used)


def _reading(label: str, one: Reading) -> Line:
    kept = f"{one.items:,} items ({percent(one.share_kept)})"
    told = f"95% {interval(one.ci_low, one.ci_high)}; {kept}; {one.note}"
    return Line(label, number(one.value), one.undefined_reason or told)


def _categories(report: AgreementReport) -> Iterator[Line]:
    yield Line("By category", "", "kappa of each category against the rest")
    for label, one in report.per_category.items():
        yield Line(f"  {label}", number(one.value), one.undefined_reason or f"z = {number(one.z, 2)}")
