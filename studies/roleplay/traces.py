"""What a session leaves behind beside its turns: whose time it took, who served, what was noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from studies.activity import Attention
from studies.events import Event
from studies.payloads import StepShown
from studies.roleplay import payloads as said
from studies.roleplay.sessions import Sessions, fold_sessions


@dataclass(slots=True)
class Trace:
    """One session. Times in milliseconds."""

    participant_ms: int = 0
    """While it was the participant's turn and somebody sat there: reading, typing, being away."""
    active_ms: dict[int, int] = field(default_factory=dict)
    """Of that, by threshold in milliseconds, the time without longer gaps in activity; empty where no
    activity was captured."""
    typing_ms: int = 0
    model_ms: int = 0
    """Waiting for replies and the gate, broken replies included."""
    judge_ms: int = 0
    models_served: set[str] = field(default_factory=set)
    isolation: set[str] = field(default_factory=set)
    names_maker: int = 0
    """Replies that named their maker."""
    mentions_history: int = 0
    """Replies that spoke of earlier sessions."""
    unpriced: int = 0
    """Replies whose cost is unknown."""
    cost: float = 0.0
    """US dollars, as far as known."""
    gate_fallback: bool = False
    first_reply_at: str = ""


def traces(events: Sequence[Event], idle_ms: Sequence[int]) -> Mapping[str, Trace]:
    """The traces of a participation's sessions, by session id.

    Args:
        events: the stream in order.
        idle_ms: thresholds; a longer gap in activity counts as idle.
    """
    found: dict[str, Trace] = {}
    sessions, attention = Sessions(), Attention()
    shown: dict[tuple[str, int], str] = {}
    before: Event | None = None
    for one in events:
        attention.take(one)
        current = sessions.current
        if before is not None and current is not None and current.phase() in ("asking", "broken"):
            # Nobody sat there between a visit's end, orderly or not, and the next one's beginning.
            away = before.kind == "visit_ended" or one.kind == "visit_started"
            trace = found.setdefault(current.id, Trace())
            trace.participant_ms += 0 if away else _gap_ms(before.at, one.at)
        if isinstance(one.payload, StepShown):
            shown[one.payload.step, one.payload.revision] = one.at
        if isinstance(one.payload, said.TurnSubmitted):
            turn = one.payload
            trace = found.setdefault(turn.session, Trace())
            trace.typing_ms += turn.typing_ms
            elapsed = _gap_ms(shown.get((turn.step, turn.turn), one.at), one.at)
            for threshold in idle_ms:
                active = attention.active_ms(turn.step, turn.turn, elapsed, threshold)
                if active is not None:
                    trace.active_ms[threshold] = trace.active_ms.get(threshold, 0) + active
        _note(found, one)
        sessions = fold_sessions(sessions, one)
        before = one
    return found


def _note(found: dict[str, Trace], event: Event) -> None:
    match event.payload:
        case said.ReplyStarted(session=session):
            trace = found.setdefault(session, Trace())
            trace.first_reply_at = trace.first_reply_at or event.at
        case said.ReplyEnded() as ended:
            trace = found.setdefault(ended.session, Trace())
            trace.model_ms += ended.total_ms
            trace.names_maker += ended.names_maker
            trace.mentions_history += ended.mentions_history
            trace.cost += ended.cost or 0.0
            trace.unpriced += ended.cost is None
            if ended.model_served:
                trace.models_served.add(ended.model_served)
        case said.GateDecided() as gate:
            trace = found.setdefault(gate.session, Trace())
            trace.model_ms += gate.total_ms
            trace.cost += gate.cost or 0.0
            trace.unpriced += gate.cost is None
            trace.gate_fallback |= bool(gate.fallback)
        case said.VerdictGiven() as verdict:
            trace = found.setdefault(verdict.session, Trace())
            trace.judge_ms += verdict.ms
            if verdict.isolation:
                trace.isolation.add(verdict.isolation)


def _gap_ms(earlier: str, later: str) -> int:
    gap = datetime.fromisoformat(later) - datetime.fromisoformat(earlier)
    return max(0, round(gap.total_seconds() * 1000))
