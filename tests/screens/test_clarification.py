"""The screens of a clarification study: answering, asking and matching, by keys and mouse."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from support.chats import NoDialogues, WordJudge
from support.clarifying import CODE, Speakers, clarification_study, question, task
from textual.keys import _character_to_key
from textual.pilot import Pilot

from screens import replying
from screens.answering import AnsweringScreen
from screens.asking import AskingScreen
from screens.authoring import AuthoringScreen
from screens.matching import MatchingScreen
from screens.widgets.bars import hints
from screens.widgets.composer import Composer
from screens.widgets.marks import NumberedChoices
from screens.widgets.note import NoteField
from studies.clarification import payloads as said
from studies.conversation import Conversation
from studies.replies import ReplyEnd
from studies.study import Study

Make = Callable[..., Any]
ASKED = [
    {"id": f"q{number}", "text": text}
    for number, text in enumerate(
        ("Which unit is it?", "Which colour?", "What in a tie, and for nothing?"), 1
    )
]
STATEMENT = (
    "A list holds distances of runs. Return the name of the shortest one.\n\nThe input is a list of pairs of "
    "a name and a distance. Names are different."
)


@pytest.fixture
def seat(chair: Make) -> Make:
    """Makes a chair before a clarification study, with whoever else takes part in it."""

    class Seat(type(chair())):  # type: ignore[misc]
        def application(self, *visit: Any) -> Any:
            app = super().application(*visit)
            if self.speakers is not None:
                self.visit.live = Conversation(self.visit, self.speakers, WordJudge(), NoDialogues())
            return app

    async def make(study: Study, until: str, **lines: Any) -> Any:
        made = Seat(study)
        talks = study.settings.clarification.seat in ("answerer", "asker")
        made.speakers = Speakers(**lines) if talks else None
        return await made.walk_to(until)

    return make


def events(made: Any, sort: type[Any]) -> list[Any]:
    return [one.payload for one in made.sitting.events if isinstance(one.payload, sort)]


async def mode(made: Any, wanted: str) -> None:
    await made.until(lambda: getattr(made.app.screen, "mode", "") == wanted)
    await made.settle()


async def write(made: Any, text: str) -> None:
    """Type a message and send it."""
    await made.press(*[_character_to_key(one) for one in text])
    await made.press("enter")
    await made.until(lambda: not made.screen.query_one(Composer).text)


def matching(**changes: Any) -> Study:
    return clarification_study(
        [task(gaps=3, statement=STATEMENT, asked=ASKED)], assistants=(), seat="matcher", **changes
    )


# -- answering -------------------------------------------------------------------------------


async def test_a_question_is_placed_and_answered_by_keys(seat: Make) -> None:
    made = await seat(
        clarification_study(), "session:", model=[question("Which unit?"), question("Colour?"), CODE]
    )
    async with made.sit():
        await mode(made, "choosing")
        assert isinstance(made.app.screen, AnsweringScreen)
        assert "Which unit?" in made.text
        assert "[QUESTION]" not in made.text
        assert {one.keys: one.text for one in hints(made.app.screen)}["f2"] == "what you know"
        await made.press("1")
        await mode(made, "writing")
        assert "Your answer to: In which unit is x?" in made.says
        await write(made, "metres")
        await mode(made, "choosing")
        await made.press("3")
        await mode(made, "marking")
        assert "This question is not relevant to the current task." in made.text
        await made.press("escape")
        await mode(made, "choosing")
        await made.press("4")
        await mode(made, "marking")
        await made.press("enter")
        await mode(made, "over")
        assert "return 'right'" in made.text
        assert "[CODE]" not in made.text
        await made.press("enter")
        await made.until(lambda: not isinstance(made.app.screen, AnsweringScreen))
    answers = events(made, said.QuestionAnswered)
    assert [(one.decision, one.gap) for one in answers] == [("answered", "unit"), ("repeated", "")]


async def test_a_question_is_placed_and_marked_with_the_mouse(seat: Make) -> None:
    made = await seat(clarification_study(), "session:", model=[question("Which unit?"), CODE])
    async with made.sit((120, 40)):
        await mode(made, "choosing")
        assert "What was left out (only you see this)" in made.text
        await made.click("#choices", offset=(6, 2))
        await mode(made, "marking")
        await made.click("#choose-again")
        await mode(made, "choosing")
        await made.click("#choices", offset=(6, 0))
        await mode(made, "writing")
        assert made.app.screen.focused is made.screen.query_one(Composer)


async def test_a_draft_outlives_choosing_again_and_a_broken_question_is_asked_for_again(seat: Make) -> None:
    broken = ReplyEnd("failed", "", error="The server did not answer.")
    made = await seat(clarification_study(), "session:", model=[broken, question("Which unit?"), CODE])
    async with made.sit():
        await mode(made, "broken")
        assert "The server did not answer." in made.text
        await made.press("r")
        await mode(made, "choosing")
        await made.press("1", "m", "e", "escape")
        await mode(made, "choosing")
        await made.press("2")
        await mode(made, "writing")
        assert made.screen.query_one(Composer).said == "me"
    assert made.answered("match") == ["unit", None, "tie"]


# -- asking ----------------------------------------------------------------------------------


async def test_an_asker_asks_and_has_enough(seat: Make) -> None:
    study = clarification_study(
        [task(statement=STATEMENT)], assistants=("judge",), seat="asker", judge={"by": "judge", "samples": 1}
    )
    made = await seat(study, "session:", judge=["yes", "no"])
    async with made.sit():
        await mode(made, "writing")
        assert isinstance(made.app.screen, AskingScreen)
        assert "In metres" not in made.text
        await write(made, "Unit? Tie?")
        await made.until(lambda: "one question at a time" in made.text)
        await mode(made, "writing")
        await write(made, "Which unit?")
        await made.until(lambda: "In metres." in made.text)
        await mode(made, "writing")
        keys = {one.keys: one.text for one in hints(made.screen)}
        assert (keys["f2"], keys["f4"]) == ("the task", "I have enough")
        await made.press("f4")
        assert "Nothing more can be asked" in made.text
        await made.press("up", "enter")
        await made.until(lambda: not isinstance(made.app.screen, AskingScreen))
    (ended,) = events(made, said.ClarificationEnded)
    assert (ended.ending, ended.responses, ended.asked) == ("enough", 2, 1)


# -- matching --------------------------------------------------------------------------------


async def test_a_matcher_decides_with_one_key(seat: Make) -> None:
    made = await seat(matching(), "label:")
    async with made.sit():
        assert isinstance(made.app.screen, MatchingScreen)
        pressed = 0
        shown = []
        while isinstance(made.app.screen, MatchingScreen):
            shown.append(made.screen.query_one(NumberedChoices).options[0].value)
            await made.press("1" if pressed else "0")
            pressed += 1
    labels = events(made, said.QuestionLabelled)
    assert pressed == len(labels) == len(ASKED)
    assert [one.matches for one in labels] == [(), *((one,) for one in shown[1:])]


async def test_several_are_marked_and_a_decision_is_taken_back(seat: Make) -> None:
    made = await seat(matching(), "label:")
    async with made.sit():
        await made.press("enter")
        assert "Still open" in made.says
        await made.press("s", "1", "3")
        assert made.screen.query_one(NumberedChoices).value is not None
        assert events(made, said.QuestionLabelled) == []
        await made.press("enter")
        await made.press("p")
        assert len(made.screen.query_one(NumberedChoices).value) == 2
        await made.press("2")
        await made.press("f1")
        assert "a number decides and goes on" in " ".join(made.text.lower().split())
    labels = events(made, said.QuestionLabelled)
    assert [(one.revision, len(one.matches)) for one in labels] == [(1, 2), (2, 1)]
    assert labels[1].matches == (labels[1].order[1],)


async def test_a_coder_sees_a_text_and_statements_in_words_of_their_own(seat: Make) -> None:
    made = await seat(matching(coding={"of": "answers", "study": "0"}), "label:")
    async with made.sit((120, 40)):
        assert "answer 1 of 3" in made.text.lower()
        assert "Which of these does it give away?" in made.text
        assert "In which unit is x? In metres." in made.text
        assert "the number of a statement" in made.says
        await made.press("f1")
        assert "which of the statements the text gives away" in " ".join(made.text.split())


async def test_a_matcher_decides_with_the_mouse(seat: Make) -> None:
    made = await seat(matching(), "label:")
    async with made.sit((120, 40)):
        await made.click("#choices", offset=(6, 3))
        assert made.answered("matches") == [()]
        await made.click("#choices", offset=(6, 0))
        await made.click("#choices", offset=(6, 2))
        await made.click("#next")
        assert "question 2 of 3" in made.text
    (label,) = events(made, said.QuestionLabelled)
    assert set(label.matches) == {label.order[0], label.order[2]}


async def test_long_text_scrolls_and_nothing_of_it_is_markup(seat: Make) -> None:
    long = task(
        gaps=3,
        statement="[bold]A[/bold] [/x] " + "\n".join(f"line {n}" for n in range(80)),
        asked=[{"id": "q1", "text": "[/red] " + "Is it so that " * 60 + "?"}],
    )
    made = await seat(clarification_study([long], assistants=(), seat="matcher"), "label:")
    async with made.sit():
        assert "[bold]A[/bold]" in made.text
        assert "more below" in made.text
        await made.press("pagedown")
        assert "[bold]A[/bold]" not in made.text
        assert "0 [ ] none of these" in made.text


# -- writing tasks ---------------------------------------------------------------------------


def authoring() -> Study:
    full = "Return the longest name of a list.\n\nNames are compared by length; the first one wins."
    tasks = [task(n, gaps=0, statement="", full_statement=f"{full} ({n})") for n in (1, 2)]
    design = {"kind": "cyclic", "participants": 2, "items_each": 1, "raters": 1}
    return clarification_study(tasks, assistants=(), seat="author", design=design)


async def test_an_author_shortens_a_task_and_writes_a_gap(seat: Make) -> None:
    made = await seat(authoring(), "shorten:")
    async with made.sit():
        assert isinstance(made.app.screen, AuthoringScreen)
        note = made.screen.query_one(NoteField)
        assert note.said.startswith("Return the longest name of a list.")
        await made.press("tab", "enter")
        assert "nothing is left out of the description" in made.text
        made.screen.set_focus(note)
        note.text = "Return the longest name of a list."
        # A button that was just pressed shows it for a moment, and takes no second press.
        await made.screen.run_action("next")
        await made.until(lambda: "What is missing (1)" in made.text)
        await made.settle()
        assert "The complete description" in made.text
        for field, text in (("#field-0", "What in a tie?"), ("#field-1", "The first one wins.")):
            made.screen.set_focus(made.screen.query_one(field))
            made.screen.query_one(field, NoteField).text = text
        made.screen.set_focus(made.screen.query_one("#field-2"))
        await made.press("7")
        made.screen.set_focus(made.screen.query_one("#field-3"))
        await made.press("2", "enter")
        await made.until(lambda: "somebody else has shortened" in " ".join(made.text.split()))
    (gap,) = events(made, said.GapWritten)
    assert (gap.question, gap.answer, gap.type) == (
        "What in a tie?",
        "The first one wins.",
        "comparison-rules",
    )


# -- pictures --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "size"), [("answering", (80, 24)), ("matching", (80, 24)), ("matching", (120, 36))]
)
def test_pictures(
    seat: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, name: str, size: tuple[int, int]
) -> None:
    monkeypatch.setattr(replying, "monotonic", lambda: 0.0)
    monkeypatch.setattr(Composer, "cursor_blink", False)
    if name == "matching":
        made = asyncio.run(seat(matching(), "label:"))
        wanted = ""
    else:
        made = asyncio.run(
            seat(
                clarification_study([task(statement=STATEMENT)]), "session:", model=[question("Which unit?")]
            )
        )
        wanted = "choosing"

    async def before(pilot: Pilot[Any]) -> None:
        made.pilot = pilot
        await made.settle()
        if wanted:
            await mode(made, wanted)

    assert snap_compare(made.application(), run_before=before, terminal_size=size)
