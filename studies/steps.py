"""Steps and fields: what a participant is asked, in a form every front end can show.

A screen shows a step whole; the line front ends walk its fields. An ask's id is
`step/field/revision`: stable over restarts, new after going back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from studies.chat import Chat
    from studies.specification.views import Interview, SheetView
    from studies.work import Work

FieldKind = Literal["info", "consent", "choice", "multi", "scale", "text", "chat"]
StepKind = Literal[
    "consent",
    "page",
    "annotation",
    "feedback",
    "rest",
    "form",
    "debrief",
    "chat",
    "work",
    "matching",
    "authoring",
    "interview",
    "sheet",
]

MAX_TEXT = 20_000
"""Characters that a text field of a screen holds."""
LONGEST_TEXT = 10_000_000
"""Characters of an answer in any front end; a text many times longer would fit no row of the journal."""


@dataclass(frozen=True, slots=True)
class Option:
    """One possible answer; never navigation."""

    value: str | int | bool
    label: str
    note: str = ""
    """A second, quieter line."""
    alone: bool = False
    """Where several may be chosen: this one is chosen alone or not at all."""


@dataclass(frozen=True, slots=True)
class Field:
    """One thing to answer."""

    name: str
    kind: FieldKind
    text: str
    options: tuple[Option, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the dialogue that came before a request."""

    role: str
    text: str


@dataclass(frozen=True, slots=True)
class Material:
    """What an item, task or project shows."""

    request: str
    context: tuple[Message, ...] = ()
    title: str = ""
    """What it is, for a participant: `Your proposal`. The program's own words."""
    markdown: bool = False
    """Whether its texts are Markdown; otherwise they are shown as they are."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where the participant is; counts from 1. A zero total means there is nothing to count."""

    part: str = ""
    """Consent, Instructions, Training, Items, Questions, Debrief (in the study's language)."""
    block: int = 0
    blocks: int = 0
    position: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True)
class Step:
    """What is asked now."""

    id: str
    revision: int
    kind: StepKind
    title: str
    body: str = ""
    """Markdown written by the study's author."""
    fields: tuple[Field, ...] = ()
    about: str | None = None
    material: Material | None = None
    progress: Progress = Progress()
    previous: Mapping[str, Any] | None = None
    """On a reopened step, the answers of its last revision."""
    can_go_back: bool = False
    chat: Chat | None = None
    """The dialogue, where the step is a chat turn."""
    interview: Interview | None = None
    """What stands beside a question of an interview."""
    sheet: SheetView | None = None
    """The sheet, where the step is to edit one."""
    work: Work | None = None
    """What has to be done before anything can be asked, where the step waits for that."""

    @property
    def due(self) -> bool:
        """Whether something is to happen without the participant: `advance` the live side."""
        if self.work is not None:
            return self.work.phase == "working"
        return self.chat is not None and self.chat.phase in ("replying", "judging")

    @property
    def broken(self) -> bool:
        """Whether something broke off that can be asked for again."""
        if self.work is not None:
            return self.work.phase == "broken"
        return self.chat is not None and self.chat.phase == "broken"

    def ask_id(self, name: str) -> str:
        """The stable id of one field's ask."""
        return f"{self.id}/{name}/{self.revision}"

    def field(self, name: str) -> Field:
        """The field of that name.

        Raises:
            KeyError: the step has none.
        """
        for one in self.fields:
            if one.name == name:
                return one
        raise KeyError(name)


class AnswerError(ValueError):
    """An answer does not fit its field; the message is for the person who gave it."""


def check_answer(asked: Field, value: Any) -> Any:
    """The answer as it will be stored, or an error that says what was expected.

    Raises:
        AnswerError: the value does not fit the field's kind or options.
    """
    if asked.kind == "info":
        if value is not None:
            raise AnswerError(f"{asked.name}: nothing is asked here; answer null")
        return None
    if value is None:
        if asked.required:
            raise AnswerError(f"{asked.name}: an answer is required")
        return None
    if asked.kind in ("text", "chat"):
        return _check_text(asked, value)
    allowed = [option.value for option in asked.options]
    if asked.kind == "multi":
        if not isinstance(value, list | tuple):
            raise AnswerError(f"{asked.name}: expected a list of {_listed(allowed)}")
        for one in value:
            _check_option(asked, one, allowed)
        alone = [option for option in asked.options if option.alone and option.value in value]
        if alone and len(set(value)) > 1:
            raise AnswerError(f"{asked.name}: {alone[0].label!r} stands alone")
        # The order of the options, so that one set of labels has one form.
        return tuple(one for one in allowed if one in value)
    _check_option(asked, value, allowed)
    return value


def _check_text(asked: Field, value: Any) -> str:
    if not isinstance(value, str):
        raise AnswerError(f"{asked.name}: expected text")
    if len(value) > LONGEST_TEXT:
        raise AnswerError(f"{asked.name}: at most {LONGEST_TEXT:,} characters, got {len(value):,}")
    if asked.required and not value.strip():
        raise AnswerError(f"{asked.name}: an answer is required")
    return value


def _check_option(asked: Field, value: Any, allowed: list[Any]) -> None:
    # `True == 1` in Python; a scale's 1 is not a consent's yes.
    if not any(type(value) is type(one) and value == one for one in allowed):
        raise AnswerError(f"{asked.name}: expected one of {_listed(allowed)}, got {value!r:.80}")


def _listed(allowed: list[Any]) -> str:
    return ", ".join(str(one).lower() if isinstance(one, bool) else str(one) for one in allowed)


End = Literal["completed", "paused", "declined", "withdrawn", "excluded", "limit", "blocked"]


@dataclass(frozen=True, slots=True)
class Done:
    """Nothing more is asked in this visit."""

    end: End
    message: str
    """For the participant: what happened and what comes next."""
    completion_code: str | None = field(default=None)
