"""One end of the channel between driver and worker: calls, and what stands for the other end's objects.

Both ends are made alike: each can call what the other has shown it, and what a call changed in its arguments
is changed in the caller's. Only the driver's word counts; the worker's end may have been taken over by the
code under test, so the driver treats all that arrives as data.
"""

from __future__ import annotations

import builtins
import posix
from _operator import is_

from capa_tui.sandbox.codec import MAX_BYTES, CodecError, decode, encode
from capa_tui.sandbox.values import contents, refill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

CALLABLE, ITERABLE, ITERATOR = 1, 2, 4
_TEXT = 2000
"""Characters kept of an exception's text."""


class Lost(BaseException):
    """The other end is gone, or says what is no message."""


class Opaque:
    """An object that stayed at the other end: equal to itself only."""

    __slots__ = ("_number", "_peer")

    def __init__(self, peer: Peer, number: int) -> None:
        self._peer = peer
        self._number = number

    def __repr__(self) -> str:
        return "<an object that stayed in the sandbox>"

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an object that stayed in the sandbox cannot be copied")

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("__"):
            self._peer.missing(self._number, name)
        raise AttributeError(f"an object that stayed in the sandbox has no attribute {name!r} here")


class _Callable(Opaque):
    __slots__ = ()

    def __call__(self, *args: object, **kwargs: object) -> Any:
        return self._peer.request("call", self._number, args, kwargs)


class _Iterable(Opaque):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        made: Iterator[Any] = self._peer.request("iter", self._number)
        return made


class _Iterator(Opaque):
    __slots__ = ()

    def __iter__(self) -> _Iterator:
        return self

    def __next__(self) -> Any:
        return self._peer.request("next", self._number)


class _CallableIterable(_Callable, _Iterable):
    __slots__ = ()


class _CallableIterator(_Callable, _Iterator):
    __slots__ = ()


def _stub(flags: int) -> type[Opaque]:
    if flags & ITERATOR:
        return _CallableIterator if flags & CALLABLE else _Iterator
    if flags & ITERABLE:
        return _CallableIterable if flags & CALLABLE else _Iterable
    return _Callable if flags & CALLABLE else Opaque


def flags_of(value: object) -> int:
    """What can be done with an object that stays here."""
    kind = type(value)
    return (
        CALLABLE * callable(value)
        | ITERABLE * hasattr(kind, "__iter__")
        | ITERATOR * hasattr(kind, "__next__")
    )


