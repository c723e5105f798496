"""The outcomes of a specification study: every figure of what counts, and all they must be read with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from studies.counting import ENDED
from studies.events import Event
from studies.looks import deviations, looks
from studies.progress import planned_n
from studies.specification.checkpoints import Checkpoint, Improvement, checkpoints
from studies.specification.contrasts import contrasts
from studies.specification.counting import Counted, Person, count, people
from studies.specification.evaluation import Evaluation, Judges, Sensitivity
from studies.specification.figures import By, Group, group
from studies.specification.outcomes import Outcome
from studies.specification.panel import (
    among_judges,
    beside_people,
    head_to_head,
    requirements_alike,
    work_of_judges,
)
from studies.specification.plan import primary_outcome
from studies.study import Study

NO_EXCLUSIONS = "no declared exclusion applies to anybody"
NO_JUDGES = "the study names no judges"
NOT_RUN = "the judges have not been asked yet"
UNFINISHED = "with the finished projects of unfinished participations"


def evaluate(
    study: Study,
    streams: Mapping[str, Sequence[Event]],
    desk: Sequence[Event],
    *,
    name: str | None = None,
) -> Evaluation:
    """Every outcome figure of a study. Takes long where there is much: not for an event loop.

    Args:
        study: the version.
        streams: its participations' events by stream id.
        desk: desk events; those of other studies are passed over.
        name: what the study is called in the report; its own name by default.
    """
    persons = people(study, streams, desk)
    counted = count(persons)
    outcomes = counted.outcomes
    served = _served(counted.people)
    noted = tuple(_noted(study, served))
    reached, improved = _checkpoints(study, outcomes)
    judged = [one for person in counted.people for one in person.judges]
    return Evaluation(
        study=name or study.settings.name,
        sha256=study.sha256,
        settings=_settings(study),
        participants=len(counted.people),
        completed=sum(1 for one in persons if one.state == "completed"),
        planned_n=planned_n(study),
        plan={
            "primary_outcome": primary_outcome(study.analysis),
            "contrast": study.analysis.contrast,
            "stopping_rule": study.analysis.stopping_rule,
            "multiplicity": study.analysis.multiplicity,
        },
        groups=tuple(_groups(study, counted, noted)),
        contrasts=contrasts(study, outcomes, noted=noted),
        head_to_head=head_to_head(study, counted.comparisons),
        checkpoints=reached,
        improvements=improved,
        judges=_judges(study, counted),
        sensitivity=tuple(_sensitivity(study, persons, noted)),
        not_counted=counted.not_counted,
        models_served=served,
        cost=sum(one.trace.cost for one in outcomes) + sum(one.cost or 0.0 for one in judged),
        unpriced=sum(one.trace.unpriced for one in outcomes) + sum(one.cost is None for one in judged),
        flags=noted,
        deviations=deviations(study, desk),
        looks=looks(desk, study.sha256),
    )


# -- groups ------------------------------------------------------------------------------------

SORTS: Mapping[str, Callable[[Outcome], Any]] = {
    "agent": lambda one: one.agent,
    "budget": lambda one: one.budget,
    "task": lambda one: one.task,
    "project": lambda one: one.item,
    "period": lambda one: one.period,
    "interview": lambda one: one.number,
    "ground_truth": lambda one: one.truth,
}
"""By what interviews are grouped. `interview` is 2 for a second agent's about the same project."""
CROSSED = (("agent", "budget"), ("agent", "task"))


def _groups(study: Study, counted: Counted, noted: Sequence[str]) -> Iterator[Group]:
    """The whole, then each way of grouping; ways that never tell interviews apart are left out, but for
    agents and budgets, which are always there."""
    outcomes = counted.outcomes

    def of(by: By) -> Group:
        own = [one for one in outcomes if all(SORTS[key](one) == value for key, value in by.items())]
        return group(by, own, counted.comparisons, noted=noted)

    yield of({})
    values = _values(study, outcomes)
    for sort, there in values.items():
        if sort in ("agent", "budget") or len(there) > 1:
            yield from (of({sort: one}) for one in there)
    for first, second in CROSSED:
        if len(values[first]) > 1 and len(values[second]) > 1:
            yield from (of({first: a, second: b}) for a, b in product(values[first], values[second]))


def _values(study: Study, outcomes: Sequence[Outcome]) -> dict[str, list[Any]]:
    """What each way of grouping tells apart: what the study has, in its order, then what was realised."""
    settings = study.settings.specification
    known: dict[str, list[Any]] = {
        "agent": [one.name for one in settings.agents],
        "budget": sorted(settings.budgets),
        "task": ["checklist", "sheet"] if settings.task == "mixed" else [settings.task],
        "project": [one.id for one in study.projects],
        "ground_truth": ["before", "after"] if settings.ground_truth == "split" else [],
    }
    found: dict[str, list[Any]] = {}
    for name, sort in SORTS.items():
        planned = known.get(name, [])
        found[name] = [*planned, *sorted({sort(one) for one in outcomes}.difference(planned))]
    return found


