"""The models of projects.jsonl and personas.toml."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from studies.setting_types import Identifier, Settings, Slug, Text
from studies.specification.sections import Section


class ChecklistQuestion(Settings):
    """One single-choice question of a checklist: a design choice on which people differ."""

    id: Identifier
    """Names the question in the data."""
    question: Text
    """The question, in plain words."""
    options: Annotated[tuple[Text, ...], Field(min_length=2, max_length=6)]
    """The answers; `no strong preference` is always offered beside them."""
    section: Section | None = None
    """The section of a spec sheet that it belongs to."""

    @model_validator(mode="after")
    def _distinct(self) -> ChecklistQuestion:
        if len(set(self.options)) != len(self.options):
            raise ValueError("two options are the same")
        return self


class PastMessage(Settings):
    """One message of a past conversation."""

    role: Literal["user", "assistant"]
    """Who said it."""
    text: Text
    """What was said."""


class PastConversation(Settings):
    """A conversation of the persona with a coding assistant, about something else."""

    id: Identifier
    """Names the conversation in the data."""
    dialogue: Annotated[tuple[PastMessage, ...], Field(min_length=2)]
    """What was said, in order."""


class Project(Settings):
    """One line of projects.jsonl: something to be specified."""

    id: Identifier
    """Names the project in the data."""
    title: Text
    """What it is called."""
    proposal: Text
    """The base proposal: what somebody wants to have built, without saying how."""
    checklist: tuple[ChecklistQuestion, ...] = ()
    """The questions of Task 1; a project without them can only be Task 2."""
    conversations: tuple[PastConversation, ...] = ()
    """Past conversations of the persona; only with `identity = "persona"`."""
    persona: str = ""
    """Whom the participant answers as; a key of personas.toml, only with `identity = "persona"`."""
    script: dict[str, JsonValue] = {}
    """What the rehearsal's agents answer, by stage: `profile`, `summary`, `draft`, `chart`, `votes`, ..."""

    @model_validator(mode="after")
    def _distinct(self) -> Project:
        for what, ids in (
            ("checklist question", [one.id for one in self.checklist]),
            ("conversation", [one.id for one in self.conversations]),
        ):
            if len(set(ids)) != len(ids):
                raise ValueError(f"two entries of the {what}s have one id")
        return self

    def question(self, question_id: str) -> ChecklistQuestion:
        """The checklist question of that id.

        Raises:
            KeyError: the project has none.
        """
        for one in self.checklist:
            if one.id == question_id:
                return one
        raise KeyError(question_id)


class PersonaQuestion(Settings):
    """One question that shows whether the persona was understood."""

    id: Slug
    """Names the answer in the data."""
    text: Text
    """The question."""
    options: Annotated[tuple[Text, ...], Field(min_length=2, max_length=6)]
    """The answers."""
    answer: Text
    """The right one of them."""

    @model_validator(mode="after")
    def _answerable(self) -> PersonaQuestion:
        if self.answer not in self.options:
            raise ValueError("the right answer is none of the options")
        return self


class Persona(Settings):
    """One entry of personas.toml: somebody to answer as (SpecBench, Appendix B.2)."""

    id: Slug
    """Names the persona in projects.jsonl."""
    name: Text
    """A first name."""
    occupation: Text
    """What they do."""
    location: str = ""
    """Where they live."""
    backstory: Text
    """A few sentences: who they are and what they care about."""
    traits: Annotated[tuple[Text, ...], Field(min_length=1)]
    """What marks them: experience, priorities, engagement, clarity of goals, collaboration."""
    behaviour: Text
    """How they decide and answer."""
    check: Annotated[tuple[PersonaQuestion, ...], Field(min_length=1)]
    """The comprehension check, passed before anything else is asked."""


class Personas(Settings):
    """personas.toml: whom participants answer as."""

    personas: Annotated[tuple[Persona, ...], Field(min_length=1)]
    """Whom participants answer as."""

    @model_validator(mode="after")
    def _distinct(self) -> Personas:
        ids = [one.id for one in self.personas]
        if len(set(ids)) != len(ids):
            raise ValueError("two personas have one id")
        return self
