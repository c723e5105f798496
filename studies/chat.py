"""A chat as a step: what every front end needs to show one, whichever study kind it belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from studies.replies import Status

Part = Literal["user", "answerer", "asker"]
"""What the participant does in a dialogue: plays a user who wants a program, answers the assistant's
questions, or asks about a task."""
Phase = Literal["asking", "replying", "broken", "judging", "over"]
"""asking: the participant's turn. replying: a reply is due or on its way. broken: the last reply was
interrupted or failed; retry or end. judging: a verdict is due. over: the session has ended."""


@dataclass(frozen=True, slots=True)
class Line:
    """One message of the dialogue so far."""

    turn: int
    """Assistant turn it belongs to, from 1: a request and its reply share one."""
    role: Literal["user", "assistant"]
    text: str
    status: Status | None = None
    """Of a reply; None while it is on its way, and for a request."""
    masked: bool = False
    """The reply named its maker: what is shown differs from what was said."""


@dataclass(frozen=True, slots=True)
class Panel:
    """A text beside the dialogue: who one is, what one wants, how one speaks."""

    title: str
    text: str
    markdown: bool = True
    """Whether the text is Markdown; otherwise it is shown as it is, line for line."""


@dataclass(frozen=True, slots=True)
class Chat:
    """The dialogue, what stands beside it, and whose turn it is."""

    session: str
    assistant: str
    """What the participant may know it as: `Assistant A`."""
    lines: tuple[Line, ...]
    turn: int
    """The assistant turn that is open, from 1."""
    turns: int
    """The limit."""
    phase: Phase
    panels: tuple[Panel, ...] = ()
    opening: str = ""
    """The fixed request that opens the session; sent as it is."""
    notice: str = ""
    """What happened last, in words: why a reply broke off, what was learned of a verdict."""
    can_end: bool = False
    """Whether giving up is offered as a plain choice now (it is always possible)."""
    can_declare_done: bool = False
    """Whether the participant decides when the task is solved, or (as an asker) has enough."""
    part: Part = "user"
    soft_minutes: int | None = None
    """After this long the participant is asked once whether to go on; None: never."""
