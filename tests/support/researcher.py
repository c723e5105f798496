"""A researcher at a desk made of code: a study with people in a real database, and the screens over it."""

from __future__ import annotations

import asyncio
import dataclasses
import itertools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import pytest
from textual.pilot import Pilot
from textual.screen import Screen

from capa_tui.app import CapaApp
from capa_tui.services import Services
from capa_tui.wiring import lab_of
from screens.lab import Lab
from studies.ports import StudyRecord
from studies.runner import Visit
from studies.steps import Field, Step
from support import stations
from support.studies import codebook
from support.visits import usual

S = TypeVar("S", bound=Screen[Any])

TRIES = 3_000
DESIGN = '\n[design]\nkind = "cyclic"\nparticipants = 6\nitems_each = 4\nraters = 2\nblock = 2\n'
PLAN = 'known_deviations = ["two sets, not one"]\nbootstrap = 200\n'
CONTACT = b'contact = "the lab"\n'
LABELS = {"P0": "DCP", "P1": "DCP", "P2": "SLM", "P3": "NONE"}
"""Whoever completes the study below, and the one label they give all items."""


def codebook_toml() -> bytes:
    """The test codebook as a file, so that no picture depends on the product's own."""
    book = codebook().model_dump()
    lines = [f"{key} = {json.dumps(book[key])}" for key in ("version", "gate", "dominant_rule", "tie_break")]
    for entry in book["entries"]:
        lines.append("[[entries]]")
        lines += [
            f"{key} = {json.dumps(value)}" for key, value in entry.items() if value not in (None, "", ())
        ]
    return "\n".join(lines).encode()


def desk_files(items: int = 12, design: str = DESIGN, plan: str = PLAN) -> dict[str, bytes]:
    """A cyclic study of twelve items for six people, four items each."""
    files = stations.lab_files(items, codebook__toml=codebook_toml(), analysis__toml=plan.encode())
    return files | {"study.toml": CONTACT + files["study.toml"] + design.encode()}


async def annotate(station: stations.Lab, code: str, answer: Callable[[Step, Field], Any] = usual) -> Visit:
    """One person from the first page to the end."""
    visit = await station.sit(code)
    while isinstance(step := visit.current, Step):
        await visit.shown(step)
        visit.activity("key")
        station.clock.move(seconds=7)
        await station._fill(visit, answer)
        await visit.leave(step)
    return visit


def giving(label: str) -> Callable[[Step, Field], Any]:
    """Answers that give every item one label and flag none."""

    def answer(step: Step, field: Field) -> Any:
        named = {"dominant": label, "flag": False, "publish": True, "additional": ()}
        return named.get(field.name) if field.name in named else usual(step, field)

    return answer


async def make_desk(path: Path) -> None:
    """Four completed, one paused after the first block, one pilot, one free slot."""
    async with stations.Lab(path, files=desk_files()) as station:
        for code, label in LABELS.items():
            await annotate(station, code, giving(label))
        await station.person("P9", until=lambda step: step.id.startswith("rest:1"))
        await station.person("trial", pilot=True)


@pytest.fixture
def desk_file(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of `make_desk`'s database; made once in a run, with ids that are the same in every run."""
    made = tmp_path_factory.getbasetemp() / "desk.db"
    if not made.exists():
        numbers = itertools.count(1)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("storage.seating.new_id", lambda: f"{next(numbers):032x}")
            asyncio.run(make_desk(made))
    return Path(shutil.copy(made, tmp_path / "lab.db"))


@contextmanager
def opened(path: Path, now: str = "2026-03-02T12:00:00.000Z") -> Iterator[Lab]:
    """The database as the researcher's screens get it, at a fixed time."""
    services = Services.open(path)
    clock = stations.TestClock()
    clock.now = lambda: now  # type: ignore[method-assign]
    services.clock = clock  # type: ignore[assignment]
    try:
        yield dataclasses.replace(lab_of(services), database="lab.db")
    finally:
        services.close()


def app_on(make: Callable[[], Screen[Any]]) -> CapaApp:
    """The application, opened on one screen."""

    async def opening(_: CapaApp) -> Screen[Any]:
        return make()

    return CapaApp(opening)


async def latest(lab: Lab) -> StudyRecord:
    """The study version loaded last."""
    return list(await lab.archive.studies())[-1]


def newest(lab: Lab) -> StudyRecord:
    """The same, outside a loop."""
    return asyncio.run(latest(lab))


async def until(pilot: Pilot[Any], holds: Callable[[], Any]) -> None:
    """Let the application work until something holds; fails if it never does."""
    for _ in range(TRIES):
        if holds():
            return
        if pilot.app._exception is not None:
            raise pilot.app._exception
        await pilot.pause(0.01)
    raise AssertionError(f"still not so on {pilot.app.screen!r}")


async def on(pilot: Pilot[Any], kind: type[S]) -> S:
    """Wait until a screen of that kind is up and takes input."""
    await until(pilot, lambda: type(pilot.app.screen) is kind and pilot.app.screen.is_open)
    assert isinstance(pilot.app.screen, kind)
    return pilot.app.screen


async def asked(pilot: Pilot[Any], words: str) -> Screen[Any]:
    """Wait for a dialog that says this."""
    from screens.dialogs import Dialog

    def there() -> bool:
        up = pilot.app.screen
        return isinstance(up, Dialog) and up.is_open and words in words_on(pilot.app)  # type: ignore[arg-type]

    await until(pilot, there)
    return pilot.app.screen


async def fill_in(pilot: Pilot[Any], text: str, *keys: str) -> None:
    """Type into the open form, then press keys."""
    from screens.form_dialog import FormDialog

    await on(pilot, FormDialog)
    await pilot.press(*text, *keys)


def words_on(app: CapaApp) -> str:
    """The words on the screen (in the box, where one lies over it), whatever lines and frames they are in."""
    box = next(iter(app.screen.query("#dialog, #form, #help")), app.screen)
    x, y, width, height = box.region
    lines = (line[x : x + width] for line in seen(app).splitlines()[y : y + height])
    return " ".join(re.split(r"[\s│┃╭╮╰╯─━┏┓┗┛]+", " ".join(lines)))


def seen(app: CapaApp) -> str:
    """Everything on the screen as text."""
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text[:width].rstrip() for strip in strips[:height])
