"""A terminal that goes away must not hold up the program that draws on it."""

from __future__ import annotations

import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any


class Steady:
    """A text file that takes writes after its other end has gone, and drops them.

    Textual draws from a thread behind a short queue. Without this a lost connection ends that thread, the
    queue fills, and the event loop waits for ever, holding the participant's stream.
    """

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self.gone = False
        """Whether the other end has gone."""

    def write(self, text: str) -> int:
        """Write, or drop."""
        if not self.gone:
            try:
                return self._file.write(text)
            except (OSError, ValueError):
                self.gone = True
        return len(text)

    def flush(self) -> None:
        """Flush, if there is anything to flush to."""
        if not self.gone:
            try:
                self._file.flush()
            except (OSError, ValueError):
                self.gone = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


def hung_up() -> bool:
    """Whether the terminal on standard input has gone. No signal comes where it was not ours to control."""
    if sys.__stdin__ is None or not hasattr(select, "poll"):
        return False
    try:
        waiting = select.poll()
        waiting.register(sys.__stdin__.fileno(), 0)
        return any(event & select.POLLHUP for _, event in waiting.poll(0))
    except (OSError, ValueError):
        return False


@contextmanager
def steady_terminal() -> Iterator[None]:
    """While this lasts, whoever draws on the standard error stream gets a steady one."""
    original = sys.__stderr__
    if original is not None:
        sys.__stderr__ = Steady(original)  # type: ignore[misc,assignment]
    try:
        yield
    finally:
        sys.__stderr__ = original  # type: ignore[misc]
