"""Style sheets: what one screen says of an id of its own is not said of another screen's."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

SHEETS = Path(__file__).parents[2] / "screens"


def outer_selectors(text: str) -> list[str]:
    """The selectors of a sheet's outermost rules."""
    found, depth, current = [], 0, ""
    for letter in re.sub(r"/\*.*?\*/", "", text, flags=re.S):
        if letter == "{":
            found += [current] if depth == 0 else []
            depth += 1
        elif letter == "}":
            depth -= 1
        elif depth == 0:
            current += letter
            continue
        current = ""
    return [one.strip() for several in found for one in several.split(",")]


def test_an_id_that_two_sheets_speak_of_names_its_screen() -> None:
    # A sheet holds for the whole application once its screen was shown.
    sheets: dict[str, set[str]] = defaultdict(set)
    for path in SHEETS.glob("*.tcss"):
        for selector in outer_selectors(path.read_text(encoding="utf-8")):
            if not re.match(r"[A-Z]\w*", selector):
                for name in re.findall(r"#[\w-]+", selector):
                    sheets[name].add(path.name)
    assert not {name: sorted(files) for name, files in sheets.items() if len(files) > 1}


def test_only_outermost_selectors_are_read() -> None:
    text = "/* #a {} */ Screen #b, .-wide #c { #d { color: red; } }\n#e { color: blue; }"
    assert outer_selectors(text) == ["Screen #b", ".-wide #c", "#e"]
