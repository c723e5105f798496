"""The sessions and labels of a clarification participation: a fold over what was asked and answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from studies import reply_payloads as replied
from studies.clarification import payloads as said
from studies.clarification.authored import Authoring, fold_authoring
from studies.clarification.payloads import Ending, Outcome
from studies.events import Event
from studies.roleplay.sessions import Attempt


@dataclass(frozen=True, slots=True)
class Round:
    """One response of whoever asks: a model's reply or a person's question, and what came of it."""

    turn: int
    """Number of the response, from 1."""
    purpose: str = "ask"
    """Of the call: a model asks, answers a person's question, or writes the code."""
    attempts: tuple[Attempt, ...] = ()
    retry: bool = False
    """What broke off is to be asked for again."""
    read: said.ResponseRead | None = None
    asked: said.QuestionAsked | None = None
    seq: int = 0
    """Number of the event that holds the question as it was asked."""
    votes: Mapping[str, Mapping[int, bool | None]] = field(default_factory=dict)
    """By key question and sample."""
    broken: said.MatchingBroken | None = None
    matched: said.QuestionMatched | None = None
    answer: said.QuestionAnswered | None = None
    answer_seq: int = 0
    verdict: replied.VerdictGiven | None = None

    @property
    def last(self) -> Attempt | None:
        """The newest attempt at a reply."""
        return self.attempts[-1] if self.attempts else None

    @property
    def replied(self) -> bool:
        """Whether the reply came, whole or stopped."""
        return self.last is not None and self.last.status in ("complete", "stopped")

    @property
    def question(self) -> str | None:
        """The question that was asked; None where the response holds none."""
        if self.asked is not None:
            return self.asked.text
        return self.read.question if self.read is not None and self.read.sort == "question" else None

    @property
    def used(self) -> bool:
        """Whether the response is used up."""
        return self.asked is not None or self.read is not None or (self.purpose == "code" and self.replied)


@dataclass(frozen=True, slots=True)
class Session:
    """One task inside a participation."""

    id: str
    item: str
    seat: str
    assistant: str
    model: str
    started_at: str
    rounds: tuple[Round, ...] = ()
    returned: tuple[tuple[said.QuestionAsked, int], ...] = ()
    """Bundles that came back with the rule, each with the number of its event."""
    satisfied: bool = False
    """The person has enough."""
    ending: Ending | None = None
    ended_at: str | None = None

    @property
    def last(self) -> Round | None:
        """The newest round."""
        return self.rounds[-1] if self.rounds else None

    @property
    def questions(self) -> tuple[Round, ...]:
        """The rounds in which a question was asked."""
        return tuple(one for one in self.rounds if one.question is not None)

    @property
    def used(self) -> int:
        """Responses used up; having enough is one, and code that is then written for the person none more."""
        return sum(one.used and one.purpose != "code" for one in self.rounds) + self.satisfied

    @property
    def messages(self) -> int:
        """Messages that the person has sent, returned bundles included."""
        return len(self.returned) + sum(one.asked is not None for one in self.rounds)

    @property
    def code(self) -> Round | None:
        """The round with the final code."""
        return next(
            (one for one in self.rounds if one.purpose == "code" or (one.read and one.read.sort == "code")),
            None,
        )

    def outcomes(self) -> tuple[tuple[Outcome, tuple[str, ...]] | None, ...]:
        """Of each round with a question: its outcome and the key questions; None where nobody has said.

        Where whoever answers decides, a key question that was named before is a repeat.
        """
        covered: set[str] = set()
        found: list[tuple[Outcome, tuple[str, ...]] | None] = []
        for one in self.questions:
            outcome = _outcome(one, covered)
            if outcome is not None and outcome[0] == "hit":
                covered.update(outcome[1])
            found.append(outcome)
        return tuple(found)

    @property
    def covered(self) -> tuple[str, ...]:
        """Key questions hit so far, in the order in which they were."""
        hits = [one[1] for one in self.outcomes() if one is not None and one[0] == "hit"]
        return tuple(dict.fromkeys(gap for gaps in hits for gap in gaps))


def _outcome(one: Round, covered: set[str]) -> tuple[Outcome, tuple[str, ...]] | None:
    if one.matched is not None:
        return one.matched.outcome, one.matched.gaps
    answer = one.answer
    if answer is None or answer.by != "person":
        return None
    if answer.gap:
        return ("repeat" if answer.gap in covered else "hit"), (answer.gap,)
    if answer.decision == "answered":
        return None
    return ("repeat" if answer.decision == "repeated" else "miss"), ()


@dataclass(frozen=True, slots=True)
class Clarifications:
    """Everything a participation holds of its kind."""

    all: tuple[Session, ...] = ()
    by_item: Mapping[str, int] = field(default_factory=dict)
    labelled: tuple[str, ...] = ()
    """Asked questions that a matcher has labelled, in order, each once."""
    spent: float = 0.0
    """US dollars of all calls whose cost is known."""
    unpriced: int = 0
    authoring: Authoring = field(default_factory=Authoring)

    def of(self, item: str) -> Session | None:
        """The session of a task, if it was opened."""
        place = self.by_item.get(item)
        return None if place is None else self.all[place]

    @property
    def current(self) -> Session | None:
        """The session that is open."""
        return self.all[-1] if self.all and self.all[-1].ending is None else None


