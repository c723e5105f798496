"""Who gets which task, or which asked question, and which assistant asks there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from studies.assignment import ordered_blocks
from studies.clarification.plan import asker_names
from studies.payloads import Planned

if TYPE_CHECKING:
    from studies.study import Study


def strata_columns(study: Study) -> Iterator[Mapping[str, Any]]:
    """What the design may spread evenly, of each of `study.ids`: the task's `source`, `gaps`, `types` and
    further columns; of an asked question also `task`, `model` and `vote`."""
    for one in study.asked:
        task, question = study.asked_question(one)
        yield {
            **task.columns,
            "task": task.id,
            "source": task.source,
            "gaps": task.gaps,
            "types": task.all_types,
            "model": question.model,
            "vote": question.stratum,
        }
    for task in () if study.asked else study.clarification_tasks:
        yield {**task.columns, "source": task.source, "gaps": task.gaps, "types": task.all_types}


def lay_out_tasks(study: Study, slot: int) -> tuple[Planned, ...]:
    """What a slot gets, in order.

    In the seat `answerer` the assistants that ask take turns over tasks and slots, so that each of them meets
    each task about equally often.
    """
    names = asker_names(study.settings) if study.settings.clarification.seat == "answerer" else ()
    each, several = study.settings.clarification.tasks_each, len(study.ids)
    # With a window of tasks a slot comes to the same tasks again only after a whole round.
    visitor = slot - 1 if each is None else (slot - 1) * each // several
    return tuple(
        Planned(
            study.ids[index],
            number,
            assistant=names[(visitor + index) % len(names)] if names else "",
        )
        for number, block in enumerate(ordered_blocks(study, slot), start=1)
        for index in block
    )
