"""Where gateways listen: one private folder of the user, one socket name for each program version."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from capa_tui.assistants.wire import PROTOCOL
from capa_tui.paths import data_directory
from capa_tui.version import VERSION
from studies.errors import MachineError

SOCKET_LIMIT = 103
"""Bytes a socket's path may have: 103 on macOS, 107 on Linux."""


@dataclass(frozen=True, slots=True)
class Place:
    """The files of one gateway."""

    socket: Path
    log: Path

    @property
    def lock(self) -> Path:
        """Locked as long as a gateway listens here."""
        return self.socket.with_suffix(".lock")


def place(machine_file: Path) -> Place:
    """Where the gateway of this program, installation and configuration listens.

    Raises:
        MachineError: no folder can be made private.
    """
    told = "\0".join((str(PROTOCOL), VERSION, sys.prefix, str(machine_file)))
    name = f"gateway-{hashlib.blake2s(told.encode(), digest_size=5).hexdigest()}.sock"
    tried = []
    for folder in _candidates():
        path = folder / name
        if len(os.fsencode(path)) > SOCKET_LIMIT:
            tried.append(f"{folder}: its path is too long for a socket")
        elif (fault := _made_private(folder)) is not None:
            tried.append(f"{folder}: {fault}")
        else:
            return Place(path, data_directory() / "gateway.log")
    raise MachineError(
        "There is no private folder for the socket to live assistants (" + "; ".join(tried) + "). "
        "Set XDG_RUNTIME_DIR to a folder of your own."
    )


def _candidates() -> Iterator[Path]:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    if runtime and Path(runtime).is_dir():
        yield Path(runtime) / "capa-tui"
    yield data_directory() / "run"
    yield Path("/tmp") / f"capa-tui-{os.geteuid()}"


def _made_private(folder: Path) -> str | None:
    """Make the folder ours alone; what is wrong with it, if anything."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode):
            return "not a folder"
        if found.st_uid != os.geteuid():
            return "belongs to another user"
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        return str(error.strerror)
    return None
