"""The sessions of a participation: a fold over what was said, what came back and what was found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from studies.chat import Phase
from studies.events import Event
from studies.replies import Status
from studies.roleplay import payloads as said
from studies.roleplay.payloads import Condition, Disposition
from studies.verdicts import NEUTRAL


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call to the assistant within a turn."""

    number: int
    seq: int = 0
    """Sequence number of the event that holds the whole reply, once it has ended."""
    status: Status | None = None
    """None while it is on its way."""
    text: str = ""
    cost: float | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Turn:
    """An assistant turn: the request, the attempts at a reply, the verdict."""

    number: int
    request: str
    seq: int
    """Sequence number of the request's event."""
    attempts: tuple[Attempt, ...] = ()
    verdict: said.VerdictGiven | None = None
    retry: bool = False
    """A broken reply is to be asked for again."""

    @property
    def last(self) -> Attempt | None:
        """The newest attempt."""
        return self.attempts[-1] if self.attempts else None

    @property
    def used(self) -> bool:
        """Whether the turn is used up: a whole reply, or one that the participant stopped."""
        return self.last is not None and self.last.status in ("complete", "stopped")


@dataclass(frozen=True, slots=True)
class Session:
    """One task inside a participation."""

    id: str
    item: str
    part: str
    condition: Condition
    assistant: str
    model: str
    started_at: str
    turns: tuple[Turn, ...] = ()
    gate: said.GateDecided | None = None
    gate_seq: int = 0
    disposition: Disposition | None = None
    declared: bool = False

    @property
    def resolved(self) -> bool:
        """Whether it ended with accepted code."""
        return self.disposition == "solved"

    @property
    def used(self) -> int:
        """Assistant turns used up."""
        return sum(1 for one in self.turns if one.used)

    @property
    def accepted(self) -> said.VerdictGiven | None:
        """The first accepted submission."""
        return next(
            (one.verdict for one in self.turns if one.verdict and one.verdict.verdict == "passed"), None
        )

    def phase(self) -> Phase:
        """Whose turn it is."""
        if self.disposition is not None:
            return "over"
        if not self.turns:
            return "asking"
        turn = self.turns[-1]
        if turn.last is None or turn.last.status is None or (turn.retry and not turn.used):
            return "replying"
        if not turn.used:
            return "broken"
        if turn.verdict is None and turn.last.status == "complete":
            return "judging"
        return "asking"


@dataclass(frozen=True, slots=True)
class Sessions:
    """All sessions so far, in the order they were opened."""

    all: tuple[Session, ...] = ()
    frozen: tuple[str, ...] | None = None
    """Ids of the sessions that are the person's history; None before it was frozen."""
    spent: float = 0.0
    """US dollars of all calls whose cost is known."""
    unpriced: int = 0
    """Calls whose cost is not known."""
    by_item: Mapping[str, int] = field(default_factory=dict)

    def of(self, item: str) -> Session | None:
        """The session of a task, if it was opened."""
        place = self.by_item.get(item)
        return None if place is None else self.all[place]

    @property
    def current(self) -> Session | None:
        """The session that is open."""
        return self.all[-1] if self.all and self.all[-1].disposition is None else None


def fold_sessions(sessions: Sessions, event: Event) -> Sessions:
    """The sessions after one more event."""
    match event.payload:
        case said.SessionStarted() as started:
            opened = Session(
                started.session,
                started.item,
                started.part,
                started.condition,
                started.assistant,
                started.model,
                event.at,
            )
            places = {**sessions.by_item, started.item: len(sessions.all)}
            return replace(sessions, all=(*sessions.all, opened), by_item=places)
        case said.TurnSubmitted(item=item, turn=number, text=text):
            return _change(sessions, item, lambda one: _add_turn(one, Turn(number, text, event.seq)))
        case said.ReplyStarted(item=item, attempt=attempt):
            return _turn(
                sessions,
                item,
                lambda one: replace(one, retry=False, attempts=(*one.attempts, Attempt(attempt))),
            )
        case said.ReplyPart() as part:
            return _last(sessions, lambda one: replace(one, text=one.text + part.text))
        case said.ReplyEnded() as ended:
            done = Attempt(ended.attempt, event.seq, ended.status, ended.text, ended.cost, ended.error)
            counted = _spend(sessions, ended.cost, priced=bool(ended.prompt_tokens or ended.text))
            return _turn(counted, ended.item, lambda one: replace(one, attempts=(*one.attempts[:-1], done)))
        case said.ReplyRetried(item=item):
            return _turn(sessions, item, lambda one: replace(one, retry=True))
        case said.GateDecided() as gate:
            counted = _spend(sessions, gate.cost, priced=bool(gate.raw))
            return _change(counted, gate.item, lambda one: replace(one, gate=gate, gate_seq=event.seq))
        case said.OpinionGiven() as opinion:
            return _spend(sessions, opinion.cost, priced=bool(opinion.raw))
        case said.VerdictGiven() as verdict:
            return _turn(sessions, verdict.item, lambda one: replace(one, verdict=verdict))
        case said.HistoryFrozen(sessions=frozen):
            return replace(sessions, frozen=(*(sessions.frozen or ()), *frozen))
        case said.SessionEnded() as ended:
            return _change(
                sessions,
                ended.item,
                lambda one: replace(one, disposition=ended.disposition, declared=ended.declared),
            )
    return sessions


def disposition_after(session: Session, turns: int, *, silent: bool) -> Disposition | None:
    """How the session ends by rule after its last verdict; None: it goes on.

    Args:
        session: with the verdict of its last turn.
        turns: the limit.
        silent: the participant decides when it is solved (`participant_decides`).
    """
    turn = session.turns[-1]
    verdict = turn.verdict
    if verdict is not None and verdict.verdict in NEUTRAL:
        return "technical"
    if verdict is not None and verdict.verdict == "passed" and not silent:
        return "solved"
    if turn.used and session.used >= turns:
        return "solved" if silent and verdict is not None and verdict.verdict == "passed" else "limit"
    return None


def _spend(sessions: Sessions, cost: float | None, *, priced: bool) -> Sessions:
    if cost is not None:
        return replace(sessions, spent=sessions.spent + cost)
    return replace(sessions, unpriced=sessions.unpriced + 1) if priced else sessions


def _change(sessions: Sessions, item: str, how: Callable[[Session], Session]) -> Sessions:
    place = sessions.by_item.get(item)
    if place is None:
        return sessions
    changed = how(sessions.all[place])
    return replace(sessions, all=(*sessions.all[:place], changed, *sessions.all[place + 1 :]))


def _add_turn(session: Session, turn: Turn) -> Session:
    return replace(session, turns=(*session.turns, turn))


def _turn(sessions: Sessions, item: str, how: Callable[[Turn], Turn]) -> Sessions:
    def last(one: Session) -> Session:
        return replace(one, turns=(*one.turns[:-1], how(one.turns[-1]))) if one.turns else one

    return _change(sessions, item, last)


def _last(sessions: Sessions, how: Callable[[Attempt], Attempt]) -> Sessions:
    current = sessions.current
    if current is None:
        return sessions

    def newest(turn: Turn) -> Turn:
        return (
            replace(turn, attempts=(*turn.attempts[:-1], how(turn.attempts[-1]))) if turn.attempts else turn
        )

    return _turn(sessions, current.item, newest)
