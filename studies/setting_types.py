"""What the models of a study folder's files are made of: patterns, texts, the base of all, a question."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, WithJsonSchema, model_validator
from pydantic_core import PydanticCustomError

SLUG = r"^[a-z0-9][a-z0-9-]{0,63}$"
IDENTIFIER = r"^[A-Za-z0-9][A-Za-z0-9._:@/-]{0,127}$"
CODE = r"^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$"
LANGUAGE = r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$"
FUNCTION = r"^[A-Za-z_][A-Za-z0-9_]*$"
PATTERNS = {
    SLUG: "at most 64 lower-case letters a-z, digits and hyphens, the first not a hyphen",
    IDENTIFIER: "at most 128 of the characters A-Z a-z 0-9 . _ : @ / -, the first a letter or digit",
    CODE: "at most 32 of the characters A-Z a-z 0-9 . _ -, the first a letter or digit",
    LANGUAGE: "a language tag, such as en or pt-BR",
    FUNCTION: "letters, digits and underscores, the first no digit",
}
"""What each pattern allows, for a person."""


def _not_blank(text: str) -> str:
    if not text or text.isspace():
        raise PydanticCustomError("blank", "expected text that is not blank")
    return text


Slug = Annotated[str, Field(pattern=SLUG)]
Identifier = Annotated[str, Field(pattern=IDENTIFIER)]
Code = Annotated[str, Field(pattern=CODE)]
# Not `min_length`: with a constraint of its own pydantic refuses lone surrogates, which requests may hold.
Text = Annotated[str, AfterValidator(_not_blank), WithJsonSchema({"type": "string", "minLength": 1})]


def refuse_repeats(what: str, ids: Sequence[str]) -> None:
    """Say which ids occur twice.

    Raises:
        ValueError: any does.
    """
    twice = sorted({one for one in ids if ids.count(one) > 1})
    if twice:
        raise ValueError("; ".join(f"the {what} {one!r} is there twice" for one in twice))


class Settings(BaseModel):
    """Base: unknown keys are refused, values are not changed once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, str_strip_whitespace=False, allow_inf_nan=False)


class Question(Settings):
    """One question of the closing questionnaire."""

    id: Slug
    """Names the answer in the data."""
    text: Text
    """The question."""
    kind: Literal["choice", "multi", "scale", "text"]
    """One of the options, any number of them, a whole number, or typed text."""
    options: tuple[Text, ...] = ()
    """The answers of a `choice` or `multi`."""
    low: int = 1
    """Lower end of a `scale`."""
    high: int = 5
    """Upper end of a `scale`, at most ten above the lower."""
    low_label: str = ""
    """What the lower end means."""
    high_label: str = ""
    """What the upper end means."""
    required: bool = False
    """True: the questionnaire cannot be left without an answer."""

    @model_validator(mode="after")
    def _answerable(self) -> Question:
        if self.kind in ("choice", "multi") and len(set(self.options)) < 2:
            raise ValueError("a choice needs at least two different options")
        if self.kind == "scale" and not self.low < self.high <= self.low + 10:
            raise ValueError("a scale runs from low to high, at most eleven steps")
        return self


class LiveSettings(Settings):
    """What every kind with live assistants sets: spending and waiting."""

    participant_budget: Annotated[float, Field(gt=0)] | None = None
    """US dollars one participation may cost."""
    study_budget: Annotated[float, Field(gt=0)] | None = None
    """US dollars the study may cost in this database."""
    reply_timeout: Annotated[float, Field(gt=0)] = 180.0
    """Seconds a whole reply may take."""
    read_timeout: Annotated[float, Field(gt=0)] = 60.0
    """Seconds between two parts of a reply."""
    after: tuple[Question, ...] = ()
    """Questions after each session."""


class JudgedSettings(LiveSettings):
    """What every kind with dialogues about code sets."""

    time_limit: Annotated[float, Field(gt=0, le=120)] = 5.0
    """Seconds a check may take; of a whole program, each case."""
    unsafe: bool = False
    """Run code without isolation where this machine offers none; every export then says so."""
    minimum_wait_ms: Annotated[int, Field(ge=0)] = 0
    """Waiting is padded to this, so that it does not give a model or condition away."""
    soft_minutes: Annotated[int, Field(ge=1)] = 15
    """After this long in one session the participant is asked once whether to go on."""
