"""Work that goes on without the participant: what is being done, how long it usually takes, what failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Job:
    """One thing that is being done."""

    label: str
    """In a participant's words: `reading your earlier conversations`."""
    state: Literal["waiting", "running", "done", "failed"]
    usual_seconds: float | None = None
    """How long it usually takes; None where nothing is known."""


@dataclass(frozen=True, slots=True)
class Work:
    """What stands before the next question."""

    phase: Literal["working", "broken"]
    """broken: something failed and can be tried again."""
    jobs: tuple[Job, ...]
    notice: str = ""
    """What failed, in words; empty while all goes well."""