def fold(past: Clarifications, event: Event) -> Clarifications:
    """The participation after one more event."""
    match event.payload:
        case said.ClarificationStarted() as started:
            opened = Session(
                started.session, started.item, started.seat, started.assistant, started.model, event.at
            )
            places = {**past.by_item, started.item: len(past.all)}
            return replace(past, all=(*past.all, opened), by_item=places)
        case said.QuestionLabelled(item=item):
            labelled = past.labelled if item in past.labelled else (*past.labelled, item)
            return replace(past, labelled=labelled)
        case said.QuestionAsked(returned=True) as bundle:
            return _session(
                past, bundle.item, lambda s: replace(s, returned=(*s.returned, (bundle, event.seq)))
            )
        case said.QuestionAsked() as asked:
            begun = Round(asked.turn, "answer", asked=asked, seq=event.seq)
            return _session(past, asked.item, lambda s: replace(s, rounds=(*s.rounds, begun)))
        case replied.ReplyStarted() as call:
            return _session(past, call.item, lambda s: _started(s, call))
        case replied.ReplyPart() as part:
            current = past.current
            item = current.item if current else ""
            return _attempt(past, item, part.turn, lambda a: replace(a, text=a.text + part.text))
        case replied.ReplyEnded() as ended:
            done = Attempt(ended.attempt, event.seq, ended.status, ended.text, ended.cost, ended.error)
            counted = _spend(past, ended.cost, priced=bool(ended.prompt_tokens or ended.text))
            return _attempt(counted, ended.item, ended.turn, lambda a: done)
        case replied.ReplyRetried() as again:
            # Where only the judge failed, the reply that came beside its votes stands.
            return _round(
                past, again.item, again.turn, lambda r: replace(r, retry=not r.replied, broken=None)
            )
        case said.ResponseRead() as read:
            return _round(past, read.item, read.turn, lambda r: replace(r, read=read, seq=event.seq))
        case said.VoteCast() as vote:
            counted = _spend(past, vote.cost, priced=True)
            return _round(counted, vote.item, vote.turn, lambda r: _voted(r, vote))
        case said.MatchingBroken() as broken:
            return _round(past, broken.item, broken.turn, lambda r: replace(r, broken=broken))
        case said.QuestionMatched() as matched:
            return _round(past, matched.item, matched.turn, lambda r: replace(r, matched=matched))
        case said.QuestionAnswered() as answer:
            return _round(
                past, answer.item, answer.turn, lambda r: replace(r, answer=answer, answer_seq=event.seq)
            )
        case said.AskerSatisfied() as satisfied:
            return _session(past, satisfied.item, lambda s: replace(s, satisfied=True))
        case replied.VerdictGiven() as verdict:
            return _round(past, verdict.item, verdict.turn, lambda r: replace(r, verdict=verdict))
        case said.ClarificationEnded() as closed:
            return _session(past, closed.item, lambda s: replace(s, ending=closed.ending, ended_at=event.at))
    authoring = fold_authoring(past.authoring, event.payload)
    return past if authoring is past.authoring else replace(past, authoring=authoring)


def _started(session: Session, call: replied.ReplyStarted) -> Session:
    """A call belongs to the round of its turn; where there is none yet, it opens it."""
    if not any(one.turn == call.turn for one in session.rounds):
        session = replace(session, rounds=(*session.rounds, Round(call.turn, call.purpose)))
    return _of_turn(
        session,
        call.turn,
        lambda one: replace(one, retry=False, attempts=(*one.attempts, Attempt(call.attempt))),
    )


def _voted(one: Round, vote: said.VoteCast) -> Round:
    votes = {**one.votes, vote.gap: {**one.votes.get(vote.gap, {}), vote.sample: vote.vote}}
    return replace(one, votes=votes)


def votes_of(one: Round) -> Mapping[str, Sequence[bool | None]]:
    """The votes on a question by key question, in the order of the samples."""
    return {gap: [votes[sample] for sample in sorted(votes)] for gap, votes in one.votes.items()}


def _spend(past: Clarifications, cost: float | None, *, priced: bool) -> Clarifications:
    if cost is not None:
        return replace(past, spent=past.spent + cost)
    return replace(past, unpriced=past.unpriced + 1) if priced else past


def _session(past: Clarifications, item: str, how: Callable[[Session], Session]) -> Clarifications:
    place = past.by_item.get(item)
    if place is None:
        return past
    return replace(past, all=(*past.all[:place], how(past.all[place]), *past.all[place + 1 :]))


def _of_turn(session: Session, turn: int, how: Callable[[Round], Round]) -> Session:
    return replace(session, rounds=tuple(how(one) if one.turn == turn else one for one in session.rounds))


def _round(past: Clarifications, item: str, turn: int, how: Callable[[Round], Round]) -> Clarifications:
    return _session(past, item, lambda session: _of_turn(session, turn, how))


def _attempt(past: Clarifications, item: str, turn: int, how: Callable[[Attempt], Attempt]) -> Clarifications:
    def last(one: Round) -> Round:
        return replace(one, attempts=(*one.attempts[:-1], how(one.attempts[-1]))) if one.attempts else one

    return _round(past, item, turn, last)
