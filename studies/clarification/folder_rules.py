"""The rules that span a clarification study's files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from studies.errors import Problem

if TYPE_CHECKING:
    from studies.clarification.folder import ClarificationParts


def rules(parts: ClarificationParts) -> Iterator[Problem]:
    """Every problem that only shows between a clarification study's files."""
    yield from ()