class Peer:
    """One end. `exact`: this end refuses to send what would arrive changed."""

    exact = False

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._mine: list[object] = []
        self._numbers: dict[int, int] = {}
        self._theirs: dict[int, Opaque] = {}
        self._thrown: list[BaseException] = []
        self._buffer = b""

    # What the codec asks.

    def outgoing(self, value: object) -> tuple[bytes, int, int]:
        """An object that cannot cross, as a number."""
        if isinstance(value, Opaque):
            return b"O", 0, value._number
        number = self._numbers.get(id(value))
        if number is None:
            number = self._numbers[id(value)] = len(self._mine)
            self._mine.append(value)
        return b"o", flags_of(value), number

    def incoming(self, flags: int, number: int) -> object:
        """What stands for the other end's object, one for each."""
        if number not in self._theirs:
            self._theirs[number] = _stub(flags)(self, number)
        return self._theirs[number]

    def own(self, number: int) -> object:
        """An object of this end that went out before."""
        return self._mine[number]

    def missing(self, number: int, name: str) -> None:
        """Somebody asks an opaque object for an attribute."""

    # Calls to the other end.

    def request(self, op: str, number: int, args: tuple[object, ...] = (), kwargs: object = None) -> Any:
        """Have something done at the other end.

        Raises:
            Lost: there is no other end any more.
            Whatever was raised there, as the nearest built-in class.
        """
        data, sent = encode((op, number, args, kwargs or {}), self)
        self._send(b"?", data)
        while True:
            kind, data = self._receive()
            if kind == b"?":
                self._serve(data)
            else:
                return self._result(op, data, sent)

    def _result(self, op: str, data: bytes, sent: list[Any]) -> Any:
        (word, value, changes), _ = self._decoded(data, 3, sent)
        try:
            for number, items in changes:
                refill(sent[number], items)
            name, args, text, where, origin = value if word == "raise" else ("", (), "", 0, -1)
        except Exception:
            raise Lost("a message of another shape") from None
        if word == "ok":
            return value
        if word == "stop" and op == "next":
            raise StopIteration
        if type(origin) is int and 0 <= origin < len(self._thrown):
            raise self._thrown[origin]
        if name in ("StopIteration", "StopAsyncIteration"):
            # As in a generator: it would end the loop that made the call, and with it the tests.
            name, args, text = "RuntimeError", (f"the code raised {name}",), f"{name}: {text}"
        raised = rebuilt(name, args, text, where)
        raised.capa_origin = origin  # type: ignore[attr-defined]
        raise raised from None

    # Calls from the other end.

    def serve(self) -> None:
        """Do what the other end asks until it is gone."""
        while True:
            self.serve_one()

    def serve_one(self) -> None:
        """One request; an answer that nobody waits for is let go."""
        kind, data = self._receive()
        if kind == b"?":
            self._serve(data)

    def _serve(self, data: bytes) -> None:
        (op, number, args, kwargs), got = self._decoded(data, 4)
        before = [contents(one) for one in got]
        try:
            reply = ("ok", self.perform(op, number, args, kwargs))
        except Lost:
            raise
        except BaseException as raised:
            ended = op == "next" and isinstance(raised, StopIteration)
            reply = ("stop", None) if ended else ("raise", self.described(raised))
        try:
            changes = tuple(
                (number, now)
                for number, one in enumerate(got)
                if not _same(before[number], now := contents(one))
            )
            data, _ = encode((*reply, changes), self, got)
        except BaseException as raised:
            data, _ = encode(("raise", self.described(raised), ()), self)
        self._send(b"=", data)

    def perform(self, op: str, number: int, args: Any, kwargs: Any) -> object:
        """One request of the other end."""
        target: Any = self.own(number)
        if op == "call":
            return target(*args, **kwargs)
        return iter(target) if op == "iter" else next(target)

    def described(self, raised: BaseException) -> tuple[str, tuple[object, ...], str, int, int]:
        """An exception as data: built-in class, arguments, text, line, number if it came from there."""
        try:
            origin = getattr(raised, "capa_origin", -1)
        except BaseException:
            origin = -1
        return (*describe(raised), origin)

    # Frames: a letter, a length, the message.

    def _decoded(self, data: bytes, length: int, known: list[Any] | None = None) -> tuple[Any, list[Any]]:
        try:
            value, containers = decode(data, self, known or ())
        except CodecError as problem:
            raise Lost(str(problem)) from None
        if type(value) is not tuple or len(value) != length:
            raise Lost("a message of another shape")
        return value, containers

    def _send(self, kind: bytes, data: bytes) -> None:
        try:
            write(self._fd, kind + len(data).to_bytes(4, "little") + data)
        except OSError as problem:
            raise Lost(str(problem)) from None

    def _receive(self) -> tuple[bytes, bytes]:
        self._read(5)
        kind, size = self._buffer[:1], int.from_bytes(self._buffer[1:5], "little")
        if kind not in (b"?", b"=") or size > MAX_BYTES + 64:
            raise Lost("no message")
        self._read(5 + size)
        data, self._buffer = self._buffer[5 : 5 + size], self._buffer[5 + size :]
        return kind, data

    def _read(self, size: int) -> None:
        """Have at least that many bytes in the buffer."""
        parts = [self._buffer]
        have = len(self._buffer)
        while have < size:
            try:
                parts.append(posix.read(self._fd, 1 << 16 if size - have < 1 << 16 else 1 << 20))
            except OSError as problem:
                raise Lost(str(problem)) from None
            if not parts[-1]:
                raise Lost("the other end is gone")
            have += len(parts[-1])
        self._buffer = b"".join(parts)


def _same(before: list[Any], now: list[Any]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def write(fd: int, data: bytes) -> None:
    """All of it."""
    view = memoryview(data)
    while view:
        view = view[posix.write(fd, view) :]


def describe(raised: BaseException) -> tuple[str, tuple[object, ...], str, int]:
    """Nearest built-in class, plain arguments, text, and the line of the code under test."""
    name = next(cls.__name__ for cls in type(raised).__mro__ if _exception(cls.__name__) is cls)
    try:
        text = str.__str__(str(raised))[:_TEXT]
        args = tuple(one if _short(one) else text for one in raised.args)
    except BaseException:  # even an exception's text is the code's to make
        text, args = "", ()
    if type(raised).__name__ != name:
        text = f"{type(raised).__name__}: {text}"
    return name, args, text, line_in("<candidate>", raised)


def _short(value: object) -> bool:
    if type(value) is str:
        return len(value) <= _TEXT
    return type(value) in (bool, float) or (type(value) is int and value.bit_length() <= 8 * _TEXT)


def line_in(file: str, raised: BaseException) -> int:
    """The line of that file that was being run, innermost; 0 if none was."""
    line, trace = 0, raised.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _exception(name: object) -> type[BaseException] | None:
    cls = getattr(builtins, name, None) if isinstance(name, str) else None
    return cls if isinstance(cls, type) and issubclass(cls, BaseException) else None


def rebuilt(name: object, args: Any, text: object, where: object) -> BaseException:
    """An exception of the other end, made anew here, and marked as not having begun here."""
    cls = _exception(name) or Exception
    made = _made(cls, args) or _made(cls, (str(text),)) or Exception(str(text))
    note = f"{cls.__name__}: {text}" + (f" (line {where} of the code)" if where else "")
    made.capa_remote = note  # type: ignore[attr-defined]
    return made


def _made(cls: type[BaseException], args: Any) -> BaseException | None:
    try:
        return cls(*args)
    except Exception:  # some classes want arguments of their own kind
        return None
