"""Blind coding of what participants wrote: which statements each of their texts gives away, by two coders.

A coding study is a clarification study whose matchers get those texts in the place of asked questions. A text
is known in it by a hash of its session and turn, by which the decisions are joined to the sessions again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import inf
from typing import Any

from studies.clarification.agreement import Binary, decisions, pair_agreement
from studies.clarification.counting import counted, people
from studies.clarification.payloads import QuestionAnswered
from studies.desk import ParticipationErased
from studies.errors import InputError
from studies.events import Event
from studies.progress import planned_n
from studies.roleplay.payloads import TurnSubmitted
from studies.statistics.intervals import Interval, exact_mean, mean_interval, share_interval
from studies.study import Study

HOW = (
    "make a coding study of an export with `new DIR --kind clarification --seat matcher --from EXPORT`, "
    "have two people code it, then `evaluate STUDY --coded CODING`"
)
"""How what participants wrote comes to be coded."""
RULE = (
    "a text is coded once two coders have decided on it; a statement counts as given where all of its coders "
    "say so, and under `either` where any of them does"
)
CODERS = 2
"""Coders that a text has at least before it counts as coded."""
ABSENT = "not among the texts of the coding study"
UNDECIDED = f"fewer than {CODERS} coders have decided"
Place = tuple[str, int]
"""Where a text is: its session and turn."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a coded text gives away: ids of key questions or facts."""

    both: frozenset[str]
    """All coders say so."""
    either: frozenset[str]
    """At least one does."""

    def by(self, rule: str) -> frozenset[str]:
        """Under one of `RULES`."""
        return self.both if rule == "both" else self.either


RULES = ("both", "either")
"""The one that counts first."""


@dataclass(frozen=True, slots=True)
class NotCoded:
    """One text that no figure has."""

    session: str
    turn: int
    reason: str


@dataclass(frozen=True, slots=True)
class Coded:
    """What figures from coding must be read with."""

    study: str
    """Of the coding study."""
    sha256: str
    rule: str
    coders: int
    """Whose participations count."""
    planned: int | None
    texts: int
    """In the sessions that count."""
    coded: int
    not_coded: tuple[NotCoded, ...]
    agreement: Binary
    """Of the coders, on pairs of a text and a statement."""


@dataclass(frozen=True, slots=True)
class Coding:
    """The decisions of a coding study that was made from an export of the study in question."""

    study: str
    sha256: str
    seed: int
    """Of the study that was coded: ids derive from it."""
    coders: int
    planned: int | None
    agreement: Binary
    decided: Mapping[str, Sequence[frozenset[str]]]
    """By text that was drawn: what each coder says it gives away."""

    def given(self, place: Place) -> Given | None:
        """What a text gives away; None where it is not coded."""
        made = self.decided.get(text_id(self.seed, *place), ())
        if len(made) < CODERS:
            return None
        return Given(frozenset.intersection(*made), frozenset().union(*made))

    def over(self, texts: Iterable[Place]) -> Coded:
        """What figures over these texts must be read with."""
        places = list(texts)
        missing = tuple(
            NotCoded(*one, UNDECIDED if text_id(self.seed, *one) in self.decided else ABSENT)
            for one in places
            if self.given(one) is None
        )
        return Coded(
            study=self.study,
            sha256=self.sha256,
            rule=RULE,
            coders=self.coders,
            planned=self.planned,
            texts=len(places),
            coded=len(places) - len(missing),
            not_coded=missing,
            agreement=self.agreement,
        )


def text_id(seed: int, session: str, turn: int) -> str:
    """What a text is called in a coding study: it tells nothing to whoever does not know the session's id."""
    return "text-" + hashlib.sha256(f"{seed}\n{session}\n{turn}".encode()).hexdigest()[:16]


def own_texts(events: Iterable[Event]) -> Iterator[Place]:
    """The texts in the participant's own words: requests that are no fixed opening, and answers."""
    for one in events:
        match one.payload:
            case TurnSubmitted(session=session, turn=turn, opening=opening) if opening != "fixed":
                yield session, turn
            case QuestionAnswered(session=session, turn=turn, by="person", own_words=True):
                yield session, turn


def read_coding(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Iterable[Event],
    coding: Study,
    coded: Mapping[str, Sequence[Event]],
    coding_desk: Sequence[Event],
    *,
    name: str,
) -> Coding:
    """The decisions of those coders who count.

    Args:
        study: the version whose texts were coded.
        streams: its participations' events by stream id.
        desk: its desk events.
        coding: the coding study.
        coded: the coders' events by stream id.
        coding_desk: the coding study's desk events.
        name: what the coding study is called.

    Raises:
        InputError: it codes nothing, or another version, or an export from elsewhere.
    """
    how = coding.settings.clarification.coding
    if coding.settings.kind != "clarification" or how is None:
        raise InputError(f"{name} is no coding study: {HOW}")
    if how.study != study.sha256:
        raise InputError(
            f"{name} codes what was written in the version {how.study[:8]}, and this is {study.sha256[:8]}"
        )
    seed = study.settings.seed
    known = {text_id(seed, *one) for events in streams.values() for one in own_texts(events)}
    strange = [one for one in coding.asked if one not in known]
    # What an erased participant wrote is gone here, and may have been coded before.
    erased = any(isinstance(one.payload, ParticipationErased) for one in desk)
    if strange and not erased:
        raise InputError(
            f"{name} was made from another export: {len(strange)} of its {len(coding.asked)} texts are in no "
            "session of this database"
        )
    kept, _ = counted(people(coding, coded, coding_desk))
    made = decisions(coding, kept)
    decided: dict[str, list[frozenset[str]]] = {one: [] for one in coding.asked}
    for one in made:
        decided[one.asked].append(frozenset(one.matches))
    return Coding(
        study=name,
        sha256=coding.sha256,
        seed=seed,
        coders=len({one.matcher for one in made}),
        planned=planned_n(coding),
        agreement=pair_agreement(coding, made),
        decided=decided,
    )


# -- figures -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean or share with its interval over participants."""

    value: float | None
    n: int
    """How many texts, sessions or pairs it is over."""
    ci: Interval | None = None
    undefined_reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """An interval without ends is null, and its reason stands beside it."""
        ci = self.ci if self.ci is not None and self.ci.low is not None else None
        reason = self.undefined_reason or (self.ci.undefined_reason if self.ci else None)
        return {**asdict(self), "ci": asdict(ci) if ci else None, "undefined_reason": reason}


def mean(parts: Mapping[str, Sequence[int]], why: str) -> Figure:
    """The mean of counts.

    Args:
        parts: by participant.
        why: there may be nothing to count.
    """
    own = [some for some in parts.values() if some]
    if not own:
        return Figure(None, 0, None, why)
    values = [one for some in own for one in some]
    means = [exact_mean([Fraction(one) for one in some]) for some in own]
    return Figure(sum(values) / len(values), len(values), mean_interval(means, 0, inf))


def share(parts: Mapping[str, Sequence[bool]], why: str) -> Figure:
    """The share of what holds; see `mean`."""
    own = [some for some in parts.values() if some]
    if not own:
        return Figure(None, 0, None, why)
    values = [one for some in own for one in some]
    return Figure(sum(values) / len(values), len(values), share_interval(own))
