"""The sheet in the person's hands: what accepting, refusing, striking and rewriting make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from studies.specification.sections import SECTIONS
from studies.specification.sheet import Sheet
from studies.specification.views import SheetView

REFUSE = "refuse"


def kept_sheet(sheet: Sheet, answers: Mapping[str, Any]) -> Sheet:
    """The sheet with refused changes undone and struck statements gone.

    Args:
        sheet: as the agent's review left it.
        answers: of the step, by field.
    """
    for change in reversed(sheet.changes):
        if answers.get(change.id) == REFUSE:
            sheet = sheet.without(change)
    return sheet.without_statements(answers.get("struck") or ())


def edited_sheet(sheet: Sheet, answers: Mapping[str, Any]) -> dict[str, str]:
    """The text of each section as the person leaves it: rewritten ones in their words."""
    texts = kept_sheet(sheet, answers).texts()
    return {name: answers[name] if answers.get(name) is not None else texts[name] for name in SECTIONS}


def sheet_view(title: str, sheet: Sheet, answers: Mapping[str, Any]) -> SheetView:
    """What a screen needs to edit the sheet."""
    return SheetView(
        title=title,
        sections=sheet.sections,
        changes=sheet.changes,
        written={name: answers[name] for name in SECTIONS if answers.get(name) is not None},
        struck=tuple(answers.get("struck") or ()),
        refused=tuple(one.id for one in sheet.changes if answers.get(one.id) == REFUSE),
        texts=edited_sheet(sheet, answers),
    )
