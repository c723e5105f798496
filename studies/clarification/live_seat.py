"""What the two seats in a dialogue share: a brief, the dialogue, its end, and the questions after it."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from studies.chat import Chat, Line, Panel, Part, Phase
from studies.clarification.calls import assistant_of, judged_by_model
from studies.clarification.payloads import (
    ClarificationEnded,
    ClarificationStarted,
    Ending,
    QuestionAnswered,
    QuestionAsked,
)
from studies.clarification.seat import Seat, clarifications_of
from studies.clarification.sessions import Round, Session
from studies.events import Payload, new_id
from studies.protocol import question_field
from studies.reply_payloads import ReplyRetried
from studies.replying import Place, cut_off
from studies.state import Closing, State
from studies.steps import AnswerError, Field, Material, Message, Step

if TYPE_CHECKING:
    from studies.clarification.sequel import Sequel
    from studies.conversation import Conversation
    from studies.runner import Visit

BRIEF = "This stays at hand during the conversation."
FREE_AFTER = 3
"""After this response, ending a task costs nothing and is offered as a plain choice."""
Due = Literal[
    "person", "response", "read", "votes", "answer", "verdict", "end", "broken", "over"
]  # fmt: skip
"""What comes next in a session. `response`: a call to a model; `read`: to see what its response is; `votes`:
the judge, and beside it a response where one is due as well; `answer`: the reply to a person's question."""
PHASES: dict[Due, Phase] = {
    "person": "asking",
    "response": "replying",
    "read": "judging",
    "votes": "replying",
    "answer": "replying",
    "verdict": "judging",
    "end": "judging",
    "broken": "broken",
    "over": "over",
}


