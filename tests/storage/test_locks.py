"""One process a stream."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.processes import Child, together

from storage.locks import StreamLock
from studies.errors import MachineError, NoPlaceError


def test_second_opener_gets_a_sentence(path: Path) -> None:
    with StreamLock(path, "s"), pytest.raises(NoPlaceError, match="open in another window"):
        StreamLock(path, "s")


def test_other_streams_and_files_are_free(path: Path) -> None:
    with StreamLock(path, "s"), StreamLock(path, "t"), StreamLock(path.with_name("other.db"), "s"):
        pass


def test_released_lock_can_be_taken_again_and_leaves_no_file(path: Path) -> None:
    lock = StreamLock(path, "s")
    lock.release()
    lock.release()
    with StreamLock(path, "s"):
        pass
    assert list(path.with_name("lab.db.locks").iterdir()) == []


def test_lock_dies_with_its_process(path: Path) -> None:
    def hold(child: Child) -> None:
        lock = StreamLock(path, "s")
        child.say("held")
        child.hear()
        lock.release()

    with Child(hold) as child:
        assert child.hear() == "held"
        with pytest.raises(NoPlaceError):
            StreamLock(path, "s")
        child.kill()
        with StreamLock(path, "s"):
            pass


def test_of_many_processes_one_gets_the_lock_at_a_time(path: Path) -> None:
    def take(number: int) -> list[str]:
        """Add to a file under the lock whatever it holds already, plus one."""
        total = path.with_name("total")
        done: list[str] = []
        while len(done) < 100:
            try:
                with StreamLock(path, "s"):
                    total.write_text(str(int(total.read_text()) + 1))
                    done.append("ok")
            except NoPlaceError:
                continue
        return done

    path.with_name("total").write_text("0")
    assert together(4, take) == [["ok"] * 100] * 4
    assert path.with_name("total").read_text() == "400"


def test_stream_named_like_a_path_stays_in_the_folder(path: Path) -> None:
    with StreamLock(path, "../../elsewhere\0"):
        (made,) = path.with_name("lab.db.locks").iterdir()
    assert made.suffix == ".lock"


def test_folder_that_cannot_be_made_is_the_machines_fault(path: Path) -> None:
    path.with_name("lab.db.locks").write_text("in the way")
    with pytest.raises(MachineError, match="cannot lock"):
        StreamLock(path, "s")
