"""A study as it is run: one version, read whole from its folder's files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem
    from studies.clarification.materials import AskedQuestion, ClarificationTask
    from studies.roleplay.materials import Profile, ShippedSession, Task
    from studies.settings import AnalysisSettings, StudySettings
    from studies.specification.materials import Persona, Project


def version_hash(files: Mapping[str, bytes]) -> str:
    """SHA-256 over sorted paths and bytes, each preceded by its length: a version's identity."""
    total = hashlib.sha256()
    for path in sorted(files):
        name = path.encode("utf-8")
        total.update(f"{len(name)}:".encode() + name + f"{len(files[path])}:".encode() + files[path])
    return total.hexdigest()


def text_hash(text: str) -> str:
    """SHA-256 of a text a participant was shown."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True)
class Texts:
    """What a participant reads, as Markdown."""

    consent: str
    instructions: str
    debrief: str


@dataclass(frozen=True)
class Study:
    """One version of a study. Immutable; everything is in memory."""

    sha256: str
    files: Mapping[str, bytes] = field(repr=False)
    """The folder as it was loaded, by relative path."""
    settings: StudySettings
    analysis: AnalysisSettings
    texts: Texts
    codebook: Codebook
    items: tuple[Item, ...]
    training: tuple[TrainingItem, ...] = ()
    checks: tuple[CheckItem, ...] = ()
    tasks: tuple[Task, ...] = ()
    profiles: tuple[Profile, ...] = ()
    shipped: tuple[ShippedSession, ...] = ()
    """Resolved sessions that come with the folder, to be shown as somebody else's history."""
    clarification_tasks: tuple[ClarificationTask, ...] = ()
    asked: tuple[str, ...] = ()
    """Ids of the asked questions that were drawn for matchers; empty for every other seat."""
    projects: tuple[Project, ...] = ()
    personas: tuple[Persona, ...] = ()

    _by_id: Mapping[str, Item] = field(init=False, repr=False, compare=False)
    _tasks: Mapping[str, Task] = field(init=False, repr=False, compare=False)
    _unclear: Mapping[str, ClarificationTask] = field(init=False, repr=False, compare=False)
    _asked: Mapping[str, tuple[ClarificationTask, AskedQuestion]] = field(
        init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_id", {one.id: one for one in self.items})
        object.__setattr__(self, "_tasks", {one.id: one for one in self.tasks})
        unclear = self.clarification_tasks
        object.__setattr__(self, "_unclear", {one.id: one for one in unclear})
        asked = {question.id: (one, question) for one in unclear for question in one.asked}
        object.__setattr__(self, "_asked", asked)

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids of all that participants are given: items, tasks, asked questions, or projects."""
        given = self.items or self.tasks or self.clarification_tasks or self.projects
        return self.asked or tuple(one.id for one in given)

    def project(self, project_id: str) -> Project:
        """The project of that id.

        Raises:
            KeyError: the study has none.
        """
        for one in self.projects:
            if one.id == project_id:
                return one
        raise KeyError(project_id)

    def persona(self, persona_id: str) -> Persona:
        """The persona of that id.

        Raises:
            KeyError: the study has none.
        """
        for one in self.personas:
            if one.id == persona_id:
                return one
        raise KeyError(persona_id)

    @property
    def runs_code(self) -> bool:
        """Whether a model's code is run, so that a sandbox is needed: in a clarification study only where a
        model writes code and a task has hidden tests."""
        how = self.settings.clarification
        if self.settings.kind != "clarification":
            return self.settings.runs_code
        writes = how.seat == "answerer" or (how.seat == "asker" and bool(how.coder))
        return writes and any(one.testable for one in self.clarification_tasks)

    def task(self, task_id: str) -> Task:
        """The task of that id.

        Raises:
            KeyError: the study has none.
        """
        return self._tasks[task_id]

    def profile(self, profile_id: str) -> Profile:
        """The profile of that id.

        Raises:
            KeyError: the study has none.
        """
        return next(one for one in self.profiles if one.id == profile_id)

    def clarification_task(self, task_id: str) -> ClarificationTask:
        """The clarification task of that id.

        Raises:
            KeyError: the study has none.
        """
        return self._unclear[task_id]

    def asked_question(self, question_id: str) -> tuple[ClarificationTask, AskedQuestion]:
        """An asked question, behind the task that it was asked about.

        Raises:
            KeyError: the study has none.
        """
        return self._asked[question_id]

    def item(self, item_id: str) -> Item:
        """The item of that id.

        Raises:
            KeyError: the study has none.
        """
        return self._by_id[item_id]
