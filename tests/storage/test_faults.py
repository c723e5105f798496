"""What may go wrong while answers are stored: kill -9, a locked, full or damaged file. What was acknowledged
is there, what was not is there at most once, and saying it again is always right."""

from __future__ import annotations

import asyncio
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from support.processes import Child, as_ordinary_user, open_folder
from support.stored import Stream

from storage.database import open_database, open_readonly, sqlite3
from storage.journal import read_stream
from storage.store import Store
from storage.verify import verify
from studies.errors import CapaError, InputError, JournalError
from studies.events import Event

if TYPE_CHECKING:
    from sqlite3 import Connection

pytestmark = pytest.mark.durable


def prepared(answers: int, size: int = 1) -> tuple[Stream, list[list[Event]]]:
    """A stream and the batches it is stored in; answers are `size` characters long."""
    stream = Stream()
    batches = [list(stream.events)]
    batches += (stream.answer(f"{n} " + "x" * size) for n in range(answers))
    return stream, batches


def stored(path: Path, stream: Stream) -> list[Event]:
    with open_readonly(path) as db:
        return read_stream(db.conn, stream.id)


def opened(path: Path, **how: Any) -> Store:
    return Store.open(path, "station", "test", **how)


async def append_all(path: Path, batches: list[list[Event]]) -> None:
    async with opened(path) as store:
        for batch in batches:
            await store.journal.append(batch)


def sound(path: Path) -> bool:
    """Nothing is wrong, but that these streams name a study that was never loaded."""
    return [one.check for one in verify(path)] in ([], ["references"])


# -- kill -9 -------------------------------------------------------------------------------------


def killed(path: Path, batches: list[list[Event]], arm: Callable[[Store], Any]) -> int:
    """Append in a process that dies on the way; how many batches it acknowledged."""

    def write(child: Child) -> None:
        async def run() -> None:
            store = opened(path)
            await arm(store)
            for number, batch in enumerate(batches):
                await store.journal.append(batch)
                child.say(number)
            os.kill(os.getpid(), signal.SIGKILL)

        asyncio.run(run())

    with Child(write) as child:
        acknowledged = child.rest()
        assert os.WIFSIGNALED(child.end()), acknowledged
    assert acknowledged == list(range(len(acknowledged)))
    return len(acknowledged)


def die_at_statement(number: int) -> Callable[[Store], Any]:
    """Kill the process as its writer begins its so many-th statement."""

    async def arm(store: Store) -> None:
        begun = 0

        def count(_: str) -> None:
            nonlocal begun
            begun += 1
            if begun == number:
                os.kill(os.getpid(), signal.SIGKILL)

        await store._writer.run(lambda conn: conn.set_trace_callback(count), alone=True)  # type: ignore[attr-defined]

    return arm


def die_after_steps(number: int) -> Callable[[Store], Any]:
    """Kill the process in the midst of a statement, after so many steps of SQLite's machine."""

    async def arm(store: Store) -> None:
        def handler() -> int:
            os.kill(os.getpid(), signal.SIGKILL)
            return 0

        await store._writer.run(lambda conn: conn.set_progress_handler(handler, number), alone=True)  # type: ignore[attr-defined]

    return arm


def check_after_death(path: Path, stream: Stream, batches: list[list[Event]], acknowledged: int) -> None:
    found = stored(path, stream)
    sure = sum(map(len, batches[:acknowledged]))
    at_most = sum(map(len, batches[: acknowledged + 1]))
    assert found in (stream.events[:sure], stream.events[:at_most])
    asyncio.run(append_all(path, batches[max(0, acknowledged - 1) :]))
    assert stored(path, stream) == stream.events
    assert sound(path)


@pytest.mark.parametrize("arm", [die_at_statement, die_after_steps])
def test_kill_at_every_point_of_storing(path: Path, arm: Callable[[int], Callable[[Store], Any]]) -> None:
    open_database(path).close()
    points = range(1, 45) if arm is die_at_statement else range(1, 1500, 37)
    outcomes = set()
    for point in points:
        copy = path.with_name(f"{point}.db")
        shutil.copy(path, copy)
        stream, batches = prepared(3)
        acknowledged = killed(copy, batches, arm(point))
        outcomes.add((acknowledged, len(stored(copy, stream))))
        check_after_death(copy, stream, batches, acknowledged)
    assert {acknowledged for acknowledged, _ in outcomes} >= {0, 1, 2, 3}


def test_kill_between_commit_and_acknowledgement(path: Path) -> None:
    stream, batches = prepared(3)

    def write(child: Child) -> None:
        commits = 0

        def after_commit() -> None:
            nonlocal commits
            commits += 1
            if commits == 3:
                os.kill(os.getpid(), signal.SIGKILL)

        async def run() -> None:
            store = opened(path, after_commit=after_commit)
            for number, batch in enumerate(batches):
                await store.journal.append(batch)
                child.say(number)

        asyncio.run(run())

    with Child(write) as child:
        acknowledged = child.rest()
        child.end()
    assert acknowledged == [0, 1]
    assert stored(path, stream) == stream.events[:5]
    check_after_death(path, stream, batches, len(acknowledged))


