"""What the work on a project leaves behind beside its answers: whose time, which model, what failed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from studies.events import Event
from studies.specification import payloads as said


@dataclass(slots=True)
class Trace:
    """One interview. Times in milliseconds."""

    own_ms: int = 0
    """The participant's own time with the project, forms and interviews together."""
    interview_ms: int = 0
    """Of that, the time with this interview's questions."""
    model_ms: int = 0
    """Of the agent's calls added up, whether they ran one after another or at the same time."""
    models_served: set[str] = field(default_factory=set)
    cost: float = 0.0
    """US dollars, as far as known."""
    unpriced: int = 0
    """Answers whose cost is unknown."""
    unfit: int = 0
    """Answers that did not fit, also after the repair, or never came."""
    repaired: int = 0
    """Answers that fitted once the model was told what was wrong."""


def traces(events: Iterable[Event]) -> Mapping[str, Trace]:
    """The traces of a participation's interviews, by session id."""
    found: dict[str, Trace] = {}
    items: dict[str, str] = {}
    own: dict[str, int] = {}
    for one in events:
        payload = one.payload
        item, took = getattr(payload, "item", None), getattr(payload, "active_ms", 0)
        if item and took:
            own[item] = own.get(item, 0) + took
        match payload:
            case said.ProjectOpened(session=session):
                items[session] = payload.item
                found[session] = Trace()
            case said.RoundAnswered(session=session) if session in found:
                found[session].interview_ms += payload.active_ms
            case said.AgentAnswered(session=session) if session in found:
                _answered(found[session], payload)
    for session, trace in found.items():
        trace.own_ms = own.get(items[session], 0)
    return found


def _answered(trace: Trace, answered: said.AgentAnswered) -> None:
    trace.model_ms += answered.total_ms
    trace.cost += answered.cost or 0.0
    trace.unpriced += answered.cost is None and bool(answered.replies)
    trace.unfit += answered.standing in ("invalid", "failed")
    trace.repaired += answered.standing == "valid" and len(answered.replies) > 1
    trace.models_served.update(one.model_served for one in answered.replies if one.model_served)
