"""What is common to every kind's study folder, and reading the parts of one as far as each can be read."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from studies.annotation.materials import Codebook
from studies.errors import Problem
from studies.reading import Row, read_rows, read_settings, read_text
from studies.settings import AnalysisSettings, StudySettings
from studies.study import Study, Texts, version_hash

M = TypeVar("M", bound=BaseModel)
P = TypeVar("P", bound="Parts")

COMMON: Mapping[str, bool] = {
    "study.toml": True,
    "analysis.toml": False,
    "consent.md": True,
    "instructions.md": True,
    "debrief.md": True,
    "codebook.toml": False,
}
"""The files of every study folder, and whether each must be there."""
TEXTS = tuple(name for name in COMMON if name.endswith(".md"))


@dataclass(frozen=True, slots=True)
class Common:
    """What could be read of the files that every kind has; a part with problems is None."""

    settings: StudySettings | None
    analysis: AnalysisSettings | None
    texts: Mapping[str, str]
    codebook: Codebook | None


@dataclass(frozen=True, slots=True)
class Parts:
    """What could be read of a folder; a list of rows holds the good lines only."""

    common: Common
    files: frozenset[str]
    """Names of all files of the folder."""
    broken: frozenset[str]
    """Files with problems: rules that count their lines have nothing to count."""

    @property
    def settings(self) -> StudySettings | None:
        """study.toml, where it could be read."""
        return self.common.settings

    @property
    def analysis(self) -> AnalysisSettings | None:
        """analysis.toml, or its defaults; None where it could not be read."""
        return self.common.analysis


class Reader:
    """Reads a folder's files, collecting every problem."""

    def __init__(self, files: Mapping[str, bytes], needed: Mapping[str, bool]) -> None:
        """Note at once which files are missing.

        Args:
            files: by relative path.
            needed: the kind's files, and whether each must be there.
        """
        self.files = files
        self._needed = needed
        self.problems = [
            Problem(name, 0, "", "the file is missing", "")
            for name, must in needed.items()
            if must and name not in files
        ]

    def settings(self, file: str, model: type[M]) -> M | None:
        """The model of a TOML file; None where it is missing or has problems."""
        return read_settings(file, self.files[file], model, self.problems) if file in self.files else None

    def rows(self, file: str, model: type[M], what: str = "item") -> tuple[Row[M], ...]:
        """The good lines of a JSON Lines file; one that must be there holds at least one."""
        if file not in self.files:
            return ()
        before = len(self.problems)
        found = read_rows(file, self.files[file], model, self.problems)
        if not found and len(self.problems) == before and self._needed[file]:
            self.problems.append(Problem(file, 0, "", "the file is empty", f"at least one {what}"))
        return found

    def text(self, file: str, words: str = "a text for participants") -> str:
        """A text; empty where it is missing or has problems."""
        if file not in self.files:
            return ""
        text = read_text(file, self.files[file], self.problems)
        if text is not None and not text.strip():
            self.problems.append(Problem(file, 0, "", "the file is empty", words))
        return text or ""

    def common(self) -> Common:
        """The parts that every kind has."""
        return Common(
            settings=self.settings("study.toml", StudySettings),
            analysis=self.settings("analysis.toml", AnalysisSettings)
            if "analysis.toml" in self.files
            else AnalysisSettings(),
            texts={name: self.text(name) for name in TEXTS},
            codebook=self.settings("codebook.toml", Codebook),
        )

    @property
    def broken(self) -> frozenset[str]:
        """Files with problems so far."""
        return frozenset(one.file for one in self.problems)


@dataclass(frozen=True, slots=True)
class FolderKind(Generic[P]):
    """What a study kind makes of a folder."""

    files: Mapping[str, bool]
    """Its files, and whether each must be there."""
    read: Callable[[Reader], P]
    """The parts, as far as each can be read."""
    rules: Callable[[P], Iterator[Problem]]
    """Every problem that only shows between files, beyond those of all kinds."""
    fill: Callable[[Study, P], Study]
    """The study with the kind's materials."""
    uses: Callable[[str], bool] = lambda name: False
    """Whether a file that is none of `files` has a use."""
    settings: frozenset[str] = frozenset()
    """Tables of study.toml that only this kind has a use for."""


def folder_kind(name: str) -> FolderKind[Any]:
    """What a kind makes of a folder.

    Raises:
        KeyError: there is no such kind.
    """
    if name == "annotation":
        from studies.annotation.folder import ANNOTATION

        return ANNOTATION
    if name == "roleplay":
        from studies.roleplay.folder import ROLEPLAY

        return ROLEPLAY
    if name == "clarification":
        from studies.clarification.folder import CLARIFICATION

        return CLARIFICATION
    if name == "specification":
        from studies.specification.folder import SPECIFICATION

        return SPECIFICATION
    raise KeyError(name)


KINDS = ("annotation", "roleplay", "clarification", "specification")


def kind_in(files: Mapping[str, bytes]) -> FolderKind[Any]:
    """The kind a folder is of: as study.toml says; where it does not, by the materials there are."""
    try:
        said = tomllib.loads(files.get("study.toml", b"").decode("utf-8-sig")).get("kind")
    except (ValueError, RecursionError):
        said = None
    if said in KINDS:
        return folder_kind(said)
    if "items.jsonl" in files:
        return folder_kind("annotation")
    own = {"tasks.jsonl": "roleplay", "projects.jsonl": "specification"}
    return folder_kind(next((kind for name, kind in own.items() if name in files), "annotation"))


def complete(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files with those that the product supplies where a folder has none of its own."""
    return {**files} if "codebook.toml" in files else {**files, "codebook.toml": own_codebook()}


@cache
def own_codebook() -> bytes:
    """The product's own codebook.toml."""
    return (Path(__file__).parent / "annotation" / "codebook.toml").read_bytes()


def read_parts(files: Mapping[str, bytes], kind: FolderKind[P]) -> tuple[P, list[Problem]]:
    """What the files hold, and everything wrong in any one of them."""
    reader = Reader(files, kind.files)
    return kind.read(reader), reader.problems


def put_together(files: Mapping[str, bytes], parts: P, kind: FolderKind[P]) -> Study:
    """The study of files in which `read_parts` found no problem."""
    common = parts.common
    # Each holds wherever no problem was found.
    assert common.settings is not None
    assert common.analysis is not None
    assert common.codebook is not None
    study = Study(
        sha256=version_hash(files),
        files=files,
        settings=common.settings,
        analysis=common.analysis,
        texts=Texts(common.texts["consent.md"], common.texts["instructions.md"], common.texts["debrief.md"]),
        codebook=common.codebook,
        items=(),
    )
    return kind.fill(study, parts)
