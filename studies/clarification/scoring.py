"""Files of run records, scored: what `evaluate --records` prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePath
from typing import Any

from studies.clarification.figures import Group, groups
from studies.clarification.record_line import Labels
from studies.clarification.records import Records, read_records
from studies.errors import FolderError, Problem


@dataclass(frozen=True, slots=True)
class Scored:
    """The figures of some files of run records."""

    files: tuple[Records, ...]
    sha256: tuple[str, ...]
    """Of each file."""
    groups: tuple[Group, ...]
    flags: tuple[str, ...]
    """What every figure must be read with; a group has its own beside them."""

    def to_json(self) -> dict[str, Any]:
        """The contract's `groups`, beside what they were made from."""
        return {
            "kind": "clarification",
            "records": [
                {"file": one.file, "sha256": digest, "runs": len(one.runs)}
                for one, digest in zip(self.files, self.sha256, strict=True)
            ],
            "groups": [one.to_json() for one in self.groups],
            "flags": list(self.flags),
        }


def score(files: Sequence[tuple[str, bytes]], labels: Mapping[str, Labels] | None = None) -> Scored:
    """The figures of files of run records.

    Args:
        files: name and bytes of each; a run that names no model has the name of its file.
        labels: ambiguity types by task, for records that do not carry them.

    Raises:
        FolderError: every problem of every file, by line and key.
    """
    problems: list[Problem] = []
    read: list[Records] = []
    for name, data in files:
        try:
            read.append(read_records(name, data, model=PurePath(name).stem, labels=labels))
        except FolderError as error:
            problems += error.problems
    if problems:
        raise FolderError(problems)
    runs = [run for one in read for run in one.runs]
    return Scored(
        files=tuple(read),
        sha256=tuple(sha256(data).hexdigest() for _, data in files),
        groups=groups(runs),
        flags=tuple(_flags(read)),
    )


def _flags(read: Sequence[Records]) -> Iterator[str]:
    if any(one.unnamed for one in read):
        yield "runs that name no model are named after their file"
    if without := [task for one in read for task in one.without_response]:
        yield f"records without any response, in no figure: {len(without)}"
    if not all(run.types for one in read for run in one.runs):
        yield "some runs carry no ambiguity types (`keywords`), and are in no group by type"
