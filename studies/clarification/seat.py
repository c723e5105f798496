"""What every seat of a clarification study has in common: tasks in blocks, and no practice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

from studies.clarification.sessions import Clarifications, fold
from studies.events import Event, Payload
from studies.payloads import Planned, QuestionnaireSubmitted
from studies.state import Closing, State
from studies.steps import AnswerError, Progress, Step
from studies.study import Study


def clarifications_of(state: State) -> Clarifications:
    """The clarification part of a state."""
    return state.middle if isinstance(state.middle, Clarifications) else Clarifications()


class Seat(ABC):
    """Base of the study kinds that the seats are. A subclass says what its steps are."""

    KINDNESS: ClassVar[str] = ""
    """What every participant is told before the first task."""
    UNIT: ClassVar[str] = "Task"
    """What progress counts."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.settings = study.settings.clarification

    def order(self, state: State) -> tuple[Planned, ...]:
        """What the participant is given, in the realised order."""
        return state.opened.order if state.opened else ()

    def planned(self, item: str, state: State) -> Planned:
        """The place of a task in the realised order."""
        return next(one for one in self.order(state) if one.item == item)

    @abstractmethod
    def steps_of(self, item: str) -> tuple[str, ...]:
        """Ids of the steps that a task, or an asked question, takes."""

    def plan(self, state: State) -> tuple[str, ...]:
        """The steps in order, with rests between blocks."""
        steps: list[str] = []
        order = self.order(state)
        for before, planned in zip((None, *order), order, strict=False):
            if before is not None and before.block != planned.block:
                steps.append(f"rest:{before.block}")
            steps += self.steps_of(planned.item)
        return tuple(steps)

    def plan_key(self, state: State) -> object:
        """The plan depends on nothing but the order."""
        return ()

    def training_items(self) -> tuple[str, ...]:
        """There is no practice."""
        return ()

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """The rule of the seat, and that nobody is tested."""
        return (("kindness", "Before you begin", self.KINDNESS),)

    @abstractmethod
    def step(self, step_id: str, state: State) -> Step:
        """A step of the middle."""

    def feedback(self, item: str, answers: Mapping[str, Any]) -> tuple[str, bool]:
        """There is no practice."""
        raise KeyError(item)

    def explain(self, value: object) -> str:
        """There is nothing to explain about answers."""
        return ""

    def implied(self, name: str, value: Any, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """No answer changes another."""
        return {}

    def reopens(self, earlier: str, current: str) -> bool:
        """What was labelled, shortened or written can be gone back to; so can the questions after a task."""
        return earlier.partition(":")[0] in ("after", "label", "shorten", "gap")

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> tuple[Payload, ...]:
        """The events that close a step of the middle."""
        if step.kind == "form":
            return (QuestionnaireSubmitted(step.id, dict(answers)),)
        return (self.closed(step, state, answers, elapsed_ms),)

    @abstractmethod
    def closed(self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int) -> Payload:
        """The event that closes a step."""

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Nothing follows from going on."""
        return ()

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """Nothing is sent in this seat."""
        raise AnswerError("nothing can be sent here")

    def answers(self, payload: Payload) -> str | None:
        """No event of the seat's own answers an ask."""
        return None

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """Nothing has to be put right."""
        return ()

    @abstractmethod
    def closing_of(self, payload: Payload) -> Closing | None:
        """The step that an event closes."""

    def fold(self, middle: object, event: Event) -> Clarifications:
        """Everything of the kind after one more event."""
        return fold(middle if isinstance(middle, Clarifications) else Clarifications(), event)

    def assigned(self, state: State) -> tuple[str, ...]:
        """Ids of what the participant is given, in order."""
        return tuple(one.item for one in self.order(state))

    def finished(self, state: State) -> tuple[str, ...]:
        """Tasks whose session has ended."""
        return tuple(one.item for one in clarifications_of(state).all if one.ending is not None)

    def done(self, state: State) -> int:
        """How many of the assigned ones are finished."""
        return len(self.finished(state))

    def flags(self, state: State) -> tuple[str, ...]:
        """Sessions that did not come to a regular end."""
        ends = Counter(str(one.ending) for one in clarifications_of(state).all)
        named = {"technical": "failed technically", "gave_up": "given up", "timed_out": "timed out"}
        return tuple(f"{words} {ends[end]}" for end, words in named.items() if ends[end])

    def progress(self, item: str, state: State) -> Progress:
        """Where in the order an item is."""
        order = self.order(state)
        place = next(at for at, one in enumerate(order, start=1) if one.item == item)
        blocks = max((one.block for one in order), default=0)
        return Progress(self.UNIT, order[place - 1].block, blocks, place, len(order))
