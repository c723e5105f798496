"""What a clarification study may plan on: its outcomes by seat, and contrasts between those who ask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.settings import AnalysisSettings, StudySettings

_PROTOCOL = ("tkqr", "ora", "ora_strict", "rounds", "diff", "pass_at_1")
OUTCOMES: Mapping[str, tuple[str, ...]] = {
    "answerer": _PROTOCOL,
    "asker": _PROTOCOL,
    "matcher": ("pair_kappa", "pair_ac1", "any_match_kappa", "masi_alpha", "fresh_hit_kappa"),
    "author": ("type_kappa", "gaps_found"),
}
"""The outcomes of each seat, the usual one first."""


def serving(settings: StudySettings) -> tuple[str, ...]:
    """Names of the assistants that do something beside asking: judge, answer, or write a person's code."""
    how = settings.clarification
    wanted = {how.judge.by, how.coder, how.answerer}
    return tuple(one.name for one in settings.assistants if one.name in wanted)


def asker_names(settings: StudySettings) -> tuple[str, ...]:
    """Names of the assistants that ask and write code, in the order in which they rotate."""
    if settings.clarification.askers:
        return settings.clarification.askers
    beside = serving(settings)
    return tuple(one.name for one in settings.assistants if one.name not in beside)


def contrasts(settings: StudySettings, analysis: AnalysisSettings) -> tuple[list[tuple[str, str]], list[str]]:
    """The planned contrasts, the first asker less the second; and the parts that name no two askers."""
    names, found, odd = asker_names(settings), [], []
    for part in filter(None, (one.strip() for one in analysis.contrast.split(";"))):
        first, minus, second = part.partition(" minus ")
        pair = (first.strip(), second.strip())
        if minus and pair[0] != pair[1] and set(pair) <= set(names):
            found.append(pair)
        else:
            odd.append(part)
    return found, odd
