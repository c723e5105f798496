"""Blind coding, whole: people take part, an export becomes a study for coders, their view is evaluated."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from support import clarification_folders, roleplay_folders
from support.chats import ASK, PASS, WordJudge
from support.labs import rows, take_part
from support.roleplay_lab import Says
from support.visits import usual, walk

from capa_tui.cli import main
from capa_tui.services import Services
from studies.coding import ABSENT, UNDECIDED, own_texts, read_coding
from studies.conversation import Conversation
from studies.desk import ParticipationErased
from studies.errors import InputError
from studies.events import Chain
from studies.roleplay.protocol import sessions_of
from studies.steps import Done, Field, Step
from studies.study import Study

PUBLISH = (
    '[[consent]]\nid = "publish"\ntext = "It may be published."\ncovers = "publication"\nrequired = false\n'
)
QUESTIONS = ("Which unit?", "Do broken ones count?")
GAPS = dict(zip(QUESTIONS, ("unit", "broken"), strict=True))
ANSWERS = {
    "ada": ("Metres, and no broken ones.", "No, leave them out."),
    "ben": ("Metres.", "As you like."),
    "cleo": ("Secret metres.", "Secretly, no."),
}
FACTS = [
    {"id": "a", "text": "The result is lower case.", "status": "withheld", "how": "DCP"},
    {"id": "b", "text": "Lines end with a semicolon.", "status": "withheld", "how": "HCO"},
    {"id": "c", "text": "It takes a text.", "status": "open"},
]
SAID = {
    ("ada", "none"): ("Small letters!", "Small letters; semicolons."),
    ("ada", "same-user"): ("Do it.", "Semicolons."),
    ("ben", "none"): ("Perhaps small?", "Well."),
    ("ben", "same-user"): ("A text goes in.", "Small ones."),
}
"""What a person says in a held-out session of a condition, turn by turn."""
Views = Mapping[str, tuple[Sequence[str], Sequence[str]]]
"""By text: what the first coder and the second say that it gives away."""


def written(folder: Path, files: Mapping[str, bytes]) -> Path:
    folder.mkdir()
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    capsys.readouterr()
    assert main(argv) == 0, capsys.readouterr().err
    out = capsys.readouterr().out
    return json.loads(out) if "--json" in argv else out


def refused(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    capsys.readouterr()
    assert main(argv) == 2
    return capsys.readouterr().err


def coded(db: Path, export: Path, views: Views, capsys: pytest.CaptureFixture[str]) -> Path:
    """From the export to a study that two coders have completed; its folder."""
    folder = export.parent / "coding"
    run(capsys, "new", str(folder), "--kind", "clarification", "--seat", "matcher", "--from", str(export))
    assert run(capsys, "check", str(folder), "--json")["problems"] == []
    run(capsys, "load", str(folder), "--db", str(db))
    shown: list[str] = []

    def view(coder: int) -> Any:
        def answer(step: Step, field: Field) -> Any:
            if field.name != "matches":
                return usual(step, field)
            assert step.material is not None
            shown.append(repr(step))
            return list(views[step.material.request][coder])

        return answer

    for coder, name in enumerate(("x", "y")):
        assert take_part(db, "coding", name, view(coder)) == "completed"
    assert len(shown) == 2 * len(views)
    return folder


def is_blind(folder: Path, export: Path, *more: str) -> None:
    """Nothing in the folder tells whose a text is, or how its session went."""
    tasks = (folder / "tasks.jsonl").read_text("utf-8")
    for line in map(json.loads, tasks.splitlines()):
        assert set(line) <= {"id", "statement", "interface", "key_questions", "asked"}
        assert all(set(one) == {"id", "text"} for one in line["asked"])
        assert [one["id"] for one in line["asked"]] == sorted(one["id"] for one in line["asked"])
    sessions = rows(export / "sessions.jsonl")
    secrets = {one[key] for one in sessions for key in ("session", "participant", "assistant", "model")}
    # The codebook is the program's own.
    everything = "".join(one.read_text("utf-8") for one in folder.iterdir() if one.name != "codebook.toml")
    assert [one for one in (*secrets, *more) if one in everything] == []


# -- answers -----------------------------------------------------------------------------------


def answerers(folder: Path) -> Path:
    """One task in which an assistant asks for both gaps, whoever answers."""
    script = [f"[QUESTION]\n{one}\n[/QUESTION]" for one in QUESTIONS]
    task = clarification_folders.row(1, cases=[], reference="", script=[*script, "[CODE]\nprint(3)\n[/CODE]"])
    study = clarification_folders.study().replace("[[assistants]]", f"{PUBLISH}\n[[assistants]]", 1)
    return written(folder, clarification_folders.folder(study, tasks=[task]))


def answer_all(db: Path, code: str, *, pilot: bool = False) -> None:
    async def play() -> None:
        async with Services.open(db) as services:
            visit = await services.seat("small", code, pilot=pilot)
            await visit.begin("test")
            assert visit.live is not None
            agreed = {"publish": code != "cleo"}
            while not isinstance(step := await walk(visit, lambda one: one.kind == "chat", agreed), Done):
                if step.due:
                    await visit.live.advance()
                    continue
                assert step.material is not None
                place = QUESTIONS.index(step.material.request)
                await visit.answer(step.ask_id("match"), GAPS[QUESTIONS[place]], walk=True)
                await visit.answer(step.ask_id("message"), ANSWERS[code][place], walk=True)

    asyncio.run(play())


def test_answers_are_coded_and_what_was_volunteered_counts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    db, export = tmp_path / "lab.db", tmp_path / "out"
    run(capsys, "load", str(answerers(tmp_path / "small")), "--db", str(db))
    for code in ANSWERS:
        answer_all(db, code)
    answer_all(db, "ada", pilot=True)
    before = run(capsys, "evaluate", "small", "--db", str(db), "--json")
    assert before["volunteered"] is None
    assert (
        "new DIR --kind clarification --seat matcher --from EXPORT" in before["volunteered_undefined_reason"]
    )
    run(capsys, "export", "small", "--format", "jsonl", "--out", str(export), "--db", str(db))
    views = {
        "Metres, and no broken ones.": (["unit", "broken"], ["unit", "broken"]),
        "No, leave them out.": (["broken"], ["broken"]),
        "Metres.": (["unit"], ["unit", "broken"]),
        "As you like.": ([], ["broken"]),
    }
    folder = coded(db, export, views, capsys)
    is_blind(folder, export, "Secret", "helper", '"hit"')
    found = run(capsys, "evaluate", "small", "--coded", "coding", "--db", str(db), "--json")
    told = found["volunteered"]
    assert found["volunteered_undefined_reason"] is None
    coding = told["coding"]
    # Cleo refused publication, so her two answers were never there to be coded.
    assert (coding["study"], coding["coders"], coding["texts"], coding["coded"]) == ("coding@1", 2, 6, 4)
    assert {one["reason"] for one in coding["not_coded"]} == {ABSENT}
    # Six of eight pairs agree; 10 of 16 decisions are yes: 1 - 0.25 / (1 - 0.53125).
    assert coding["agreement"]["kappa"]["value"] == pytest.approx(1 - 0.25 / 0.46875)
    whole = told["groups"][0]
    assert (whole["by"], whole["sessions"], whole["participants"]) == ({}, 3, 3)

    def value(name: str, rule: str) -> tuple[float, int]:
        return whole[name][rule]["value"], whole[name][rule]["n"]

    assert (value("per_answer", "both"), value("per_answer", "either")) == ((1 / 4, 4), (2 / 4, 4))
    assert (value("per_session", "both"), value("per_session", "either")) == ((1 / 2, 2), (1.0, 2))
    assert (value("given_when_asked", "both"), value("given_when_asked", "either")) == ((3 / 4, 4), (1.0, 4))
    assert (whole["per_answer"]["both"]["ci"], whole["per_answer"]["both"]["undefined_reason"]) == (
        None,
        "too few participants",
    )
    assert {"seat": "answerer", "model": "helper"} in [one["by"] for one in told["groups"]]
    text = run(capsys, "evaluate", "small", "--coded", "coding", "--db", str(db))
    assert "coded in coding@1 by 2 of 2 coders, 4 of 6 texts" in text
    assert f"not coded, in no figure of this part: 2 texts, {ABSENT}" in text

    # Another version of the same study, and a study that codes nothing.
    settings = tmp_path / "small" / "study.toml"
    settings.write_text(settings.read_text().replace("A small study", "Another study"))
    run(capsys, "load", str(settings.parent), "--db", str(db))
    coding_of = ["evaluate", "small", "--coded"]
    assert "codes what was written in the version" in refused(capsys, *coding_of, "coding", "--db", str(db))
    assert "is no coding study" in refused(capsys, *coding_of, "small@1", "--db", str(db))


# -- messages ----------------------------------------------------------------------------------


def players(folder: Path) -> Path:
    """One cell: a history task, and two held-out tasks that each person opens in their own words."""
    study = roleplay_folders.STUDY + roleplay_folders.SETTINGS + 'opening = "free"\n'
    tasks = roleplay_folders.cell(facts=FACTS)
    return written(folder, roleplay_folders.folder(study=study, tasks=tasks))


def speak(db: Path, code: str) -> None:
    """A visit in which the assistant asks once in each held-out session, and is right after that."""

    async def play() -> None:
        async with Services.open(db) as services:
            visit = await services.seat("small", code)
            study = visit.study
            visit.live = Conversation(
                visit, Says(PASS, ASK, PASS, ASK, PASS), WordJudge(), services.store.dialogues(study)
            )
            await visit.begin("test")
            while not isinstance(step := await walk(visit, lambda one: one.kind == "chat"), Done):
                session = sessions_of(visit.state).of(step.about or "")
                assert session is not None
                assert step.chat is not None
                said = ("Of the history.",)
                if session.part == "held_out":
                    said = SAID[code, session.condition]
                await visit.answer(step.ask_id("message"), said[step.chat.turn - 1])
                await visit.live.advance()

    asyncio.run(play())


def test_messages_are_coded_and_leaks_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db, export = tmp_path / "lab.db", tmp_path / "out"
    run(capsys, "load", str(players(tmp_path / "small")), "--db", str(db))
    for code in ("ada", "ben"):
        speak(db, code)
    before = run(capsys, "evaluate", "small", "--db", str(db), "--json")
    assert {one["rate"] for one in before["leakage"]} == {None}
    assert "evaluate STUDY --coded CODING" in before["leakage"][0]["undefined_reason"]
    assert before["revealed"] is None
    run(capsys, "export", "small", "--format", "jsonl", "--out", str(export), "--db", str(db))
    views = {
        "Small letters!": (["a"], ["a"]),
        "Small letters; semicolons.": (["a", "b"], ["a", "b"]),
        "Do it.": ([], []),
        "Semicolons.": (["b"], ["b"]),
        "Perhaps small?": (["a"], []),
        "Well.": ([], []),
        "A text goes in.": (["c"], ["c"]),
        "Small ones.": (["a"], ["a", "c"]),
    }
    folder = coded(db, export, views, capsys)
    is_blind(folder, export, "Of the history.", "same-user", "withheld", ASK)
    found = run(capsys, "evaluate", "small", "--coded", "coding", "--db", str(db), "--json")
    assert found["coding"]["coded"] == found["coding"]["texts"] == 8
    leakage = {one["by"]["condition"]: one for one in found["leakage"]}
    assert [(leakage[one]["leaked"], leakage[one]["rate"]) for one in ("none", "same-user")] == [
        (1, 0.5),
        (0, 0.0),
    ]
    assert (leakage["none"]["either"]["value"], leakage["same-user"]["either"]["value"]) == (1.0, 0.0)
    assert found["leakage_flags"] == []

    def revealed(name: str, turn: int | None, rule: str = "both", by: Any = None) -> Any:
        (row,) = [one for one in found["revealed"] if (one["by"], one["turn"]) == (by or {}, turn)]
        return row[name][rule]["value"]

    # Of the four sessions: different withheld facts 2, 1, 0, 1 in all; 1, 0, 0, 0 and 2, 1, 0, 1 by turn.
    assert [revealed("withheld", turn) for turn in (None, 1, 2)] == [1.0, 0.25, 1.0]
    assert [revealed("open", turn) for turn in (None, 1, 2)] == [0.25, 0.25, 0.0]
    assert (revealed("withheld", 1, "either"), revealed("open", 2, "either")) == (0.5, 0.25)
    assert revealed("withheld", None, by={"condition": "none"}) == 1.0
    (run_without,) = [one for one in found["sensitivity"] if "first own message" in one["name"]]
    assert run_without["groups"][0]["sessions"] == found["groups"][0]["sessions"] - 1 == 3
    text = run(capsys, "evaluate", "small", "--coded", "coding", "--db", str(db))
    assert "condition none" in text
    assert "coded in coding@1 by 2 of 2 coders, 8 of 8 texts" in text
    asyncio.run(other_exports_are_refused(db))


async def other_exports_are_refused(db: Path) -> None:
    async with Services.open(db) as services:
        archive = services.archive

        async def all_of(name: str) -> tuple[Study, Any, Any]:
            record = await archive.find(name)
            one = record.sha256
            return await archive.study(one), await archive.streams(one), await archive.desk(one)

        study, streams, _ = await all_of("small")
        coding, coders, desk = await all_of("coding")
    with pytest.raises(InputError, match="made from another export: 8 of its 8 texts"):
        read_coding(study, {}, [], coding, coders, desk, name="coding")
    # One person was erased after the export, and one coder has not come yet.
    gone, *left = streams
    erased = [Chain("desk").make(ParticipationErased(study.sha256, gone, ""), "2026-03-01T09:00:00.000Z")]
    kept = {one: streams[one] for one in left}
    first = dict([next(iter(coders.items()))])
    found = read_coding(study, kept, erased, coding, first, desk, name="coding")
    assert found.coders == 1
    # The first text of hers is of the history task, which no figure is over.
    history, *others = own_texts(kept[left[0]])
    assert [one.reason for one in found.over([history, *others]).not_coded] == [ABSENT] + [UNDECIDED] * 4


# -- what is no export to be coded -------------------------------------------------------------


def test_only_texts_of_participants_are_coded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    db = tmp_path / "lab.db"
    run(capsys, "load", str(answerers(tmp_path / "small")), "--db", str(db))
    out = {name: str(tmp_path / name) for name in ("jsonl", "csv")}
    for name, place in out.items():
        run(capsys, "export", "small", "--format", name, "--out", place, "--db", str(db))
    made = ["new", str(tmp_path / "coding"), "--kind", "clarification", "--from"]
    assert "holds no answers" in refused(capsys, *made, out["jsonl"])
    assert "in the format 'csv'" in refused(capsys, *made, out["csv"])
    assert "not for the seat asker" in refused(capsys, *made, out["jsonl"], "--seat", "asker")
    assert "--tasks goes with run records" in refused(capsys, *made, out["jsonl"], "--tasks", "t.jsonl")
    answers = tmp_path / "jsonl" / "answers.jsonl"
    answers.write_text('{"session": "s", "turn": "one"}\n')
    assert "answers.jsonl:1 turn: 'one'" in refused(capsys, *made, out["jsonl"])
    assert not (tmp_path / "coding").exists()
    assert "--coded goes with a study" in refused(capsys, "evaluate", "--records", "r.jsonl", "--coded", "c")
