"""The protocol every participation follows, from consent to debrief; the study kind supplies the middle."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from studies import payloads as said
from studies.events import Event, Payload
from studies.kinds import StudyKind, kind_of
from studies.state import State, fold
from studies.steps import Done, End, Field, Option, Progress, Step
from studies.study import Study, text_hash

PAGE_BREAK = re.compile(r"^---[ \t]*\r?\n", re.MULTILINE)
REOPENS = ("main", "repeat", "check", "questions", "after", "label", "shorten", "gap")
"""Sorts of steps that a participant may go back to."""
QUESTIONS_A_SCREEN = 8
"""Long forms come in screens of at most eight questions."""


class Protocol:
    """State + event -> state, and what may come next. Knows no interface and no storage."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.kind: StudyKind = kind_of(study)
        self._pages = tuple(part.strip() for part in PAGE_BREAK.split(study.texts.instructions))
        self._overview = {f"overview:{key}": (title, text) for key, title, text in self.kind.overview()}
        self._planned: tuple[object, object, tuple[str, ...]] | None = None

    # -- the fold ------------------------------------------------------------------------------

    def apply(self, state: State, event: Event) -> State:
        """The state after one more event."""
        return fold(state, event, self.kind)

    def replay(self, events: Iterable[Event]) -> State:
        """The state after a whole stream."""
        state = State()
        for one in events:
            state = self.apply(state, one)
        return state

    # -- the plan ------------------------------------------------------------------------------

    def plan(self, state: State) -> tuple[str, ...]:
        """Ids of all steps in order, as far as they are known: a further round of practice adds its own."""
        rounds = self._rounds(state)
        key = (rounds, self.kind.plan_key(state))
        if self._planned and self._planned[0] is state.opened and self._planned[1] == key:
            return self._planned[2]
        steps = ["consent", *(f"instructions:{n}" for n in range(1, len(self._pages) + 1)), *self._overview]
        for attempt in range(1, rounds + 1):
            for item in self.kind.training_items():
                steps += [f"training:{attempt}:{item}", f"feedback:{attempt}:{item}"]
            steps.append(f"practised:{attempt}")
        steps += self.kind.plan(state)
        steps += (f"questions:{n}" for n in range(1, len(self._question_screens()) + 1))
        steps.append("debrief")
        self._planned = (state.opened, key, tuple(steps))
        return self._planned[2]

    def _rounds(self, state: State) -> int:
        if not self.kind.training_items():
            return 0
        again = sum(1 for one in state.rounds if one.passed is False)
        return min(1 + again, self.study.settings.training.rounds)

    def current_id(self, state: State) -> str | None:
        """Id of the step that is open; None when nothing more is asked."""
        if state.end is not None:
            return None
        if state.reopened is not None:
            return state.reopened
        if state.refresh_page is not None and state.refresh_page <= len(self._pages):
            return f"refresh:{state.refresh_page}"
        plan = self.plan(state)
        return plan[state.closed] if state.closed < len(plan) else None

    def current(self, state: State) -> Step | Done:
        """What is asked now, with the fields that apply to the answers so far."""
        step = self.current_id(state)
        if step is None:
            return self.done(state.end or "completed", state)
        return self.step(step, state)

    def back(self, state: State) -> str | None:
        """Id of the step that `back` reopens: the one before in the same block, or None."""
        current = self.current_id(state)
        if current is None or current.startswith("refresh:"):
            return None
        plan = self.plan(state)
        place = plan.index(current) - 1
        if place < 0 or not self._reopens(plan[place]):
            return None
        return plan[place]

    @staticmethod
    def _reopens(step: str) -> bool:
        return step.partition(":")[0] in REOPENS

    # -- one step ------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """One step of the plan."""
        sort, _, rest = step_id.partition(":")
        made: Step
        if sort == "consent":
            made = self._consent(state)
        elif sort in ("instructions", "refresh"):
            made = self._page(
                step_id, "Instructions", self._pages[int(rest) - 1], int(rest), len(self._pages)
            )
        elif sort == "overview":
            title, text = self._overview[step_id]
            place = list(self._overview).index(step_id) + 1
            made = self._page(step_id, title, text, place, len(self._overview), "Categories")
        elif sort == "feedback":
            made = self._feedback(step_id, state)
        elif sort == "practised":
            made = self._page(step_id, "Practice", self._practised(state, int(rest)), part="Practice")
        elif sort == "rest":
            made = replace(self._page(step_id, "A short rest", REST, part="Rest"), kind="rest")
        elif sort == "questions":
            made = self._questions(step_id, state)
        elif sort == "debrief":
            made = replace(
                self._page(step_id, "Thank you", self.study.texts.debrief, part="Debrief"), kind="debrief"
            )
        else:
            made = self.kind.step(step_id, state)
        return replace(made, can_go_back=self.back(state) is not None)

    def _page(
        self, step_id: str, title: str, text: str, place: int = 0, total: int = 0, part: str = ""
    ) -> Step:
        read = Field("read", "info", text)
        progress = Progress(part or title, position=place, total=total)
        return Step(step_id, 1, "page", title, text, (read,), progress=progress)

    def _consent(self, state: State) -> Step:
        fields = tuple(
            Field(one.id, "consent", one.text, AGREE, required=True) for one in self.study.settings.consent
        )
        return Step(
            "consent", 1, "consent", "Consent", self.study.texts.consent, fields, progress=Progress("Consent")
        )

    def _feedback(self, step_id: str, state: State) -> Step:
        _, attempt, item = step_id.split(":", 2)
        training = f"training:{attempt}:{item}"
        shown = self.kind.step(training, state)
        text, correct = self.kind.feedback(item, state.submitted[training].answers)
        title = "Practice: that is our answer too" if correct else "Practice: we see this one differently"
        return replace(self._page(step_id, title, text), kind="feedback", about=item, material=shown.material,
                       progress=shown.progress)  # fmt: skip

    def _practised(self, state: State, attempt: int) -> str:
        right, asked = self._score(state, attempt)
        mark = self.study.settings.training.pass_mark
        if mark is None or _reached(right, asked, mark):
            return PRACTISED
        if attempt < self.study.settings.training.rounds:
            return AGAIN
        return NOT_PASSED if self.study.settings.training.exclude else PRACTISED

    def _question_screens(self) -> tuple[tuple[Any, ...], ...]:
        asked = self.study.settings.questionnaire
        return tuple(asked[at : at + QUESTIONS_A_SCREEN] for at in range(0, len(asked), QUESTIONS_A_SCREEN))

    def _questions(self, step_id: str, state: State) -> Step:
        screens = self._question_screens()
        place = int(step_id.partition(":")[2])
        fields = tuple(question_field(one) for one in screens[place - 1])
        last = state.submitted.get(step_id)
        return Step(
            step_id,
            state.revision(step_id),
            "form",
            "A few questions",
            fields=fields,
            progress=Progress("Questions", position=place, total=len(screens)),
            previous=last.answers if last and state.reopened == step_id else None,
        )

    # -- closing a step ------------------------------------------------------------------------

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> tuple[Payload, ...]:
        """The events that close a step: the one that counts, and whatever follows from it by rule."""
        sort = step.id.partition(":")[0]
        if step.kind == "consent":
            return (self._consented(step, answers),)
        if step.kind == "form":
            return (said.QuestionnaireSubmitted(step.id, dict(answers)),)
        if sort == "training":
            _, attempt, item = step.id.split(":", 2)
            _, correct = self.kind.feedback(item, answers)
            return (said.TrainingAnswered(item, int(attempt), step.revision, dict(answers), correct),)
        if step.kind in ("page", "feedback", "rest", "debrief"):
            return (said.PageRead(step.id, text_hash(step.body)), *self._after_page(step, state))
        return (self.kind.closing(step, state, answers, elapsed_ms),)

    def _consented(self, step: Step, answers: Mapping[str, Any]) -> Payload:
        text = text_hash("\n".join([step.body, *(f"{one.name}: {one.text}" for one in step.fields)]))
        items = {one.name: answers.get(one.name) is True for one in step.fields}
        refused = any(one.required and not items[one.id] for one in self.study.settings.consent)
        return said.ConsentDeclined(items, text) if refused else said.ConsentGiven(items, text)

    def refuses(self, name: str, value: Any) -> bool:
        """Whether this answer to a consent item already means that the person does not take part."""
        return value is False and any(one.required and one.id == name for one in self.study.settings.consent)

    def _after_page(self, step: Step, state: State) -> tuple[Payload, ...]:
        sort, _, rest = step.id.partition(":")
        if sort == "debrief":
            assert state.opened is not None
            return (said.ParticipationCompleted(completion_code(state.opened, self.study.sha256)),)
        if sort != "practised":
            return self.kind.following(step, state)
        training = self.study.settings.training
        right, asked = self._score(state, int(rest))
        passed = None if training.pass_mark is None else _reached(right, asked, training.pass_mark)
        ended = said.TrainingEnded(int(rest), right, asked, passed)
        if passed is False and training.exclude and int(rest) >= training.rounds:
            return (ended, said.ParticipationExcluded("the pass mark of the practice was not reached"))
        return (ended,)

    def _score(self, state: State, attempt: int) -> tuple[int, int]:
        mine = [right for step, right in state.practice.items() if step.startswith(f"training:{attempt}:")]
        return sum(mine), len(mine)

    # -- the end -------------------------------------------------------------------------------

    def done(self, end: End, state: State) -> Done:
        """What the participant reads at the end of a visit."""
        message = ENDS[end]
        if self.study.settings.contact:
            message += f" Questions: {self.study.settings.contact}"
        code = state.completion_code if self.study.settings.show_completion_code else None
        return Done(end, message, code)

    def standing(self, state: State) -> str:
        """The contract's word for where a participation stands, of those a stream can have."""
        if state.end is not None:
            return state.end
        if not state.visiting and state.visits:
            return "paused"
        current = self.current_id(state) or ""
        sort = current.partition(":")[0]
        if sort == "consent":
            return "invited"
        if sort in ("instructions", "overview"):
            return "consented"
        if sort in ("training", "feedback", "practised"):
            return "training"
        return "resting" if sort == "rest" else "working"


