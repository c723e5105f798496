"""The tidy tables of a role-play study. Hidden tests stand in a table of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from studies.rows import Participant
from studies.tables import SECRET, Messages, Table, Time

Session = Annotated[str, "Random id of the session: one task inside a participation."]
Item = Annotated[str, "Id of the task."]
TurnNumber = Annotated[int, "Assistant turn of the session, from 1."]
Condition = Annotated[str, "History condition: none, same-user, shuffled or gated."]


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One task inside a participation."""

    session: Session
    item: Item
    participant: Participant
    part: Annotated[str, "What the task served for: history, reserve or held_out."]
    condition: Condition
    assistant: Annotated[str, "The study's name for the assistant."]
    model: Annotated[str, "The model as the study names it."]
    models_served: Annotated[
        tuple[str, ...], "The models as providers named them; more than one is a change."
    ]
    profile: Annotated[str, "Id of the profile that was played."]
    mechanisms: Annotated[tuple[str, ...], "The pair of ambiguity mechanisms."]
    difficulty: Annotated[str | None, "simple, medium or complex; null where no reference run fixed it."]
    block: Annotated[int | None, "Block of the participant's order, from 1."]
    position: Annotated[
        int | None, "Place in the participant's order, from 1, unplayed reserve tasks included."
    ]
    in_history: Annotated[bool, "Whether it is one of the sessions that were frozen as the person's history."]
    shown_as_history: Annotated[
        tuple[str, ...],
        "Sessions that the assistant was given as history at its first call, in order: ids of sessions, or "
        "of sessions that came with the study. An empty text is one that is erased or withheld.",
    ]
    disposition: Annotated[
        str | None,
        "solved, limit, gave_up, timed_out, technical or spend_cap; null while the session is open.",
    ]
    solved: Annotated[
        bool | None,
        "Solved within the limit (ES counts these); null where the session is open, technical or spend_cap, "
        "which enter no figure.",
    ]
    solved_at: Annotated[
        int | None,
        "Assistant turn of the first accepted submission of a solved session: 1 is a first-turn success "
        "(FT-ES), and it is the session's TTC; an unsolved one has the limit.",
    ]
    turns: Annotated[int, "Assistant turns used up."]
    questions: Annotated[int, "Whole replies that were no submission."]
    submissions: Annotated[int, "Whole replies that held code."]
    declared: Annotated[bool, "The participant declared it done (feedback participant_decides)."]
    reason: Annotated[str, "Why it ended, where a rule says more than the disposition."]
    participant_ms: Annotated[
        int, "Milliseconds in which it was the participant's turn and somebody sat there, idle time included."
    ]
    active_ms: Annotated[
        int | None,
        "Milliseconds on requests, less gaps without a key press, click or scroll longer than the study's "
        "idle_seconds; null where no activity was captured.",
    ]
    typing_ms: Annotated[int, "Milliseconds of typing."]
    model_ms: Annotated[int, "Milliseconds of waiting for replies and the gate, broken replies included."]
    judge_ms: Annotated[int, "Milliseconds of waiting for verdicts."]
    cost: Annotated[float | None, "US dollars; null where the cost of a call is not known."]
    started_at: Annotated[Time, "When the task was opened."]
    ended_at: Annotated[Time | None, "When it was closed."]


