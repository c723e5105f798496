"""What Buddy's models must answer where the sheet is written and looked over."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from studies.specification.agents.shapes import Line, Name, Sentence, Shape
from studies.specification.sections import SECTIONS, Section
from studies.specification.sheet import GroundSort

Reason = Literal["coverage", "scope_creep", "must_have", "consistency", "operational_detail"]


class GroundGiven(Shape):
    """What a statement rests on."""

    sort: GroundSort
    """decision, proposal, profile, assumption, or agent for a suggestion of your own."""
    ref: Annotated[str, StringConstraints(max_length=200)]
    """Key of the decision, number of the proposal's sentence, name of the attribute, id of the assumption;
    empty for agent."""


class StatementGiven(Shape):
    """One statement of the sheet."""

    text: Sentence
    """One or two plain sentences."""
    grounds: Annotated[tuple[GroundGiven, ...], Field(min_length=1, max_length=4)]
    """What it rests on."""


Statements = Annotated[tuple[StatementGiven, ...], Field(min_length=1, max_length=16)]


class Synthesis(Shape):
    """The spec sheet: nine sections of statements (Buddy, Appendix C.5)."""

    project_overview: Statements
    core_features: Statements
    non_functional_requirements: Statements
    technical_decisions: Statements
    user_experience: Statements
    out_of_scope: Statements
    success_metrics: Statements
    milestones_and_priorities: Statements
    constraints: Statements


class ChangeGiven(Shape):
    """One change to the sheet."""

    reason: Reason
    """What was wrong."""
    why: Line
    """Why it is better so; the person reads it."""
    section: Section
    """The section that changes."""
    remove: Annotated[tuple[Name, ...], Field(max_length=16)]
    """Ids of its statements that go."""
    add: Annotated[tuple[StatementGiven, ...], Field(max_length=6)]
    """Statements that come in their place."""


class Review(Shape):
    """What a last look at the sheet changes (Buddy, Appendix C.5)."""

    changes: Annotated[tuple[ChangeGiven, ...], Field(max_length=12)]
    """The changes; none where nothing is wrong."""


def statements_of(nine: Synthesis) -> dict[Section, tuple[StatementGiven, ...]]:
    """The statements of a synthesis by section."""
    return {name: getattr(nine, name) for name in SECTIONS}
