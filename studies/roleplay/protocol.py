"""The role-play protocol: which task comes next, whose turn it is, and when a session is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, cast

from studies.chat import Chat, Line, Panel
from studies.events import Event, Payload, new_id
from studies.payloads import Planned, QuestionnaireSubmitted
from studies.protocol import question_field
from studies.replying import Place, cut_off
from studies.roleplay.blinding import masked
from studies.roleplay.payloads import (
    Disposition,
    HistoryFrozen,
    ReplyRetried,
    SessionEnded,
    SessionStarted,
    TurnSubmitted,
)
from studies.roleplay.sessions import Session, Sessions, fold_sessions
from studies.state import Closing, State
from studies.steps import AnswerError, Field, Progress, Step
from studies.study import Study

if TYPE_CHECKING:
    from studies.conversation import Conversation
    from studies.roleplay.sequel import Sequel
    from studies.runner import Visit

FREE_AFTER = 3
"""After this turn, ending a task costs nothing and is offered as a plain choice."""
KINDNESS = (
    "This tests the assistant, not you. Some tasks cannot be solved, whatever one says.\n\n"
    "Answer what the assistant asks, in this person's way. Volunteer nothing until it asks."
)


def sessions_of(state: State) -> Sessions:
    """The role-play part of a state."""
    return state.middle if isinstance(state.middle, Sessions) else Sessions()


class RoleplayKind:
    """The middle of a role-play study (CAPA, Benchmark Task)."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.settings = study.settings.roleplay

    # -- what comes in which order -------------------------------------------------------------

    def sessions(self, state: State) -> tuple[Planned, ...]:
        """The sessions as far as they are known: what was played, and what is to come if all goes well.

        Reserve tasks come up only while history is short; held-out tasks only once it is whole.
        """
        order = state.opened.order if state.opened else ()
        played = sessions_of(state)
        chosen: list[Planned] = []
        wanted = 0
        for planned in order:
            if planned.role == "held_out":
                if wanted <= 0:
                    chosen.append(planned)
                continue
            if not chosen or chosen[-1].role == "held_out":
                wanted = self.settings.history
            if wanted <= 0:
                continue
            chosen.append(planned)
            session = played.of(planned.item)
            if session is None or session.disposition is None or session.resolved:
                wanted -= 1
        return tuple(chosen)

    def plan(self, state: State) -> tuple[str, ...]:
        """For each session its brief, the dialogue and the questions after it; rests between blocks."""
        steps: list[str] = []
        order = self.sessions(state)
        for before, planned in zip((None, *order), order, strict=False):
            if before is not None and before.block != planned.block:
                steps.append(f"rest:{before.block}")
            steps += [f"brief:1:{planned.item}", f"session:1:{planned.item}"]
            if self.settings.after:
                steps.append(f"after:1:{planned.item}")
        return tuple(steps)

    def plan_key(self, state: State) -> object:
        """What the plan depends on beside the order: how the sessions so far ended."""
        return tuple(one.disposition for one in sessions_of(state).all)

    def planned(self, item: str, state: State) -> Planned:
        """The place of a task in the realised order."""
        assert state.opened is not None
        return next(one for one in state.opened.order if one.item == item)

    def training_items(self) -> tuple[str, ...]:
        """A role-play has no practice items."""
        return ()

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """What every participant is told before the first task."""
        return (("kindness", "Before you begin", KINDNESS),)

    def explain(self, value: object) -> str:
        """There is nothing to explain about answers."""
        return ""

    # -- one step ------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """The brief, the open turn, or the questions of one session."""
        sort, _, item = step_id.split(":", 2)
        if sort == "brief":
            text = "\n\n".join(f"**{one.title}**\n\n{one.text}" for one in self.panels(item))
            read = Field("read", "info", text)
            return Step(
                step_id,
                1,
                "page",
                "Your next task",
                text,
                (read,),
                item,
                progress=self._progress(item, state),
            )
        if sort == "after":
            last = state.submitted.get(step_id)
            previous = last.answers if last and state.reopened == step_id else None
            fields = tuple(question_field(one) for one in self.settings.after)
            return Step(
                step_id,
                state.revision(step_id),
                "form",
                "About this task",
                fields=fields,
                about=item,
                progress=self._progress(item, state),
                previous=previous,
            )
        chat = self.chat(item, state)
        text = "Your message"
        if chat.opening and chat.turn == 1:
            text = "Send the opening request as it is"
        return Step(
            step_id,
            chat.turn,
            "chat",
            self.study.settings.title,
            fields=(Field("message", "chat", text),),
            about=item,
            progress=self._progress(item, state),
            chat=chat,
        )

    def panels(self, item: str) -> tuple[Panel, ...]:
        """What stands beside the dialogue, for the participant's eyes only."""
        task = self.study.task(item)
        person = self.study.profile(task.profile)
        who = f"{person.name}, {person.occupation}. {person.about}\n\n{person.manner}"
        return (
            Panel("You are", who),
            Panel("What you want (only you see this)", f"{task.brief}\n\nFunction: `{task.interface}`"),
            Panel(f"How {person.name} speaks", task.speaks),
        )

    def chat(self, item: str, state: State) -> Chat:
        """The dialogue of a task as the participant may see it."""
        task = self.study.task(item)
        session = sessions_of(state).of(item)
        lines: list[Line] = []
        for turn in session.turns if session else ():
            lines.append(Line(turn.number, "user", turn.request))
            last = turn.last
            if last is not None and (last.text or last.status):
                text, named = masked(last.text)
                lines.append(Line(turn.number, "assistant", text, last.status, named))
        used = session.used if session else 0
        open_turn = used + 1
        if session and session.turns and not session.turns[-1].used:
            open_turn = session.turns[-1].number
        return Chat(
            session=session.id if session else "",
            assistant="Assistant A",
            lines=tuple(lines),
            turn=min(open_turn, self.settings.turns),
            turns=self.settings.turns,
            phase=session.phase() if session else "asking",
            panels=self.panels(item),
            opening=task.opening if self.settings.opening == "fixed" else "",
            notice=self._notice(session),
            can_end=used >= FREE_AFTER,
            can_declare_done=self.settings.feedback == "participant_decides"
            and bool(session and any(one.verdict and one.verdict.submission for one in session.turns)),
            soft_minutes=self.settings.soft_minutes,
        )

    def _notice(self, session: Session | None) -> str:
        """What the participant is told of the last turn: why it broke off, what may be known of a verdict."""
        if session is None or not session.turns:
            return ""
        turn = session.turns[-1]
        if session.phase() == "broken" and turn.last is not None:
            return f"{turn.last.error or 'The reply broke off.'} What came so far is kept; it costs no turn."
        verdict = turn.verdict
        if (
            verdict is None
            or not verdict.submission
            or self.settings.feedback not in ("passed_or_not", "failing_case")
        ):
            return ""
        if verdict.verdict == "passed":
            return "The code does what is wanted."
        if self.settings.feedback == "failing_case" and verdict.detail:
            return f"The code does not do what is wanted yet: {verdict.detail}"
        return "The code does not do what is wanted yet."

    # -- closing -------------------------------------------------------------------------------

    def feedback(self, item: str, answers: Mapping[str, Any]) -> tuple[str, bool]:
        """A role-play has no practice items."""
        raise KeyError(item)

    def implied(self, name: str, value: Any, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """No answer changes another."""
        return {}

    def reopens(self, earlier: str, current: str) -> bool:
        """The questions after a task can be gone back to."""
        return earlier.startswith("after:")

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> tuple[Payload, ...]:
        """The questions after a task; a chat is closed by its conversation, never by leaving it."""
        if step.kind == "form":
            return (QuestionnaireSubmitted(step.id, dict(answers)),)
        raise ValueError(f"{step.id} is closed by how the session ends")

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Leaving a brief opens its session."""
        if not step.id.startswith("brief:") or step.about is None:
            return ()
        planned = self.planned(step.about, state)
        model = next(one.model for one in self.study.settings.assistants if one.name == planned.assistant)
        started = SessionStarted(
            new_id(),
            planned.item,
            cast("Any", planned.role),
            cast("Any", planned.condition or "none"),
            planned.assistant,
            model,
            f"session:1:{planned.item}",
        )
        return (started,)

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """The events of a request that the participant sends."""
        session = sessions_of(state).of(step.about or "")
        if session is None or session.phase() != "asking":
            raise AnswerError("it is not your turn to write yet")
        if not text.strip():
            raise AnswerError("write something first")
        number = session.used + 1
        # A task that has no opening yet, in a pilot, is opened freely.
        fixed = step.chat.opening if step.chat is not None else ""
        opening: Literal["fixed", "free", ""] = "" if number > 1 else "fixed" if fixed else "free"
        if opening == "fixed" and text != fixed:
            raise AnswerError("the opening request is sent as it is")
        return (TurnSubmitted(step.id, session.id, session.item, number, text, opening),)

    def answers(self, payload: Payload) -> str | None:
        """A request answers the chat ask of its turn."""
        return f"{payload.step}/message/{payload.turn}" if isinstance(payload, TurnSubmitted) else None

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """What has to be put right when a participant sits down again.

        A reply that was on its way is interrupted; a session left open for too long is timed out.
        """
        session = sessions_of(state).current
        if session is None:
            return ()
        if late:
            return self.endings(session, state, "timed_out", "the resume policy's time ran out")
        last = session.turns[-1].last if session.turns else None
        if last is None or last.status is not None:
            return ()
        place = Place(session.id, session.item, session.turns[-1].number, last.number)
        return (cut_off(place, last.text),)

    def retried(self, step: Step, state: State) -> tuple[Payload, ...]:
        """A broken reply is asked for again, in the same turn."""
        session = sessions_of(state).of(step.about or "")
        if session is None or session.phase() != "broken":
            raise AnswerError("there is nothing to retry here")
        return (ReplyRetried(session.id, session.item, session.turns[-1].number),)

    def given_up(self, step: Step, state: State, *, done: bool) -> tuple[Payload, ...]:
        """The participant ends the task: gives up, or declares it done."""
        session = sessions_of(state).of(step.about or "")
        if session is None or session.disposition is not None:
            return ()
        verdicts = [one.verdict for one in session.turns if one.verdict and one.verdict.submission]
        solved = done and bool(verdicts) and verdicts[-1].verdict == "passed"
        broken = session.phase() == "broken"
        disposition: Disposition = "solved" if solved else "technical" if broken else "gave_up"
        return self.endings(session, state, disposition, "", declared=done)

    def endings(
        self, session: Session, state: State, disposition: Disposition, reason: str, *, declared: bool = False
    ) -> tuple[Payload, ...]:
        """The end of a session, and the freezing of the history where it is the last one needed."""
        ended = SessionEnded(
            f"session:1:{session.item}", session.id, session.item, disposition, session.used, declared, reason
        )
        if session.part == "held_out":
            return (ended,)
        cell = self.study.task(session.item).cell
        resolved = [
            one.id
            for one in sessions_of(state).all
            if one.resolved and one.part != "held_out" and self.study.task(one.item).cell == cell
        ]
        if disposition == "solved":
            resolved.append(session.id)
        if len(resolved) < self.settings.history:
            return (ended,)
        return (ended, HistoryFrozen(tuple(resolved)))

    def sequel(self, visit: Visit, conversation: Conversation) -> Sequel:
        """What follows a request: the reply, the verdict, the session's end."""
        from studies.roleplay.sequel import Sequel

        return Sequel(self, visit, conversation)

    def flags(self, state: State) -> tuple[str, ...]:
        """Sessions that did not come to a regular end."""
        ends = Counter(str(one.disposition) for one in sessions_of(state).all)
        named = {"technical": "failed technically", "gave_up": "given up", "timed_out": "timed out"}
        return tuple(f"{words} {ends[end]}" for end, words in named.items() if ends[end])

    def closing_of(self, payload: Payload) -> Closing | None:
        """A session's end closes its step."""
        return Closing(payload.step) if isinstance(payload, SessionEnded) else None

    def fold(self, middle: object, event: Event) -> Sessions:
        """The sessions after one more event."""
        return fold_sessions(middle if isinstance(middle, Sessions) else Sessions(), event)

    def assigned(self, state: State) -> tuple[str, ...]:
        """The tasks as far as they are known; one in reserve comes in once it is needed."""
        return tuple(one.item for one in self.sessions(state))

    def finished(self, state: State) -> tuple[str, ...]:
        """Tasks whose session has ended."""
        return tuple(one.item for one in sessions_of(state).all if one.disposition is not None)

    def done(self, state: State) -> int:
        """Sessions that have ended."""
        return sum(1 for one in sessions_of(state).all if one.disposition is not None)

    def _progress(self, item: str, state: State) -> Progress:
        order = self.sessions(state)
        place = next(at for at, one in enumerate(order, start=1) if one.item == item)
        return Progress("Task", position=place, total=len(order))
