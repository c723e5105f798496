"""What Buddy's models must answer, stage by stage. A schema says it; `rules` says what a schema cannot.

Every text and list has an end, so that a model whose decoding is held to the schema comes to one. No
pattern is stated: where decoding is held to a schema, a pattern takes the place of the length.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from studies.specification.sections import SECTIONS, Section

Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=60)]
Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=240)]
Sentence = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
Passage = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=900)]
Summed = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=1_800)]
Letter = Literal["A", "B", "C", "D", "E", "F"]
Four = Annotated[tuple[Line, ...], Field(min_length=4, max_length=4)]

Category = Literal[
    "working_style",
    "priorities",
    "design_preferences",
    "technical_fluency",
    "domain_background",
    "decision_rules",
]


class Shape(BaseModel):
    """Base of the answers: what a model adds of its own is passed over, what it leaves out is missed."""

    model_config = ConfigDict(
        extra="ignore",
        frozen=True,
        use_attribute_docstrings=True,
        json_schema_extra={"additionalProperties": False},
    )


# -- the person --------------------------------------------------------------------------------


class Evidence(Shape):
    """What shows an attribute."""

    kind: Literal["quote", "paraphrase"]
    """quote: the person's very words. paraphrase: what they did or said, in other words."""
    text: Sentence
    """The words."""


class Attribute(Shape):
    """One thing about the person that is likely to hold in their next project too."""

    category: Category
    """What it is about."""
    attribute: Name
    """A short name in snake_case, different from every other."""
    value: Sentence
    """What holds, specific enough to foretell a choice."""
    type: Literal["fact", "soft_preference", "hard_constraint"]
    """fact: true of the person. soft_preference: what they lean to. hard_constraint: what they insist on."""
    confidence: Annotated[float, Field(ge=0, le=1)]
    """How sure it is, from 0 to 1."""
    evidence: Annotated[tuple[Evidence, ...], Field(min_length=1, max_length=4)]
    """What shows it."""
    reasoning: Sentence
    """Why that reaches beyond the project it was said about."""


class Profile(Shape):
    """The user profile (Buddy, Appendix C.1)."""

    attributes: Annotated[tuple[Attribute, ...], Field(max_length=24)]
    """What holds of the person; none where nothing is certain enough."""


class Summary(Shape):
    """How the person went about earlier projects."""

    summary: Summed
    """A few paragraphs."""


# -- the project -------------------------------------------------------------------------------


class DraftSections(Shape):
    """A first text for each of the nine sections."""

    project_overview: Passage
    core_features: Passage
    non_functional_requirements: Passage
    technical_decisions: Passage
    user_experience: Passage
    out_of_scope: Passage
    success_metrics: Passage
    milestones_and_priorities: Passage
    constraints: Passage


class Point(Shape):
    """Something that the proposal does not say."""

    id: Name
    """A short id, such as A1 for an assumption or Q1 for a question."""
    text: Sentence
    """What is assumed, or what is open."""
    sections: Annotated[tuple[Section, ...], Field(min_length=1, max_length=9)]
    """The sections it touches."""
    importance: Literal["high", "medium", "low"]
    """How much depends on it."""


class Priority(Shape):
    """What matters most: one question of four directions that this project could take."""

    question: Line
    """The question."""
    options: Four
    """Four directions, each particular to this project."""


class Draft(Shape):
    """The first draft (Buddy, Appendix C.2)."""

    spec: DraftSections
    """The nine sections."""
    assumptions: Annotated[tuple[Point, ...], Field(min_length=1, max_length=15)]
    """What the draft takes for granted though the proposal does not say it."""
    open_questions: Annotated[tuple[Point, ...], Field(min_length=1, max_length=10)]
    """What only the person can settle."""
    priority: Priority
    """What matters most."""


class Axis(Shape):
    """One dimension of the project: something on which people would differ."""

    key: Name
    """A short name in snake_case, different from every other."""
    section: Section
    """The section of the sheet that the choice belongs to most."""
    related_sections: Annotated[tuple[Section, ...], Field(max_length=8)]
    """Other sections it touches."""
    question: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=360)]
    """What to ask the person: plain words, fewer than 50 of them."""
    description: Sentence
    """Which preference it is about."""
    assumed: Annotated[int, Field(ge=0, le=3)]
    """Which alternative the draft assumes: 0 for the first, 3 for the last."""
    why_it_matters: Line
    """What the person would notice."""
    alternatives: Four
    """Four answers that lead to noticeably different products."""
    depends_on: Annotated[tuple[Name, ...], Field(max_length=6)]
    """Keys of other dimensions whose choice bears on this one."""
    boundary: bool
    """Whether it decides what the product will not do."""


class Chart(Shape):
    """The morphological chart (Buddy, Appendix C.3)."""

    dimensions: Annotated[tuple[Axis, ...], Field(min_length=8, max_length=12)]
    """8 to 12 dimensions, what matters most first."""


# -- choosing ----------------------------------------------------------------------------------


class Ballot(Shape):
    """One simulated user's choice in one dimension."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Key of the dimension, as it was given."""
    reasoning: Sentence
    """What speaks for which alternative, before choosing one."""
    choice: Letter
    """Letter of the alternative."""
    confident: bool
    """Whether what is known of the person supports it; false for a guess."""


class Votes(Shape):
    """One simulated user's choices (Buddy, Appendix C.4)."""

    votes: Annotated[tuple[Ballot, ...], Field(max_length=200)]
    """One for each dimension."""


class Settled(Shape):
    """A dimension on which an answer to another question leaves no doubt."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Key of the dimension, as it was given."""
    reasoning: Sentence
    """Why the answer settles it."""
    choice: Annotated[tuple[Letter, ...], Field(min_length=1, max_length=4)]
    """Letters of what the person wants."""
    confident: bool
    """Whether it follows; only then is the dimension settled."""


class Update(Shape):
    """What an answer of the person settles beside its own question."""

    settled: Annotated[tuple[Settled, ...], Field(max_length=200)]
    """Other dimensions that it settles; often none."""
    enough: bool
    """Whether the interview should end here although questions are left."""
    why: Sentence
    """Why to go on, or to end; the person reads it where the interview ends."""


class Prediction(Shape):
    """What the person will answer to one question of the checklist."""

    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    """Id of the question, as it was given."""
    choice: Letter
    """Letter of the option."""


class Predictions(Shape):
    """What the person will answer to every question of the checklist."""

    predictions: Annotated[tuple[Prediction, ...], Field(max_length=200)]
    """One for each question."""


def sections_of(nine: DraftSections) -> dict[Section, str]:
    """The texts of a draft by section."""
    return {name: getattr(nine, name) for name in SECTIONS}
