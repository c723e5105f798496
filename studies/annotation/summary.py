"""A study's agreement as rows of text: the report's own, then who counts and who looked."""

from __future__ import annotations

from collections.abc import Iterator

from studies.agreement.summary import Line, interval, lines, number, percent
from studies.annotation.metrics import StudyAgreement


def study_lines(found: StudyAgreement) -> tuple[Line, ...]:
    """Every figure of a study, with everything it must be read with."""
    return (*lines(found.report), *_mechanisms(found), *_people(found), *_looks(found))


def _mechanisms(found: StudyAgreement) -> Iterator[Line]:
    if not found.report.per_mechanism:
        return
    yield Line("Present or not", "", "kappa of whether a label applies at all, dominant or additional")
    for label, one in found.report.per_mechanism.items():
        agree = f"{percent(one.percent_agreement)} agree; AC1 {number(one.gwet_ac1)}"
        note = one.undefined_reason or f"in {percent(one.share)} of the ratings; {agree}"
        yield Line(f"  {label}", number(one.kappa), note)


def _people(found: StudyAgreement) -> Iterator[Line]:
    planned = "none planned" if found.planned_n is None else f"of {found.planned_n} planned"
    yield Line("Completed participations", f"{found.completed:,}", planned)
    yield Line("  counted", f"{found.participants:,}", "")
    for rater, reason in found.report.excluded.raters.items():
        yield Line("  excluded", rater, reason)
    for left in found.not_counted:
        yield Line("  not counted", left.participant or "erased", left.reason)
    more = (found.completed_blocks, "Kappa with finished blocks"), (found.adjudicators, "Adjudicators' kappa")
    for one, label in more:
        if one is not None:
            told = f"95% {interval(one.ci_low, one.ci_high)}; {one.ratings:,} ratings; {one.note}"
            yield Line(label, number(one.value), one.undefined_reason or told)
    for item in found.report.over_collected:
        yield Line("  over-collected", item, "more ratings than planned")


def _looks(found: StudyAgreement) -> Iterator[Line]:
    if found.looks:
        yield Line("Looks before planned N", f"{len(found.looks):,}", "")
    for look in found.looks:
        reason = look.reason or "no reason given"
        yield Line(f"  {look.at[:10]}", f"{look.completed} of {look.planned}", reason)
