"""Where each project stands: the fold over a specification study's own events."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from studies.events import Event
from studies.specification import payloads as said


@dataclass(frozen=True, slots=True)
class CallState:
    """One call of an agent, as its last attempt left it."""

    attempts: int
    """Attempts begun."""
    standing: said.Standing | None = None
    """None while the last attempt is under way."""
    answer: Mapping[str, Any] | None = None
    seq: int = 0
    """Number of the event that holds the answer."""
    error: str = ""
    """For the participant, where it failed."""
    retried: bool = False
    """Whether it is to be asked again."""
    total_ms: int = 0
    dropped: tuple[str, ...] = ()

    @property
    def valid(self) -> bool:
        """Whether there is an answer."""
        return self.standing == "valid"

    @property
    def broken(self) -> bool:
        """Whether it failed and nobody asked for it again; one that was broken off comes again by itself."""
        return self.standing in ("invalid", "failed") and not self.retried


@dataclass(frozen=True, slots=True)
class Round:
    """One question of the interview, and the answer once it is there."""

    put: said.QuestionPut
    put_seq: int
    answer: said.RoundAnswered | None = None
    answer_seq: int = 0


@dataclass(frozen=True, slots=True)
class Session:
    """One agent's work on one project with this person."""

    opened: said.ProjectOpened
    calls: Mapping[str, CallState] = field(default_factory=dict)
    rounds: tuple[Round, ...] = ()
    ended: said.InterviewEnded | None = None
    frozen: said.SheetFrozen | None = None
    frozen_seq: int = 0
    predictions: tuple[said.PredictionsMade, ...] = ()
    rated: Mapping[str, Any] = field(default_factory=dict)
    """Ratings of the frozen sheet by field."""
    requirements: Mapping[str, Any] = field(default_factory=dict)
    """How each requirement fared, by field."""
    edited: said.SheetEdited | None = None

    @property
    def id(self) -> str:
        """The session's id."""
        return self.opened.session

    @property
    def item(self) -> str:
        """The project's id."""
        return self.opened.item

    @property
    def answered(self) -> int:
        """Rounds that have an answer."""
        return sum(1 for one in self.rounds if one.answer is not None)

    @property
    def open_round(self) -> Round | None:
        """The question that waits for an answer."""
        return self.rounds[-1] if self.rounds and self.rounds[-1].answer is None else None

    @property
    def predicted(self) -> said.PredictionsMade | None:
        """The predictions at the end of the interview."""
        return next((one for one in self.predictions if one.final), None)

    @property
    def broken(self) -> tuple[str, ...]:
        """Calls that failed and wait for somebody to ask for them again."""
        return tuple(name for name, one in self.calls.items() if one.broken)

    def answer(self, call: str) -> Mapping[str, Any] | None:
        """The validated answer of a call; None until it is there."""
        found = self.calls.get(call)
        return found.answer if found is not None and found.valid else None


@dataclass(frozen=True, slots=True)
class ProjectState:
    """One project of this person: what they want, and each agent's work on it."""

    item: str
    proposal: str | None = None
    proposal_seq: int = 0
    truth: Mapping[str, Any] = field(default_factory=dict)
    """The ground truth by field, of the screens that are closed."""
    retest: Mapping[str, Any] = field(default_factory=dict)
    checks: tuple[said.UnderstandingChecked, ...] = ()
    sessions: tuple[Session, ...] = ()
    compared: said.SheetsCompared | None = None
    closed: bool = False

    @property
    def understood(self) -> bool:
        """Whether the comprehension check was passed."""
        return any(one.passed for one in self.checks)

    def session(self, number: int) -> Session | None:
        """The interview of that number, from 1."""
        return next((one for one in self.sessions if one.opened.number == number), None)


@dataclass(frozen=True, slots=True)
class Projects:
    """All projects of a participation, in the order in which they came up."""

    all: tuple[ProjectState, ...] = ()
    spent: float = 0.0
    """US dollars, as far as known."""
    judged: tuple[said.SheetJudged, ...] = ()
    pairs: tuple[said.PairJudged, ...] = ()
    usual_ms: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """How long valid answers took, by stage."""

    def of(self, item: str) -> ProjectState:
        """The project; empty before anything happened in it."""
        return next((one for one in self.all if one.item == item), ProjectState(item))

    def session(self, session: str) -> Session | None:
        """The session of that id."""
        return next((one for each in self.all for one in each.sessions if one.id == session), None)

    @property
    def sessions(self) -> tuple[Session, ...]:
        """Every session, in order."""
        return tuple(one for each in self.all for one in each.sessions)


