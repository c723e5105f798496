"""The payloads of a clarification study: questions, who matched them with what, answers, endings, labels."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from studies.events import Payload, event

Ending = Literal["code", "enough", "limit", "gave_up", "timed_out", "technical", "spend_cap"]
"""How a session ends. `code`: the model gave its code. `enough`: the person asked no more. `limit`: the
responses were used up on questions. The others are as in role-play."""
Decision = Literal["answered", "irrelevant", "repeated"]
Outcome = Literal["hit", "repeat", "miss"]
"""Of an asked question: it hits a key question that was open, one that was hit before, or none."""
Sort = Literal["question", "code", "nothing"]
"""What a model's response counts as."""


@event("clarification_started")
@dataclass(frozen=True, slots=True)
class ClarificationStarted(Payload):
    """A task was opened to the participant."""

    step: str
    session: str
    item: str
    """Id of the task."""
    seat: Literal["answerer", "asker"]
    assistant: str = ""
    """Who asks (seat `answerer`) or answers (seat `asker`, where a model does)."""
    model: str = ""


@event("response_read")
@dataclass(frozen=True, slots=True)
class ResponseRead(Payload):
    """What a model's response was taken for, and by which rule."""

    session: str
    item: str
    turn: int
    """Number of the response, from 1."""
    sort: Sort
    question: str
    """As it is asked; empty for code."""
    code: str
    """As it is judged; empty for a question."""
    form: Literal["tags", "block", "untagged", "empty"]
    """How it was recognised: by the tags, by a block of code, by neither, or there was nothing in it."""
    both: bool = False
    """It held a question and code; the study's rule chose."""
    bundle: bool = False
    """The question looks like several; it can hit one key question at most, unless `matching` says other."""


@event("question_asked")
@dataclass(frozen=True, slots=True)
class QuestionAsked(Payload):
    """The participant asked (seat `asker`)."""

    step: str
    session: str
    item: str
    message: int
    """Number of the message, from 1; the ask's own."""
    turn: int
    """Number of the response it counts as, from 1; of a returned bundle, of the one it would have been."""
    text: str
    bundle: bool = False
    """It looks like several questions."""
    returned: bool = False
    """It came back with the rule and uses no response up."""


@event("vote_cast")
@dataclass(frozen=True, slots=True)
class VoteCast(Payload):
    """One vote of the judge: whether a key question and an asked question are about the same gap."""

    session: str
    item: str
    turn: int
    gap: str
    """Id of the key question."""
    sample: int
    """From 1."""
    vote: bool | None
    """None: the judge said neither yes nor no; such a vote counts for neither."""
    judge: str
    """Name of the assistant."""
    model: str
    text: str
    """What it said."""
    prompt_sha256: str
    model_served: str = ""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
    total_ms: int = 0
    client: str = ""


@event("matching_broken")
@dataclass(frozen=True, slots=True)
class MatchingBroken(Payload):
    """The judge could not be asked; votes that came before are kept."""

    session: str
    item: str
    turn: int
    error: str
    error_kind: str
    detail: str


@event("question_matched")
@dataclass(frozen=True, slots=True)
class QuestionMatched(Payload):
    """What the judge's votes come to."""

    session: str
    item: str
    turn: int
    outcome: Outcome
    gaps: tuple[str, ...]
    """The key questions that it hits, or hit before; empty for a miss."""
    matched: tuple[str, ...]
    """All key questions with more yes than no votes."""
    rule: str
    """The study's `matching`."""


@event("question_answered")
@dataclass(frozen=True, slots=True)
class QuestionAnswered(Payload):
    """A question got its reply."""

    step: str
    session: str
    item: str
    turn: int
    decision: Decision
    gap: str
    """The key question whose answer is given, where whoever answers says so."""
    text: str
    """The reply, without the line that asks for more."""
    by: Literal["person", "protocol", "model"]
    own_words: bool = False
    """A person wrote it."""


@event("asker_satisfied")
@dataclass(frozen=True, slots=True)
class AskerSatisfied(Payload):
    """The participant has enough: the final turn of the seat `asker`."""

    session: str
    item: str
    turn: int


@event("clarification_ended")
@dataclass(frozen=True, slots=True)
class ClarificationEnded(Payload):
    """A task is closed."""

    step: str
    session: str
    item: str
    ending: Ending
    responses: int
    """Responses used up, a final one included."""
    asked: int
    """Questions really asked."""
    reason: str = ""


@event("question_labelled")
@dataclass(frozen=True, slots=True)
class QuestionLabelled(Payload):
    """A matcher's decision on one asked question: yes for each key question in `matches`, no for the rest."""

    step: str
    item: str
    """Id of the asked question."""
    task: str
    revision: int
    matches: tuple[str, ...]
    """Ids of key questions, in the order of the file."""
    order: tuple[str, ...]
    """The key questions in the order in which they were shown."""
    elapsed_ms: int


@event("statement_shortened")
@dataclass(frozen=True, slots=True)
class StatementShortened(Payload):
    """An author left information out of a complete task."""

    step: str
    item: str
    revision: int
    text: str


@event("gap_written")
@dataclass(frozen=True, slots=True)
class GapWritten(Payload):
    """An author wrote down one gap of a shortened task."""

    step: str
    item: str
    revision: int
    number: int
    """From 1, in the order in which they were written."""
    question: str
    answer: str
    type: str
    more: bool
    """Another gap follows."""


@event("check_awaited")
@dataclass(frozen=True, slots=True)
class CheckAwaited(Payload):
    """There was nothing yet to cross-check, and the participant went on from being told so."""

    number: int
    """From 1."""


@event("check_assigned")
@dataclass(frozen=True, slots=True)
class CheckAssigned(Payload):
    """A participant is to cross-check another author's shortened task, which is in that author's stream."""

    item: str
    author: str
    """The author's stream."""


@event("check_dropped")
@dataclass(frozen=True, slots=True)
class CheckDropped(Payload):
    """What was to be cross-checked is gone: its author withdrew, or was erased."""

    item: str


@event("own_questions_written")
@dataclass(frozen=True, slots=True)
class OwnQuestionsWritten(Payload):
    """A cross-checker wrote what they would ask, from the shortened task alone."""

    step: str
    item: str
    questions: tuple[str, ...]


@event("gaps_compared")
@dataclass(frozen=True, slots=True)
class GapsCompared(Payload):
    """A cross-checker compared the author's gaps with questions of their own, the author's types unseen."""

    step: str
    item: str
    found: tuple[int, ...]
    """For each gap, the number of the own question that is about it, from 1; 0: none is."""
    types: tuple[str, ...]
    """For each gap, its type as the cross-checker sees it."""
    screens: int = 0
    """Screens of differences that are to be settled."""


@event("differences_settled")
@dataclass(frozen=True, slots=True)
class DifferencesSettled(Payload):
    """Author's and cross-checker's views side by side, and what stands."""

    step: str
    item: str
    types: Mapping[str, str]
    """By number of a gap whose types differed: the final one."""
    kept: Mapping[str, bool]
    """By number of a gap that no own question was about: whether it is one."""
    further: Mapping[str, bool]
    """By number of an own question that is about none of the gaps: whether it shows one more."""
