"""SQLite through sqlite-utils, without the packages whose numbers it could store, too.

It loads numpy and pandas wherever they are installed, which takes longer than all the rest of a start.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

UNUSED = ("numpy", "pandas")
"""Nothing of theirs is ever stored."""


@contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    """Let modules that are not loaded yet seem not to be installed."""
    hidden = [one for one in names if one not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for one in hidden:
            del sys.modules[one]


with _without(UNUSED):
    from sqlite_utils import Database as Database
    from sqlite_utils.utils import sqlite3 as sqlite3  # type: ignore[attr-defined]
