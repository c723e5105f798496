"""A reply through the whole application beside the same reply drained bare: `python benchmarks/session.py`.

The application is the real one, over a real database, before a terminal of 120 by 40 cells that is kept in
memory; above the reply stand 16 messages of 4,000 characters. The assistant is scripted and keeps its pace.
Beside it the same reply goes into Textual's own `Markdown.get_stream` below the same messages. Nothing is
asserted: times belong to the machine they were taken on.
"""

from __future__ import annotations

import asyncio
import gc
import shutil
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from textual.app import App, ComposeResult
from textual.containers import VerticalScroll
from textual.widgets import Markdown, Static, TextArea

from capa_tui.app import CapaApp
from capa_tui.services import Services
from screens.visit import VisitScreen
from screens.widgets.said import Said
from studies import bundles
from studies.conversation import Conversation
from studies.folder import parse, read_files
from studies.replies import Call, Part, ReplyEnd
from studies.runner import Visit
from studies.steps import Field, Step
from studies.study import Study
from studies.verdicts import Check, Verdict

SIZE = (120, 40)
TURNS_ABOVE = 8
LENGTH = 4_000
TOKEN = 4
"""Characters of a token."""
TICK = 0.002

PARAGRAPH = "Here is what I would do with the readings, one after another, and why it matters. " * 4 + "\n\n"
CODE = "```python\ndef scaled(lines):\n    rows = [one.split(';') for one in lines]\n    return rows\n```\n\n"
LIST = "- first of all, look at the *lines*\n- then at the readings\n- and last at `both`\n\n"
REPLIES = {
    "prose, code and lists": ((PARAGRAPH + CODE + LIST) * 12)[:LENGTH],
    "one piece of code": ("```python\n" + "    value = compute(first, second)  # a comment\n" * 100)[:LENGTH],
    "one list": ("- an item of a list that goes on for long\n" * 120)[:LENGTH],
    "one paragraph": ("word and word and " * 300)[:LENGTH],
}
ABOVE = REPLIES["prose, code and lists"].replace("```python", "").replace("```", "")
"""A reply without code, so that it counts as a question."""


class Paced:
    """An assistant that says a text token by token, at a pace, or at once."""

    def __init__(self) -> None:
        self.text, self.pace = ABOVE, 0.0
        self.began = 0.0
        """When it was asked."""

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """The text."""
        self.began = due = time.perf_counter()
        for at in range(0, len(self.text), TOKEN):
            if self.pace:
                due += 1 / self.pace
                await asyncio.sleep(max(0.0, due - time.perf_counter()))
            yield Part(self.text[at : at + TOKEN])
        yield ReplyEnd("complete", self.text)


class NoJudge:
    """Nothing is judged here."""

    async def judge(self, code: str, check: Check) -> Verdict:
        """Never accepted."""
        return Verdict("failed_assertion")

    def available(self) -> str | None:
        """It needs nothing."""
        return None


@dataclass
class Measured:
    """What was seen of one reply."""

    first: float = 0.0
    """Seconds to the first part, where there is a screen until it is painted."""
    heard: float = 0.0
    """Seconds until the screen has it."""
    whole: float = 0.0
    """Seconds to the end of the reply."""
    clock: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)


@asynccontextmanager
async def watched(measured: Measured) -> AsyncIterator[None]:
    """Watch the event loop meanwhile."""

    async def watch() -> None:
        while True:
            clock, cpu = time.perf_counter(), time.thread_time()
            await asyncio.sleep(TICK)
            measured.clock.append(time.perf_counter() - clock - TICK)
            measured.cpu.append(time.thread_time() - cpu)

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


async def bare(assistant: Paced, call: Call) -> Measured:
    """The reply drained by a loop that does nothing else."""
    measured, began = Measured(), time.perf_counter()
    async with watched(measured):
        async for one in assistant.reply(call):
            measured.first = measured.first or time.perf_counter() - began
            measured.whole = time.perf_counter() - began if isinstance(one, ReplyEnd) else 0.0
    return measured


def long_study() -> Study:
    """The bundled study with room for many turns."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "study"
        shutil.copytree(bundles.directory("roleplay"), copy)
        settings = copy / "study.toml"
        settings.write_text(settings.read_text("utf-8").replace("turns = 8", "turns = 50"), "utf-8")
        return parse(read_files(copy))


async def until(condition: Callable[[], bool]) -> None:
    """Look again and again, without taking the time from what is looked at."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(TICK / 2)


