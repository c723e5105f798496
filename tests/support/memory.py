"""Ports kept in memory: a journal that follows the port's rules, and a clock that tests move."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from studies.errors import ForkError, JournalError
from studies.events import GENESIS, Event


class MemoryJournal:
    """The journal port over lists. `fail_next` makes appends fail, before or after they were stored."""

    def __init__(self) -> None:
        self.events: dict[str, list[Event]] = {}
        self.kept: dict[tuple[str, str], str] = {}
        self.fail_before = 0
        self.fail_after = 0

    async def append(self, events: Sequence[Event]) -> None:
        """Store a batch, all or none; a batch that is already there changes nothing."""
        if self.fail_before:
            self.fail_before -= 1
            raise JournalError("the disk is full; nothing was stored")
        stream = self.events.setdefault(events[0].stream, [])
        known = {one.hash for one in stream}
        new = [one for one in events if one.hash not in known]
        head = stream[-1].hash if stream else GENESIS
        if new and new[0].previous != head:
            raise ForkError("the stream has grown elsewhere")
        stream += new
        if self.fail_after:
            self.fail_after -= 1
            raise JournalError("the disk did not say whether it stored this")

    async def save_draft(self, stream: str, ask: str, text: str | None) -> None:
        """Keep a draft, or drop it."""
        if text is None:
            self.kept.pop((stream, ask), None)
        else:
            self.kept[stream, ask] = text

    async def drafts(self, stream: str) -> dict[str, str]:
        """Kept drafts by ask id."""
        return {ask: text for (owner, ask), text in self.kept.items() if owner == stream}


class TestClock:
    """A clock that stands still until a test moves it."""

    __test__ = False

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
        self.elapsed = 0

    def now(self) -> str:
        """The time as the port gives it."""
        return self.time.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def monotonic_ms(self) -> int:
        """Milliseconds moved so far."""
        return self.elapsed

    def move(self, **by: float) -> None:
        """Let time pass, in the units of `timedelta`."""
        self.time += timedelta(**by)
        self.elapsed += round(timedelta(**by).total_seconds() * 1000)
