"""The values that can cross a channel: how each is taken apart, and put together again from plain data."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Of the standard library, by module and name: to plain data, and back with the class.
VALUES: dict[tuple[str, str], tuple[Callable[[Any], object], Callable[[Any, Any], object]]] = {
    ("fractions", "Fraction"): (lambda v: (v.numerator, v.denominator), lambda cls, d: cls(*d)),
    ("decimal", "Decimal"): (str, lambda cls, d: cls(d)),
    ("datetime", "date"): (lambda v: v.isoformat(), lambda cls, d: cls.fromisoformat(d)),
    ("datetime", "time"): (lambda v: (v.isoformat(), v.fold), lambda cls, d: _folded(cls, *d)),
    ("datetime", "datetime"): (lambda v: (v.isoformat(), v.fold), lambda cls, d: _folded(cls, *d)),
    ("datetime", "timedelta"): (lambda v: (v.days, v.seconds, v.microseconds), lambda cls, d: cls(*d)),
}
# What can be changed in place, and the letter each crosses under.
CONTAINERS: dict[Any, bytes] = {list: b"l", dict: b"d", set: b"s", bytearray: b"a"}
NAMED = {
    ("collections", "deque"): b"Q",
    ("collections", "Counter"): b"C",
    ("collections", "OrderedDict"): b"R",
    ("collections", "defaultdict"): b"D",
}
NAMES = {tag: name for name, tag in NAMED.items()}
VIEWS = {type({}.keys()): b"K", type({}.values()): b"V", type({}.items()): b"I"}
BASES = (int, str, float, complex, bytes, tuple, frozenset)


def _folded(cls: Any, text: str, fold: int) -> Any:
    return cls.fromisoformat(text).replace(fold=fold)


def named(cls: type) -> tuple[str, str] | None:
    """The name of a class that is what its module calls by that name."""
    name = (cls.__module__, cls.__qualname__)
    if name not in VALUES and name not in NAMED:
        return None
    return name if getattr(sys.modules.get(name[0]), name[1], None) is cls else None


def load(name: tuple[str, str]) -> Any:
    """The class of that name."""
    __import__(name[0])
    return getattr(sys.modules[name[0]], name[1])


def contents(container: Any) -> list[Any]:
    """A container's items, one after the other; of a mapping the keys, then the values."""
    cls: Any
    for cls in type(container).__mro__:
        if cls in CONTAINERS or named(cls) in NAMED:
            if isinstance(container, dict):
                return [*cls.keys(container), *cls.values(container)]
            return [*cls.__iter__(container)]
    raise TypeError


def refill(container: Any, items: Sequence[Any]) -> None:
    """Make these the items of a container, in place."""
    if isinstance(container, list | bytearray):
        container[:] = items
    elif isinstance(container, dict):
        half, odd = divmod(len(items), 2)
        if odd:
            raise ValueError("a mapping has as many keys as values")
        pairs = dict(zip(items[:half], items[half:], strict=True))
        container.clear()
        for key, value in pairs.items():
            container[key] = value
    elif isinstance(container, set):
        fresh = {*items}
        container.clear()
        container.update(fresh)
    else:
        container.clear()
        container.extend(items)


def plain(base: Any, value: Any) -> Any:
    """An instance of a subclass as its base sees it, whatever the subclass overrides."""
    if base is int:
        return int.__add__(value, 0)
    if base is str:
        return str.__str__(value)
    if base is float:
        return float.__float__(value)
    if base is complex:
        return complex.__complex__(value)
    if base is frozenset:
        return frozenset(frozenset.__iter__(value))
    return base.__getitem__(value, slice(None))
