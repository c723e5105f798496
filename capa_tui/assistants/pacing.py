"""Requests a minute: when the next call may begin."""

from __future__ import annotations

from collections import deque

MINUTE = 60.0


class Pace:
    """At most so many beginnings within any minute, in the order they were asked for."""

    def __init__(self, each_minute: int) -> None:
        self.each_minute = each_minute
        self._begun: deque[float] = deque()

    def take(self, now: float, patience: float) -> float | None:
        """Seconds to wait before beginning; None, and nothing taken, if that is more than `patience`."""
        while len(self._begun) >= self.each_minute and self._begun[0] <= now - MINUTE:
            self._begun.popleft()
        beyond = len(self._begun) - self.each_minute
        wait = max(0.0, self._begun[beyond] + MINUTE - now) if beyond >= 0 else 0.0
        if wait > patience:
            return None
        self._begun.append(now + wait)
        return wait
