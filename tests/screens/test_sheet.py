"""The sheet in the person's hands: strike, rewrite, accept, refuse, take a copy along, go on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from screens import copying
from screens.sheet import SheetScreen
from screens.sheet_copy import copies, file_name, write_copies
from screens.sheet_rows import NOTHING, TEXT, ground_in_words, rows_of, standing_of
from screens.sheet_words import about_row, entry_of
from screens.widgets.entries import Entries
from studies.specification import payloads as said
from studies.specification.editing import sheet_view
from studies.specification.sheet import Change, Ground, Sheet, Statement
from studies.specification.views import SheetView

Make = Callable[..., Any]
FEATURES = "core_features"


def statement(n: int, text: str, *grounds: Ground) -> Statement:
    return Statement(f"{FEATURES}-{n}", text, grounds)


OLD, NEW, FIRST, GONE = (
    statement(2, "Votes close"),
    statement(3, "Votes close after a week"),
    statement(1, "Members [b]suggest[/b] \x1b[2J books", Ground("proposal", "2")),
    statement(4, "It sends letters"),
)
SHEET = Sheet(
    {FEATURES: (FIRST, NEW)},
    (
        Change("review-1", FEATURES, "operational_detail", "When?", (OLD,), (NEW,)),
        Change("review-2", FEATURES, "scope_creep", "Nobody asked.", (GONE,), ()),
    ),
)


def view(**answers: Any) -> SheetView:
    named = {name.replace("review_", "review-"): value for name, value in answers.items()}
    return sheet_view("Book [club] / list", SHEET, named)


def rows(shown: SheetView, **verdicts: Any) -> list[tuple[str, bool]]:
    said_so = {name.replace("review_", "review-"): value for name, value in verdicts.items()}
    return [(one.key, one.struck) for one in rows_of(shown, FEATURES, said_so)]


# -- rows ------------------------------------------------------------------------------------


def test_changes_stand_where_they_were_made() -> None:
    assert [key for key, _ in rows(view())] == [FIRST.id, "review-1", NEW.id, "review-2"]
    refused = rows(view(review_1="refuse", review_2="refuse"), review_1="refuse", review_2="refuse")
    assert [key for key, _ in refused] == [FIRST.id, "review-1", OLD.id, "review-2", GONE.id]
    assert (FIRST.id, True) in rows(view(struck=(FIRST.id,)))
    assert [key for key, _ in rows(view(**{FEATURES: "mine"}))] == ["review-1", "review-2", TEXT]
    assert [one.key for one in rows_of(view(), "constraints", {})] == [NOTHING]


def test_how_far_a_section_is_said_in_words() -> None:
    assert standing_of(view(), FEATURES, {}, False) == "2 to decide"
    assert standing_of(view(), "constraints", {}, False) == "drafted"
    done = {"review-1": "accept", "review-2": "accept"}
    assert standing_of(view(struck=(NEW.id,)), FEATURES, done, False) == "reviewed · 1 struck"
    assert standing_of(view(**{FEATURES: "mine"}), FEATURES, done, True) == "yours · unfinished"


def test_what_a_row_rests_on_is_told_and_is_data() -> None:
    first, review, *_ = rows_of(view(), FEATURES, {})
    assert "your proposal, sentence 2" in about_row(first, {}).plain
    told = about_row(review, {}).plain
    assert "too vague" in told and "Before: Votes close" in told and "After: Votes close after a week" in told
    assert "[b]suggest[/b]" in entry_of(first, {}).lines[0].text
    assert ground_in_words(Ground("agent", words="because")) == "because"


# -- copies ----------------------------------------------------------------------------------


def test_a_copy_holds_the_sheet_as_it_is_now() -> None:
    made = copies(view(review_1="refuse", user_experience="# calm"))
    assert "- Votes close\n" in made[".md"]
    assert "\\# calm" in made[".md"]
    sections = {one["section"]: one for one in json.loads(made[".json"])["sections"]}
    assert len(sections) == 9
    assert sections["user_experience"]["written_by"] == "you"
    statements = sections[FEATURES]["statements"]
    assert [one["text"] for one in statements] == [FIRST.text, OLD.text]
    assert statements[0]["rests_on"] == ["your proposal, sentence 2"]


def test_copies_replace_nothing(tmp_path: Path) -> None:
    texts = {".md": "one", ".json": "{}"}
    assert [one.name for one in write_copies(tmp_path / "new", "a", texts)] == ["a.md", "a.json"]
    (tmp_path / "new" / "a-2.json").write_text("there")
    assert [one.name for one in write_copies(tmp_path / "new", "a", texts)] == ["a-3.md", "a-3.json"]
    assert (tmp_path / "new" / "a-2.json").read_text() == "there"
    assert file_name("../../etc: [Book] Club!") == "etc-book-club"
    assert file_name("\x1b") == "sheet"


# -- the screen ------------------------------------------------------------------------------


@pytest.fixture
async def seat(spec_seat: Make) -> Any:
    """A chair before a sheet that Buddy wrote, with one change of its review."""
    return await spec_seat().go("edit")


def screen_of(at: Any) -> SheetScreen:
    assert isinstance(at.screen, SheetScreen)
    return at.screen


async def test_a_change_is_refused_and_accepted_and_saved_at_once(seat: Any) -> None:
    at = seat
    async with at.sit():
        change = screen_of(at).view.changes[0]
        assert "1 change of the review is to be decided" in at.says
        await at.press("enter")
        assert "Still open" in at.says
        await at.press("n")
        assert at.answered(change.id) == ["refuse"]
        assert "refused" in at.text
        assert change.after[0].text not in screen_of(at).view.texts[change.section]
        await at.click("#accept")
        assert at.answered(change.id) == ["refuse", "accept"]
        assert "saved" in at.text


async def test_statements_are_struck_and_taken_back(seat: Any) -> None:
    at = seat
    async with at.sit():
        await at.press("up", "x")
        screen = screen_of(at)
        struck = screen.view.struck
        assert len(struck) == 1
        assert "1 struck" in at.text
        await at.click("#strike")
        assert list(at.answered("struck")[-1]) == []
        await at.press("left", "home")
        assert screen.query_one("#sections", Entries).has_focus
        assert "Project overview" in str(screen.query_one("#statements-pane").border_title)


async def test_a_section_is_rewritten_and_given_back(seat: Any) -> None:
    at = seat
    async with at.sit():
        await at.press("left", "home", "e")
        assert "in your words" in at.text
        await at.press(*"My own. [/]")
        await at.press("escape")
        assert "unfinished" in at.text
        assert screen_of(at).view.written == {}
    async with at.sit():
        # The draft is there when somebody comes back.
        await at.press("left", "home", "e", "ctrl+s")
        written = at.answered("project_overview")[-1]
        assert written.startswith("My own. [/]")
        assert "in your own words" in at.text
        assert "yours" in at.text
        await at.press("u")
        assert "Take your own text back?" in at.text
        await at.press("up", "enter")
        assert screen_of(at).view.written == {}


async def test_going_on_says_what_is_left(seat: Any) -> None:
    at = seat
    async with at.sit():
        await at.press("y", "left", "home", "e", "k", "escape", "f8")
        assert "Done with the sheet?" in at.text
        assert "Project overview is not taken" in " ".join(at.text.split())
        await at.press("escape")
        assert isinstance(at.app.screen, SheetScreen)
        await at.click("#finish")
        await at.press("up", "enter")
        await at.until(lambda: at.kinds()[-2:].count("sheet_edited") or "sheet_edited" in at.kinds())
    edited = [one.payload for one in at.sitting.events if isinstance(one.payload, said.SheetEdited)]
    assert len(edited) == 1


def written_to(folder: Path) -> list[Path]:
    return list(folder.iterdir())


async def test_a_copy_is_saved_and_it_says_where(
    seat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = seat
    monkeypatch.setattr("platformdirs.user_downloads_path", lambda: tmp_path)
    async with at.sit():
        await at.press("w")
        await at.until(lambda: str(tmp_path)[:20] in at.says)
    assert {one.suffix for one in written_to(tmp_path)} == {".json", ".md"}


async def test_a_folder_that_cannot_be_written_to_and_a_slow_disk(
    seat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = seat
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setattr("platformdirs.user_downloads_path", lambda: tmp_path / "file" / "downloads")
    async with at.sit():
        await at.press("w")
        await at.until(lambda: "No copy was saved" in at.says)
        going = asyncio.Event()
        at_once = asyncio.get_running_loop()

        def slowly(*_: Any) -> list[Path]:
            asyncio.run_coroutine_threadsafe(going.wait(), at_once).result()
            return [tmp_path / "a.md", tmp_path / "a.json"]

        monkeypatch.setattr(copying, "write_copies", slowly)
        await at.press("w", "w")
        assert "still being saved" in at.says
        await at.press("y")
        assert at.answered("review-1") == ["accept"]
        going.set()
        await at.until(lambda: "a.md" in at.says)


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
def test_what_it_looks_like(spec_seat: Make, snap_compare: Any, size: tuple[int, int]) -> None:
    at = spec_seat()
    asyncio.run(at.go("edit"))

    async def before(pilot: Any) -> None:
        at.pilot = pilot
        await at.settle()
        await at.press("up", "x", "down")

    assert snap_compare(at.application(), run_before=before, terminal_size=size)
