"""The specification protocol: proposal, ground truth, interview, rating, editing, in their fixed order."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from studies.events import Event, Payload, new_id
from studies.payloads import Planned
from studies.specification import closings, forms
from studies.specification import payloads as said
from studies.specification.agents.agent import Agent, Brief
from studies.specification.briefing import brief_for
from studies.specification.decisions import Decision
from studies.specification.order import place_of, project_steps
from studies.specification.projects import Projects, ProjectState, Session, fold_projects
from studies.specification.showing import Showing
from studies.state import Closing, State
from studies.steps import Step
from studies.study import Study

KINDNESS = (
    "This tests the assistant, not you. There are no right answers: what you would really want counts.\n\n"
    "The assistant never sees what you write about your wishes beforehand. It only knows your proposal and "
    "what you answer in its interview."
)


def projects_of(state: State) -> Projects:
    """The specification part of a state."""
    return state.middle if isinstance(state.middle, Projects) else Projects()


class SpecificationKind:
    """The middle of a specification study (SpecBench; Buddy)."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.settings = study.settings.specification
        self.usual_ms: Mapping[str, float] = {}
        """How long each stage usually takes in this study, as far as the live side knows."""
        self._showing = Showing(self)

    @cached_property
    def agents(self) -> Mapping[str, Agent]:
        """The study's agents by name."""
        return {one.name: agent_of(one.design) for one in self.settings.agents}

    # -- what comes in which order -------------------------------------------------------------

    def interviews(self, item: str, state: State) -> tuple[Planned, ...]:
        """The planned interviews about a project: one, or two where a second agent comes."""
        order = state.opened.order if state.opened else ()
        return tuple(one for one in order if one.item == item)

    def plan(self, state: State) -> tuple[str, ...]:
        """All steps of all projects, as far as they are known; rests between projects."""
        steps: list[str] = []
        projects, items = projects_of(state), self.assigned(state)
        met: set[str] = set()
        for place, item in enumerate(items):
            if place:
                steps.append(f"rest:{place}")
            persona = self.study.project(item).persona
            steps += project_steps(
                self.study,
                self.interviews(item, state),
                projects.of(item),
                slot=state.opened.slot if state.opened else 0,
                understood=persona in met,
            )
            met.add(persona)
        return tuple(steps)

    def plan_key(self, state: State) -> object:
        """What the plan depends on beside the order: how far each project has come."""
        return tuple(
            (
                one.item,
                len(one.checks),
                len(one.truth),
                one.compared,
                tuple((each.answered, each.ended is not None) for each in one.sessions),
            )
            for one in projects_of(state).all
        )

    def training_items(self) -> tuple[str, ...]:
        """A specification study has no practice items."""
        return ()

    def overview(self) -> tuple[tuple[str, str, str], ...]:
        """What every participant is told before the first project."""
        return (("kindness", "Before you begin", KINDNESS),)

    def explain(self, value: object) -> str:
        """There is nothing to explain about answers."""
        return ""

    def reopens(self, earlier: str, current: str) -> bool:
        """Forms in several screens can be gone back through until the last is closed."""
        sort = earlier.partition(":")[0]
        if sort not in ("truth", "met", "rate", "retest") or current.partition(":")[0] != sort:
            return False
        one, other = place_of(earlier), place_of(current)
        return (one.item, one.number) == (other.item, other.number)

    # -- one step ------------------------------------------------------------------------------

    def step(self, step_id: str, state: State) -> Step:
        """What is asked, or the work that stands before it."""
        return self._showing.step(place_of(step_id), state)

    def chart(self, item: str, number: int, state: State) -> tuple[Decision, ...]:
        """How each dimension stands in an interview; empty for an agent without any."""
        session = projects_of(state).of(item).session(number)
        if session is None:
            return ()
        return self.agents[session.opened.agent].decisions(self.brief(session, state))

    def brief(self, session: Session, state: State) -> Brief:
        """Everything the session's agent may know."""
        return brief_for(self.study, session, projects_of(state), state.opened.slot if state.opened else 0)

    # -- the agents' side ----------------------------------------------------------------------

    def due(self, state: State) -> tuple[tuple[Session, str], ...]:
        """The calls that can be made now, session by session; failed ones wait to be asked for again."""
        if state.end is not None:
            return ()
        return tuple(
            (session, call)
            for session in projects_of(state).sessions
            if not finished(session)
            for call in self.agents[session.opened.agent].due(self.brief(session, state))
            if call not in session.calls or not session.calls[call].broken
        )

    def rules(self, state: State) -> tuple[Payload, ...]:
        """What follows by rule from where the participation stands: openings, questions, endings."""
        if state.end is not None:
            return ()
        opened = self._openings(state)
        if opened:
            return opened
        for session in projects_of(state).sessions:
            if not finished(session):
                made = self.agents[session.opened.agent].follows(self.brief(session, state))
                if made:
                    return made
        return ()

    def _openings(self, state: State) -> tuple[Payload, ...]:
        """An agent begins as soon as it may know anything, while the participant still reads."""
        order = state.opened.order if state.opened else ()
        for period, planned in enumerate(order, start=1):
            project = projects_of(state).of(planned.item)
            if project.session(planned.number) is None:
                ready = self._ready(planned, project, state)
                return (self._opening(planned, period),) if ready else ()
        return ()

    def _ready(self, planned: Planned, project: ProjectState, state: State) -> bool:
        """Whether an interview may be prepared: the one before it is over, and the persona understood."""
        if planned.number > 1:
            before = project.session(planned.number - 1)
            return before is not None and finished(before)
        projects = projects_of(state)
        if not state.consents or any(
            not projects.of(one).closed for one in self._before(project.item, state)
        ):
            return False
        persona = self.study.project(project.item).persona
        understood = {self.study.project(one.item).persona for one in projects.all if one.understood}
        return not persona or persona in understood

    def _before(self, item: str, state: State) -> tuple[str, ...]:
        items = self.assigned(state)
        return items[: items.index(item)]

    def _opening(self, planned: Planned, period: int) -> said.ProjectOpened:
        agent = next(one for one in self.settings.agents if one.name == planned.assistant)
        model = next(one.model for one in self.study.settings.assistants if one.name == agent.assistant)
        return said.ProjectOpened(
            session=new_id(),
            item=planned.item,
            number=planned.number,
            period=period,
            task="checklist" if planned.task == "checklist" else "sheet",
            agent=agent.name,
            design=agent.design,
            assistant=agent.assistant,
            model=model,
            budget=planned.budget,
            truth="after" if planned.truth == "after" else "before",
        )

    # -- closing -------------------------------------------------------------------------------

    def feedback(self, item: str, answers: Mapping[str, Any]) -> tuple[str, bool]:
        """A specification study has no practice items."""
        raise KeyError(item)

    def implied(self, name: str, value: Any, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """Own words belong to none of the options: another choice takes them back."""
        if name == "choice" and answers.get("own_words") and value not in ((), [], forms.OWN):
            return {"own_words": None}
        return {}

    def closing(
        self, step: Step, state: State, answers: Mapping[str, Any], elapsed_ms: int
    ) -> tuple[Payload, ...]:
        """The events that close a step of the middle."""
        return closings.closing(self, step, state, answers, elapsed_ms)

    def following(self, step: Step, state: State) -> tuple[Payload, ...]:
        """Leaving a project's last page closes it."""
        if not step.id.startswith("close:"):
            return ()
        return (said.ProjectClosed(step.id, place_of(step.id).item),)

    def closing_of(self, payload: Payload) -> Closing | None:
        """The step that an event closes."""
        return closings.closing_of(payload)

    def request(self, step: Step, state: State, text: str) -> tuple[Payload, ...]:
        """There are no dialogues."""
        raise ValueError(f"{step.id} is no dialogue")

    def answers(self, payload: Payload) -> str | None:
        """No event of this kind answers an ask by itself."""
        return None

    def returning(self, state: State, *, late: bool) -> tuple[Payload, ...]:
        """Calls that were under way when the program was closed are broken off; they come again."""
        return tuple(
            said.AgentAnswered(session.id, session.item, name, call.attempts, "interrupted", None, "closed")
            for session in projects_of(state).sessions
            for name, call in session.calls.items()
            if call.standing is None
        )

    def fold(self, middle: object, event: Event) -> Projects:
        """The projects after one more event."""
        return fold_projects(middle if isinstance(middle, Projects) else Projects(), event)

    def assigned(self, state: State) -> tuple[str, ...]:
        """The projects, in order."""
        order = state.opened.order if state.opened else ()
        return tuple(dict.fromkeys(one.item for one in order))

    def finished(self, state: State) -> tuple[str, ...]:
        """Projects that are behind the participant."""
        return tuple(one.item for one in projects_of(state).all if one.closed)

    def done(self, state: State) -> int:
        """How many projects are behind the participant."""
        return len(self.finished(state))

    def flags(self, state: State) -> tuple[str, ...]:
        """Calls that failed, and comprehension checks that were not passed at once."""
        projects = projects_of(state).all
        failed = sum(len(each.broken) for one in projects for each in one.sessions)
        missed = sum(1 for one in projects for each in one.checks if not each.passed)
        words = [f"waits for {failed} failed call{'s' * (failed > 1)}"] if failed else []
        return (*words, *([f"comprehension check missed {missed}"] if missed else []))


def finished(session: Session) -> bool:
    """Whether an agent has done all it has to: its sheet is frozen, or its last predictions are made."""
    return session.frozen is not None or session.predicted is not None


def agent_of(design: str) -> Agent:
    """The agent of a design.

    Raises:
        KeyError: there is no such design.
    """
    if design == "buddy":
        from studies.specification.agents.buddy import Buddy

        return Buddy()
    if design == "baseline":
        from studies.specification.agents.baseline import Baseline

        return Baseline()
    raise KeyError(design)
