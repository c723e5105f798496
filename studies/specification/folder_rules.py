"""The rules that span a specification study's files: agents, the design, the plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from studies.assistant_rules import assistant_problems, named, refusable
from studies.errors import Problem
from studies.feasibility import nearest_multiples
from studies.findings import error, warning
from studies.reading import closest, listed, shown
from studies.settings import AnalysisSettings, StudySettings
from studies.specification.agents.baseline_prompts import PROMPTS as BASELINE_PROMPTS
from studies.specification.agents.prompts import STAGES as BUDDY_STAGES
from studies.specification.design import balanced_participants
from studies.specification.judge_prompts import STAGES as JUDGE_STAGES
from studies.specification.plan import (
    MEASURES,
    OF_CHECKLISTS,
    OF_SHEETS,
    contrast_names,
    planned_contrasts,
    primary_outcome,
)
from studies.specification.project_rules import FILE, project_problems
from studies.specification.sections import SECTIONS

if TYPE_CHECKING:
    from studies.specification.folder import SpecificationParts
    from studies.specification.materials import Project

_STAGES = {"buddy": BUDDY_STAGES, "baseline": tuple(BASELINE_PROMPTS), "judge": JUDGE_STAGES}
PROMPTS = frozenset(f"prompts/{who}-{stage}.md" for who, stages in _STAGES.items() for stage in stages)
"""Files that take the place of what the program tells its agents and judges."""
DECLARES = "checkpoint"
"""The word by which a deviation declares silent predictions during an interview."""
RETEST = (0.1, 0.2)
"""Share of the ground truth that is usually asked again."""


def rules(parts: SpecificationParts) -> Iterator[Problem]:
    """Every problem that only shows between a specification study's files, as far as those could be read."""
    yield from project_problems(parts)
    yield from _prompts(parts)
    settings = parts.settings
    if settings is None:
        return
    yield from assistant_problems(settings, parts.files)
    yield from _agents(settings)
    yield from _judges(settings)
    yield from _design(settings)
    yield from _idle(settings)
    if parts.analysis is not None:
        yield from _plan(settings, parts.analysis)
        yield from _checkpoints(settings, parts.analysis)
    if parts.counted and parts.projects:
        yield from _projects(settings, parts)
        yield from _retest(settings, parts)
        yield from _balance(settings, parts)


def _twice(names: Iterable[object]) -> list[str]:
    return [str(one) for one, count in Counter(names).items() if count > 1]


def _prompts(parts: SpecificationParts) -> Iterator[Problem]:
    for name in sorted(one for one in parts.files if one.startswith("prompts/") and one not in PROMPTS):
        near = closest(name, PROMPTS)
        expected = (
            f"did you mean {near}?" if near else "prompts/DESIGN-STAGE.md, such as prompts/buddy-draft.md"
        )
        yield warning(listed([name]), "", "no stage of an agent or judge is called that", expected)


# -- who works ---------------------------------------------------------------------------------


def _agents(settings: StudySettings) -> Iterator[Problem]:
    specification = settings.specification
    agents = specification.agents
    if not agents:
        yield error("study.toml", "specification.agents", "no agent", "at least one [[specification.agents]]")
    if twice := _twice(one.name for one in agents):
        found = f"{listed(twice)} more than once"
        yield error("study.toml", "specification.agents", found, "a name of its own for each")
    for place, one in enumerate(agents):
        yield from named(settings, f"specification.agents.{place}.assistant", one.assistant)
    if specification.second_agent and len(agents) < 2:
        found = f"a second agent for each project, and there is {'one' if agents else 'none'}"
        yield error("study.toml", "specification.second_agent", found, "two [[specification.agents]]")
    live = {one.assistant for one in agents}
    yield from refusable(settings, live)
    used = live | set(specification.judges)
    unused = [one.name for one in settings.assistants if one.name not in used]
    if agents and unused:
        found = f"{listed(unused)}: neither an agent's nor a judge"
        yield warning("study.toml", "assistants", found, "assistants that do something")
    for place, helper in enumerate(settings.assistants):
        if helper.prompt:
            found = "agents are told what to do stage by stage"
            expected = "prompts/DESIGN-STAGE.md, such as prompts/buddy-draft.md, and no such key"
            yield warning("study.toml", f"assistants.{place}.prompt", found, expected)


def _judges(settings: StudySettings) -> Iterator[Problem]:
    specification = settings.specification
    if twice := _twice(specification.judges):
        found = f"{listed(twice)} more than once"
        yield error("study.toml", "specification.judges", found, "each judge once")
    models = {one.name: one.model for one in settings.assistants}
    theirs = {models[one.assistant] for one in specification.agents if one.assistant in models}
    for place, name in enumerate(specification.judges):
        key = f"specification.judges.{place}"
        yield from named(settings, key, name)
        if models.get(name) in theirs:
            found = f"{name} judges what the same model wrote, and models favour their own words"
            yield warning("study.toml", key, found, "another model")
    if specification.judges and specification.task == "checklist":
        found = "judges rate spec sheets, and the task is to predict answers"
        yield warning("study.toml", "specification.judges", found, "no judges")


# -- settings ----------------------------------------------------------------------------------


