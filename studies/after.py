"""The questions after each task or project, and the closing ones: one event, told apart by its step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.payloads import QuestionnaireSubmitted

if TYPE_CHECKING:
    from studies.events import Event
    from studies.setting_types import LiveSettings


@dataclass(frozen=True, slots=True)
class AfterAnswer:
    """One revision of an answer to one question."""

    item: str
    question: str
    kind: str
    value: object
    revision: int
    latest: bool
    at: str


def item_after(event: Event) -> str | None:
    """The task or project that these answers are about; None for everything else."""
    step = event.payload.step if isinstance(event.payload, QuestionnaireSubmitted) else ""
    return step.split(":", 2)[2] if step.startswith("after:") else None


def without_after(events: Iterable[Event]) -> list[Event]:
    """The events without those answers: what is left of questionnaires is the closing one."""
    return [one for one in events if item_after(one) is None]


def after_answers(events: Iterable[Event], settings: LiveSettings) -> Iterator[AfterAnswer]:
    """Those answers, question by question, revisions too.

    Args:
        events: one participation's.
        settings: of the kind, with the questions.
    """
    kinds = {one.id: one.kind for one in settings.after}
    given: dict[tuple[str, str], list[tuple[object, str]]] = {}
    for one in events:
        item = item_after(one)
        if item is not None and isinstance(one.payload, QuestionnaireSubmitted):
            for question, value in one.payload.answers.items():
                given.setdefault((item, question), []).append((value, one.at))
    for (item, question), answers in given.items():
        kind = kinds.get(question, "text")
        for revision, (value, at) in enumerate(answers, start=1):
            yield AfterAnswer(item, question, kind, value, revision, revision == len(answers), at)
