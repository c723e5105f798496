"""The models of tasks.jsonl, profiles.toml and histories.jsonl."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from studies.annotation.materials import Mechanism
from studies.setting_types import FUNCTION, Identifier, Settings, Slug, Text


class Fact(Settings):
    """One thing that must be known to write the intended program (CAPA's C_req)."""

    id: Slug
    """Names the fact in the data."""
    text: Text
    """The fact, in plain words."""
    status: Literal["open", "withheld"]
    """`open`: the opening request says it. `withheld`: it does not, and is told only when asked for."""
    how: Mechanism | None = None
    """The mechanism by which a withheld fact is hidden."""

    @model_validator(mode="after")
    def _hidden_somehow(self) -> Fact:
        if (self.status == "withheld") != (self.how is not None):
            raise ValueError(
                "a withheld fact, and only such a one, names in `how` the mechanism that hides it"
            )
        return self


class Pair(Settings):
    """One input/output pair, as Python literals."""

    arguments: Text
    """A tuple: `(1, 2)`."""
    result: Text
    """What the function returns: `3`."""


class Task(Settings):
    """One line of tasks.jsonl: something to get coded by talking to an assistant."""

    id: Identifier
    """Names the task in the data."""
    profile: Slug
    """Whom the participant plays; a key of profiles.toml."""
    mechanisms: tuple[Mechanism, Mechanism]
    """The pair of mechanisms by which this user is unclear."""
    resolution: str
    """What this user habitually means: the pattern an assistant could learn. Never shown to one."""
    speaks: str
    """How this user speaks, as behaviour, for the participant; names no mechanism."""
    brief: str
    """What the participant wants; private, never shown to an assistant."""
    interface: Text
    """The signature line that every assistant is given, alike in all conditions."""
    entry_point: Annotated[str, Field(pattern=FUNCTION)]
    """Name of the function."""
    tests: str = ""
    """Hidden tests: source that defines `check(candidate)`."""
    pairs: tuple[Pair, ...] = ()
    """Hidden tests as input/output pairs, in place of `tests`."""
    prompt: str = ""
    """Trusted source that comes before the candidate: imports and helpers."""
    reference: Text
    """A whole solution that the hidden tests accept."""
    facts: tuple[Fact, ...] = ()
    """What must be known; without facts a task is unauthored and runs only as a pilot."""
    opening: str = ""
    """The fixed request that opens the session; holds no withheld fact."""
    script: tuple[Text, ...] = ()
    """What the rehearsal assistant says, turn by turn; the last line is repeated."""
    source_task: str
    """The task this one was made from; a history never holds the source task of a held-out session."""
    part: Literal["history", "reserve", "held_out"]
    """What the task serves for in its cell."""
    difficulty: Literal["simple", "medium", "complex"] | None = None
    """Fixed before the first participant by a separate reference run."""
    derived: bool = False
    """The facts were derived by program from a docstring and not yet authored by a researcher."""

    @model_validator(mode="after")
    def _testable(self) -> Task:
        if bool(self.tests) == bool(self.pairs):
            raise ValueError("a task has either tests or pairs")
        if self.mechanisms[0] == self.mechanisms[1]:
            raise ValueError("the two mechanisms of the pair differ")
        return self

    @property
    def authored(self) -> bool:
        """Whether a researcher has written facts, withholdings, opening and resolution."""
        held = any(one.status == "withheld" for one in self.facts)
        return not self.derived and held and all((self.opening, self.resolution, self.brief, self.speaks))

    @property
    def cell(self) -> tuple[str, str, str]:
        """Profile and mechanism pair, in the taxonomy's order."""
        first, second = sorted(self.mechanisms)
        return (self.profile, first, second)


class Profile(Settings):
    """One entry of profiles.toml: somebody to be."""

    id: Slug
    """Names the profile in tasks.jsonl."""
    name: Text
    """A first name."""
    occupation: Text
    """What they do."""
    about: Text
    """A few sentences: their work, what they know of programming."""
    manner: Text
    """How they write, whatever the task: length, tone, vocabulary."""


class Profiles(Settings):
    """profiles.toml: whom participants play, one entry a person."""

    profiles: tuple[Profile, ...]
    """Whom participants play."""

    @model_validator(mode="after")
    def _distinct(self) -> Profiles:
        ids = [one.id for one in self.profiles]
        if len(set(ids)) != len(ids):
            raise ValueError("two profiles have one id")
        return self


class ShippedMessage(Settings):
    """One message of a shipped session."""

    role: Literal["user", "assistant"]
    """Who said it."""
    text: Text
    """What was said."""


class ShippedSession(Settings):
    """One line of histories.jsonl: a resolved session that comes with the folder, for `shuffled`."""

    id: Identifier
    """Names the session in the data."""
    profile: Slug
    """Whose it was; shares neither profile nor pair with whom it is shown to."""
    mechanisms: tuple[Mechanism, Mechanism]
    """The pair that it shows."""
    resolution: str = ""
    """The pattern that it shows."""
    source_task: str
    """The task it was made from."""
    dialogue: Annotated[tuple[ShippedMessage, ...], Field(min_length=2)]
    """Public dialogue only."""
