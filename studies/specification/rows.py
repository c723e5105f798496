"""The tidy tables of a specification study: what people said, and what agents did."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from studies.rows import Participant
from studies.tables import Table, Time

Session = Annotated[str, "Random id of the session: one agent's interview about one project."]
Item = Annotated[str, "Id of the project."]
Key = Annotated[str, "Key of the dimension, or id of the checklist question."]
Round = Annotated[int, "Question of the interview, from 1."]
ActiveMs = Annotated[int, "Milliseconds the step was open, idle time included."]
Revision = Annotated[int, "From 1; a later one replaces the ones before it."]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One agent's interview about one project."""

    session: Session
    item: Item
    participant: Participant
    number: Annotated[int, "Which interview about the project by this person it is: 2 is a second agent's."]
    period: Annotated[int, "Which interview of this person it is, from 1."]
    task: Annotated[str, "checklist (Task 1: answers are predicted) or sheet (Task 2: a sheet is written)."]
    agent: Annotated[str, "The study's name for the agent."]
    design: Annotated[str, "buddy or baseline."]
    assistant: Annotated[str, "The study's name for the assistant that made the agent's calls."]
    model: Annotated[str, "The model as the study names it."]
    models_served: Annotated[
        tuple[str, ...], "The models as providers named them; more than one is a change."
    ]
    budget: Annotated[int, "Questions that the interview could have (T)."]
    truth: Annotated[str, "Whether the ground truth was taken down before or after the interview."]
    disposition: Annotated[
        str,
        "finished: the last predictions are made, or the sheet is rated; only these enter figures. "
        "spend_cap, timed_out or unfinished otherwise.",
    ]
    rounds: Annotated[int, "Questions answered (queries asked); the priority question is one of them."]
    ended_by: Annotated[
        str | None,
        "budget, settled (nothing open was left), agent (it handed in) or participant; null while it lasts.",
    ]
    ended_why: Annotated[str, "Why it ended, in words; empty while it goes on."]
    early: Annotated[bool, "The agent ended it with questions left."]
    right: Annotated[
        int | None,
        "Task 1: checklist answers predicted right at the end; null without final predictions, or Task 2.",
    ]
    compared: Annotated[
        int | None,
        "Of how many: the questions on which the person has a preference. Accuracy is right / compared.",
    ]
    right_not_asked: Annotated[int | None, "The same over the questions that were not asked directly."]
    compared_not_asked: Annotated[int | None, "Of how many of these."]
    no_preference: Annotated[
        int, "Task 1: questions on which the person has no strong preference; in no accuracy."
    ]
    retest_alike: Annotated[int, "Task 1: questions asked again that were answered as before."]
    retest_asked: Annotated[int, "Of how many. The person's own ceiling is retest_alike / retest_asked."]
    statements: Annotated[int | None, "Task 2: statements of the frozen sheet; null before it is frozen."]
    calls: Annotated[int, "Calls of the agent, repeated attempts too."]
    unfit: Annotated[int, "Calls without a usable answer, also after the repair."]
    model_ms: Annotated[int, "Milliseconds of all calls added up; many were made at the same time."]
    interview_ms: Annotated[int, "Milliseconds that the person had the interview's questions before them."]
    own_ms: Annotated[int, "Milliseconds of the person with the project, forms and interviews together."]
    cost: Annotated[float | None, "US dollars; null where the cost of a call is not known."]
    started_at: Annotated[Time, "When the agent began, often while the person still read and typed."]
    ended_at: Annotated[Time | None, "When the interview ended."]
    frozen_at: Annotated[Time | None, "When the sheet was frozen, or the last predictions were made."]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One question of an interview."""

    session: Session
    item: Item
    participant: Participant
    round: Round
    sort: Annotated[
        str, "priority, dimension (of Buddy's chart), checklist (one of its questions) or own (the agent's)."
    ]
    key: Annotated[str, "Key of the dimension or id of the checklist question; empty for the agent's own."]
    question: Annotated[str, "The question as it was asked."]
    options: Annotated[tuple[str, ...], "Its options in order; the first is A."]
    single: Annotated[bool, "One option could be picked, as for a checklist question; else any subset."]
    why: Annotated[str, "Why it was asked, as the participant was told."]
    asked_at: Annotated[Time, "When it was put."]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One answered question of an interview."""

    session: Session
    item: Item
    participant: Participant
    round: Round
    key: Annotated[str, "Key of the dimension or id of the checklist question; empty for the agent's own."]
    picked: Annotated[tuple[str, ...], "Letters of the options picked; empty with own words, or unknown."]
    texts: Annotated[tuple[str, ...], "The same as texts."]
    own_words: Annotated[str, "None of the options, in the person's words; empty otherwise."]
    unknown: Annotated[bool, "The person does not know."]
    active_ms: ActiveMs
    answered_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class ProposalRow:
    """One proposal in the person's own words."""

    item: Item
    participant: Participant
    text: Annotated[str, "What the person wants to have built; agents know this and no other answer."]
    checks: Annotated[int, "Times the comprehension check of the project's persona was taken."]
    understood: Annotated[bool | None, "Whether it was passed in this project; null where none was taken."]
    active_ms: ActiveMs
    locked_at: Annotated[Time, "When it was locked."]


