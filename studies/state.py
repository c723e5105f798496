"""Where a participation stands: the fold over its events, the same for every study kind."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from studies import payloads as said
from studies.events import Event, Payload
from studies.steps import End


@dataclass(frozen=True, slots=True)
class Submission:
    """The answers of a closed step, as its last revision left them."""

    revision: int
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Closing:
    """What an event that closes a step says about it."""

    step: str
    submission: Submission | None = None
    passed: bool = True
    """Whether the step is behind the participant now; False: it is in the plan no more, unanswered."""
    goes_on: bool = False
    """The step stays open with its next turn; only the answers to this one are behind the participant."""


class ReadsClosing(Protocol):
    """The part of a study kind that the fold needs: what its own events mean."""

    def fold(self, middle: object, event: Event) -> object:
        """The kind's own state after one more event; None before the first."""

    def closing_of(self, payload: Payload) -> Closing | None:
        """The step this event closes, or None."""


@dataclass(frozen=True, slots=True)
class State:
    """Everything the protocol decides from. Rebuilt by replaying the stream."""

    opened: said.ParticipationOpened | None = None
    consents: Mapping[str, bool] = field(default_factory=dict)
    closed: int = 0
    """Steps of the plan that are behind the participant."""
    reopened: str | None = None
    """An earlier step that the participant went back to."""
    revisions: Mapping[str, int] = field(default_factory=dict)
    """Highest revision opened, for steps that were opened again."""
    answers: Mapping[str, Any] = field(default_factory=dict)
    """Acknowledged fields of the step that is open now."""
    parked: Mapping[str, Any] = field(default_factory=dict)
    """Acknowledged fields of the step that the participant went back from, until they return to it."""
    submitted: Mapping[str, Submission] = field(default_factory=dict)
    practice: Mapping[str, bool] = field(default_factory=dict)
    """Training step -> whether it was answered rightly."""
    rounds: tuple[said.TrainingEnded, ...] = ()
    refresh_page: int | None = None
    """Page of the instructions that is shown again after a long absence; None: no refresher."""
    visits: int = 0
    visiting: bool = False
    last_at: str = ""
    """Time of the last event."""
    work_since: str = ""
    """When this spell of work began: the visit, or the last rest."""
    end: End | None = None
    """Why nothing more will ever be asked; None while the participation goes on."""
    end_detail: str = ""
    completion_code: str | None = None
    middle: object = None
    """What the study kind keeps for itself."""

    def revision(self, step: str) -> int:
        """The revision of the step that is open, or would be."""
        return self.revisions.get(step, 1)


def fold(state: State, event: Event, kind: ReadsClosing) -> State:
    """The state after one more event. Pure; erased and unknown events change only the time."""
    state = replace(state, last_at=event.at)
    match event.payload:
        case said.ParticipationOpened() as opened:
            return replace(state, opened=opened)
        case said.VisitStarted(refresh=refresh):
            return replace(
                state,
                visits=state.visits + 1,
                visiting=True,
                work_since=event.at,
                refresh_page=1 if refresh else state.refresh_page,
            )
        case said.VisitEnded():
            return replace(state, visiting=False)
        case said.FieldAnswered(field=name, value=value):
            return replace(state, answers={**state.answers, name: value})
        case said.WentBack(step=step, revision=revision):
            parked = state.answers if state.reopened is None else state.parked
            revisions = {**state.revisions, step: revision}
            return replace(state, reopened=step, answers={}, parked=parked, revisions=revisions)
        case said.RevisitLeft():
            return replace(state, reopened=None, answers=state.parked, parked={})
        case said.ConsentDeclined(items=items):
            return replace(state, consents=items, end="declined")
        case said.ConsentGiven(items=items):
            return _close(replace(state, consents=items), Closing("consent"))
        case said.PageRead(step=step) if step.startswith("refresh:"):
            # What was answered of the step below stays answered.
            kept = {name: value for name, value in state.answers.items() if name != "read"}
            return replace(state, refresh_page=(state.refresh_page or 0) + 1, answers=kept)
        case said.PageRead(step=step):
            rested = event.at if step.startswith(("rest:", "filler:")) else state.work_since
            return _close(replace(state, work_since=rested), Closing(step))
        case said.TrainingAnswered() as answered:
            step = f"training:{answered.attempt}:{answered.item}"
            practice = {**state.practice, step: answered.correct}
            made = Submission(answered.revision, answered.answers)
            return _close(replace(state, practice=practice), Closing(step, made))
        case said.TrainingEnded() as ended:
            return replace(state, rounds=(*state.rounds, ended))
        case said.QuestionnaireSubmitted(step=step, answers=answers):
            return _close(state, Closing(step, Submission(state.revision(step), answers)))
        case said.ParticipationCompleted(completion_code=code):
            return replace(state, end="completed", completion_code=code)
        case said.ParticipationExcluded(reason=reason):
            return replace(state, end="excluded", end_detail=reason)
        case said.ParticipationWithdrawn():
            return replace(state, end="withdrawn")
        case said.ParticipationBlocked():
            return replace(state, end="blocked")
        case said.ParticipationLimited():
            return replace(state, end="limit")
        case payload:
            state = replace(state, middle=kind.fold(state.middle, event))
            closing = kind.closing_of(payload)
            return _close(state, closing) if closing else state


def _close(state: State, closing: Closing) -> State:
    if closing.goes_on:
        return replace(state, answers={})
    submitted = state.submitted
    if closing.submission is not None:
        submitted = {**submitted, closing.step: closing.submission}
    if state.reopened == closing.step:
        return replace(state, reopened=None, answers=state.parked, parked={}, submitted=submitted)
    return replace(state, closed=state.closed + closing.passed, answers={}, submitted=submitted)
