"""Who gets which project, with which agent and budget, as which task.

Projects lie on a circle and slot s begins with project s, so over as many slots as there are projects each
stands once in each period. Treatments (agent and budget) follow the period and move on by one with each
round of the circle: over projects x treatments slots each project meets each treatment equally often in
each period (a Latin square over projects). Mixed tasks alternate within a slot and turn round once every
treatment has come, so over twice as many slots each project meets each treatment equally often as each task.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

from studies.chance import Chance
from studies.payloads import Planned

if TYPE_CHECKING:
    from studies.specification.materials import Project
    from studies.specification.settings import SpecificationSettings
    from studies.study import Study


def treatments(settings: SpecificationSettings) -> tuple[tuple[str, int], ...]:
    """Every agent with every budget."""
    return tuple(product((one.name for one in settings.agents), settings.budgets))


def balanced_participants(settings: SpecificationSettings, projects: Sequence[Project]) -> int:
    """The least number of participants with whom each project meets each treatment equally often in each
    period (and, where tasks are mixed, as each task); so do all its multiples."""
    mixed = settings.task == "mixed" and any(one.checklist for one in projects)
    return len(projects) * len(treatments(settings)) * (2 if mixed else 1)


def lay_out_projects(study: Study, slot: int) -> tuple[Planned, ...]:
    """The interviews of a slot in order; a second agent's comes right behind the first."""
    settings, projects = study.settings.specification, study.projects
    known = treatments(settings)
    turn = (slot - 1) // len(projects)
    planned: list[Planned] = []
    with_checklist = 0
    for period in range(settings.projects_each or len(projects)):
        project = projects[(slot - 1 + period) % len(projects)]
        task = settings.task
        if task == "mixed":
            task = (
                "checklist"
                if project.checklist and (with_checklist + turn // len(known)) % 2 == 0
                else "sheet"
            )
            with_checklist += bool(project.checklist)
        truth = settings.ground_truth
        if truth == "split":
            drawn = Chance(study.settings.seed, slot, f"ground truth {project.id}").shuffled(
                ("before", "after")
            )
            truth = "before" if drawn[0] == "before" else "after"
        agent, budget = known[(period + turn) % len(known)]
        agents = [agent]
        if settings.second_agent:
            names = [one.name for one in settings.agents]
            agents.append(names[(names.index(agent) + 1) % len(names)])
        planned += (
            Planned(
                project.id,
                period + 1,
                "main",
                number,
                assistant=name,
                task=task,
                budget=max((budget, *settings.checkpoints)) if task == "checklist" else budget,
                truth=truth,
            )
            for number, name in enumerate(agents, start=1)
        )
    return tuple(planned)
