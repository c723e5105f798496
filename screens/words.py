"""How the researcher's screens say numbers, times and standings."""

from __future__ import annotations

from datetime import datetime

from studies.progress import StudyProgress


def clock_time(milliseconds: int) -> str:
    """A duration as minutes and seconds, or hours, minutes and seconds; empty for none."""
    seconds = milliseconds // 1000
    if not seconds:
        return ""
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def ago(then: str, now: str) -> str:
    """How long ago a time was, in a word or two; empty for no time."""
    if not then:
        return ""
    at, current = datetime.fromisoformat(then), datetime.fromisoformat(now)
    minutes = (current - at).total_seconds() / 60
    if minutes < 1:
        return "just now"
    if minutes < 60:
        return f"{int(minutes)} min"
    days = (current.date() - at.date()).days
    if days == 0:
        return f"{int(minutes // 60)} h"
    return "yesterday" if days == 1 else f"{days} days"


def counted(n: int, one: str, many: str | None = None) -> str:
    """A number with its noun."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def people(progress: StudyProgress) -> str:
    """How many people there are, of how many where that is planned."""
    if progress.slots is None:
        return counted(progress.people, "person", "people")
    return f"{progress.people} of {counted(progress.slots, 'person', 'people')}"


DONE_AS = {"annotation": "label", "roleplay": "session", "specification": "project", "clarification": "task"}
"""What of each study kind is counted as done."""
GIVEN_AS = {"annotation": "item", "roleplay": "task", "specification": "project", "clarification": "task"}
"""What participants of each study kind are given."""


def labels(progress: StudyProgress, kind: str) -> str:
    """How many labels, sessions, projects or tasks are done, of how many."""
    planned, what = progress.labels_planned, DONE_AS[kind]
    return f"{progress.labels:,} of {counted(planned, what)}" if planned else f"no {what}s yet"


def states(progress: StudyProgress) -> str:
    """How many people stand where."""
    return " · ".join(f"{n} {state}" for state, n in progress.states.items()) or "nobody yet"


def coverage(progress: StudyProgress, kind: str) -> str:
    """How many items, tasks or projects were done how often."""
    words = {0: "none", 1: "once", 2: "twice"}
    parts = [f"{n:,} {words.get(times, f'{times} times')}" for times, n in progress.coverage.items()]
    over = [] if progress.planned_n is None else [f"{progress.over} over"]
    return f"{GIVEN_AS[kind]}s: " + " · ".join([*parts, *over])


def hidden(progress: StudyProgress, kind: str) -> str:
    """Whether figures may be shown, and until when not."""
    many, one = ("agreement is", "kappa") if kind == "annotation" else ("figures are", "figures")
    if progress.planned_n is None:
        return f"no planned N: {many} shown"
    if progress.reached:
        return f"planned N of {progress.planned_n} reached: {many} shown"
    return f"{one} hidden until {progress.planned_n} completed ({progress.completed} now)"
