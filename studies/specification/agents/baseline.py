"""The baseline: an agent that plans, then asks by tool calls, and reflects on each answer.

The protocol is that of SpecBench's CLI agents (section 4.1): a plan made without access to the person, then
an interview in which one tool asks and another hands in the result, with a reflection after every answer.

    plan -> act:1 -> (answer) -> reflect:1 -> act:2 -> ... -> act:K, which hands in
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from studies.replies import ChatMessage
from studies.specification import payloads as said
from studies.specification.agents import baseline_rehearsal as rehearsal
from studies.specification.agents import baseline_shapes as shapes
from studies.specification.agents.agent import Request
from studies.specification.agents.baseline_prompts import PROMPTS, known, rounds_left
from studies.specification.agents.baseline_rules import OPTIONS, act_problems, plain
from studies.specification.projects import stage_of
from studies.specification.sections import SECTIONS
from studies.specification.sheet import Ground, Sheet, Statement

if TYPE_CHECKING:
    from pydantic import BaseModel

    from studies.events import Payload
    from studies.replies import Tool
    from studies.specification.agents.agent import Brief
    from studies.specification.decisions import Decision
    from studies.specification.projects import Round, Session

LABELS = {
    "plan": "planning what to ask you",
    "act": "working out the next step",
    "reflect": "thinking about your answer",
    "predict": "noting what is clear so far",
}
BY_AGENT = Ground("agent", words="written by the agent")


class Baseline:
    """An `Agent` that plans and then asks."""

    def due(self, brief: Brief) -> tuple[str, ...]:
        """`plan`; then the reflections that are missing, silent predictions, and the next act."""
        session = brief.session
        if brief.proposal is None:
            return ()
        if session.answer("plan") is None:
            return ("plan",)
        reflections = tuple(
            f"reflect:{number}"
            for number in range(1, session.answered + 1)
            if session.answer(f"reflect:{number}") is None
        )
        silent = tuple(
            f"predict:{number}"
            for number in _reached(brief)
            if _reflected(session, number) and session.answer(f"predict:{number}") is None
        )
        acts = _acts(session)
        waits = session.open_round is not None and session.ended is None
        asks = len(_queries(acts)) > len(session.rounds) and session.ended is None
        if reflections or waits or asks or _submission(acts) is not None:
            return (*reflections, *silent)
        return (*silent, f"act:{len(acts) + 1}")

    def request(self, call: str, brief: Brief) -> Request:
        """One of the calls that are due."""
        stage, _, number = call.partition(":")
        rounds = _answered(brief.session)
        if stage == "plan":
            asked = known(brief, (), planned=False)
            answer: type[BaseModel] = shapes.Plan
            return self._request(stage, brief, (), asked, answer, (), rehearsal.plan(brief))
        if stage == "reflect":
            rounds = rounds[: int(number)]
            asked = f"{known(brief, rounds, planned=True)}\n\nReflect on the answer of round {number}."
            script = rehearsal.reflection(rounds[-1])
            return self._request(stage, brief, rounds, asked, shapes.Reflection, (), script)
        if stage == "predict":
            rounds = rounds[: int(number)]
            asked = f"{known(brief, rounds, planned=True)}\n\nPredict the answers now."
            tools: tuple[Tool, ...] = (shapes.submit_predictions(brief.checklist),)
            script = rehearsal.submission(brief, rounds)
            return self._request(stage, brief, rounds, asked, shapes.PredictionsCall, tools, script)
        left = _left(brief)
        asked = f"{known(brief, rounds, planned=True)}\n\n{rounds_left(left, brief.budget)}"
        answer, tools = _offered(brief, left)
        script = rehearsal.act(brief, rounds, left)
        return self._request(stage, brief, rounds, asked, answer, tools, script, left)

    def _request(
        self,
        stage: str,
        brief: Brief,
        rounds: tuple[Round, ...],
        asked: str,
        answer: type[BaseModel],
        tools: tuple[Tool, ...],
        script: str,
        left: int = 0,
    ) -> Request:
        prompt = brief.prompts.get(stage) or PROMPTS[stage]
        return Request(
            messages=(ChatMessage("system", prompt.strip()), ChatMessage("user", asked)),
            answer=answer,
            check=partial(act_problems, brief=brief, left=left) if tools else _nothing_wrong,
            script=script,
            saw=_saw(stage, brief, rounds),
            tools=tools,
        )

    def follows(self, brief: Brief) -> tuple[Payload, ...]:
        """The next question; the end of the interview; predictions at checkpoints; what was handed in."""
        session = brief.session
        acts = _acts(session)
        silent = tuple(_silent(brief))
        ended = tuple(_ending(brief, acts))
        if session.ended is None and not ended:
            queries = _queries(acts)
            if len(queries) > len(session.rounds):
                return (*silent, _question(brief, queries[-1]))
            return silent
        handed_in = _submission(acts)
        pending = len(_reached(brief)) - len(silent) - sum(1 for one in session.predictions if not one.final)
        if handed_in is None or pending:
            return (*silent, *ended)
        return (*silent, *ended, *_outcome(brief, handed_in))

    def label(self, call: str) -> str:
        """What a call does, for a participant who waits for it."""
        return LABELS[stage_of(call)]

    def decisions(self, brief: Brief) -> tuple[Decision, ...]:
        """None: it has no dimensions."""
        return ()


def _nothing_wrong(answer: BaseModel) -> tuple[str, ...]:
    return ()


# -- where it stands ---------------------------------------------------------------------------


def _acts(session: Session) -> list[Mapping[str, Any]]:
    """The tool calls so far, in order."""
    acts: list[Mapping[str, Any]] = []
    while (one := session.answer(f"act:{len(acts) + 1}")) is not None:
        acts.append(one)
    return acts


def _queries(acts: list[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [one["arguments"] for one in acts if one["tool"] == shapes.QUERY]


def _submission(acts: list[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    return next((one["arguments"] for one in acts if one["tool"] != shapes.QUERY), None)


def _answered(session: Session) -> tuple[Round, ...]:
    return tuple(one for one in session.rounds if one.answer is not None)


def _left(brief: Brief) -> int:
    """Rounds that may still be asked."""
    return 0 if brief.session.ended is not None else max(0, brief.budget - brief.session.answered)


def _reached(brief: Brief) -> tuple[int, ...]:
    """Checkpoints that the interview has come to; at its end the predictions are those handed in."""
    if brief.task != "checklist":
        return ()
    answered = brief.session.answered
    return tuple(sorted({one for one in brief.checkpoints if one <= answered and one < brief.budget}))


def _reflected(session: Session, number: int) -> bool:
    return number == 0 or session.answer(f"reflect:{number}") is not None


def _offered(brief: Brief, left: int) -> tuple[type[BaseModel], tuple[Tool, ...]]:
    """What may be called, and the model of its answer; with no round left only the tool that hands in."""
    if brief.task == "checklist":
        submit = shapes.submit_predictions(brief.checklist)
        if not left:
            return shapes.PredictionsCall, (submit,)
        asked = {one.put.key for one in brief.session.rounds}
        query = shapes.any_query([one for one in brief.checklist if one.id not in asked])
        return shapes.ChecklistAct, (query, submit)
    if not left:
        return shapes.SpecCall, (shapes.submit_spec(),)
    return shapes.SheetAct, (shapes.own_query(), shapes.submit_spec())


def _saw(stage: str, brief: Brief, rounds: tuple[Round, ...]) -> tuple[int, ...]:
    """Numbers of the events whose words a call shows."""
    session = brief.session
    numbers = {brief.proposal_seq, *(seq for one in brief.conversations for seq in one.saw)}
    if stage != "plan":
        made = ["plan", *(f"reflect:{one.put.round}" for one in rounds)]
        numbers |= {session.calls[one].seq for one in made if session.answer(one) is not None}
        numbers |= {seq for one in rounds for seq in (one.put_seq, one.answer_seq)}
    return tuple(sorted(numbers - {0}))


# -- what follows ------------------------------------------------------------------------------


def _question(brief: Brief, query: Mapping[str, Any]) -> said.QuestionPut:
    session = brief.session
    key = query.get("checklist_id", "")
    question, options = query["question"] if not key else "", [query[one] for one in OPTIONS]
    if key:
        taken = next(one for one in brief.checklist if one.id == key)
        question, options = taken.question, list(taken.options)
    return said.QuestionPut(
        session=session.id,
        item=session.item,
        round=len(session.rounds) + 1,
        sort="checklist" if key else "own",
        key=key,
        question=plain(question),
        options=tuple(map(plain, options)),
        single=bool(key),
        why=plain(query["why"]),
    )


def _ending(brief: Brief, acts: list[Mapping[str, Any]]) -> Iterator[said.InterviewEnded]:
    session, answered = brief.session, brief.session.answered
    if session.ended is not None or brief.proposal is None:
        return
    if answered >= brief.budget:
        why = "All questions were asked."
        yield said.InterviewEnded(session.id, session.item, "budget", why, answered)
    elif (handed_in := _submission(acts)) is not None:
        why = plain(handed_in["reason"])
        yield said.InterviewEnded(session.id, session.item, "agent", why, answered)


def _silent(brief: Brief) -> Iterator[said.PredictionsMade]:
    session = brief.session
    made = {one.rounds for one in session.predictions if not one.final}
    for number in _reached(brief):
        answer = session.answer(f"predict:{number}")
        if answer is not None and number not in made:
            letters = dict(answer["arguments"]["answers"])
            yield said.PredictionsMade(session.id, session.item, number, False, letters)


def _outcome(brief: Brief, handed_in: Mapping[str, Any]) -> Iterator[Payload]:
    session = brief.session
    if brief.task == "checklist":
        if session.predicted is None:
            letters = dict(handed_in["answers"])
            yield said.PredictionsMade(session.id, session.item, session.answered, True, letters)
    elif session.frozen is None:
        sheet = Sheet(
            {
                name: tuple(
                    Statement(f"{name}-{number}", plain(text), (BY_AGENT,))
                    for number, text in enumerate(handed_in[name], start=1)
                )
                for name in SECTIONS
            }
        )
        yield said.SheetFrozen(session.id, session.item, sheet.to_json())
