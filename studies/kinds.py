"""What a study kind supplies to the shared way of a participation, and where each kind is found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from studies.errors import InputError
from studies.events import Event, Payload
from studies.state import Closing, State
from studies.steps import Step
from studies.study import Study


class StudyKind(Protocol):
    """The middle of a participation: everything between training and questionnaire."""

    def plan(self, state: State) -> tuple[str, ...]:
        """The ids of the middle's steps in order; `rest:N` stands for a rest."""

    def plan_key(self, state: State) -> object:
        """What the plan depends on beside the realised order; equal keys mean equal plans."""

    def training_items(self) -> tuple[str, ...]:
        """Ids of the practice items, in the order they are shown."""

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """Pages (id, title, Markdown) that come between instructions and training."""

    def step(self, step_id: str, state: State) -> Step:
        """A step of the middle or of training, with the fields that apply to the answers so far."""

    def feedback(self, item: str, answers: Mapping[str, Any]) -> tuple[str, bool]:
        """Feedback on a practice answer (Markdown), and whether it was right."""

    def explain(self, value: object) -> str:
        """More about an answer option, as Markdown; empty where there is no more to say."""

    def implied(self, name: str, value: Any, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """Other fields that answering this one changes, with their new values."""

    def reopens(self, earlier: str, current: str) -> bool:
        """Whether `back` from a step of the middle may reopen the one before it."""

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> tuple[Payload, ...]:
        """The events that close a step of the middle: the one that counts, and what follows from it."""

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """What follows by rule from going on from a page."""

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """The events of a message sent in a chat step.

        Raises:
            AnswerError: nothing can be sent now.
        """

    def answers(self, payload: Payload) -> str | None:
        """The id of the ask that this event of the kind's own answers, or None."""

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """What has to be put right when a participant sits down again; `late`: past the resume policy."""

    def closing_of(self, payload: Payload) -> Closing | None:
        """The step this event closes, or None."""

    def fold(self, middle: object, event: Event) -> object:
        """The kind's own state after one more event; None before the first."""

    def assigned(self, state: State) -> tuple[str, ...]:
        """Ids of what the participant is given, in order, as far as it is known; no repeats, no checks."""

    def finished(self, state: State) -> tuple[str, ...]:
        """Those of the assigned items, tasks or projects that are finished."""

    def done(self, state: State) -> int:
        """How many of the assigned items, tasks or projects are finished."""

    def flags(self, state: State) -> tuple[str, ...]:
        """What a researcher should know of this participation, in words."""


def kind_of(study: Study) -> StudyKind:
    """The kind that the study's settings name.

    Raises:
        InputError: this version of capa-tui has no such kind.
    """
    if study.settings.kind == "annotation":
        from studies.annotation.protocol import AnnotationKind

        return AnnotationKind(study)
    if study.settings.kind == "roleplay":
        from studies.roleplay.protocol import RoleplayKind

        return RoleplayKind(study)
    if study.settings.kind == "clarification":
        from studies.clarification.protocol import seat_of

        return seat_of(study)
    if study.settings.kind == "specification":
        from studies.specification.protocol import SpecificationKind

        return SpecificationKind(study)
    raise InputError(f"this version knows no study kind {study.settings.kind!r}")