@dataclass(frozen=True, slots=True)
class TruthRow:
    """One field of the person's ground truth, which no agent sees."""

    item: Item
    participant: Participant
    phase: Annotated[str, "truth, or retest: asked again after the interview."]
    field: Annotated[
        str, "Id of the checklist question (Task 1), or SECTION.want and SECTION.avoid (Task 2)."
    ]
    value: Annotated[
        str | None,
        "Task 1: letter of the option, or N for no strong preference. Task 2: one wish a line; null where "
        "it was left open.",
    ]
    revision: Revision
    latest: Annotated[bool, "Whether this is the last answer to the field in its phase."]
    answered_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One dimension, or checklist question, and how it stands in a session."""

    session: Session
    item: Item
    participant: Participant
    key: Key
    question: Annotated[str, "What is to be decided."]
    alternatives: Annotated[tuple[str, ...], "The alternatives in order; the first is A."]
    section: Annotated[str | None, "Section of the sheet that it belongs to."]
    why_it_matters: Annotated[str, "Why, in the agent's words; empty in Task 1."]
    assumed: Annotated[str, "Letter of what the draft assumed; empty in Task 1."]
    boundary: Annotated[bool, "Whether it draws a boundary of the scope."]
    standing: Annotated[
        str,
        "confirmed (the person said so), high confidence (all simulated users agree with confidence), "
        "inferred, left out (nothing is known), or open.",
    ]
    settled_by: Annotated[
        str,
        "answer (to its own question), agreement (of the simulated users), update (an answer to another "
        "question), majority (of the simulated users, at the end); empty where nothing did.",
    ]
    chosen: Annotated[tuple[str, ...], "Letters of what was decided; empty with own words, or nothing."]
    own_words: Annotated[str, "What was decided, in the person's words; empty otherwise."]
    round: Annotated[int | None, "Question whose answer settled it; null where none did."]


@dataclass(frozen=True, slots=True)
class VoteRow:
    """What one simulated user chose in one dimension."""

    session: Session
    item: Item
    participant: Participant
    key: Key
    simulator: Annotated[int, "1: with the full profile; 2: with part of it left out; 3: without any."]
    choice: Annotated[str, "Letter of the alternative."]
    confident: Annotated[bool, "Whether it was sure."]
    reasoning: Annotated[str, "Its reasoning, which came before the choice."]


@dataclass(frozen=True, slots=True)
class PredictionRow:
    """One predicted checklist answer."""

    session: Session
    item: Item
    participant: Participant
    rounds: Annotated[int, "Rounds of the interview that it rests on."]
    final: Annotated[bool, "Whether it was made at the end; others are silent, at a checkpoint."]
    key: Annotated[str, "Id of the checklist question."]
    predicted: Annotated[str | None, "Letter of the option; null where none was predicted, which is wrong."]
    answer: Annotated[str | None, "The person's own answer, N for no strong preference; null without one."]
    right: Annotated[bool | None, "null where the person has no strong preference, or gave no answer."]
    asked: Annotated[bool, "Whether the question had been put to the person within these rounds."]


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call of an agent."""

    session: Session
    item: Item
    participant: Participant
    call: Annotated[str, "The stage, with what tells its calls apart: simulate:2, update:3."]
    stage: Annotated[str, "The stage alone."]
    attempt: Annotated[int, "From 1; a later one follows a failed or interrupted one."]
    standing: Annotated[
        str | None,
        "valid; invalid (an answer that did not fit, also after the repair); failed (none came); "
        "interrupted; null while it is under way.",
    ]
    answer: Annotated[Mapping[str, Any] | None, "The validated answer; null where there is none."]
    replies: Annotated[
        tuple[Mapping[str, Any], ...],
        "The model's replies as they came, with what each took: a second one answers what was wrong with the "
        "first.",
    ]
    trouble: Annotated[str, "What did not fit or went wrong, for the researcher; empty otherwise."]
    error: Annotated[str, "The same as the participant was told."]
    assistant: Annotated[str, "The study's name for the assistant."]
    model: Annotated[str, "The model as the study names it."]
    models_served: Annotated[tuple[str, ...], "The model as the provider named it, in each reply."]
    parameters: Annotated[Mapping[str, Any], "Parameters that were sent with the call."]
    prompt_tokens: Annotated[int | None, "Tokens of the prompts; null where one is not known."]
    completion_tokens: Annotated[int | None, "Tokens of the replies; null where one is not known."]
    estimated: Annotated[bool, "Some tokens were counted here, because the provider did not say."]
    cost: Annotated[float | None, "US dollars; null where it is not known, which is not zero."]
    total_ms: Annotated[int | None, "Milliseconds until the call was over; null while it is under way."]
    prompt_sha256: Annotated[
        str,
        "SHA-256 of the prompt as it was sent, without a repair: role, U+0001 and text of each message, "
        "U+0000 between.",
    ]
    dropped: Annotated[
        tuple[str, ...], "Attributes of the user profile that a simulated user was not given, by chance."
    ]
    saw: Annotated[
        tuple[int, ...], "Numbers of the events of this stream that hold the words it showed, in order."
    ]
    saw_missing: Annotated[int, "How many of these are erased or withheld by now."]
    called_at: Annotated[Time, "When it was made."]
    answered_at: Annotated[Time | None, "When it was over."]


