"""The parts a study folder's files describe, as far as each can be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem
from studies.errors import Problem
from studies.reading import Row, read_rows, read_settings, read_text
from studies.settings import AnalysisSettings, StudySettings
from studies.study import Study, Texts, version_hash

M = TypeVar("M", bound=BaseModel)

FILES: Mapping[str, bool] = {
    "study.toml": True,
    "analysis.toml": False,
    "consent.md": True,
    "instructions.md": True,
    "debrief.md": True,
    "codebook.toml": False,
    "items.jsonl": True,
    "training.jsonl": False,
    "checks.jsonl": False,
}
"""The files of an annotation study, and whether each must be there."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What could be read of a folder; a part with problems is None, or holds its good lines only."""

    settings: StudySettings | None
    analysis: AnalysisSettings | None
    texts: Mapping[str, str]
    codebook: Codebook | None
    items: Sequence[Row[Item]]
    training: Sequence[Row[TrainingItem]]
    checks: Sequence[Row[CheckItem]]
    broken: frozenset[str]
    """Files with problems: rules that count their lines have nothing to count."""

    @property
    def counted(self) -> bool:
        """Whether settings and items are whole, so that numbers can be compared."""
        return self.settings is not None and "items.jsonl" not in self.broken


def complete(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with those that the product supplies where a folder has none of its own."""
    return {**files} if "codebook.toml" in files else {**files, "codebook.toml": own_codebook()}


@cache
def own_codebook() -> bytes:
    """The product's own codebook.toml."""
    return (Path(__file__).parent / "annotation" / "codebook.toml").read_bytes()


def read_parts(files: Mapping[str, bytes]) -> tuple[Parts, list[Problem]]:
    """What the files hold, and everything wrong in any one of them."""
    problems = [
        Problem(name, 0, "", "the file is missing", "")
        for name, needed in FILES.items()
        if needed and name not in files
    ]

    def settings(file: str, model: type[M]) -> M | None:
        return read_settings(file, files[file], model, problems) if file in files else None

    def rows(file: str, model: type[M]) -> tuple[Row[M], ...]:
        if file not in files:
            return ()
        before = len(problems)
        found = read_rows(file, files[file], model, problems)
        if not found and len(problems) == before and FILES[file]:
            problems.append(Problem(file, 0, "", "the file is empty", "at least one item"))
        return found

    parts = Parts(
        settings=settings("study.toml", StudySettings),
        analysis=settings("analysis.toml", AnalysisSettings)
        if "analysis.toml" in files
        else AnalysisSettings(),
        texts={name: _text(name, files, problems) for name in FILES if name.endswith(".md")},
        codebook=settings("codebook.toml", Codebook),
        items=rows("items.jsonl", Item),
        training=rows("training.jsonl", TrainingItem),
        checks=rows("checks.jsonl", CheckItem),
        broken=frozenset(one.file for one in problems),
    )
    return parts, problems


def _text(file: str, files: Mapping[str, bytes], problems: list[Problem]) -> str:
    if file not in files:
        return ""
    text = read_text(file, files[file], problems)
    if text is not None and not text.strip():
        problems.append(Problem(file, 0, "", "the file is empty", "a text for participants"))
    return text or ""


def put_together(files: Mapping[str, bytes], parts: Parts) -> Study:
    """The study of files in which `read_parts` found no problem."""
    # Each holds wherever no problem was found.
    assert parts.settings is not None
    assert parts.analysis is not None
    assert parts.codebook is not None
    return Study(
        sha256=version_hash(files),
        files=files,
        settings=parts.settings,
        analysis=parts.analysis,
        texts=Texts(parts.texts["consent.md"], parts.texts["instructions.md"], parts.texts["debrief.md"]),
        codebook=parts.codebook,
        items=tuple(row.value for row in parts.items),
        training=tuple(row.value for row in parts.training),
        checks=tuple(row.value for row in parts.checks),
    )
