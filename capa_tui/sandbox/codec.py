"""Plain data as bytes, for a channel whose other end may lie.

Built-in types and a few value types of the standard library cross it exactly; nothing is ever unpickled.
What cannot cross is an object that stays where it is and travels as a number, through the `Objects` of each
end. This module runs inside the sandbox as well, so it imports next to nothing: `_struct` for `struct`, as
its neighbours take `posix` for `os`, saves a tenth of an interpreter's start.
"""

from __future__ import annotations

import builtins
from _struct import Struct, pack, unpack_from

from capa_tui.sandbox.values import (
    BASES,
    CONTAINERS,
    NAMED,
    NAMES,
    VALUES,
    VIEWS,
    contents,
    load,
    named,
    plain,
    refill,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    class Objects(Protocol):
        """What one end does with objects that cannot cross."""

        exact: bool
        """True: refuse what would arrive changed. False: a subclass is reduced to its base."""

        def outgoing(self, value: object) -> tuple[bytes, int, int]:
            """`b"o"`, flags, number of an object of this end, or `b"O"`, 0, number of one of the other's."""

        def incoming(self, flags: int, number: int) -> object:
            """What stands here for an object of the other end."""

        def own(self, number: int) -> object:
            """An object of this end that comes back; LookupError if it never went out."""


MAX_BYTES = 64 << 20
"""Largest message."""
MAX_DEPTH = 200
"""Deepest nesting of containers."""

_LENGTH = Struct("<I")
_INT = Struct("<q")
_FLOAT = Struct("<d")
_COMPLEX = Struct("<dd")
_OBJECT = Struct("<BI")
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1
_PACK_FROM = 8
"""From this many on, numbers of one type are packed together."""


class CodecError(Exception):
    """The bytes are no message."""


class TooDeep(ValueError):
    """A value is nested too deeply to cross."""


class TooLarge(MemoryError):
    """A value is too large to cross."""


_SINGLES = {b"N": None, b"T": True, b"F": False, b"E": Ellipsis, b"X": NotImplemented}


def encode(value: object, objects: Objects, known: Sequence[object] = ()) -> tuple[bytes, list[Any]]:
    """Bytes, and the mutable containers met, numbered from those already `known` on.

    Raises:
        TooDeep, TooLarge: the value cannot cross.
        Whatever `objects.outgoing` raises for an object that must not.
    """
    encoder = _Encoder(objects, known)
    encoder.put(value, 0)
    return bytes(encoder.out), encoder.containers


def decode(data: bytes, objects: Objects, known: Sequence[object] = ()) -> tuple[Any, list[Any]]:
    """The value, and the mutable containers met.

    Raises:
        CodecError: the bytes are no message, whatever they are.
    """
    decoder = _Decoder(data, objects, known)
    try:
        value = decoder.get(0)
    except (CodecError, MemoryError):
        raise
    except Exception as problem:
        raise CodecError(f"{type(problem).__name__} in a message") from None
    if decoder.at != len(data):
        raise CodecError("a message goes on after its end")
    return value, decoder.containers


class _Encoder:
    __slots__ = ("_objects", "_seen", "containers", "out")

    def __init__(self, objects: Objects, known: Sequence[object]) -> None:
        self.out = bytearray()
        self.containers: list[Any] = [*known]
        self._seen = {id(one): number for number, one in enumerate(known)}
        self._objects = objects

    def put(self, value: Any, depth: int) -> None:
        kind = type(value)
        if kind is int:
            self._int(value)
        elif kind is str:
            self._sized(b"u", value.encode("utf-8", "surrogatepass"))
        elif kind is bool:
            self.out += b"T" if value else b"F"
        elif value is None:
            self.out += b"N"
        elif kind is float:
            self.out += b"f" + _FLOAT.pack(value)
        elif kind is tuple:
            self._items(b"t", value, depth)
        elif kind in CONTAINERS:
            self._container(CONTAINERS[kind], value, depth)
        elif kind is bytes:
            self._sized(b"b", value)
        elif kind is frozenset:
            self._items(b"z", [*value], depth)
        elif kind is complex:
            self.out += b"c" + _COMPLEX.pack(value.real, value.imag)
        elif kind is range or kind is slice:
            self.out += b"r" if kind is range else b"w"
            for part in (value.start, value.stop, value.step):
                self.put(part, depth + 1)
        elif value is Ellipsis or value is NotImplemented:
            self.out += b"E" if value is Ellipsis else b"X"
        elif kind in VIEWS:
            self._items(VIEWS[kind], [*value], depth)
        else:
            self._other(value, kind, depth)

    def _int(self, value: int) -> None:
        if _LEAST <= value <= _MOST:
            self.out += b"i" + _INT.pack(value)
        else:
            self._sized(b"n", value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True))

    def _sized(self, tag: bytes, raw: bytes) -> None:
        if len(raw) + len(self.out) > MAX_BYTES:
            raise TooLarge("a value is too large to leave the sandbox")
        self.out += tag + _LENGTH.pack(len(raw))
        self.out += raw

    def _items(self, tag: bytes, items: Sequence[Any], depth: int) -> None:
        if depth >= MAX_DEPTH:
            raise TooDeep("a value is nested too deeply to leave the sandbox")
        count = len(items)
        if count + len(self.out) > MAX_BYTES:
            raise TooLarge("a value is too large to leave the sandbox")
        self.out += tag
        if count >= _PACK_FROM and (packed := _packed(items)):
            self.out += packed
            return
        self.out += b"*" + _LENGTH.pack(count)
        for item in items:
            self.put(item, depth + 1)

    def _container(self, tag: bytes, value: Any, depth: int, *head: object) -> None:
        number = self._seen.get(id(value))
        if number is not None:
            self.out += b"@" + _LENGTH.pack(number)
            return
        self._seen[id(value)] = len(self.containers)
        self.containers.append(value)
        if head:
            self.out += tag
            self.put(head[0], depth + 1)
            tag = b""
        self._items(tag, contents(value), depth)

    def _other(self, value: Any, kind: type, depth: int) -> None:
        if isinstance(value, type) or (self._objects.exact and kind is type(len)):
            name = value.__name__
            if value.__module__ == "builtins" and getattr(builtins, name, None) is value:
                self._sized(b"B", name.encode())
                return
        for cls in (kind,) if self._objects.exact else kind.__mro__:
            if cls in CONTAINERS:
                return self._container(CONTAINERS[cls], value, depth)
            if cls in BASES:
                return self.put(plain(cls, value), depth)
            if (name := named(cls)) is not None:
                return self._library(name, value, depth)
        tag, flags, number = self._objects.outgoing(value)
        self.out += tag + _OBJECT.pack(flags, number)

    def _library(self, name: tuple[str, str], value: Any, depth: int) -> None:
        if name in NAMED:
            head = {"deque": "maxlen", "defaultdict": "default_factory"}.get(name[1])
            self._container(NAMED[name], value, depth, *([getattr(value, head)] if head else []))
        else:
            self.out += b"v"
            self.put((*name, VALUES[name][0](value)), depth + 1)