@pytest.mark.parametrize("after", [1, 2, 5, 17, 60])
def test_kill_from_outside_at_any_moment(path: Path, after: int) -> None:
    stream, batches = prepared(200, size=500)

    def write(child: Child) -> None:
        async def run() -> None:
            async with opened(path) as store:
                for number, batch in enumerate(batches):
                    await store.journal.append(batch)
                    child.say(number)

        asyncio.run(run())

    with Child(write) as child:
        for _ in range(after):
            child.hear()
        child.kill()
        acknowledged = after + len(child.rest())
    check_after_death(path, stream, batches, acknowledged)


def test_kill_of_one_station_leaves_the_other_at_work(path: Path) -> None:
    (mine, ours), (theirs, their_batches) = prepared(5), prepared(5)

    def hold(conn: Connection) -> None:
        conn.execute("INSERT INTO meta VALUES ('half', '')")
        os.kill(os.getpid(), signal.SIGKILL)

    def write(child: Child) -> None:
        async def run() -> None:
            store = opened(path)
            await store.journal.append(their_batches[0])
            child.say("stored")
            child.hear()
            await store._writer.run(hold)  # type: ignore[attr-defined]

        asyncio.run(run())

    async def work(child: Child) -> None:
        async with opened(path) as store:
            assert child.hear() == "stored"
            await store.journal.append(ours[0])
            child.say("now die")
            child.rest()
            for batch in ours[1:]:
                await store.journal.append(batch)

    with Child(write) as child:
        asyncio.run(work(child))
        child.end()
    assert stored(path, mine) == mine.events
    assert stored(path, theirs) == theirs.events[:1]
    with open_readonly(path) as db:
        assert db["meta"].count == 0


# -- locked --------------------------------------------------------------------------------------


def hold_lock(path: Path) -> Callable[[Child], None]:
    """Another program that begins to write and takes its time."""

    def hold(child: Child) -> None:
        with open_database(path) as db:
            db.conn.execute("BEGIN IMMEDIATE")
            child.say("locked")
            child.hear()
            db.conn.execute("ROLLBACK")
            child.say("free")

    return hold


async def test_short_lock_is_waited_for(path: Path) -> None:
    stream, batches = prepared(1)
    open_database(path).close()
    with Child(hold_lock(path)) as child:
        assert child.hear() == "locked"
        async with opened(path) as store:
            waiting = [asyncio.create_task(store.journal.append(batch)) for batch in batches]
            assert await store.archive.events(stream.id) == []
            assert not any(one.done() for one in waiting)
            child.say("let go")
            await asyncio.gather(*waiting)
        child.end()
    assert stored(path, stream) == stream.events


async def test_long_lock_is_told_and_nothing_is_stored(path: Path) -> None:
    stream, batches = prepared(1)
    open_database(path).close()
    with Child(hold_lock(path)) as child:
        assert child.hear() == "locked"
        async with opened(path, timeout=0.05) as store:
            for _ in range(2):
                with pytest.raises(JournalError, match=r"lab\.db: another program kept the database locked"):
                    await store.journal.append(batches[0])
            assert await store.archive.events(stream.id) == []
            child.say("let go")
            assert child.hear() == "free"
            for batch in batches:
                await store.journal.append(batch)
            assert list(await store.archive.events(stream.id)) == stream.events
        child.end()


async def test_opening_does_not_wait_for_a_writer(path: Path) -> None:
    open_database(path).close()
    with Child(hold_lock(path)) as child:
        assert child.hear() == "locked"
        async with opened(path, timeout=0) as store:
            assert await store.archive.studies() == []
        child.say("let go")
        child.end()


# -- full ----------------------------------------------------------------------------------------


async def fill(store: Store, batches: list[list[Event]]) -> tuple[int, str]:
    """Append until the disk refuses: how many batches were acknowledged, and what was said."""
    for number, batch in enumerate(batches):
        try:
            await store.journal.append(batch)
        except JournalError as error:
            with pytest.raises(JournalError):
                await store.journal.append(batch)
            return number, str(error)
    raise AssertionError("the disk took everything")


async def test_full_disk_keeps_what_was_acknowledged(path: Path) -> None:
    stream, batches = prepared(100, size=5000)
    async with opened(path) as store:
        limit = "PRAGMA max_page_count = {}"
        await store._writer.run(lambda conn: conn.execute(limit.format(150)).fetchone(), alone=True)  # type: ignore[attr-defined]
        acknowledged, said = await fill(store, batches)
        assert "lab.db: the disk is full; nothing of this was stored, what was acknowledged is safe" in said
        assert 3 < acknowledged < 90
        sure = sum(map(len, batches[:acknowledged]))
        assert list(await store.archive.events(stream.id)) == stream.events[:sure]
        await store._writer.run(lambda conn: conn.execute(limit.format(10_000)).fetchone(), alone=True)  # type: ignore[attr-defined]
        for batch in batches[acknowledged:]:
            await store.journal.append(batch)
        assert list(await store.archive.events(stream.id)) == stream.events
    assert sound(path)