@dataclass(frozen=True, slots=True)
class TurnRow:
    """One request and one attempt at a reply."""

    session: Session
    item: Item
    participant: Participant
    turn: TurnNumber
    attempt: Annotated[
        int | None, "Attempt at the reply, from 1; null where no call was made after the request."
    ]
    request: Annotated[str, "What the participant sent; the same at every attempt of the turn."]
    opening: Annotated[str, "How the session was opened, fixed or free; empty from the second turn on."]
    pasted: Annotated[int, "Characters of the request that were pasted."]
    typing_ms: Annotated[int, "Milliseconds of typing the request."]
    requested_at: Annotated[Time, "When the request was stored."]
    reply: Annotated[
        str | None, "The reply as it came, as far as it came: nothing is masked here. Null without a call."
    ]
    status: Annotated[
        str | None,
        "complete, stopped (by the participant; uses the turn up), interrupted or failed; null while the "
        "reply is on its way.",
    ]
    assistant: Annotated[str, "The study's name for the assistant; empty without a call."]
    model: Annotated[str, "The model as the study names it; empty without a call."]
    model_served: Annotated[str, "The model as the provider named it; empty where it did not."]
    parameters: Annotated[Mapping[str, Any] | None, "Parameters that were sent with the call."]
    finish_reason: Annotated[
        str, "Why the model stopped, in the provider's word; empty where it is not known."
    ]
    prompt_tokens: Annotated[int | None, "Tokens of the prompt; null where it is not known."]
    completion_tokens: Annotated[int | None, "Tokens of the reply; null where it is not known."]
    cached_tokens: Annotated[int | None, "Tokens of the prompt that came from a cache; null if unknown."]
    estimated: Annotated[bool, "The tokens were counted here, because the provider did not say."]
    cost: Annotated[float | None, "US dollars; null where it is not known, which is not zero."]
    first_token_ms: Annotated[int | None, "Milliseconds until the first text came; null where none came."]
    total_ms: Annotated[int | None, "Milliseconds until the reply was over; null while it is on its way."]
    prompt_sha256: Annotated[
        str | None,
        "SHA-256 of the whole prompt as it was sent: role, U+0001 and text of each message, U+0000 between.",
    ]
    names_maker: Annotated[bool, "The reply named its maker, which was masked on screen."]
    mentions_history: Annotated[bool, "The reply spoke of earlier sessions, which may tell the condition."]
    error_kind: Annotated[str, "Sort of failure; empty where nothing failed."]
    error: Annotated[str, "What went wrong, as the participant was told."]
    detail: Annotated[str, "The same for the researcher: what the provider or this machine said."]
    client: Annotated[str, "What made the call, with its version."]
    saw: Annotated[
        tuple[Mapping[str, Any], ...],
        "What the assistant was given, in order, by reference: sort, and name (of something in the study "
        "version) or stream and seq (of an event).",
    ]
    saw_missing: Annotated[int, "How many of these are erased, withdrawn or withheld by now."]
    replying_at: Annotated[Time | None, "When the call was made."]
    replied_at: Annotated[Time | None, "When the reply was over."]


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One verdict on a reply."""

    session: Session
    item: Item
    participant: Participant
    turn: TurnNumber
    attempt: Annotated[int, "Attempt whose reply was judged."]
    submission: Annotated[
        bool, "Whether the reply held code; otherwise it was a question and nothing was run."
    ]
    verdict: Annotated[
        str,
        "passed; failed_assertion, exception, timeout, memory_limit, output_limit, killed, syntax_error, "
        "no_function or no_code; unsupported, harness_error or not_run, which say nothing about the code.",
    ]
    detail: Annotated[str, SECRET, "What happened, for the researcher; can quote a line of the hidden tests."]
    ms: Annotated[int, "Milliseconds that judging took."]
    code: Annotated[str, "The code that was found in the reply; empty for a question."]
    isolation: Annotated[str, "bubblewrap, landlock or unsafe (none); empty where nothing was run."]
    judged_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class GateRow:
    """One decision of the gate (condition gated)."""

    session: Session
    item: Item
    participant: Participant
    sufficient: Annotated[
        bool | None, "Whether the history settles the request; null where the fallback was taken."
    ]
    highlighted: Annotated[str, "The most informative session of the history; empty where there is none."]
    text: Annotated[str, "Evidence, or guidance on what remains open, as the assistant was given it."]
    fallback: Annotated[str, "What was done instead and why; empty where the gate answered well."]
    raw: Annotated[str, "The gate's last answer as it came."]
    cost: Annotated[float | None, "US dollars; null where it is not known."]
    total_ms: Annotated[int, "Milliseconds until it was over."]
    decided_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class DonorRow:
    """One session that serves as another person's history."""

    session: Session
    item: Item
    participant: Participant
    in_force: Annotated[
        bool, "Whether it is on the list that counts: the earliest, where stations fixed several."
    ]
    fixed_at: Annotated[Time, "When the list was fixed."]


