"""A task in a real terminal, with the rehearsal: pastes, line keys, a kill in the middle of a reply."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support.labs import take_part
from support.terminal import Terminal
from support.visits import at

from capa_tui.cli import main
from capa_tui.services import Services
from studies import bundles
from studies.events import Event
from studies.roleplay.payloads import ReplyEnded, TurnSubmitted

pytestmark = pytest.mark.pty
STUDY = "personal-ambiguity"
ENTER, UP, ESCAPE, F2, F9 = "\r", "\x1b[A", "\x1b", "\x1bOQ", "\x1b[20~"


@pytest.fixture
def db(tmp_path: Path) -> Path:
    """A participant before their first task."""
    made = tmp_path / "lab.db"
    assert main(["load", str(bundles.directory("roleplay")), "--db", str(made)]) == 0
    assert take_part(made, STUDY, "ada", until=at("session"), pause=True) == "paused"
    return made


def run(db: Path) -> Terminal:
    return Terminal(["run", STUDY, "--participant", "ada", "--db", str(db)])


def events(db: Path) -> list[Event]:
    async def read() -> list[Event]:
        async with Services.open(db) as services:
            study = await services.archive.find(STUDY)
            (stream,) = (await services.archive.streams(study.sha256)).values()
            return list(stream)

    return asyncio.run(read())


def open_task(window: Terminal) -> None:
    window.until("The request that opens this task")
    window.press(ENTER, "Send this request?")
    window.press(UP, "┃                    Send it as it is")
    window.press(ENTER, "Stop]")


def test_pastes_and_line_keys_make_one_message(db: Path) -> None:
    with run(db) as window:
        open_task(window)
        window.until("turn 2 of 8")
        window.type("one\rtwo\r\rthree\r")
        window.until(lambda text: "three" in text)
        assert "turn 2 of 8" in window.text
        window.type("four\n")
        window.type("\x1b[200~five\r\nsix\x1b[201~")
        window.until(lambda text: "six" in text)
        window.type("\x1b[13;2u")
        window.type("seven")
        window.type(ENTER)
        window.until("turn 3 of 8")
        window.press(F2, "Only you see this")
        window.press(ESCAPE, "Conversation")
        window.press(F9, "Pause here?")
        window.press(UP, "┃                         Pause")
        window.press(ENTER, "Until next time")
        window.type(ENTER)
        assert window.end() == 0
    said = [one.payload.text for one in events(db) if isinstance(one.payload, TurnSubmitted)]
    assert said[1:] == ["one\ntwo\n\nthree\nfour\nfive\nsix\nseven"]


def test_a_kill_in_the_middle_of_a_reply_resumes_at_that_turn(db: Path) -> None:
    with run(db) as window:
        open_task(window)
        window.until("receiving")
        window.kill()
    with run(db) as window:
        window.until("The reply broke off")
        assert "turn 1 of 8" in window.text
        window.press("r", "turn 2 of 8")
        window.hang_up()
    stream = events(db)
    assert len([one for one in stream if isinstance(one.payload, TurnSubmitted)]) == 1
    ended = [one.payload.status for one in stream if isinstance(one.payload, ReplyEnded)]
    assert ended == ["interrupted", "complete"]
