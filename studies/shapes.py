"""Whether an event that comes from elsewhere holds what its kind declares: times, types, fields."""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from studies.events import Event, Unknown, is_known

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def misfit(event: Event) -> str | None:
    """What keeps an event from being read as its kind, in words; None where nothing does.

    Kinds that this version does not know fit, and so do erased payloads.
    """
    if not is_time(event.at):
        return f"its time is {event.at[:40]!r}; expected ISO 8601 UTC with milliseconds"
    payload = event.payload
    if isinstance(payload, Unknown):
        return "this version cannot read its payload" if is_known(event.kind) else None
    for name, hint in _hints(type(payload)).items():
        value = getattr(payload, name)
        if not _fits(value, hint):
            return f"its field {name} is {value!r:.60}, which is no {event.kind}"
    return None


def is_time(text: str) -> bool:
    """Whether a text is a time as events carry it: ISO 8601 UTC with milliseconds."""
    try:
        return bool(_TIME.fullmatch(text)) and datetime.fromisoformat(text) is not None
    except ValueError:
        return False


def _hints(owner: Any) -> dict[str, Any]:
    """The types of a dataclass's fields, by name."""
    if owner not in _HINTS:
        hints = get_type_hints(owner)
        _HINTS[owner] = {spec.name: hints[spec.name] for spec in dataclasses.fields(owner)}
    return _HINTS[owner]


_HINTS: dict[Any, dict[str, Any]] = {}


def _fits(value: Any, hint: Any) -> bool:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(_fits(value, one) for one in inner)
    if origin is Literal:
        return isinstance(value, str) and value in inner
    if origin is tuple:
        if not isinstance(value, tuple):
            return False
        expected = inner[:1] * len(value) if inner[1:] == (...,) else inner
        return len(expected) == len(value) and all(map(_fits, value, expected))
    if origin is not None:
        return isinstance(value, Mapping) and all(_fits(one, inner[1]) for one in value.values())
    if dataclasses.is_dataclass(hint):
        return type(value) is hint and all(
            _fits(getattr(value, name), one) for name, one in _hints(hint).items()
        )
    if hint is Any:
        return True
    if hint is float:
        return type(value) in (int, float)
    return type(value) is hint
