"""Exports of clarification studies: tables and views of every seat, run records, and what stays."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.chats import NoDialogues, WordJudge
from support.clarifying import CODE, Speakers, question
from support.memory import TestClock
from support.stations import export_from, table
from support.visits import at, usual, walk

from capa_tui.services import Services
from storage.database import connect
from storage.importing import import_export
from storage.store import Store
from studies.clarification.authors import author_agreement
from studies.clarification.benchmark import read_tasks
from studies.clarification.evaluate import evaluate
from studies.clarification.payloads import VoteCast
from studies.clarification.records import read_records
from studies.conversation import Conversation
from studies.folder import parse
from studies.runner import Visit
from studies.steps import Done, Field, Step

NAME = "clear"
SECRET = "secret of one who refused"
TOML = """\
title = "Clear"
kind = "clarification"
name = "clear"
seed = 3
[[consent]]
id = "take-part"
text = "I take part."
[[consent]]
id = "publish"
text = "It may be published."
required = false
covers = "publication"
[clarification]
seat = "{seat}"
{settings}
{assistants}
"""
TASK = {
    "id": "t1",
    "source": "p1",
    "statement": "Write f.",
    "full_statement": "Write f in metres.",
    "interface": "def f(x)",
    "entry_point": "f",
    "tests": "def check(candidate):\n    assert candidate(1) == 'right'\n",
    "reference": "def f(x):\n    return 'right'\n",
    "script": ["[QUESTION]\nWhich unit?\n[/QUESTION]", CODE],
    "key_questions": [
        {"id": "unit", "question": "In which unit?", "answer": "Metres.", "type": "units", "cues": ["unit"]},
        {"id": "tie", "question": "What in a tie?", "answer": "First.", "cues": ["tie"]},
    ],
    "asked": [
        {"id": "q1", "text": "Which unit?", "run": "r", "turn": 1, "votes": {"unit": [True], "tie": [False]}},
        {"id": "q2", "text": "=colour?", "run": "r", "turn": 2, "hit": False},
    ],
}
JUDGED = '[clarification.judge]\nby = "judge"\nsamples = 2'
ASSISTANTS = (
    '[[assistants]]\nname = "model"\nmodel = "rehearsal"\n[[assistants]]\nname = "judge"\nmodel = "rehearsal"'
)


def files(seat: str, settings: str = "", assistants: str = ASSISTANTS) -> dict[str, bytes]:
    return {
        "study.toml": TOML.format(seat=seat, settings=settings, assistants=assistants).encode(),
        "analysis.toml": b"planned_n = 9\n",
        "consent.md": b"Please.",
        "instructions.md": b"Do it.",
        "debrief.md": b"Thanks.",
        "tasks.jsonl": json.dumps(TASK).encode() + b"\n",
    }


class Lab:
    """A database with one study, and people who come."""

    def __init__(self, path: Path, made: dict[str, bytes]) -> None:
        self.store, self.study = Store.open(path, "s", "test"), parse(made)

    async def play(self, code: str, text: str = "metres", publish: bool = True) -> None:
        """One whole participation: answers with `text`, asks twice, labels with the first key question."""
        record = (await self.store.desk.load(self.study)).record
        seat = await self.store.desk.admit(record, code, pilot=False)
        assert seat.stream
        visit = Visit(
            self.study, await self.store.archive.events(seat.stream), self.store.journal, TestClock()
        )
        speakers = Speakers(model=[question("Which unit?"), CODE], judge=lambda call: call.script[0])
        visit.live = Conversation(visit, speakers, WordJudge(), NoDialogues())
        await visit.begin("test")

        def answer(step: Step, field: Field) -> Any:
            if field.kind == "consent":
                return publish or field.name != "publish"
            if field.name == "matches":
                return [field.options[0].value]
            return usual(step, field)

        asked = 0
        while True:
            step = await walk(visit, lambda one: one.kind == "chat", answer)
            if isinstance(step, Done):
                return
            if step.due:
                await visit.live.advance()
            elif step.chat is not None and step.chat.part == "asker":
                asked += 1
                if asked == 2:
                    await visit.live.end(step, done=True)
                else:
                    await visit.answer(step.ask_id("message"), "Which unit?")
            else:
                await visit.answer(step.ask_id("match"), step.fields[0].options[0].value, walk=True)
                await visit.answer(step.ask_id("message"), text, walk=True)

    async def close(self) -> None:
        await asyncio.to_thread(self.store.close)


async def made(path: Path, seat: str, settings: str = "", assistants: str = ASSISTANTS) -> Path:
    lab = Lab(path, files(seat, settings, assistants))
    await lab.play("one")
    await lab.play("two", SECRET, publish=False)
    await lab.close()
    return path


def rows_of(path: Path, sql: str) -> list[dict[str, Any]]:
    conn = connect(path)
    try:
        found = conn.execute(sql)
        names = [one[0] for one in found.description]
        return [dict(zip(names, row, strict=True)) for row in found]
    finally:
        conn.close()


async def test_an_answerers_tables_belong_together(tmp_path: Path) -> None:
    path = await made(tmp_path / "a.db", "answerer", 'askers = ["model"]\n' + JUDGED)
    out = export_from(path, tmp_path / "out", "jsonl", NAME)
    (session,) = table(out, "sessions")
    assert (session["ending"], session["responses"], session["hits"]) == ("code", 2, ["unit"])
    assert session["passed"] is True
    (first, second) = table(out, "questions")
    assert (first["outcome"], first["gaps"], first["matched_by"]) == ("hit", ["unit"], "judge")
    assert (second["sort"], second["outcome"]) == ("code", None)
    (answer,) = table(out, "answers")
    assert (answer["text"], answer["own_words"], answer["by"]) == ("metres", True, "person")
    assert len(table(out, "votes")) == 4
    assert [one["purpose"] for one in table(out, "turns")] == ["ask", "ask"]
    (verdict,) = table(out, "verdicts")
    assert (verdict["verdict"], verdict["session"]) == ("passed", session["session"])
    assert {one["withheld"] for one in table(out, "participants")} == {None, "publication refused"}
    assert all(SECRET.encode() not in one.read_bytes() for one in out.iterdir())
    manifest = json.loads((out / "manifest.json").read_text())
    assert (manifest["seat"], manifest["unsafe"]) == ("answerer", False)


async def test_views_say_what_the_tables_say(tmp_path: Path) -> None:
    path = await made(tmp_path / "a.db", "answerer", 'askers = ["model"]\n' + JUDGED)
    out = export_from(path, tmp_path / "out", "jsonl", NAME)
    session = table(out, "sessions")[0]["session"]
    for view, columns in {
        "questions": "session item turn sort question form outcome asked_at",
        "answers": "session item turn decision gap text answered_at",
        "votes": "session item turn gap sample text judge total_ms voted_at",
    }.items():
        names = columns.split()
        seen = [one for one in rows_of(path, f"SELECT * FROM {view}") if one["session"] == session]
        told = [[one[name] for name in names] for one in table(out, view)]
        assert [[one[name] for name in names] for one in seen] == told
    (row, other) = rows_of(path, "SELECT * FROM clarifications")
    assert {row["ending"], other["ending"]} == {"code"}


async def test_a_matchers_decisions_and_the_sample(tmp_path: Path) -> None:
    path = await made(tmp_path / "a.db", "matcher", assistants="")
    out = export_from(path, tmp_path / "out", "jsonl", NAME)
    matches = table(out, "matches")
    assert {one["item"] for one in matches} == {"q1", "q2"}
    assert all(one["latest"] and one["matches"] == one["order"][:1] for one in matches)
    asked = {one["item"]: one for one in table(out, "asked")}
    assert (asked["q1"]["stratum"], asked["q1"]["weight"]) == ("yes", 1.0)
    seen = rows_of(path, "SELECT * FROM matches WHERE latest")
    assert len(seen) == 4
    for format in ("csv", "hf"):
        export_from(path, tmp_path / format, format, NAME)
    assert "'=colour?" in (tmp_path / "csv" / "asked.csv").read_text()
    card = (tmp_path / "hf" / "README.md").read_text()
    assert "Seat `matcher`" in card
    assert not (tmp_path / "hf" / "data" / "hidden_tests.jsonl").exists()


async def test_run_records_score_as_the_study_does(tmp_path: Path) -> None:
    for number, (seat, settings) in enumerate(
        (("answerer", 'askers = ["model"]'), ("asker", JUDGED)), start=1
    ):
        path = await made(tmp_path / f"{number}.db", seat, settings)
        out = export_from(path, tmp_path / f"out{number}", "clarifycodebench", NAME)
        runs = read_records("results.jsonl", (out / "results.jsonl").read_bytes(), model="").runs
        assert len(runs) == 1
        store = Store.open(path, "s", "test")
        record = await store.archive.find(NAME)
        study, streams = (
            await store.archive.study(record.sha256),
            await store.archive.streams(record.sha256),
        )
        figures = evaluate(study, streams, ()).groups[0]
        await asyncio.to_thread(store.close)
        assert figures.means["tkqr"].value == pytest.approx(runs[0].tkqr)
        assert figures.means["ora_strict"].value == pytest.approx(runs[0].ora_strict)
        assert runs[0].seat == seat


async def test_an_export_comes_back_and_gives_the_same_bytes(tmp_path: Path) -> None:
    path = await made(tmp_path / "a.db", "asker", JUDGED)
    first = export_from(path, tmp_path / "first", "jsonl", NAME)
    import_export(tmp_path / "b.db", first)
    second = export_from(tmp_path / "b.db", tmp_path / "second", "jsonl", NAME)
    assert {one.name: one.read_bytes() for one in first.iterdir()} == {
        one.name: one.read_bytes() for one in second.iterdir()
    }


async def test_votes_count_towards_what_a_study_has_cost(tmp_path: Path) -> None:
    lab = Lab(tmp_path / "a.db", files("asker", JUDGED))
    await lab.play("one")
    spent = await lab.store.dialogues(lab.study).spent(lab.study.sha256)
    (count,) = (
        rows_of(tmp_path / "a.db", f"SELECT count(*) AS n FROM events WHERE kind = '{VoteCast.kind}'")[0][
            "n"
        ],
    )
    await lab.close()
    assert count == 4
    assert spent == pytest.approx(0.25 * count)


def author_files() -> dict[str, bytes]:
    """Two tasks, one for each of two authors, who check each other's."""
    design = '[design]\nkind = "cyclic"\nparticipants = 2\nitems_each = 1\nraters = 1'
    made = files("author", "", design)
    tasks = [
        {"id": f"t{n}", "source": f"p{n}", "full_statement": f"Write f number {n} in metres."} for n in (1, 2)
    ]
    return {**made, "tasks.jsonl": b"".join(json.dumps(one).encode() + b"\n" for one in tasks)}


