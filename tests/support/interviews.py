"""Participations of a specification study written down event by event: how interviews went, and no more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from studies import payloads as said
from studies.assignment import lay_out
from studies.events import Chain, Event, Payload, new_id
from studies.settings import AnalysisSettings
from studies.specification import payloads as spec
from studies.specification.sections import CRITERIA, SECTIONS
from studies.specification.sheet import Change, Sheet, Statement
from studies.study import Study
from support.specifications import BASELINE, BUDDY, project, question, wishes

START = datetime.fromisoformat("2026-03-02T09:00:00.000+00:00")
FATES = {"m": "met", "p": "partly", "c": "contradicted", "a": "absent"}
WANTS = {"core_features.want": "Votes\nNotes", "core_features.avoid": "Adverts", "constraints.want": ""}
"""Three requirements."""


def interview_study(
    questions: int = 4,
    analysis: Mapping[str, Any] | None = None,
    consent: Sequence[Any] = (),
    **settings: Any,
) -> Study:
    """Two projects with a checklist, two agents; `settings` go to the table of the kind."""
    checklist = [question(number) for number in range(1, questions + 1)]
    made = wishes(
        project("club", checklist=checklist),
        project("yard", checklist=checklist),
        agents=(BUDDY, BASELINE),
    )
    kind = type(made.settings.specification).model_validate(
        made.settings.specification.model_dump() | settings
    )
    object.__setattr__(
        made,
        "settings",
        made.settings.model_copy(
            update={"specification": kind, "consent": (*made.settings.consent, *consent)}
        ),
    )
    object.__setattr__(made, "analysis", AnalysisSettings.model_validate(analysis or {}))
    return made


def lettered(letters: str) -> dict[str, str]:
    """Answers to the checklist's questions in their order."""
    return {f"q{number}": letter for number, letter in enumerate(letters, start=1)}


def a_sheet() -> Sheet:
    """Four statements, one of which the review put in the place of another."""
    first, second, third = (Statement(f"core_features-{n}", f"Feature {n}.") for n in (1, 2, 3))
    last = Statement("constraints-1", "By June.")
    sections = {name: () for name in SECTIONS} | {"core_features": (first, second), "constraints": (last,)}
    change = Change("review-1", "core_features", "coverage", "clearer", (third,), (second,))
    return Sheet(sections, (change,))


