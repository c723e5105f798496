"""Events made durable: the port `Journal`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from storage.readers import Readers
from storage.rows import fetch, store
from storage.sides import is_forked, own_side
from storage.writer import Writer
from studies.errors import ForkError, JournalError
from studies.events import GENESIS, Chain, Event

if TYPE_CHECKING:
    from sqlite3 import Connection


class SqliteJournal:
    """Appends through the writer thread; nothing here waits on the event loop."""

    def __init__(self, writer: Writer, readers: Readers) -> None:
        self._writer = writer
        self._readers = readers

    async def append(self, events: Sequence[Event]) -> None:
        """Store events of one stream, all or none; on return they are on disk.

        Events that are already there change nothing, so an append can be repeated.

        Raises:
            ForkError: the stream has another event where these should follow.
            JournalError: the person was erased, or the file is locked, full, read-only or damaged;
                nothing was stored.
        """
        batch = tuple(events)
        if batch:
            _check_linked(batch)
            await self._writer.run(lambda conn: append(conn, batch))

    async def save_draft(self, stream: str, ask: str, text: str | None) -> None:
        """Keep unfinished text of one ask, replacing what was kept; None drops it."""

        def save(conn: Connection) -> None:
            if text is None:
                conn.execute("DELETE FROM drafts WHERE stream = ? AND ask = ?", (stream, ask))
            else:
                conn.execute(
                    "INSERT OR REPLACE INTO drafts VALUES (?, ?, ?)", (stream, ask, json.dumps(text))
                )

        await self._writer.run(save)

    async def drafts(self, stream: str) -> Mapping[str, str]:
        """Kept drafts by ask id."""
        rows = await self._readers.run(
            lambda conn: conn.execute("SELECT ask, text FROM drafts WHERE stream = ?", (stream,)).fetchall()
        )
        return {ask: json.loads(text) for ask, text in rows}


def append(conn: Connection, events: Sequence[Event]) -> None:
    """Store linked events of one stream behind its end, inside the caller's transaction.

    Raises:
        ForkError, JournalError: as `SqliteJournal.append`.
    """
    fresh = [one for one in events if not _stored(conn, one)]
    if not fresh:
        return
    first = fresh[0]
    if is_erased(conn, first.stream):
        raise JournalError(
            f"participation {first.stream} was erased; nothing more can be stored in it and nothing was"
        )
    if not _follows(conn, first):
        end = _own_end(conn, first.stream)
        if (first.seq - 1, first.previous) != (end.seq, end.head):
            raise ForkError(
                f"stream {first.stream} ends with event {end.seq} here, and event {first.seq} of this "
                "process does not follow it: it was continued elsewhere. Nothing was stored; "
                "close this and open it again"
            )
    store(conn, fresh, local=True)


def chain(conn: Connection, stream: str) -> Chain:
    """An end of a stream to go on from: the highest event, or this file's own where two are as high."""
    top = _top(conn, stream)
    return Chain(stream, *top[0]) if len(top) == 1 else _own_end(conn, stream)


def read_stream(conn: Connection, stream: str) -> list[Event]:
    """One stream in order; where it forked, the side this file goes on with (see `sides`)."""
    return own_events(conn, list(fetch(conn, "stream = ?", (stream,))))


def own_events(conn: Connection, events: list[Event]) -> list[Event]:
    """A whole stream without the side of a fork that this file does not go on with."""
    if not is_forked(events):
        return events
    rows = conn.execute("SELECT hash FROM events WHERE stream = ? AND local = 1", (events[0].stream,))
    return own_side(events, {hash for (hash,) in rows})


def is_erased(conn: Connection, stream: str) -> bool:
    """Whether a tombstone names the stream."""
    found = conn.execute(
        "SELECT 1 FROM events WHERE participation = ? AND kind = 'participation_erased'", (stream,)
    )
    return found.fetchone() is not None


def _own_end(conn: Connection, stream: str) -> Chain:
    events = read_stream(conn, stream)
    return Chain.after(events[-1]) if events else Chain(stream)


def _follows(conn: Connection, first: Event) -> bool:
    """Whether the event comes right behind the stream's one end."""
    return _top(conn, first.stream) == ([(first.seq - 1, first.previous)] if first.seq > 1 else [])


def _top(conn: Connection, stream: str) -> list[tuple[int, str]]:
    """Numbers and hashes of the events with the highest number."""
    rows: list[tuple[int, str]] = conn.execute(
        "SELECT seq, hash FROM events WHERE stream = ? ORDER BY seq DESC LIMIT 2", (stream,)
    ).fetchall()
    return [row for row in rows if row[0] == rows[0][0]]


def _stored(conn: Connection, one: Event) -> bool:
    key = (one.stream, one.seq, one.hash)
    found = conn.execute("SELECT 1 FROM events WHERE stream = ? AND seq = ? AND hash = ?", key)
    return found.fetchone() is not None


def _check_linked(events: Sequence[Event]) -> None:
    """Refuse a batch that no stream could take.

    Raises:
        JournalError: it mixes streams, leaves a gap, or does not begin at a stream's beginning.
    """
    first = events[0]
    linked = (first.seq > 1) == (first.previous != GENESIS) and all(
        (after.stream, after.seq, after.previous) == (one.stream, one.seq + 1, one.hash)
        for one, after in pairwise(events)
    )
    if not linked:
        raise JournalError(f"events of stream {first.stream} do not follow each other; nothing was stored")
