"""What participants see, as pictures: at 80x24, wide, without colours, and in each theme."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from capa_tui.theme import THEMES

Make = Callable[..., Any]

STUDY: dict[str, Any] = {
    "title": "Ambiguity in coding requests",
    "contact": "Dr. Ada Moreno, room 2.14",
    "requests": [
        "Make that one return a list, and drop the blank or short ones.",
        "Sort the readings and keep the best ones near the top.",
        "Load last month's figures and send them to the team.",
        "Write a function that trims names.",
    ],
    "context": (
        ("user", "Write two helpers: one trims names, one splits them."),
        ("assistant", "def trim(s):\n    return s.strip()\n\ndef split(s):\n    return s.split()"),
    ),
    "instructions": "# Welcome\n\nYou read **requests** for code.\n\n- There is no hurry.\n- `q` pauses.",
    "training": 1,
    "design": {"block": 2},
    "consent": [
        {"id": "take-part", "text": "I have read this and take part."},
        {
            "id": "publish",
            "text": "My answers may be published without my name.",
            "required": False,
            "covers": "publication",
        },
    ],
    "questionnaire": [
        {
            "id": "code",
            "text": "How often do you write code?",
            "kind": "choice",
            "options": ["never", "now and then", "most days"],
        },
        {
            "id": "hard",
            "text": "How hard was it?",
            "kind": "scale",
            "low": 1,
            "high": 7,
            "low_label": "easy",
            "high_label": "hard",
            "required": True,
        },
        {"id": "more", "text": "Anything else?", "kind": "text"},
    ],
}
ANSWERED = ("2", "a", "4", "escape", "s", "4", "n", *"two functions", "escape")

SCENES: dict[str, tuple[str, tuple[str, ...]]] = {
    "consent": ("consent", ("tab", "1")),
    "page": ("instructions:1", ()),
    "item": ("main:", ANSWERED),
    "also": ("main:", ("2", "a", "4")),
    "codebook": ("main:", ("2", "question_mark")),
    "missing": ("main:", ("2", "enter")),
    "alone": ("main:", ("7",)),
    "feedback": ("feedback:", ()),
    "rest": ("rest:", ()),
    "form": ("questions:1", ("2", "tab", "5")),
    "done": ("debrief", ("enter",)),
    "menu": ("main:", ("f10",)),
    "help": ("main:", ("n", "f1")),
    "withdraw": ("main:", ("f10", "down", "down", "enter")),
}
SIZES = {"80x24": (80, 24), "120x40": (120, 40)}


def scene(seat: Any, at: str, keys: tuple[str, ...]) -> Callable[[Pilot[Any]], Any]:
    """Reach the step, then press the keys once the application runs."""
    asyncio.run(seat.walk_to(at))

    async def run(pilot: Pilot[Any]) -> None:
        seat.pilot = pilot
        await seat.settle()
        await seat.press(*keys)

    return run


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", SCENES)
def test_screens(chair: Make, snap_compare: Any, name: str, size: str) -> None:
    seat = chair(**STUDY)
    run = scene(seat, *SCENES[name])
    assert snap_compare(seat.application(), terminal_size=SIZES[size], run_before=run)


@pytest.mark.parametrize("name", ["item", "also", "form", "menu"])
def test_without_colours(chair: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    seat = chair(**STUDY)
    run = scene(seat, *SCENES[name])
    assert snap_compare(seat.application(), terminal_size=(80, 24), run_before=run)


@pytest.mark.parametrize("theme", [one for one in THEMES if one != "dark"])
def test_themes(chair: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, theme: str) -> None:
    monkeypatch.setenv("CAPA_TUI_THEME", theme)
    seat = chair(**STUDY)
    run = scene(seat, *SCENES["item"])
    assert snap_compare(seat.application(), terminal_size=(80, 24), run_before=run)


def test_a_disk_that_fails(chair: Make, snap_compare: Any) -> None:
    seat = chair(**STUDY)
    reach = scene(seat, "main:", ("2",))

    async def run(pilot: Pilot[Any]) -> None:
        await reach(pilot)
        seat.journal.broken = "lab.db: the disk is full. Nothing of this was stored."
        await seat.press("3")

    assert snap_compare(seat.application(), terminal_size=(80, 24), run_before=run)


def test_too_small(chair: Make, snap_compare: Any) -> None:
    seat = chair(**STUDY)
    run = scene(seat, "main:", ())
    assert snap_compare(seat.application(), terminal_size=(40, 12), run_before=run)
