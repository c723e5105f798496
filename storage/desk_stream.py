"""The desk's own stream: one a station and database file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from storage.journal import chain
from storage.rows import store
from studies.desk import DeskOpened
from studies.events import Payload, new_id
from studies.ports import Clock

if TYPE_CHECKING:
    from sqlite3 import Connection


@dataclass(frozen=True, slots=True)
class DeskStream:
    """Appends a researcher's actions, each inside the caller's transaction."""

    station: str
    """The random id of this machine's installation."""
    program: str
    """Version of capa-tui."""
    clock: Clock

    def record(self, conn: Connection, *payloads: Payload) -> str:
        """Store the payloads as the desk's next events, opening the desk before its first.

        Returns:
            Their time.
        """
        at = self.clock.now()
        end = chain(conn, self._stream(conn))
        opening = () if end.seq else (DeskOpened(self.station, self.program),)
        store(conn, [end.make(one, at) for one in (*opening, *payloads)], local=True)
        return at

    def _stream(self, conn: Connection) -> str:
        key = f"desk:{self.station}"
        conn.execute("INSERT OR IGNORE INTO meta VALUES (?, ?)", (key, new_id()))
        (stream,) = conn.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(stream)