@dataclass(frozen=True, slots=True)
class AfterRow:
    """One answer to a question after a project."""

    item: Item
    participant: Participant
    question: Annotated[str, "Id of the question in study.toml."]
    kind: Annotated[str, "choice, multi, scale or text."]
    value: Annotated[
        Any, "The answer: text, a whole number on a scale, or a list; null where it was skipped."
    ]
    revision: Revision
    latest: Annotated[bool, "Whether this is the last answer to the question about this project."]
    answered_at: Annotated[Time, "When it was stored."]


SESSIONS = Table(
    "sessions",
    SessionRow,
    "One line an agent's interview about one project, unfinished ones too. Figures are over finished ones.",
)
QUESTIONS = Table("questions", QuestionRow, "One line a question that an agent put.")
ANSWERS = Table("answers", AnswerRow, "One line an answered question of an interview.")
PROPOSALS = Table("proposals", ProposalRow, "One line a proposal in a person's own words.")
TRUTH = Table(
    "truth",
    TruthRow,
    "One line an answer of the ground truth, and of the part that was asked again. No agent saw any of it.",
)
DECISIONS = Table(
    "decisions",
    DecisionRow,
    "One line a dimension of a session, as it stands at its end; none for baselines.",
)
VOTES = Table("votes", VoteRow, "One line a simulated user's choice in a dimension.")
PREDICTIONS = Table("predictions", PredictionRow, "Task 1: one line a predicted checklist answer.")
CALLS = Table("calls", CallRow, "One line a call of an agent, failed ones too.")
AFTER = Table("after", AfterRow, "One line an answer to a question after a project.")
