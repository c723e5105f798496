"""The annotation screen: what keys and mouse do to an item's answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.events import Paste

from screens.codebook import CodebookPane
from screens.widgets.marks import Scale
from screens.widgets.material import MaterialPanes
from screens.widgets.note import NoteField

Make = Callable[..., Any]

CONTEXT = (("user", "Write two helpers."), ("assistant", "def trim(s): ..."))

COMPLETE = ("1", "0", "s", "4")
"""Keys that complete an item."""


@pytest.mark.parametrize("number", range(1, 9))
async def test_digits_choose_the_main_one_in_the_order_on_screen(chair: Make, number: int) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(str(number))
        assert seat.table.dominant == seat.option(number)
        assert seat.visit.answers["dominant"] == seat.option(number)
        assert f"{number} (•)" in seat.text
        assert seat.text.count("(•)") == 1


async def test_nothing_is_chosen_beforehand(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        assert "(•)" not in seat.text
        assert "[x]" not in seat.text
        assert not seat.visit.answers


async def test_a_changed_mind_keeps_every_choice_and_counts_the_last(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "3", "1", "0", "s", "4", "enter")
    one, three = seat.option(1), seat.option(3)
    assert seat.answered("dominant") == [one, three, one]
    assert [made.dominant for made in seat.annotations()] == [one]


async def test_the_same_key_twice_is_one_answer(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "2")
    assert seat.answered("dominant") == [seat.option(2)]


async def test_additional_ones_are_toggled_by_number_in_the_also_column(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "a")
        assert seat.table.column == "also"
        assert "also" in seat.says.lower()
        await seat.press("3", "2", "3")
        assert seat.table.additional == (seat.option(2),)
        await seat.press("a")
        assert seat.table.column == "main"
        await seat.press("4")
        assert seat.table.dominant == seat.option(4)
        assert seat.table.additional == (seat.option(2),)


async def test_the_main_one_leaves_the_additional_ones(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "a", "2", "3", "escape", "2")
        assert seat.table.dominant == seat.option(2)
        assert seat.table.additional == (seat.option(3),)
        assert seat.option(2) not in seat.visit.answers["additional"]
        await seat.press("3")
        assert seat.table.additional is None
        assert seat.visit.answers["additional"] is None
        await seat.press("s", "4", "enter")
        assert "Still open" in seat.says
        assert not seat.annotations()
        await seat.press("0", "enter")
    made = seat.annotations()[0]
    assert (made.dominant, made.additional) == (seat.option(3), ())


async def test_the_main_one_has_no_box_and_no_key_in_the_also_column(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "a", "1")
        assert seat.table.additional is None
        await seat.press("up", "up", "space")
        assert seat.table.additional is None


async def test_taking_the_last_one_away_is_no_answer_until_nothing_else_is_said(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "a", "2", "2", "s", "4", "enter")
        assert seat.visit.answers["additional"] is None
        assert "Still open" in seat.says
        await seat.press("0", "enter")
        assert seat.annotations()[0].additional == ()


async def test_nothing_else_is_an_answer_and_can_be_taken_back(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "0")
        assert seat.visit.answers["additional"] == ()
        await seat.press("0")
        assert seat.visit.answers["additional"] is None
        await seat.press("0", "a", "2")
        assert seat.visit.answers["additional"] == (seat.option(2),)


@pytest.mark.parametrize("number", [7, 8])
async def test_an_escape_code_stands_alone_and_says_so(chair: Make, number: int) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("1", "a", "2", "escape", str(number))
        assert not seat.table.others
        assert "stands alone" in seat.text
        assert "nothing else" not in seat.text
        await seat.press("a")
        assert seat.table.column == "main"
        await seat.press("1")
        assert seat.table.others
        assert seat.table.additional == (seat.option(2),)


async def test_other_asks_for_a_reason(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("8", "s", "4", "enter")
        assert not seat.annotations()
        assert isinstance(seat.app.focused, NoteField)
        assert "note" in seat.says
        await seat.press("space", "enter", "escape", "enter")
        assert not seat.annotations()
        await seat.press("x", "escape", "enter")
    assert seat.annotations()[0].note.strip() == "x"


@pytest.mark.parametrize(
    ("keys", "focused", "words"),
    [
        ((), "labels", "Choose the one"),
        (("1",), "labels", "anything else"),
        (("1", "0"), "confidence", "How sure"),
        (("8", "s", "1"), "note", "in the note"),
    ],
)
async def test_what_is_missing_is_said_and_focused(
    chair: Make, keys: tuple[str, ...], focused: str, words: str
) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*keys, "enter")
        assert "Still open" in seat.says
        assert words in seat.says
        assert seat.app.focused.id == focused
        assert not seat.annotations()
        assert seat.step.id == seat.screen.step.id


async def test_confidence_has_digits_of_its_own(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "s", "7", "5")
        assert seat.visit.answers["confidence"] == 5
        assert seat.table.dominant == seat.option(2)
        await seat.press("1")
        assert seat.table.dominant == seat.option(1)
        await seat.press("s", "left", "left", "space")
        assert seat.visit.answers["confidence"] == 3


async def test_a_flag_is_set_and_taken_away(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("f")
        assert "[x] flag" in seat.text
        await seat.press("f")
        await seat.press("f", *COMPLETE, "enter")
    assert seat.answered("flag") == [True, False, True]
    assert seat.annotations()[0].flag is True


async def test_arrows_and_space_do_what_digits_do(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("down", "down", "space", "right", "down", "space", "left")
        assert seat.table.dominant == seat.option(3)
        assert seat.table.additional == (seat.option(4),)
        for _ in range(10):
            await seat.pilot.press("down")
        await seat.press("space")
        assert seat.visit.answers["additional"] == ()


async def test_the_mouse_marks_both_columns(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        right = seat.table.content_size.width - 2
        await seat.click("#labels", (5, 1))
        await seat.click("#labels", (right, 2))
        assert seat.table.dominant == seat.option(1)
        assert seat.table.additional == (seat.option(2),)
        await seat.click("#labels", (right, 9))
        assert seat.visit.answers["additional"] == ()
        await seat.click("#labels", (right, 7))
        assert seat.table.dominant == seat.option(1)


async def test_studies_decide_what_is_asked(chair: Make) -> None:
    annotation = {"escapes": False, "additional": False, "confidence": False, "note": False, "flag": False}
    seat = await chair(annotation=annotation).walk_to("main:")
    async with seat.sit():
        assert len(seat.table.options) == 6
        for words in ("also", "nothing else", "How sure", "Note", "flag"):
            assert words not in seat.text
        await seat.press("7", "a", "s", "n", "f", "2", "enter")
    made = seat.annotations()[0]
    assert (made.dominant, made.additional, made.confidence) == (seat.option(2), (), None)


# -- the note ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "pasted",
    [
        "one\ntwo\nthree",
        "one\r\ntwo\r\n",
        "[/b] [red]x[/blue] [@click=app.quit]y[/] \U0001f600 \u05d0\u05d1 e\u0301",
        "1\na\n2\nenter\n\n",
    ],
)
async def test_a_paste_is_one_note(chair: Make, pasted: str) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE, "n")
        seat.app.post_message(Paste(pasted))
        await seat.settle()
        assert not seat.annotations()
        await seat.press("escape", "enter")
    made = seat.annotations()
    assert [one.note for one in made] == [pasted.replace("\r\n", "\n")]
    assert made[0].dominant == seat.option(1)


async def test_a_paste_without_brackets_stays_in_the_note(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE, "n", *"3q", "enter", *"fa", "enter")
        assert not seat.annotations()
        await seat.press("escape", "enter")
    made = seat.annotations()[0]
    assert (made.note, made.dominant, made.flag) == ("3q\nfa\n", seat.option(1), False)


async def test_a_paste_outside_the_note_does_nothing(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        before = seat.kinds()
        seat.app.post_message(Paste("1\n2\nq"))
        await seat.settle()
        assert seat.kinds() == before
        assert seat.table.dominant is None


async def test_control_characters_of_a_paste_cannot_act(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE, "n")
        seat.app.post_message(Paste("a\x1b[31m\x07b"))
        await seat.settle()
        assert "\x1b" not in seat.text
        await seat.press("escape", "enter")
    assert seat.annotations()[0].note == "a\\x1b[31m\\x07b"


async def test_a_note_from_elsewhere_is_shown_safely_and_kept_byte_for_byte(chair: Make) -> None:
    strange = "red \x1b[31m\x00\x85\u2028end \ud800"
    seat = await chair().walk_to("main:")
    visit = await seat.sitting.visit()
    await visit.answer(visit.current.ask_id("note"), strange)
    async with seat.sit():
        for character in "\x1b\x00\x85\ud800":
            assert character not in seat.text
        await seat.press("n", "escape", *COMPLETE, "enter")
    assert seat.annotations()[0].note == strange


async def test_typing_is_kept_as_a_draft_and_comes_back_after_a_crash(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "n", *"half a thou")
        await seat.until(lambda: "half a thou" in seat.journal.kept.values())
        assert seat.answered("note") == []
        seat.journal.hold()
        # The process ends here without another word.
    seat.journal.free.set()
    async with seat.sit():
        assert seat.table.dominant == seat.option(2)
        assert seat.screen.query_one(NoteField).text == "half a thou"
        await seat.press("0", "s", "3", "enter")
    assert seat.annotations()[0].note == "half a thou"
    assert not seat.journal.kept


async def test_leaving_the_note_stores_it_once(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("n", *"ab", "escape", "n", "tab", "n", *"c", "escape")
    assert seat.answered("note") == ["ab", "abc"]


async def test_a_note_that_is_too_long_is_cut_and_said(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE, "n")
        seat.app.post_message(Paste("x" * 20_001))
        await seat.settle()
        assert "20,000" in seat.says
        await seat.press("escape", "enter")
    assert len(seat.annotations()[0].note) == 20_000


# -- codebook ----------------------------------------------------------------------------------


async def test_the_codebook_opens_at_the_highlighted_row_and_returns_to_the_very_place(chair: Make) -> None:
    seat = await chair(requests=["A long request. " * 200] * 4).walk_to("main:")
    async with seat.sit():
        await seat.press("2", "down")
        request = seat.screen.query_one(MaterialPanes).request
        await seat.press("pagedown")
        place = request.scroll_y
        assert place > 0
        await seat.press("question_mark")
        pane = seat.screen.query_one(CodebookPane)
        await seat.until(lambda: f"definition of {seat.option(3)}" in seat.text)
        assert "A long request" not in seat.text
        await seat.press("up")
        await seat.until(lambda: f"definition of {seat.option(2)}" in seat.text)
        await seat.press("escape")
        assert not pane.display
        assert request.scroll_y == place
        assert seat.table.row == 1
        assert seat.table.dominant == seat.option(2)
        assert seat.app.focused is seat.table
        await seat.press("f1")
        assert pane.display
        await seat.press("question_mark")
        assert not pane.display


async def test_the_codebook_does_not_take_keys_from_the_answers(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("question_mark", "4")
        assert seat.table.dominant == seat.option(4)
        await seat.until(lambda: f"definition of {seat.option(4)}" in seat.text)


async def test_wide_shows_the_codebook_beside_the_request(chair: Make) -> None:
    seat = await chair(requests=["A request to see."] * 4).walk_to("main:")
    async with seat.sit((120, 40)):
        await seat.press("question_mark")
        await seat.until(lambda: f"definition of {seat.option(1)}" in seat.text)
        assert "A request to see." in seat.text


async def test_f1_in_the_note_explains_the_note(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("n", "question_mark", "f1")
        assert "Enter begins a new line" in seat.text
        await seat.press("escape", "escape")
        assert seat.screen.query_one(NoteField).text == "?"


# -- back --------------------------------------------------------------------------------------


async def test_going_back_shows_the_answers_and_a_change_is_a_revision(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2", "a", "3", "escape", "s", "4", "n", *"first", "escape", "enter")
        first = seat.annotations()[0]
        await seat.press("p")
        assert seat.step.id.endswith(first.item)
        assert (seat.table.dominant, seat.table.additional) == (seat.option(2), (seat.option(3),))
        assert seat.screen.query_one(Scale).value == 4
        assert seat.screen.query_one(NoteField).text == "first"
        await seat.press("5", "enter")
        second = seat.annotations()[1]
        assert (second.item, second.revision, second.dominant) == (first.item, 2, seat.option(5))
        assert (second.additional, second.confidence, second.note) == ((seat.option(3),), 4, "first")
        assert not seat.step.id.endswith(first.item)
        assert len(seat.annotations()) == 2


async def test_looking_back_without_a_change_is_no_revision(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press(*COMPLETE, "enter", "p", "n", "escape", "enter")
        assert len(seat.annotations()) == 1
        assert "revisit_left" in seat.kinds()


async def test_the_first_item_offers_no_way_back(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        assert "previous" not in seat.text.lower()
        step = seat.step.id
        await seat.press("p")
        assert seat.step.id == step
        await seat.press(*COMPLETE, "enter")
        assert "p previous" in seat.text


# -- time and room -----------------------------------------------------------------------------


async def test_a_rest_is_suggested_after_a_while_and_without_a_number(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        assert "rest" not in seat.says
        seat.sitting.clock.move(minutes=11)
        await seat.press(*COMPLETE, "enter")
        assert "rest" in seat.says
        assert not any(one.isdigit() for one in seat.says)


async def test_a_resize_loses_nothing(chair: Make) -> None:
    seat = await chair(requests=["A long request. " * 100] * 4).walk_to("main:")
    async with seat.sit():
        await seat.press("2", "a", "3", "escape", "s", "4", "n", *"half")
        for size in ((120, 40), (81, 24), (40, 12), (100, 30), (80, 24)):
            await seat.resize(*size)
        assert seat.app.focused.id == "note"
        assert seat.screen.query_one(NoteField).text == "half"
        await seat.press("escape", "enter")
    made = seat.annotations()[0]
    assert (made.dominant, made.additional, made.confidence, made.note) == (
        seat.option(2), (seat.option(3),), 4, "half",
    )  # fmt: skip


async def test_too_small_a_window_asks_for_room_and_takes_no_answer(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("2")
        await seat.resize(40, 12)
        await seat.until(lambda: "larger" in seat.text)
        assert "40 columns and 12 rows" in seat.text
        before = seat.kinds()
        await seat.press("3", "enter")
        assert seat.kinds() == before
        await seat.resize(80, 24)
        await seat.until(lambda: "larger" not in seat.text)
        assert seat.table.dominant == seat.option(2)
        await seat.press("3")
        assert seat.table.dominant == seat.option(3)


async def test_a_dialogue_before_the_request_is_shown(chair: Make) -> None:
    seat = await chair(context=CONTEXT).walk_to("main:")
    async with seat.sit():
        assert "Before" in seat.text
        assert "Write two helpers." in seat.text
        assert "The request" in seat.text
        await seat.press("1", "0", "s", "1", "enter")
        assert seat.annotations()
