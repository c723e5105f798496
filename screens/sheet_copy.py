"""A copy of a sheet for the person to take along: Markdown and JSON, in their download folder or browser."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from screens.sheet_rows import ground_in_words
from studies.specification.sections import SECTIONS, TITLES
from studies.specification.sheet import markdown
from studies.specification.views import SheetView

MOST_COPIES = 999
"""Copies of one name in a folder."""


def copies(view: SheetView) -> dict[str, str]:
    """The sheet as it stands now, by the ending of the file's name."""
    whole = json.dumps(as_json(view), indent=2) + "\n"
    return {".md": markdown(view.title, view.texts), ".json": whole}


def as_json(view: SheetView) -> dict[str, Any]:
    """The sheet as JSON values: of each section its text, who wrote it, and what its statements rest on."""
    return {"title": view.title, "sections": [_section(view, name) for name in SECTIONS]}


def _section(view: SheetView, name: str) -> dict[str, Any]:
    yours = name in view.written
    stays = set(view.texts.get(name, "").split("\n"))
    before = [one for change in view.changes if change.section == name for one in change.before]
    known = {one.id: one for one in (*view.sections.get(name, ()), *before)}
    statements = [] if yours else [one for one in known.values() if f"- {one.text}" in stays]
    return {
        "section": name,
        "title": TITLES[name],  # type: ignore[index]
        "text": view.texts.get(name, ""),
        "written_by": "you" if yours else "assistant",
        "statements": [
            {"text": one.text, "rests_on": [ground_in_words(each) for each in one.grounds]}
            for one in statements
        ],
    }


def file_name(title: str) -> str:
    """A file's name that every system takes, from a title."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:60].rstrip("-")
    return plain or "sheet"


def write_copies(folder: Path, name: str, texts: Mapping[str, str]) -> list[Path]:
    """Write new files next to each other; nothing that is there is replaced. Takes as long as the disk does.

    Args:
        folder: where; made if it is not there.
        name: of the files, without ending.
        texts: by ending.

    Raises:
        OSError: the folder cannot be written to, or is full; what had been begun is taken away again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(1, MOST_COPIES + 1):
        stem = name if number == 1 else f"{name}-{number}"
        paths = {folder / f"{stem}{ending}": text for ending, text in texts.items()}
        if not any(one.exists() for one in paths):
            break
    written: list[Path] = []
    try:
        for path, text in paths.items():
            with path.open("x", encoding="utf-8", newline="\n") as file:
                written.append(path)
                file.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        raise
    return written