class LiveSeat(Seat):
    """A dialogue about each task."""

    PART: ClassVar[Part]

    def steps_of(self, item: str) -> tuple[str, ...]:
        """The brief, the dialogue and, where there are any, the questions after it."""
        after = (f"after:1:{item}",) if self.settings.after else ()
        return (f"brief:1:{item}", f"session:1:{item}", *after)

    @abstractmethod
    def panels(self, item: str) -> tuple[Panel, ...]:
        """What stands beside the dialogue."""

    @abstractmethod
    def due(self, session: Session) -> Due:
        """What comes next."""

    @abstractmethod
    def lines(self, session: Session) -> list[Line]:
        """What was said, as the participant may see it."""

    @abstractmethod
    def message_number(self, session: Session | None) -> int:
        """Number of the open turn, from 1: the revision of its asks."""

    @abstractmethod
    def answer_fields(self, session: Session, state: State) -> tuple[Field, ...]:
        """What is asked of the participant in their turn."""

    # -- a step --------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """The brief, the open turn, or the questions after a task."""
        sort, _, item = step_id.split(":", 2)
        progress = self.progress(item, state)
        if sort == "brief":
            first, *others = self.panels(item)
            beside = tuple(Message(one.title, one.text) for one in others)
            return Step(
                step_id,
                1,
                "page",
                "Your next task",
                BRIEF,
                (Field("read", "info", BRIEF),),
                item,
                # Tasks are shown as they are: line breaks tell what a program is to read.
                Material(first.text, beside, first.title),
                progress,
            )
        if sort == "after":
            last = state.submitted.get(step_id)
            return Step(
                step_id,
                state.revision(step_id),
                "form",
                "About this task",
                fields=tuple(question_field(one) for one in self.settings.after),
                about=item,
                progress=progress,
                previous=last.answers if last and state.reopened == step_id else None,
            )
        session = clarifications_of(state).of(item)
        chat = self.chat(item, state)
        fields = self.answer_fields(session, state) if session else ()
        return Step(
            step_id,
            self.message_number(session),
            "chat",
            self.study.settings.title,
            fields=fields,
            about=item,
            progress=progress,
            chat=chat,
        )

    def chat(self, item: str, state: State) -> Chat:
        """The dialogue of a task as the participant may see it."""
        session = clarifications_of(state).of(item)
        due: Due = self.due(session) if session else "person"
        returned = len(session.returned) if session else 0
        turns = self.settings.responses + returned
        return Chat(
            session=session.id if session else "",
            assistant="Assistant A",
            lines=tuple(self.lines(session)) if session else (),
            turn=min(self.message_number(session), turns),
            turns=turns,
            phase=PHASES[due],
            panels=self.panels(item),
            notice=self._notice(session) if session and due == "broken" else "",
            can_end=bool(session) and session.used >= FREE_AFTER,  # type: ignore[union-attr]
            can_declare_done=self.PART == "asker" and due == "person",
            part=self.PART,
            soft_minutes=self.settings.soft_minutes,
        )

    def _notice(self, session: Session) -> str:
        pending = self.pending(session)
        last = session.last.last if session.last else None
        error = pending.broken.error if pending and pending.broken else last.error if last else ""
        return f"{error or 'The reply broke off.'} What came so far is kept; it costs no turn."

    # -- what is due ---------------------------------------------------------------------------

    def pending(self, session: Session) -> Round | None:
        """The question that the judge still has to vote on."""
        if not judged_by_model(self.study):
            return None
        return next((one for one in session.questions if self.may_be_judged(one) and not one.matched), None)

    @abstractmethod
    def may_be_judged(self, one: Round) -> bool:
        """Whether the judge may vote on a question already."""

    def response_due(self, one: Round | None) -> Due | None:
        """Whether a call is due in a round that needs one, or broke off; None where its reply is there."""
        if one is None or one.retry or one.last is None or one.last.status is None:
            return "response"
        return None if one.replied else "broken"

    def code_due(self, session: Session, one: Round) -> Due:
        """What comes after final code: a verdict where the task has hidden tests."""
        testable = self.study.clarification_task(session.item).testable
        return "verdict" if testable and one.verdict is None else "end"

    # -- events --------------------------------------------------------------------------------

    def started(self, item: str, assistant: str) -> ClarificationStarted:
        """The event that opens a session with an assistant, or with none."""
        model = assistant_of(self.study, assistant).model if assistant else ""
        seat: Literal["answerer", "asker"] = "asker" if self.PART == "asker" else "answerer"
        return ClarificationStarted(f"session:1:{item}", new_id(), item, seat, assistant, model)

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """A reply that was on its way is interrupted; a session left open for too long is timed out."""
        session = clarifications_of(state).current
        if session is None:
            return ()
        if late:
            return (self.ended(session, "timed_out", "the resume policy's time ran out"),)
        return tuple(
            cut_off(Place(session.id, session.item, one.turn, one.last.number, one.purpose), one.last.text)
            for one in session.rounds
            if one.last is not None and one.last.status is None
        )

    def retried(self, step: Step, state: State) -> tuple[Payload, ...]:
        """What broke off is asked for again."""
        session = clarifications_of(state).of(step.about or "")
        if session is None or self.due(session) != "broken" or session.last is None:
            raise AnswerError("there is nothing to retry here")
        pending = self.pending(session)
        turns = {session.last.turn} if self.response_due(session.last) == "broken" else set()
        if pending is not None and pending.broken is not None:
            turns.add(pending.turn)
        return tuple(ReplyRetried(session.id, session.item, turn) for turn in sorted(turns))

    def given_up(self, step: Step, state: State, *, done: bool) -> tuple[Payload, ...]:
        """The participant ends the task."""
        session = clarifications_of(state).of(step.about or "")
        if session is None or session.ending is not None:
            return ()
        broken = self.due(session) == "broken"
        return (self.ended(session, "technical" if broken else "gave_up"),)

    def ended(self, session: Session, ending: Ending, reason: str = "") -> ClarificationEnded:
        """The end of a session."""
        asked = len(session.questions)
        step = f"session:1:{session.item}"
        return ClarificationEnded(step, session.id, session.item, ending, session.used, asked, reason)

    def answers(self, payload: Payload) -> str | None:
        """The chat ask that a message answers."""
        if isinstance(payload, QuestionAsked):
            return f"{payload.step}/message/{payload.message}"
        if isinstance(payload, QuestionAnswered) and payload.own_words:
            return f"{payload.step}/message/{payload.turn}"
        return None

    def closing_of(self, payload: Payload) -> Closing | None:
        """A session's end closes its step; an answer of the participant's closes a turn of it."""
        if isinstance(payload, ClarificationEnded):
            return Closing(payload.step)
        if isinstance(payload, QuestionAnswered) and payload.by == "person":
            return Closing(payload.step, goes_on=True)
        return None

    def sequel(self, visit: Visit, conversation: Conversation) -> Sequel:
        """What goes on without the participant."""
        from studies.clarification.sequel import Sequel

        return Sequel(self, visit, conversation)
