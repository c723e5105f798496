"""The stages of an agent in one participation: each call, what the model was shown, and what came of it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.widgets import DataTable

from screens.lab import Lab, LabScreen
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.panes import Pane
from screens.widgets.table import Cell, PlainTable, Row
from screens.widgets.text import PlainText, plain, plain_line
from screens.words import counted
from studies.ports import StudyRecord

if TYPE_CHECKING:
    from studies.specification.shown import Shown

COLUMNS = ("project", "stage", "try", "standing", "ms", "US dollars")
NO_CALLS = "No agent has been called yet."
PARTS = {"answer": "What came of it", "messages": "What the model was shown"}
LONGEST = 40_000
"""Characters of one text that are shown; a prompt with many conversations would hold up the keys."""


class StagesScreen(LabScreen[None]):
    """Calls above, the marked one below, or beside."""

    CSS_PATH = ["lab.tcss", "stages.tcss"]
    HELP = (
        "Every call of the agents of one participation, in order. For the marked call: what came of it (the "
        "validated answer, or what was wrong with it, and each reply as it came), and the messages that the "
        "model was shown, built again from the events they came from. Words that were erased since are gone "
        "here too, and such a call says so."
    )
    BINDINGS: ClassVar[list[Any]] = [
        Binding("m", "turn", "messages / answer", id="stages.turn",
                tooltip="Show what the model was shown, or what came of it"),
        Binding("pagedown", "scroll('down')", "scroll", show=False, tooltip="Scroll what is shown"),
        Binding("pageup", "scroll('up')", "scroll", show=False, tooltip="Scroll what is shown"),
        Binding("tab", "app.focus_next", "next place", id="stages.tab"),
        Binding("r", "refresh", "refresh", id="stages.refresh", tooltip="Look at the database again"),
        Binding("escape,q", "dismiss", "back", key_display="esc", tooltip="Back to the board"),
    ]  # fmt: skip

    def __init__(self, lab: Lab, record: StudyRecord, stream: str, code: str) -> None:
        """The calls of a participation.

        Args:
            lab: where it is read.
            record: the study.
            stream: of the participation.
            code: the person's, for the first line.
        """
        super().__init__()
        self._lab, self._record, self._stream, self._code = lab, record, stream, code
        self._calls: tuple[Shown, ...] = ()
        self._part = "answer"

    def compose(self) -> ComposeResult:
        """The calls, and one of them."""
        yield WhereAmI(f"{self._record.title} · {self._code}", "reading ...")
        with Container(id="stages"):
            yield PlainTable(COLUMNS, paged=False, id="calls")
            with Pane(id="call"):
                yield PlainText(NO_CALLS, id="what")
        yield PlainText(id="says")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Read once painted."""
        super().on_mount()
        self.query_one("#calls").border_title = "Calls"
        self.set_focus(self.query_one("#calls"))
        self.action_refresh()

    def action_refresh(self) -> None:
        """Look at the database again."""
        self.begin(self._look, group="looking")

    async def _look(self) -> None:
        found = await self.attempt("The participation could not be read", self._read())
        if found is None:
            return
        self._calls = found
        rows = {str(n): _row(one) for n, one in enumerate(found)}
        await self.query_one("#calls", PlainTable).fill(rows)
        self.query_one(WhereAmI).place = in_short(found)
        self._show()

    async def _read(self) -> tuple[Shown, ...]:
        from studies.specification.shown import calls

        study = await self._lab.archive.study(self._record.sha256)
        events = await self._lab.archive.events(self._stream)
        return await asyncio.to_thread(lambda: tuple(calls(study, events)))

    # -- one call ------------------------------------------------------------------------------

    @on(DataTable.RowHighlighted)
    def _show(self) -> None:
        key = self.query_one("#calls", PlainTable).selected_key
        pane = self.query_one("#call", Pane)
        pane.border_title = PARTS[self._part]
        if key is not None and int(key) < len(self._calls):
            one = self._calls[int(key)]
            parts = _messages(one) if self._part == "messages" else _answer(one)
            self.query_one("#what", PlainText).update(Content("\n").join(parts))
            pane.renew()

    def action_turn(self) -> None:
        """Show the other part of the call."""
        self._part = "messages" if self._part == "answer" else "answer"
        self._show()

    def action_scroll(self, way: str) -> None:
        """Scroll what is shown of the call."""
        pane = self.query_one("#call", Pane)
        pane.scroll_page_down(animate=False) if way == "down" else pane.scroll_page_up(animate=False)


def _row(one: Shown) -> Row:
    answer = one.answer
    cost = "" if answer is None or answer.cost is None else f"{answer.cost:.4f}"
    return (
        one.call.item,
        one.call.call,
        Cell(str(one.call.attempt), right=True),
        Cell(answer.standing if answer else "under way"),
        Cell(f"{answer.total_ms:,}" if answer else "", right=True),
        Cell(cost, right=True),
    )


def in_short(calls: Sequence[Shown]) -> str:
    """How many calls there are, and what they cost together as far as that is known."""
    costs = [one.answer.cost for one in calls if one.answer is not None]
    known = [one for one in costs if one is not None]
    unknown = f", {len(costs) - len(known)} of unknown cost" if len(known) < len(costs) else ""
    money = f"{sum(known):.4f} US dollars{unknown}" if known else "cost unknown"
    return f"{counted(len(calls), 'call')} · {money}"


def _answer(one: Shown) -> Iterator[Content]:
    call, answer = one.call, one.answer
    yield plain(f"{call.call}, try {call.attempt}, by {call.assistant} ({call.model})", "bold")
    if call.dropped:
        yield plain(f"Left out of the profile by chance: {', '.join(call.dropped)}")
    if answer is None:
        yield plain("It is under way, or what came of it is missing.")
        return
    yield plain(f"Standing: {answer.standing}. {answer.error}".strip())
    if answer.trouble:
        yield plain(f"Trouble: {answer.trouble}")
    yield Content("")
    yield plain("The validated answer" if answer.answer is not None else "No answer that fits", "bold")
    if answer.answer is not None:
        yield _long(json.dumps(answer.answer, indent=2, ensure_ascii=False))
    for place, reply in enumerate(answer.replies, start=1):
        tokens = f"{_known(reply.prompt_tokens)} + {_known(reply.completion_tokens)} tokens"
        served = reply.model_served or call.model
        yield Content("")
        yield plain(f"Reply {place}: {reply.status}, {reply.total_ms:,} ms, {tokens}, {served}", "bold")
        yield _long(reply.text)


def _messages(one: Shown) -> Iterator[Content]:
    if one.missing:
        gone = ", ".join(map(str, one.missing))
        yield plain(f"Words that it showed are gone (events {gone}), so it cannot be built again.")
        return
    if not one.whole:
        yield plain("This is not what was sent: its hash is another one. What was sent is not known.", "bold")
    for message in one.messages:
        yield plain_line(f"── {message.role}", "bold")
        yield _long(message.content)
        yield Content("")


def _long(text: str) -> Content:
    cut = f"\n... {len(text) - LONGEST:,} more characters" if len(text) > LONGEST else ""
    return plain(text[:LONGEST] + cut)


def _known(tokens: int | None) -> str:
    return "?" if tokens is None else f"{tokens:,}"
