"""Whole visits over the real database and the ways out of every screen."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from support.stations import lab_files
from support.visits import usual
from textual.widgets import Digits

from screens.consent import ConsentScreen
from screens.dialogs import Dialog
from screens.done import DoneScreen
from screens.form import FormScreen
from screens.page import TextScreen
from screens.widgets.bars import KeyBar
from screens.widgets.marks import Choices, Scale
from screens.widgets.note import NoteField
from storage.store import Store
from studies.folder import parse
from studies.runner import Visit
from studies.steps import Step

Make = Callable[..., Any]

FORM = [
    {"id": "age", "text": "How old are you?", "kind": "choice", "options": ["under 30", "30 or more"]},
    {"id": "hard", "text": "How hard was it?", "kind": "scale", "low": 0, "high": 10, "required": True},
    {"id": "tools", "text": "Which tools?", "kind": "multi", "options": ["one", "two"]},
    {"id": "more", "text": "Anything else?", "kind": "text"},
]
CONSENT = [
    {"id": "take-part", "text": "I take part."},
    {"id": "publish", "text": "My answers may be published.", "required": False, "covers": "publication"},
]
WHOLE: dict[str, Any] = {
    "training": 1,
    "design": {"block": 2},
    "consent": CONSENT,
    "questionnaire": FORM,
}


@pytest.fixture
async def stored(chair: Make, tmp_path: Path) -> AsyncIterator[Any]:
    """A chair over a real database file, with a study of three items and a questionnaire."""
    seat = chair()
    async with Store.open(tmp_path / "lab.db", "station", "test") as store:
        study = parse(lab_files())
        record = (await store.desk.load(study)).record
        seat.study = study
        seat.store = store

        async def visit() -> Visit:
            seated = await store.desk.admit(record, "K7", pilot=False)
            assert seated.stream
            seat.stream = seated.stream
            events = await store.archive.events(seated.stream)
            return Visit(study, events, store.journal, seat.sitting.clock)

        seat.made = visit
        yield seat


async def kinds(seat: Any) -> list[str]:
    return [one.kind for one in await seat.store.archive.events(seat.stream)]


async def test_a_whole_visit_by_keyboard(stored: Any) -> None:
    seat = stored
    async with seat.sit_with(await seat.made()):
        assert isinstance(seat.screen, ConsentScreen)
        await seat.press("enter")
        assert "Please answer" in seat.says
        await seat.press("1", "tab", "2", "enter")
        while seat.step.kind == "page":
            await seat.press("enter")
        await seat.press("1", "0", "s", "5", "enter")
        assert "Because." in seat.text
        await seat.press("enter")
        await seat.press("enter")
        for number in ("1", "2", "3"):
            await seat.press(number, "a", "4", "escape", "s", "4", "enter")
        assert isinstance(seat.screen, FormScreen)
        await seat.press("enter")
        assert seat.step.kind == "debrief"
        await seat.press("enter")
        assert isinstance(seat.screen, DoneScreen)
        code = seat.screen.query_one(Digits).value
        assert code
        assert code in seat.text
        await seat.press("enter")
    assert seat.done.end == "completed"
    assert seat.done.completion_code == code
    events = await seat.store.archive.events(seat.stream)
    opened = events[0].payload.options
    made = [one.payload for one in events if one.kind == "annotation_submitted"]
    assert [one.dominant for one in made] == [opened[0], opened[1], opened[2]]
    assert {one.additional for one in made} == {(opened[3],)}
    assert events[-1].kind == "participation_completed"
    given = next(one.payload for one in events if one.kind == "consent_given")
    assert given.items == {"take-part": True, "publish": False}


async def test_a_whole_visit_by_mouse(stored: Any) -> None:
    seat = stored
    async with seat.sit_with(await seat.made()):
        await seat.click("#item-0", (3, 0))
        await seat.click("#item-1", (3, 1))
        await seat.click("#next")
        while seat.step.kind == "page":
            await seat.click("#go-on")
        for _ in range(4):
            await seat.click("#labels", (2, 1))
            await seat.click("#labels", (seat.table.content_size.width - 2, 9))
            await seat.click("#confidence", (5, 0))
            await seat.click("#flag", (1, 0))
            await seat.click("#open-codebook")
            await seat.click_hint("close")
            await seat.click("#next")
            if seat.step.kind == "feedback":
                await seat.click("#next")
                await seat.click("#go-on")
        await seat.click(Scale, (1, 0))
        await seat.click(Choices, (3, 2))
        await seat.click("#next")
        await seat.click("#go-on")
        await seat.click("#close")
    assert seat.done.end == "completed"
    events = await seat.store.archive.events(seat.stream)
    made = [one.payload for one in events if one.kind == "annotation_submitted"]
    assert [(one.dominant, one.additional, one.confidence, one.flag) for one in made] == [
        (events[0].payload.options[0], (), 2, True)
    ] * 3
    asked = next(one.payload for one in events if one.kind == "questionnaire_submitted")
    assert asked.answers == {"easy": 1, "tools": (), "more": None}


async def test_pause_and_return_find_the_very_place(stored: Any) -> None:
    seat = stored
    async with seat.sit_with(await seat.made()):
        await seat.press("tab", "1", "tab", "1", "enter")
        while seat.step.kind == "page":
            await seat.press("enter")
        await seat.press("1", "0", "s", "5", "enter")
        await seat.press("enter")
        await seat.press("enter")
        await seat.press("2", "n", *"why", "escape", "q")
        assert "go on at this very place" in seat.text
        await seat.press("escape")
        assert seat.table.dominant == seat.option(2)
        await seat.press("q", "up", "enter")
        assert "same code" in seat.text
        await seat.press("enter")
    assert seat.done.end == "paused"
    place = seat.visit.protocol.current_id(seat.visit.state)
    async with seat.sit_with(await seat.made()):
        assert seat.step.id == place
        assert seat.table.dominant == seat.option(2)
        assert seat.screen.query_one(NoteField).text == "why"
    assert (await kinds(seat)).count("visit_started") == 2


async def test_refusing_a_needed_item_asks_and_ends(chair: Make) -> None:
    seat = chair(**WHOLE)
    async with seat.sit():
        assert "Needed to take part." in seat.text
        assert "Your choice" in seat.text
        await seat.press("tab", "2", "tab", "1", "enter")
        assert "Not take part?" in seat.text
        await seat.press("enter")
        assert seat.step.kind == "consent"
        await seat.press("1", "shift+tab", "1", "enter")
        assert seat.step.id == "instructions:1"
    assert seat.answered("take-part") == [False, True]


@pytest.mark.parametrize("way", ["key", "button", "item"])
async def test_declining_is_one_choice_and_recorded(chair: Make, way: str) -> None:
    seat = chair(**WHOLE)
    async with seat.sit():
        if way == "key":
            await seat.press("d")
        elif way == "button":
            await seat.click("#decline")
        else:
            await seat.press("tab", "2", "enter")
        assert isinstance(seat.app.screen, Dialog)
        await seat.press("up", "enter")
        assert "Thank you for reading" in seat.text
        await seat.press("enter")
    assert seat.done.end == "declined"
    assert seat.kinds()[-1] == "consent_declined"


async def test_nothing_of_the_consent_is_chosen_beforehand(chair: Make) -> None:
    seat = chair(**WHOLE)
    async with seat.sit():
        assert "(•)" not in seat.text
        await seat.press("enter")
        assert seat.step.kind == "consent"


SCREENS = {
    "consent": "consent",
    "page": "instructions:1",
    "categories": "overview:",
    "practice": "training:",
    "feedback": "feedback:",
    "practised": "practised:",
    "item": "main:",
    "rest": "rest:",
    "form": "questions:",
    "debrief": "debrief",
}


@pytest.mark.parametrize("at", SCREENS)
async def test_pausing_is_possible_everywhere(chair: Make, at: str) -> None:
    seat = chair(**WHOLE)
    await seat.walk_to(SCREENS[at])
    async with seat.sit():
        step = seat.step.id
        assert "pause" in hints(seat)
        await seat.press("ctrl+q")
        assert "Pause here?" in seat.text
        await seat.press("up", "enter")
        await seat.press("enter")
    assert seat.done.end == "paused"
    async with seat.sit():
        assert seat.step.id == step


@pytest.mark.parametrize("at", SCREENS)
async def test_withdrawing_is_possible_everywhere_and_asked_twice(chair: Make, at: str) -> None:
    seat = chair(**WHOLE)
    await seat.walk_to(SCREENS[at])
    async with seat.sit():
        await seat.click_hint("withdraw")
        assert "Stop and withdraw my data" in seat.text
        await seat.press("enter")
        assert seat.app.screen is seat.screen
        await seat.press("f10", "down", "down", "enter")
        assert "Stop and withdraw your data?" in seat.text
        await seat.press("escape")
        assert seat.kinds()[-1] != "participation_withdrawn"
        await seat.press("f10", "down", "down", "enter", "up", "enter")
        assert "You have withdrawn" in seat.text
        await seat.press("enter")
    assert seat.done.end == "withdrawn"
    assert seat.kinds()[-1] == "participation_withdrawn"


async def test_withdrawing_is_possible_after_the_end(chair: Make) -> None:
    seat = chair(**WHOLE)
    await seat.walk_to("debrief")
    async with seat.sit():
        await seat.press("enter")
        assert isinstance(seat.screen, DoneScreen)
        await seat.press("f10", "down", "down", "enter", "up", "enter")
        assert "You have withdrawn" in seat.text
    assert seat.kinds()[-1] == "participation_withdrawn"


@pytest.mark.parametrize("command", ["pause", "withdraw", "instructions", "help", "colours light"])
async def test_the_palette_finds_it(chair: Make, command: str) -> None:
    seat = await chair(**WHOLE).walk_to("main:")
    async with seat.sit():
        await seat.press("2", "ctrl+p")
        await seat.press(*command.replace(" ", ""))
        await seat.until(lambda: bool(seat.app.screen.query("OptionList > *") or True))
        await seat.pilot.pause()
        await seat.press("enter")
        expected = {
            "pause": "Pause here?",
            "withdraw": "Stop and withdraw your data?",
            "instructions": "Page one.",
            "help": "Read the request and choose",
        }
        if command in expected:
            await seat.until(lambda: expected[command] in seat.text)
            await seat.press("escape")
        else:
            await seat.until(lambda: seat.app.theme == "capa-light")
        assert seat.app.screen is seat.screen
        assert seat.table.dominant == seat.option(2)


async def test_the_menu_shows_the_instructions_over_the_item(chair: Make) -> None:
    seat = await chair(instructions="Read **this** [again](http://x.invalid).").walk_to("main:")
    async with seat.sit():
        await seat.press("3", "f10", "down", "down", "down", "enter")
        assert isinstance(seat.app.screen, TextScreen)
        await seat.press("escape")
        assert seat.table.dominant == seat.option(3)


async def test_a_page_reads_on_to_its_end_before_it_goes_on(chair: Make) -> None:
    text = "\n\n".join(f"Paragraph {n}." for n in range(40))
    seat = await chair(instructions=text).walk_to("instructions:1")
    async with seat.sit():
        assert "more below" in seat.text
        assert "enter read on" in seat.text
        await seat.press("enter")
        assert seat.step.id == "instructions:1"
        while "read on" in hints(seat):
            await seat.press("enter")
        assert "Paragraph 39." in seat.text
        assert "enter go on" in seat.text
        await seat.press("enter")
        assert seat.step.id != "instructions:1"


async def test_a_form_keeps_every_kind_of_answer(chair: Make) -> None:
    seat = await chair(**WHOLE).walk_to("questions:1")
    async with seat.sit():
        await seat.press("enter")
        assert "Still open" in seat.says
        assert isinstance(seat.app.focused, Scale)
        await seat.press("0", "shift+tab", "2", "2", "1", "tab", "tab", "1", "2", "1", "tab")
        await seat.press(*"[/b]", "enter", *"x", "escape", "enter")
    asked = next(one.payload for one in seat.sitting.events if one.kind == "questionnaire_submitted")
    assert asked.answers == {"age": "under 30", "hard": 0, "tools": ("two",), "more": "[/b]\nx"}


async def test_an_optional_answer_can_be_taken_away_again(chair: Make) -> None:
    seat = await chair(**WHOLE).walk_to("questions:1")
    async with seat.sit():
        await seat.press("1", "1", "tab", "5", "tab", "3", "3", "tab", "enter")
        await seat.press("backspace", "escape", "enter")
    asked = next(one.payload for one in seat.sitting.events if one.kind == "questionnaire_submitted")
    assert asked.answers == {"age": None, "hard": 5, "tools": None, "more": None}


async def test_long_forms_come_in_screens_that_can_be_gone_back_over(chair: Make) -> None:
    many = [{"id": f"q{n}", "text": f"Question {n}?", "kind": "text"} for n in range(10)]
    seat = await chair(questionnaire=many).walk_to("questions:1")
    async with seat.sit():
        assert len(seat.screen.query(NoteField)) == 8
        await seat.press(*"one", "escape")
        await seat.click("#next")
        assert len(seat.screen.query(NoteField)) == 2
        await seat.click("#previous")
        assert seat.screen.query(NoteField).first().text == "one"
        await seat.click("#next")
        await seat.click("#next")
        assert seat.step.kind == "debrief"


async def test_after_a_missed_pass_mark_the_visit_ends_kindly(chair: Make) -> None:
    seat = chair(training=1, pass_mark=1.0)
    await seat.walk_to("practised:", lambda step, field: wrong(seat, step, field))
    async with seat.sit():
        assert "says nothing about you" in seat.text
        await seat.press("enter")
        await seat.press("enter")
    assert seat.done.end == "excluded"


def wrong(seat: Any, step: Step, field: Any) -> Any:
    if field.name == "dominant":
        right = seat.study.training[0].dominant
        return next(one.value for one in field.options if one.value != right)
    return usual(step, field)


async def test_a_finished_participant_sees_how_it_ended_at_once(chair: Make) -> None:
    seat = await chair().walk_to("debrief")
    async with seat.sit():
        await seat.press("enter")
        await seat.press("enter")
    async with seat.sit():
        assert isinstance(seat.screen, DoneScreen)
        before = seat.kinds()
        await seat.press("enter")
    assert seat.kinds() == before
    assert seat.done.end == "completed"


async def test_a_terminal_that_goes_away_ends_the_visit_in_order(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "n", *"hal")
        await seat.flow.hang_up()
    assert seat.kinds()[-1] == "visit_ended"
    async with seat.sit():
        assert seat.table.dominant == seat.option(2)
        assert seat.screen.query_one(NoteField).text == "hal"


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "ctrl+z", "tab", "x", "f5"])
async def test_stray_keys_lose_nothing(chair: Make, key: str) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "0", "s", "3", key)
        assert seat.table.dominant == seat.option(2)
        assert seat.flow is not None


def hints(seat: Any) -> list[str]:
    """The words of the key bar."""
    bar = seat.app.screen.query_one(KeyBar)
    bar.render()
    return [one[3].text for one in bar._places]
