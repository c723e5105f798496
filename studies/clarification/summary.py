"""Matchers' agreement as rows of text: pairs, questions, sets, fresh hits, the judge; then who counts."""

from __future__ import annotations

from collections.abc import Iterator

from studies.agreement.clusters import ClusterInterval
from studies.agreement.summary import Line, interval, lines, number, percent
from studies.clarification.agreement import AgainstJudge, Binary, MatcherAgreement
from studies.clarification.authors import AuthorAgreement, Share

UNITS = {"pair": "Pairs (asked, key)", "question": "Any match, a question", "turn": "Fresh hit, a turn"}


def matcher_lines(found: MatcherAgreement) -> tuple[Line, ...]:
    """Every figure of a matchers' study, with everything it must be read with."""
    return (
        *(one for part in (found.pair, found.any_match, found.fresh_hit) for one in _binary(part)),
        Line(
            "Alpha, MASI distance",
            number(found.sets.value),
            found.sets.undefined_reason or "sets, a question",
        ),
        *_judge(found.judge_pair),
        *_judge(found.judge_any),
        *_strata(found),
        Line("Of pairs, as for labels", "", "the coefficients that other studies report too"),
        *lines(found.report),
        *_people(found),
    )


def _binary(one: Binary) -> Iterator[Line]:
    agreed = percent(one.percent_agreement)
    told = f"{one.ratings:,} decisions on {one.items:,} by {one.raters:,}; {agreed} agree"
    yield Line(UNITS[one.unit], "", one.undefined_reason or told)
    yield _figure("  kappa", one.kappa)
    shared = one.kappa_by_matcher
    note = shared.undefined_reason or f"over {shared.raters:,} matchers"
    yield Line("  95%, other matchers too", interval(shared.ci_low, shared.ci_high), note)
    yield _figure("  AC1", one.ac1)
    yield _figure("  kappa, weighted back", one.weighted_kappa)
    yield _figure("  AC1, weighted back", one.weighted_ac1)


def _figure(label: str, one: ClusterInterval) -> Line:
    if one.value is None:
        return Line(label, number(None), one.undefined_reason or "")
    note = one.ci_undefined_reason or f"95% {interval(one.ci_low, one.ci_high)}, over {one.clusters:,} tasks"
    return Line(label, number(one.value), note)


def _judge(one: AgainstJudge) -> Iterator[Line]:
    note = f"Cohen's kappa of {one.decisions:,} decisions; {percent(one.percent_agreement)} agree"
    yield Line(f"With the judge, a {one.unit}", number(one.kappa), one.undefined_reason or note)
    for matcher, value in one.by_matcher.items():
        yield Line(f"  {matcher}", number(value), "")


def _strata(found: MatcherAgreement) -> Iterator[Line]:
    for name, one in found.strata.items():
        told = f"of {one.there:,} asked questions; {one.labelled:,} labelled"
        yield Line(f"Drawn, judge's vote {name}", f"{one.drawn:,}", told)


def author_lines(found: AuthorAgreement) -> tuple[Line, ...]:
    """Every figure of an authors' study."""
    shares = {"Gaps found": found.gaps_found, **{f"  {name}": one for name, one in found.by_type.items()}}
    return (
        *(_share(label, one) for label, one in shares.items()),
        Line("Gaps settled to be none", f"{found.dropped:,}", ""),
        Line("Further gaps", f"{found.further:,}", "own questions of cross-checkers that show one more"),
        Line("Types, before consensus", "", f"author and cross-checker of each gap; {found.tasks:,} tasks"),
        *lines(found.report),
        *_people(found),
    )


def _share(label: str, one: Share) -> Line:
    told = f"{one.found:,} of {one.gaps:,} by questions from the shortened task alone"
    if one.interval is not None:
        reason, low, high = one.interval.undefined_reason, one.interval.low, one.interval.high
        told += f"; 95% {reason or interval(low, high)}"
    return Line(label, percent(one.value), one.undefined_reason or told)


def _people(found: MatcherAgreement | AuthorAgreement) -> Iterator[Line]:
    planned = "none planned" if found.planned_n is None else f"of {found.planned_n} planned"
    yield Line("Completed participations", f"{found.completed:,}", planned)
    yield Line("  counted", f"{found.participants:,}", "")
    for left in found.not_counted:
        yield Line("  not counted", left.participant or "erased", left.reason)
    for look in found.looks:
        yield Line(f"  look {look.at[:10]}", f"{look.completed} of {look.planned}", look.reason)
