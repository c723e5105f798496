"""The figures of clarification runs by group: TKQR, ORA, rounds, Diff, pass@1 and hit rates.

Each is the plain mean over the runs of the group, as in ClarifyCodeBench, or a share of them. A run counts
under each ambiguity type of its task. Seats are never pooled but in the whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import Any, TypeVar, get_args

from studies.clarification.intervals import Unit, few, interval_json, of_mean, of_share, unit_of, units
from studies.clarification.metrics import Ended, Run, Seat, hit_name
from studies.statistics.intervals import Interval

ALWAYS_GAPS = (1, 2, 3)
"""Numbers of key questions whose hit rates the whole always names, as the benchmark has them."""
By = Mapping[str, str | int | None]
"""What the runs of a group have in common; empty for the whole."""
T = TypeVar("T")
NO_RUNS = "no run counts"
NO_TESTS = "no run has a verdict of hidden tests"
MEANS: Mapping[str, tuple[Callable[[Run], float], float, float]] = {
    "tkqr": (lambda one: one.tkqr, 0.0, 1.0),
    "ora": (lambda one: one.ora, 0.0, 1.0),
    "ora_strict": (lambda one: one.ora_strict, 0.0, 1.0),
    "rounds": (lambda one: one.rounds, 0.0, inf),
    "diff": (lambda one: one.diff, -inf, inf),
}
"""Figure -> its value for a run, the least and the greatest value there can be."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure with its interval."""

    value: float | None
    n: int
    """Runs that it is over."""
    interval: Interval | None = None
    undefined_reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one group of runs. Shares from 0 to 1, rounds and Diff in questions."""

    by: By
    runs: int
    tasks: int
    """Different ones."""
    participants: int
    unit: Unit | None
    """What the intervals are over."""
    ended: Mapping[Ended, int]
    means: Mapping[str, Figure]
    """Of the names in `MEANS`."""
    pass_at_1: Figure
    hit_rates: Mapping[str, Figure]
    """By name, such as D3-H2."""
    strict_first: bool
    """A person sat in every run, so ORA strict is the one to report."""
    flags: tuple[str, ...] = ()
    """What the figures must be read with."""

    @property
    def order(self) -> tuple[str, ...]:
        """The means in the order in which they are reported."""
        if self.strict_first:
            return ("tkqr", "ora_strict", "ora", "rounds", "diff")
        return tuple(MEANS)

    @property
    def undefined_reason(self) -> str | None:
        """Why values or intervals are missing, the names of those alike together."""
        if not self.runs:
            return NO_RUNS
        named = {**self.means, "pass_at_1": self.pass_at_1, **self.hit_rates}
        reasons: dict[str, list[str]] = {}
        for name, one in named.items():
            if one.undefined_reason:
                reasons.setdefault(one.undefined_reason, []).append(name)
            elif one.interval and one.interval.undefined_reason:
                reasons.setdefault(one.interval.undefined_reason, []).append(f"{name}_ci")
        return "; ".join(f"{', '.join(names)}: {reason}" for reason, names in reasons.items()) or None

    def to_json(self) -> dict[str, Any]:
        """The contract's keys and, beside them, counts, intervals (`..._ci`) and flags."""
        values: dict[str, Any] = {
            "by": dict(self.by),
            "tasks": self.tasks,
            "runs": self.runs,
            "participants": self.participants,
            "ended": dict(self.ended),
        }
        named = {**{name: self.means[name] for name in self.order}, "pass_at_1": self.pass_at_1}
        values |= {name: one.value for name, one in named.items()}
        values |= {f"{name}_ci": interval_json(one.interval, self.unit) for name, one in named.items()}
        values["pass_at_1_runs"] = self.pass_at_1.n
        values["hit_rates"] = {name: one.value for name, one in self.hit_rates.items()}
        values["hit_rates_runs"] = {name: one.n for name, one in self.hit_rates.items()}
        values["hit_rates_ci"] = {
            name: interval_json(one.interval, self.unit) for name, one in self.hit_rates.items()
        }
        return {**values, "flags": list(self.flags), "undefined_reason": self.undefined_reason}


