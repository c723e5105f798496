"""The blank control (CAPA, appendix A): can an assistant write the code at all, once it is told everything?

Each assistant gets each task once, with its whole specification and no history. CAPA lets a model revise on
the tests' messages, up to eight submissions; here there is one reply.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.answers import whole
from studies.desk import BlankJudged
from studies.events import Event
from studies.replies import Assistant, Call, ChatMessage
from studies.roleplay.context import system_prompt
from studies.roleplay.design import speakers
from studies.roleplay.judging import verdict_on
from studies.roleplay.payloads import Seen
from studies.verdicts import NEUTRAL, Judge, Verdict

if TYPE_CHECKING:
    from studies.roleplay.materials import Task
    from studies.study import Study

NOT_RUN = "the blank control was not run for this assistant"


@dataclass(frozen=True, slots=True)
class BlankCall:
    """One call of the blank control."""

    assistant: str
    task: str
    call: Call
    saw: tuple[Seen, ...]
    """What it shows, by reference."""


@dataclass(frozen=True, slots=True)
class BlankOutcome:
    """What came of one."""

    assistant: str
    task: str
    verdict: str
    """A verdict's word; of a reply that never came, `not_run`."""


@dataclass(frozen=True, slots=True)
class BlankFigure:
    """The blank control of one assistant."""

    assistant: str
    tasks: int
    """With a verdict about the code."""
    solved: int
    es: float | None
    neutral: int
    """Without one: the reply never came, or nothing could be run."""
    unsolved_tasks: tuple[str, ...]
    undefined_reason: str | None = None


def blank_control(study: Study) -> tuple[BlankCall, ...]:
    """The calls of the study's blank control: every task for every assistant that takes part in sessions."""
    return tuple(_call(study, name, task) for name in speakers(study) for task in study.tasks)


def specification(task: Task) -> str:
    """Everything that is known of a task, as a request."""
    parts = [task.brief.strip() or task.prompt.strip()]
    if told := [f"- {one.text}" for one in task.facts if not task.derived]:
        parts.append("\n".join(["What has to be known:", *told]))
    return "\n\n".join(parts)


def recorded(study: Study, desk: Iterable[Event]) -> tuple[BlankOutcome, ...]:
    """What came of the blank control so far, by its events; the latest of each call counts."""
    latest = {
        (one.payload.assistant, one.payload.item): one.payload.verdict
        for one in desk
        if isinstance(one.payload, BlankJudged) and one.payload.study == study.sha256
    }
    return tuple(BlankOutcome(assistant, task, verdict) for (assistant, task), verdict in latest.items())


async def run_blank(
    study: Study, calls: Sequence[BlankCall], assistant: Assistant, judge: Judge
) -> AsyncIterator[BlankJudged]:
    """Make the calls one after the other and have the replies judged; one event each."""
    for one in calls:
        end = await whole(assistant, one.call)
        verdict = Verdict("not_run")
        if end.status == "complete":
            limit = study.settings.roleplay.time_limit
            _, _, verdict = await verdict_on(end.text, study.task(one.task), limit, judge)
        yield BlankJudged(
            study.sha256,
            one.assistant,
            one.task,
            verdict.verdict,
            end.status,
            end.text,
            end.model_served,
            end.usage.cost,
        )


def blank_figures(study: Study, outcomes: Sequence[BlankOutcome]) -> tuple[BlankFigure, ...]:
    """The share of tasks that each assistant solves when it is told everything."""
    found: list[BlankFigure] = []
    for name in speakers(study):
        own = [one for one in outcomes if one.assistant == name]
        told = [one for one in own if one.verdict not in NEUTRAL]
        solved = sum(one.verdict == "passed" for one in told)
        found.append(
            BlankFigure(
                assistant=name,
                tasks=len(told),
                solved=solved,
                es=solved / len(told) if told else None,
                neutral=len(own) - len(told),
                unsolved_tasks=tuple(one.task for one in told if one.verdict != "passed"),
                undefined_reason=None if told else NOT_RUN,
            )
        )
    return tuple(found)


def _call(study: Study, assistant: str, task: Task) -> BlankCall:
    settings = next(one for one in study.settings.assistants if one.name == assistant)
    prompt, seen = system_prompt(study, assistant)
    messages = (
        ChatMessage("system", f"{prompt.strip()}\n\nThe function: {task.interface}"),
        ChatMessage("user", specification(task)),
    )
    call = Call(assistant, settings.model, messages, settings.parameters, script=task.script[-1:])
    return BlankCall(
        assistant, task.id, call, (seen, Seen("interface", name=task.id), Seen("blank", name=task.id))
    )