class Interviewed:
    """One participation's stream."""

    def __init__(
        self, study: Study, slot: int = 1, *, pilot: bool = False, consents: Mapping[str, bool] | None = None
    ) -> None:
        self.study = study
        self.chain = Chain(new_id())
        self.stream = self.chain.stream
        self.events: list[Event] = []
        self.now = START
        self.period = 0
        opened = said.ParticipationOpened(
            study.sha256, new_id(), slot, pilot, order=tuple(lay_out(study, slot).order), program="test"
        )
        given = {one.id: True for one in study.settings.consent} | dict(consents or {})
        self.add(opened, said.VisitStarted("test"), said.ConsentGiven(given, "0"))

    def add(self, *payloads: Payload) -> None:
        """The next events, a second apart."""
        for one in payloads:
            at = self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z")
            self.events.append(self.chain.make(one, at))
            self.now += timedelta(seconds=1)

    def checklist(
        self,
        truth: str,
        predicted: str | None,
        *,
        item: str = "club",
        agent: str = "buddy",
        budget: int = 5,
        asked: Sequence[str] = (),
        by: str = "budget",
        retest: Mapping[str, str] | None = None,
        number: int = 1,
        silent: Mapping[int, str] | None = None,
        when: str = "before",
        model: str = "served-1",
        own_ms: int = 60_000,
    ) -> Interviewed:
        """A project as Task 1: letters of truth and prediction; `asked` are ids, empty for others."""
        session = self._open(item, agent, budget, "checklist", number, when, model)
        if number == 1:
            self.add(said_truth(item, lettered(truth), own_ms))
        for rounds, letters in (silent or {}).items():
            self.add(spec.PredictionsMade(session, item, rounds, False, lettered(letters)))
        self._rounds(session, item, asked)
        self._end(session, item, by, len(asked))
        if predicted is not None:
            self.add(spec.PredictionsMade(session, item, len(asked), True, lettered(predicted)))
        if retest:
            self.add(spec.TruthRetested(f"retest:1.1:{item}", 1, item, retest))
        self.add(spec.ProjectClosed(f"close:1.1:{item}", item))
        return self

    def sheet(
        self,
        scores: str | None,
        fates: str = "",
        *,
        item: str = "club",
        agent: str = "buddy",
        budget: int = 5,
        asked: int = 0,
        by: str = "budget",
        number: int = 1,
        when: str = "before",
        edit: Mapping[str, Any] | None = None,
        closed: bool = True,
    ) -> str:
        """A project as Task 2; the session's id. `scores` are digits by criterion, `fates` letters."""
        session = self._open(item, agent, budget, "sheet", number, when, "served-1")
        if number == 1:
            self.add(said_truth(item, WANTS, 60_000))
        self._rounds(session, item, [""] * asked)
        self._end(session, item, by, asked)
        self.add(spec.SheetFrozen(session, item, a_sheet().to_json()))
        ids = ("core_features.want.1", "core_features.want.2", "core_features.avoid.1")
        told = {name: FATES[letter] for name, letter in zip(ids, fates, strict=False)}
        self.add(spec.RequirementsChecked(f"met:{number}.1:{item}", 1, session, item, 1, told))
        if scores is not None:
            rated: dict[str, Any] = dict(zip(CRITERIA, map(int, scores), strict=True))
            rated |= {f"{name}.reason": "because" for name in CRITERIA}
            self.add(spec.SheetRated(f"rate:{number}.1:{item}", 1, session, item, 1, rated))
        if edit is not None:
            self.add(spec.SheetEdited(f"edit:1.1:{item}", 1, session, item, edit, {}))
        if closed:
            self.add(spec.ProjectClosed(f"close:1.1:{item}", item))
        return session

    def compare(self, left: str, right: str, preferred: str, item: str = "club") -> None:
        """Two sheets, side by side."""
        side: Any = preferred
        self.add(spec.SheetsCompared(f"compare:1.1:{item}", 1, item, left, right, side, "because"))

    def end(self, how: str = "completed") -> Interviewed:
        """The end of the participation."""
        ends: Mapping[str, Payload] = {
            "completed": said.ParticipationCompleted("0000"),
            "withdrawn": said.ParticipationWithdrawn(),
            "limit": said.ParticipationLimited("participant", 1.0, 1.0),
            "paused": said.VisitEnded("paused"),
        }
        self.add(ends[how])
        return self

    def _open(self, item: str, agent: str, budget: int, task: Any, number: int, when: Any, model: str) -> str:
        self.period += 1
        session = new_id()
        opened = spec.ProjectOpened(
            *(session, item, number, self.period, task, agent, "buddy", "scripted", "rehearsal", budget, when)
        )
        self.add(opened)
        if number == 1:
            self.add(spec.ProposalLocked(f"proposal:1.1:{item}", item, "I want a reading list."))
        reply = spec.Reply("complete", "{}", model)
        self.add(spec.AgentAnswered(session, item, "draft", 1, "valid", {}, replies=(reply,), cost=0.25))
        return session

    def _rounds(self, session: str, item: str, asked: Sequence[str]) -> None:
        for number, key in enumerate(asked, start=1):
            sort: Any = "checklist" if key else "own"
            self.add(spec.QuestionPut(session, item, number, sort, key, "Which?", ("a", "b"), True, "why"))
            step = f"round:1.{number}:{item}"
            self.add(spec.RoundAnswered(step, session, item, number, ("A",), active_ms=10_000))

    def _end(self, session: str, item: str, by: Any, rounds: int) -> None:
        self.add(spec.InterviewEnded(session, item, by, "because", rounds))


def said_truth(item: str, answers: Mapping[str, Any], active_ms: int) -> Payload:
    """The ground truth on one screen."""
    return spec.TruthLocked(f"truth:1.1:{item}", 1, item, 1, answers, active_ms)


def streams(*people: Interviewed) -> dict[str, list[Event]]:
    """The streams of a study."""
    return {one.stream: one.events for one in people}
