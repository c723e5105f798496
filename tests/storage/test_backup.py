"""Copies: complete while others write, never over a file, and usable as a database."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

import pytest
from support.processes import Child
from support.stored import Stream

from storage.backup import backup
from storage.database import open_database, open_readonly
from storage.journal import append, read_stream
from storage.store import Store
from studies.errors import CapaError, InputError, MachineError


def test_copy_holds_what_is_only_in_the_log(path: Path) -> None:
    stream = Stream()
    target = path.with_name("copy.db")
    with open_database(path) as db:
        append(db.conn, stream.events)
        assert path.with_name("lab.db-wal").stat().st_size > 0
        backup(path, target)
    with open_database(target) as copy:
        assert read_stream(copy.conn, stream.id) == stream.events
    assert sorted(one.name for one in path.parent.iterdir()) == ["copy.db", "lab.db"]


def test_copy_of_a_database_that_is_being_written_is_of_one_moment(path: Path) -> None:
    """Each transaction stores two events; a copy never has one of them alone."""
    stream = Stream()
    stream.add(*(one.payload for _ in range(100) for one in Stream().answer("x")))

    def write(child: Child) -> None:
        async def run() -> None:
            async with Store.open(path, "station", "test") as store:
                await store.journal.append(stream.events[:1])
                child.say("begun")
                for start in range(1, 201, 2):
                    await store.journal.append(stream.events[start : start + 2])

        asyncio.run(run())

    with Child(write) as child:
        assert child.hear() == "begun"
        for number in range(5):
            backup(path, path.with_name(f"{number}.db"))
        child.end()
    for number in range(5):
        with open_readonly(path.with_name(f"{number}.db")) as copy:
            events = read_stream(copy.conn, stream.id)
        assert events == stream.events[: len(events)]
        assert len(events) % 2 == 1


def test_copy_never_replaces_a_file(path: Path) -> None:
    open_database(path).close()
    target = path.with_name("thesis.txt")
    target.write_text("years of work")
    for destination in (target, path):
        with pytest.raises(InputError, match="this file exists; a backup never replaces one"):
            backup(path, destination)
    assert target.read_text() == "years of work"


def test_failed_copy_leaves_nothing(path: Path) -> None:
    open_database(path).close()
    folder = path.parent / "copies"
    folder.mkdir()

    def no_room(child: Child) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        backup(path, folder / "copy.db")

    with Child(no_room) as child:
        assert "MachineError" in child.hear()
        child.end()
    with pytest.raises(MachineError):
        backup(path, folder / "missing" / "copy.db")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("content", [None, b"some text " * 100])
def test_only_our_databases_are_copied(path: Path, content: bytes | None) -> None:
    if content is not None:
        path.write_bytes(content)
    target = path.with_name("copy.db")
    with pytest.raises(CapaError, match=r"no such database|not a SQLite database"):
        backup(path, target)
    assert not target.exists()


def test_a_folder_that_is_not_there_is_named(path: Path) -> None:
    open_database(path).close()
    with pytest.raises(MachineError, match=r"missing/copy\.db: the backup could not be written"):
        backup(path, path.with_name("missing") / "copy.db")
