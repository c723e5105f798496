"""`evaluate --records`: the figures of run records, whoever wrote them."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from capa_tui import report
from studies.errors import InputError

if TYPE_CHECKING:
    from studies.clarification.figures import Figure, Group
    from studies.clarification.scoring import Scored

HEADINGS = {"tkqr": "TKQR", "ora": "ORA", "ora_strict": "ORA strict", "rounds": "rounds", "diff": "Diff"}


def evaluate_records(arguments: Namespace) -> int:
    """`capa-tui evaluate --records FILE`: scored without a database; nothing is recorded."""
    from studies.clarification.records import read_labels
    from studies.clarification.scoring import score

    labels = read_labels(arguments.tasks, _bytes(arguments.tasks)) if arguments.tasks else None
    scored = score([(name, _bytes(name)) for name in arguments.records], labels)
    if arguments.json:
        report.emit(scored.to_json())
    else:
        _print(scored)
    return 0


def _bytes(name: str) -> bytes:
    try:
        return Path(name).read_bytes()
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error


def _print(scored: Scored) -> None:
    print_groups(scored.groups)
    for flag in (*scored.flags, *scored.groups[0].flags):
        report.line(f"note: {flag}")


def print_groups(groups: Sequence[Group]) -> None:
    """The groups as a table, then the hit rates of the whole; the first group is the whole."""
    order = groups[0].order
    report.table(
        ("group", "tasks", "runs", *(HEADINGS[name] for name in order), "pass@1", "95% of TKQR"),
        [
            (
                ", ".join(f"{key} {value}" for key, value in one.by.items()) or "all",
                one.tasks,
                one.runs,
                *(one.means[name].value for name in order),
                one.pass_at_1.value,
                _interval(one.means["tkqr"]),
            )
            for one in groups
        ],
    )
    rates = [(name, one.value, one.n) for name, one in groups[0].hit_rates.items()]
    report.line("")
    report.table(("hit rate", "share", "runs"), rates)
    if groups[0].unit:
        report.line(f"note: intervals are over {groups[0].unit}")


def _interval(one: Figure) -> str:
    if one.interval is None or one.interval.low is None:
        return (
            one.undefined_reason or (one.interval.undefined_reason if one.interval else None) or "undefined"
        )
    return f"{one.interval.low:.4f} to {one.interval.high:.4f}"
