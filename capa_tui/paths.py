"""Where this machine keeps things: the database and the station's id."""

from __future__ import annotations

import os
import re
from pathlib import Path

from studies.errors import InputError, MachineError
from studies.events import new_id


def data_directory() -> Path:
    """The platform's data directory for this user."""
    from platformdirs import user_data_path

    return user_data_path("capa-tui", appauthor=False)


def database(given: str | None) -> Path:
    """The database file: as given, else `CAPA_TUI_DB`, else the default.

    Raises:
        InputError: the path begins with the home of somebody unknown.
    """
    chosen = given or os.environ.get("CAPA_TUI_DB")
    if not chosen:
        return data_directory() / "capa-tui.db"
    try:
        return Path(chosen).expanduser()
    except RuntimeError as error:
        raise InputError(f"{chosen}: {error}") from error


def existing(given: str | None) -> Path:
    """The database file of a command that only makes sense on one that is there.

    Raises:
        InputError: it was named, and there is none of that name: a slip must not become a new database.
    """
    path = database(given)
    if absent(given):
        raise InputError(f"{path}: there is no such database. Load a study into it first: capa-tui load DIR")
    return path


def absent(given: str | None) -> bool:
    """Whether a database was named, and nothing of that name is there."""
    path = database(given)
    named = given or os.environ.get("CAPA_TUI_DB")
    return bool(named) and not path.exists() and not path.is_symlink()


def station() -> str:
    """This machine's random id, made on first use.

    Raises:
        MachineError: the data directory cannot be written.
    """
    path = data_directory() / "station"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        known = _known(path)
        if not known:
            # Whole before it has its name, or a program that starts at the same time reads half an id.
            unfinished = path.with_name(f"station.{new_id()}")
            unfinished.write_text(new_id(), encoding="ascii")
            _name(unfinished, path)
            known = _known(path)
        return known
    except OSError as error:
        raise MachineError(
            f"{path}: {error.strerror}. Nothing was changed. "
            "Set XDG_DATA_HOME to a folder that can be written."
        ) from error


def _known(path: Path) -> str:
    """The id that the file holds; empty where there is none, or what it holds is none."""
    try:
        held = path.read_bytes().strip().decode("ascii", "replace")
    except FileNotFoundError:
        return ""
    return held if re.fullmatch(r"[!-~]{1,64}", held) else ""


def _name(unfinished: Path, path: Path) -> None:
    """Give the file its name, unless another program was faster."""
    try:
        os.link(unfinished, path)
    except OSError:
        # Also on a disk without hard links; there the last one to come stands.
        if not _known(path):
            os.replace(unfinished, path)
            return
    unfinished.unlink()
