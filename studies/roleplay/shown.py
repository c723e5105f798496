"""What exactly an assistant was shown: a call's messages, built again from the references it left.

Nothing of it was copied, so what was erased since is blank here too, and the call's hash no longer matches.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from studies.events import Event, Payload
from studies.replies import ChatMessage
from studies.replying import messages_hash
from studies.roleplay import payloads as said
from studies.roleplay.context import PROMPT, Dialogue, lay_out_messages
from studies.roleplay.payloads import Seen
from studies.study import Study

Streams = Mapping[str, Sequence[Event]]


@dataclass(frozen=True, slots=True)
class Shown:
    """One call to an assistant."""

    event: Event
    """Its `reply_started`."""
    call: said.ReplyStarted
    messages: tuple[ChatMessage, ...]
    """As they were sent; what is missing is an empty text."""
    history: tuple[str, ...]
    """The sessions that were shown as history, in order: ids of sessions, or of those that came with the
    study; an empty text where the session is missing."""
    missing: tuple[Seen, ...]
    """References to words that were erased, withdrawn or withheld."""

    @property
    def whole(self) -> bool:
        """Whether these are the very messages that were sent, by their hash."""
        return messages_hash(self.messages) == self.call.prompt_sha256


class Resolver:
    """Finds what references mean in a study version and the streams at hand."""

    def __init__(self, study: Study, streams: Streams) -> None:
        """Prepare.

        Args:
            study: the version.
            streams: one unbroken side of each participation, donors' too, by stream id.
        """
        self._study = study
        self._streams = {stream: _Stream.of(events) for stream, events in streams.items()}
        self._shipped = {one.id: one for one in study.shipped}

    def calls(self, stream: str) -> Iterator[Shown]:
        """Every call of a participation, in order; calls that were erased are passed over."""
        for one in self._streams[stream].by_seq.values():
            if isinstance(one.payload, said.ReplyStarted):
                yield self.shown(one)

    def shown(self, started: Event) -> Shown:
        """What one call was shown.

        Args:
            started: its `reply_started`.

        Raises:
            TypeError: the event is another, or it was erased.
        """
        call = started.payload
        if not isinstance(call, said.ReplyStarted):
            raise TypeError(f"event {started.seq} of stream {started.stream} is no reply_started, or erased")
        session = self._place(Seen("request", started.stream, started.seq))
        own: list[ChatMessage] = []
        history: list[Dialogue] = []
        prompt = interface = ""
        gate: said.GateDecided | None = None
        for place, group in groupby(call.saw, self._place):
            seen = tuple(group)
            sort = seen[0].sort
            if sort == "prompt":
                prompt = self._prompt(seen[0])
            elif sort == "interface":
                interface = self._study.task(seen[0].name).interface
            elif sort == "gate":
                found = self._payload(seen[0])
                gate = found if isinstance(found, said.GateDecided) else _NO_GATE
            elif place == session:
                own += self._messages(seen)
            else:
                history.append(self._dialogue(seen))
        request = own.pop().content if own else ""
        return Shown(
            started,
            call,
            lay_out_messages(prompt, interface, history, gate, own, request),
            tuple(one.name for one in history),
            tuple(one for one in call.saw if self._is_missing(one)),
        )

    def _place(self, seen: Seen) -> tuple[str, str, int]:
        """What makes references belong together: the session, or the thing itself.

        A session is told by the `session_started` before it, which keeps its kind when it is erased.
        """
        if seen.sort in ("request", "reply"):
            stream = self._streams.get(seen.stream)
            return ("session", seen.stream, stream.session_before(seen.seq) if stream else 0)
        return (seen.sort, seen.name, seen.seq)

    def _payload(self, seen: Seen) -> Payload | None:
        stream = self._streams.get(seen.stream)
        event = stream.by_seq.get(seen.seq) if stream else None
        return event.payload if event else None

    def _is_missing(self, seen: Seen) -> bool:
        if seen.sort == "shipped":
            return seen.name not in self._shipped
        if seen.sort in ("request", "reply", "gate"):
            return not isinstance(self._payload(seen), _WORDS)
        return False

    def _prompt(self, seen: Seen) -> str:
        return self._study.files[seen.name].decode("utf-8-sig") if seen.name else PROMPT

    def _messages(self, seen: Sequence[Seen]) -> Iterator[ChatMessage]:
        for one in seen:
            found = self._payload(one)
            text = found.text if isinstance(found, said.TurnSubmitted | said.ReplyEnded) else ""
            yield ChatMessage("assistant" if one.sort == "reply" else "user", text)

    def _dialogue(self, seen: tuple[Seen, ...]) -> Dialogue:
        first = seen[0]
        if first.sort == "shipped":
            shipped = self._shipped.get(first.name)
            lines = shipped.dialogue if shipped else ()
            return Dialogue(first.name, tuple(ChatMessage(one.role, one.text) for one in lines), seen)
        found = self._payload(first)
        name = found.session if isinstance(found, said.TurnSubmitted) else ""
        return Dialogue(name, tuple(self._messages(seen)), seen)


_WORDS = (said.TurnSubmitted, said.ReplyEnded, said.GateDecided)
_NO_GATE = said.GateDecided("", "", None, "", "")


@dataclass(frozen=True, slots=True)
class _Stream:
    by_seq: Mapping[int, Event]
    starts: tuple[int, ...]
    """Numbers of the events that opened a session."""

    @classmethod
    def of(cls, events: Sequence[Event]) -> _Stream:
        return cls({one.seq: one for one in events}, tuple(one.seq for one in events if one.kind == _OPENS))

    def session_before(self, seq: int) -> int:
        """Number of the event that opened the session in which an event lies; 0 for none."""
        place = bisect_right(self.starts, seq)
        return self.starts[place - 1] if place else 0


_OPENS = said.SessionStarted.kind
