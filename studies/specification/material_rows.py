"""The tidy tables of a specification study: what it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from studies.specification.rows import Item
from studies.tables import Filled, Messages, Table

if TYPE_CHECKING:
    from studies.specification.materials import Project
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project."""

    item: Item
    title: Annotated[str, "What it is called."]
    proposal: Annotated[str, "The base proposal, as the participant read it before writing their own."]
    persona: Annotated[str, "Id of the persona that is answered for; empty for the participant's own wishes."]
    questions: Annotated[int, "Questions of its checklist; 0 for a project that can only be Task 2."]
    conversations: Annotated[tuple[str, ...], "Ids of the past conversations that agents were given."]


@dataclass(frozen=True, slots=True)
class ChecklistRow:
    """One question of a checklist."""

    item: Item
    key: Annotated[str, "Id of the question."]
    position: Annotated[int, "Place in the checklist, from 1."]
    question: Annotated[str, "The question."]
    options: Annotated[tuple[str, ...], "Its options; the first is A. No strong preference is N."]
    section: Annotated[str | None, "Section of a sheet that it belongs to."]


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """One past conversation of a persona, which came with the study."""

    item: Item
    conversation: Annotated[str, "Id of the conversation."]
    dialogue: Annotated[Messages, "Role and text of each message."]


@dataclass(frozen=True, slots=True)
class PersonaRow:
    """Somebody to answer as."""

    persona: Annotated[str, "Id of the persona."]
    name: Annotated[str, "First name."]
    occupation: Annotated[str, "What they do."]
    location: Annotated[str, "Where they live."]
    backstory: Annotated[str, "Who they are and what they care about."]
    traits: Annotated[tuple[str, ...], "What marks them."]
    behaviour: Annotated[str, "How they decide and answer."]


MATERIALS = Table("materials", ProjectRow, "One line a project.")
CHECKLIST = Table("checklist", ChecklistRow, "One line a checklist question.")
CONVERSATIONS = Table(
    "conversations", ConversationRow, "One line a past conversation that came with the study."
)
PERSONAS = Table("personas", PersonaRow, "One line a persona.")


def filled(study: Study) -> Iterator[Filled]:
    """The tables of a study's materials."""
    yield Filled(MATERIALS, tuple(map(_project, study.projects)))
    yield Filled(
        CHECKLIST,
        tuple(
            ChecklistRow(one.id, question.id, place, question.question, question.options, question.section)
            for one in study.projects
            for place, question in enumerate(one.checklist, start=1)
        ),
    )
    yield Filled(
        CONVERSATIONS,
        tuple(
            ConversationRow(
                one.id, past.id, tuple({"role": line.role, "text": line.text} for line in past.dialogue)
            )
            for one in study.projects
            for past in one.conversations
        ),
    )
    yield Filled(
        PERSONAS,
        tuple(
            PersonaRow(p.id, p.name, p.occupation, p.location, p.backstory, p.traits, p.behaviour)
            for p in study.personas
        ),
    )


def _project(one: Project) -> ProjectRow:
    return ProjectRow(
        item=one.id,
        title=one.title,
        proposal=one.proposal,
        persona=one.persona,
        questions=len(one.checklist),
        conversations=tuple(past.id for past in one.conversations),
    )
