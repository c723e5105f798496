"""What one interview came to: predictions beside answers (SpecBench, Task 1), a rated sheet (Task 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.specification import payloads as said
from studies.specification.editing import kept_sheet
from studies.specification.forms import NO_PREFERENCE
from studies.specification.projects import ProjectState, Session
from studies.specification.sections import CRITERIA, SECTIONS
from studies.specification.sheet import Sheet
from studies.specification.traces import Trace

Disposition = Literal["finished", "spend_cap", "timed_out", "unfinished"]
"""finished: the last predictions are made, or the sheet is rated. spend_cap: a spending limit came first.
timed_out: the resume policy did."""
DISPOSITIONS: tuple[Disposition, ...] = ("finished", "spend_cap", "timed_out", "unfinished")
ENDINGS = ("budget", "settled", "agent", "participant")
FATES = ("met", "partly", "contradicted", "absent")


@dataclass(frozen=True, slots=True)
class Edit:
    """What the person made of a sheet once it was rated."""

    statements: int
    """Of the sheet, refused changes undone."""
    struck: int
    rewritten: int
    """Sections, of nine."""
    changes: int
    """Changes that the agent's review had made."""
    accepted: int

    @property
    def untouched(self) -> bool:
        """Whether the sheet stayed as it was frozen."""
        return not self.struck and not self.rewritten and self.accepted == self.changes


@dataclass(frozen=True, slots=True)
class Outcome:
    """One interview, with what it brings to the figures."""

    participant: str
    """Pseudonym."""
    session: str
    item: str
    agent: str
    assistant: str
    budget: int
    task: said.Task
    truth: str
    """`before` or `after`: when the person's own answers were taken down."""
    number: int
    """2: a second agent's interview about the same project."""
    period: int
    disposition: Disposition
    ended_by: str = ""
    """`budget`, `settled`, `agent`, `participant`; empty while it goes on."""
    queries: int = 0
    """Rounds answered."""
    early: bool = False
    """The agent ended it with rounds left."""
    hits: Mapping[str, bool] = field(default_factory=dict)
    """Whether each checklist answer was predicted, without those of no strong preference."""
    asked: frozenset[str] = frozenset()
    """Checklist questions that were put to the person in this interview and answered."""
    without_preference: int = 0
    """Checklist questions on which the person has no strong preference."""
    checkpoints: Mapping[int, Mapping[str, bool]] = field(default_factory=dict)
    """`hits` of the predictions made after so many rounds."""
    retest: Mapping[str, bool] = field(default_factory=dict)
    """Whether each checklist question that was asked again was answered alike."""
    scores: Mapping[str, int] = field(default_factory=dict)
    """1 to 5 by criterion."""
    fates: Mapping[str, str] = field(default_factory=dict)
    """`met`, `partly`, `contradicted` or `absent`, by requirement."""
    edit: Edit | None = None
    judged: tuple[said.SheetJudged, ...] = ()
    """By each judge that gave a usable answer."""
    trace: Trace = field(default_factory=Trace)

    @property
    def counts(self) -> bool:
        """Whether it enters the figures."""
        return self.disposition == "finished"

    @property
    def not_asked(self) -> Mapping[str, bool]:
        """`hits` without the questions that were put to the person."""
        return {key: hit for key, hit in self.hits.items() if key not in self.asked}


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two sheets for one project, compared blind."""

    participant: str
    item: str
    judge: str
    """Empty: the participant."""
    agents: Mapping[str, str]
    """By session: whose sheet it is."""
    preferred: str | None
    """The session of the preferred sheet; None for a tie."""


def outcome_of(
    participant: str,
    state: str,
    project: ProjectState,
    session: Session,
    judged: Sequence[said.SheetJudged],
    traces: Mapping[str, Trace],
) -> Outcome:
    """The outcome of an interview, finished or not.

    Args:
        participant: pseudonym.
        state: where the participation stands, in the contract's words.
        project: with the person's own answers.
        session: the interview.
        judged: everything that judges of this participation answered.
        traces: by session.
    """
    opened = session.opened
    of_checklist = opened.task == "checklist"
    truth = {key: value for key, value in project.truth.items() if value} if of_checklist else {}
    preferred = {key: value for key, value in truth.items() if value != NO_PREFERENCE}
    again = {key: value for key, value in project.retest.items() if key in truth and value}
    scores = {name: session.rated[name] for name in CRITERIA if session.rated.get(name) is not None}
    final = session.predicted
    ended = session.ended
    return Outcome(
        participant=participant,
        session=session.id,
        item=session.item,
        agent=opened.agent,
        assistant=opened.assistant,
        budget=opened.budget,
        task=opened.task,
        truth=opened.truth,
        number=opened.number,
        period=opened.period,
        disposition=_disposition(state, final is not None if of_checklist else len(scores) == len(CRITERIA)),
        ended_by=ended.by if ended else "",
        queries=session.answered,
        early=ended is not None and ended.by in ("agent", "settled") and session.answered < opened.budget,
        hits=_hits(preferred, final.predictions) if final else {},
        asked=frozenset(one.put.key for one in session.rounds if one.answer is not None),
        without_preference=len(truth) - len(preferred),
        checkpoints={one.rounds: _hits(preferred, one.predictions) for one in session.predictions},
        retest={key: truth[key] == value for key, value in again.items()},
        scores=scores,
        fates={key: value for key, value in session.requirements.items() if value in FATES},
        edit=_edit(session),
        judged=tuple({one.judge: one for one in judged if one.session == session.id and one.scores}.values()),
        trace=traces.get(session.id, Trace()),
    )


def _hits(truth: Mapping[str, Any], predictions: Mapping[str, str]) -> dict[str, bool]:
    """A missing prediction is a wrong one."""
    return {key: predictions.get(key) == value for key, value in truth.items()}


def _disposition(state: str, finished: bool) -> Disposition:
    if finished:
        return "finished"
    return "spend_cap" if state == "limit" else "timed_out" if state == "blocked" else "unfinished"


def _edit(session: Session) -> Edit | None:
    if session.edited is None or session.frozen is None:
        return None
    sheet, answers = Sheet.from_json(session.frozen.sheet), session.edited.answers
    shown = kept_sheet(sheet, {**answers, "struck": ()})
    left = kept_sheet(sheet, answers)
    texts = left.texts()
    rewritten = [name for name in SECTIONS if answers.get(name) not in (None, texts[name])]
    return Edit(
        statements=len(shown.statements),
        struck=len(shown.statements) - len(left.statements),
        rewritten=len(rewritten),
        changes=len(sheet.changes),
        accepted=sum(1 for one in sheet.changes if answers.get(one.id) != "refuse"),
    )
