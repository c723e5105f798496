"""JSON lines: any program in the participant's chair. One line an ask, one line an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TextIO

from capa_tui.lines import Lines
from studies.errors import JournalError
from studies.runner import Visit
from studies.steps import AnswerError, Done, Field, Material, Step

DOINGS = ("back", "pause", "retry", "stop", "end", "withdraw")


class JsonLines:
    """The front end: asks field by field, acknowledges only what is on disk."""

    def __init__(self, visit: Visit, source: Lines, out: TextIO) -> None:
        self.visit = visit
        self._source = source
        self._out = out
        self._shown = ("", 0)
        self._asked = ""

    async def run(self, station: str = "") -> int:
        """The whole visit; the exit code."""
        await self.visit.begin("jsonl", station)
        while True:
            current = self.visit.current
            if isinstance(current, Done):
                self._print({"done": current.end, **_ending(current)})
                return 0
            name = self.visit.next_ask()
            if name is None:
                # Every field is on disk, yet the step is open: a kill came in between.
                await self.visit.leave(current)
                continue
            await self._ask(current, name)
            line = await self._source.next()
            if line is None:
                self._print({"done": (await self.visit.pause("input closed")).end})
                return 0
            if line.strip():
                await self._handle(current, line)

    async def _ask(self, step: Step, name: str) -> None:
        if (step.id, step.revision) != self._shown:
            self._shown = (step.id, step.revision)
            await self.visit.shown(step)
        ask = step.ask_id(name)
        if ask == self._asked:
            return
        self._asked = ask
        field = step.field(name)
        text = field.text
        if step.body and field.kind != "info" and field is step.fields[0]:
            text = f"{step.body}\n\n{text}"
        self._print(
            {
                "ask": ask,
                "kind": field.kind,
                "field": name,
                "about": step.about,
                "material": _material(step.material),
                "text": text,
                "options": _options(field),
                "required": field.required,
            }
        )

    async def _handle(self, step: Step, line: bytes) -> None:
        # A line that names no ask is about the open one, which stays open.
        ask: object = self._asked
        try:
            said = _read(line)
            if "do" in said:
                await self._do(step, said["do"])
                return
            ask = said["answer"]
            if ask != self._asked and isinstance(ask, str) and self.visit.acknowledged(ask):
                self._print({"ok": ask})
                return
            if ask != self._asked:
                raise AnswerError(f"{ask!r:.200} is not being asked; the open ask is {self._asked!r}")
            await self.visit.answer(self._asked, said["value"], walk=True)
            self._print({"ok": ask})
        except (AnswerError, JournalError) as error:
            self._print({"error": ask if isinstance(ask, str) else self._asked, "message": str(error)})

    async def _do(self, step: Step, doing: object) -> None:
        if doing == "pause":
            await self.visit.pause()
        elif doing == "withdraw":
            await self.visit.withdraw()
        elif doing == "back":
            if await self.visit.back(step) == step:
                raise AnswerError("there is nothing to go back to from here")
        elif doing in DOINGS:
            raise AnswerError(f"there is nothing to {doing} here")
        else:
            raise AnswerError(f"expected one of {', '.join(DOINGS)}, got {doing!r:.80}")

    def _print(self, message: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(message, ensure_ascii=True) + "\n")
        self._out.flush()


def _read(line: bytes) -> Mapping[str, Any]:
    expected = 'expected {"answer": ID, "value": ...} or {"do": ...}'
    try:
        said = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"this line is not JSON; {expected}") from error
    if not isinstance(said, dict) or not ("do" in said or {"answer", "value"} <= said.keys()):
        raise AnswerError(expected)
    return said


def _options(field: Field) -> list[dict[str, Any]]:
    return [{"value": one.value, "label": one.label} for one in field.options]


def _material(material: Material | None) -> dict[str, Any] | None:
    if material is None:
        return None
    return {
        "request": material.request,
        "context": [{"role": one.role, "text": one.text} for one in material.context],
    }


def _ending(done: Done) -> dict[str, str]:
    return {"completion_code": done.completion_code} if done.completion_code else {}
