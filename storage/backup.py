"""An online copy of the database: complete even while others write, and never over an existing file."""

from __future__ import annotations

import os
import secrets
from contextlib import closing
from pathlib import Path

from storage.database import connect, explained, make_private, refuse_foreign
from studies.errors import InputError, MachineError


def backup(source: Path, target: Path) -> None:
    """Copy the database as of now into a new file, whole and on disk when this returns.

    The copy appears under its name only once it is complete.

    Raises:
        InputError: there is no such database, or the target exists.
        MachineError: the copy could not be made; nothing is left of it.
    """
    if not source.is_file():
        raise InputError(f"{source}: there is no such database")
    if target.exists():
        raise InputError(f"{target}: this file exists; a backup never replaces one. Name a new file")
    part = target.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with explained(source):
            refuse_foreign(source)
            conn = connect(source, readonly=True)
        with explained(target), closing(conn):
            make_private(part)
            conn.execute("VACUUM INTO ?", (str(part),))
        _sync(part)
        _appear(part, target)
        _sync(target.parent)
    except FileExistsError as error:
        raise InputError(f"{target}: this file exists; a backup never replaces one") from error
    except OSError as error:
        raise MachineError(f"{target}: the backup could not be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _appear(part: Path, target: Path) -> None:
    """Give the finished copy its name, unless something of that name has come up meanwhile."""
    try:
        os.link(part, target)
    except FileExistsError:
        raise
    except OSError:
        # No hard links here (a memory stick): reserve the name, then take it.
        os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.replace(part, target)


def _sync(path: Path) -> None:
    opened = os.open(path, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