class Bench:
    """One participant before the application, with a long dialogue behind them."""

    def __init__(self, services: Services, study: Study) -> None:
        self.services, self.study = services, study
        self.assistant = Paced()
        self.stream = ""

    async def visit(self) -> Visit:
        """A visit to the session."""
        events = await self.services.archive.events(self.stream)
        made = Visit(self.study, events, self.services.store.journal, self.services.clock)
        dialogues = self.services.store.dialogues(self.study)
        made.live = Conversation(made, self.assistant, NoJudge(), dialogues)
        return made

    async def prepare(self) -> None:
        """Go to the first task and talk for some turns."""
        record = (await self.services.desk.load(self.study)).record
        seated = await self.services.desk.admit(record, "BENCH", pilot=True)
        assert seated.stream is not None
        self.stream = seated.stream
        visit = await self.visit()
        assert visit.live is not None
        await visit.begin("bench")
        while isinstance(step := visit.current, Step) and step.chat is None:
            name = visit.next_ask()
            assert name is not None
            await visit.answer(step.ask_id(name), _usual(step.field(name)), walk=True)
        for turn in range(TURNS_ABOVE):
            step = visit.current
            assert isinstance(step, Step)
            assert step.chat is not None
            await visit.answer(step.ask_id("message"), ABOVE if turn else step.chat.opening)
            await visit.live.advance()
        await visit.pause()

    async def through_the_app(self, text: str, pace: float) -> Measured:
        """One more reply, on the screen."""
        self.assistant.text, self.assistant.pace = text, pace
        visit = await self.visit()

        async def opening(app: CapaApp) -> VisitScreen:
            return VisitScreen(visit)

        app, measured = CapaApp(opening), Measured()
        async with app.run_test(size=SIZE) as pilot:
            await until(lambda: getattr(app.screen, "mode", "") == "writing" and app.screen.is_open)
            for _ in range(10):
                await pilot.pause()
            screen: Any = app.screen

            def painted() -> bool:
                newest: Any = screen.query(Said).last()
                return (
                    bool(newest.text and newest._lines)
                    and newest._drawn.get(0, ((None,),))[0][0] in newest._lines
                )

            # As the program does once it has opened.
            gc.freeze()
            screen._send("And then?")
            async with watched(measured):
                await until(lambda: screen._waiting_for == "receiving")
                measured.heard = time.perf_counter() - self.assistant.began
                await until(painted)
                measured.first = time.perf_counter() - self.assistant.began
                await until(lambda: screen.mode == "writing")
                measured.whole = time.perf_counter() - self.assistant.began
        return measured


class Peer(App[None]):
    """The same dialogue in Textual's own Markdown."""

    CSS = "VerticalScroll { height: 1fr; } Markdown { height: auto; } TextArea { height: 8; }"

    def compose(self) -> ComposeResult:
        """Messages above, a field below."""
        with VerticalScroll():
            for _ in range(TURNS_ABOVE):
                yield Static(ABOVE, markup=False)
                yield Markdown(ABOVE)
        yield TextArea()


async def peer(assistant: Paced, call: Call) -> Measured:
    """The reply into `Markdown.get_stream`."""
    app, measured = Peer(), Measured()
    async with app.run_test(size=SIZE) as pilot:
        scroll = app.query_one(VerticalScroll)
        scroll.anchor()
        markdown = Markdown()
        await scroll.mount(markdown)
        for _ in range(10):
            await pilot.pause()
        began = time.perf_counter()
        async with watched(measured):
            stream = Markdown.get_stream(markdown)
            try:
                async for one in assistant.reply(call):
                    if isinstance(one, Part):
                        await stream.write(one.text)
            finally:
                await stream.stop()
            await pilot.pause()
            measured.whole = time.perf_counter() - began
    return measured


def _usual(asked: Field) -> Any:
    if asked.kind == "info":
        return None
    return True if asked.kind == "consent" else asked.options[0].value


def worst(times: list[float]) -> float:
    """Milliseconds."""
    return max(times, default=0.0) * 1000


def mostly(times: list[float]) -> float:
    """Milliseconds that 99 of 100 stay below."""
    return sorted(times)[int(len(times) * 0.99)] * 1000 if times else 0.0


HEADING = f"{'200 tokens a second':22} {'whole':>8} {'rate':>9} {'worst':>9} {'99 of 100':>12} {'CPU':>9}"


def line(who: str, one: Measured, alone: Measured) -> str:
    """One line of the table; worst and 99 of 100 say how long a key would have waited."""
    return (
        f"  {who:20} {one.whole:6.2f} s {alone.whole / one.whole:9.1%}"
        f" {worst(one.clock):6.1f} ms {mostly(one.clock):9.1f} ms {sum(one.cpu):7.2f} s"
    )


async def main() -> None:
    study = long_study()
    call = Call("script", "rehearsal", ())
    with tempfile.TemporaryDirectory() as folder:
        async with Services.open(Path(folder) / "bench.db") as services:
            bench = Bench(services, study)
            await bench.prepare()
            print(HEADING)
            for name, text in REPLIES.items():
                assistant = Paced()
                assistant.text, assistant.pace = text, 200.0
                alone = await bare(assistant, call)
                ours = await bench.through_the_app(text, 200.0)
                theirs = await peer(assistant, call)
                print(name)
                print(line("bare", alone, alone))
                print(line("the application", ours, alone))
                print(line("Markdown.get_stream", theirs, alone))
                first = [round(one * 1000, 1) for one in (alone.first, ours.heard, ours.first)]
                print("  first part after {} ms, on the screen's side {} ms, painted {} ms".format(*first))
            assistant = Paced()
            assistant.text = REPLIES["prose, code and lists"]
            alone, ours = await bare(assistant, call), await bench.through_the_app(assistant.text, 0.0)
            rates = [len(assistant.text) / TOKEN / one.whole for one in (alone, ours)]
            print("all at once: {:,.0f} tokens a second bare, {:,.0f} shown".format(*rates))


if __name__ == "__main__":
    asyncio.run(main())
