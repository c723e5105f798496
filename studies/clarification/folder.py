"""A clarification study's folder: its files, and the study they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studies.clarification.folder_rules import rules
from studies.clarification.materials import ClarificationTask
from studies.clarification.sampling import drawn
from studies.folder_parts import COMMON, FolderKind, Parts, Reader
from studies.reading import Row
from studies.study import Study

PROMPT = re.compile(r"prompts/[^/]+\.md")


@dataclass(frozen=True, slots=True)
class ClarificationParts(Parts):
    """What could be read of a clarification study's folder."""

    tasks: Sequence[Row[ClarificationTask]]

    @property
    def counted(self) -> bool:
        """Whether settings and tasks are whole, so that numbers can be compared."""
        return self.settings is not None and "tasks.jsonl" not in self.broken


def read(reader: Reader) -> ClarificationParts:
    """The parts, as far as each can be read."""
    common = reader.common()
    tasks = reader.rows("tasks.jsonl", ClarificationTask, "task")
    for name in sorted(filter(PROMPT.fullmatch, reader.files)):
        reader.text(name, "a system prompt")
    return ClarificationParts(common, frozenset(reader.files), reader.broken, tasks)


def fill(study: Study, parts: ClarificationParts) -> Study:
    """The study with its tasks and, for matchers, the asked questions that were drawn."""
    tasks, how = tuple(row.value for row in parts.tasks), study.settings.clarification
    asked = drawn(tasks, how.sample, study.settings.seed) if how.seat == "matcher" else ()
    return replace(study, clarification_tasks=tasks, asked=asked)


CLARIFICATION = FolderKind(
    files={**COMMON, "tasks.jsonl": True},
    read=read,
    rules=rules,
    fill=fill,
    uses=lambda name: PROMPT.fullmatch(name) is not None,
    settings=frozenset({"clarification", "assistants"}),
)
