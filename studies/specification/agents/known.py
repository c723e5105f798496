"""What an agent knows so far, typed: its own answers, the rounds of the interview, the dimensions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from studies.specification.agents.shapes import (
    Ballot,
    Chart,
    Draft,
    Profile,
    Shape,
    Summary,
    Update,
    Votes,
)
from studies.specification.agents.sheet_shapes import Synthesis
from studies.specification.sections import LETTERS, Section

if TYPE_CHECKING:
    from studies.specification.agents.agent import Brief
    from studies.specification.payloads import RoundAnswered
    from studies.specification.projects import Round

Kind = TypeVar("Kind", bound=Shape)
SIMULATORS = (1, 2, 3)
PRIORITY = "priority"
"""What the priority question is called among the decisions; no dimension may have that key."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """Something to be decided: of the chart, or a question of the checklist."""

    key: str
    question: str
    alternatives: tuple[str, ...]
    section: Section | None = None
    description: str = ""
    why_it_matters: str = ""
    assumed: str = ""
    """Letter of what the draft assumes."""
    boundary: bool = False

    @property
    def letters(self) -> str:
        """The letters of its alternatives."""
        return LETTERS[: len(self.alternatives)]


class Known:
    """A brief, read. Nothing here is kept: it follows from the brief."""

    def __init__(self, brief: Brief) -> None:
        self.brief = brief

    @property
    def single(self) -> bool:
        """Whether one alternative is chosen in each dimension, as in a checklist (Task 1)."""
        return self.brief.task == "checklist"

    @cached_property
    def profile(self) -> Profile | None:
        """The user profile; None before it is there, or without conversations."""
        return self._read("profile", Profile)

    @cached_property
    def summary(self) -> str:
        """The summary of the conversations; empty before it is there, or without any."""
        found = self._read("summary", Summary)
        return found.summary if found else ""

    @property
    def person_read(self) -> bool:
        """Whether all that the conversations say is known."""
        return not self.brief.conversations or (self.profile is not None and bool(self.summary))

    @cached_property
    def draft(self) -> Draft | None:
        """The first draft (Task 2)."""
        return self._read("draft", Draft)

    @cached_property
    def dimensions(self) -> tuple[Dimension, ...]:
        """What is to be decided, in order; empty before the chart is there (Task 2)."""
        if self.single:
            return tuple(
                Dimension(one.id, one.question, one.options, one.section) for one in self.brief.checklist
            )
        chart = self._read("chart", Chart)
        return tuple(
            Dimension(
                one.key,
                one.question,
                one.alternatives,
                one.section,
                one.description,
                one.why_it_matters,
                LETTERS[one.assumed],
                one.boundary,
            )
            for one in (chart.dimensions if chart else ())
        )

    @cached_property
    def votes(self) -> Mapping[int, Mapping[str, Ballot]]:
        """The simulated users' choices by simulator and dimension, as far as they are there."""
        read = ((number, self._read(f"simulate:{number}", Votes)) for number in SIMULATORS)
        return {number: {each.key: each for each in one.votes} for number, one in read if one}

    @property
    def voted(self) -> bool:
        """Whether all simulated users have chosen."""
        return len(self.votes) == len(SIMULATORS)

    @cached_property
    def updates(self) -> Mapping[int, Update]:
        """What each answer settled, by its round, as far as that is known."""
        numbers = (one.put.round for one in self.rounds)
        read = ((number, self._read(f"update:{number}", Update)) for number in numbers)
        return {number: one for number, one in read if one}

    @property
    def updated(self) -> bool:
        """Whether it is known of every answer what it settles."""
        return len(self.updates) == len(self.rounds)

    @cached_property
    def synthesis(self) -> Synthesis | None:
        """The sheet before its review (Task 2)."""
        return self._read("synthesis", Synthesis)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that have an answer."""
        return tuple(one for one in self.brief.session.rounds if one.answer is not None)

    def answer_to(self, key: str) -> tuple[Round, RoundAnswered] | None:
        """What the person said to the question about a dimension; None where they said nothing of it."""
        for one in self.rounds:
            if one.answer is not None and not one.answer.unknown and key == one.put.key:
                return one, one.answer
        return None

    def saw(self, *calls: str, proposal: bool = True, rounds: bool = True) -> tuple[int, ...]:
        """Numbers of the events that hold the proposal, the answers of some calls, and the rounds."""
        session = self.brief.session
        found = {session.calls[one].seq for one in calls if session.answer(one) is not None}
        if proposal:
            found.add(self.brief.proposal_seq)
        if rounds:
            found |= {seq for one in self.rounds for seq in (one.put_seq, one.answer_seq)}
        return tuple(sorted(found - {0}))

    def _read(self, call: str, shape: type[Kind]) -> Kind | None:
        answer = self.brief.session.answer(call)
        return None if answer is None else shape.model_validate(answer)


def as_of(brief: Brief, rounds: int, updates: int) -> Brief:
    """A brief as it was after some rounds and the updates after them, whatever has come since."""
    session = brief.session
    kept = tuple(one for one in session.rounds if one.put.round <= rounds and one.answer is not None)
    calls = {
        name: one
        for name, one in session.calls.items()
        if not name.startswith("update:") or int(name.partition(":")[2]) <= updates
    }
    return replace(brief, session=replace(session, rounds=kept, calls=calls, ended=None, predictions=()))
