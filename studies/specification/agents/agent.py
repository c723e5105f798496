"""What an agent is: what it may know, which calls it makes, and what follows from their answers by rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from studies.replies import ChatMessage, Tool

if TYPE_CHECKING:
    from pydantic import BaseModel

    from studies.events import Payload
    from studies.specification.decisions import Decision
    from studies.specification.materials import ChecklistQuestion
    from studies.specification.projects import Session


@dataclass(frozen=True, slots=True)
class Conversation:
    """A past conversation of the person, or the persona."""

    name: str
    messages: tuple[ChatMessage, ...]
    saw: tuple[int, ...] = ()
    """Numbers of the events that hold its words; empty for one that came with the study."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Everything an agent may know of a project and a person. The person's ground truth is not in it."""

    seed: int
    slot: int
    title: str
    base_proposal: str
    """As the study words it; never shown to a model (see `proposal`), but known to the rehearsal."""
    proposal: str | None
    """In the person's own words; None until it is locked."""
    proposal_seq: int
    task: str
    """`checklist` or `sheet`."""
    checklist: tuple[ChecklistQuestion, ...]
    """Empty in Task 2."""
    conversations: tuple[Conversation, ...]
    budget: int
    checkpoints: tuple[int, ...]
    """Task 1: rounds after which silent predictions are made; the end is not among them."""
    dropout: float
    session: Session
    """What this agent has done so far; nothing that comes after the interview."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """The study's own prompts, by stage, in place of the product's."""
    script: Mapping[str, Any] = field(default_factory=dict)
    """What the rehearsal answers, by stage."""
    votes_told: bool = True
    """Whether the person may learn how the simulated users voted."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a stage: what the model is asked, and what its answer must be."""

    messages: tuple[ChatMessage, ...]
    answer: type[BaseModel]
    check: Callable[[Any], Sequence[str]]
    """What is wrong with an answer that fits the model: the rules that a schema cannot say."""
    script: str
    """What the rehearsal answers."""
    saw: tuple[int, ...] = ()
    """Numbers of the events that hold what it shows."""
    dropped: tuple[str, ...] = ()
    """Attributes of the user profile left out by chance."""
    tools: tuple[Tool, ...] = ()
    """Where the answer is a tool call; the answer is then `{"tool": NAME, "arguments": {...}}`."""


class Agent(Protocol):
    """An agent: pure. The crew makes its calls and stores what comes of them."""

    def due(self, brief: Brief) -> tuple[str, ...]:
        """The calls that can be made now: what they rest on is there, and they have no valid answer yet.

        Independent ones come together, so that they are made at the same time.
        """

    def request(self, call: str, brief: Brief) -> Request:
        """One of the calls that are due. The same brief gives the same request."""

    def follows(self, brief: Brief) -> tuple[Payload, ...]:
        """What follows by rule from what is known: the next question, the end of the interview, the frozen
        sheet, predictions. Empty where nothing does until a call is answered or the person answers."""

    def label(self, call: str) -> str:
        """What a call does, for a participant who waits for it."""

    def decisions(self, brief: Brief) -> tuple[Decision, ...]:
        """How each dimension stands; empty for an agent without any."""
