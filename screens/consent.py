"""Consent: each item answered for itself, nothing chosen beforehand, and one clear way to say no."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from textual import on
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Button

from screens.answers import Answers
from screens.dialogs import confirm
from screens.participant import ParticipantScreen
from screens.widgets.marks import Choices, Markable
from screens.widgets.panes import Pane, Reading
from screens.widgets.text import PlainText, TextButton
from studies.steps import Step

if TYPE_CHECKING:
    from screens.visit import VisitScreen

NEEDED, YOURS = "Needed to take part.", "Your choice; you can take part either way."


class ConsentScreen(ParticipantScreen):
    """The text of the consent and its items."""

    CSS_PATH = ["participant.tcss", "consent.tcss"]
    HELP = (
        "Read the text and answer each item for yourself. Nothing is agreed to until you say so. "
        "Refusing an item that is needed means that you do not take part; nothing more is asked then."
    )
    BINDINGS = [
        Binding("enter", "next", "go on", id="consent.next", tooltip="Go on once every item is answered"),
        Binding("d", "decline", "do not take part", id="consent.decline"),
    ]

    def __init__(self, flow: VisitScreen, step: Step) -> None:
        super().__init__(flow, step)
        self._answers = Answers(flow.visit, step)

    def compose_middle(self) -> Iterable[Widget]:
        """Everything in one place that scrolls; the ways on below it."""
        with Pane("Consent", id="text"):
            yield Reading(self.step.body)
            for place, field in enumerate(self.step.fields):
                with Vertical(classes="item"):
                    yield PlainText(field.text, classes="item-text")
                    needed = self.flow.visit.protocol.refuses(field.name, False)
                    yield PlainText(NEEDED if needed else YOURS, classes="item-need")
                    yield Choices(field.options, self._answers.get(field.name), id=f"item-{place}")
        with Horizontal(id="buttons"):
            yield TextButton("Do not take part", focusable=False, id="decline")
            yield TextButton("Go on", primary=True, id="next")

    def on_mount(self) -> None:
        """The keys scroll the text first."""
        super().on_mount()
        self.set_focus(self.query_one("#text"))

    @on(Markable.Marked)
    def _marked(self, event: Markable.Marked) -> None:
        field = self.step.fields[int((event.field.id or "").removeprefix("item-"))]
        self._answers.say(field.name, event.value)
        self.flow.answer(self._answers.ask(field.name), event.value)
        self.say("")

    @on(Button.Pressed, "#next")
    def action_next(self) -> None:
        """Close the consent, if every item is answered."""
        if any(self.flow.visit.protocol.refuses(one.name, self._answers.get(one.name))
               for one in self.step.fields):  # fmt: skip
            self.action_decline()
            return
        for place, field in enumerate(self.step.fields):
            if self._answers.get(field.name) is None:
                self.say("Please answer this item as well: agree, or do not agree.", urgent=True)
                self.set_focus(self.query_one(f"#item-{place}"))
                return
        self.flow.leave(self.step)

    @on(Button.Pressed, "#decline")
    def action_decline(self) -> None:
        """Ask whether it is meant."""
        asked = confirm(
            "Not take part?",
            "Then the study ends here and nothing more is asked. That you chose not to take part is "
            "recorded, with your answers to these items.",
            "Do not take part",
            "Go back",
        )
        self.app.push_screen(asked, self._declined)

    def _declined(self, sure: bool | None) -> None:
        if not sure:
            return
        refuses = self.flow.visit.protocol.refuses
        if not any(refuses(one.name, self._answers.get(one.name)) for one in self.step.fields):
            needed = next(one for one in self.step.fields if refuses(one.name, False))
            self.flow.answer(self._answers.ask(needed.name), False)
        self.flow.leave(self.step)
