"""The outcome figures of a group of held-out sessions (CAPA, Evaluation): ES, FT-ES, TTC, and their company.

ES is the share solved within the limit, FT-ES the share solved at the first assistant turn, TTC the mean
first successful turn, an unsolved session counting as the limit: each over started held-out sessions, without
those that ended technically or by the budget. Intervals are over participants.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from studies.roleplay.counting import DISPOSITIONS, LEFT_OUT, Outcome
from studies.roleplay.payloads import Disposition
from studies.statistics.intervals import (
    FEW,
    FEW_PARTICIPANTS,
    Interval,
    interval_json,
    mean_interval,
    share_interval,
)
from studies.statistics.spread import Spread, spread

NO_SESSIONS = "no session counts"


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one group of sessions. Proportions from 0 to 1, times in milliseconds."""

    by: Mapping[str, str | None]
    """What the sessions have in common; empty for the whole."""
    participants: int
    """People with a session that counts."""
    sessions: int
    """Of the started ones, those that count: the denominator."""
    dispositions: Mapping[str, int]
    """Of all started sessions."""
    started: int
    turns: Spread
    times: Mapping[str, Spread]
    """Of sessions: the participant's own time, and apart from it the model's and the judge's."""
    es: float | None = None
    ft_es: float | None = None
    ttc: float | None = None
    es_ci: Interval | None = None
    ft_es_ci: Interval | None = None
    ttc_ci: Interval | None = None
    question_rate: float | None = None
    """Share of whole replies that were questions."""
    flags: tuple[str, ...] = ()
    """What the figures must be read with."""
    undefined_reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The contract's keys and, beside them, counts, times and flags; an interval without ends is null."""
        values = asdict(self)
        for name in ("es_ci", "ft_es_ci", "ttc_ci"):
            one: Interval | None = getattr(self, name)
            values[name] = interval_json(one)
        values["flags"] = list(self.flags)
        return values


def group(
    by: Mapping[str, str | None],
    outcomes: Sequence[Outcome],
    limit: int,
    *,
    unsolved: Collection[Disposition] = (),
    noted: Sequence[str] = (),
) -> Group:
    """The figures of some sessions.

    Args:
        by: what they have in common.
        outcomes: every started session of the group.
        limit: assistant turns a session may have.
        unsolved: dispositions that count as unsolved here, though they are left out otherwise.
        noted: what every figure of the study must be read with.
    """
    counted = counting(outcomes, unsolved)
    found = replace(_counts(by, outcomes, counted), flags=(*noted, *_flags(counted)))
    if not counted:
        return replace(found, undefined_reason=NO_SESSIONS)
    own = by_participant(counted)
    es_ci = share_interval([[one.solved for one in some] for some in own])
    ft_es_ci = share_interval([[first_turn(one) for one in some] for some in own])
    ttc_ci = mean_interval([mean("ttc", some, limit) for some in own], 1, limit)
    return replace(
        found,
        es=float(mean("es", counted, limit)),
        ft_es=float(mean("ft_es", counted, limit)),
        ttc=float(mean("ttc", counted, limit)),
        es_ci=es_ci,
        ft_es_ci=ft_es_ci,
        ttc_ci=ttc_ci,
        undefined_reason=_reason({"es_ci": es_ci, "ft_es_ci": ft_es_ci, "ttc_ci": ttc_ci}),
    )


def undefined(by: Mapping[str, str | None], outcomes: Sequence[Outcome], reason: str) -> Group:
    """A group whose figures cannot be given, with the sessions that this concerns."""
    return replace(_counts(by, outcomes, counting(outcomes)), undefined_reason=reason)


def _counts(by: Mapping[str, str | None], outcomes: Sequence[Outcome], counted: Sequence[Outcome]) -> Group:
    """Everything of a group but its figures."""
    dispositions = Counter(one.disposition for one in outcomes)
    return Group(
        by=by,
        participants=len({one.participant for one in counted}),
        started=len(outcomes),
        sessions=len(counted),
        dispositions={name: dispositions[name] for name in DISPOSITIONS},
        turns=spread(one.turns for one in counted),
        times=times(counted),
        question_rate=_question_rate(counted),
    )


def counting(outcomes: Sequence[Outcome], unsolved: Collection[Disposition] = ()) -> list[Outcome]:
    """The sessions that figures are over."""
    return [one for one in outcomes if one.disposition not in LEFT_OUT or one.disposition in unsolved]


def by_participant(outcomes: Sequence[Outcome]) -> list[list[Outcome]]:
    """The sessions of each person, people in the order of their pseudonyms."""
    own: dict[str, list[Outcome]] = {}
    for one in outcomes:
        own.setdefault(one.participant, []).append(one)
    return [own[name] for name in sorted(own)]


def first_turn(one: Outcome) -> bool:
    """Whether a session was solved at the first assistant turn."""
    return one.solved_at == 1


def mean(outcome: str, sessions: Sequence[Outcome], limit: int) -> Fraction:
    """The mean of `es`, `ft_es` or `ttc` over some sessions, exactly."""
    if outcome == "es":
        total = sum(one.solved for one in sessions)
    elif outcome == "ft_es":
        total = sum(map(first_turn, sessions))
    else:
        total = sum(limit if one.solved_at is None else one.solved_at for one in sessions)
    return Fraction(total, len(sessions))


def times(outcomes: Sequence[Outcome]) -> dict[str, Spread]:
    """Whose time sessions took: median and quartiles, in milliseconds."""
    return {
        "participant_ms": spread(one.trace.participant_ms for one in outcomes),
        "typing_ms": spread(one.trace.typing_ms or None for one in outcomes),
        "model_ms": spread(one.trace.model_ms for one in outcomes),
        "judge_ms": spread(one.trace.judge_ms for one in outcomes),
    }


def idle_times(outcomes: Sequence[Outcome], idle_ms: int) -> dict[str, Spread]:
    """The participant's own time under an idle threshold; without sessions that captured no activity."""
    active = [(one.trace, one.trace.active_ms.get(idle_ms)) for one in outcomes]
    return {
        "active_ms": spread(own for _, own in active),
        "away_ms": spread(max(0, trace.participant_ms - own) for trace, own in active if own is not None),
        "reading_ms": spread(
            max(0, own - trace.typing_ms) for trace, own in active if own is not None and trace.typing_ms
        ),
    }


def _question_rate(outcomes: Sequence[Outcome]) -> float | None:
    replies = sum(one.replies for one in outcomes)
    return sum(one.questions for one in outcomes) / replies if replies else None


def _flags(outcomes: Sequence[Outcome]) -> Iterator[str]:
    people = len({one.participant for one in outcomes})
    if 0 < people < FEW:
        yield FEW_PARTICIPANTS
    for name, words in (
        ("names_maker", "replies named their maker"),
        ("mentions_history", "replies spoke of earlier sessions"),
        ("gate_fallback", "times the gate answered badly, and the raw history was shown"),
    ):
        if several := sum(int(getattr(one.trace, name)) for one in outcomes):
            yield f"{several} {words}"


def _reason(intervals: Mapping[str, Interval]) -> str | None:
    """Why intervals are missing: in a few words where they all are, else with their names."""
    reasons = {name: one.undefined_reason for name, one in intervals.items() if one.undefined_reason}
    if len(reasons) == len(intervals) and len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"{name}: {reason}" for name, reason in reasons.items()) or None
