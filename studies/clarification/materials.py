"""The models of a line of tasks.jsonl in a clarification study."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import Field, JsonValue, model_validator

from studies.clarification.taxonomy import AmbiguityType
from studies.roleplay.materials import Pair
from studies.setting_types import FUNCTION, Identifier, Settings, Slug, Text

Stratum = Literal["yes", "no", "split", "unknown"]
"""How a judge voted on an asked question: what a sample for matchers is drawn by."""


class KeyQuestion(Settings):
    """One gap of a task: what to ask, and the answer."""

    id: Slug
    """Names the gap in the data; different within a task."""
    question: Text
    """The question that uncovers the gap."""
    answer: Text
    """What the complete statement says."""
    type: AmbiguityType | None = None
    """Type of the ambiguity, where it is known for this gap."""
    cues: tuple[Text, ...] = ()
    """Words by which the rehearsal judge takes a question to be about this gap; no other judge reads them."""


class Case(Settings):
    """One hidden test of a whole program."""

    input: str
    """What the program reads from standard input."""
    output: str
    """What it must print; white space at the ends of lines and of the output does not count."""


class AskedQuestion(Settings):
    """A question that a model asked in an earlier run, for matchers."""

    id: Identifier
    """Names the question in the data; different within the study."""
    text: Text
    """The question, as it was asked."""
    run: str = ""
    """Names the run it comes from; the questions of one run are in the order of `turn`."""
    turn: Annotated[int, Field(ge=1)] = 1
    """The turn it was asked in, from 1. A matcher never learns it."""
    model: str = ""
    """Who asked. A matcher never learns it."""
    hit: bool | None = None
    """The run's own label: whether it hit a key question not hit before. A matcher never learns it."""
    votes: dict[Slug, Annotated[tuple[bool, ...], Field(min_length=1)]] = {}
    """A judge's votes by key question, in the order they were cast. A matcher never learns them."""

    @property
    def stratum(self) -> Stratum:
        """`split` if votes on any pair differ, else `yes` if a pair was matched, else `no`.

        Without votes, that a question was no fresh hit tells nothing: it may repeat one.
        """
        if any(len(set(one)) > 1 for one in self.votes.values()):
            return "split"
        if self.hit or any(all(one) for one in self.votes.values()):
            return "yes"
        return "no" if self.votes else "unknown"


class ClarificationTask(Settings):
    """One line of tasks.jsonl: a task from whose statement information was left out."""

    id: Identifier
    """Names the task in the data."""
    source: str = ""
    """The task it was made from; tasks of one source are variants."""
    statement: str = ""
    """The underspecified text, which an asker is given. Empty only where an author is to write it."""
    full_statement: str = ""
    """The complete text, before information was left out."""
    key_questions: tuple[KeyQuestion, ...] = ()
    """The gaps, in the order in which a judge walks them; none in a task that needs no question."""
    types: tuple[AmbiguityType, ...] = ()
    """Types of the task as a whole, where they are not known gap by gap."""
    interface: str = ""
    """The signature line that an asker is given beside the statement."""
    entry_point: Annotated[str, Field(pattern=FUNCTION)] | None = None
    """Name of the function; without one the code is a whole program."""
    tests: str = ""
    """Hidden tests of a function: source that defines `check(candidate)`."""
    pairs: tuple[Pair, ...] = ()
    """Hidden tests of a function as input/output pairs, in place of `tests`."""
    cases: tuple[Case, ...] = ()
    """Hidden tests of a whole program."""
    prompt: str = ""
    """Trusted source that comes before a function: imports and helpers."""
    reference: str = ""
    """A whole solution that the hidden tests accept."""
    script: tuple[Text, ...] = ()
    """What the rehearsal assistant says, turn by turn; the last line is repeated."""
    asked: tuple[AskedQuestion, ...] = ()
    """Questions from earlier runs, for matchers."""
    columns: dict[str, JsonValue] = {}
    """Further columns of the file it was read from: kept and exported, otherwise unused."""

    @model_validator(mode="after")
    def _whole(self) -> ClarificationTask:
        if not self.statement.strip() and not self.full_statement.strip():
            raise ValueError("a task has a statement, or a full_statement from which an author makes one")
        if self.key_questions and not self.statement.strip():
            raise ValueError("key questions ask for what a statement leaves out, and there is none")
        if twice := _repeated(one.id for one in self.key_questions):
            raise ValueError(f"two key questions have the id {twice[0]!r}")
        known = {one.id for one in self.key_questions}
        for asked in self.asked:
            if unknown := sorted(set(asked.votes) - known):
                raise ValueError(f"{asked.id} has votes on {unknown[0]!r}, which is no key question")
        return self

    @model_validator(mode="after")
    def _testable(self) -> ClarificationTask:
        if sum(map(bool, (self.tests, self.pairs, self.cases))) > 1:
            raise ValueError("a task has one of tests, pairs and cases")
        if (self.tests or self.pairs) and self.entry_point is None:
            raise ValueError("tests and pairs also need the entry_point")
        if self.cases and self.entry_point is not None:
            raise ValueError("cases test a whole program, which has no entry_point")
        return self

    @property
    def testable(self) -> bool:
        """Whether code can be judged, so that pass@1 is defined."""
        return bool(self.tests or self.pairs or self.cases)

    @property
    def gaps(self) -> int:
        """K, the number of key questions."""
        return len(self.key_questions)

    @property
    def all_types(self) -> tuple[AmbiguityType, ...]:
        """Types of the task, each once: the task's own labels, then those of its gaps."""
        of_gaps = (one.type for one in self.key_questions if one.type is not None)
        return tuple(dict.fromkeys((*self.types, *of_gaps)))

    def key_question(self, gap: str) -> KeyQuestion:
        """The key question of that id.

        Raises:
            KeyError: the task has none.
        """
        for one in self.key_questions:
            if one.id == gap:
                return one
        raise KeyError(gap)


def _repeated(ids: Iterable[str]) -> list[str]:
    return [one for one, count in Counter(ids).items() if count > 1]
