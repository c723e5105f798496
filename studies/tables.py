"""Tidy tables: typed rows, and what each of their columns means, read from the row classes themselves.

A row class is a frozen dataclass whose fields are `Annotated[type, "what it means"]`; a trailing underscore,
as in `pass_`, keeps a Python keyword out of the way and is not part of the column's name.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

ColumnType = Literal["text", "integer", "number", "boolean", "time", "list", "messages", "json"]
Time = Annotated[str, "time"]
"""ISO 8601 UTC with milliseconds."""
SECRET = "secret"
"""Marks a column, before its description, that loses its use once it is published."""
Messages = Annotated[Sequence[Mapping[str, str]], "messages"]
"""A dialogue: role and text of each message."""

_MARKS: tuple[ColumnType, ...] = ("time", "messages")
_SCALARS: Mapping[Any, ColumnType] = {str: "text", int: "integer", float: "number", bool: "boolean"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a tidy table."""

    name: str
    type: ColumnType
    """`list` is a list of labels, `messages` a dialogue of `role` and `text`, `json` any JSON value."""
    nullable: bool
    description: str
    secret: bool = False
    """Left out of what is made for publishing."""


@dataclass(frozen=True)
class Table:
    """One tidy table: a file of an export."""

    name: str
    row: type
    description: str
    only: tuple[str, ...] = ()
    """Names of the columns it has, in this order, where it does not have all of the row's."""
    secret: bool = False
    """Left out whole of what is made for publishing."""

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """The columns in order."""
        return tuple(column for column, _ in self._fields)

    @cached_property
    def _fields(self) -> tuple[tuple[Column, str], ...]:
        """Each column and the field of the row class it comes from."""
        fields = (spec.name for spec in dataclasses.fields(self.row))
        known = {one.name: (one, field) for one, field in zip(columns(self.row), fields, strict=True)}
        return tuple(known[name] for name in self.only or known)

    def values(self, row: Any) -> dict[str, Any]:
        """A row as JSON values by column name, in order."""
        return {column.name: _plain(getattr(row, field)) for column, field in self._fields}


@dataclass(frozen=True, slots=True)
class Filled:
    """A table with its rows."""

    table: Table
    rows: Sequence[Any]


def columns(row: type) -> tuple[Column, ...]:
    """The columns of a row class.

    Raises:
        TypeError: a field lacks its description, or has a type no column can hold.
    """
    hints = get_type_hints(row, include_extras=True)
    return tuple(_column(row, spec.name, hints[spec.name]) for spec in dataclasses.fields(row))


def _column(row: type, name: str, hint: Any) -> Column:
    if get_origin(hint) is not Annotated:
        raise TypeError(f"{row.__name__}.{name} has no description")
    inner, *notes = get_args(hint)
    marks, description = notes[:-1], notes[-1]
    options = get_args(inner) if get_origin(inner) in (Union, types.UnionType) else (inner,)
    kept = [one for one in options if one is not types.NoneType]
    for one in kept:
        if get_origin(one) is Annotated:
            marks.extend(get_args(one)[1:])
    nullable = inner is Any or types.NoneType in options
    return Column(name.rstrip("_"), _type(kept, marks), nullable, description, SECRET in marks)


def _type(options: Sequence[Any], marks: Sequence[str]) -> ColumnType:
    for known in _MARKS:
        if known in marks:
            return known
    if len(options) != 1:
        return "json"
    inner = options[0]
    if inner in _SCALARS:
        return _SCALARS[inner]
    origin = get_origin(inner)
    if origin is Literal:
        return "text"
    if origin is tuple and get_args(inner) == (str, ...):
        return "list"
    return "json"


def _plain(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    return value
