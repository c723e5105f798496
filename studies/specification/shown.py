"""What exactly an agent was shown: each call's messages, built again from the events before it.

Nothing of it was copied. What was erased since is gone here too, and such a call is no longer whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from studies.events import Event
from studies.protocol import Protocol
from studies.replies import ChatMessage
from studies.replying import messages_hash
from studies.specification import payloads as said
from studies.specification.agents.agent import Agent
from studies.specification.protocol import SpecificationKind, projects_of
from studies.state import State
from studies.study import Study


@dataclass(frozen=True, slots=True)
class Shown:
    """One call of an agent, and what came of it."""

    event: Event
    """Its `agent_called`."""
    call: said.AgentCalled
    messages: tuple[ChatMessage, ...]
    """As they were sent; empty where words that they showed are missing."""
    answer: said.AgentAnswered | None
    """None while it is under way, or where it is missing."""
    answered_at: str | None
    whole: bool
    """Whether these are the very messages that were sent, by their hash."""
    missing: tuple[int, ...]
    """Numbers of events whose words it showed and which were erased, withdrawn or withheld."""


def calls(study: Study, events: Sequence[Event]) -> Iterator[Shown]:
    """Every call of a participation, in order; calls that were erased are passed over.

    Args:
        study: the version.
        events: one unbroken side of the stream.
    """
    protocol = Protocol(study)
    kind = protocol.kind
    if not isinstance(kind, SpecificationKind):
        raise TypeError(f"a study of the kind {study.settings.kind} has no agents")
    answers = {
        (one.payload.session, one.payload.call, one.payload.attempt): (one.payload, one.at)
        for one in events
        if isinstance(one.payload, said.AgentAnswered)
    }
    words = {one.seq for one in events if isinstance(one.payload, _WORDS)}
    state = State()
    for one in events:
        if isinstance(one.payload, said.AgentCalled):
            call = one.payload
            missing = tuple(seq for seq in call.saw if seq not in words)
            messages = () if missing else _messages(kind, call, state)
            answer, at = answers.get((call.session, call.call, call.attempt), (None, None))
            yield Shown(
                event=one,
                call=call,
                messages=messages,
                answer=answer,
                answered_at=at,
                whole=messages_hash(messages) == call.prompt_sha256,
                missing=missing,
            )
        state = protocol.apply(state, one)


_WORDS = (said.ProposalLocked, said.AgentAnswered, said.QuestionPut, said.RoundAnswered)


def _messages(kind: SpecificationKind, call: said.AgentCalled, state: State) -> tuple[ChatMessage, ...]:
    """The agent is asked once more for what it asked then."""
    session = projects_of(state).session(call.session)
    agent: Agent | None = kind.agents.get(session.opened.agent) if session else None
    if session is None or agent is None:
        return ()
    return agent.request(call.call, kind.brief(session, state)).messages
