"""Judges: models that rate and compare frozen sheets in the participant's place (SpecBench, Appendix B.5).

A judgement belongs to the participation whose words it rests on, and is stored in its stream.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from studies.answers import Answered, ask
from studies.assistant_rules import LOCAL
from studies.chance import Chance
from studies.events import Payload, to_ascii_json
from studies.replies import Assistant, ChatMessage
from studies.replying import messages_hash
from studies.specification.forms import requirements
from studies.specification.judge_prompts import (
    Judgement,
    Preference,
    about_person,
    comparing_prompt,
    frozen_text,
    misjudged,
    rating_prompt,
)
from studies.specification.payloads import PairJudged, SheetJudged
from studies.specification.projects import Projects, ProjectState, Session
from studies.specification.sections import CRITERIA

if TYPE_CHECKING:
    from studies.settings import AssistantSettings
    from studies.state import State
    from studies.study import Study

AT_ONCE = 8
"""Calls that are under way at the same time."""
NOBODY_ASKED = "no item of the consent form covers processors, so nobody has agreed that a judge reads along"
REFUSED = "the person did not agree that their words are sent to others"
NO_OPINION = "A rehearsal has no opinion."


@dataclass(frozen=True, slots=True)
class Due:
    """One thing that a judge is to look at."""

    judge: AssistantSettings
    project: ProjectState
    sessions: tuple[Session, ...]
    """One to be rated, or two to be compared, left and right."""


@dataclass(frozen=True, slots=True)
class Docket:
    """What is to be judged of one participation."""

    due: tuple[Due, ...] = ()
    withheld: tuple[str, ...] = ()
    """Why judges may not see it, in words."""


def docket(study: Study, state: State) -> Docket:
    """What judges have not looked at yet, of a completed participation that is no pilot; else nothing.

    Where no usable answer came it is due again. Words leave this machine only for judges whom everything in
    the consent form that covers processors allows.
    """
    from studies.specification.protocol import projects_of

    if state.opened is None or state.opened.pilot or state.end != "completed":
        return Docket()
    settings = {one.name: one for one in study.settings.assistants}
    projects, due, withheld = projects_of(state), [], []
    for name in study.settings.specification.judges:
        own = list(_due(study, settings[name], projects, state.opened.slot))
        if own and (why := _withheld(study, settings[name], state)):
            withheld.append(f"{name}: {why}")
        else:
            due += own
    return Docket(tuple(due), tuple(withheld))


def _withheld(study: Study, judge: AssistantSettings, state: State) -> str | None:
    if judge.model in LOCAL:
        return None
    asked = [one.id for one in study.settings.consent if one.covers == "processors"]
    if not asked:
        return NOBODY_ASKED
    return None if all(state.consents.get(one) is True for one in asked) else REFUSED


def _due(study: Study, judge: AssistantSettings, projects: Projects, slot: int) -> Iterator[Due]:
    rated = {one.session for one in projects.judged if one.judge == judge.name and one.scores}
    compared = {one.item for one in projects.pairs if one.judge == judge.name and one.preferred}
    for project in projects.all:
        frozen = [one for one in project.sessions if one.frozen is not None and one.rated]
        yield from (Due(judge, project, (one,)) for one in frozen if one.id not in rated)
        if len(frozen) == 2 and project.item not in compared:
            chance = Chance(study.settings.seed, slot, f"judge {judge.name} {project.item}")
            yield Due(judge, project, tuple(chance.shuffled(frozen)))


class Budget:
    """What a study has spent and may spend, in US dollars.

    Calls under way count as the dearest one so far, so only the very first ones can go over the limit.
    """

    def __init__(self, allowed: float | None, spent: float) -> None:
        self.allowed = allowed
        self.spent = spent
        self._dearest = 0.0
        self._under_way = 0

    @property
    def reached(self) -> bool:
        """Whether nothing more may be spent."""
        return self.allowed is not None and self.spent + self._under_way * self._dearest >= self.allowed

    def begin(self) -> None:
        """A call is under way."""
        self._under_way += 1

    def end(self, cost: float | None) -> None:
        """It has come back."""
        self._under_way -= 1
        self.spent += cost or 0.0
        self._dearest = max(self._dearest, cost or 0.0)


class Panel:
    """The judges at work: everything at the same time, as far as `AT_ONCE` and the budget let it."""

    def __init__(self, study: Study, assistant: Assistant, budget: Budget) -> None:
        self._study = study
        self._assistant = assistant
        self._budget = budget
        self._free = asyncio.Semaphore(AT_ONCE)

    async def judge(
        self, due: Sequence[Due], store: Callable[[Payload], Awaitable[None]]
    ) -> tuple[SheetJudged | PairJudged, ...]:
        """Ask for everything that is due in one participation, and store each answer as it comes.

        Args:
            due: of one participation.
            store: makes an answer durable in its stream.

        Returns:
            What was stored; what the budget did not let through is missing.
        """
        made = await asyncio.gather(*(self._one(one, store) for one in due))
        return tuple(one for one in made if one is not None)

    async def _one(
        self, due: Due, store: Callable[[Payload], Awaitable[None]]
    ) -> SheetJudged | PairJudged | None:
        async with self._free:
            if self._budget.reached:
                return None
            self._budget.begin()
            judged: SheetJudged | PairJudged | None = None
            try:
                judged = await (self._rate(due) if len(due.sessions) == 1 else self._compare(due))
            finally:
                self._budget.end(judged.cost if judged else None)
        await store(judged)
        return judged

    async def _rate(self, due: Due) -> SheetJudged:
        (session,) = due.sessions
        stated = requirements(due.project.truth)
        messages = (
            ChatMessage("system", rating_prompt(self._study)),
            ChatMessage(
                "user",
                f"{about_person(self._study, due.project)}\n\nThe sheet:\n\n"
                f"{frozen_text(self._study, session)}",
            ),
        )
        got = await ask(
            due.judge,
            self._study.settings.specification,
            messages,
            Judgement,
            _rehearsed(len(stated)),
            self._assistant,
            lambda answer: misjudged(answer, len(stated)),
        )
        answer = got.answer
        fates = {one.number: one.fate for one in answer.requirements} if answer else {}
        return SheetJudged(
            session=session.id,
            item=session.item,
            judge=due.judge.name,
            model=due.judge.model,
            scores={name: answer.criterion(name).score for name in CRITERIA} if answer else None,
            reasons={name: answer.criterion(name).reason for name in CRITERIA} if answer else {},
            requirements={one.id: fates[at] for at, one in enumerate(stated, start=1)} if answer else {},
            trouble=got.trouble,
            prompt_sha256=messages_hash(messages),
            cost=got.cost,
            total_ms=got.total_ms,
            model_served=_served(got),
        )

    async def _compare(self, due: Due) -> PairJudged:
        left, right = due.sessions
        messages = (
            ChatMessage("system", comparing_prompt(self._study)),
            ChatMessage(
                "user",
                f"{about_person(self._study, due.project)}\n\nThe sheet on the left:\n\n"
                f"{frozen_text(self._study, left)}\n\nThe sheet on the right:\n\n"
                f"{frozen_text(self._study, right)}",
            ),
        )
        script = to_ascii_json({"reason": NO_OPINION, "preferred": "tie"})
        got = await ask(
            due.judge, self._study.settings.specification, messages, Preference, script, self._assistant
        )
        return PairJudged(
            item=due.project.item,
            judge=due.judge.name,
            model=due.judge.model,
            left=left.id,
            right=right.id,
            preferred=got.answer.preferred if got.answer else None,
            reason=got.answer.reason if got.answer else "",
            trouble=got.trouble,
            prompt_sha256=messages_hash(messages),
            cost=got.cost,
            total_ms=got.total_ms,
            model_served=_served(got),
        )


def _rehearsed(stated: int) -> str:
    """What a rehearsal answers: the middle of everything."""
    fates = [{"number": one, "fate": "partly"} for one in range(1, stated + 1)]
    criteria = {name: {"reason": NO_OPINION, "score": 3} for name in CRITERIA}
    return to_ascii_json({"requirements": fates, **criteria})


def _served(got: Answered[Any]) -> str:
    return got.replies[-1].model_served if got.replies else ""