def _by_agent(study: Study, counted: Counted, noted: Sequence[str]) -> Iterator[Group]:
    for one in study.settings.specification.agents:
        own = [each for each in counted.outcomes if each.agent == one.name]
        yield group({"agent": one.name}, own, counted.comparisons, noted=noted)


# -- beside the groups -------------------------------------------------------------------------


def _checkpoints(
    study: Study, outcomes: Sequence[Outcome]
) -> tuple[tuple[Checkpoint, ...], tuple[Improvement, ...]]:
    """Over all, then by agent; nothing where the study has no checkpoints."""
    settings = study.settings.specification
    if not settings.checkpoints:
        return (), ()
    parts: list[tuple[By, list[Outcome]]] = [({}, list(outcomes))]
    if len(settings.agents) > 1:
        parts += (
            ({"agent": one.name}, [own for own in outcomes if own.agent == one.name])
            for one in settings.agents
        )
    made = [checkpoints(by, own, settings.checkpoints) for by, own in parts]
    return tuple(one for own, _ in made for one in own), tuple(one for _, own in made for one in own)


def _judges(study: Study, counted: Counted) -> Judges:
    if not study.settings.specification.judges:
        return Judges((), (), (), (), NO_JUDGES)
    outcomes = counted.outcomes
    return Judges(
        work=work_of_judges(study, counted.people),
        beside_participants=beside_people(study, outcomes),
        among_judges=among_judges(study, outcomes),
        requirements_alike=requirements_alike(study, outcomes),
        undefined_reason=None if any(one.judged for one in outcomes) else NOT_RUN,
    )


def _sensitivity(study: Study, persons: Sequence[Person], noted: Sequence[str]) -> Iterator[Sensitivity]:
    def run(name: str, counted: Counted) -> Sensitivity:
        whole = group({}, counted.outcomes, counted.comparisons, noted=noted)
        planned = contrasts(study, counted.outcomes, noted=noted, planned_only=True)
        return Sensitivity(name, (whole, *_by_agent(study, counted, noted)), planned)

    yield run("with participations that a spending limit ended", count(persons, states=ENDED))
    yield run(UNFINISHED, count(persons, finished_projects=True))
    name = "with the people whom a declared exclusion leaves out"
    if any(one.declared for one in count(persons).not_counted):
        yield run(name, count(persons, exclusions=False))
    else:
        yield Sensitivity(name, (), (), NO_EXCLUSIONS)


# -- what figures are read with ----------------------------------------------------------------


def _served(persons: Iterable[Person]) -> dict[str, list[str]]:
    served: dict[str, set[str]] = {}
    for person in persons:
        for one in person.outcomes:
            served.setdefault(one.assistant, set()).update(one.trace.models_served)
        for judged in person.judges:
            if judged.model_served:
                served.setdefault(judged.judge, set()).add(judged.model_served)
    return {name: sorted(served[name]) for name in sorted(served)}


def _noted(study: Study, served: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """What every figure of the study must be read with."""
    settings = study.settings.specification
    for assistant, models in served.items():
        if len(models) > 1:
            yield f"the model of {assistant} as served changed: {', '.join(models)}"
    if settings.identity == "persona":
        yield "participants answered as personas"
    else:
        yield (
            "preferences are the participants' own: what an agent knows of a person is their earlier "
            "interviews in the study, so at the first one it knows nothing"
        )
    if settings.ground_truth != "before":
        when = "after the interview" if settings.ground_truth == "after" else "before or after it, by chance"
        yield f"the person's own answers were taken down {when}"
    if settings.checkpoints:
        yield "silent predictions were made during interviews: a deviation from separate interviews by budget"


def _settings(study: Study) -> dict[str, Any]:
    chosen = study.settings.specification
    return {
        "task": chosen.task,
        "agents": {one.name: {"design": one.design, "assistant": one.assistant} for one in chosen.agents},
        "budgets": list(chosen.budgets),
        "checkpoints": list(chosen.checkpoints),
        "projects_each": chosen.projects_each,
        "ground_truth": chosen.ground_truth,
        "identity": chosen.identity,
        "second_agent": chosen.second_agent,
        "retest": chosen.retest,
        "dropout": chosen.dropout,
        "show_chart": chosen.show_chart,
        "judges": list(chosen.judges),
        "assistants": {one.name: one.model for one in study.settings.assistants},
    }
