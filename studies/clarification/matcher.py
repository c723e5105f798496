"""The seat `matcher`: which key questions does a model's question hit?

The person sees the task, the key questions in an order of their own, and the asked question; never the reply,
later turns, the model, votes or outcome.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.chance import Chance
from studies.clarification.calls import task_text
from studies.clarification.payloads import QuestionLabelled
from studies.clarification.seat import Seat, clarifications_of
from studies.events import Payload
from studies.state import Closing, State, Submission
from studies.steps import Field, Material, Message, Option, Step

ASKED = "Which of these does the question ask about?"


class Matcher(Seat):
    """Asked questions, one after the other."""

    UNIT = "Question"
    KINDNESS = (
        "You will see a programming task that leaves something open, a few *key questions* about what is "
        "left open, and one question that somebody asked. Say which key questions it asks about.\n\n"
        "The wording may differ. What counts is whether one answer would settle both. It may ask about none "
        "of them, or about several.\n\n"
        "There is no hurry and no right answer that you are compared with: your own view counts."
    )

    def steps_of(self, item: str) -> tuple[str, ...]:
        """One decision."""
        return (f"label:1:{item}",)

    def shown_order(self, item: str, state: State) -> tuple[str, ...]:
        """The key questions as this person sees them for this question; the same whenever it is asked."""
        task, _ = self.study.asked_question(item)
        slot = state.opened.slot if state.opened else 0
        chance = Chance(self.study.settings.seed, slot, f"key questions {item}")
        return tuple(chance.shuffled(one.id for one in task.key_questions))

    def step(self, step_id: str, state: State) -> Step:
        """The question beside the key questions."""
        item = step_id.split(":", 2)[2]
        task, asked = self.study.asked_question(item)
        options = tuple(Option(one, task.key_question(one).question) for one in self.shown_order(item, state))
        last = state.submitted.get(step_id)
        return Step(
            step_id,
            state.revision(step_id),
            "matching",
            "A question",
            fields=(Field("matches", "multi", ASKED, options),),
            about=item,
            material=Material(asked.text, (Message("task", task_text(task)),)),
            progress=self.progress(item, state),
            previous=last.answers if last and state.reopened == step_id else None,
        )

    def closed(self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int) -> Payload:
        """The decision."""
        item = step.about or ""
        task, _ = self.study.asked_question(item)
        chosen = tuple(answers["matches"])
        return QuestionLabelled(
            step.id,
            item,
            task.id,
            step.revision,
            tuple(one.id for one in task.key_questions if one.id in chosen),
            self.shown_order(item, state),
            elapsed_ms,
        )

    def closing_of(self, payload: Payload) -> Closing | None:
        """A decision closes its step."""
        if isinstance(payload, QuestionLabelled):
            return Closing(payload.step, Submission(payload.revision, {"matches": payload.matches}))
        return None

    def finished(self, state: State) -> tuple[str, ...]:
        """Questions that were labelled."""
        return clarifications_of(state).labelled
