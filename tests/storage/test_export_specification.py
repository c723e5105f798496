"""Exports of specification studies: tables, sheets, views; and what stays behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.specification_lab import NAME, SECRETS, SpecificationLab, specification_file
from support.stations import bytes_of, export_from, table

from storage.database import connect
from storage.export.spec_sheets import file_name, to_markdown
from storage.importing import import_export
from studies.errors import InputError
from studies.specification import payloads as said
from studies.specification.protocol import projects_of
from studies.specification.sections import CRITERIA, SECTIONS

__all__ = ["specification_file"]


def exported(path: Path, out: Path, format: str = "jsonl", **options: Any) -> Path:
    return export_from(path, out, format, NAME, **options)


# -- tables --------------------------------------------------------------------------------------


def test_tables_tell_one_story(specification_file: Path, tmp_path: Path) -> None:
    out = exported(specification_file, tmp_path / "out")
    sessions = {one["session"]: one for one in table(out, "sessions")}
    finished = [one for one in sessions.values() if one["disposition"] == "finished"]
    assert {(one["task"], one["agent"], one["number"]) for one in finished} == {
        ("checklist", "buddy", 1),
        ("checklist", "plain", 2),
        ("sheet", "plain", 1),
        ("sheet", "buddy", 2),
    }
    for name in ("questions", "answers", "decisions", "votes", "predictions", "spec_sections", "calls"):
        assert {one["session"] for one in table(out, name)} <= sessions.keys()
    asked, answered = table(out, "questions"), table(out, "answers")
    for one in finished:
        mine = [each for each in answered if each["session"] == one["session"]]
        assert len(mine) == one["rounds"] <= one["budget"]
        assert [each["round"] for each in mine] == list(range(1, one["rounds"] + 1))
    texts = {(one["session"], one["round"]): one["options"] for one in asked}
    for one in answered:
        assert set(one["texts"]) <= set(texts[one["session"], one["round"]])
    predicted = [one for one in table(out, "predictions") if one["final"]]
    for one in (each for each in finished if each["task"] == "checklist"):
        mine = [each for each in predicted if each["session"] == one["session"]]
        assert len(mine) == 8
        assert one["right"] == sum(each["right"] is True for each in mine)
        assert one["compared"] == sum(each["right"] is not None for each in mine)
        assert one["compared_not_asked"] == sum(not each["asked"] for each in mine)
        assert one["compared"] - one["compared_not_asked"] == one["rounds"]
    voted = {(one["session"], one["key"], one["simulator"]) for one in table(out, "votes")}
    keys = {(one["session"], one["key"]) for one in table(out, "decisions")}
    assert voted <= {(*one, number) for one in keys for number in (1, 2, 3)}
    assert voted
    assert {one["standing"] for one in table(out, "calls")} == {"valid"}


def test_the_ground_truth_has_its_retest_beside_it(specification_file: Path, tmp_path: Path) -> None:
    out = exported(specification_file, tmp_path / "out")
    whole = next(one["participant"] for one in table(out, "participants") if one["state"] == "completed")
    truth = [one for one in table(out, "truth") if one["participant"] == whole]
    first = {(one["item"], one["field"]) for one in truth if one["phase"] == "truth"}
    again = {(one["item"], one["field"]) for one in truth if one["phase"] == "retest"}
    assert len(first) == 8 + 2 * len(SECTIONS)
    asked = [one["field"] for one in truth if one["item"] == "hall" and one["phase"] == "truth"]
    assert asked[:3] == ["project_overview.want", "project_overview.avoid", "core_features.want"]
    assert again < first
    assert {item for item, _ in again} == {"club", "hall"}


def test_revisions_of_a_sheet_keep_their_author(specification_file: Path, tmp_path: Path) -> None:
    out = exported(specification_file, tmp_path / "out")
    rows = table(out, "spec_sections")
    buddy = {one["session"] for one in table(out, "sessions") if one["agent"] == "buddy"}
    agents = [one for one in rows if one["session"] in buddy]
    persons = [one for one in rows if one["session"] not in buddy]
    told = [(one["revision"], one["author"], one["stage"], one["frozen"]) for one in agents]
    assert set(told) == {(1, "agent", "synthesis", False), (2, "agent", "review", True)}
    assert {one["section"] for one in agents if one["revision"] == 2 and one["changed"]} == {
        one["section"] for one in table(out, "changes")
    }
    told = [(one["revision"], one["author"], one["stage"], one["frozen"]) for one in persons]
    assert set(told) == {(1, "agent", "synthesis", True), (2, "participant", "edit", False)}
    edited = {one["section"]: one for one in persons if one["revision"] == 2}
    assert list(edited) == list(SECTIONS)
    assert edited["core_features"]["text"] == "- Mine.\n# Own"
    assert (edited["core_features"]["rewritten"], edited["core_features"]["statements"]) == (True, [])
    assert edited["project_overview"]["text"] == "", "its only statement was struck"
    for one in rows:
        assert len(one["statements"]) == one["text"].count("- ") or one["rewritten"]
        assert all(each["grounds"] for each in one["statements"])


def test_ratings_are_of_criteria_and_of_requirements(specification_file: Path, tmp_path: Path) -> None:
    out = exported(specification_file, tmp_path / "out")
    ratings = table(out, "ratings")
    for session in {one["session"] for one in ratings}:
        mine = [one for one in ratings if one["session"] == session]
        assert [one["key"] for one in mine if one["sort"] == "criterion"] == list(CRITERIA)
        wanted = [one for one in mine if one["sort"] == "requirement"]
        assert len(wanted) == 2 * len(SECTIONS)
        assert wanted[0]["requirement"] == "Something for project_overview.want."
        assert {one["fared"] for one in wanted} == {"met"}
        assert {one["score"] for one in mine if one["sort"] == "criterion"} == {3}
    (compared,) = table(out, "comparisons")
    assert {compared["left_agent"], compared["right_agent"]} == {"buddy", "plain"}
    assert compared["preferred_agent"] == compared[f"{compared['preferred']}_agent"]


# -- round trip, formats, consent ------------------------------------------------------------------


def test_an_export_comes_back_byte_for_byte(specification_file: Path, tmp_path: Path) -> None:
    out = exported(specification_file, tmp_path / "out")
    import_export(tmp_path / "again.db", out)
    assert bytes_of(exported(tmp_path / "again.db", tmp_path / "again")) == bytes_of(out)


@pytest.mark.parametrize("format", ["jsonl", "csv", "parquet", "hf", "spec-sheets"])
def test_no_format_holds_what_may_not_leave(specification_file: Path, tmp_path: Path, format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    out = exported(specification_file, tmp_path / "out", format)
    everything = b"\n".join(bytes_of(out).values())
    for secret in SECRETS.values():
        assert secret.encode() not in everything
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["withheld"] == {"erased": 1, "publication refused": 1, "withdrawn": 1}
    documented = {one["name"] for one in json.loads((out / "dictionary.json").read_text())["files"]}
    assert documented <= manifest["files"].keys()


def test_label_studio_is_refused_in_words(specification_file: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"label-studio belongs to annotation studies.*spec-sheets"):
        exported(specification_file, tmp_path / "out", "label-studio")


# -- sheets ----------------------------------------------------------------------------------------


def test_every_revision_is_a_document_that_says_what_it_rests_on(
    specification_file: Path, tmp_path: Path
) -> None:
    out = exported(specification_file, tmp_path / "out", "spec-sheets")
    listed = table(out, "sheets")
    assert [(one["agent"], one["stage"]) for one in listed] == [
        ("plain", "synthesis"),
        ("plain", "edit"),
        ("buddy", "synthesis"),
        ("buddy", "review"),
    ]
    for one in listed:
        made = json.loads((out / one["json"]).read_text())
        page = (out / one["markdown"]).read_text()
        assert [each["section"] for each in made["sections"]] == list(SECTIONS)
        assert page.count("\n## ") == len(SECTIONS) + 1, "no text becomes a heading"
        for section in made["sections"]:
            for statement in section["statements"]:
                assert statement["grounds"]
                assert f"- {statement['text']}" in page
    review = json.loads((out / listed[3]["json"]).read_text())
    assert review["review"][0]["why"]
    sorts = {each["sort"] for one in review["sections"] for s in one["statements"] for each in s["grounds"]}
    assert "decision" in sorts
    edit = json.loads((out / listed[1]["json"]).read_text())
    authors = {one["section"]: one["author"] for one in edit["sections"]}
    assert (authors["core_features"], authors["constraints"]) == ("participant", "agent")


def test_names_and_texts_of_others_stay_harmless() -> None:
    ground = {"sort": "decision", "ref": "a_b", "words": "# you said\n<b>so"}
    section = {
        "section": "core_features",
        "title": "Core features",
        "author": "agent",
        "text": "- \x1b[31mred",
        "statements": [{"id": "x", "text": "", "grounds": [ground]}],
    }
    document = {
        "title": "A\n# B\x07",
        "participant": "../../etc",
        "item": "a/../b:c",
        "session": "0123456789abcdef",
        "agent": "plain",
        "revision": 1,
        "stage": "review",
        "author": "agent",
        "frozen": True,
        "sections": [section],
    }
    assert file_name(document) == "etc/a-..-b-c-plain-01234567.1-review"
    page = to_markdown(document)
    assert not any(char < " " and char != "\n" for char in page)
    assert page.startswith("# A # B\\x07\n")
    assert "- Core features, 1: \\# you said \\<b\\>so (decision a\\_b)" in page


# -- views -----------------------------------------------------------------------------------------


def rows_of(path: Path, sql: str) -> list[dict[str, Any]]:
    conn = connect(path)
    try:
        cursor = conn.execute(sql)
        names = [one[0] for one in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]
    finally:
        conn.close()


VIEWS = {
    "interviews": ("sessions", "item number period task agent budget truth ended_by started_at frozen_at"),
    "questions": ("questions", "session item round sort key question options single why asked_at"),
    "answers": ("answers", "session item round picked own_words unknown active_ms answered_at"),
    "proposals": ("proposals", "item text active_ms locked_at"),
    "ground_truth": ("truth", "item phase field value revision answered_at"),
    "predictions": ("predictions", "session item rounds final key predicted"),
    "ratings": ("ratings", "session item rater sort key score fared reason rated_at"),
    "comparisons": ("comparisons", "item rater left right preferred reason compared_at"),
    "calls": (
        "calls",
        "session call attempt standing answer dropped saw cost total_ms prompt_sha256 called_at",
    ),
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_say_what_the_tables_say(specification_file: Path, tmp_path: Path, view: str) -> None:
    name, columns = VIEWS[view]
    out = exported(specification_file, tmp_path / "out")
    # One who refused publication is in the database, and so in the views, but not in the tables.
    begun = {
        one["opened_at"]: one["participant"] for one in table(out, "participants") if not one["withheld"]
    }
    people = {
        one["participant"]
        for one in rows_of(specification_file, "SELECT * FROM participations")
        if one["opened_at"] in begun
    }
    seen = [
        one for one in rows_of(specification_file, f"SELECT * FROM {view}") if one["participant"] in people
    ]
    names = columns.split()
    assert seen
    assert sorted(_comparable(one, names) for one in seen) == sorted(
        _comparable(one, names) for one in table(out, name)
    )


def _comparable(row: dict[str, Any], names: list[str]) -> str:
    read = (
        json.loads(v) if isinstance(v := row[one], str) and v[:1] in "[{" and v else row[one] for one in names
    )
    return str([bool(v) if v in (0, 1) and not isinstance(v, str) else v for v in read])


def test_the_view_of_sections_has_the_frozen_and_the_edited_sheet(
    specification_file: Path, tmp_path: Path
) -> None:
    columns = ("session", "author", "frozen", "section", "text")
    tidy = [one for one in table(exported(specification_file, tmp_path / "out"), "spec_sections")]
    wanted = {tuple(one[name] for name in columns) for one in tidy if one["frozen"] or one["stage"] == "edit"}
    seen = rows_of(specification_file, "SELECT * FROM spec_sections")
    assert {tuple(one[name] for name in columns) for one in seen} == wanted
    assert len(seen) == 3 * len(SECTIONS)


AWKWARD = "NUL \0 and \ud800 alone"


async def test_awkward_words_and_judges_are_in_tables_views_and_sheets(tmp_path: Path) -> None:
    async with SpecificationLab(tmp_path / "a.db") as lab:
        answers = {
            "proposal": AWKWARD,
            "core_features": AWKWARD,
            "reason": "=1+1",
            "coverage.reason": AWKWARD,
        }
        visit = await lab.play("one", answers=answers)
        sessions = [one.id for one in projects_of(visit.state).sessions if one.frozen]
        reasons = dict.fromkeys(CRITERIA, AWKWARD)
        scores = {name: place for place, name in enumerate(CRITERIA, start=1)}
        fates = {"constraints.want.1": "absent"}
        await visit.store(
            said.SheetJudged(sessions[0], "hall", "panel", "big", scores, reasons, fates),
            said.SheetJudged(sessions[1], "hall", "panel", "big", None, {}, {}, "It said nothing."),
            said.PairJudged("hall", "panel", "big", *sessions, None, "", "It said nothing."),
        )
    path = tmp_path / "a.db"
    out = exported(path, tmp_path / "out")
    judged = [one for one in table(out, "ratings") if one["rater"] == "panel"]
    assert [one["score"] for one in judged] == [1, 2, 3, 4, 5, None, *[None] * 5]
    assert [one["fared"] for one in judged if one["sort"] == "requirement"] == ["absent"]
    assert {one["trouble"] for one in judged if one["session"] == sessions[1]} == {"It said nothing."}
    assert table(out, "comparisons")[-1]["preferred_agent"] is None
    assert table(out, "proposals")[0]["text"] == AWKWARD
    seen = rows_of(path, "SELECT * FROM ratings WHERE rater = 'panel' ORDER BY session, sort, score")
    assert sorted(one["score"] or 0 for one in seen) == [0, 1, 2, 3, 4, 5]
    assert {json.loads(one["reason"]) for one in seen if one["sort"] == "criterion"} == {AWKWARD}
    (own,) = rows_of(
        path, "SELECT * FROM spec_sections WHERE author <> 'agent' AND section = 'core_features'"
    )
    assert json.loads(own["text"]) == AWKWARD
    assert json.loads(rows_of(path, "SELECT text FROM proposals")[0]["text"]) == AWKWARD
    assert b",'=1+1," in exported(path, tmp_path / "csv", "csv").joinpath("comparisons.csv").read_bytes()
    pages = [one.read_text() for one in exported(path, tmp_path / "md", "spec-sheets").glob("*/*edit.md")]
    assert "NUL \\x00 and \\ud800 alone" in pages[0]
