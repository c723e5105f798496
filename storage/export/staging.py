"""An export in the making: a hidden folder, which takes the target's place once all is written."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from studies.errors import InputError, MachineError
from studies.tables import Column


@dataclass(frozen=True, slots=True)
class Written:
    """One file of an export."""

    name: str
    """Path inside the export."""
    sha256: str
    size: int
    rows: int | None
    """Rows of data; None where the file holds none."""
    about: str
    """What the file is, for the data dictionary."""
    columns: Sequence[Column] = field(default=())


class Staging:
    """Writes an export's files; on leaving without an error they appear all at once, otherwise not at all."""

    def __init__(self, out: Path) -> None:
        """Prepare an export.

        Raises:
            InputError: `out` is a file, or a folder that is not empty.
            MachineError: it cannot be looked at.
        """
        try:
            if out.exists() and (not out.is_dir() or any(out.iterdir())):
                what = "a folder that is not empty" if out.is_dir() else "a file"
                raise InputError(f"{out} is {what}; an export needs a new or an empty folder")
        except OSError as error:
            raise MachineError(f"{out} cannot be read: {error.strerror}") from error
        self._out = Path(os.path.abspath(out))
        hidden = f".{secrets.token_hex(8)}.partial"
        # A folder that is there may be a mount point, somebody's working folder, or all they may write to.
        self._inside = self._out.is_dir()
        self._folder = self._out / hidden if self._inside else self._out.with_name(hidden)
        self.written: list[Written] = []

    def __enter__(self) -> Self:
        try:
            self._folder.mkdir(parents=True)
        except OSError as error:
            raise self._failed(error) from error
        return self

    def write(
        self,
        name: str,
        chunks: Iterable[bytes],
        *,
        about: str = "",
        rows: int | None = None,
        columns: Sequence[Column] = (),
    ) -> Written:
        """Write one file, hashed on its way.

        Raises:
            MachineError: the disk is full, or the folder cannot be written.
        """
        total, size = hashlib.sha256(), 0
        target = self._folder / name
        try:
            target.parent.mkdir(exist_ok=True)
            with target.open("xb") as file:
                for chunk in chunks:
                    file.write(chunk)
                    total.update(chunk)
                    size += len(chunk)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._failed(error) from error
        self.written.append(Written(name, total.hexdigest(), size, rows, about, tuple(columns)))
        return self.written[-1]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None and self._inside:
                self._move_up()
            elif kind is None:
                os.rename(self._folder, self._out)
        except OSError as failed:
            raise self._failed(failed) from failed
        finally:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _move_up(self) -> None:
        """Move everything out of the hidden folder in the order it was written, or nothing."""
        moved: list[Path] = []
        try:
            for name in dict.fromkeys(Path(one.name).parts[0] for one in self.written):
                os.rename(self._folder / name, self._out / name)
                moved.append(self._out / name)
        except OSError:
            for one in moved:
                os.rename(one, self._folder / one.name)
            raise

    def _failed(self, error: OSError) -> MachineError:
        return MachineError(
            f"the export to {self._out} could not be written: {error.strerror}; nothing was left there"
        )
