"""Events as rows of the table `events`, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from studies.events import Event

if TYPE_CHECKING:
    from sqlite3 import Connection

COLUMNS = "stream, seq, kind, at, body, salt, digest, previous, hash"
"""What an event is made of, in the order `Event.stored` takes."""

INSERT = f"INSERT INTO events ({COLUMNS}, quoted, local) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def store(conn: Connection, events: Iterable[Event], *, local: bool) -> None:
    """Insert events inside the caller's transaction; those already there are passed over.

    Args:
        conn: a writing connection.
        events: of any streams, in any order.
        local: this file's own writer made them (False: merged or imported).
    """
    conn.executemany(INSERT, (_row(one, local) for one in events))


def fetch(conn: Connection, where: str = "", values: Sequence[Any] = ()) -> Iterator[Event]:
    """Events under a SQL condition, by stream and number, both sides of a fork."""
    condition = f"WHERE {where} " if where else ""
    rows = conn.execute(f"SELECT {COLUMNS} FROM events {condition}ORDER BY stream, seq, hash", values)
    return (Event.stored(*row) for row in rows)


def _row(one: Event, local: bool) -> tuple[Any, ...]:
    quoted = quoted_fields(one.body)
    return (
        one.stream,
        one.seq,
        one.kind,
        one.at,
        one.body,
        one.salt,
        one.digest,
        one.previous,
        one.hash,
        quoted,
        int(local),
    )


def quoted_fields(body: str | None) -> str:
    """The column `quoted`: payload fields whose text SQLite cannot carry raw, such as `|note|answers|`."""
    if body is None or ("\\u0000" not in body and "\\ud" not in body):
        return ""
    names: list[str] = []
    for name, value in json.loads(body).items():
        if _unfit(value):
            names.append(name)
        if isinstance(value, dict):
            names += (f"{name}.{key}" for key, inner in value.items() if _unfit(inner))
    return f"|{'|'.join(names)}|" if names else ""


def _unfit(value: object) -> bool:
    if isinstance(value, str):
        return "\0" in value or any("\ud800" <= char <= "\udfff" for char in value)
    if isinstance(value, dict):
        return any(_unfit(key) or _unfit(inner) for key, inner in value.items())
    return isinstance(value, list) and any(map(_unfit, value))