def stage_of(call: str) -> str:
    """The stage a call belongs to: `simulate` of `simulate:2`."""
    return call.partition(":")[0]


def fold_projects(state: Projects, event: Event) -> Projects:
    """The projects after one more event. Pure; erased and unknown events change nothing."""
    match event.payload:
        case said.UnderstandingChecked() as checked:
            of = state.of(checked.item)
            return _with(state, replace(of, checks=(*of.checks, checked)))
        case said.ProposalLocked(item=item, text=text):
            return _with(state, replace(state.of(item), proposal=text, proposal_seq=event.seq))
        case said.TruthLocked(item=item, answers=answers):
            of = state.of(item)
            return _with(state, replace(of, truth={**of.truth, **answers}))
        case said.TruthRetested(item=item, answers=answers):
            of = state.of(item)
            return _with(state, replace(of, retest={**of.retest, **answers}))
        case said.SheetsCompared(item=item) as compared:
            return _with(state, replace(state.of(item), compared=compared))
        case said.ProjectClosed(item=item):
            return _with(state, replace(state.of(item), closed=True))
        case said.ProjectOpened(item=item) as opened:
            of = state.of(item)
            return _with(state, replace(of, sessions=(*of.sessions, Session(opened))))
        case said.AgentAnswered() as answered:
            return _answered(state, answered, event.seq)
        case said.SheetJudged() as judged:
            return replace(state, judged=(*state.judged, judged), spent=state.spent + (judged.cost or 0))
        case said.PairJudged() as pair:
            return replace(state, pairs=(*state.pairs, pair), spent=state.spent + (pair.cost or 0))
        case (
            said.AgentCalled(session=id)
            | said.AgentRetried(session=id)
            | said.QuestionPut(session=id)
            | said.RoundAnswered(session=id)
            | said.InterviewEnded(session=id)
            | said.SheetFrozen(session=id)
            | said.PredictionsMade(session=id)
            | said.RequirementsChecked(session=id)
            | said.SheetRated(session=id)
            | said.SheetEdited(session=id)
        ):
            session = state.session(id)
            return state if session is None else _with_session(state, _session(session, event))
        case _:
            return state


def _session(session: Session, event: Event) -> Session:
    match event.payload:
        case said.AgentCalled(call=call, attempt=attempt, dropped=dropped):
            return replace(session, calls={**session.calls, call: CallState(attempt, dropped=dropped)})
        case said.AgentRetried(calls=calls):
            again = {one: replace(session.calls[one], retried=True) for one in calls if one in session.calls}
            return replace(session, calls={**session.calls, **again})
        case said.QuestionPut() as put:
            return replace(session, rounds=(*session.rounds, Round(put, event.seq)))
        case said.RoundAnswered(round=number) as answer:
            rounds = tuple(
                replace(one, answer=answer, answer_seq=event.seq) if one.put.round == number else one
                for one in session.rounds
            )
            return replace(session, rounds=rounds)
        case said.InterviewEnded() as ended:
            return replace(session, ended=ended)
        case said.SheetFrozen() as frozen:
            return replace(session, frozen=frozen, frozen_seq=event.seq)
        case said.PredictionsMade() as made:
            return replace(session, predictions=(*session.predictions, made))
        case said.RequirementsChecked(answers=answers):
            return replace(session, requirements={**session.requirements, **answers})
        case said.SheetRated(answers=answers):
            return replace(session, rated={**session.rated, **answers})
        case said.SheetEdited() as edited:
            return replace(session, edited=edited)
    return session


def _answered(state: Projects, answered: said.AgentAnswered, seq: int) -> Projects:
    session = state.session(answered.session)
    if session is None:
        return state
    before = session.calls.get(answered.call, CallState(answered.attempt))
    call = replace(
        before,
        standing=answered.standing,
        answer=answered.answer,
        seq=seq,
        error=answered.error,
        total_ms=answered.total_ms,
    )
    state = _with_session(state, replace(session, calls={**session.calls, answered.call: call}))
    usual = state.usual_ms
    if answered.standing == "valid":
        stage = stage_of(answered.call)
        usual = {**usual, stage: (*usual.get(stage, ()), answered.total_ms)}
    return replace(state, spent=state.spent + (answered.cost or 0.0), usual_ms=usual)


def _with(state: Projects, project: ProjectState) -> Projects:
    if any(one.item == project.item for one in state.all):
        every = tuple(project if one.item == project.item else one for one in state.all)
    else:
        every = (*state.all, project)
    return replace(state, all=every)


def _with_session(state: Projects, session: Session) -> Projects:
    project = state.of(session.item)
    sessions = tuple(session if one.id == session.id else one for one in project.sessions)
    return _with(state, replace(project, sessions=sessions))
