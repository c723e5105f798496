"""The payloads of a specification study: what the person wants, what the agents did, what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.events import Payload, event

Task = Literal["checklist", "sheet"]
Standing = Literal["valid", "invalid", "failed", "interrupted"]
"""Of a call: valid; an answer that did not fit, also after the repair; no answer came; it was broken off."""


# -- the person --------------------------------------------------------------------------------


@event("understanding_checked")
@dataclass(frozen=True, slots=True)
class UnderstandingChecked(Payload):
    """The comprehension check of a persona was taken."""

    step: str
    item: str
    attempt: int
    answers: Mapping[str, Any]
    right: int
    asked: int
    passed: bool


@event("proposal_locked")
@dataclass(frozen=True, slots=True)
class ProposalLocked(Payload):
    """What the person wants to have built, in their own words; it changes no more."""

    step: str
    item: str
    text: str
    active_ms: int = 0


@event("truth_locked")
@dataclass(frozen=True, slots=True)
class TruthLocked(Payload):
    """One screen of the person's ground truth, unseen by any agent; it changes no more once all are there.

    Task 1: `answers` gives an option's letter, or N for no strong preference, by question id. Task 2: a
    text or None, by `SECTION.want` and `SECTION.avoid`.
    """

    step: str
    revision: int
    item: str
    part: int
    """From 1."""
    answers: Mapping[str, Any]
    active_ms: int = 0


@event("truth_retested")
@dataclass(frozen=True, slots=True)
class TruthRetested(Payload):
    """A part of the ground truth, asked again after the interview."""

    step: str
    revision: int
    item: str
    answers: Mapping[str, Any]
    active_ms: int = 0


# -- the agent ---------------------------------------------------------------------------------


@event("project_opened")
@dataclass(frozen=True, slots=True)
class ProjectOpened(Payload):
    """An agent began to work on a project with this person."""

    session: str
    item: str
    """Id of the project."""
    number: int
    """Which interview about the project by this person it is, from 1."""
    period: int
    """Which interview of this person it is, from 1."""
    task: Task
    agent: str
    design: str
    assistant: str
    model: str
    budget: int
    truth: Literal["before", "after"]


@event("agent_called")
@dataclass(frozen=True, slots=True)
class AgentCalled(Payload):
    """An agent's stage asked a model. What the model saw follows from the study version and the events
    before this one; `saw` names those that hold words."""

    session: str
    item: str
    call: str
    """The stage, with what tells its calls apart: `profile`, `simulate:2`, `update:3`."""
    attempt: int
    assistant: str
    model: str
    parameters: Mapping[str, Any]
    prompt_sha256: str
    saw: tuple[int, ...] = ()
    """Numbers of events of this stream, in order."""
    dropped: tuple[str, ...] = ()
    """Attributes of the user profile that were left out by chance."""


@dataclass(frozen=True, slots=True)
class Reply(Payload):
    """One reply of a model to a call; a second one answers the validation errors of the first."""

    status: str
    text: str
    model_served: str = ""
    finish_reason: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    usage_estimated: bool = False
    cost: float | None = None
    first_token_ms: int | None = None
    total_ms: int = 0
    structured: str = ""
    client: str = ""
    detail: str = ""
    """For the researcher: what else came, or what went wrong."""


@event("agent_answered")
@dataclass(frozen=True, slots=True)
class AgentAnswered(Payload):
    """What came of a call: a validated answer, or why there is none."""

    session: str
    item: str
    call: str
    attempt: int
    standing: Standing
    answer: Mapping[str, Any] | None
    trouble: str = ""
    """For the researcher: what did not fit, or what went wrong. May name the model; holds no key."""
    error: str = ""
    """For the participant; empty where all went well."""
    replies: tuple[Reply, ...] = field(default=(), metadata={"of": Reply})
    cost: float | None = None
    """US dollars of all replies; None where one is unknown."""
    total_ms: int = 0


@event("agent_retried")
@dataclass(frozen=True, slots=True)
class AgentRetried(Payload):
    """Everything that had failed is asked for again."""

    session: str
    item: str
    calls: tuple[str, ...]


# -- the interview -----------------------------------------------------------------------------


@event("question_put")
@dataclass(frozen=True, slots=True)
class QuestionPut(Payload):
    """The agent asks its next question."""

    session: str
    item: str
    round: int
    """From 1."""
    sort: Literal["priority", "dimension", "checklist", "own"]
    key: str
    """The dimension or checklist question it is about; empty for the agent's own."""
    question: str
    options: tuple[str, ...]
    single: bool
    """Whether one option is to be picked, as for a checklist question."""
    why: str
    """Why it is asked, in the participant's words."""


