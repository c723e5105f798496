"""The seat `asker`: the person is given the underspecified task and asks, one question a round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.chat import Line, Panel
from studies.clarification.calls import task_text
from studies.clarification.live_seat import Due, LiveSeat
from studies.clarification.payloads import AskerSatisfied, QuestionAsked
from studies.clarification.responses import is_bundle
from studies.clarification.seat import clarifications_of
from studies.clarification.sessions import Round, Session
from studies.events import Payload
from studies.roleplay.blinding import masked
from studies.state import State
from studies.steps import AnswerError, Field, Step

ASK = "Ask one question, or end the task: you have enough."


class Asker(LiveSeat):
    """The number of gaps is never shown; that the person has enough is the final turn."""

    PART = "asker"
    KINDNESS = (
        "You will be given programming tasks that may leave something out. Ask what you would need to know "
        "to write the right program: one question at a time. When you have enough, say so. You need not "
        "write any code.\n\n"
        "Some questions get no answer, because the task does not depend on them. This tests no skill of "
        "yours: there is no score, and some tasks leave nothing out."
    )

    def panels(self, item: str) -> tuple[Panel, ...]:
        """The task, as it is; and the rule."""
        task = self.study.clarification_task(item)
        rule = (
            "Ask one question at a time about what the task leaves open. When you know enough to write "
            "the program, say that you have enough."
        )
        return (Panel("The task", task_text(task), markdown=False), Panel("What to do", rule))

    # -- what is due ---------------------------------------------------------------------------

    def due(self, session: Session) -> Due:
        """After a question the judge's votes, a model's answer beside them where one answers, the reply."""
        if session.ending is not None:
            return "over"
        one = session.last
        if one is not None and one.purpose == "code":
            return self.response_due(one) or self.code_due(session, one)
        if one is not None and one.answer is None:
            replied = self.response_due(one) if self.settings.answers == "model" else None
            if one.matched is None:
                return "broken" if one.broken is not None else "votes"
            return replied or "answer"
        if session.satisfied or session.used >= self.settings.responses:
            return "response" if self.settings.coder else "end"
        return "person"

    def may_be_judged(self, one: Round) -> bool:
        """At once: the reply depends on it."""
        return True

    def message_number(self, session: Session | None) -> int:
        """The message that is open, or was sent last while its reply is due."""
        if session is None:
            return 1
        return session.messages + 1 if self.due(session) == "person" else max(1, session.messages)

    # -- the person's turn ---------------------------------------------------------------------

    def answer_fields(self, session: Session, state: State) -> tuple[Field, ...]:
        """A question; after a bundle that came back, with the rule."""
        bundles = [one.message for one, _ in session.returned]
        text = self.settings.replies.one_question if session.messages in bundles else ASK
        return (Field("message", "chat", text),)

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """A question; several at once come back once with the rule, where the study says so."""
        session = clarifications_of(state).of(step.about or "")
        if session is None or self.due(session) != "person":
            raise AnswerError("it is not your turn to write yet")
        if not text.strip():
            raise AnswerError("write something first")
        turn = session.used + 1
        bundle = is_bundle(text)
        again = any(one.turn == turn for one, _ in session.returned)
        returned = bundle and not again and self.settings.bundle == "return_once"
        message = session.messages + 1
        return (QuestionAsked(step.id, session.id, session.item, message, turn, text, bundle, returned),)

    def closed(self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int) -> Payload:
        """A dialogue is closed by how it ends, never by leaving it."""
        raise ValueError(f"{step.id} is closed by how the session ends")

    def given_up(self, step: Step, state: State, *, done: bool) -> tuple[Payload, ...]:
        """Enough is the final turn: code is written now where the study has somebody to write it."""
        session = clarifications_of(state).of(step.about or "")
        if done and session is not None and self.due(session) == "person":
            return (AskerSatisfied(session.id, session.item, session.used + 1),)
        return super().given_up(step, state, done=done)

    # -- the dialogue --------------------------------------------------------------------------

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Leaving a brief opens its session."""
        if not step.id.startswith("brief:") or step.about is None:
            return ()
        name = self.settings.answerer if self.settings.answers == "model" else ""
        return (self.started(step.about, name),)

    def lines(self, session: Session) -> list[Line]:
        """Questions with their replies; a bundle with the rule. The final code is nobody's to read here."""
        made: list[tuple[int, list[Line]]] = []
        for bundle, seq in session.returned:
            reply = Line(bundle.message, "assistant", self.settings.replies.one_question, "complete")
            made.append((seq, [Line(bundle.message, "user", bundle.text), reply]))
        for one in session.questions:
            assert one.asked is not None
            said = [Line(one.asked.message, "user", one.asked.text)]
            last = one.last
            if one.answer is not None:
                said.append(Line(one.asked.message, "assistant", masked(one.answer.text)[0], "complete"))
            elif last is not None and (last.text or last.status):
                text, named = masked(last.text)
                said.append(Line(one.asked.message, "assistant", text, last.status, named))
            made.append((one.seq, said))
        return [line for _, lines in sorted(made, key=lambda one: one[0]) for line in lines]