def _packed(items: Sequence[Any]) -> bytes | None:
    kinds = {*map(type, items)}
    if kinds == {int} and min(items) >= _LEAST and max(items) <= _MOST:
        return b"q" + _LENGTH.pack(len(items)) + pack(f"<{len(items)}q", *items)
    if kinds == {float}:
        return b"d" + _LENGTH.pack(len(items)) + pack(f"<{len(items)}d", *items)
    return None


class _Decoder:
    __slots__ = ("_data", "_objects", "at", "containers")

    def __init__(self, data: bytes, objects: Objects, known: Sequence[object]) -> None:
        self.at = 0
        self.containers: list[Any] = [*known]
        self._data = data
        self._objects = objects

    def get(self, depth: int) -> Any:
        tag = self._take(1)
        if tag == b"i":
            return _INT.unpack(self._take(8))[0]
        if tag == b"u":
            return self._sized().decode("utf-8", "surrogatepass")
        if tag in _SINGLES:
            return _SINGLES[tag]
        if tag == b"f":
            return _FLOAT.unpack(self._take(8))[0]
        if tag == b"t":
            return tuple(self._items(depth))
        if tag in b"ldsa":
            container: Any = {b"l": list, b"d": dict, b"s": set, b"a": bytearray}[tag]()
            return self._fill(container, depth)
        if tag == b"@":
            return self.containers[self._length()]
        if tag == b"n":
            return int.from_bytes(self._sized(), "little", signed=True)
        if tag == b"b":
            return self._sized()
        if tag == b"z":
            return frozenset(self._items(depth))
        if tag == b"c":
            return complex(*_COMPLEX.unpack(self._take(16)))
        if tag == b"o":
            return self._objects.incoming(*_OBJECT.unpack(self._take(5)))
        if tag == b"O":
            return self._objects.own(_OBJECT.unpack(self._take(5))[1])
        return self._rare(tag, depth)

    def _rare(self, tag: bytes, depth: int) -> Any:
        if depth >= MAX_DEPTH:
            raise CodecError("nested too deeply")
        if tag in b"rw":
            parts = [self.get(depth + 1) for _ in range(3)]
            return range(*parts) if tag == b"r" else slice(*parts)
        if tag == b"B":
            return self._builtin(self._sized().decode("ascii"))
        if tag == b"v":
            module, name, data = self.get(depth + 1)
            return VALUES[module, name][1](load((module, name)), data)
        if tag == b"K":
            return dict.fromkeys(self._items(depth)).keys()
        if tag == b"V":
            return dict(enumerate(self._items(depth))).values()
        if tag == b"I":
            return dict(self._items(depth)).items()
        if tag in b"QD":
            head = self.get(depth + 1)
            cls = load(NAMES[tag])
            return self._fill(cls((), head) if tag == b"Q" else cls(head), depth)
        if tag in b"CR":
            return self._fill(load(NAMES[tag])(), depth)
        raise CodecError("unknown tag")

    def _fill(self, container: Any, depth: int) -> Any:
        self.containers.append(container)
        refill(container, self._items(depth))
        return container

    def _items(self, depth: int) -> list[Any]:
        if depth >= MAX_DEPTH:
            raise CodecError("nested too deeply")
        how, count = self._take(1), self._length()
        if how == b"*":
            if count > len(self._data) - self.at:
                raise CodecError("more items than bytes")
            return [self.get(depth + 1) for _ in range(count)]
        if how not in (b"q", b"d"):
            raise CodecError("unknown packing")
        start, _ = self.at, self._take(8 * count)
        return [*unpack_from(f"<{count}{how.decode()}", self._data, start)]

    def _builtin(self, name: str) -> object:
        value = vars(builtins)[name]
        # Only the end that holds the tests may name a function: theirs could be `exec`.
        if not isinstance(value, type) and self._objects.exact:
            raise CodecError("not a type")
        return value

    def _length(self) -> int:
        length: int = _LENGTH.unpack(self._take(4))[0]
        return length

    def _sized(self) -> bytes:
        return self._take(self._length())

    def _take(self, count: int) -> bytes:
        start = self.at
        end = self.at = start + count
        if end > len(self._data):
            raise CodecError("the message breaks off")
        return self._data[start:end]
