"""In which order the steps of a project come, and what a step's id says.

The order is fixed: persona, proposal, ground truth, a break, the interview, the rating of the frozen sheet,
editing, retest. An id is `SORT:NUMBER.PART:PROJECT`, where the number tells a second agent's interview.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studies.specification import forms

if TYPE_CHECKING:
    from studies.payloads import Planned
    from studies.specification.projects import ProjectState
    from studies.study import Study


@dataclass(frozen=True, slots=True)
class Place:
    """What a step's id says."""

    sort: str
    number: int
    """Which interview about the project, from 1; of a comprehension check, which try."""
    part: int
    """Which screen or round, from 1."""
    item: str

    @property
    def id(self) -> str:
        """The step's id."""
        return f"{self.sort}:{self.number}.{self.part}:{self.item}"


def place_of(step_id: str) -> Place:
    """What a step's id says."""
    sort, _, rest = step_id.partition(":")
    numbers, _, item = rest.partition(":")
    number, _, part = numbers.partition(".")
    return Place(sort, int(number or 0), int(part or 1), item)


def project_steps(
    study: Study, interviews: Sequence[Planned], project: ProjectState, *, slot: int, understood: bool
) -> Iterator[str]:
    """The steps of one project as far as they are known.

    Args:
        study: the version.
        interviews: one, or two where a second agent comes.
        project: how far it has come.
        slot: of the participant.
        understood: whether its persona was understood in an earlier project.
    """
    first = interviews[0]
    for sort, number, part in _places(study, interviews, project, slot=slot, understood=understood):
        yield Place(sort, number, part, first.item).id


def _places(
    study: Study, interviews: Sequence[Planned], project: ProjectState, *, slot: int, understood: bool
) -> Iterator[tuple[str, int, int]]:
    settings, material = study.settings.specification, study.project(project.item)
    first = interviews[0]
    truth = [("truth", 1, part) for part in _parts(forms.truth_screens(material, first.task))]
    if material.persona:
        failed = sum(1 for one in project.checks if not one.passed)
        tries = 0 if understood else min(1 + failed, settings.understanding_tries)
        for number in range(1, max(1, tries) + 1):
            yield ("persona", number, 1)
            if tries:
                yield ("understood", number, 1)
    yield ("proposal", 1, 1)
    if first.truth != "after":
        yield from truth
    yield ("filler", 1, 1)
    yield from _interview(first, project)
    if first.truth == "after":
        yield from truth
    yield from _rating(first, project)
    for second in interviews[1:]:
        yield from _interview(second, project)
        yield from _rating(second, project)
        if second.task == "sheet":
            yield ("compare", 1, 1)
    if first.task == "sheet":
        yield ("edit", _preferred(project), 1)
    retest = forms.retest_screens(material, first.task, settings.retest, study.settings.seed, slot)
    yield from (("retest", 1, part) for part in _parts(retest))
    if settings.after:
        yield ("after", 1, 1)
    yield ("close", 1, 1)


def _interview(planned: Planned, project: ProjectState) -> Iterator[tuple[str, int, int]]:
    session = project.session(planned.number)
    answered = session.answered if session else 0
    open_rounds = 0 if session and session.ended else 1
    yield from (("round", planned.number, part) for part in range(1, answered + open_rounds + 1))


def _rating(planned: Planned, project: ProjectState) -> Iterator[tuple[str, int, int]]:
    if planned.task != "sheet":
        return
    for part in _parts(forms.requirement_screens(project.truth)):
        yield ("met", planned.number, part)
    for part in _parts(forms.rating_screens()):
        yield ("rate", planned.number, part)


def _preferred(project: ProjectState) -> int:
    """The number of the interview whose sheet is edited: the preferred one's, else the first."""
    compared = project.compared
    if compared is None or compared.preferred == "tie":
        return 1
    session = compared.left if compared.preferred == "left" else compared.right
    return next((one.opened.number for one in project.sessions if one.id == session), 1)


def _parts(screens: Sequence[object]) -> range:
    return range(1, len(screens) + 1)
