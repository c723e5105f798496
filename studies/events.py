"""Events: what happened, in the order it happened, chained by hash.

A stream is one participation or one desk. Its events are numbered from 1 and each carries the hash of
the one before it, so a missing, altered or reordered event shows. The hash covers the digest of a salted
payload rather than the payload itself, so an erased payload leaves a chain that still verifies.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, ClassVar, Self, TypeVar

GENESIS = "0" * 64
"""What the first event of a stream has in place of a previous hash."""


def to_ascii_json(value: object) -> str:
    """Canonical JSON: ASCII, sorted keys, no spaces. NUL and lone surrogates travel as escapes."""
    return json.dumps(value, ensure_ascii=True, sort_keys=True, separators=(",", ":"), allow_nan=False)


def new_id() -> str:
    """A random 128-bit id in hexadecimal, for streams, people and stations."""
    return secrets.token_hex(16)


class Payload:
    """Base of the frozen dataclasses that say what an event means."""

    kind: ClassVar[str] = ""

    def to_json(self) -> dict[str, Any]:
        """The payload as JSON values, keyed by field name."""
        return dataclasses.asdict(self)  # type: ignore[call-overload,no-any-return]

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote; keys this version does not know are passed over.

        Raises:
            TypeError: a field without a default is missing.
        """
        known: dict[str, Any] = {}
        for spec in dataclasses.fields(cls):  # type: ignore[arg-type]
            if spec.name not in values:
                continue
            known[spec.name] = _read(values[spec.name], spec.metadata.get("of"))
        return cls(**known)


def _read(value: Any, inner: Any) -> Any:
    """JSON's lists as tuples; the objects directly in a field as the dataclass it is `of`."""
    if isinstance(value, list | tuple):
        return tuple(_read(entry, inner) for entry in value)
    if not isinstance(value, dict):
        return value
    if inner is None:
        return {key: _read(entry, None) for key, entry in value.items()}
    names = {spec.name for spec in dataclasses.fields(inner)}
    return inner(**{key: _read(entry, None) for key, entry in value.items() if key in names})


@dataclass(frozen=True, slots=True)
class Unknown(Payload):
    """An event this version has no name for or cannot read; its body is kept as it came."""

    name: str
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Erased(Payload):
    """Stands where a payload was erased, or withheld from an export."""


PAYLOAD_MODULES = (
    "studies.payloads",
    "studies.desk",
    "studies.reply_payloads",
    "studies.annotation.payloads",
    "studies.roleplay.payloads",
    "studies.clarification.payloads",
    "studies.specification.payloads",
)
"""Where event kinds are defined."""

_KINDS: dict[str, type[Payload]] = {}
P = TypeVar("P", bound=type[Payload])


def event(kind: str) -> Callable[[P], P]:
    """Class decorator: register a payload dataclass under its event kind."""

    def register(cls: P) -> P:
        if kind in _KINDS:
            raise ValueError(f"two payloads for the event kind {kind!r}")
        cls.kind = kind
        _KINDS[kind] = cls
        return cls

    return register


def _learned(kind: str) -> type[Payload] | None:
    """The payload of a kind, once every module that defines payloads is loaded."""
    for module in PAYLOAD_MODULES:
        importlib.import_module(module)
    return _KINDS.get(kind)


def is_known(kind: str) -> bool:
    """Whether this version has a payload for the event kind."""
    return (_KINDS.get(kind) or _learned(kind)) is not None


