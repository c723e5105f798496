"""JSON lines: any program in the participant's chair. One line an ask, one line an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, TextIO

from capa_tui.lines import Lines
from studies.errors import JournalError
from studies.live import Heard
from studies.replies import Part, ReplyEnd
from studies.runner import Visit
from studies.steps import AnswerError, Done, Field, Material, Step
from studies.work import Work

DOINGS = ("back", "pause", "retry", "stop", "end", "withdraw")


class JsonLines:
    """The front end: asks field by field, acknowledges only what is on disk."""

    def __init__(self, visit: Visit, source: Lines, out: TextIO) -> None:
        self.visit = visit
        self._source = source
        self._out = out
        self._shown = ("", 0)
        self._asked = ""
        self._told = ("", 0, 0)
        self._tries = 0

    async def run(self, station: str = "") -> int:
        """The whole visit; the exit code."""
        await self.visit.begin("jsonl", station)
        while True:
            current = self.visit.current
            if isinstance(current, Done):
                self._print({"done": current.end, **_ending(current)})
                return 0
            if current.due:
                await self._advance()
                continue
            if current.broken:
                await self._broken(current)
                continue
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

    async def _advance(self) -> None:
        """Let the assistant reply while the program may stop it, or end the task."""
        assert self.visit.live is not None
        self._tries += 1
        running = asyncio.ensure_future(self.visit.live.advance(self._heard))
        try:
            while not running.done():
                coming = asyncio.ensure_future(self._source.next())
                await asyncio.wait({running, coming}, return_when=asyncio.FIRST_COMPLETED)
                if not coming.done():
                    coming.cancel()
                    break
                line = coming.result()
                if line is None:
                    # Nobody is listening any more: the provider is told to stop, and the visit pauses.
                    self.visit.live.abandon()
                    break
                step = self.visit.current
                if line.strip() and isinstance(step, Step):
                    await self._handle(step, line)
            await running
        except JournalError as error:
            await self._unsaved(error)

    async def _unsaved(self, error: JournalError) -> None:
        """Something of a reply is not on disk: say so, and try again only when the program says."""
        self._print(
            {"error": None, "message": f'{error} Nothing is lost; {{"do": "retry"}} stores it again.'}
        )
        line = await self._source.next()
        step = self.visit.current
        if line is None:
            await self.visit.pause("input closed")
        elif isinstance(step, Step) and not _retries(line):
            await self._handle(step, line)

    async def _broken(self, step: Step) -> None:
        """A reply broke off: it is asked for again, or the task ends, as the program says."""
        turn, attempts, notice, doings = 0, self._tries, "", ["retry"]
        if step.chat is not None:
            turn, attempts, notice = step.chat.turn, len(step.chat.lines), step.chat.notice
            doings = ["retry", "end"]
        elif step.work is not None:
            notice = step.work.notice
        if (step.id, step.revision, attempts) != self._told:
            self._told = (step.id, step.revision, attempts)
            what = {"event": "broken", "about": step.about, "turn": turn}
            self._print({**what, "message": notice, "do": doings})
        line = await self._source.next()
        if line is None:
            await self.visit.pause("input closed")
        elif line.strip():
            await self._handle(step, line)

    def _heard(self, heard: Heard) -> None:
        event: dict[str, Any] = {"about": heard.about, "turn": heard.turn}
        if isinstance(heard.what, Part):
            self._print({"event": "reply_part", **event, "text": heard.what.text})
        elif isinstance(heard.what, ReplyEnd):
            self._print({"event": "reply", **event, "status": heard.what.status, "text": heard.what.text})
        elif isinstance(heard.what, Work):
            jobs = [{"label": one.label, "state": one.state} for one in heard.what.jobs]
            self._print({"event": "work", "about": heard.about, "jobs": jobs})
        elif heard.what.verdict != "not_run":
            known = {"verdict": heard.what.verdict, "detail": heard.what.detail}
            self._print({"event": "verdict", **event, **known})

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
        conversation = self.visit.live
        if doing == "pause":
            if conversation is not None:
                conversation.abandon()
            await self.visit.pause()
        elif doing == "withdraw":
            await self.visit.withdraw()
        elif doing == "back":
            if await self.visit.back(step) == step:
                raise AnswerError("there is nothing to go back to from here")
        elif doing == "stop" and conversation is not None and conversation.stop():
            return
        elif doing == "retry" and conversation is not None:
            await conversation.retry(step)
        elif doing == "end" and conversation is not None:
            done = step.chat is not None and step.chat.can_declare_done
            await conversation.end(step, done=done)
        elif doing in DOINGS:
            raise AnswerError(f"there is nothing to {doing} here")
        else:
            raise AnswerError(f"expected one of {', '.join(DOINGS)}, got {doing!r:.80}")

    def _print(self, message: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(message, ensure_ascii=True) + "\n")
        self._out.flush()


def _retries(line: bytes) -> bool:
    try:
        return _read(line).get("do") == "retry"
    except AnswerError:
        return False


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
