"""A specification study's folder: its files, and the study they make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studies.folder_parts import COMMON, FolderKind, Parts, Reader
from studies.reading import Row
from studies.specification.folder_rules import rules
from studies.specification.materials import Personas, Project
from studies.study import Study

PROMPT = re.compile(r"prompts/[^/]+\.md")


@dataclass(frozen=True, slots=True)
class SpecificationParts(Parts):
    """What could be read of a specification study's folder."""

    projects: Sequence[Row[Project]]
    personas: Personas | None

    @property
    def counted(self) -> bool:
        """Whether settings and projects are whole, so that numbers can be compared."""
        return self.settings is not None and "projects.jsonl" not in self.broken


def read(reader: Reader) -> SpecificationParts:
    """The parts, as far as each can be read."""
    common = reader.common()
    projects = reader.rows("projects.jsonl", Project, "project")
    personas = reader.settings("personas.toml", Personas)
    for name in sorted(filter(PROMPT.fullmatch, reader.files)):
        reader.text(name, "a prompt")
    return SpecificationParts(common, frozenset(reader.files), reader.broken, projects, personas)


def fill(study: Study, parts: SpecificationParts) -> Study:
    """The study with its projects and personas."""
    return replace(
        study,
        projects=tuple(row.value for row in parts.projects),
        personas=parts.personas.personas if parts.personas else (),
    )


SPECIFICATION = FolderKind(
    files={**COMMON, "projects.jsonl": True, "personas.toml": False},
    read=read,
    rules=rules,
    fill=fill,
    uses=lambda name: PROMPT.fullmatch(name) is not None,
    settings=frozenset({"specification", "assistants"}),
)
