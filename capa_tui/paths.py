"""Where this machine keeps things: the database and the station's id."""

from __future__ import annotations

import os
from pathlib import Path

from studies.errors import MachineError
from studies.events import new_id


def data_directory() -> Path:
    """The platform's data directory for this user."""
    from platformdirs import user_data_path

    return user_data_path("capa-tui", appauthor=False)


def database(given: str | None) -> Path:
    """The database file: as given, else `CAPA_TUI_DB`, else the default."""
    chosen = given or os.environ.get("CAPA_TUI_DB")
    return Path(chosen).expanduser() if chosen else data_directory() / "capa-tui.db"


def station() -> str:
    """This machine's random id, made on first use.

    Raises:
        MachineError: the data directory cannot be written.
    """
    path = data_directory() / "station"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with path.open("x", encoding="ascii") as file:
                file.write(new_id())
        except FileExistsError:
            pass
        return path.read_text("ascii").strip()
    except OSError as error:
        raise MachineError(
            f"{path}: {error.strerror}. Nothing was changed. "
            "Set XDG_DATA_HOME to a folder that can be written."
        ) from error
