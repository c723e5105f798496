"""Opening: a new file, our own, and everything that must be refused untouched."""

from __future__ import annotations

import hashlib
import sqlite3 as other_program
import stat
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from support.processes import as_ordinary_user, open_folder, together

from storage.database import open_database, open_readonly, sqlite3, transaction
from storage.migrations import APPLICATION_ID, MIGRATIONS, SCRIPTS
from studies.errors import CapaError, InputError, MachineError

if TYPE_CHECKING:
    from sqlite3 import Connection

pytestmark = pytest.mark.durable


def add_table(conn: Connection) -> None:
    conn.execute("CREATE TABLE later (a)")


def contents(path: Path) -> dict[str, str]:
    """Every file beside and including this one, by its hash."""
    return {one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in path.parent.iterdir()}


def refused(path: Path) -> str:
    """The error of opening the file as an ordinary user, or `opened`."""

    def attempt() -> str:
        try:
            open_database(path).close()
        except CapaError as error:
            return f"{type(error).__name__}: {error}"
        return "opened"

    return str(as_ordinary_user(attempt))


# -- what is ours --------------------------------------------------------------------------------


def test_new_file_has_the_house_pragmas(path: Path) -> None:
    with open_database(path) as db:
        values = {
            name: db.conn.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous", "foreign_keys", "application_id", "user_version")
        }
    assert values == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "application_id": APPLICATION_ID,
        "user_version": len(MIGRATIONS),
    }


def test_only_the_owner_may_read_what_participants_said(path: Path) -> None:
    with open_database(path) as db:
        db.conn.execute("INSERT INTO meta VALUES ('a', 'b')")
        made = [path, *(path.with_name(path.name + end) for end in ("-wal", "-shm"))]
        assert [stat.S_IMODE(one.stat().st_mode) for one in made] == [0o600] * 3


def test_a_file_that_is_there_keeps_its_permissions(path: Path) -> None:
    path.touch()
    path.chmod(0o660)
    open_database(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_missing_folders_are_made(tmp_path: Path) -> None:
    open_database(tmp_path / "a" / "b" / "lab.db").close()
    assert (tmp_path / "a" / "b" / "lab.db").exists()


@pytest.mark.parametrize("name", ["a b.db", "a?b#c%20.db", "é…😀.db", "-x.db", "file:x.db"])
def test_any_file_name_serves(tmp_path: Path, name: str) -> None:
    for _ in range(2):
        with open_database(tmp_path / name) as db:
            db.conn.execute("INSERT OR REPLACE INTO meta VALUES ('a', 'b')")
    assert [one.name for one in tmp_path.iterdir()] == [name]


def test_empty_file_and_empty_database_become_ours(tmp_path: Path) -> None:
    (tmp_path / "empty.db").touch()
    with closing(other_program.connect(tmp_path / "bare.db")) as conn:
        conn.execute("VACUUM")
    for name in ("empty.db", "bare.db"):
        with open_database(tmp_path / name) as db:
            assert db["events"].exists()


def test_reading_connection_cannot_write(path: Path) -> None:
    open_database(path).close()
    with open_readonly(path) as db, pytest.raises(sqlite3.OperationalError, match="readonly"):
        db.conn.execute("INSERT INTO meta VALUES ('a', 'b')")


def test_reading_makes_no_file(path: Path) -> None:
    with pytest.raises(InputError, match="no such database"):
        open_readonly(path)
    assert not path.exists()


def test_transaction_is_all_or_nothing(path: Path) -> None:
    def spoil(conn: Connection) -> None:
        with transaction(conn):
            conn.execute("INSERT INTO meta VALUES ('a', 'b')")
            conn.execute("no SQL")

    with open_database(path) as db:
        with pytest.raises(sqlite3.OperationalError):
            spoil(db.conn)
        assert db["meta"].count == 0
        assert not db.conn.in_transaction


# -- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_foreign_database_is_left_untouched(path: Path, mode: str) -> None:
    conn = other_program.connect(path)
    conn.execute(f"PRAGMA journal_mode = {mode}")
    conn.execute("CREATE TABLE theirs (a)")
    conn.execute("INSERT INTO theirs VALUES (1)")
    conn.commit()
    before = contents(path)
    with pytest.raises(InputError, match=r"lab\.db: this SQLite database belongs to another program"):
        open_database(path)
    assert contents(path) == before
    conn.close()


def test_foreign_application_id_without_tables_is_refused(path: Path) -> None:
    with closing(other_program.connect(path)) as conn:
        conn.execute("PRAGMA application_id = 7")
    before = contents(path)
    with pytest.raises(InputError, match="another program"):
        open_database(path)
    assert contents(path) == before


@pytest.mark.parametrize(
    "content", [b"item,rater,label\n" * 500, b"{}", b"SQLite format 2\0" * 100, bytes(5000)]
)
def test_file_that_is_no_database_is_left_untouched(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    before = contents(path)
    with pytest.raises(InputError, match=r"lab\.db: this is not a SQLite database; it was left untouched"):
        open_database(path)
    assert contents(path) == before


def test_newer_database_is_left_untouched(path: Path) -> None:
    with open_database(path, migrations=(*MIGRATIONS, add_table)) as db:
        db.conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = contents(path)
    with pytest.raises(InputError, match="a newer capa-tui made this database"):
        open_database(path)
    assert contents(path) == before


@pytest.mark.parametrize("keep", [10, 99, 100, 1000, 4096, 8192, 0.5, -1])
def test_truncated_database_is_refused_and_not_made_anew(path: Path, keep: float) -> None:
    open_database(path).close()
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * keep) if isinstance(keep, float) else int(keep)])
    before = contents(path)
    with pytest.raises(CapaError, match=r"lab\.db: .*(damaged or was cut short|not a SQLite database)"):
        open_database(path)
    assert contents(path) == before


