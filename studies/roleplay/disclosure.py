"""Which facts participants' messages revealed, as two coders see it, and who told a withheld one at once.

The first message of a participant's own is the opening where openings are free. A fixed opening is the
task's, so there it is the message of turn 2, and the assistant may have asked for what it tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studies.coding import RULES, Coded, Coding, Figure, Given, mean, own_texts
from studies.events import Event
from studies.roleplay.counting import Outcome
from studies.study import Study

NO_MESSAGES = "no message is coded"
NO_SESSIONS = "no session has all its messages coded"
WITHOUT_LEAKS = "without sessions whose first own message revealed a withheld fact"
"""Name of the sensitivity run."""
AFTER_A_REPLY = (
    "openings are fixed: the first message of a participant's own is that of turn 2, and the reply before it "
    "may have asked for what it tells"
)


@dataclass(frozen=True, slots=True)
class Revealed:
    """Facts that messages revealed, each figure under both rules of `studies.coding.RULES`."""

    by: Mapping[str, str | None]
    turn: int | None
    """Of the messages; None: all of a session, where each fact counts once."""
    withheld: Mapping[str, Figure]
    """Withheld facts: a message, or a session all of whose messages are coded."""
    open: Mapping[str, Figure]
    """Facts that the opening says, too."""

    def to_json(self) -> dict[str, Any]:
        """The figures by name and rule."""
        return {
            "by": dict(self.by),
            "turn": self.turn,
            "withheld": {rule: one.to_json() for rule, one in self.withheld.items()},
            "open": {rule: one.to_json() for rule, one in self.open.items()},
        }


@dataclass(frozen=True, slots=True)
class Told:
    """The messages of one session in the participant's own words."""

    outcome: Outcome
    turns: tuple[int, ...]
    given: Mapping[int, Given]
    """Of the coded ones, by turn."""
    withheld: frozenset[str]
    """Ids of the task's withheld facts."""

    @property
    def whole(self) -> bool:
        """Whether every message is coded."""
        return len(self.given) == len(self.turns)

    def leaked(self, rule: str) -> bool | None:
        """Whether the first message reveals a withheld fact; None where it is not coded."""
        if not self.turns:
            return False
        first = self.given.get(self.turns[0])
        return None if first is None else bool(first.by(rule) & self.withheld)


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What coding says of a study's messages."""

    coding: Coded
    sessions: tuple[Told, ...]
    revealed: tuple[Revealed, ...]
    """The whole, then by condition; within each the sessions, then by turn."""
    flags: tuple[str, ...] = ()

    @property
    def leaks(self) -> frozenset[str]:
        """Ids of sessions whose first message revealed a withheld fact, as all coders say."""
        return frozenset(one.outcome.session for one in self.sessions if one.leaked("both"))


def disclosure(
    study: Study, streams: Iterable[Sequence[Event]], outcomes: Sequence[Outcome], coding: Coding
) -> Disclosure:
    """What was revealed in held-out sessions.

    Args:
        study: the version.
        streams: its participations' events.
        outcomes: the sessions that count.
        coding: of their messages.
    """
    turns: dict[str, list[int]] = {}
    for session, turn in (one for events in streams for one in own_texts(events)):
        turns.setdefault(session, []).append(turn)
    sessions = tuple(_told(study, one, turns.get(one.session, ()), coding) for one in outcomes)
    groups: list[tuple[Mapping[str, str | None], list[Told]]] = [({}, list(sessions))]
    for name in study.settings.roleplay.conditions:
        groups.append(({"condition": name}, [one for one in sessions if one.outcome.condition == name]))
    return Disclosure(
        coding=coding.over((one.outcome.session, turn) for one in sessions for turn in one.turns),
        sessions=sessions,
        revealed=tuple(row for by, own in groups for row in _rows(by, own)),
        flags=(AFTER_A_REPLY,) if study.settings.roleplay.opening == "fixed" else (),
    )


def _told(study: Study, one: Outcome, turns: Sequence[int], coding: Coding) -> Told:
    found = {turn: coding.given((one.session, turn)) for turn in turns}
    withheld = (fact.id for fact in study.task(one.item).facts if fact.status == "withheld")
    given = {turn: what for turn, what in found.items() if what is not None}
    return Told(one, tuple(sorted(turns)), given, frozenset(withheld))


def _rows(by: Mapping[str, str | None], sessions: Sequence[Told]) -> Iterator[Revealed]:
    whole = [(one, tuple(one.given.values())) for one in sessions if one.whole]
    yield _revealed(by, None, whole, NO_SESSIONS)
    for turn in sorted({turn for one in sessions for turn in one.turns}):
        said = [(one, (one.given[turn],)) for one in sessions if turn in one.given]
        yield _revealed(by, turn, said, NO_MESSAGES)


def _revealed(
    by: Mapping[str, str | None], turn: int | None, said: Sequence[tuple[Told, Sequence[Given]]], why: str
) -> Revealed:
    def figure(rule: str, *, withheld: bool) -> Figure:
        own: dict[str, list[int]] = {}
        for one, given in said:
            facts = frozenset[str]().union(*(what.by(rule) for what in given))
            those = facts & one.withheld if withheld else facts - one.withheld
            own.setdefault(one.outcome.participant, []).append(len(those))
        return mean(own, why)

    return Revealed(
        by=by,
        turn=turn,
        withheld={rule: figure(rule, withheld=True) for rule in RULES},
        open={rule: figure(rule, withheld=False) for rule in RULES},
    )