def read_payload(kind: str, body: str | None) -> Payload:
    """The typed payload of a stored body; None (erased) gives `Erased`.

    Never fails, so that an altered file can still be opened and its `faults` be named.
    """
    if body is None:
        return Erased()
    try:
        values = json.loads(body)
    except ValueError:
        return Unknown(kind)
    if not isinstance(values, dict):
        return Unknown(kind)
    cls = _KINDS.get(kind) or _learned(kind)
    if cls is None:
        return Unknown(kind, values)
    try:
        return cls.from_json(values)
    except TypeError:
        return Unknown(kind, values)


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened. Identity is (stream, seq, hash)."""

    stream: str
    seq: int
    kind: str
    at: str
    """ISO 8601 UTC with milliseconds."""
    body: str | None
    """The payload as the ASCII JSON that was hashed; None once erased or withheld."""
    salt: str | None
    digest: str
    previous: str
    hash: str
    payload: Payload = field(compare=False)

    @classmethod
    def stored(
        cls,
        stream: str,
        seq: int,
        kind: str,
        at: str,
        body: str | None,
        salt: str | None,
        digest: str,
        previous: str,
        hash: str,
    ) -> Event:
        """An event as it comes back from a file; nothing is verified here (see `faults`)."""
        return cls(stream, seq, kind, at, body, salt, digest, previous, hash, read_payload(kind, body))

    def erased(self) -> Event:
        """The same event without its payload; its hash still verifies."""
        return dataclasses.replace(self, body=None, salt=None, payload=Erased())


def digest_of(salt: str, body: str) -> str:
    """SHA-256 of the salt and the body, in hexadecimal."""
    return hashlib.sha256(f"{salt}\n{body}".encode("utf-8", "surrogatepass")).hexdigest()


def hash_of(previous: str, stream: str, seq: int, kind: str, at: str, digest: str) -> str:
    """SHA-256 over everything that an event's place in its chain rests on, in hexadecimal."""
    covered = to_ascii_json([previous, stream, seq, kind, at, digest])
    return hashlib.sha256(covered.encode("ascii")).hexdigest()


@dataclass(slots=True)
class Chain:
    """The growing end of a stream: makes the next event from a payload."""

    stream: str
    seq: int = 0
    head: str = GENESIS

    @classmethod
    def after(cls, last: Event) -> Chain:
        """The chain that goes on behind `last`."""
        return cls(last.stream, last.seq, last.hash)

    def make(self, payload: Payload, at: str) -> Event:
        """The next event. The chain moves on at once; `rewind` if it was not stored."""
        body = to_ascii_json(payload.to_json())
        salt = secrets.token_hex(16)
        digest = digest_of(salt, body)
        made = hash_of(self.head, self.stream, self.seq + 1, payload.kind, at, digest)
        result = Event(
            self.stream, self.seq + 1, payload.kind, at, body, salt, digest, self.head, made, payload
        )
        self.seq, self.head = result.seq, made
        return result

    def rewind(self, first_unstored: Event) -> None:
        """Step back to where `first_unstored` would come next."""
        self.seq, self.head = first_unstored.seq - 1, first_unstored.previous


def by_time(events: Iterable[Event]) -> list[Event]:
    """Events of several streams, oldest first; each stream keeps its order where its clock was put back."""
    latest: dict[str, str] = {}
    placed: list[tuple[str, str, int, str, Event]] = []
    for one in sorted(events, key=lambda one: (one.stream, one.seq, one.hash)):
        latest[one.stream] = max(latest.get(one.stream, ""), one.at)
        placed.append((latest[one.stream], one.stream, one.seq, one.hash, one))
    return [one for *_, one in sorted(placed, key=itemgetter(0, 1, 2, 3))]


def faults(events: list[Event]) -> list[str]:
    """What is wrong with one stream's events, in order; an empty list for a sound chain.

    A fork is named once, where its sides part. Erased payloads are sound as long as their hash is.
    """
    from studies.shapes import misfit

    found: list[str] = []
    there = {(one.seq, one.hash) for one in events} | {(0, GENESIS)}
    behind: set[tuple[int, str]] = set()
    seq = 0
    for one in events:
        where = f"event {one.seq} of stream {one.stream}"
        place = (one.seq - 1, one.previous)
        if one.seq < seq:
            found.append(f"{where}: comes after event {seq}")
        elif one.seq > seq + 1:
            found.append(f"{where}: event {seq + 1} is missing before it")
        elif place not in there:
            found.append(f"{where}: does not follow the event before it")
        elif place in behind:
            found.append(f"{where}: the stream forks here (two events with this number)")
        behind.add(place)
        if one.hash != hash_of(one.previous, one.stream, one.seq, one.kind, one.at, one.digest):
            found.append(f"{where}: its hash does not match its contents")
        if one.body is not None and (one.salt is None or digest_of(one.salt, one.body) != one.digest):
            found.append(f"{where}: its payload was altered")
        elif why := misfit(one):
            found.append(f"{where}: {why}")
        seq = one.seq
    return found