async def test_small_answers_still_fit_where_a_large_one_did_not(path: Path) -> None:
    stream, batches = prepared(3)
    large, large_batches = prepared(2, size=2_000_000)
    async with opened(path) as store:
        for batch in (batches[0], large_batches[0]):
            await store.journal.append(batch)
        await store._writer.run(
            lambda conn: conn.execute("PRAGMA max_page_count = 120").fetchone(), alone=True
        )  # type: ignore[attr-defined]
        results = await asyncio.gather(
            store.journal.append(batches[1]),
            store.journal.append(large_batches[1]),
            store.journal.append([*batches[2], *batches[3]]),
            return_exceptions=True,
        )
        assert results[0] is results[2] is None
        assert isinstance(results[1], JournalError)
    assert stored(path, stream) == stream.events
    assert stored(path, large) == large.events[:1]


def test_limit_on_the_file_size_keeps_what_was_acknowledged(path: Path) -> None:
    """A quota, as the system enforces it: writing beyond it fails in the midst of a page."""
    stream, batches = prepared(100, size=5000)
    open_database(path).close()

    def write(child: Child) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_001, 300_001))

        async def run() -> None:
            store = opened(path)
            child.say(await fill(store, batches))

        asyncio.run(run())

    with Child(write) as child:
        acknowledged, said = child.hear()
        child.end()
    assert "nothing of this was stored" in said
    assert acknowledged > 3
    check_after_death(path, stream, batches, acknowledged)


def test_full_file_system_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(disk)]
    if not shutil.which("mount") or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs a privilege")
    try:
        path = disk / "lab.db"
        stream, batches = prepared(200, size=5000)

        async def run() -> int:
            async with opened(path) as store:
                acknowledged, said = await fill(store, batches)
                assert "nothing of this was stored" in said
                sure = sum(map(len, batches[:acknowledged]))
                assert list(await store.archive.events(stream.id)) == stream.events[:sure]
            return acknowledged

        acknowledged = asyncio.run(run())
        shutil.copytree(disk, tmp_path / "larger")
        check_after_death(tmp_path / "larger" / "lab.db", stream, batches, acknowledged)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


# -- taken away, read-only, damaged ----------------------------------------------------------------


def test_file_that_becomes_read_only_refuses_and_keeps(tmp_path: Path) -> None:
    stream, batches = prepared(2)
    with open_folder() as folder:
        path = folder / "lab.db"

        def work() -> str:
            async def run() -> str:
                await append_all(path, batches[:2])
                path.chmod(0o444)
                try:
                    await append_all(path, batches[2:])
                except CapaError as error:
                    return str(error)
                return "stored"

            return asyncio.run(run())

        assert "read-only for you; nothing was changed" in as_ordinary_user(work)
        path.chmod(0o644)
        assert stored(path, stream) == stream.events[:3]


@pytest.mark.parametrize("at", [0.3, 0.6, 0.9])
def test_damaged_page_never_gives_a_wrong_answer(path: Path, at: float) -> None:
    stream, batches = prepared(50, size=3000)
    asyncio.run(append_all(path, batches))
    content = bytearray(path.read_bytes())
    start = int(len(content) * at) // 4096 * 4096
    content[start : start + 4096] = b"\xff" * 4096
    path.write_bytes(content)
    assert not sound(path)

    async def read() -> list[Event] | str:
        try:
            async with opened(path) as store:
                return list(await store.archive.events(stream.id))
        except CapaError as error:
            return str(error)

    # It reads what is whole, or says that it cannot.
    found = asyncio.run(read())
    assert "lab.db: " in found if isinstance(found, str) else all(one in stream.events for one in found)


def test_foreign_file_is_refused_by_the_store(path: Path) -> None:
    path.write_text("item,rater,label\n")
    with pytest.raises(InputError, match="not a SQLite database"):
        opened(path)
    assert path.read_text() == "item,rater,label\n"


def test_a_writer_thread_of_its_own_for_each_store(path: Path) -> None:
    """Two stores in one process are two stations: neither loses what the other wrote."""

    async def run() -> list[Stream]:
        made = [prepared(20) for _ in range(4)]
        stores = [opened(path) for _ in range(4)]
        await asyncio.gather(
            *(_append(store, batches) for store, (_, batches) in zip(stores, made, strict=True))
        )
        for store in stores:
            store.close()
        return [stream for stream, _ in made]

    async def _append(store: Store, batches: list[list[Event]]) -> None:
        for batch in batches:
            await store.journal.append(batch)

    for stream in asyncio.run(run()):
        assert stored(path, stream) == stream.events
    assert sqlite3.sqlite_version_info > (3, 51, 2)
