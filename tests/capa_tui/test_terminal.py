"""A whole visit in a real terminal, with what only a terminal shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.labs import rows, study_folder, take_part
from support.sitters import payloads, stream
from support.terminal import Terminal
from support.visits import at

from capa_tui.cli import main
from studies.payloads import VisitEnded

pytestmark = pytest.mark.pty
ENTER, TAB, BACK_TAB, SPACE = "\r", "\t", "\x1b[Z", " "


@pytest.fixture
def db(tmp_path: Path) -> Path:
    made = tmp_path / "lab.db"
    folder = study_folder(tmp_path / "mechanisms", 3)
    assert main(["load", str(folder), "--db", str(made)]) == 0
    return made


def run(db: Path, code: str = "ada", width: int = 80, height: int = 24) -> Terminal:
    return Terminal(["run", "mechanisms", "--participant", code, "--db", str(db)], width, height)


def annotations(db: Path, out: Path) -> list[dict[str, object]]:
    assert main(["export", "mechanisms", "--format", "jsonl", "--out", str(out), "--db", str(db)]) == 0
    return rows(out / "annotations.jsonl")


def to_first_item(window: Terminal) -> None:
    """From the first question to the first item, by the keyboard."""
    window.until(lambda text: "┃                       No, leave" in text)
    window.press(BACK_TAB, "┃                   Yes, I am new here")
    window.press(ENTER, "Do not take part")
    while "item 1 of 3" not in window.text:
        before = window.text
        if "( ) I agree" in before:
            # Agree to what has the focus; the next one follows.
            window.press(SPACE, lambda text, before=before: text != before)
            window.type(TAB)
            continue
        window.press(ENTER, lambda text, before=before: text != before)
    window.until("saved")


def at_first_item(db: Path) -> Terminal:
    """A window on the first item, with everything before it done elsewhere."""
    assert take_part(db, "mechanisms", "ada", until=at("main"), pause=True) == "paused"
    window = run(db)
    window.until("item 1 of 3")
    window.until("saved")
    return window


def annotate(window: Terminal, label: str, sure: str = "4") -> None:
    window.press(label, f"{label} (•)")
    window.press("0", "nothing else                 [x]")
    window.press("s" + sure, f"({sure})")
    window.until("saved")


def test_a_visit_survives_kill_9_and_goes_on_at_the_very_place(db: Path, tmp_path: Path) -> None:
    with run(db) as window:
        to_first_item(window)
        annotate(window, "2")
        window.press(ENTER, "item 2 of 3")
        window.press("3", "3 (•)")
        window.until("saved")
        window.kill()
    with run(db) as window:
        window.until("item 2 of 3")
        window.until("3 (•)")
        annotate(window, "5")
        window.press(ENTER, "item 3 of 3")
        annotate(window, "1", "2")
        window.type(ENTER)
        while "completion code" not in window.text.lower():
            before = window.text
            window.press(ENTER, lambda text, before=before: text != before)
        window.type(ENTER)
        assert window.end() == 0
    made = annotations(db, tmp_path / "out")
    assert len(made) == 3
    assert {one["revision"] for one in made} == {1}
    assert main(["verify", "--db", str(db)]) == 0


def test_a_resize_and_a_double_enter_neither_make_nor_lose_an_answer(db: Path, tmp_path: Path) -> None:
    with at_first_item(db) as window:
        annotate(window, "2")
        window.resize(120, 40)
        window.until("2 (•)")
        window.resize(40, 12)
        window.until(lambda text: "(•)" not in text)
        window.resize(80, 24)
        window.until("2 (•)")
        window.type(ENTER + ENTER + ENTER)
        window.until("item 2 of 3")
        window.hang_up()
    made = annotations(db, tmp_path / "out")
    assert len(made) == 1


def test_closing_the_window_pauses_and_loses_nothing(db: Path, tmp_path: Path) -> None:
    with at_first_item(db) as window:
        window.type("n")
        window.press("half a thought", "half a thought")
        window.hang_up()
    assert [one.reason for one in payloads(stream(db, "mechanisms", 1), VisitEnded)][-1] == "terminal closed"
    with run(db) as window:
        window.until("half a thought")
        annotate(window, "1")
        window.press(ENTER, "item 2 of 3")
        window.hang_up()
    (made,) = annotations(db, tmp_path / "out")
    assert made["note"] == "half a thought"


def test_a_paste_of_several_lines_into_the_note_is_one_note(db: Path, tmp_path: Path) -> None:
    with at_first_item(db) as window:
        annotate(window, "1")
        window.type("n")
        window.type("\x1b[200~one [/b] two\r\nthree \U0001f600\x1b[201~")
        window.until("one [/b] two")
        # Not Escape: an Enter soon behind it is one key to a terminal.
        window.press(TAB, "enter next")
        window.press(ENTER, "item 2 of 3")
        window.hang_up()
    (made,) = annotations(db, tmp_path / "out")
    assert made["note"] == "one [/b] two\nthree \U0001f600"


def test_the_terminal_is_put_back_as_it_was(db: Path) -> None:
    with at_first_item(db) as window:
        window.press("\x11", "Pause here?")
        window.press(BACK_TAB, "┃                         Pause")
        window.press(ENTER, "Everything is saved")
        window.type(ENTER)
        assert window.end() == 0
        written = bytes(window.written)
    for mode in (b"?1000", b"?1003", b"?1006", b"?2004", b"?1049"):
        assert written.rfind(b"\x1b[" + mode + b"l") > written.rfind(b"\x1b[" + mode + b"h"), mode
    assert written.rfind(b"\x1b[?25h") > written.rfind(b"\x1b[?25l")


def test_the_plain_mode_puts_a_terminal_back_that_a_killed_program_left(db: Path) -> None:
    words = ["run", "mechanisms", "--participant", "ada", "--plain", "--db", str(db)]
    with Terminal(words) as window:
        window.until("Commands")
        assert b"\x1b[?1003l" in window.written
        assert b"\x1b[?25h" in window.written


def test_a_key_that_opens_the_note_and_what_is_typed_behind_it_come_in_one_go(
    db: Path, tmp_path: Path
) -> None:
    with at_first_item(db) as window:
        annotate(window, "1")
        window.type("nburst text")
        window.until("burst text")
        window.press(TAB, "enter next")
        window.press(ENTER, "item 2 of 3")
        window.hang_up()
    (made,) = annotations(db, tmp_path / "out")
    assert (made["note"], made["confidence"]) == ("burst text", 4)
