"""What answers gave away, as two coders see it: key answers that were asked for, and others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from studies.clarification.counting import Person
from studies.clarification.dialogues import LEFT_OUT, dialogue_of
from studies.clarification.figures import By, partition
from studies.clarification.metrics import Run
from studies.clarification.records import run_of
from studies.clarification.sessions import Round, Session
from studies.coding import RULES, Coded, Coding, Figure, Given, Place, mean, share
from studies.study import Study

NO_ANSWERS = "no answer is coded"
NO_SESSIONS = "no session has all its answers coded"
NOT_ASKED = "no coded answer is to a key question"


@dataclass(frozen=True, slots=True)
class Heard:
    """One coded answer."""

    asked: frozenset[str]
    """The key questions that the question was matched with."""
    given: Given


@dataclass(frozen=True, slots=True)
class Answered:
    """One session with key questions."""

    run: Run
    answers: tuple[Heard, ...]
    whole: bool
    """Every answer is coded."""


@dataclass(frozen=True, slots=True)
class Volunteered:
    """The figures of one group of sessions, each under both rules of `studies.coding.RULES`."""

    by: By
    sessions: int
    participants: int
    per_answer: Mapping[str, Figure]
    """Key answers that an answer gives though its question was matched with none of their key questions."""
    per_session: Mapping[str, Figure]
    """Different ones of these in a session all of whose answers are coded."""
    given_when_asked: Mapping[str, Figure]
    """Of key answers whose key question was asked, the share that the answer gives."""

    def to_json(self) -> dict[str, Any]:
        """The figures by name and rule."""
        named = ("per_answer", "per_session", "given_when_asked")
        plain = {"by": dict(self.by), "sessions": self.sessions, "participants": self.participants}
        return plain | {
            name: {rule: one.to_json() for rule, one in getattr(self, name).items()} for name in named
        }


@dataclass(frozen=True, slots=True)
class CodedAnswers:
    """What coding says of a study's answers."""

    coding: Coded
    unmatched: int
    """Coded answers to questions of which nobody has said what they ask about; in no figure."""
    groups: tuple[Volunteered, ...]
    """As the groups of other figures."""

    def to_json(self) -> dict[str, Any]:
        """How it was coded, and the groups."""
        return {
            "coding": asdict(self.coding),
            "unmatched": self.unmatched,
            "groups": [one.to_json() for one in self.groups],
        }


def volunteered(study: Study, persons: Sequence[Person], coding: Coding) -> CodedAnswers:
    """What the answers of those who count gave away, asked or not.

    Args:
        study: the version; its seat is `answerer`.
        persons: those who count.
        coding: of their answers.
    """
    texts: list[Place] = []
    found: list[Answered] = []
    unmatched = 0
    for person, session in _sessions(study, persons):
        dialogue = dialogue_of(study, session, person.participant)
        if dialogue is None:
            continue
        own = [one for one in session.rounds if one.answer is not None and one.answer.own_words]
        places = [(session.id, one.turn) for one in own]
        given = [coding.given(one) for one in places]
        asked = [_asked(one) for one in own]
        texts += places
        unmatched += sum(one is None and what is not None for one, what in zip(asked, given, strict=True))
        heard = [
            Heard(about, what)
            for about, what in zip(asked, given, strict=True)
            if about is not None and what is not None
        ]
        found.append(Answered(run_of(dialogue), tuple(heard), len(heard) == len(own)))
    groups = tuple(_figures(by, own) for by, own in partition(found, lambda one: one.run))
    return CodedAnswers(coding.over(texts), unmatched, groups)


def _sessions(study: Study, persons: Sequence[Person]) -> Iterator[tuple[Person, Session]]:
    for person in persons:
        for one in person.sessions:
            if one.ending not in LEFT_OUT and study.clarification_task(one.item).gaps:
                yield person, one


def _asked(one: Round) -> frozenset[str] | None:
    """The key questions that a question was matched with; None where nobody has said."""
    if one.matched is not None:
        return frozenset(one.matched.matched)
    gap = one.answer.gap if one.answer is not None else ""
    return frozenset({gap}) if gap else None


def _figures(by: By, sessions: Sequence[Answered]) -> Volunteered:
    own: dict[str, list[Answered]] = {}
    for one in sorted(sessions, key=lambda one: one.run.participant or ""):
        own.setdefault(one.run.participant or "", []).append(one)

    def parted(values: Callable[[Answered], list[Any]]) -> dict[str, list[Any]]:
        return {name: [value for one in some for value in values(one)] for name, some in own.items()}

    def unasked(heard: Heard, rule: str) -> frozenset[str]:
        return heard.given.by(rule) - heard.asked

    def per_answer(rule: str) -> Figure:
        return mean(parted(lambda one: [len(unasked(heard, rule)) for heard in one.answers]), NO_ANSWERS)

    def per_session(rule: str) -> Figure:
        def different(one: Answered) -> list[int]:
            return [len(frozenset().union(*(unasked(heard, rule) for heard in one.answers)))]

        return mean(parted(lambda one: different(one) if one.whole else []), NO_SESSIONS)

    def when_asked(rule: str) -> Figure:
        def told(one: Answered) -> list[bool]:
            return [gap in heard.given.by(rule) for heard in one.answers for gap in sorted(heard.asked)]

        return share(parted(told), NOT_ASKED)

    return Volunteered(
        by=by,
        sessions=len(sessions),
        participants=len(own),
        per_answer={rule: per_answer(rule) for rule in RULES},
        per_session={rule: per_session(rule) for rule in RULES},
        given_when_asked={rule: when_asked(rule) for rule in RULES},
    )
