"""What has been said on a step so far, ahead of the journal. Knows no widget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from studies.steps import AnswerError, Field, Step, check_answer

if TYPE_CHECKING:
    from studies.runner import Visit


@dataclass(frozen=True, slots=True)
class Missing:
    """A field that keeps the step open, and why."""

    field: Field
    problem: str
    """Empty: it has no answer yet. Otherwise what is wrong with the one it has."""


class Answers:
    """The answers of an open step as the participant sees them: those on disk and those on their way.

    Which fields apply follows from the answers by the same rules the runner uses.
    """

    def __init__(self, visit: Visit, step: Step) -> None:
        self._visit = visit
        self._state = visit.state
        self._given: dict[str, Any] = dict(visit.answers)
        self.step = step
        """The step with the fields that apply to the answers so far."""
        self._refresh()

    def get(self, name: str) -> Any:
        """The answer to a field; None where there is none."""
        if name in self._given:
            return self._given[name]
        return (self.step.previous or {}).get(name)

    def field(self, name: str) -> Field | None:
        """The field of that name, if it applies now."""
        return next((one for one in self.step.fields if one.name == name), None)

    def ask(self, name: str) -> str:
        """The id under which a field is asked."""
        return self.step.ask_id(name)

    def say(self, name: str, value: Any) -> Mapping[str, Any]:
        """Give an answer, or None to take it back; returns it with all that follows from it."""
        before = {**(self.step.previous or {}), **self._given}
        changed = {name: value, **self._visit.protocol.kind.implied(name, value, before)}
        self._given.update(changed)
        self._refresh()
        return changed

    def missing(self) -> Missing | None:
        """The first field that keeps the step open."""
        for field in self.step.fields:
            if field.kind == "info":
                continue
            value = self.get(field.name)
            if value is None and field.required:
                return Missing(field, "")
            try:
                check_answer(field, value)
            except AnswerError as error:
                empty = isinstance(value, str) and not value.strip()
                return Missing(field, "" if empty else str(error))
        return None

    def _refresh(self) -> None:
        state = replace(self._state, answers=self._given)
        self.step = self._visit.protocol.step(self.step.id, state)
