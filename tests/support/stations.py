"""A whole study in a real database: people who sit down, answer, refuse, withdraw and are erased."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from storage.archive import records
from storage.database import open_readonly
from storage.export.write import export
from storage.rows import fetch
from storage.store import Store
from studies.events import Event
from studies.folder import parse
from studies.ports import Exporting, StudyRecord
from studies.runner import Visit
from studies.steps import Field, Step
from studies.study import Study
from support.memory import TestClock
from support.visits import usual

STUDY_TOML = """\
title = "Requests & <their> gaps"
kind = "annotation"
name = "{name}"
seed = 11
[[consent]]
id = "take-part"
text = "I take part."
[[consent]]
id = "publish"
text = "My answers may be published."
required = false
covers = "publication"
[[questionnaire]]
id = "easy"
text = "How easy was it?"
kind = "scale"
[[questionnaire]]
id = "tools"
text = "Which tools?"
kind = "multi"
options = ["a; b", "c"]
[[questionnaire]]
id = "more"
text = "Anything else?"
kind = "text"
"""
ANALYSIS_TOML = 'known_deviations = ["two sets, not one"]\nidle_seconds = 60\n'
NOTES = (
    '=HYPERLINK("http://x.invalid","a")',
    "@SUM(A1)",
    "-2+3",
    "\x1b[31mred\x00 and\r\nmore",
    'a, "b"\nc',
    "\ud800 alone, \U0001f600 whole, \u05d0\u05d1 e\u0301",
)


def lab_files(items: int = 3, name: str = "gaps", **files: bytes) -> dict[str, bytes]:
    """The study's folder; `files` replace or join others, with `__` for the dot in a name."""
    rows = [
        {
            "id": f"i{n}",
            "request": f"Request {n}, with a \u2028 in it.",
            "context": [{"role": "user", "text": f"before {n}"}] if n == 1 else [],
            "gold": "SLM",
            "=cmd": f"=1+{n}",
            "difficulty": n,
        }
        for n in range(1, items + 1)
    ]
    practice = {"id": "t1", "request": "Practice.", "dominant": "DCP", "feedback": "Because."}
    made = {
        "study.toml": STUDY_TOML.format(name=name).encode(),
        "analysis.toml": ANALYSIS_TOML.encode(),
        "items.jsonl": "".join(json.dumps(one) + "\n" for one in rows).encode(),
        "training.jsonl": json.dumps(practice).encode(),
        "consent.md": b"Please read this.",
        "instructions.md": b"Page one.",
        "debrief.md": b"What was hidden.",
    }
    return made | {key.replace("__", "."): content for key, content in files.items()}


class Lab:
    """A station: one database file with one study loaded."""

    def __init__(self, path: Path, station: str = "s1", files: dict[str, bytes] | None = None) -> None:
        self.path = path
        self.station = station
        self.clock = TestClock()
        self.study: Study = parse(files or lab_files())

    async def __aenter__(self) -> Lab:
        self.store = Store.open(self.path, self.station, "test", clock=self.clock)
        self.record: StudyRecord = (await self.store.desk.load(self.study)).record
        return self

    async def __aexit__(self, *_: object) -> None:
        self.store.close()

    async def sit(self, code: str, *, pilot: bool = False) -> Visit:
        """Seat a person and begin a visit."""
        seat = await self.store.desk.admit(self.record, code, pilot=pilot)
        assert seat.stream
        events = await self.store.archive.events(seat.stream)
        visit = Visit(self.study, events, self.store.journal, self.clock)
        await visit.begin("tui", self.station, 80, 24)
        return visit

    async def person(
        self,
        code: str,
        *,
        publish: bool = True,
        dominant: str = "DCP",
        note: str | None = "",
        until: Callable[[Step], bool] | None = None,
        pilot: bool = False,
        active: bool = True,
    ) -> Visit:
        """One person from the first page to the end, or to a step."""
        visit = await self.sit(code, pilot=pilot)

        def answer(step: Step, field: Field) -> Any:
            named = {"publish": publish, "dominant": dominant, "note": note, "tools": ["a; b"], "more": note}
            return named.get(field.name) if field.name in named else usual(step, field)

        while isinstance(step := visit.current, Step) and not (until and until(step)):
            await visit.shown(step)
            if active:
                visit.activity("key")
            self.clock.move(seconds=5)
            await self._fill(visit, answer)
            await visit.leave(step)
        if isinstance(visit.current, Step):
            await visit.pause()
        self.clock.move(minutes=1)
        return visit

    async def _fill(self, visit: Visit, answer: Callable[[Step, Field], Any]) -> None:
        """Answer every field of the open step, those that an answer opens too."""
        done: set[str] = set()
        while isinstance(step := visit.current, Step):
            left = [field for field in step.fields if field.name not in done]
            if not left:
                return
            done.add(left[0].name)
            await visit.answer(step.ask_id(left[0].name), answer(step, left[0]))


WITHHELD = {
    "refuses": "secret of one who refused",
    "leaves": "secret of one who left",
    "asks": "secret erased",
}
"""Codes of those whose words may be in no export, with their notes."""


async def make_lab(path: Path) -> None:
    """A study with everything in it: six who completed, and one of each who did not, or must not be seen."""
    async with Lab(path) as lab:
        for number, note in enumerate(NOTES):
            await lab.person(f"whole{number}", note=note, dominant=("DCP", "SLM")[number % 2])
        await lab.person("refuses", publish=False, note=WITHHELD["refuses"])
        left = await lab.person("leaves", note=WITHHELD["leaves"])
        await left.withdraw()
        await lab.person("asks", note=WITHHELD["asks"])
        await lab.store.desk.erase(lab.record, "asks", "asked for it")
        await lab.person("paused", until=lambda step: step.id.startswith("main:1:"))
        await lab.person("trial", pilot=True, active=False)
        await lab.store.desk.note(lab.record, "the heating failed")


@pytest.fixture
def lab_file(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> Path:
    """A copy of `make_lab`'s database; made once in a run."""
    made = tmp_path_factory.getbasetemp() / "whole-lab.db"
    if not made.exists():
        asyncio.run(make_lab(made))
    return Path(shutil.copy(made, tmp_path / "lab.db"))


def export_from(path: Path, out: Path, format: str = "jsonl", name: str = "gaps", **options: Any) -> Path:
    """Export the newest version of a study; the folder."""
    db = open_readonly(path)
    try:
        db.conn.execute("BEGIN")
        record = max((one for one in records(db.conn) if one.name == name), key=lambda one: one.version)
        export(db.conn, record, Exporting(format, out, **options), program="test")
    finally:
        db.close()
    return out


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    """The rows of a table in JSON Lines."""
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_bytes().splitlines()]


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Every file of a folder, by relative path."""
    files = (one for one in folder.rglob("*") if one.is_file())
    return {one.relative_to(folder).as_posix(): one.read_bytes() for one in files}


def held(path: Path) -> set[Event]:
    """Every event of a database."""
    db = open_readonly(path)
    try:
        return set(fetch(db.conn))
    finally:
        db.close()
