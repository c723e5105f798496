"""The forms of a specification study: ground truth, retest, requirements, ratings, comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

from studies.chance import Chance
from studies.specification.sections import ABOUT, CRITERIA, LETTERS, SECTIONS, TITLES, Section
from studies.steps import Field, Option

if TYPE_CHECKING:
    from studies.specification.materials import ChecklistQuestion, Persona, Project

QUESTIONS_A_SCREEN = 8
SECTIONS_A_SCREEN = 3
NO_PREFERENCE = "N"
"""The answer to a checklist question that leaves it out of every accuracy (SpecBench, Task 1)."""
WANT, AVOID = "want", "avoid"
FARED = (
    Option("met", "met"),
    Option("partly", "partly"),
    Option("contradicted", "contradicted"),
    Option("absent", "not in the sheet"),
)
OWN, UNKNOWN = "own", "unknown"
"""Answers to a question of the interview that are none of its options."""
PREFERENCES = (Option("left", "The left one"), Option("right", "The right one"), Option("tie", "Both alike"))


@dataclass(frozen=True, slots=True)
class Requirement:
    """One thing that the person wants, or does not want."""

    id: str
    """`core_features.want.2`."""
    section: Section
    sort: Literal["want", "avoid"]
    text: str


def screens(fields: Sequence[Field]) -> tuple[tuple[Field, ...], ...]:
    """Fields in screens of at most eight."""
    size = QUESTIONS_A_SCREEN
    return tuple(tuple(fields[at : at + size]) for at in range(0, len(fields), size))


def checklist_fields(questions: Sequence[ChecklistQuestion]) -> tuple[Field, ...]:
    """Checklist questions as they are asked for the ground truth."""
    return tuple(
        Field(one.id, "choice", one.question, (*_lettered(one.options), NEITHER)) for one in questions
    )


NEITHER = Option(NO_PREFERENCE, "No strong preference")


def _lettered(options: Sequence[str]) -> tuple[Option, ...]:
    return tuple(Option(letter, text) for letter, text in zip(LETTERS, options, strict=False))


def truth_screens(project: Project, task: str) -> tuple[tuple[Field, ...], ...]:
    """The ground truth of a project, screen by screen."""
    if task == "checklist":
        return screens(checklist_fields(project.checklist))
    return tuple(
        tuple(field for name in SECTIONS[at : at + SECTIONS_A_SCREEN] for field in section_fields(name))
        for at in range(0, len(SECTIONS), SECTIONS_A_SCREEN)
    )


def section_fields(name: Section) -> tuple[Field, Field]:
    """What is wanted of a section and what is not."""
    want = f"{TITLES[name]}: what do you want? {ABOUT[name]} One wish a line."
    avoid = f"{TITLES[name]}: what do you not want? One a line."
    return (
        Field(f"{name}.{WANT}", "text", want, required=False),
        Field(f"{name}.{AVOID}", "text", avoid, required=False),
    )


def requirements(truth: Mapping[str, Any]) -> tuple[Requirement, ...]:
    """The person's requirements one by one, in the order of the sections: each line is one."""
    return tuple(_requirements(truth))


def _requirements(truth: Mapping[str, Any]) -> Iterator[Requirement]:
    for name in SECTIONS:
        for sort in (WANT, AVOID):
            text = truth.get(f"{name}.{sort}")
            lines = text.splitlines() if isinstance(text, str) else []
            for place, line in enumerate(filter(None, map(_bare, lines)), start=1):
                yield Requirement(f"{name}.{sort}.{place}", name, cast("Any", sort), line)


def _bare(line: str) -> str:
    text = line.strip()
    return "" if text in ("-", "*") else text.removeprefix("- ").removeprefix("* ").strip()


def requirement_screens(truth: Mapping[str, Any]) -> tuple[tuple[Field, ...], ...]:
    """Each requirement against the sheet."""
    words = {WANT: "You want", AVOID: "You do not want"}
    return screens(
        [
            Field(one.id, "choice", f"{words[one.sort]} ({TITLES[one.section].lower()}): {one.text}", FARED)
            for one in requirements(truth)
        ]
    )


def rating_screens() -> tuple[tuple[Field, ...], ...]:
    """The five criteria, each with its reason: three criteria on the first screen, two on the second."""
    fields = [field for name in CRITERIA for field in _rating(name)]
    return (tuple(fields[:6]), tuple(fields[6:]))


def _rating(name: str) -> tuple[Field, Field]:
    labels = {1: "1 not at all", 5: "5 entirely"}
    scale = tuple(Option(value, labels.get(value, str(value))) for value in range(1, 6))
    return (
        Field(name, "scale", CRITERIA[name], scale),
        Field(f"{name}.reason", "text", "Why? A sentence is enough."),
    )


def comparison_fields() -> tuple[Field, Field]:
    """Two sheets side by side."""
    return (
        Field("preferred", "choice", "Which of the two would you rather have built?", PREFERENCES),
        Field("reason", "text", "Why? A sentence is enough."),
    )


def retest_screens(
    project: Project, task: str, share: float, seed: int, slot: int
) -> tuple[tuple[Field, ...], ...]:
    """The seeded part of the ground truth that is asked again: checklist questions, or whole sections."""
    if share <= 0:
        return ()
    chance = Chance(seed, slot, f"retest {project.id}")
    if task == "checklist":
        count = max(1, round(share * len(project.checklist)))
        return screens(checklist_fields(chance.shuffled(project.checklist)[:count]))
    count = max(1, round(share * len(SECTIONS)))
    again = chance.shuffled(SECTIONS)[:count]
    return screens([field for name in again for field in section_fields(name)])


def understanding_fields(persona: Persona) -> tuple[Field, ...]:
    """The comprehension check."""
    return tuple(
        Field(one.id, "choice", one.text, tuple(Option(text, text) for text in one.options))
        for one in persona.check
    )


def persona_text(persona: Persona) -> str:
    """The persona sheet, as Markdown."""
    traits = "\n".join(f"- {one}" for one in persona.traits)
    where = f", {persona.location}" if persona.location else ""
    return (
        f"In this project you answer as **{persona.name}**, {persona.occupation}{where}.\n\n"
        f"{persona.backstory}\n\n{traits}\n\n{persona.behaviour}"
    )