@dataclass(frozen=True, slots=True)
class AfterRow:
    """One answer to a question after a session."""

    session: Session
    item: Item
    participant: Participant
    question: Annotated[str, "Id of the question in study.toml."]
    kind: Annotated[str, "choice, multi, scale or text."]
    value: Annotated[
        Any, "The answer: text, a whole number on a scale, or a list; null where it was skipped."
    ]
    revision: Annotated[int, "From 1; a later one replaces the ones before it."]
    latest: Annotated[bool, "Whether this is the last answer to the question about this session."]
    answered_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task, without its hidden tests."""

    item: Item
    profile: Annotated[str, "Id of the profile that is played."]
    mechanisms: Annotated[tuple[str, ...], "The pair of ambiguity mechanisms."]
    resolution: Annotated[str, "What this user habitually means. No assistant was shown it."]
    speaks: Annotated[str, "How this user speaks, as the participant read it."]
    brief: Annotated[str, "What the participant wanted; no assistant was shown it."]
    interface: Annotated[str, "The signature line that every assistant was given."]
    entry_point: Annotated[str, "Name of the function."]
    opening: Annotated[str, "The fixed request that opens the session."]
    facts: Annotated[
        tuple[Mapping[str, Any], ...],
        "What must be known: id, text, status (open or withheld), how (the mechanism that hides it).",
    ]
    source_task: Annotated[str, "The task this one was made from."]
    part: Annotated[str, "history, reserve or held_out."]
    difficulty: Annotated[str | None, "simple, medium or complex; null where no reference run fixed it."]
    authored: Annotated[bool, "Whether a researcher has authored it; other tasks run only as pilots."]


@dataclass(frozen=True, slots=True)
class HiddenTestRow:
    """What a task's submissions are held against."""

    item: Item
    entry_point: Annotated[str, "Name of the function."]
    prompt: Annotated[str, "Trusted source that comes before the candidate."]
    tests: Annotated[str, "Source that defines check(candidate); empty where there are pairs."]
    pairs: Annotated[
        tuple[Mapping[str, str], ...], "Input/output pairs as Python literals: arguments and result."
    ]
    reference: Annotated[str, "A whole solution that the tests accept."]


@dataclass(frozen=True, slots=True)
class ProfileRow:
    """Somebody to be."""

    profile: Annotated[str, "Id of the profile."]
    name: Annotated[str, "First name."]
    occupation: Annotated[str, "What they do."]
    about: Annotated[str, "Their work, and what they know of programming."]
    manner: Annotated[str, "How they write."]


@dataclass(frozen=True, slots=True)
class ShippedRow:
    """A resolved session that came with the study, for the condition shuffled."""

    session: Annotated[str, "Id of the session in the study folder."]
    profile: Annotated[str, "Whose it is."]
    mechanisms: Annotated[tuple[str, ...], "The pair of ambiguity mechanisms it shows."]
    resolution: Annotated[str, "The resolution pattern it shows."]
    source_task: Annotated[str, "The task it was made from."]
    dialogue: Annotated[Messages, "Role and text of each message."]


TURNS = Table(
    "turns",
    TurnRow,
    "One line an attempt at a reply, with the request it replies to. A turn is used up when a reply is "
    "complete or stopped; a broken one is asked for again in the same turn.",
)
VERDICTS = Table("verdicts", VerdictRow, "One line a judged reply.")
SESSIONS = Table(
    "sessions",
    SessionRow,
    "One line a task inside a participation, history sessions and open ones too. Outcome figures are over "
    "started held-out sessions.",
)
GATES = Table("gates", GateRow, "One line a decision of the gate.")
DONORS = Table(
    "donors",
    DonorRow,
    "One line a session on a list of shuffled histories. Only of people who agreed to it and have not "
    "withdrawn; what such a person refused to publish is not here all the same.",
)
AFTER = Table("after", AfterRow, "One line an answer to a question after a session.")
MATERIALS = Table("materials", TaskRow, "One line a task. Its hidden tests are in hidden_tests.")
HIDDEN_TESTS = Table(
    "hidden_tests",
    HiddenTestRow,
    "One line a task: hidden tests and reference. Published, they end up in training data.",
    secret=True,
)
PROFILES = Table("profiles", ProfileRow, "One line a profile.")
SHIPPED = Table("shipped", ShippedRow, "One line a session that came with the study.")
