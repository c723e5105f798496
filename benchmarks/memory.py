"""Memory over 10,000 answers of one participant, over the real journal; and what an answer costs.

The floor of an answer is the same payload inserted and committed by sqlite3 itself, with the same settings.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import sqlite3
import sys
import tempfile
import time
from pathlib import Path

from capa_tui.services import Services
from studies.folder import parse, read_files
from studies.new import create
from studies.steps import Step

ANSWERS = 10_000


def resident() -> float:
    """MiB of memory in use."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


async def answer_all(work: Path) -> None:
    rows = [{"id": f"t-{n}", "text": f"Make number {n} better."} for n in range(ANSWERS // 3 + 1)]
    (work / "items.jsonl").write_text("\n".join(map(json.dumps, rows)))
    create(work / "many", items_file=work / "items.jsonl", text_field="text", id_field="id")
    files = {path: data for path, data in read_files(work / "many").items() if path != "training.jsonl"}
    async with Services.open(work / "lab.db") as services:
        loaded = await services.desk.load(parse(files))
        visit = await services.seat(loaded.record.reference, "ada")
        await visit.begin("benchmark")
        given, marks = 0, {}
        began = time.perf_counter()
        while given < ANSWERS:
            step = visit.current
            assert isinstance(step, Step)
            name = visit.next_ask()
            if name is None:
                await visit.leave(step)
                continue
            field = step.field(name)
            kinds = {"info": None, "text": None, "multi": []}
            value = kinds.get(field.kind, field.options[0].value if field.options else None)
            await visit.answer(step.ask_id(name), value, walk=True)
            given += 1
            if given % 2_000 == 0:
                marks[given] = resident()
        took = (time.perf_counter() - began) / ANSWERS
    for at, size in marks.items():
        print(f"after {at:6,} answers   {size:7.1f} MiB")
    print(f"growth from {min(marks):,} to {max(marks):,}: {marks[max(marks)] - marks[min(marks)]:.1f} MiB")
    floor = bare(work / "floor.db")
    floors = f"a bare insert and commit {floor * 1000:.2f} ms: {took / floor:.1f} x"
    print(f"an answer {took * 1000:.2f} ms, {floors}")


def bare(path: Path) -> float:
    """Seconds of one insert and commit with the same settings."""
    with sqlite3.connect(path, isolation_level=None) as conn:
        conn.execute("PRAGMA journal_mode = WAL")
        conn.execute("PRAGMA synchronous = FULL")
        conn.execute("CREATE TABLE events (stream TEXT, seq INTEGER, body TEXT, PRIMARY KEY (stream, seq))")
        began = time.perf_counter()
        for n in range(2_000):
            conn.execute("INSERT INTO events VALUES ('s', ?, ?)", (n, "x" * 600))
        return (time.perf_counter() - began) / 2_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        asyncio.run(answer_all(Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