def completion_code(opened: said.ParticipationOpened, study: str) -> str:
    """A code that proves to the lab that this person finished; derived, so it is the same everywhere."""
    digits = hashlib.sha256(f"completion|{study}|{opened.participant}".encode()).hexdigest().upper()
    return f"{digits[:4]}-{digits[4:8]}"


def _reached(right: int, asked: int, mark: float) -> bool:
    # Not `right >= mark * asked`: 0.28 * 25 is a little more than 7.
    return right / asked >= mark


def question_field(question: Any) -> Field:
    """A question of the study's own as a field."""
    options: tuple[Option, ...] = ()
    if question.kind == "scale":
        options = tuple(
            Option(value, _scale_label(value, question)) for value in range(question.low, question.high + 1)
        )
    elif question.kind != "text":
        options = tuple(Option(one, one) for one in question.options)
    return Field(question.id, question.kind, question.text, options, question.required)


def _scale_label(value: int, question: Any) -> str:
    label = {question.low: question.low_label, question.high: question.high_label}.get(value, "")
    return f"{value} {label}".strip()


AGREE = (Option(True, "I agree"), Option(False, "I do not agree"))

REST = """You have finished this part. Everything is saved.

Look away from the screen for a minute. Go on when you are ready, or pause here and come back another
day: you will find this very place again."""

PRACTISED = (
    "That was the practice. From here on there are no right answers to compare with: your own view counts."
)

AGAIN = """Some of the practice answers differed from ours. That happens: the categories are close to each
other. There is one more round of the same practice, with the explanations you have just read in mind."""

NOT_PASSED = """The study needs answers that follow its categories closely, and the practice did not
come near enough this time. This says nothing about you. Thank you for the time you gave."""

ENDS: Mapping[End, str] = {
    "completed": "You have finished the study. Everything is saved. Thank you.",
    "paused": "Everything is saved. Start again with the same code and you go on at this very place.",
    "declined": "You have chosen not to take part. Nothing more is asked. Thank you for reading.",
    "withdrawn": "You have withdrawn. Your answers are out of every result and export from this moment. "
    "If you want them erased as well, tell the researcher.",
    "excluded": "The study ends here for you. Thank you for the time you gave.",
    "limit": "The study's limit is reached and ends here. Everything is saved. Thank you.",
    "blocked": "This study could not be continued after such a long break. Everything you did is saved. "
    "Please speak to the researcher.",
}
