"""Figures are hidden until planned N: whoever looks before gives a reason, which is recorded."""

from __future__ import annotations

from typing import Any

from screens.form_dialog import Ask, FormDialog
from screens.lab import Lab, LabScreen
from screens.words import counted
from studies.ports import StudyRecord
from studies.progress import StudyProgress


async def may_look(
    screen: LabScreen[Any], lab: Lab, record: StudyRecord, progress: StudyProgress, figure: str
) -> bool:
    """Whether figures may be shown now. Before planned N a reason is asked for and recorded. Needs a worker.

    Args:
        screen: the one that wants to show them.
        lab: where the look is recorded.
        record: the study.
        progress: how far it is.
        figure: what would be shown.
    """
    planned = progress.planned_n
    if progress.reached or planned is None:
        return True
    form = FormDialog(
        "Planned N is not reached",
        f"{progress.completed} of {counted(planned, 'participation')} are completed. Looking at results "
        "while data come in makes chance findings more likely, so every look is recorded with its reason "
        "and counted in the report.",
        (Ask("reason", "Why look now?"),),
        "Record the look and show it",
        lambda values: None if values["reason"] else "A reason is needed.",
    )
    values = await screen.app.push_screen_wait(form)
    if values is None:
        return False
    recorded = lab.desk.look(record, figure, values["reason"], progress.completed, planned)
    return await screen.attempt("The look was not recorded, so nothing is shown", _done(recorded)) is not None


async def _done(doing: Any) -> bool:
    await doing
    return True