def groups(runs: Sequence[Run]) -> tuple[Group, ...]:
    """The whole; then by seat; within each seat by type, by model and by number of gaps.

    A model, type or number of gaps that all runs share has its group too, so that a script finds it.
    """
    return tuple(group(by, own) for by, own in partition(runs, lambda one: one))


def partition(made: Sequence[T], run_of: Callable[[T], Run]) -> Iterator[tuple[By, list[T]]]:
    """What `groups` are over, with what each has in common: of runs, or of whatever belongs to a run."""
    yield {}, list(made)
    present = {run_of(one).seat for one in made}
    for seat in (name for name in get_args(Seat) if name in present):
        own = [one for one in made if run_of(one).seat == seat]
        yield {"seat": seat}, own
        types = dict.fromkeys(name for one in own for name in run_of(one).types)
        for name in sorted(types):
            yield {"seat": seat, "type": name}, [one for one in own if name in run_of(one).types]
        for key, value_of in (("model", _model), ("gaps", _gaps)):
            parts: dict[str | int, list[T]] = {}
            for one in own:
                parts.setdefault(value_of(run_of(one)), []).append(one)
            for value in sorted(parts):
                yield {"seat": seat, key: value}, parts[value]


def group(by: By, runs: Sequence[Run]) -> Group:
    """The figures of some runs.

    Args:
        by: what they have in common.
        runs: all of the group; unfinished ones count, as in the benchmark's own scorer.
    """
    unit = unit_of(runs)
    parts = units(runs, unit)
    ended = Counter(one.ended for one in runs)
    means = {
        name: Figure(
            fsum(map(value, runs)) / len(runs) if runs else None,
            len(runs),
            of_mean(parts, value, unit, low, high) if runs else None,
            None if runs else NO_RUNS,
        )
        for name, (value, low, high) in MEANS.items()
    }
    tested = [one for one in runs if one.passed is not None]
    return Group(
        by=by,
        runs=len(runs),
        tasks=len({one.task for one in runs}),
        participants=len({one.participant for one in runs} - {None}),
        unit=unit,
        ended={name: ended[name] for name in get_args(Ended)},
        means=means,
        pass_at_1=_share(tested, lambda one: bool(one.passed), unit, NO_TESTS),
        hit_rates=dict(_hit_rates(by, runs, unit)),
        strict_first=bool(runs) and all(one.seat != "none" for one in runs),
        flags=tuple(_flags(runs, unit)),
    )


def _hit_rates(by: By, runs: Sequence[Run], unit: Unit | None) -> Iterator[tuple[str, Figure]]:
    parts: dict[int, list[Run]] = {} if "gaps" in by else {gaps: [] for gaps in ALWAYS_GAPS}
    for one in runs:
        parts.setdefault(one.gaps, []).append(one)
    for gaps in sorted(parts):
        for hit in range(1, gaps + 1):
            why = f"no task has {gaps} key question" + "s" * (gaps > 1)
            yield hit_name(gaps, hit), _share(parts[gaps], _hits(hit), unit, why)


def _hits(hit: int) -> Callable[[Run], bool]:
    return lambda one: one.key_questions_hit == hit


def _share(runs: Sequence[Run], holds: Callable[[Run], bool], unit: Unit | None, why: str) -> Figure:
    if not runs:
        return Figure(None, 0, None, why)
    return Figure(sum(map(holds, runs)) / len(runs), len(runs), of_share(units(runs, unit), holds, unit))


def _flags(runs: Sequence[Run], unit: Unit | None) -> Iterator[str]:
    if warning := few(runs, unit):
        yield warning
    if len({one.seat for one in runs}) > 1:
        yield "seats are pooled here and apart in the groups that follow"
    if several := sum(one.asked > one.rounds for one in runs):
        yield f"runs that ended on a question: {several}; ORA counts one question fewer than they asked"
    if several := sum(one.ended == "unfinished" for one in runs):
        yield f"unfinished runs, scored like the others: {several}"
    repeats = len(runs) - len({(one.task, one.model, one.seat, one.participant) for one in runs})
    if repeats:
        yield f"runs of a task that the same model had before: {repeats}; each counts"


def _model(one: Run) -> str:
    return one.model


def _gaps(one: Run) -> int:
    return one.gaps
