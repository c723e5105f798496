"""The asker's screen: the participant asks about a task, one question a turn, until they have enough."""

from __future__ import annotations

from typing import Any, ClassVar

from textual.binding import Binding

from screens.dialogue import WORDS
from screens.session import SessionScreen


class AskingScreen(SessionScreen):
    """The dialogue of role-play, with the task beside it and the end in the participant's hands."""

    HELP = WORDS["asker"].help
    BINDINGS: ClassVar[list[Any]] = [
        Binding("f4", "enough", "I have enough", id="asking.enough",
                tooltip="You know enough to write the program: nothing more is asked in this task"),
        Binding("f2", "brief", "the task", id="asking.brief",
                tooltip="The task, over the conversation, while you write"),
    ]  # fmt: skip

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """To have enough takes the place of `it is done`."""
        if not self.is_mounted:
            return super().check_action(action, parameters)
        if action == "done":
            return False
        if action == "enough":
            return self.can_declare
        return super().check_action(action, parameters)

    def action_enough(self) -> None:
        """Ask once, then ask no more in this task."""
        self.action_done()
