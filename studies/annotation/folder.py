"""An annotation study's folder: its files, and the study they make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from studies.annotation.folder_rules import rules
from studies.annotation.materials import CheckItem, Item, TrainingItem
from studies.folder_parts import COMMON, FolderKind, Parts, Reader
from studies.reading import Row
from studies.study import Study


@dataclass(frozen=True, slots=True)
class AnnotationParts(Parts):
    """What could be read of an annotation study's folder."""

    items: Sequence[Row[Item]]
    training: Sequence[Row[TrainingItem]]
    checks: Sequence[Row[CheckItem]]

    @property
    def counted(self) -> bool:
        """Whether settings and items are whole, so that numbers can be compared."""
        return self.settings is not None and "items.jsonl" not in self.broken


def read(reader: Reader) -> AnnotationParts:
    """The parts, as far as each can be read."""
    common = reader.common()
    items = reader.rows("items.jsonl", Item)
    training = reader.rows("training.jsonl", TrainingItem)
    checks = reader.rows("checks.jsonl", CheckItem)
    return AnnotationParts(common, frozenset(reader.files), reader.broken, items, training, checks)


def fill(study: Study, parts: AnnotationParts) -> Study:
    """The study with its items, practice and checks."""
    return replace(
        study,
        items=tuple(row.value for row in parts.items),
        training=tuple(row.value for row in parts.training),
        checks=tuple(row.value for row in parts.checks),
    )


ANNOTATION = FolderKind(
    files={**COMMON, "items.jsonl": True, "training.jsonl": False, "checks.jsonl": False},
    read=read,
    rules=rules,
    fill=fill,
    settings=frozenset({"annotation", "training"}),
)
