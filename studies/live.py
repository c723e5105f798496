"""The live side of a visit: what goes on without the participant, and what they may do meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from studies.chat import Chat
    from studies.replies import Assistant, Part, ReplyEnd
    from studies.roleplay.context import Dialogues
    from studies.runner import Visit
    from studies.steps import Done, Step
    from studies.verdicts import Judge, Verdict
    from studies.work import Work


@dataclass(frozen=True, slots=True)
class Heard:
    """Something a front end may show while it waits."""

    about: str
    turn: int
    """Assistant turn of a dialogue; 0 for other work."""
    what: Part | ReplyEnd | Verdict | Work


Listener = Callable[[Heard], None]


class Live(Protocol):
    """What a study kind with live assistants does beside the participant. It stores through its visit."""

    def chat(self, about: str) -> Chat:
        """The dialogue of a task as it stands, also once it has ended.

        Raises:
            KeyError: the kind has no dialogues.
        """

    async def advance(self, hear: Listener = lambda heard: None) -> Step | Done:
        """Do whatever is due until the participant is asked again, or something broke off.

        Raises:
            JournalError: something is not on disk yet; call again.
        """

    def begin(self) -> None:
        """Begin in the background what can be done while the participant reads and types."""

    def stop(self) -> bool:
        """Stop the reply in flight, which uses its turn up; False if there is none."""

    def abandon(self) -> bool:
        """Break off what is under way because the participant leaves; it can be asked for again."""

    async def retry(self, step: Step) -> None:
        """Ask again for what broke off.

        Raises:
            AnswerError: there is nothing to retry.
        """

    async def end(self, step: Step, *, done: bool = False) -> None:
        """End the task: give up, or declare it done where the study lets the participant decide.

        Raises:
            AnswerError: no task is open that could be ended so.
        """


def live_of(visit: Visit, assistant: Assistant, judge: Judge | None, dialogues: Dialogues) -> Live | None:
    """The live side that the visit's study kind has; None where it has none.

    Args:
        visit: not begun yet.
        assistant: answers calls to the study's assistants.
        judge: None where the study runs no code.
        dialogues: other people's sessions.
    """
    settings = visit.study.settings
    talks = settings.kind == "clarification" and settings.clarification.seat in ("answerer", "asker")
    if talks or settings.kind == "roleplay":
        from studies.conversation import Conversation

        return Conversation(visit, assistant, judge, dialogues)
    if visit.study.settings.kind == "specification":
        from studies.specification.crew import Crew

        return Crew(visit, assistant, dialogues)
    return None
