"""A project of a specification study in a real terminal: a kill at the worst moments, and hostile text."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from support.sitters import CODE, STUDY, bundled, payloads, seat_before, stream
from support.terminal import Terminal

from capa_tui.cli import main
from studies.folder import parse
from studies.specification import payloads as said
from studies.study import Study

pytestmark = pytest.mark.pty
ENTER, TAB, ESCAPE, UP, LEFT, HOME = "\r", "\t", "\x1b", "\x1b[A", "\x1b[D", "\x1b[H"
F2, F8, CTRL_S = "\x1bOQ", "\x1b[19~", "\x13"
PROPOSAL = "A slate for the shed. It says who has what. It shames nobody."


def run(db: Path) -> Terminal:
    return Terminal(["run", STUDY, "--participant", CODE, "--db", str(db)])


def enter_until(window: Terminal, wanted: str) -> None:
    """Go on from pages that are read, however many screens long they are."""
    while wanted not in window.text:
        before = window.text
        window.press(ENTER, lambda text, before=before: text != before)


def marks(text: str) -> int:
    """How many answers are marked."""
    return len(re.findall(r"\(•\)|\(\d\)", text))


def fill(window: Terminal, *keys: str) -> None:
    """Answer the questions of a form in one go, and end on the button below them."""
    shown = keys[0] if len(keys[0]) > 1 else "\0"
    window.until(lambda text: not marks(text))
    # Once the first answer shows, the form takes keys.
    window.press(keys[0], lambda text: bool(marks(text)) or shown[-8:] in text)
    # Each text and each choice goes where its tab led, however fast they come.
    window.type("".join(TAB + one for one in (*keys[1:], "")))
    window.until("enter press")


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return tmp_path / "lab.db"


def test_a_whole_project_by_keyboard(db: Path) -> None:
    seat_before(db, "persona")
    with run(db) as window:
        window.until("You are Marit")
        enter_until(window, "Do you know them?")
        fill(window, "1", "3", "2")
        window.press(ENTER, "Write in your own words")
        fill(window, PROPOSAL)
        window.press(ENTER, "Project overview: what do you want?")
        fill(window, "One sees what is out\rIt works without a signal", "No names", "", "", "", "")
        window.press(ENTER, "Technical decisions: what do")
        fill(window, "It is paper", "", "", "", "", "")
        window.press(ENTER, "Success metrics: what do you want?")
        fill(window, "Nothing is lost", "", "", "", "", "")
        window.press(ENTER, "A short break")
        interview(window)
        fill(window, "1", "2", "3", "4", "1")
        window.press(ENTER, "Your rating")
        fill(window, "4", "as it is", "5", "as I said", "3", "partly")
        window.press(ENTER, "Previous")
        fill(window, "2", "nothing new", "4", "short")
        window.press(ENTER, "1 change of the review is to be decided")
        edit(window)
        fill(window, "One sees at once what is out", "")
        window.press(ENTER, "How well did the questions")
        fill(window, "3", "4", "None")
        # The looks of the screens before must not reach the pages after them.
        window.press(ENTER, "That was all about this project.")
        window.press(ENTER, "You have finished this part.")
        window.press(ENTER, "You are Marit")
        window.until("2 of 3")
        window.hang_up()
    events = stream(db)
    (locked,) = payloads(events, said.ProposalLocked)
    assert locked.text == PROPOSAL
    rounds = payloads(events, said.RoundAnswered)
    assert [(one.picked, one.own_words, one.unknown) for one in rounds] == [
        (("A", "C"), "", False),
        ((), "A peg with a tag", False),
        ((), "", True),
        (("B",), "", False),
        (("A",), "", False),
    ]
    checked = payloads(events, said.RequirementsChecked)[0].answers
    assert checked == {
        "project_overview.want.1": "met",
        "project_overview.want.2": "partly",
        "project_overview.avoid.1": "contradicted",
        "technical_decisions.want.1": "absent",
        "success_metrics.want.1": "met",
    }
    scores = {name: value for one in payloads(events, said.SheetRated) for name, value in one.answers.items()}
    assert (scores["coverage"], scores["precision"], scores["consistency"], scores["insight"]) == (4, 5, 3, 2)
    (edited,) = payloads(events, said.SheetEdited)
    assert edited.sections["project_overview"].startswith("Mine. ")
    assert edited.answers["struck"]
    assert payloads(events, said.TruthRetested)
    assert [one.item for one in payloads(events, said.ProjectClosed)] == ["tool-shed"]
    assert main(["verify", "--db", str(db)]) == 0


def interview(window: Terminal) -> None:
    """Five rounds, each answered in another way."""
    window.press(ENTER, "question 1 of at most 5")
    window.type("ac")
    window.until(lambda text: "a [x]" in text and "c [x]" in text)
    window.press(F2, "How each choice stands")
    window.until("open")
    window.press(ESCAPE, "Asked because")
    window.press(ENTER, "question 2 of at most 5")
    window.type("e")
    window.until("Say what you would want instead")
    window.type("A peg with a tag" + TAB)
    window.press(ENTER, "question 3 of at most 5")
    window.press("f", "f [x]")
    window.press(ENTER, "question 4 of at most 5")
    window.press("b", "b [x]")
    window.press(ENTER, "question 5 of at most 5")
    window.press("a", "a [x]")
    window.press(ENTER, lambda text: "Your requirements" in text and text.count("more below") == 2)


def edit(window: Terminal) -> None:
    """Accept what the review changed, strike a statement, rewrite a section, and be done."""
    window.press("y", "Every change of the review is decided")
    window.press(UP, lambda text: "strike" in text)
    window.press("x", "1 struck")
    rewrite_overview(window)
    window.type("Mine. ")
    window.until("Mine. ")
    window.press(CTRL_S, "yours")
    be_done(window)


def be_done(window: Terminal) -> None:
    """Leave the sheet."""
    window.press(F8, "Done with the sheet?")
    window.press(UP, lambda text: bool(re.search("┃ +The sheet is done", text)))
    window.press(ENTER, "Once more")


def rewrite_overview(window: Terminal) -> None:
    """Open the first section for writing."""
    window.press(LEFT + HOME, "> Project overview")
    window.until("─ Project overview ─")
    window.press("e", "Project overview, in your words")


def test_a_kill_while_the_proposal_is_written_loses_no_word(db: Path) -> None:
    seat_before(db, "proposal")
    with run(db) as window:
        window.until("Write in your own words")
        window.press("A slate with", "A slate with")
        window.until(lambda text: "A slate with" in drafts(db))
        window.kill()
    with run(db) as window:
        window.until("A slate with")
        window.type(" two columns")
        window.until("two columns")
        window.type(TAB)
        window.until("enter press")
        window.press(ENTER, "Project overview: what do you want?")
        window.hang_up()
    (locked,) = payloads(stream(db), said.ProposalLocked)
    assert locked.text == "A slate with two columns"


def test_a_sheet_survives_a_kill_and_its_copies_are_what_it_says(db: Path) -> None:
    seat_before(db, "edit")
    downloads = Path(os.environ["HOME"]) / "Downloads"
    with run(db) as window:
        window.until("1 change of the review is to be decided")
        window.press("y", "Every change of the review is decided")
        window.press(UP, lambda text: "strike" in text)
        window.press("x", "1 struck")
        rewrite_overview(window)
        window.type("Half a thought. ")
        window.until(lambda text: "Half a thought." in drafts(db))
        window.kill()
    with run(db) as window:
        window.until("unfinished")
        assert "1 struck" in window.text
        downloads.write_text("no folder")
        window.press("w", "No copy was saved")
        rewrite_overview(window)
        window.until("Half a thought.")
        window.press(CTRL_S, "yours")
        downloads.unlink()
        window.press("w", "Saved: /")
        be_done(window)
        window.hang_up()
    (edited,) = payloads(stream(db), said.SheetEdited)
    (document,), (whole,) = downloads.glob("*.md"), downloads.glob("*.json")
    sections = json.loads(whole.read_text())["sections"]
    assert {one["section"]: one["text"] for one in sections} == edited.sections
    assert edited.sections["project_overview"].startswith("Half a thought. ")
    assert edited.answers["struck"]
    lines = document.read_text().splitlines()
    for text in edited.sections.values():
        assert all(any(one in line.replace("\\", "") for line in lines) for one in text.splitlines())


# What a terminal would obey: its title, its clipboard, a colour, 8-bit control; and the markup of screens.
HOSTILE = "\x1b]0;title\x07\x1b]52;c;aGk=\x07\x1b[31337m\x9b31338m[bold red]"
OBEYED = (b"\x1b]0;title", b"\x1b]52;", b"\x1b[31337m", b"\xc2\x9b31338m", b"\x9b31338m")


def hostile() -> Study:
    """The bundled study, where the shed's material and all that its agent says are hostile."""
    files = dict(bundled().files)
    rows = [json.loads(line) for line in files["projects.jsonl"].splitlines()]
    (shed,) = [one for one in rows if one["id"] == "tool-shed"]
    shed["title"] += HOSTILE
    shed["proposal"] += HOSTILE
    draft, chart = shed["script"]["draft"], shed["script"]["chart"]
    draft["priority"]["question"] = f"What matters{HOSTILE} most?"
    # The one that is asked next; all questions alike would be taken for one.
    (asked,) = [one for one in chart["dimensions"] if "say that one takes" in one["question"]]
    asked["question"] = asked["question"].removesuffix("?") + HOSTILE + "?"
    asked["alternatives"] = [f"{text}{HOSTILE}" for text in asked["alternatives"]]
    asked["why_it_matters"] += HOSTILE
    files["projects.jsonl"] = "\n".join(map(json.dumps, rows)).encode()
    return parse(files)


