"""How figures from blind coding are printed: what they must be read with, and the figures of each kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from capa_tui import report
from capa_tui.commands.printing import by_words, interval_words

if TYPE_CHECKING:
    from studies.agreement.clusters import ClusterInterval
    from studies.clarification.volunteered import CodedAnswers
    from studies.coding import Coded
    from studies.roleplay.disclosure import Disclosure
    from studies.roleplay.evaluation import Evaluation

EITHER = "if either says so"


def print_volunteered(found: CodedAnswers) -> None:
    """What answers gave away."""
    report.line("")
    report.table(
        ("volunteered", "people", "sessions", "an answer", EITHER, "95%", "a session", "given when asked"),
        [
            (
                by_words(one.by),
                one.participants,
                one.sessions,
                one.per_answer["both"].value,
                one.per_answer["either"].value,
                interval_words(one.per_answer["both"].ci),
                one.per_session["both"].value,
                one.given_when_asked["both"].value,
            )
            for one in found.groups
        ],
    )
    if found.unmatched:
        report.line(f"note: answers to questions that nobody matched, in no figure: {found.unmatched}")
    _coding(found.coding)


def print_leakage(found: Evaluation, told: Disclosure) -> None:
    """Who told a withheld fact at once, what was revealed by turn, and the figures without the former."""
    from studies.roleplay.disclosure import WITHOUT_LEAKS

    report.line("")
    report.table(
        ("first own message", "sessions", "leaked", "rate", EITHER, "95%"),
        [
            (
                by_words(one.by),
                one.sessions,
                one.leaked,
                one.rate.value,
                one.either.value,
                interval_words(one.rate.ci),
            )
            for one in found.leakage
        ],
    )
    report.line("")
    report.table(
        ("facts revealed", "n", "withheld", EITHER, "open", "95% of withheld"),
        [
            (
                f"{by_words(one.by)}, {'a session' if one.turn is None else f'turn {one.turn}'}",
                one.withheld["both"].n,
                one.withheld["both"].value,
                one.withheld["either"].value,
                one.open["both"].value,
                interval_words(one.withheld["both"].ci),
            )
            for one in told.revealed
        ],
    )
    report.line("")
    report.table(
        (WITHOUT_LEAKS, "people", "sessions", "ES", "FT-ES", "TTC", "95% of ES"),
        [
            (
                by_words(one.by),
                one.participants,
                one.sessions,
                one.es,
                one.ft_es,
                one.ttc,
                interval_words(one.es_ci),
            )
            for run in found.sensitivity
            if run.name == WITHOUT_LEAKS
            for one in run.groups
        ],
    )
    for flag in told.flags:
        report.line(f"note: {flag}")
    _coding(told.coding)


def _coding(one: Coded) -> None:
    """By whom and how it was coded, how far they agree, and what is not coded."""
    planned = "" if one.planned is None else f" of {one.planned}"
    report.line(
        f"note: coded in {one.study} by {one.coders}{planned} coders, {one.coded} of {one.texts} texts; "
        f"pairs of text and statement: kappa {_value(one.agreement.kappa)}, AC1 {_value(one.agreement.ac1)}"
    )
    report.line(f"note: {one.rule}")
    for reason, several in Counter(missing.reason for missing in one.not_coded).items():
        report.line(f"note: not coded, in no figure of this part: {several} texts, {reason}")


def _value(one: ClusterInterval) -> str:
    return f"undefined ({one.undefined_reason})" if one.value is None else f"{one.value:.3f}"
