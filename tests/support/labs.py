"""Small study folders for a lab's day, made on disk with the program's own `new`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from capa_tui.cli import main
from capa_tui.services import Services
from studies.steps import Done, Step
from support.visits import Answers, usual, walk


def items_file(path: Path, n: int) -> Path:
    """A JSON Lines file of n requests with the keys `task` and `words`."""
    rows = [{"task": f"t-{k}", "words": f"Make number {k} better, and the other one too."} for k in range(n)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def study_folder(path: Path, items: int = 4, *flags: str) -> Path:
    """A study folder without practice, so that a visit is short."""
    source = items_file(path.with_suffix(".source.jsonl"), items)
    fields = ["--items", str(source), "--text-field", "words", "--id-field", "task"]
    assert main(["new", str(path), "--kind", "annotation", *fields, *flags]) == 0
    (path / "training.jsonl").unlink()
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    """A JSON Lines file's objects."""
    return [json.loads(line) for line in path.read_text("ascii").splitlines()]


def take_part(
    db: Path,
    study: str,
    code: str,
    answers: Answers = usual,
    *,
    until: Callable[[Step], bool] | None = None,
    pause: bool = False,
    pilot: bool = False,
) -> str | None:
    """One visit over the real store: to its end, or until a step; how it ended, None for left hanging."""

    async def visit() -> str | None:
        async with Services.open(db) as services:
            seated = await services.seat(study, code, pilot=pilot)
            await seated.begin("test")
            here = await walk(seated, until, answers)
            if pause:
                here = await seated.pause()
            return here.end if isinstance(here, Done) else None

    return asyncio.run(visit())