def test_nothing_that_a_model_or_the_material_says_acts_on_the_terminal(db: Path) -> None:
    seat_before(db, "proposal", study=hostile())
    with run(db) as window:
        window.until("What would you like to have built?")
        window.hang_up()
        written = bytes(window.written)
    seat_before(db, "round", {"proposal": PROPOSAL + HOSTILE}, hostile())
    with run(db) as window:
        window.until("What matters")
        window.press("a", "a [x]")
        window.press(ENTER, "question 2 of at most 5")
        window.until("[bold red]")
        window.press(F2, "How each choice stands")
        window.until("Settled by your answer")
        window.press(ESCAPE, "Asked because")
        window.hang_up()
        written += bytes(window.written)
    seat_before(db, "met", study=hostile())
    with run(db) as window:
        window.until("Your requirements")
        window.until("[bold red]")
        window.hang_up()
        written += bytes(window.written)
    seat_before(db, "edit", study=hostile())
    with run(db) as window:
        window.until("1 change of the review is to be decided")
        window.press("w", "Saved: /")
        window.hang_up()
        written += bytes(window.written)
    assert not [one for one in OBEYED if one in written]
    assert "[31337m" in "".join(payloads(stream(db), said.QuestionPut)[1].options)


def drafts(db: Path) -> str:
    """The drafts on disk."""
    with closing(sqlite3.connect(f"file:{db}?mode=ro", uri=True)) as conn:
        return "\n".join(one for (one,) in conn.execute("SELECT text FROM drafts"))
