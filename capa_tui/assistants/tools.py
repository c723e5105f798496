"""Tool calls: how they are offered to a model, and what is heard of them.

Whichever way a tool is called, the reply's text is `{"tool": NAME, "arguments": {...}}`. Of several calls the
first counts. Arguments that are no JSON stand there as the text they are, so that whoever asked can say so.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from studies.replies import Tool

SHOWN = 300
"""Characters of what was left out that are told."""


def as_functions(tools: Sequence[Tool]) -> dict[str, Any]:
    """What a request says beside its messages where the model calls functions."""
    functions = [
        {"name": one.name, "description": one.description, "parameters": dict(one.parameters)}
        for one in tools
    ]
    return {"tools": [{"type": "function", "function": one} for one in functions], "tool_choice": "required"}


def as_schema(tools: Sequence[Tool]) -> dict[str, Any]:
    """One schema of any of the calls; the tools' definitions go to its root, so one name must mean one."""
    branches: list[dict[str, Any]] = []
    shared: dict[str, Any] = {}
    for one in tools:
        arguments = dict(one.parameters)
        shared |= arguments.pop("$defs", {})
        branches.append(
            {
                "type": "object",
                "properties": {"tool": {"type": "string", "const": one.name}, "arguments": arguments},
                "required": ["tool", "arguments"],
                "additionalProperties": False,
            }
        )
    whole = branches[0] if len(branches) == 1 else {"anyOf": branches}
    return whole | ({"$defs": shared} if shared else {})


def in_words(tools: Sequence[Tool]) -> str:
    """What a model is told that does not call functions."""
    listed = "\n".join(f"- {one.name}: {one.description}" for one in tools)
    which = "this tool" if len(tools) == 1 else "exactly one of these tools"
    return (
        f"Call {which} by answering with one JSON object, "
        f'{{"tool": the name, "arguments": the arguments}}:\n{listed}'
    )


@dataclass(slots=True)
class Gathered:
    """One call, as far as it came."""

    id: str = ""
    name: str = ""
    arguments: str = ""


class ToolCalls:
    """The calls in a reply, gathered from its pieces, and the text beside them."""

    def __init__(self) -> None:
        self._calls: list[Gathered] = []
        self._places: dict[int, Gathered] = {}
        self._beside: list[str] = []

    def write(self, text: str) -> int:
        """Text that is no call; its characters."""
        self._beside.append(text)
        return len(text)

    def stream(self, pieces: Iterable[Any]) -> int:
        """Pieces of calls as litellm streams them; their characters."""
        return sum(
            self.add(one.index or 0, one.id or "", one.function.name or "", one.function.arguments or "")
            for one in pieces
            if one.function is not None
        )

    def add(self, place: int, id: str, name: str, arguments: Any) -> int:
        """A piece of the call at a place, or the whole of it; its characters."""
        call = self._places.get(place)
        # Some providers send every call at one place.
        if call is None or (id and name and call.id and id != call.id):
            call = self._places[place] = Gathered()
            self._calls.append(call)
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call.id = call.id or id
        call.name = call.name or name
        call.arguments += text
        return len(name) + len(text)

    @property
    def text(self) -> str:
        """The first call as JSON; without any, what was written in its place."""
        if not self._calls:
            return "".join(self._beside)
        first = self._calls[0]
        call = {"tool": first.name, "arguments": _read(first.arguments)}
        return json.dumps(call, ensure_ascii=False)

    @property
    def notes(self) -> str:
        """What the text does not hold, for the researcher."""
        if not self._calls:
            return ""
        first, *others = self._calls
        notes = []
        if not isinstance(_read(first.arguments), Mapping):
            notes.append(f"the arguments of {first.name} are no JSON object")
        if others:
            left = "; ".join(f"{one.name} {one.arguments[:SHOWN]}" for one in others)
            notes.append(f"{len(self._calls)} tools were called and the first counts; left out: {left}")
        if beside := "".join(self._beside).strip():
            notes.append(f"text beside the call was left out: {beside[:SHOWN]}")
        return "; ".join(notes)


def _read(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except (ValueError, RecursionError):
        return arguments
