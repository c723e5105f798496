"""The seat `matcher`: which key questions does a model's question hit?

The person sees the task, the key questions in an order of their own, and the asked question; never the reply,
later turns, the model, votes or outcome. Where the study codes what participants wrote, one of their texts
stands in the place of the question, and key answers or facts in that of the key questions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from studies.chance import Chance
from studies.clarification.calls import task_text
from studies.clarification.payloads import QuestionLabelled
from studies.clarification.seat import Seat, clarifications_of
from studies.events import Payload
from studies.state import Closing, State, Submission
from studies.steps import Field, Material, Message, Option, Progress, Step

if TYPE_CHECKING:
    from studies.clarification.materials import KeyQuestion


@dataclass(frozen=True, slots=True)
class Words:
    """What a matcher is told, by what is labelled."""

    unit: str
    """What progress counts."""
    title: str
    asked: str
    """What is to be decided."""
    kindness: str


_CODING = (
    "You will see a programming task, a few statements that belong to it, and one {text} that somebody wrote "
    "about it. Say which of the statements the {text} gives away.\n\n"
    "The wording may differ. What counts is whether a reader of this {text} alone would learn it from there: "
    "a bare *yes* gives nothing away. It may give away none of them, or several.\n\n"
    "There is no hurry and no right answer that you are compared with: your own view counts."
)
WORDS: Mapping[str, Words] = {
    "questions": Words(
        "Question",
        "A question",
        "Which of these does the question ask about?",
        "You will see a programming task that leaves something open, a few *key questions* about what is "
        "left open, and one question that somebody asked. Say which key questions it asks about.\n\n"
        "The wording may differ. What counts is whether one answer would settle both. It may ask about none "
        "of them, or about several.\n\n"
        "There is no hurry and no right answer that you are compared with: your own view counts.",
    ),
    "answers": Words(
        "Answer",
        "An answer",
        "Which of these does the answer give away?",
        _CODING.format(text="answer"),
    ),
    "messages": Words(
        "Message",
        "A message",
        "Which of these does the message give away?",
        _CODING.format(text="message"),
    ),
}
"""By what is labelled: asked questions, or what a study codes."""


class Matcher(Seat):
    """Asked questions, or texts to be coded, one after the other."""

    @property
    def words(self) -> Words:
        """What this study's matchers are told."""
        return WORDS[self.settings.coding.of if self.settings.coding else "questions"]

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """The rule of the seat, and that nobody is tested."""
        return (("kindness", "Before you begin", self.words.kindness),)

    def progress(self, item: str, state: State) -> Progress:
        """Where in the order a question or text is."""
        return replace(super().progress(item, state), part=self.words.unit)

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
        options = tuple(self.option(task.key_question(one)) for one in self.shown_order(item, state))
        last = state.submitted.get(step_id)
        return Step(
            step_id,
            state.revision(step_id),
            "matching",
            self.words.title,
            fields=(Field("matches", "multi", self.words.asked, options),),
            about=item,
            material=Material(asked.text, (Message("task", task_text(task)),)),
            progress=self.progress(item, state),
            previous=last.answers if last and state.reopened == step_id else None,
        )

    def option(self, gap: KeyQuestion) -> Option:
        """A key question; in coding the statement, behind the question that it answers if there is one."""
        if self.settings.coding is None:
            return Option(gap.id, gap.question)
        return Option(gap.id, gap.answer if gap.answer == gap.question else f"{gap.question} {gap.answer}")

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