def _design(settings: StudySettings) -> Iterator[Problem]:
    design, specification = settings.design, settings.specification
    if design.kind not in ("everything", "crossed"):
        expected = "everything, or crossed for a planned number of participants"
        yield error("study.toml", "design.kind", shown(design.kind), expected)
    for name in sorted(design.model_fields_set - {"kind", "participants"}):
        yield warning("study.toml", f"design.{name}", "a specification study has no use for it")
    if design.participants and design.kind == "everything":
        found = f"{design.participants} participants, and slots are made as people come"
        yield error("study.toml", "design.participants", found, 'design.kind = "crossed"')
    if twice := _twice(specification.budgets):
        yield error("study.toml", "specification.budgets", f"{listed(twice)} twice", "each budget once")
    if repeated := _twice(one.id for one in specification.after):
        found = f"{listed(repeated)} more than once"
        yield error("study.toml", "specification.after", found, "an id of its own for each question")


def _idle(settings: StudySettings) -> Iterator[Problem]:
    specification = settings.specification
    unused = {}
    if specification.identity == "self":
        unused["understanding_tries"] = "participants answer as themselves, and there is no persona to check"
    if specification.agents and not any(one.design == "buddy" for one in specification.agents):
        for name in ("dropout", "show_chart"):
            unused[name] = "no agent is a buddy, and only a buddy simulates users"
    for name in sorted(unused.keys() & specification.model_fields_set):
        yield warning("study.toml", f"specification.{name}", unused[name], "no such key")


def _projects(settings: StudySettings, parts: SpecificationParts) -> Iterator[Problem]:
    each, there = settings.specification.projects_each, len(parts.projects)
    if each is not None and each > there:
        found = f"{each} projects a person, and {FILE} has {there}"
        yield error("study.toml", "specification.projects_each", found, f"at most {there}")


def _retest(settings: StudySettings, parts: SpecificationParts) -> Iterator[Problem]:
    specification, key = settings.specification, "specification.retest"
    share, (low, high) = specification.retest, RETEST
    asked = {row.value.id: _answers(settings, row.value) for row in parts.projects}
    none = [name for name, count in asked.items() if round(share * count) < 1]
    if share and none:
        found = f"a share of {share:g} is not one answer of {listed(none)}"
        least = min(asked[name] for name in none)
        yield error("study.toml", key, found, f"at least {1 / least:.2g}" if least > 1 else "more questions")
    elif not share:
        found = "nothing is asked again: there is no telling how sure people are of their own answers"
        yield warning("study.toml", key, found, f"{low} to {high}")
    elif not low <= share <= high:
        yield warning("study.toml", key, f"a share of {share:g}", f"{low} to {high}")


def _answers(settings: StudySettings, project: Project) -> int:
    """How many answers a person's ground truth of the project has."""
    predicted = project.checklist if settings.specification.task != "sheet" else ()
    return len(predicted) or 2 * len(SECTIONS)


# -- the plan ----------------------------------------------------------------------------------


def _plan(settings: StudySettings, analysis: AnalysisSettings) -> Iterator[Problem]:
    task, outcome = settings.specification.task, primary_outcome(analysis)
    if outcome is None:
        found, expected = shown(analysis.primary_outcome), f"one of {', '.join(MEASURES)}"
        if "primary_outcome" in analysis.model_fields_set:
            yield error("analysis.toml", "primary_outcome", found, expected)
        else:
            yield warning("analysis.toml", "primary_outcome", "no outcome is planned", expected)
    elif (outcome in OF_CHECKLISTS and task == "sheet") or (outcome in OF_SHEETS and task == "checklist"):
        found = f"{outcome}, which specification.task = {shown(task)} does not give"
        yield error("analysis.toml", "primary_outcome", found, "an outcome of the task")
    for text in planned_contrasts(settings, analysis)[1]:
        names = contrast_names(settings)
        expected = (
            f"two agents ({listed(names['agent'])}) or two budgets ({listed(names['budget'])}), "
            "the first less the second"
        )
        yield error("analysis.toml", "contrast", shown(text), expected)
    for name in ("training_below", "checks_failed"):
        if getattr(analysis.exclusions, name) is not None:
            found = "a specification study has neither practice nor attention checks"
            yield error("analysis.toml", f"exclusions.{name}", found, "no such key")


def _checkpoints(settings: StudySettings, analysis: AnalysisSettings) -> Iterator[Problem]:
    specification, key = settings.specification, "specification.checkpoints"
    checkpoints, budgets = specification.checkpoints, specification.budgets
    if not checkpoints:
        return
    if specification.task == "sheet":
        found = "silent predictions, and no checklist is predicted"
        yield error("study.toml", key, found, 'no checkpoints, or specification.task = "checklist"')
    if twice := _twice(checkpoints):
        yield error("study.toml", key, f"{listed(twice)} twice", "each checkpoint once")
    if (high := max(checkpoints)) > max(budgets):
        found = f"{high}, and no interview has more than {max(budgets)} rounds"
        yield error("study.toml", key, found, f"at most {max(budgets)}")
    elif short := [one for one in budgets if one < high]:
        found = f"{high}, which interviews of {listed(map(str, short))} rounds do not reach"
        yield warning("study.toml", key, found, "one budget")
    if not any(DECLARES in one.casefold() for one in analysis.known_deviations):
        found = "several predictions from one interview, and no deviation declares it"
        expected = "no checkpoints, or a sentence on the checkpoints in known_deviations of analysis.toml"
        yield error("study.toml", key, found, expected)


def _balance(settings: StudySettings, parts: SpecificationParts) -> Iterator[Problem]:
    specification, analysis = settings.specification, parts.analysis
    planned = (analysis.planned_n if analysis else None) or settings.design.participants
    base = balanced_participants(specification, [row.value for row in parts.projects])
    if planned and base and planned % base:
        found = (
            f"with {planned} planned participations not every project meets each agent, with each budget, "
            "equally often"
        )
        near = " or ".join(map(str, nearest_multiples(planned, base)))
        yield warning("analysis.toml", "planned_n", found, near)
