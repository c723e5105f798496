"""A role-play study's folder: its files, and the study they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from studies.folder_parts import COMMON, FolderKind, Parts, Reader
from studies.reading import Row
from studies.roleplay.folder_rules import rules
from studies.roleplay.materials import Profiles, ShippedSession, Task
from studies.roleplay.renaming import renamed
from studies.study import Study

if TYPE_CHECKING:
    from studies.verdicts import Check

PROMPT = re.compile(r"prompts/[^/]+\.md")


@dataclass(frozen=True, slots=True)
class RoleplayParts(Parts):
    """What could be read of a role-play study's folder."""

    profiles: Profiles | None
    tasks: Sequence[Row[Task]]
    shipped: Sequence[Row[ShippedSession]]

    @property
    def counted(self) -> bool:
        """Whether settings and tasks are whole, so that numbers can be compared."""
        return self.settings is not None and "tasks.jsonl" not in self.broken


def read(reader: Reader) -> RoleplayParts:
    """The parts, as far as each can be read."""
    common = reader.common()
    profiles = reader.settings("profiles.toml", Profiles)
    tasks = reader.rows("tasks.jsonl", Task, "task")
    shipped = reader.rows("histories.jsonl", ShippedSession, "session")
    for name in sorted(filter(PROMPT.fullmatch, reader.files)):
        reader.text(name, "a system prompt")
    return RoleplayParts(common, frozenset(reader.files), reader.broken, profiles, tasks, shipped)


def fill(study: Study, parts: RoleplayParts) -> Study:
    """The study with its tasks, profiles and shipped sessions."""
    tasks = [row.value for row in parts.tasks]
    if study.settings.roleplay.rename_entry_point:
        tasks = [renamed(one) for one in tasks]
    return replace(
        study,
        tasks=tuple(tasks),
        profiles=parts.profiles.profiles if parts.profiles else (),
        shipped=tuple(row.value for row in parts.shipped),
    )


ROLEPLAY = FolderKind(
    files={**COMMON, "profiles.toml": True, "tasks.jsonl": True, "histories.jsonl": False},
    read=read,
    rules=rules,
    fill=fill,
    uses=lambda name: PROMPT.fullmatch(name) is not None,
    settings=frozenset({"roleplay", "assistants"}),
)


def references(study: Study) -> list[tuple[str, str, Check]]:
    """What shows that each task's hidden tests accept its own reference: task id, code, tests."""
    from studies.roleplay.judging import check_of

    limit = study.settings.roleplay.time_limit
    return [(one.id, one.reference, check_of(one, limit)) for one in study.tasks]


def unauthored(study: Study) -> tuple[str, ...]:
    """Ids of the tasks that a researcher has yet to author: with any, a study runs only as a pilot."""
    return tuple(one.id for one in study.tasks if not one.authored)
