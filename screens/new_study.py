"""Asks what a new study folder should be like, and writes it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from screens.form_dialog import Ask, FormDialog, expanded
from screens.lab import LabScreen
from studies.steps import Option

if TYPE_CHECKING:
    from studies.new import Created

EVERYTHING, DESIGNED, CAPA = "everything", "designed", "capa"
DESIGNS = (
    Option(EVERYTHING, "everybody annotates every item"),
    Option(DESIGNED, "by the numbers below"),
    Option(CAPA, "as in the CAPA paper (200 items, 20 people, two raters)"),
)


async def new_study(screen: LabScreen[Any]) -> Created | None:
    """The folder that was written, or None where the form was left. Needs a worker."""
    values: Mapping[str, Any] | None = {}
    while True:
        values = await screen.app.push_screen_wait(_form(values or {}))
        if values is None:
            return None
        created = await screen.attempt("The folder was not written", asyncio.to_thread(_create, values))
        if created is not None:
            return created


def _form(before: Mapping[str, Any]) -> FormDialog:
    def field(name: str, label: str, kind: Any = "text", explanation: str = "") -> Ask:
        value = before.get(name)
        return Ask(name, label, kind, "" if value is None else value, explanation=explanation)

    return FormDialog(
        "A new study folder",
        "Writes an editable folder; nothing is loaded yet. Without an items file it holds the bundled items.",
        (
            field("directory", "Folder to write", "path", "my-study"),
            field("items", "Items file (CSV, JSONL)", "path", "optional; Right completes a path"),
            field("text", "Field with the request", explanation="needed with an items file"),
            field("id", "Field with the id", explanation="needed with an items file"),
            Ask("design", "Who annotates what", "choice", before.get("design", EVERYTHING), DESIGNS),
            field("participants", "Participants", "number", "planned number, for a design by numbers"),
            field("items_each", "Items for each", "number"),
            field("raters", "Raters for each item", "number"),
            field("block", "Items between rests", "number"),
        ),
        "Write it",
        _problem,
    )


def _problem(values: Mapping[str, Any]) -> str | None:
    if not values["directory"]:
        return "Which folder should be written?"
    if values["items"] and not (values["text"] and values["id"]):
        return "With an items file, name its field with the request and its field with the id."
    if values["design"] == DESIGNED and values["participants"] is None:
        return "A design by numbers needs the number of participants at least."
    return None


def _create(values: Mapping[str, Any]) -> Created:
    from studies.new import create

    by_numbers = values["design"] == DESIGNED
    return create(
        expanded(values["directory"]),
        items_file=expanded(values["items"]) if values["items"] else None,
        text_field=values["text"] or None,
        id_field=values["id"] or None,
        participants=values["participants"] if by_numbers else None,
        items_each=values["items_each"] if by_numbers else None,
        raters=values["raters"] if by_numbers else None,
        block=values["block"] if by_numbers else None,
        preset="capa" if values["design"] == CAPA else None,
    )
