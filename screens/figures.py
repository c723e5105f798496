"""The figures of a study's agreement in words: pure, so that what is said can be read in a test."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from screens import words

if TYPE_CHECKING:
    from studies.agreement.escapes import Reading
    from studies.annotation.metrics import StudyAgreement

FLOORED = "shared raters add nothing that can be estimated here, so it speaks of other items only"

Named = Mapping[str, str]
"""Label -> what it is called on screen."""


@dataclass(frozen=True, slots=True)
class Line:
    """One figure: what it is, its value, and what one must know of it."""

    what: str
    value: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """Figures that belong together."""

    title: str
    lines: Sequence[Line]


def sections(found: StudyAgreement, names: Named) -> tuple[Section, ...]:
    """Every figure of a study, the headline first."""
    made = (
        Section("Fleiss' kappa, dominant label", tuple(_kappa(found))),
        Section("Beside it", tuple(_others(found))),
        Section("Escape codes", tuple(_escapes(found))),
        Section("By label: kappa of this label against all others", tuple(_categories(found, names))),
        Section("Each label present or not, main or also", tuple(_mechanisms(found, names))),
        Section("The same person twice", tuple(_intra(found))),
        Section("Against the intended label", tuple(_gold(found))),
        Section("Who counts", tuple(_counted(found))),
        Section("To be read with it", tuple(_conditions(found))),
    )
    return tuple(one for one in made if one.lines)


def _kappa(found: StudyAgreement) -> Iterator[Line]:
    report, kappa = found.report, found.report.fleiss_kappa
    n = (
        f"{words.counted(report.items, 'item')}, {words.counted(report.raters, 'rater')}, "
        f"{words.counted(report.ratings, 'rating')}; {kappa.method}"
    )
    yield Line("kappa", words.figure(kappa.value), kappa.undefined_reason or n)
    yield Line(
        "95%, other items",
        words.interval(kappa.ci_low, kappa.ci_high),
        kappa.ci_undefined_reason or kappa.undefined_reason or f"same raters; {kappa.ci_method}",
    )
    for what, boot in (
        ("95%, items resampled", report.bootstrap.items),
        ("95%, sets resampled", report.bootstrap.sets),
    ):
        note = boot.undefined_reason or (
            f"{boot.method}, {boot.resamples:,} resamples of {boot.units:,}, seed {report.bootstrap.seed}"
        )
        yield Line(what, words.interval(boot.ci_low, boot.ci_high), note)
    shared = report.shared_rater_interval
    yield Line(
        "95%, other annotators too",
        words.interval(shared.ci_low, shared.ci_high),
        shared.undefined_reason or (FLOORED if shared.floored else f"the one to publish; {shared.method}"),
    )
    if kappa.z is not None:
        yield Line("test of kappa = 0", words.p_value(kappa.p), f"z = {kappa.z:.2f}; {kappa.null_method}")
    else:
        yield Line(
            "test of kappa = 0",
            words.p_value(kappa.p),
            kappa.null_undefined_reason or kappa.undefined_reason or kappa.null_method or "",
        )


def _others(found: StudyAgreement) -> Iterator[Line]:
    report = found.report
    yield Line(
        "raw agreement",
        words.share(report.percent_agreement),
        report.undefined_reason or "pairs of raters that agree",
    )
    ac1 = report.gwet_ac1
    note = ac1.undefined_reason or ac1.ci_undefined_reason or f"95% {words.interval(ac1.ci_low, ac1.ci_high)}"
    yield Line("Gwet's AC1", words.figure(ac1.value), note)
    alpha = report.krippendorff_alpha
    yield Line("Krippendorff's alpha", words.figure(alpha.value), alpha.undefined_reason or "nominal")
    if report.items_with_unequal_raters:
        paik = report.fleiss_levin_paik
        yield Line(
            "Levin-Paik form",
            words.figure(paik.value),
            paik.undefined_reason or "for unequal numbers of raters",
        )
    masi = report.masi_alpha
    yield Line(
        "sets of labels (MASI)",
        words.figure(masi.value),
        masi.undefined_reason or "alpha on main and additional together",
    )
    only = masi.additional_only
    yield Line("additional labels only", words.figure(only.value), only.undefined_reason or "alpha, MASI")
    if masi.sets_agree_dominants_differ is not None:
        yield Line(
            "sets agree, mains differ", words.share(masi.sets_agree_dominants_differ), "share of the items"
        )


def _escapes(found: StudyAgreement) -> Iterator[Line]:
    codes = found.report.escape_codes
    yield Line("escapes among ratings", words.share(codes.used), ", ".join(codes.codes))
    for what, one in (
        ("all codes", codes.all),
        ("escapes merged", codes.merged),
        ("none used", codes.none_used),
    ):
        kept = "" if what != "none used" else f"{words.share(one.share_kept)} of the items; "
        yield _reading(what, one, kept)


def _reading(what: str, one: Reading, before: str = "") -> Line:
    bounds = f"95% {words.interval(one.ci_low, one.ci_high)}; " if one.ci_low is not None else ""
    n = f"{words.counted(one.items, 'item')}, {words.counted(one.ratings, 'rating')}; "
    return Line(what, words.figure(one.value), one.undefined_reason or f"{before}{bounds}{n}{one.note}")


def _categories(found: StudyAgreement, names: Named) -> Iterator[Line]:
    for label, one in found.report.per_category.items():
        note = one.undefined_reason or ("" if one.z is None else f"z = {one.z:.2f}, {words.p_value(one.p)}")
        yield Line(_called(label, names), words.figure(one.value), note)


def _mechanisms(found: StudyAgreement, names: Named) -> Iterator[Line]:
    for label, one in (found.report.per_mechanism or {}).items():
        told = f"in {words.share(one.share)} of the ratings; raw {words.share(one.percent_agreement)}"
        yield Line(
            _called(label, names),
            words.figure(one.kappa),
            one.undefined_reason or f"{told}; AC1 {words.figure(one.gwet_ac1)}",
        )


def _intra(found: StudyAgreement) -> Iterator[Line]:
    one = found.report.intra_rater
    if not one.pairs:
        yield Line("repeated items", "none", one.undefined_reason or "")
        return
    yield Line("repeated items", f"{one.pairs:,}", "the same item by the same person, once more")
    yield Line("raw agreement", words.share(one.percent_agreement))
    yield Line("Cohen's kappa", words.figure(one.kappa), one.undefined_reason or "")


def _gold(found: StudyAgreement) -> Iterator[Line]:
    one = found.report.against_gold
    if not one.ratings:
        yield Line("items with one", "none", one.undefined_reason or "")
        return
    yield Line(
        "as intended",
        words.share(one.accuracy),
        f"{one.ratings:,} ratings of {words.counted(one.items, 'item')}",
    )
    yield Line("Cohen's kappa", words.figure(one.kappa), one.undefined_reason or "all ratings as one table")


def _counted(found: StudyAgreement) -> Iterator[Line]:
    report = found.report
    planned = "none planned" if found.planned_n is None else f"of {found.planned_n} planned"
    yield Line("completed", f"{found.completed:,}", planned)
    yield Line("counted", f"{found.participants:,}")
    for rater, reason in report.excluded.raters.items():
        yield Line("excluded", rater, reason)
    if report.excluded.with_excluded is not None:
        yield _reading("kappa with them", report.excluded.with_excluded)
    for reason, n in Counter(one.reason for one in found.not_counted).items():
        yield Line("not counted", f"{n:,}", reason)
    if found.completed_blocks.ratings != report.ratings:
        yield _reading("kappa with blocks", found.completed_blocks)
    if report.items_with_unequal_raters:
        spread = ", ".join(f"{n} with {times}" for times, n in report.raters_per_item.items())
        yield Line(
            "items by raters", f"{report.items_with_unequal_raters:,}", f"differ from the rest: {spread}"
        )
    if report.over_collected:
        yield Line("over-collected", f"{len(report.over_collected):,}", ", ".join(report.over_collected))
    if found.adjudicators is not None:
        yield _reading("adjudicators' kappa", found.adjudicators)


def _conditions(found: StudyAgreement) -> Iterator[Line]:
    for one in (*found.report.flags, *found.report.warnings):
        yield Line("-", note=one)
    for look in found.looks:
        yield Line("looked", look.at[:10], f"at {look.completed} of {look.planned}: {look.reason}")


def _called(label: str, names: Named) -> str:
    return f"{label} {names[label]}" if label in names else label