def as_author(step: Step, field: Field) -> Any:
    """Two gaps a task; the checker finds the first, sees another type there, and doubts the second."""
    answers = {
        "statement": "Write f.",
        "question": "In which unit?" if step.id.startswith("gap:1") else "What in a tie?",
        "answer": "Metres.",
        "more": "yes" if step.id.startswith("gap:1") else "no",
        "question-1": "Which unit?",
        "found-1": 1,
        "found-2": 0,
        "kept-2": "no",
    }
    types = {
        "gap": "units",
        "compare": "units" if field.name == "type-2" else "edge-cases",
        "settle": "edge-cases",
    }
    if field.name.startswith("type"):
        return types[step.id.split(":")[0]]
    return answers.get(field.name, usual(step, field))


async def test_authored_tasks_come_out_in_the_benchmarks_format_and_go_in_again(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    study = parse(author_files())
    async with Services.open(path) as services:
        await services.desk.load(study)
        for code in ("one", "two", "one", "two"):
            visit = await services.seat(NAME, code)
            await visit.begin("test")
            await walk(visit, at("wait:"), as_author)
            await visit.pause()
            services.rise()
    out = export_from(path, tmp_path / "out", "clarifycodebench", NAME)
    written = [json.loads(line) for line in (out / "ClarifyCodeBench.jsonl").read_text().splitlines()]
    assert len(written) == 2
    assert set(written[0]) == {"task_id", "question_id", "keywords", "modified_content", "qa_pairs"}
    # The first gap stands with the type that was settled; the second was settled to be none.
    assert written[0]["keywords"] == ["Edge Cases"]
    assert [one["question"] for one in written[0]["qa_pairs"]] == ["In which unit?"]
    (back, _) = read_tasks(out / "ClarifyCodeBench.jsonl").tasks
    assert (back.statement, back.gaps, back.key_questions[0].type) == ("Write f.", 1, "edge-cases")
    tables = export_from(path, tmp_path / "tables", "jsonl", NAME)
    assert len(table(tables, "gaps")) == 4
    checks = table(tables, "checks")
    assert [(one["found"], one["settled_type"], one["kept"]) for one in checks[:2]] == [
        (1, "edge-cases", None),
        (0, None, False),
    ]
    assert {one["author"] for one in checks} == {one["participant"] for one in checks}
    store = Store.open(path, "s", "test")
    record = await store.archive.find(NAME)
    streams = await store.archive.streams(record.sha256)
    await asyncio.to_thread(store.close)
    found = author_agreement(study, streams, (), resamples=100).to_json()
    assert (found["gaps_found"]["value"], found["gaps_found"]["gaps"], found["dropped_gaps"]) == (0.5, 4, 2)
    # Types agree on the second gap of each task and differ on the first, before anything was settled.
    assert found["percent_agreement"] == pytest.approx(0.5)
    json.dumps(found)
