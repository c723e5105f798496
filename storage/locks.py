"""One process a stream: an operating system's file lock, gone with the process that holds it."""

from __future__ import annotations

import fcntl
import hashlib
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from studies.errors import MachineError, NoPlaceError


class StreamLock:
    """Holds one stream until `release` or the end of the process."""

    def __init__(self, database: Path, stream: str) -> None:
        """Take the lock at once.

        Raises:
            NoPlaceError: another window or process has the stream open.
            MachineError: the lock file cannot be made.
        """
        folder = database.with_name(f"{database.name}.locks")
        # Hashed, since an imported stream may call itself anything, a path too.
        self._path = folder / f"{hashlib.sha256(stream.encode('utf-8', 'surrogatepass')).hexdigest()}.lock"
        try:
            folder.mkdir(exist_ok=True)
            self._file = self._take()
        except BlockingIOError:
            raise NoPlaceError(
                "this participation is open in another window or on another terminal; go on there, "
                "or close it first"
            ) from None
        except OSError as error:
            raise MachineError(f"{self._path}: cannot lock the participation: {error.strerror}") from error

    def release(self) -> None:
        """Let go. Doing it again changes nothing."""
        if self._file >= 0:
            self._path.unlink(missing_ok=True)
            os.close(self._file)
            self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _take(self) -> int:
        while True:
            opened = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                # Whoever held it before may have removed the file between our opening and locking it.
                if os.path.samestat(os.fstat(opened), self._path.stat()):
                    return opened
            except FileNotFoundError:
                pass
            except OSError:
                os.close(opened)
                raise
            os.close(opened)
