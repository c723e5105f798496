"""The plain mode: the whole visit line by line, for screen readers and simple terminals."""

from __future__ import annotations

import textwrap
from typing import TextIO

from capa_tui import plain_specification
from capa_tui.lines import Lines, text_of
from capa_tui.plain_chat import PlainChat
from capa_tui.plain_fields import answer_in, asked_text, reflowed
from capa_tui.plain_specification import PlainSpecification
from capa_tui.plain_work import PlainWork
from capa_tui.told import asked, material_of, says_more
from studies.errors import JournalError
from studies.runner import Visit
from studies.steps import AnswerError, Done, Field, Material, Step
from studies.visible import visible

WIDTH = 78
CALM = "\x1b[?1000l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?1004l\x1b[?2004l\x1b[?25h"
"""Puts a terminal back: no mouse, no focus reports, no bracketed paste, a cursor."""
WHERE = {"task": "The task", "complete": "The complete description"}
"""What comes before a material, by role."""
HELP = """Commands, on a line of their own:
  /back      go back to the item before and change its answers
  /again     read this question once more
  /about N   explain answer N
  /pause     stop for now; everything is saved
  /withdraw  stop and take your answers back
  /help      this list"""


class Plain:
    """The front end: prints a question, reads an answer, says when it is saved."""

    def __init__(self, visit: Visit, source: Lines, out: TextIO) -> None:
        self.visit = visit
        self._source = source
        self._out = out
        self._chat = PlainChat(visit, source, out, self._say)
        self._work = PlainWork(visit, source, self._say)
        self._specification = PlainSpecification(visit, source, self._say)
        self._shown = ("", 0)

    async def run(self, station: str = "") -> int:
        """The whole visit; the exit code."""
        if self._out.isatty():
            # A program that was killed may have left the mouse on, and the cursor hidden.
            self._out.write(CALM)
        self._say(f"{self.visit.study.settings.title}\n\n{HELP}")
        await self.visit.begin("plain", station)
        while True:
            current = self.visit.current
            if isinstance(current, Done):
                self._end(current)
                return 0
            if not await self._go_on(current):
                self._end(await self.visit.pause("input closed"))
                return 0

    async def _go_on(self, step: Step) -> bool:
        """One thing of a step; False when the input is closed."""
        if step.chat is not None:
            return await self._chat.one(step)
        if step.work is not None:
            return await self._work.one(step)
        name = self.visit.next_ask()
        if name is not None:
            return await self._one(step, step.field(name))
        await self.visit.leave(step)
        return True

    async def _one(self, step: Step, field: Field) -> bool:
        """Ask one field until it is answered or the step changes; False when the input is closed."""
        if (step.id, step.revision) != self._shown:
            self._shown = (step.id, step.revision)
            self._introduce(step)
            await self.visit.shown(step)
        self._say(asked_text(field, asked(step, field)))
        while True:
            given = await self._read(step, field)
            if given is None:
                return False
            try:
                if given.startswith("/") and await self._command(given, step, field):
                    return True
                await self.visit.answer(step.ask_id(field.name), answer_in(field, given), walk=True)
            except (AnswerError, JournalError) as error:
                self._say(f"Not taken: {error}")
                continue
            if field.kind != "info":
                self._say("Saved.")
            return True

    async def _read(self, step: Step, field: Field) -> str | None:
        """One answer: a line, or for text all lines up to an empty one or the end of the input."""
        lines: list[str] = []
        while True:
            raw = await self._source.next()
            if raw is None:
                return "\n".join(lines) if lines else None
            line = text_of(raw).rstrip("\r\n")
            if field.kind != "text" or (not lines and line.split(" ")[0] in _commands(step)):
                return line.strip()
            if not line.strip():
                return "\n".join(lines)
            lines.append(line)

    async def _command(self, given: str, step: Step, field: Field) -> bool:
        """Carry out a command; True if the question has to be asked anew."""
        command, _, rest = given.partition(" ")
        if command not in _commands(step):
            if field.kind == "text":
                return False
            self._say(f"There is no command {command}.\n{HELP}")
            return True
        if command == "/help":
            self._say(HELP)
            if step.interview is not None:
                self._say(plain_specification.HELP)
        elif command == "/again":
            self._shown = ("", 0)
            self._specification.forget()
        elif command == "/about":
            self._explain(field, rest)
        elif command == "/pause":
            await self.visit.pause()
        elif command == "/back":
            if await self.visit.back(step) == step:
                self._say("There is nothing to go back to from here.")
        elif command in plain_specification.COMMANDS:
            await self._specification.command(command, step)
        elif command == "/withdraw":
            self._say("This takes all your answers back.")
            self._say('Write "withdraw" to do so, or an empty line to go on.')
            raw = await self._source.next()
            if raw is not None and text_of(raw).strip().casefold() == "withdraw":
                await self.visit.withdraw()
        return True

    def _explain(self, field: Field, number: str) -> None:
        place = int(number) if number.strip().isdecimal() else 0
        if not 1 <= place <= len(field.options):
            self._say("Write /about and the number of an answer.")
            return
        text = self.visit.protocol.kind.explain(field.options[place - 1].value)
        self._say(reflowed(text.replace("**", "")) or "There is no more to say about this answer.")

    def _introduce(self, step: Step) -> None:
        progress = step.progress
        where = [progress.part]
        if progress.blocks > 1:
            where.append(f"block {progress.block} of {progress.blocks}")
        if progress.total:
            where.append(f"{progress.position} of {progress.total}")
        self._say(f"\n{step.title} ({', '.join(one for one in where if one)})")
        self._specification.introduce(step)
        if material := material_of(step):
            called = {"matching": progress.part.lower(), "authoring": "description"}
            self._material(material, called.get(step.kind, "request"))
        if says_more(step):
            self._say(reflowed(step.body.replace("**", "")))
        if step.previous is not None:
            self._say("You answered this before. Your last answers stand until you have answered again.")

    def _material(self, material: Material, what: str) -> None:
        if material.title or not material.request:
            self._specification.material(material)
            return
        for one in material.context:
            where = WHERE.get(one.role, f"Before, {one.role}")
            self._say(f"{where}: {one.text}")
        self._say(f"The {what}: {material.request}\nEnd of the {what}.")

    def _end(self, done: Done) -> None:
        self._say(f"\n{done.message}")
        if done.completion_code:
            self._say(f"Your completion code: {done.completion_code}")

    def _say(self, text: str) -> None:
        for line in visible(text).split("\n"):
            wrapped = textwrap.wrap(line, WIDTH, break_long_words=False, break_on_hyphens=False)
            self._out.write("\n".join(wrapped or [""]) + "\n")
        self._out.flush()


COMMANDS = ("/help", "/again", "/about", "/pause", "/back", "/withdraw")


def _commands(step: Step) -> tuple[str, ...]:
    """What is a command here; anywhere else it is text."""
    return COMMANDS if step.interview is None else (*COMMANDS, *plain_specification.COMMANDS)
