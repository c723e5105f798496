"""The seat `answerer`: a model asks, the person answers in their own words or marks the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studies.chat import Line, Panel
from studies.clarification.calls import judged_by_model, task_text
from studies.clarification.live_seat import Due, LiveSeat
from studies.clarification.payloads import Decision, QuestionAnswered
from studies.clarification.responses import untagged
from studies.clarification.seat import clarifications_of
from studies.clarification.sessions import Round, Session
from studies.events import Payload
from studies.roleplay.blinding import masked
from studies.state import State
from studies.steps import AnswerError, Field, Material, Message, Option, Step

ANSWER, IRRELEVANT, REPEATED = "ANSWER", "IRRELEVANT", "ALREADY_ANSWERED"
"""Values of `match` beside the ids of key questions, which are in small letters."""
MARKS: Mapping[str, Decision] = {IRRELEVANT: "irrelevant", REPEATED: "repeated"}


class Answerer(LiveSeat):
    """The person knows the answers; the model does not."""

    PART = "answerer"
    KINDNESS = (
        "An assistant is given a programming task that leaves something out, and asks you about it. You know "
        "what was left out. This tests the assistant, not you.\n\n"
        "For each question say what it asks about, then answer in your own words: only what was asked, and "
        "only from what you were given. Volunteer nothing. Where nothing that you were given answers the "
        "question, mark it as not relevant; where you have answered it before, mark that.\n\n"
        "When the assistant has written its program, the task is over."
    )

    def panels(self, item: str) -> tuple[Panel, ...]:
        """What the assistant knows, and what only the person knows."""
        task = self.study.clarification_task(item)
        known = Panel("What the assistant was given", task_text(task), markdown=False)
        title, told = "The whole task (only you see this)", task.full_statement
        if self.settings.source == "annotated":
            title = "What was left out (only you see this)"
            told = "\n\n".join(f"{one.question}\nAnswer: {one.answer}" for one in task.key_questions)
        return (Panel(title, told or "Nothing was left out.", markdown=False), known)

    # -- what is due ---------------------------------------------------------------------------

    def due(self, session: Session) -> Due:
        """The judge votes on a question once it was answered, while the model goes on."""
        if session.ending is not None:
            return "over"
        pending, one = self.pending(session), session.last
        if pending is not None:
            if pending.broken is not None:
                return "broken"
            # A reply that broke off meanwhile waits until the votes are in.
            return "votes"
        if one is None or one.read is None:
            return self.response_due(one) or "read"
        if one.read.sort == "code":
            return self.code_due(session, one)
        if one.question is not None and one.answer is None:
            return "person"
        return "end" if session.used >= self.settings.responses else "response"

    def may_be_judged(self, one: Round) -> bool:
        """Once it was answered, so that nobody waits for the judge to answer."""
        return one.answer is not None

    def message_number(self, session: Session | None) -> int:
        """The response that is open: the one to be answered, else the next."""
        if session is None or session.last is None:
            return 1
        one = session.last
        open_still = one.read is None or (one.question is not None and one.answer is None)
        return one.turn if open_still or session.ending is not None else one.turn + 1

    # -- the person's turn ---------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """With the question, and what was said before, as material for front ends without a dialogue."""
        step = super().step(step_id, state)
        session = clarifications_of(state).of(step.about or "")
        if step.chat is None or step.chat.phase != "asking" or session is None or session.last is None:
            return step
        said = [
            Message("you" if one.role == "user" else "assistant", one.text) for one in step.chat.lines[:-1]
        ]
        return replace(step, material=Material(session.last.question or "", tuple(said)))

    def answer_fields(self, session: Session, state: State) -> tuple[Field, ...]:
        """What the question asks about; and an answer, where it is to be answered."""
        message = Field("message", "chat", "Your answer, in your own words")
        if self.due(session) != "person":
            return (message,)
        match = Field("match", "choice", "What does it ask about?", self.options(session.item))
        return (match,) if state.answers.get("match") in MARKS else (match, message)

    def options(self, item: str) -> tuple[Option, ...]:
        """The key questions where the person also judges; else that the question is to be answered."""
        replies = self.settings.replies
        marks = (
            Option(IRRELEVANT, "Nothing here answers it: not relevant", replies.not_relevant),
            Option(REPEATED, "You have answered that already", replies.already_answered),
        )
        if judged_by_model(self.study):
            return (Option(ANSWER, "Something that you can answer"), *marks)
        task = self.study.clarification_task(item)
        return (*(Option(one.id, one.question) for one in task.key_questions), *marks)

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """An answer in the person's own words."""
        session, match = self._asked(step, state), state.answers.get("match")
        if not match or match in MARKS:
            raise AnswerError("say first what the question asks about")
        if not text.strip():
            raise AnswerError("write something first")
        gap = "" if match == ANSWER else match
        return (self._answered(step, session, "answered", gap, text, own_words=True),)

    def closed(self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int) -> Payload:
        """A question that was marked gets the study's default reply."""
        session, decision = self._asked(step, state), MARKS[answers["match"]]
        replies = self.settings.replies
        text = replies.not_relevant if decision == "irrelevant" else replies.already_answered
        return self._answered(step, session, decision, "", text)

    def _asked(self, step: Step, state: State) -> Session:
        session = clarifications_of(state).of(step.about or "")
        if session is None or self.due(session) != "person":
            raise AnswerError("nothing is asked of you now")
        return session

    def _answered(
        self,
        step: Step,
        session: Session,
        decision: Decision,
        gap: str,
        text: str,
        *,
        own_words: bool = False,
    ) -> QuestionAnswered:
        assert session.last is not None
        turn = session.last.turn
        return QuestionAnswered(
            step.id, session.id, session.item, turn, decision, gap, text, "person", own_words
        )

    # -- the dialogue --------------------------------------------------------------------------

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Leaving a brief opens its session."""
        if not step.id.startswith("brief:") or step.about is None:
            return ()
        return (self.started(step.about, self.planned(step.about, state).assistant),)

    def lines(self, session: Session) -> list[Line]:
        """The model's responses without tags, and the answers."""
        made: list[Line] = []
        for one in session.rounds:
            last = one.last
            if last is not None and (last.text or last.status):
                text, named = masked(last.text)
                made.append(Line(one.turn, "assistant", untagged(text), last.status, named))
            if one.answer is not None:
                made.append(Line(one.turn, "user", one.answer.text))
        return made
