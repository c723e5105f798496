"""A whole specification study in a real database: who takes part, refuses, leaves, is erased."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from studies.folder import parse
from studies.runner import Visit
from studies.specification.crew import Crew
from studies.steps import Done, Step
from studies.study import Study
from support.specifications import BASELINE, BUDDY, Rehearses, one_step, project, question, wishes
from support.stations import Lab

NAME = "wishes"
SECRETS = {
    "refuses": "secret of one who refused",
    "leaves": "secret of one who left",
    "asks": "secret erased",
}
"""What those want to have built whose words may be in no export."""
PUBLISH = (
    '{ id = "take-part", text = "I take part." }, '
    '{ id = "publish", text = "It may be published.", required = false, covers = "publication" }'
)


def two_tasks() -> Study:
    """Task 1 on one project and Task 2 on the other, two agents on each, and a question afterwards."""
    checklist = [question(number) for number in range(1, 9)]
    study = wishes(
        project("club", checklist=checklist),
        project("hall"),
        agents=(BUDDY, BASELINE),
        more='budgets = [2]\nsecond_agent = true\nafter = [{ id = "worth", text = "Well?", kind = "text" }]',
    )
    files = dict(study.files)
    text = files["study.toml"].decode()
    old = '{ id = "take-part", text = "I take part." }'
    assert text.count(old) == 1
    files["study.toml"] = text.replace(old, PUBLISH).encode()
    return parse(files)


class SpecificationLab(Lab):
    """A station with `two_tasks`."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, files=dict(two_tasks().files))

    async def __aenter__(self) -> SpecificationLab:
        await super().__aenter__()
        return self

    async def play(
        self,
        code: str,
        *,
        answers: Mapping[str, Any] | None = None,
        until: Callable[[Step], bool] = lambda step: False,
        assistant: Rehearses | None = None,
        pilot: bool = False,
    ) -> Visit:
        """One person from the first page to the end, or to a step."""
        visit = await self.sit(code, pilot=pilot)
        visit.live = Crew(visit, assistant or Rehearses(), self.store.dialogues(self.study))
        visit.live.begin()
        while not isinstance(step := visit.current, Done) and not until(step):
            await visit.shown(step)
            self.clock.move(seconds=5)
            if step.broken:
                await visit.live.retry(step)
            else:
                await one_step(visit, answers or {})
        if isinstance(visit.current, Step):
            await visit.pause()
        self.clock.move(minutes=1)
        return visit


def sheet_is_rated(step: Step) -> bool:
    """Whether the rating lies behind."""
    return step.id.startswith("edit:")


async def make_specification_lab(path: Path) -> None:
    """One who completes, one who does not, a pilot, and one of each who must not be seen."""
    async with SpecificationLab(path) as lab:
        await lab.play(
            "whole", answers={"take-part": True, "struck": _first, "core_features": "- Mine.\n# Own"}
        )
        await lab.play("paused", until=lambda step: step.id.startswith("round:1.2:"))
        await lab.play("trial", pilot=True, until=lambda step: step.id.startswith("truth:"))
        for code, secret in SECRETS.items():
            answers = {"publish": code != "refuses", "proposal": f"I want this: {secret}."}
            visit = await lab.play(code, answers=answers, until=lambda step: step.id.startswith("round:1.2:"))
            if code == "leaves":
                await visit.withdraw()
        await lab.store.desk.erase(lab.record, "asks", "asked for it")


def _first(step: Step, field: Any) -> list[str]:
    return [field.options[0].value]


@pytest.fixture
def specification_file(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of `make_specification_lab`'s database; made once in a run."""
    made = tmp_path_factory.getbasetemp() / "whole-specification.db"
    if not made.exists():
        asyncio.run(make_specification_lab(made))
    return Path(shutil.copy(made, tmp_path / "specification.db"))