def test_database_cut_to_nothing_is_refused(path: Path) -> None:
    open_database(path).close()
    path.write_bytes(b"")
    path.with_name("lab.db.locks").mkdir()
    with pytest.raises(MachineError, match="empty but was a database"):
        open_database(path)
    assert path.read_bytes() == b""


def test_empty_file_with_a_log_is_refused(path: Path) -> None:
    path.touch()
    path.with_name("lab.db-wal").write_bytes(b"what could be rescued")
    with pytest.raises(MachineError, match="empty but was a database"):
        open_database(path)
    assert path.with_name("lab.db-wal").read_bytes() == b"what could be rescued"


def test_folder_in_place_of_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        open_database(tmp_path)


def test_read_only_file() -> None:
    with open_folder() as folder:
        path = folder / "lab.db"
        open_database(path).close()
        path.chmod(0o444)
        before = contents(path)
        assert "MachineError" in refused(path)
        assert "the file is read-only for you; nothing was changed" in refused(path)
        assert contents(path) == before


def test_file_nobody_may_read() -> None:
    with open_folder() as folder:
        path = folder / "lab.db"
        open_database(path).close()
        path.chmod(0o000)
        assert "MachineError" in refused(path)


@pytest.mark.parametrize("exists", [True, False])
def test_read_only_folder(exists: bool) -> None:
    with open_folder() as folder:
        path = folder / "lab.db"
        if exists:
            open_database(path).close()
            path.chmod(0o666)
        folder.chmod(0o555)
        assert refused(path).startswith("MachineError")
        assert "is not writable" in refused(path)
        assert [one.name for one in folder.iterdir()] == ["lab.db"] * exists


def test_folder_that_cannot_be_made() -> None:
    with open_folder() as folder:
        folder.chmod(0o555)
        assert "cannot make this folder" in refused(folder / "deeper" / "lab.db")


# -- migrations ----------------------------------------------------------------------------------


def test_migrating_makes_a_copy_first(path: Path) -> None:
    with open_database(path) as db:
        db.conn.execute("INSERT INTO meta VALUES ('a', 'b')")
    with open_database(path, migrations=(*MIGRATIONS, add_table)) as db:
        assert db["later"].exists()
        assert db["meta"].count == 1
    (copy,) = path.parent.glob(f"lab.db.version-{len(MIGRATIONS)}.*.bak")
    with open_database(copy) as db:
        assert db["meta"].count == 1
        assert not db["later"].exists()


def test_new_database_needs_no_copy(path: Path) -> None:
    open_database(path, migrations=(*MIGRATIONS, add_table)).close()
    assert [one.name for one in path.parent.iterdir()] == ["lab.db"]


def test_failing_migration_changes_nothing(path: Path) -> None:
    def fail(conn: Connection) -> None:
        conn.execute("CREATE TABLE half (a)")
        conn.execute("no SQL at all")

    open_database(path).close()
    with pytest.raises(MachineError, match="SQLite refused"):
        open_database(path, migrations=(*MIGRATIONS, fail))
    with open_database(path) as db:
        assert not db["half"].exists()


def test_eight_processes_make_one_database(path: Path) -> None:
    def make(number: int) -> str:
        with open_database(path) as db:
            db.conn.execute("INSERT INTO meta VALUES (?, '')", (str(number),))
            return str(db.conn.execute("PRAGMA journal_mode").fetchone()[0])

    assert together(8, make) == ["wal"] * 8
    with open_database(path) as db:
        assert db["meta"].count == 8


def test_a_migration_that_files_have_been_through_never_changes() -> None:
    scripts = [files("storage").joinpath(one).read_bytes() for one in SCRIPTS[:2]]
    assert [hashlib.sha256(one).hexdigest()[:16] for one in scripts] == [
        "911589829e4457b7",
        "2454a1b768627e95",
    ]


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS)))
def test_a_database_of_an_earlier_version_gets_the_later_views(path: Path, version: int) -> None:
    with open_database(path, migrations=MIGRATIONS[:version]) as old:
        old.conn.execute("INSERT INTO meta VALUES ('a', 'b')")
    with open_database(path) as db:
        assert db["meta"].count == 1
        views = db.view_names()
    with open_database(path.with_name("new.db")) as new:
        assert views == new.view_names()


def test_eight_processes_migrate_once(path: Path) -> None:
    open_database(path).close()

    def upgrade(number: int) -> int:
        with open_database(path, migrations=(*MIGRATIONS, add_table)) as db:
            return int(db.conn.execute("PRAGMA user_version").fetchone()[0])

    assert together(8, upgrade) == [len(MIGRATIONS) + 1] * 8
    assert len(list(path.parent.glob("*.bak"))) == 1
    assert not list(path.parent.glob(".*.part"))
