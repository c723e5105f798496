"""What follows a request without the participant: the reply, the verdict, and how the session ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studies.events import Payload
from studies.live import Heard, Listener
from studies.replying import Noticed, Place, over_budget, reply_to
from studies.roleplay import payloads as said
from studies.roleplay.blinding import Veil, masked, mentions_history
from studies.roleplay.context import Dialogue, call_for, history_of, shuffled_history
from studies.roleplay.gate import ask_gate
from studies.roleplay.judging import verdict_on
from studies.roleplay.opinion import ask_opinion
from studies.roleplay.protocol import sessions_of
from studies.roleplay.sessions import Session, disposition_after
from studies.steps import Done, Step
from studies.verdicts import Verdict

if TYPE_CHECKING:
    from studies.conversation import Conversation
    from studies.roleplay.protocol import RoleplayKind
    from studies.runner import Visit


class Sequel:
    """One run of what is due in the open session."""

    def __init__(self, kind: RoleplayKind, visit: Visit, conversation: Conversation) -> None:
        self.visit = visit
        self.live = conversation
        self.kind = kind
        self.study = visit.study

    async def run(self, hear: Listener) -> Step | Done:
        """Go on until the participant is asked, the reply broke off, or the session is over."""
        while (step := self.live.step) is not None and step.chat is not None:
            session = self.session(step)
            phase = step.chat.phase
            if session is None or phase in ("asking", "broken", "over"):
                break
            if phase == "replying":
                if await self._limited():
                    break
                await self._reply(step, session, hear)
            elif phase == "judging":
                await self._judge(step, session, hear)
            await self._settle(step)
        return self.visit.current

    def session(self, step: Step) -> Session | None:
        """The open session of the step."""
        return sessions_of(self.visit.state).of(step.about or "")

    async def _store(self, *payloads: Payload) -> None:
        await self.visit.store(*payloads)

    # -- the reply -----------------------------------------------------------------------------

    async def _reply(self, step: Step, session: Session, hear: Listener) -> None:
        history = await self._history(session)
        if session.condition == "gated" and session.gate is None and history:
            await self._store(await ask_gate(self.study, session, history, self.live.assistant))
            session = self.session(step) or session
        call, saw = call_for(self.study, session, history, self.visit.stream)
        turn = session.turns[-1]
        await reply_to(
            self.visit,
            self.live,
            Place(session.id, session.item, turn.number, len(turn.attempts) + 1),
            call,
            saw,
            wait_ms=self.study.settings.roleplay.minimum_wait_ms,
            hear=hear,
            covering=Veil(),
            notice=lambda text: Noticed(masked(text)[1], mentions_history(text)),
        )

    async def _history(self, session: Session) -> tuple[Dialogue, ...]:
        if session.condition in ("same-user", "gated"):
            return history_of(self.study, session, sessions_of(self.visit.state), self.visit.stream)
        if session.condition == "shuffled":
            opened = self.visit.state.opened
            return await shuffled_history(
                self.study,
                session,
                opened.slot if opened else 0,
                self.visit.stream,
                self.live.dialogues,
            )
        return ()

    async def _limited(self) -> bool:
        """Whether a spending limit is reached: then the participation ends, politely."""
        spent = sessions_of(self.visit.state).spent
        limits = self.study.settings.roleplay
        return await over_budget(
            self.visit, self.live, limits, spent, lambda reason: self._endings("spend_cap", reason)
        )

    # -- the verdict ---------------------------------------------------------------------------

    async def _judge(self, step: Step, session: Session, hear: Listener) -> None:
        turn = session.turns[-1]
        assert turn.last is not None
        assert self.live.judge is not None
        task = self.study.task(session.item)
        code, submission, verdict = await verdict_on(
            turn.last.text, task, self.study.settings.roleplay.time_limit, self.live.judge
        )
        await self._store(
            said.VerdictGiven(
                session.id,
                session.item,
                turn.number,
                verdict.verdict,
                verdict.detail,
                verdict.ms,
                code,
                verdict.isolation,
                submission,
            )
        )
        if submission and self.study.settings.roleplay.second_opinion:
            await self._store(await ask_opinion(self.study, session, task, code, self.live.assistant))
        if submission:
            hear(Heard(session.item, turn.number, self._public(verdict)))

    def _public(self, verdict: Verdict) -> Verdict:
        """Of a verdict, what the study lets the participant know."""
        feedback = self.study.settings.roleplay.feedback
        if feedback == "failing_case":
            return Verdict(verdict.verdict, verdict.detail)
        if feedback == "passed_or_not":
            return Verdict("passed" if verdict.passed else "failed_assertion")
        return Verdict("not_run")

    # -- the end -------------------------------------------------------------------------------

    async def _settle(self, step: Step) -> None:
        """End the session where a rule says so."""
        session = self.session(step)
        if session is None or session.disposition is not None or not session.turns:
            return
        if session.phase() == "judging" or not session.turns[-1].used:
            return
        silent = self.study.settings.roleplay.feedback == "participant_decides"
        ending = disposition_after(session, self.kind.settings.turns, silent=silent)
        if ending is None:
            return
        await self._store(*self._endings(ending, ""))
        if session.part != "held_out" and "shuffled" in self.kind.settings.conditions:
            # Who serves as a shuffled history is fixed before the first held-out session.
            await self.live.dialogues.donors(self.study.sha256)

    def _endings(self, disposition: said.Disposition, reason: str) -> tuple[Payload, ...]:
        session = sessions_of(self.visit.state).current
        if session is None:
            return ()
        return self.kind.endings(session, self.visit.state, disposition, reason)
