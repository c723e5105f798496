"""The writer thread: grouping, isolation, acknowledgement."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from storage.database import open_readonly, sqlite3
from storage.writer import Job, Writer
from studies.errors import InputError, JournalError

if TYPE_CHECKING:
    from sqlite3 import Connection


class Counted:
    """A writer that counts its commits and can be held up."""

    def __init__(self, path: Path) -> None:
        self.commits = 0
        self.writer = Writer(path, after_commit=self._count)
        self._go = threading.Event()

    def _count(self) -> None:
        self.commits += 1

    def together(self, *jobs: Job[Any]) -> list[Future[Any]]:
        """Queue the jobs while the writer is busy, so that it finds all of them waiting."""
        busy, go = threading.Event(), threading.Event()

        def hold(_: Connection) -> None:
            busy.set()
            go.wait()

        self.writer.submit(hold, alone=True)
        busy.wait()
        futures = [self.writer.submit(job) for job in jobs]
        go.set()
        return futures


@pytest.fixture
def counted(path: Path) -> Iterator[Counted]:
    made = Counted(path)
    yield made
    made.writer.close()


def put(key: str) -> Job[str]:
    def job(conn: Connection) -> str:
        conn.execute("INSERT INTO meta VALUES (?, '')", (key,))
        return key

    return job


def fail_after_writing(conn: Connection) -> None:
    conn.execute("INSERT INTO meta VALUES ('half', '')")
    raise InputError("no")


def lose_everything(conn: Connection) -> None:
    """What SQLite does to a transaction when the disk is full."""
    conn.execute("INSERT INTO meta VALUES ('lost', '')")
    conn.execute("ROLLBACK")
    raise sqlite3.OperationalError("database or disk is full")


def stored(path: Path) -> set[str]:
    with open_readonly(path) as db:
        return {key for (key,) in db.conn.execute("SELECT key FROM meta")}


def test_what_waits_is_stored_in_one_commit(counted: Counted, path: Path) -> None:
    futures = counted.together(*map(put, "abc"))
    assert [one.result() for one in futures] == ["a", "b", "c"]
    assert counted.commits == 1
    assert stored(path) == {"a", "b", "c"}


def test_a_failing_job_leaves_its_neighbours_alone(counted: Counted, path: Path) -> None:
    first, failing, last = counted.together(put("a"), fail_after_writing, put("b"))
    assert first.result() == "a"
    assert last.result() == "b"
    with pytest.raises(InputError, match="no"):
        failing.result()
    assert stored(path) == {"a", "b"}
    assert counted.commits == 1


def test_a_job_that_takes_the_transaction_along_is_alone_in_failing(counted: Counted, path: Path) -> None:
    first, failing, last = counted.together(put("a"), lose_everything, put("b"))
    assert first.result() == "a"
    assert last.result() == "b"
    with pytest.raises(JournalError, match="full"):
        failing.result()
    assert stored(path) == {"a", "b"}


def test_sqlite_errors_become_sentences(counted: Counted) -> None:
    with pytest.raises(JournalError, match=r"lab\.db: SQLite refused: .*no such table"):
        counted.writer.submit(lambda conn: conn.execute("SELECT * FROM missing")).result()


def test_acknowledged_only_after_the_commit(path: Path) -> None:
    seen: list[bool] = []
    futures: list[Future[str]] = []
    queued = threading.Event()

    def look() -> None:
        queued.wait()
        seen.append(futures[0].done())
        assert stored(path) == {"a"}

    writer = Writer(path, after_commit=look)
    futures.append(writer.submit(put("a")))
    queued.set()
    assert futures[0].result() == "a"
    writer.close()
    assert seen == [False]


def test_job_alone_runs_outside_a_transaction_and_in_its_turn(counted: Counted) -> None:
    order: list[str] = []

    def alone(conn: Connection) -> bool:
        order.append("alone")
        return conn.in_transaction

    before = counted.writer.submit(lambda _: order.append("before"))
    found = counted.writer.submit(alone, alone=True)
    after = counted.writer.submit(lambda _: order.append("after"))
    assert (before.result(), found.result(), after.result()) == (None, False, None)
    assert order == ["before", "alone", "after"]


async def test_cancelled_caller_does_not_take_the_job_along(counted: Counted, path: Path) -> None:
    task = asyncio.create_task(counted.writer.run(put("a")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await counted.writer.run(put("b"))
    assert stored(path) == {"a", "b"}


def test_closing_stores_what_waits_and_refuses_more(counted: Counted, path: Path) -> None:
    futures = counted.together(*map(put, "abc"))
    counted.writer.close()
    counted.writer.close()
    assert [one.result(0) for one in futures] == ["a", "b", "c"]
    with pytest.raises(JournalError, match="closed"):
        counted.writer.submit(put("d"))
    assert stored(path) == {"a", "b", "c"}


def test_many_more_jobs_than_a_group(counted: Counted, path: Path) -> None:
    futures = counted.together(*(put(str(n)) for n in range(1200)))
    assert [one.result() for one in futures] == [str(n) for n in range(1200)]
    assert counted.commits == 3
    assert len(stored(path)) == 1200


def test_file_that_cannot_serve_is_told_at_once(path: Path) -> None:
    path.write_text("no database")
    with pytest.raises(InputError, match="not a SQLite database"):
        Writer(path)
