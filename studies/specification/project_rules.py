"""The rules of projects and personas: whose preferences they hold, and what the task needs of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.errors import Problem
from studies.findings import error, warning
from studies.reading import closest, listed, shown

if TYPE_CHECKING:
    from studies.settings import StudySettings
    from studies.specification.folder import SpecificationParts

FILE = "projects.jsonl"
PERSONAS = "personas.toml"
_INDIFFERENT = ("no preference", "no strong preference", "don't care", "no opinion", "either is fine")
"""How an option says what is offered beside the options in any case."""


def project_problems(parts: SpecificationParts) -> Iterator[Problem]:
    """Every problem of a project, or between it, the personas and what the settings ask of it."""
    yield from _options(parts)
    settings = parts.settings
    if settings is None:
        return
    if settings.specification.identity == "self":
        yield from _themselves(parts)
    else:
        yield from _personas(parts)
    yield from _checklists(settings, parts)
    yield from _scripts(settings, parts)


def _options(parts: SpecificationParts) -> Iterator[Problem]:
    for row in parts.projects:
        for number, question in enumerate(row.value.checklist):
            for option in question.options:
                if option.casefold().startswith(_INDIFFERENT):
                    found = f"{question.id}: {shown(option)}, which is offered beside the options in any case"
                    key = f"checklist.{number}.options"
                    yield warning(FILE, key, found, "a choice on which people differ", row.line)


# -- whose preferences -------------------------------------------------------------------------


def _themselves(parts: SpecificationParts) -> Iterator[Problem]:
    expected = 'no such key, or specification.identity = "persona"'
    for row in parts.projects:
        if row.value.conversations:
            found = (
                f"{row.value.id} has past conversations of somebody else, and participants answer as "
                "themselves: an agent learns of them from their own earlier projects alone"
            )
            yield error(FILE, "conversations", found, expected, row.line)
        if row.value.persona:
            found = f"{row.value.id} has a persona, and participants answer as themselves"
            yield error(FILE, "persona", found, expected, row.line)
    if PERSONAS in parts.files:
        found = "personas, and participants answer as themselves"
        yield warning(PERSONAS, "", found, 'no such file, or specification.identity = "persona"')


def _personas(parts: SpecificationParts) -> Iterator[Problem]:
    if PERSONAS not in parts.files:
        found = "the file is missing, and participants answer as a persona"
        yield error(PERSONAS, "", found, 'a sheet for each persona, or specification.identity = "self"')
    known = [one.id for one in parts.personas.personas] if parts.personas else None
    for row in parts.projects:
        name = row.value.persona
        if not name:
            found = f"{row.value.id} has none, and participants answer as a persona"
            yield error(FILE, "persona", found, f"one of {listed(known or ())}" if known else "", row.line)
        elif known is not None and name not in known:
            near = closest(name, known)
            expected = f"did you mean {near!r}?" if near else f"one of {listed(known)}"
            yield error(FILE, "persona", f"{shown(name)}, which is no persona", expected, row.line)
    unused = sorted(set(known or ()) - {row.value.persona for row in parts.projects})
    if unused and FILE not in parts.broken:
        found = f"nobody answers as {listed(unused)}"
        yield warning(PERSONAS, "personas", found, f"a project of theirs in {FILE}")


# -- what the task needs -----------------------------------------------------------------------


def _checklists(settings: StudySettings, parts: SpecificationParts) -> Iterator[Problem]:
    task = settings.specification.task
    if task == "checklist":
        for row in parts.projects:
            if not row.value.checklist:
                found = f"{row.value.id} has none, and the task is to predict its answers"
                yield error(FILE, "checklist", found, "questions, or another specification.task", row.line)
    elif task == "mixed" and parts.counted and not any(row.value.checklist for row in parts.projects):
        found = "no project has one, and a mixed task needs some"
        yield error(FILE, "checklist", found, 'questions for at least one, or specification.task = "sheet"')


def _scripts(settings: StudySettings, parts: SpecificationParts) -> Iterator[Problem]:
    models = {one.name: one.model for one in settings.assistants}
    rehearsed = [
        one.name for one in settings.specification.agents if models.get(one.assistant) == "rehearsal"
    ]
    for row in parts.projects if rehearsed else ():
        if not row.value.script:
            found = f"{row.value.id} has none, and the agent {listed(rehearsed)} says nothing else"
            yield error(FILE, "script", found, "what the rehearsal answers, by stage", row.line)
