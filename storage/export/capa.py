"""CAPA trajectories: one object a user, with the history and the held-out sessions; hidden tests apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from storage.export.canonical import lines, rows
from storage.export.dataset import Dataset
from storage.export.staging import Staging
from studies.ports import Exporting
from studies.roleplay.rows import (
    HIDDEN_TESTS,
    MATERIALS,
    PROFILES,
    SESSIONS,
    SHIPPED,
    TURNS,
    VERDICTS,
    SessionRow,
    TaskRow,
    TurnRow,
    VerdictRow,
)
from studies.rows import PARTICIPANTS, ParticipantRow

TRAJECTORIES = "trajectories.jsonl"
CONVENTIONS = (
    "JSON Lines, ASCII with escapes. A user is one person as one profile with one pair of mechanisms (CAPA's "
    "cell). `history` holds the sessions that were frozen as this user's history, in order; "
    "`other_history` those that were played for it and did not become part of it; `held_out` those that "
    "outcome figures are over. A `dialogue` is public: requests and the replies that used a turn up. What "
    "an assistant may not be shown stands beside it: `facts` and `resolution` of the task, `verdicts`, "
    "`outcome`. Hidden tests and references are in hidden_tests.jsonl only; no detail of a verdict, which "
    "can quote a test, is in the trajectories."
)
OUTCOME = ("disposition", "solved", "solved_at", "turns", "questions", "submissions", "declared")


def write(data: Dataset, out: Staging, how: Exporting) -> str:
    """Write the trajectories, the hidden tests, and the sessions that came with the study."""
    made = list(trajectories(data))
    out.write(TRAJECTORIES, lines(made), about="One line a user.", rows=len(made))
    for filled in data.tables:
        if filled.table is HIDDEN_TESTS or (filled.table is SHIPPED and filled.rows):
            out.write(
                f"{filled.table.name}.jsonl",
                lines(rows(filled)),
                about=filled.table.description,
                rows=len(filled.rows),
                columns=filled.table.columns,
            )
    return CONVENTIONS


def trajectories(data: Dataset) -> Iterator[dict[str, Any]]:
    """The users, by participant and in the order they were played."""
    tasks: Mapping[str, TaskRow] = {one.item: one for one in data.rows(MATERIALS)}
    profiles = {one.profile: one for one in data.rows(PROFILES)}
    turns = _by_session(data.rows(TURNS))
    verdicts = _by_session(data.rows(VERDICTS))
    people: Mapping[str, ParticipantRow] = {one.participant: one for one in data.rows(PARTICIPANTS)}
    users: dict[tuple[str, str, tuple[str, ...]], list[SessionRow]] = {}
    for one in data.rows(SESSIONS):
        users.setdefault((one.participant, one.profile, tuple(sorted(one.mechanisms))), []).append(one)
    for (participant, profile, pair), played in users.items():
        person = people[participant]

        def told(wanted: Sequence[SessionRow]) -> list[dict[str, Any]]:
            return [
                _session(one, tasks[one.item], turns.get(one.session, ()), verdicts.get(one.session, ()))
                for one in wanted
            ]

        yield {
            "user": f"{participant}/{profile}/{'+'.join(pair)}",
            "participant": participant,
            "state": person.state,
            "pilot": person.pilot,
            "counted": person.counted,
            "profile": PROFILES.values(profiles[profile]),
            "mechanisms": list(pair),
            "history": told([one for one in played if one.in_history]),
            "other_history": told([one for one in played if one.part != "held_out" and not one.in_history]),
            "held_out": told([one for one in played if one.part == "held_out"]),
        }


def _by_session(given: Sequence[Any]) -> Mapping[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for one in given:
        found.setdefault(one.session, []).append(one)
    return found


def _session(
    row: SessionRow, task: TaskRow, turns: Sequence[TurnRow], verdicts: Sequence[VerdictRow]
) -> dict[str, Any]:
    values = SESSIONS.values(row)
    return {
        "session": row.session,
        "task": row.item,
        "source_task": task.source_task,
        "part": row.part,
        "condition": row.condition,
        "shown_as_history": values["shown_as_history"],
        "assistant": row.assistant,
        "model": row.model,
        "models_served": values["models_served"],
        "difficulty": row.difficulty,
        "interface": task.interface,
        "entry_point": task.entry_point,
        "resolution": task.resolution,
        "facts": MATERIALS.values(task)["facts"],
        "dialogue": list(_dialogue(turns)),
        "verdicts": [
            {"turn": one.turn, "submission": one.submission, "verdict": one.verdict, "code": one.code}
            for one in verdicts
        ],
        "outcome": {name: values[name] for name in OUTCOME},
        "participant_ms": row.participant_ms,
        "model_ms": row.model_ms,
        "started_at": row.started_at,
        "ended_at": row.ended_at,
    }


def _dialogue(turns: Sequence[TurnRow]) -> Iterator[dict[str, Any]]:
    for one in turns:
        if one.status in ("complete", "stopped"):
            yield {"role": "user", "turn": one.turn, "text": one.request}
            yield {"role": "assistant", "turn": one.turn, "text": one.reply}