@event("round_answered")
@dataclass(frozen=True, slots=True)
class RoundAnswered(Payload):
    """The person answered a question of the interview."""

    step: str
    session: str
    item: str
    round: int
    picked: tuple[str, ...]
    """Letters of options; empty with own words, or where the person does not know."""
    own_words: str = ""
    unknown: bool = False
    active_ms: int = 0


@event("interview_ended")
@dataclass(frozen=True, slots=True)
class InterviewEnded(Payload):
    """No more questions."""

    session: str
    item: str
    by: Literal["budget", "settled", "agent", "participant"]
    why: str
    rounds: int


@event("sheet_frozen")
@dataclass(frozen=True, slots=True)
class SheetFrozen(Payload):
    """The agent's sheet after its own review: what is rated, before anybody edits it."""

    session: str
    item: str
    sheet: Mapping[str, Any]
    """`studies.specification.sheet.Sheet` as JSON."""


@event("predictions_made")
@dataclass(frozen=True, slots=True)
class PredictionsMade(Payload):
    """The agent's prediction of every checklist answer."""

    session: str
    item: str
    rounds: int
    """Rounds of the interview it rests on: a checkpoint, or all."""
    final: bool
    predictions: Mapping[str, str]
    """Letter of the option, by question id."""


# -- rating and editing ------------------------------------------------------------------------


@event("requirements_checked")
@dataclass(frozen=True, slots=True)
class RequirementsChecked(Payload):
    """One screen of the person's requirements against the frozen sheet."""

    step: str
    revision: int
    session: str
    item: str
    part: int
    answers: Mapping[str, Any]
    """`met`, `partly`, `contradicted` or `absent`, by `SECTION.want.1` (see `requirements`)."""
    active_ms: int = 0


@event("sheet_rated")
@dataclass(frozen=True, slots=True)
class SheetRated(Payload):
    """One screen of the ratings of the frozen sheet, before it was edited."""

    step: str
    revision: int
    session: str
    item: str
    part: int
    answers: Mapping[str, Any]
    """1 to 5 by criterion, and a reason by `CRITERION.reason`."""
    active_ms: int = 0


@event("sheets_compared")
@dataclass(frozen=True, slots=True)
class SheetsCompared(Payload):
    """Two agents' frozen sheets for one project, side by side, blind."""

    step: str
    revision: int
    item: str
    left: str
    """Session of the sheet on the left."""
    right: str
    preferred: Literal["left", "right", "tie"]
    reason: str
    active_ms: int = 0


@event("sheet_edited")
@dataclass(frozen=True, slots=True)
class SheetEdited(Payload):
    """The sheet as the person left it."""

    step: str
    revision: int
    session: str
    item: str
    answers: Mapping[str, Any]
    """What was answered, field by field."""
    sections: Mapping[str, str]
    """The text of each section as it is now."""
    active_ms: int = 0


@event("project_closed")
@dataclass(frozen=True, slots=True)
class ProjectClosed(Payload):
    """All that is asked about a project is behind the participant."""

    step: str
    item: str


# -- judges, once the participation has ended --------------------------------------------------


@event("sheet_judged")
@dataclass(frozen=True, slots=True)
class SheetJudged(Payload):
    """A model rated a frozen sheet in the participant's place, from their requirements."""

    session: str
    item: str
    judge: str
    model: str
    scores: Mapping[str, int] | None
    """1 to 5 by criterion; None where no usable answer came."""
    reasons: Mapping[str, str]
    requirements: Mapping[str, str]
    trouble: str = ""
    prompt_sha256: str = ""
    cost: float | None = None
    total_ms: int = 0
    model_served: str = ""


@event("pair_judged")
@dataclass(frozen=True, slots=True)
class PairJudged(Payload):
    """A model compared two frozen sheets for one project, blind."""

    item: str
    judge: str
    model: str
    left: str
    right: str
    preferred: Literal["left", "right", "tie"] | None
    reason: str
    trouble: str = ""
    prompt_sha256: str = ""
    cost: float | None = None
    total_ms: int = 0
    model_served: str = ""
