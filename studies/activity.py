"""Active time: how long a step really had somebody in front of it, computed later from raw activity."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from studies.events import Event
from studies.payloads import Activity, StepShown


def active_ms(samples: Iterable[int], end: int, idle_ms: int) -> int:
    """Milliseconds from 0 to `end`, less every gap between signs of life that is longer than `idle_ms`.

    Args:
        samples: when something was done, in milliseconds since the step was shown.
        end: when the step was left, on the same clock; counts as a sign of life itself.
        idle_ms: the longest gap that still counts as work; reading makes no key press.
    """
    total, last = 0, 0
    for at in sorted(min(max(one, 0), end) for one in (*samples, end)):
        if at - last <= idle_ms:
            total += at - last
        last = at
    return total


@dataclass(slots=True)
class _Showing:
    at: str
    samples: list[int] = field(default_factory=list)


class Attention:
    """Collects when each step was shown and what was done on it, event by event."""

    def __init__(self) -> None:
        self._showings: dict[tuple[str, int], list[_Showing]] = {}

    def take(self, event: Event) -> None:
        """Note an event; all but `step_shown` and `activity` are passed over."""
        match event.payload:
            case StepShown(step=step, revision=revision):
                self._showings.setdefault((step, revision), []).append(_Showing(event.at))
            case Activity(step=step, revision=revision, samples=samples):
                showings = self._showings.setdefault((step, revision), [_Showing(event.at)])
                showings[-1].samples.extend(at for at, _ in samples)

    def shown_at(self, step: str, revision: int) -> str | None:
        """When this revision of the step first came up; None if that was not recorded."""
        showings = self._showings.get((step, revision))
        return showings[0].at if showings else None

    def active_ms(self, step: str, revision: int, elapsed_ms: int, idle_ms: int) -> int | None:
        """Active time on this revision of the step; None where no activity was captured.

        The last showing ends `elapsed_ms` after it began. One that was broken off before (a pause, a
        crash, going back) counts up to its last sign of life, since nothing is known of what followed.
        """
        showings = self._showings.get((step, revision), [])
        if not any(one.samples for one in showings):
            return None
        before = sum(active_ms(one.samples, max(one.samples, default=0), idle_ms) for one in showings[:-1])
        return before + active_ms(showings[-1].samples, elapsed_ms, idle_ms)
