"""The tidy tables of a specification study: spec sheets, and what people and judges say of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from studies.rows import Participant
from studies.specification.rows import Item, Revision, Session
from studies.tables import Table, Time

Rater = Annotated[str, "participant, or the study's name for the judge."]


@dataclass(frozen=True, slots=True)
class SectionRow:
    """One section of one revision of a sheet."""

    session: Session
    item: Item
    participant: Participant
    revision: Annotated[int, "From 1; a later one replaces the ones before it."]
    latest: Annotated[bool, "Whether this is the last revision of the session's sheet."]
    author: Annotated[str, "agent or participant: whose revision it is."]
    stage: Annotated[
        str,
        "synthesis (the agent's sheet before its own review), review (with what the review changed; only "
        "where it changed anything), or edit (as the person left it).",
    ]
    frozen: Annotated[bool, "Whether this is the revision that was rated, before anybody edited it."]
    section: Annotated[str, "One of the nine sections."]
    position: Annotated[int, "Place of the section in the sheet, from 1."]
    text: Annotated[str, "The section as text, one statement a line."]
    changed: Annotated[bool, "Whether the text differs from the revision before; true in the first."]
    rewritten: Annotated[bool, "Whether the text is the person's own."]
    statements: Annotated[
        tuple[Mapping[str, Any], ...],
        "Its statements: id, text, grounds (what each rests on: sort, ref and words of a decision, a "
        "sentence of the proposal, the profile, an assumption, or the agent alone). Empty where the person "
        "rewrote the section.",
    ]
    reasons: Annotated[
        tuple[str, ...], "What the review changed it for (coverage, scope_creep, ...); empty otherwise."
    ]
    made_at: Annotated[Time, "When the revision was stored; the agent's are stored when it is frozen."]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One thing that an agent's own review changed in its sheet."""

    session: Session
    item: Item
    participant: Participant
    change: Annotated[str, "Id of the change within the session."]
    section: Annotated[str, "One of the nine sections."]
    reason: Annotated[
        str, "coverage, scope_creep, must_have, consistency or operational_detail: what it was reviewed for."
    ]
    why: Annotated[str, "Why, in the agent's words."]
    before: Annotated[tuple[str, ...], "Statements that it took out or reworded; empty where it only added."]
    after: Annotated[tuple[str, ...], "Statements in their place; empty where it only took out."]
    kept: Annotated[
        bool | None, "Whether the person kept it when they edited the sheet; null where they did not edit it."
    ]


@dataclass(frozen=True, slots=True)
class RatingRow:
    """One rating of a frozen sheet: of a criterion, or of how a requirement fared."""

    session: Session
    item: Item
    participant: Participant
    rater: Rater
    model: Annotated[str, "The judge's model as the study names it; empty for the participant."]
    sort: Annotated[str, "criterion or requirement."]
    key: Annotated[
        str, "coverage, precision, consistency, insight or readability; or a requirement: SECTION.want.1."
    ]
    requirement: Annotated[str, "The requirement in the person's words; empty for a criterion."]
    score: Annotated[int | None, "1 to 5; null for a requirement, or where a judge gave no usable answer."]
    fared: Annotated[str | None, "met, partly, contradicted or absent; null for a criterion."]
    reason: Annotated[str, "Why, in the rater's words."]
    trouble: Annotated[str, "Why a judge's answer could not be used; empty otherwise."]
    revision: Revision
    latest: Annotated[bool, "Whether this is the rater's last word on it."]
    rated_at: Annotated[Time, "When it was stored."]


@dataclass(frozen=True, slots=True)
class ComparisonRow:
    """Two frozen sheets for one project, compared blind."""

    item: Item
    participant: Participant
    rater: Rater
    left: Annotated[str, "Session of the sheet on the left."]
    right: Annotated[str, "Session of the sheet on the right."]
    left_agent: Annotated[str, "The study's name for the agent on the left; the rater never saw it."]
    right_agent: Annotated[str, "The same for the right."]
    preferred: Annotated[str | None, "left, right or tie; null where a judge gave no usable answer."]
    preferred_agent: Annotated[str | None, "The agent of the preferred sheet; null for a tie, or no answer."]
    reason: Annotated[str, "Why, in the rater's words."]
    trouble: Annotated[str, "Why a judge's answer could not be used; empty otherwise."]
    revision: Revision
    latest: Annotated[bool, "Whether this is the rater's last word on it."]
    compared_at: Annotated[Time, "When it was stored."]


SPEC_SECTIONS = Table(
    "spec_sections", SectionRow, "Task 2: one line a section of a revision of a session's sheet."
)
CHANGES = Table("changes", ChangeRow, "Task 2: one line a change that an agent's own review made.")
RATINGS = Table(
    "ratings",
    RatingRow,
    "Task 2: one line a rating of a frozen sheet, by the person or a judge: a criterion, or a requirement.",
)
COMPARISONS = Table("comparisons", ComparisonRow, "One line a blind comparison of two sheets.")
