"""The payload of an annotation."""

from __future__ import annotations

from dataclasses import dataclass

from studies.events import Payload, event
from studies.payloads import Role


@event("annotation_submitted")
@dataclass(frozen=True, slots=True)
class AnnotationSubmitted(Payload):
    """A whole annotation; revision n replaces the ones before it, which stay."""

    step: str
    item: str
    number: int
    """Which annotation of the item by this person (the contract's `pass`), from 1."""
    revision: int
    role: Role
    block: int
    dominant: str
    additional: tuple[str, ...]
    """Empty: the explicit none. Never holds the dominant label."""
    confidence: int | None
    note: str
    flag: bool
    elapsed_ms: int
    """Since the step was last shown, on a monotonic clock."""
