"""A dialogue in the plain mode: messages line by line, replies printed as they come."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping
from typing import TextIO

from capa_tui.lines import Lines, text_of
from capa_tui.plain_fields import answer_in, asked_text
from studies.chat import Chat, Part
from studies.errors import JournalError
from studies.live import Heard, Live
from studies.replies import Part as ReplyPart
from studies.replies import ReplyEnd
from studies.runner import Visit
from studies.steps import AnswerError, Done, Field, Step
from studies.visible import visible

WIDTH = 78
LONG_MESSAGE = 500
"""Characters from which a message is asked about before it is sent: it may have been pasted."""
STILL_SECONDS = 15.0
"""After this long without a word, and again, it is said that the reply is still awaited."""
HELP = """Commands in a conversation, on a line of their own:
  /brief     {brief}
  /again     read the conversation so far
  /stop      stop the reply that is on its way; it counts as a turn
  /retry     ask again for a reply that broke off
{done}  /end       end this task and go on
  /pause     stop for now; everything is saved
  /withdraw  stop and take your answers back
  /help      this list"""
BRIEFS: Mapping[Part, str] = {
    "user": "read again who you are, what you want and how you speak",
    "answerer": "read again what you know and what the assistant was given",
    "asker": "read the task again",
}
DONE: Mapping[Part, str] = {
    "user": "  /done      the code does what you want (where you decide that)\n",
    "answerer": "",
    "asker": "  /done      you have enough: nothing more is asked in this task\n",
}
COMMANDS = ("/brief", "/again", "/stop", "/retry", "/done", "/end", "/pause", "/withdraw", "/help")
YES = ("yes", "y")


def help_for(part: Part) -> str:
    """The commands, as far as they mean something to this participant."""
    return HELP.format(brief=BRIEFS[part], done=DONE[part])


class PlainChat:
    """The dialogue's part of the plain front end."""

    def __init__(self, visit: Visit, source: Lines, out: TextIO, say: Callable[[str], None]) -> None:
        self.visit = visit
        self._source = source
        self._print = say
        self._flow = Flow(out)
        self._about = self._assistant = ""
        self._shown = ("", 0)
        self._written: list[str] = []
        """Lines of the next message."""
        self._pushed: list[str | None] = []
        """Lines that came too late for what they were read for."""
        self._running: asyncio.Future[Step | Done] | None = None
        self._speaking = False
        self._closed = False

    async def one(self, step: Step) -> bool:
        """Whatever comes next in the dialogue; False when the input is closed."""
        assert step.chat is not None
        if step.about != self._about:
            self._about, self._assistant = step.about or "", step.chat.assistant
            self._introduce(step, step.chat)
        try:
            if step.chat.phase in ("replying", "judging"):
                await self._advance(step, step.chat)
            elif step.chat.phase == "broken":
                await self._broken(step)
            else:
                await self._ask(step, step.chat)
        except AnswerError as error:
            self._say(f"Not taken: {error}")
        except JournalError as error:
            self._say(f"Not saved yet: {error}\nWhat you wrote is kept. Press Enter to try again.")
            await self._line()
        now = self.visit.current
        if isinstance(now, Step) and (now.about != step.about or now.chat is None):
            self._say("\n".join(filter(None, [self._live.chat(self._about).notice, "This task has ended."])))
            self._written.clear()
        return not self._closed

    # -- asking --------------------------------------------------------------------------------

    async def _ask(self, step: Step, chat: Chat) -> None:
        if (step.id, step.revision) != self._shown:
            self._shown = (step.id, step.revision)
            await self.visit.shown(step)
        if chat.notice:
            self._say(chat.notice)
        self._say(f"Turn {chat.turn} of {chat.turns}.")
        if chat.opening and not chat.lines:
            self._say(f"The request that opens this task:\n{chat.opening}\nWrite yes to send it as it is.")
            if await self._confirmed(step):
                await self._send(step, chat.opening)
            return
        if self._written:
            self._say("You have written already:\n" + "\n".join(self._written))
        for field in step.fields:
            if field.kind != "chat" and field.name not in self.visit.answers:
                await self._choose(step, field)
                return
        if chat.part == "user":
            self._say("Write your message; an empty line sends it.")
        else:
            self._say(f"{step.field('message').text}\nAn empty line sends it.")
        while (line := await self._line()) is not None:
            if line.strip() in COMMANDS:
                await self._command(line.strip(), step)
                return
            if line.strip():
                self._written.append(line)
            elif self._written:
                await self._send_written(step)
                return

    async def _choose(self, step: Step, field: Field) -> None:
        """Ask what has to be said beside the message."""
        self._say(asked_text(field))
        line = await self._line()
        if line is not None and line.strip() in COMMANDS:
            await self._command(line.strip(), step)
        elif line is not None:
            await self.visit.answer(step.ask_id(field.name), answer_in(field, line.strip()), walk=True)
            self._say("Saved.")

    async def _send_written(self, step: Step) -> None:
        text = "\n".join(self._written)
        if len(text) > LONG_MESSAGE:
            self._say(f"This message has {len(text)} characters. Write yes to send it.")
            if not await self._confirmed(step):
                return
        await self._send(step, text)
        self._written.clear()

    async def _send(self, step: Step, text: str) -> None:
        await self.visit.answer(step.ask_id("message"), text)
        self._say("Sent and saved.")

    async def _confirmed(self, step: Step) -> bool:
        """Whether the next line is a yes; a command is carried out."""
        line = (await self._line() or "").strip()
        if line in COMMANDS:
            await self._command(line, step)
        return line.casefold() in YES

    # -- what comes without the participant ----------------------------------------------------

    async def _advance(self, step: Step, chat: Chat) -> None:
        """Let the assistant reply; meanwhile commands work, and what is written is kept."""
        self._say("Waiting for the reply. /stop stops it." if chat.phase == "replying" else "One moment.")
        before, waited = len(self._written), 0.0
        self._running = running = asyncio.ensure_future(self._live.advance(self._heard))
        coming = asyncio.ensure_future(self._line())
        try:
            while not running.done():
                either = {running, coming}
                await asyncio.wait(either, timeout=STILL_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if running.done():
                    break
                if coming.done():
                    await self._meanwhile(coming.result(), step)
                    coming = asyncio.ensure_future(self._line())
                elif not self._speaking:
                    waited += STILL_SECONDS
                    self._say(f"Still waiting, {waited:.0f} seconds.")
            await running
        finally:
            self._flow.end()
            self._speaking = False
            if coming.done():
                self._pushed.append(coming.result())
            coming.cancel()
            if len(self._written) > before:
                self._say("What you wrote meanwhile is kept; it was not sent.")

    async def _meanwhile(self, line: str | None, step: Step) -> None:
        if line is None:
            await self._leave()
        elif line.strip() in COMMANDS:
            try:
                await self._command(line.strip(), step)
            except (AnswerError, JournalError) as error:
                self._say(f"Not taken: {error}")
        else:
            self._written.append(line)

    def _heard(self, heard: Heard) -> None:
        if isinstance(heard.what, ReplyPart):
            if not self._speaking:
                self._speaking = True
                self._say(f"\n{self._assistant}:")
            self._flow.write(heard.what.text)
        elif isinstance(heard.what, ReplyEnd):
            self._flow.end()
            self._speaking = False
            if heard.what.status == "stopped":
                self._say(f"You stopped this reply. It counts as turn {heard.turn}.")
            self._say("End of the reply.")

    async def _broken(self, step: Step) -> None:
        assert step.chat is not None
        self._say(f"{step.chat.notice}\nWrite /retry to ask for it again, or /end to end this task.")
        line = (await self._line() or "").strip()
        if line in COMMANDS:
            await self._command(line, step)
        elif line:
            self._written.append(line)

    # -- commands ------------------------------------------------------------------------------

    async def _command(self, command: str, step: Step) -> None:
        assert step.chat is not None
        match command:
            case "/help":
                self._say(help_for(step.chat.part))
            case "/brief":
                self._brief(step.chat)
            case "/again":
                self._dialogue(self._live.chat(step.about or ""))
            case "/stop":
                if not self._live.stop():
                    raise AnswerError("no reply is on its way")
            case "/retry":
                await self._live.retry(step)
            case "/done":
                await self._live.end(step, done=True)
            case "/end":
                await self._end(step, step.chat)
            case "/pause":
                await self._leave()
                await self.visit.pause()
            case "/withdraw":
                self._say("This takes all your answers back.")
                if await self._word("withdraw"):
                    await self._leave()
                    await self.visit.withdraw()

    async def _end(self, step: Step, chat: Chat) -> None:
        if not chat.can_end or self._speaking:
            unsolved = "Some tasks cannot be solved. " if chat.part == "user" else ""
            self._say(f"{unsolved}Ending counts neither for nor against you.")
            if not await self._word("end"):
                return
        await self._live.end(step)

    async def _word(self, word: str) -> bool:
        self._say(f'Write "{word}" to do so, or an empty line to go on.')
        return (await self._line() or "").strip().casefold() == word

    async def _leave(self) -> None:
        """Break off the reply on its way, and wait until that is stored."""
        if self._running is not None and not self._running.done():
            self._live.abandon()
            await asyncio.wait({self._running})

    # -- saying --------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        self._flow.break_line()
        self._print(text)

    def _introduce(self, step: Step, chat: Chat) -> None:
        progress = step.progress
        self._say(
            f"\n{progress.part} {progress.position} of {progress.total}, with {chat.assistant}."
            f"\n\n{help_for(chat.part)}"
        )
        if chat.lines:
            self._dialogue(chat)

    def _dialogue(self, chat: Chat) -> None:
        for line in chat.lines:
            self._say(f"{'You' if line.role == 'user' else chat.assistant}: {line.text}")
            if line.status in ("stopped", "interrupted", "failed"):
                self._say(f"This reply was {line.status}.")

    def _brief(self, chat: Chat) -> None:
        for one in chat.panels:
            text = one.text.replace("**", "") if one.markdown else one.text
            self._say(f"{one.title}:\n{text}")

    @property
    def _live(self) -> Live:
        assert self.visit.live is not None
        return self.visit.live

    async def _line(self) -> str | None:
        if self._pushed:
            return self._pushed.pop(0)
        raw = await self._source.next()
        self._closed = self._closed or raw is None
        return None if raw is None else text_of(raw).rstrip("\r\n")


class Flow:
    """Prints text as it comes, broken between words; a word is printed once it is whole."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._rest = ""
        self._column = 0

    def write(self, text: str) -> None:
        """More text."""
        *whole, self._rest = re.split(r"(?<=[ \t\n])", self._rest + text)
        self._put(whole)

    def end(self) -> None:
        """That was all: the next thing begins on a line of its own."""
        self._put([self._rest])
        self._rest = ""
        self.break_line()

    def break_line(self) -> None:
        """Something else is printed now: it begins on a line of its own."""
        if self._column:
            self._put(["\n"])

    def _put(self, words: list[str]) -> None:
        for word in map(visible, words):
            length = len(word.rstrip())
            if self._column and self._column + length > WIDTH:
                self._out.write("\n")
                self._column = 0
            self._out.write(word)
            self._column = 0 if word.endswith("\n") else self._column + len(word)
        self._out.flush()
