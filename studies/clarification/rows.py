"""The tidy tables of a clarification study. Hidden tests stand in a table of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from studies.rows import Participant
from studies.tables import Table, Time

Session = Annotated[str, "Random id of the session: one task inside a participation."]
Item = Annotated[str, "Id of the task."]
Turn = Annotated[int, "Number of the response of whoever asks, from 1."]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One task inside a participation."""

    session: Session
    item: Item
    participant: Participant
    seat: Annotated[str, "Where the participant sat: answerer or asker."]
    assistant: Annotated[str, "Who asked (answerer) or answered (asker); empty where the protocol answered."]
    model: Annotated[str, "The model as the study names it."]
    models_served: Annotated[
        tuple[str, ...], "The models as providers named them, the judge's too; of the whole participation."
    ]
    gaps: Annotated[int, "K, the number of key questions of the task."]
    types: Annotated[tuple[str, ...], "Ambiguity types of the task."]
    block: Annotated[int | None, "Block of the participant's order, from 1."]
    position: Annotated[int | None, "Place in the participant's order, from 1."]
    ending: Annotated[
        str | None,
        "code, enough (the asker asked no more), limit, gave_up, timed_out, technical or spend_cap; null "
        "while the session is open.",
    ]
    responses: Annotated[int, "Responses used up, a final one included."]
    asked: Annotated[int, "Questions really asked."]
    hits: Annotated[tuple[str, ...], "Key questions that were hit, in the order in which they were."]
    tkqr: Annotated[float | None, "How early the key questions were asked; null without a response."]
    ora: Annotated[float | None, "How near the number of questions is to K, by responses - 1."]
    ora_strict: Annotated[float | None, "The same by the questions really asked."]
    passed: Annotated[
        bool | None, "Whether the final code passed the hidden tests; null where that is not known."
    ]
    own_ms: Annotated[
        int, "Milliseconds in which it was the participant's turn and somebody sat there, idle time included."
    ]
    started_at: Annotated[Time, "When the task was opened."]
    ended_at: Annotated[Time | None, "When it was closed."]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One call to a model that asks, answers or writes code."""

    session: Session
    item: Item
    participant: Participant
    turn: Turn
    attempt: Annotated[int, "Attempt at the reply, from 1."]
    purpose: Annotated[str, "ask, answer (to an asker) or code (from what an asker found out)."]
    reply: Annotated[str, "The reply as it came, as far as it came: nothing is masked, tags included."]
    status: Annotated[
        str | None,
        "complete, stopped (by the participant), interrupted or failed; null while it is on its way.",
    ]
    assistant: Annotated[str, "The study's name for the assistant."]
    model: Annotated[str, "The model as the study names it."]
    model_served: Annotated[str, "The model as the provider named it; empty where it did not."]
    parameters: Annotated[Mapping[str, Any], "Parameters that were sent with the call."]
    finish_reason: Annotated[str, "Why the model stopped, in the provider's word."]
    prompt_tokens: Annotated[int | None, "Tokens of the prompt; null where it is not known."]
    completion_tokens: Annotated[int | None, "Tokens of the reply; null where it is not known."]
    estimated: Annotated[bool, "The tokens were counted here, because the provider did not say."]
    cost: Annotated[float | None, "US dollars; null where it is not known, which is not zero."]
    first_token_ms: Annotated[int | None, "Milliseconds until the first text came."]
    total_ms: Annotated[int | None, "Milliseconds until the reply was over."]
    prompt_sha256: Annotated[
        str, "SHA-256 of the whole prompt: role, U+0001 and text of each message, U+0000 between."
    ]
    names_maker: Annotated[bool, "The reply named its maker, which was masked on screen."]
    error_kind: Annotated[str, "Sort of failure; empty where nothing failed."]
    error: Annotated[str, "What went wrong, as the participant was told."]
    detail: Annotated[str, "The same for the researcher."]
    client: Annotated[str, "What made the call, with its version."]
    saw: Annotated[
        tuple[Mapping[str, Any], ...],
        "What the model was given, in order, by reference: sort, and name (of something in the study "
        "version) or stream and seq (of an event).",
    ]
    saw_missing: Annotated[int, "How many of these are erased, withdrawn or withheld by now."]
    replying_at: Annotated[Time, "When the call was made."]
    replied_at: Annotated[Time | None, "When the reply was over."]


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """One response of a model, or one message of an asker, and what it hit."""

    session: Session
    item: Item
    participant: Participant
    turn: Turn
    by: Annotated[str, "model or person."]
    sort: Annotated[str, "question, code or nothing; returned for a bundle that came back to its asker."]
    question: Annotated[str, "As it was asked; empty for code."]
    form: Annotated[
        str, "How a response was recognised: tags, block, untagged or empty; empty for a person's."
    ]
    both: Annotated[bool, "The response held a question and code; the study's rule chose."]
    bundle: Annotated[bool, "It looks like several questions."]
    outcome: Annotated[str | None, "hit, repeat or miss; null for what is no question, or was not matched."]
    gaps: Annotated[tuple[str, ...], "The key questions that it hits, or hit before."]
    matched: Annotated[tuple[str, ...], "All key questions with more yes than no votes; of a judge only."]
    matched_by: Annotated[str, "The judge's name, or person; empty where nobody has said."]
    rule: Annotated[str, "How one of several matches is taken: reference, best or several; of a judge only."]
    asked_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One reply to a question."""

    session: Session
    item: Item
    participant: Participant
    turn: Turn
    by: Annotated[str, "person, protocol (annotated answers and default replies) or model."]
    decision: Annotated[str, "answered, irrelevant or repeated."]
    gap: Annotated[str, "The key question whose answer is given; empty where nobody has said."]
    text: Annotated[str, "The reply, without the line that asks a model for more."]
    own_words: Annotated[bool, "A person wrote it; otherwise a default reply, or the annotation."]
    answered_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class VoteRow:
    """One vote of the judge on one pair."""

    session: Session
    item: Item
    participant: Participant
    turn: Turn
    gap: Annotated[str, "Id of the key question."]
    sample: Annotated[int, "Number of the vote on the pair, from 1."]
    vote: Annotated[bool | None, "yes or no; null where the judge said neither."]
    text: Annotated[str, "What the judge said."]
    judge: Annotated[str, "The study's name for the assistant."]
    model: Annotated[str, "The model as the study names it."]
    model_served: Annotated[str, "The model as the provider named it."]
    prompt_sha256: Annotated[str, "SHA-256 of the whole prompt, as in turns."]
    cost: Annotated[float | None, "US dollars; null where it is not known."]
    total_ms: Annotated[int, "Milliseconds until the vote was there."]
    voted_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class MatchRow:
    """One decision of a matcher: yes for each key question in `matches`, no for the others."""

    item: Annotated[str, "Id of the asked question."]
    task: Annotated[str, "Id of the task."]
    participant: Participant
    revision: Annotated[int, "From 1; a later one replaces the ones before it."]
    latest: Annotated[bool, "Whether this is the person's last decision on the question."]
    matches: Annotated[tuple[str, ...], "Key questions that it asks about; an empty list is none."]
    order: Annotated[tuple[str, ...], "The key questions in the order in which they were shown."]
    elapsed_ms: Annotated[int, "Milliseconds from the question on the screen to the decision."]
    active_ms: Annotated[
        int | None,
        "The same less gaps without a sign of life longer than the study's idle_seconds; null where no "
        "activity was captured.",
    ]
    shown_at: Annotated[Time | None, "When this revision first came up."]
    submitted_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class GapRow:
    """One gap that an author wrote."""

    item: Item
    participant: Participant
    number: Annotated[int, "Of the gap, from 1."]
    revision: Annotated[int, "From 1; a later one replaces the ones before it."]
    latest: Annotated[bool, "Whether this is the author's last word on the gap."]
    statement: Annotated[str, "The shortened task, as it was when the gap was stored."]
    question: Annotated[str, "The key question."]
    answer: Annotated[str, "What the complete description said."]
    type: Annotated[str, "Type of the ambiguity, as the author sees it."]
    more: Annotated[bool, "Another gap follows."]
    submitted_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One gap of another author's task, as a cross-checker saw it."""

    item: Item
    participant: Participant
    author: Annotated[str | None, "Pseudonym of the author; null where the author is in no table."]
    number: Annotated[int, "Of the gap, from 1."]
    own_questions: Annotated[tuple[str, ...], "What the cross-checker would ask, from the shortened task."]
    found: Annotated[int, "Number of the own question about this gap, from 1; 0: none is."]
    type: Annotated[str, "Type of the gap as the cross-checker named it, the author's unseen."]
    settled_type: Annotated[str | None, "The type that stands, where the two differed; null otherwise."]
    kept: Annotated[bool | None, "Whether it is a gap, where no own question was about it; null otherwise."]
    compared_at: Annotated[Time, "When the comparison was stored."]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task."""

    item: Item
    source: Annotated[str, "The task it was made from; tasks of one source are variants."]
    statement: Annotated[str, "The underspecified text."]
    full_statement: Annotated[str, "The complete text; empty where it is not known."]
    key_questions: Annotated[
        tuple[Mapping[str, Any], ...], "The gaps in the judge's order: id, question, answer, type."
    ]
    types: Annotated[tuple[str, ...], "Ambiguity types of the task as a whole."]
    interface: Annotated[str, "The signature line that an asker is given."]
    entry_point: Annotated[str | None, "Name of the function; null for a whole program."]
    testable: Annotated[bool, "Whether there are hidden tests, so that pass@1 is defined."]
    columns: Annotated[Any, "Further columns of the file it was read from."]


@dataclass(frozen=True, slots=True)
class AskedRow:
    """One question of an earlier run, for matchers."""

    item: Annotated[str, "Id of the asked question."]
    task: Annotated[str, "Id of the task."]
    text: Annotated[str, "The question, as it was asked."]
    run: Annotated[str, "The run it comes from."]
    turn: Annotated[int, "The turn it was asked in, from 1."]
    model: Annotated[str, "Who asked."]
    hit: Annotated[bool | None, "The run's own label: whether it hit a key question not hit before."]
    votes: Annotated[Any, "A judge's votes by key question, in the order they were cast."]
    stratum: Annotated[str, "How the judge voted: yes, no, split or unknown."]
    drawn: Annotated[bool, "Whether it was drawn for matchers."]
    weight: Annotated[float | None, "How many questions of its stratum it stands for; null if not drawn."]


@dataclass(frozen=True, slots=True)
class HiddenTestRow:
    """What a task's code is held against."""

    item: Item
    entry_point: Annotated[str | None, "Name of the function; null for a whole program."]
    prompt: Annotated[str, "Trusted source that comes before a function."]
    tests: Annotated[str, "Source that defines check(candidate)."]
    pairs: Annotated[tuple[Mapping[str, str], ...], "Input/output pairs as Python literals."]
    cases: Annotated[tuple[Mapping[str, str], ...], "Standard input and expected output of a program."]
    reference: Annotated[str, "A whole solution that the tests accept."]


SESSIONS = Table(
    "sessions",
    SessionRow,
    "One line a task in which somebody answered or asked, open ones too. Sessions that ended technical or "
    "spend_cap are in no figure.",
)
TURNS = Table("turns", TurnRow, "One line a call to a model, broken ones too; the judge's are votes.")
QUESTIONS = Table("questions", QuestionRow, "One line a response of whoever asks, with what it hit.")
ANSWERS = Table("answers", AnswerRow, "One line a reply to a question.")
VOTES = Table("votes", VoteRow, "One line a vote of the judge.")
MATCHES = Table("matches", MatchRow, "One line a decision of a matcher, revisions too.")
GAPS = Table("gaps", GapRow, "One line a gap that an author wrote, revisions too.")
CHECKS = Table("checks", CheckRow, "One line a gap in a cross-check, before and after it was settled.")
MATERIALS = Table("materials", TaskRow, "One line a task. Its hidden tests are in hidden_tests.")
ASKED = Table("asked", AskedRow, "One line a question of an earlier run.")
HIDDEN_TESTS = Table(
    "hidden_tests",
    HiddenTestRow,
    "One line a task: hidden tests and reference. Published, they end up in training data.",
    secret=True,
)
