"""Decisions: how each dimension of a project, or question of its checklist, was settled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studies.specification.sections import Section

Standing = Literal["confirmed", "high confidence", "inferred", "left out", "open"]
"""confirmed: the person said so. high confidence: all three simulated users agree with confidence. inferred:
it follows from another answer, or most simulated users say so. left out: nothing is known, so nothing is
said. open: not settled yet."""
SettledBy = Literal["answer", "agreement", "update", "majority", ""]
"""The person's answer to its own question; the simulated users' agreement; an answer to another question;
most of the simulated users at the end of the interview."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What one simulated user chose (Buddy, Appendix C.4)."""

    simulator: int
    """1: full profile. 2: part of it left out. 3: none."""
    choice: str
    """Letter of the alternative."""
    confident: bool
    reasoning: str


@dataclass(frozen=True, slots=True)
class Decision:
    """One dimension and how it stands."""

    key: str
    """Of the dimension, or id of the checklist question."""
    question: str
    alternatives: tuple[str, ...]
    section: Section | None
    why_it_matters: str
    assumed: str
    """Letter of the alternative that the draft assumes; empty in Task 1."""
    votes: tuple[Vote, ...]
    standing: Standing
    settled_by: SettledBy = ""
    chosen: tuple[str, ...] = ()
    """Letters of what was decided; empty with own words, or where nothing was."""
    own_words: str = ""
    round: int = 0
    """The round whose answer settled it; 0 where none did."""
    boundary: bool = False
    """Whether it draws a boundary of the scope."""

    @property
    def agreed(self) -> bool:
        """Whether all three simulated users chose the same, each with confidence."""
        return (
            len(self.votes) == 3
            and len({one.choice for one in self.votes}) == 1
            and all(one.confident for one in self.votes)
        )
