"""A screen on which a message is written: what is written and not sent is kept, whatever happens."""

from __future__ import annotations

from textual import on

from screens import dialogue as words
from screens.replying import ReplyingScreen
from screens.widgets.composer import Composer
from studies.steps import Step


class WritingScreen(ReplyingScreen):
    """Keeps drafts of the message. One that is written while a reply comes belongs to the turn after it."""

    @property
    def composer(self) -> Composer:
        """Where the next message is written."""
        return self.query_one("#composer", Composer)

    def ask_id(self, turn: int) -> str:
        """Id of a turn's ask."""
        return f"{self.step.id}/message/{turn}"

    def kept_draft(self) -> str:
        """What was written and not sent."""
        drafts, turn = self.flow.visit.drafts, self.step.revision
        return drafts.get(self.ask_id(turn)) or drafts.get(self.ask_id(turn - 1)) or ""

    def carry_draft(self, step: Step) -> None:
        """Keep what was written with the turn that follows."""
        self.flow.draft(self.ask_id(self.step.revision), "")
        if self.composer.said:
            self.flow.draft(self.ask_id(step.revision), self.composer.said)

    def keep(self) -> None:
        """Keep what is written and not sent."""
        if self.composer.said:
            self.flow.draft(self.ask_id(self.step.revision), self.composer.said)

    @on(Composer.Typed)
    def _typed(self, event: Composer.Typed) -> None:
        self.flow.draft(self.ask_id(self.step.revision), event.field.said)

    @on(Composer.Cut)
    def _cut(self) -> None:
        self.say(words.CUT, urgent=True)
