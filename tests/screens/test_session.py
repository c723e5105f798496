"""The session screen: a dialogue by keys and mouse, and what happens without the participant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import pytest
from support.chats import ASK, FAIL, PASS, NoDialogues, WordJudge, roleplay_study
from support.dictated import Dictated
from textual import events
from textual.keys import _character_to_key

from screens import replying
from screens.done import DoneScreen
from screens.form import FormScreen
from screens.session import SessionScreen
from screens.widgets.bars import KeyBar, hints
from screens.widgets.composer import BURST_SECONDS, Composer
from screens.widgets.said import Said
from studies.conversation import Conversation
from studies.roleplay.payloads import ReplyEnded, SessionEnded, TurnSubmitted

Make = Callable[..., Any]
QUESTION = {"id": "fit", "text": "Did it understand?", "kind": "choice", "options": ["yes", "no"]}


@pytest.fixture
def table(chair: Make) -> Make:
    """Makes a chair before a role-play: an assistant that the test dictates, a judge that knows a word."""

    class Table(type(chair())):  # type: ignore[misc]
        def application(self, *visit: Any) -> Any:
            app = super().application(*visit)
            self.live = Conversation(self.visit, self.assistant, self.judge, self.dialogues)
            self.visit.live = self.live
            return app

    async def make(*, until: str = "session:", task: dict[str, Any] | None = None, **roleplay: Any) -> Any:
        made = roleplay_study(**{"held_out": 2, "conditions": ("none",), **roleplay})
        if task:
            changed = tuple(one.model_copy(update=task) for one in made.tasks)
            object.__setattr__(made, "tasks", changed)
            object.__setattr__(made, "_tasks", {one.id: one for one in changed})
        seat = Table(made)
        seat.assistant, seat.judge, seat.dialogues = Dictated(), WordJudge(), NoDialogues()
        return await seat.walk_to(until)

    return make


# -- doing -----------------------------------------------------------------------------------


def composer(seat: Any) -> Composer:
    return seat.screen.query_one(Composer)  # type: ignore[no-any-return]


async def opening(seat: Any) -> None:
    """Send the opening request."""
    await seat.press("enter")
    await seat.press("up", "enter")
    await seat.until(lambda: seat.assistant.open)


async def mode(seat: Any, wanted: str) -> None:
    """Wait until the participant may do that."""
    await seat.until(lambda: isinstance(seat.app.screen, SessionScreen) and seat.screen.mode == wanted)
    await seat.settle()


async def dialog(seat: Any, *texts: str) -> None:
    """Wait for a dialog that says this, and takes keys."""
    await seat.until(lambda: shows(seat, *texts) and seat.app.screen.is_open)


async def hears(seat: Any, text: str) -> None:
    """A whole reply arrives, and it is the participant's turn."""
    seat.assistant.say(text)
    seat.assistant.end()
    await mode(seat, "writing")


async def enter(seat: Any) -> None:
    """Press Enter, and wait until nothing has followed it."""
    await seat.press("enter")
    await seat.until(lambda: composer(seat)._pause is None)
    await seat.settle()


async def write(seat: Any, text: str) -> None:
    """Type a message and send it."""
    await seat.press(*[_character_to_key(one) for one in text])
    await seat.press("enter")
    await seat.until(lambda: not composer(seat).text)


async def broken(seat: Any, status: str = "failed", error: str = "The server did not answer.") -> None:
    """The reply on its way breaks off."""
    seat.assistant.end(status, error)
    await mode(seat, "broken")


def said(seat: Any, sort: type[Any]) -> list[Any]:
    return [one.payload for one in seat.sitting.events if isinstance(one.payload, sort)]


def requests(seat: Any) -> list[str]:
    return [one.text for one in said(seat, TurnSubmitted)]


def statuses(seat: Any) -> list[str]:
    return [one.status for one in said(seat, ReplyEnded)]


def offered(seat: Any) -> dict[str, str]:
    """What the key bar offers: words by key."""
    return {one.keys: one.text for one in hints(seat.screen)}


def shows(seat: Any, *texts: str) -> bool:
    return all(one in seat.text for one in texts)


def typed(seat: Any, text: str, *, at: float = 0.0) -> None:
    """Keys as a terminal sends them that knows no pastes: all at once."""
    began = at or time.monotonic()
    for one in text:
        name = {"\r": "enter", "\n": "ctrl+j"}.get(one) or _character_to_key(one)
        event = events.Key(name, one if one.isprintable() else None)
        event.time = began
        seat.app.post_message(event)


# -- the opening -----------------------------------------------------------------------------


async def test_the_opening_is_shown_asked_about_once_and_sent_as_it_is(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        assert shows(seat, "Task 1 of 3 · Assistant A", "turn 1 of 3", "Do number 1 for me.")
        await seat.press("enter")
        assert shows(seat, "Send this request?", "Do number 1 for me.")
        await seat.press("enter")
        assert requests(seat) == []
        await seat.press("enter", "enter")
        await seat.press("enter")
        assert requests(seat) == []
        await seat.press("up", "enter")
        await seat.until(lambda: seat.assistant.open)
        assert requests(seat) == ["Do number 1 for me."]
        assert shows(seat, "you  Do number 1 for me.", "waiting · 0 s")


async def test_a_free_opening_is_written(table: Make) -> None:
    seat = await table(opening="free")
    async with seat.sit():
        await write(seat, "Mine")
        await seat.until(lambda: seat.assistant.open)
        assert requests(seat) == ["Mine"]


# -- replies ---------------------------------------------------------------------------------


async def test_a_reply_streams_and_the_next_turn_begins(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        seat.assistant.say("Do you mean ", "**one** or ")
        await seat.until(lambda: shows(seat, "A    Do you mean one"))
        assert "receiving · 0 s" in seat.says
        seat.assistant.say("the other?")
        seat.assistant.end()
        await mode(seat, "writing")
        assert shows(seat, "A    Do you mean one or the other?", "turn 2 of 3")
        await write(seat, "the second")
        await seat.until(lambda: seat.assistant.open)
        assert [one.content for one in seat.assistant.calls[1].messages[-2:]] == [
            "Do you mean **one** or the other?",
            "the second",
        ]


async def test_waiting_is_said_in_words_with_seconds(table: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(replying, "monotonic", lambda: now)
    seat = await table()
    async with seat.sit():
        await opening(seat)
        assert seat.says == "waiting · 0 s"
        now += 12
        seat.screen._say_words()
        assert seat.says == "waiting · 12 s"
        seat.assistant.say("x ")
        await seat.until(lambda: seat.says == "receiving · 12 s")


async def test_while_a_reply_is_due_the_composer_keeps_and_does_not_send(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("s", "o")
        await enter(seat)
        assert "Not sent yet" in seat.says
        assert composer(seat).text == "so"
        await hears(seat, ASK)
        assert composer(seat).text == "so"
        assert requests(seat) == ["Do number 1 for me."]
        await seat.press("enter")
        await seat.until(lambda: len(seat.assistant.calls) == 2)
        assert requests(seat)[1:] == ["so"]


async def test_a_double_enter_sends_once_and_an_empty_message_not_at_all(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await enter(seat)
        await seat.press("space")
        await enter(seat)
        seat.journal.hold()
        await seat.press("h", "i", "enter", "enter")
        await seat.until(lambda: not composer(seat).text)
        await enter(seat)
        seat.journal.free.set()
        await seat.until(lambda: len(seat.assistant.calls) == 2)
        assert requests(seat)[1:] == [" hi"]
        assert "Not sent" not in seat.says


async def test_a_message_is_painted_at_once_and_its_reply_waits_for_the_disk(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        seat.journal.hold()
        await seat.press("h", "i", "enter")
        await seat.until(lambda: shows(seat, "you  hi", "saving...", "waiting"))
        assert len(seat.assistant.calls) == 1
        seat.journal.free.set()
        await seat.until(lambda: len(seat.assistant.calls) == 2)


async def test_what_names_the_maker_is_masked_and_the_model_is_never_named(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, "I am Claude, made by Anthropic. Which one?")
        assert shows(seat, "[this assistant]")
        assert "Claude" not in seat.text
        assert "Anthropic" not in seat.text
        assert "helper" not in seat.text


# -- writing ---------------------------------------------------------------------------------


async def test_lines_are_made_with_keys_of_every_terminal(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("a", "ctrl+j", "b", "shift+enter", "c")
        await seat.press("enter")
        await seat.until(lambda: len(requests(seat)) == 2)
        assert requests(seat)[1] == "a\nb\nc"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("bracketed", [True, False])
@pytest.mark.parametrize("trailing", [True, False])
async def test_a_paste_of_several_lines_is_one_message(
    table: Make, end: str, bracketed: bool, trailing: bool
) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        text = end.join(["one", "two", "", "three"]) + (end if trailing else "")
        if bracketed:
            seat.app.post_message(events.Paste(text))
        else:
            typed(seat, text)
        wanted = "one\ntwo\n\nthree" + ("\n" if trailing else "")
        await seat.until(lambda: composer(seat).text == wanted)
        await seat.until(lambda: composer(seat)._pause is None)
        assert composer(seat).text == wanted
        assert len(requests(seat)) == 1
        typed(seat, "\r", at=time.monotonic() + 1)
        await seat.until(lambda: len(requests(seat)) == 2)
        assert requests(seat)[1] == wanted


async def test_enter_that_confirms_an_input_method_does_not_send(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        early = time.monotonic()
        typed(seat, "日本\r", at=early)
        await seat.until(lambda: composer(seat).text == "日本" and composer(seat)._pause is not None)
        await seat.until(lambda: composer(seat)._pause is None)
        await seat.settle()
        assert composer(seat).text == "日本"
        assert len(requests(seat)) == 1
        typed(seat, "\r", at=early + 2 * BURST_SECONDS)
        await seat.until(lambda: len(requests(seat)) == 2)
        assert requests(seat)[1] == "日本"


@pytest.mark.parametrize("bracketed", [True, False])
async def test_a_long_paste_is_asked_about_once(table: Make, bracketed: bool) -> None:
    seat = await table()
    text = "word " * 101
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        if bracketed:
            seat.app.post_message(events.Paste(text))
        else:
            typed(seat, text)
        await seat.until(lambda: composer(seat).text == text)
        typed(seat, "\r", at=time.monotonic() + 1)
        await dialog(seat, "Send what you pasted?", "505 characters")
        await seat.press("enter")
        await seat.until(lambda: seat.app.screen is seat.screen)
        assert len(requests(seat)) == 1
        assert composer(seat).text == text
        await seat.press("enter")
        await seat.until(lambda: len(requests(seat)) == 2)
        assert requests(seat)[1] == text


async def test_a_short_paste_is_not_asked_about(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        seat.app.post_message(events.Paste("x" * 500))
        await seat.settle()
        await seat.press("enter")
        await seat.until(lambda: len(requests(seat)) == 2)


async def test_a_draft_comes_back_after_a_crash(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("h", "a", "l", "f")
        await seat.until(lambda: "half" in seat.journal.kept.values())
    async with seat.sit():
        assert composer(seat).text == "half"
        await seat.press("!", "enter")
        await seat.until(lambda: len(requests(seat)) == 2)
        assert requests(seat)[1] == "half!"
        await seat.until(lambda: not seat.journal.kept)


async def test_what_was_written_while_a_reply_came_is_kept_with_the_turn_after_it(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("s", "o")
        await seat.until(lambda: list(seat.journal.kept.values()) == ["so"])
        await hears(seat, ASK)
        await seat.until(lambda: [ask[-1] for _, ask in seat.journal.kept] == ["2"])
    async with seat.sit():
        assert composer(seat).text == "so"


async def test_what_was_written_during_a_reply_that_the_crash_broke_is_kept(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("s", "o")
        await seat.until(lambda: "so" in seat.journal.kept.values())
    async with seat.sit():
        await mode(seat, "broken")
        await seat.press("r")
        await hears(seat, ASK)
        assert composer(seat).text == "so"


# -- stop, retry -----------------------------------------------------------------------------


async def test_escape_stops_the_reply_and_says_that_it_used_the_turn(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        assert offered(seat)["esc"] == "stop"
        seat.assistant.say("Half of ", "a thought")
        await seat.until(lambda: shows(seat, "Half of"))
        await seat.press("escape")
        await mode(seat, "writing")
        assert statuses(seat) == ["stopped"]
        assert seat.assistant.closed == 1
        assert shows(seat, "Half of a thought", "You stopped this reply. It counts as turn 1.", "turn 2 of 3")
        assert "esc" not in offered(seat)


@pytest.mark.parametrize("status", ["failed", "interrupted"])
@pytest.mark.parametrize("key", ["r", "enter"])
async def test_a_broken_reply_is_said_in_words_and_asked_for_again_by_one_key(
    table: Make, status: str, key: str
) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        seat.assistant.say("The beginning ", "of it")
        await seat.until(lambda: shows(seat, "The beginning"))
        await broken(seat, status)
        assert shows(
            seat, "The beginning of it", "The server did not answer.", "it costs no turn", "turn 1 of 3"
        )
        assert offered(seat)["enter/r"] == "try again"
        await seat.press(key)
        await seat.until(lambda: len(seat.assistant.calls) == 2)
        seat.assistant.say("All ")
        await seat.until(lambda: shows(seat, "A    All"))
        assert not shows(seat, "The beginning")
        await hears(seat, "of it")
        assert shows(seat, "A    All of it", "turn 2 of 3")
        assert statuses(seat) == [status, "complete"]
        assert len(requests(seat)) == 1


async def test_a_broken_reply_without_a_word(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await broken(seat)
        assert shows(seat, "This reply did not come through.")
        await seat.press("r")
        await seat.until(lambda: seat.assistant.open)
        await broken(seat)
        await seat.press("r")
        await seat.until(lambda: seat.assistant.open)
        await hears(seat, ASK)
        assert statuses(seat) == ["failed", "failed", "complete"]


# -- ways out --------------------------------------------------------------------------------


def dispositions(seat: Any) -> list[str]:
    return [one.disposition for one in said(seat, SessionEnded)]


async def test_ending_a_task_asks_before_turn_three_and_is_free_after_it(table: Make) -> None:
    seat = await table(turns=8, after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        for n in range(3):
            assert "End this task" not in seat.text
            await hears(seat, f"Question {n}?")
            await seat.press("f8") if n < 2 else None
            if n < 2:
                assert shows(seat, "End this task?", "A few more answers may help")
                await seat.press("enter")
                await write(seat, "no")
                await seat.until(lambda: seat.assistant.open)
        assert shows(seat, "End this task")
        await seat.press("f8")
        assert isinstance(seat.screen, FormScreen)
        assert dispositions(seat) == ["gave_up"]


async def test_ending_with_an_unsent_message_asks(table: Make) -> None:
    seat = await table(turns=8)
    async with seat.sit():
        await opening(seat)
        for _ in range(2):
            await hears(seat, ASK)
            await write(seat, "no")
            await seat.until(lambda: seat.assistant.open)
        await hears(seat, ASK)
        await seat.press("x", "f8")
        assert shows(seat, "What you have written is not sent.")
        await seat.press("escape")
        assert composer(seat).text == "x"
        assert dispositions(seat) == []


async def test_ending_in_the_middle_of_a_reply_stops_it(table: Make) -> None:
    seat = await table(after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        await seat.press("f8")
        assert shows(seat, "The reply that is on its way is stopped")
        await seat.press("up", "enter")
        await seat.until(lambda: isinstance(seat.screen, FormScreen))
    assert statuses(seat) == ["stopped"]
    assert dispositions(seat) == ["gave_up"]
    assert seat.assistant.closed == 1


async def test_ending_a_task_whose_reply_broke_off(table: Make) -> None:
    seat = await table(after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        await broken(seat)
        await seat.click("#end")
        await seat.press("up", "enter")
        assert isinstance(seat.screen, FormScreen)
    assert dispositions(seat) == ["technical"]


async def test_pausing_in_the_middle_of_a_reply_breaks_it_off_first(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        seat.assistant.say("Some ", "words")
        await seat.until(lambda: shows(seat, "Some"))
        await seat.press("f9")
        assert shows(seat, "Pause here?", "The reply that is on its way breaks off")
        await seat.press("enter")
        assert seat.assistant.open
        await seat.press("f9", "up", "enter")
        assert isinstance(seat.screen, DoneScreen)
        await seat.press("enter")
    assert seat.done.end == "paused"
    assert [one for one in seat.kinds() if one != "activity"][-2:] == ["reply_ended", "visit_ended"]
    async with seat.sit():
        assert shows(seat, "Some words", "You left while the reply was on its way.", "turn 1 of 3")
        await seat.press("r")
        await hears(seat, ASK)
    assert statuses(seat) == ["interrupted", "complete"]


async def test_withdrawing_in_the_middle_of_a_reply(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("f10", "up", "up", "up", "enter")
        await seat.press("up", "enter")
        assert isinstance(seat.screen, DoneScreen)
    assert seat.kinds()[-1] == "participation_withdrawn"
    assert seat.assistant.closed == 1


async def test_a_lost_terminal_leaves_the_reply_to_be_asked_for_again(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        seat.assistant.say("Some ", "words")
        await seat.until(lambda: shows(seat, "Some"))
        await seat.press("s", "o")
        await seat.flow.hang_up()
    assert seat.kinds()[-1] == "visit_ended"
    assert statuses(seat) == []
    async with seat.sit():
        assert statuses(seat) == ["interrupted"]
        assert shows(seat, "The program was closed while the reply was on its way.")
        await seat.press("r")
        await hears(seat, ASK)
        assert composer(seat).text == "so"


@pytest.mark.parametrize("words", [ASK, PASS])
async def test_what_was_due_when_the_program_was_killed_is_done(table: Make, words: str) -> None:
    seat = await table()
    visit = await seat.sitting.visit()
    await visit.answer(visit.current.ask_id("message"), "Do number 1 for me.")
    async with seat.sit():
        await seat.until(lambda: seat.assistant.open)
        assert seat.says == "waiting · 0 s"
        seat.assistant.say(words)
        seat.assistant.end()
        await mode(seat, "writing" if words == ASK else "over")
    assert statuses(seat) == ["complete"]


async def test_a_verdict_that_was_due_is_given(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        seat.assistant.say(FAIL)
        seat.assistant.end()
        await mode(seat, "writing")
    stream = seat.journal.events[seat.sitting.stream]
    cut = next(n for n, one in enumerate(stream) if one.kind == "verdict_given")
    del stream[cut:]
    async with seat.sit():
        await mode(seat, "writing")
        assert shows(seat, "turn 2 of 3")
    assert seat.kinds().count("verdict_given") == 1
    assert len(seat.assistant.calls) == 1


# -- ends ------------------------------------------------------------------------------------


async def test_the_last_reply_can_be_read_before_the_next_step_comes(table: Make) -> None:
    seat = await table(after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        seat.assistant.say(PASS)
        seat.assistant.end()
        await mode(seat, "over")
        assert shows(seat, "return 'right'", "This task has ended", "turn 1 of 3")
        assert "passed" not in seat.text
        assert not {"send", "stop", "end task"} & set(offered(seat).values())
        await seat.press("enter")
        assert isinstance(seat.screen, FormScreen)
    assert dispositions(seat) == ["solved"]


async def test_the_limit_of_turns_ends_the_task_without_a_verdict(table: Make) -> None:
    seat = await table(turns=1, after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        seat.assistant.say(FAIL)
        seat.assistant.end()
        await mode(seat, "over")
        assert shows(seat, "turn 1 of 1", "This task has ended")
        await seat.click("#go-on")
        assert isinstance(seat.screen, FormScreen)
    assert dispositions(seat) == ["limit"]


async def test_a_verdict_is_said_only_where_the_study_says_so(table: Make) -> None:
    for feedback, told in (("stop_only", False), ("passed_or_not", True)):
        seat = await table(feedback=feedback)
        async with seat.sit():
            await opening(seat)
            await hears(seat, FAIL)
            assert shows(seat, "The code does not do what is wanted yet.") is told
            assert "line 2" not in seat.text
            if told:
                await write(seat, "no")
                await seat.until(lambda made=seat: made.assistant.open)
                assert not shows(seat, "not do what is wanted")
                seat.assistant.say(PASS)
                seat.assistant.end()
                await mode(seat, "over")
                assert shows(seat, "The code does what is wanted.")


@pytest.mark.parametrize("way", ["f4", "#done"])
async def test_the_participant_says_that_it_is_done(table: Make, way: str) -> None:
    seat = await table(feedback="participant_decides", after=[QUESTION])
    async with seat.sit():
        await opening(seat)
        assert "it is done" not in offered(seat).values()
        await hears(seat, PASS)
        assert offered(seat)["f4"] == "it is done"
        await (seat.press(way) if way == "f4" else seat.click(way))
        assert isinstance(seat.screen, FormScreen)
    (ended,) = said(seat, SessionEnded)
    assert (ended.disposition, ended.declared) == ("solved", True)


async def test_after_a_long_time_it_asks_once_and_cuts_nothing(table: Make) -> None:
    seat = await table(turns=8, soft_minutes=15)
    async with seat.sit():
        await opening(seat)
        seat.sitting.clock.move(minutes=14)
        await hears(seat, ASK)
        assert not shows(seat, "Go on with this task?")
        await write(seat, "a")
        await seat.until(lambda: seat.assistant.open)
        seat.sitting.clock.move(minutes=2)
        seat.assistant.end(text=ASK)
        await dialog(seat, "Go on with this task?")
        await seat.press("enter")
        assert seat.screen.mode == "writing"
        await write(seat, "b")
        await seat.until(lambda: seat.assistant.open)
        seat.sitting.clock.move(minutes=30)
        await hears(seat, ASK)
        assert seat.app.screen is seat.screen
        assert dispositions(seat) == []


async def test_a_spending_limit_ends_politely(table: Make) -> None:
    seat = await table(study_budget=0.1)
    seat.dialogues = NoDialogues(spent=0.2)
    async with seat.sit():
        await seat.press("enter")
        await seat.press("up", "enter")
        await seat.until(lambda: isinstance(seat.screen, DoneScreen))
        assert seat.assistant.calls == []
    assert dispositions(seat) == ["spend_cap"]


# -- storing ---------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_a_message_that_could_not_be_stored_is_sent_once_it_can(table: Make, when: str) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("h", "i")
        await seat.until(lambda: "hi" in seat.journal.kept.values())
        setattr(seat.journal, when, 1)
        await seat.press("enter")
        await dialog(seat, "not saved yet")
        await seat.press("enter")
        await seat.until(lambda: seat.assistant.open)
    assert requests(seat)[1:] == ["hi"]


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_a_reply_that_could_not_be_stored_is_not_asked_for_twice(table: Make, when: str) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        setattr(seat.journal, when, 1)
        seat.assistant.say(ASK)
        seat.assistant.end()
        await dialog(seat, "not saved yet")
        await seat.press("enter")
        await mode(seat, "writing")
        assert shows(seat, ASK)
    assert len(seat.assistant.calls) == 1
    assert statuses(seat) == ["complete"]


async def test_closing_after_a_failure_keeps_the_message_as_a_draft(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("h", "i")
        seat.journal.broken = "the disk is full"
        await seat.press("enter")
        await dialog(seat, "the disk is full")
        await seat.press("up", "enter")
    assert seat.done.end == "paused"
    seat.journal.broken = None
    async with seat.sit():
        assert composer(seat).text == "hi"


# -- panes -----------------------------------------------------------------------------------


async def test_narrow_the_brief_is_one_key_away_and_one_can_write_below_it(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        assert "The secret of 1." not in seat.text
        await seat.press("f2", "h", "i")
        assert shows(seat, "Mara, lab technician", "The secret of 1.", "hi")
        assert offered(seat)["esc"] == "close"
        await seat.press("escape")
        assert "The secret of 1." not in seat.text
        await seat.press("tab")
        assert shows(seat, "The secret of 1.")
        assert seat.screen.focused.id == "brief"
        await seat.press("tab")
        assert "The secret of 1." not in seat.text
        assert seat.screen.focused.id == "transcript"
        await seat.press("tab", "!")
        assert composer(seat).text == "hi!"
        await seat.press("shift+tab", "shift+tab")
        assert seat.screen.focused.id == "brief"


async def test_wide_the_brief_is_beside_the_dialogue(table: Make) -> None:
    seat = await table()
    async with seat.sit((120, 40)):
        await opening(seat)
        await hears(seat, ASK)
        assert shows(seat, "The secret of 1.", ASK, "She says it short.")
        assert "your part" not in offered(seat).values()
        await seat.press("tab")
        assert seat.screen.focused.id == "brief"
        assert shows(seat, ASK)


async def test_page_keys_scroll_what_can_be_seen(table: Make) -> None:
    seat = await table(task={"brief": "\n\n".join(f"Line {n}." for n in range(40))})
    async with seat.sit():
        await opening(seat)
        await hears(seat, "\n\n".join(f"Row {n}." for n in range(40)))
        assert shows(seat, "Row 39.")
        await seat.press("pageup")
        assert not shows(seat, "Row 39.")
        await seat.press("f2")
        assert shows(seat, "Mara, lab technician")
        await seat.press("pagedown")
        assert not shows(seat, "Mara, lab technician")
        await seat.press("escape", "pagedown")
        assert shows(seat, "Row 39.")


async def test_scrolling_up_is_not_fought_and_the_end_is_followed(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        transcript = seat.screen.transcript
        for n in range(40):
            seat.assistant.say(f"Row {n}.\n\n")
        await seat.until(lambda: shows(seat, "Row 39."))
        await seat.press("pageup")
        at = transcript.scroll_y
        for n in range(40, 80):
            seat.assistant.say(f"Row {n}.\n\n")
        await seat.until(lambda: "Row 79." in seat.screen.query(Said).last().text)
        await seat.settle()
        assert transcript.scroll_y == at
        await seat.press("tab", "tab", "end")
        seat.assistant.say("Row 80.\n\n", "end")
        seat.assistant.end()
        await mode(seat, "writing")
        await seat.until(lambda: shows(seat, "Row 80."))


async def test_resizing_while_a_reply_streams_loses_nothing(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        words = [f"word{n}" for n in range(60)]
        for n, one in enumerate(words):
            seat.assistant.say(one + " ")
            if n % 20 == 10:
                width = 120 if n % 40 == 10 else 80
                await seat.pilot.resize_terminal(width, 40)
                await seat.settle()
        seat.assistant.end()
        await mode(seat, "writing")
        lines = seat.screen.query(Said).last().lines(60)
        assert " ".join(one.text.plain for one in lines).split() == words


# -- what anybody may have written -----------------------------------------------------------

HOSTILE = (
    "[/b] [red]x[/red] [@click=app.quit]here[/] \x1b[31m \x1b]0;t\x07 \u202eRTL \x9b2J עברית " + "long" * 60
)


async def test_nothing_that_was_written_acts(table: Make) -> None:
    task = {"opening": HOSTILE, "brief": HOSTILE, "speaks": HOSTILE}
    seat = await table(task=task, feedback="failing_case")
    async with seat.sit((120, 40)):
        await opening(seat)
        seat.assistant.say(*HOSTILE)
        await broken(seat, error=HOSTILE)
        assert shows(seat, "[@click=app.quit]here[/]", "\\x1b[31m", "\\u202eRTL")
        await seat.press("r")
        await seat.until(lambda: seat.assistant.open)
        await hears(seat, HOSTILE)
        seat.app.post_message(events.Paste(HOSTILE))
        await seat.settle()
        for widget in (*seat.screen.query(Said), seat.screen.brief):
            for y in range(min(6, widget.size.height)):
                for x in range(0, min(60, widget.size.width), 5):
                    await seat.pilot.click(widget, offset=(x, y))
        await seat.settle()
        assert isinstance(seat.app.screen, SessionScreen)
        assert not set("\x1b\x07\x9b\u202e") & set(seat.text)


async def test_a_long_piece_of_code_is_shown_whole(table: Make) -> None:
    seat = await table()
    code = "".join(f"    value_{n} = compute(first, second, third_{n})  # {n}\n" for n in range(80))
    assert len(code) > 4000
    async with seat.sit():
        await opening(seat)
        seat.assistant.say("```python\ndef g(x):\n")
        for n in range(0, len(code), 40):
            seat.assistant.say(code[n : n + 40])
        await hears(seat, "```")
        lines = [one.text.plain.strip() for one in seat.screen.query(Said).last().lines(70)]
        assert [one for one in lines if one] == ["def g(x):", *(one.strip() for one in code.splitlines())]


# -- keys, mouse, help -----------------------------------------------------------------------


async def test_the_key_bar_promises_what_works_in_each_phase(table: Make) -> None:
    seat = await table()
    judging = asyncio.Event()

    class Slow(WordJudge):
        async def judge(self, code: str, check: Any) -> Any:
            await judging.wait()
            return await super().judge(code, check)

    seat.judge = Slow()
    async with seat.sit():
        ways = {"help", "withdraw", "end task", "next pane", "your part"}
        assert set(offered(seat).values()) == ways | {"send it as it is", "pause"}
        await opening(seat)
        assert set(offered(seat).values()) == ways | {"new line", "stop", "pause"}
        await broken(seat)
        assert set(offered(seat).values()) == ways | {"try again", "pause"}
        await seat.press("r")
        await seat.until(lambda: seat.assistant.open)
        seat.assistant.say(PASS)
        seat.assistant.end()
        await seat.until(lambda: "one moment" in seat.says)
        await seat.settle()
        assert set(offered(seat).values()) == ways | {"new line", "pause"}
        judging.set()
        await mode(seat, "over")
        assert set(offered(seat).values()) == ways - {"end task"} | {"go on", "pause"}


async def test_a_whole_task_by_mouse(table: Make) -> None:
    seat = await table(turns=8)
    async with seat.sit():
        await seat.click("#send-opening")
        await seat.click("#choice-0")
        await seat.until(lambda: seat.assistant.open)
        await seat.click("#stop")
        await mode(seat, "writing")
        await seat.click("#show-brief")
        assert shows(seat, "The secret of 1.")
        await seat.click("#show-brief")
        seat.app.post_message(events.Paste("the second"))
        await seat.settle()
        await seat.click("#send")
        await seat.until(lambda: seat.assistant.open)
        await broken(seat)
        await seat.click("#retry")
        await seat.until(lambda: seat.assistant.open)
        seat.assistant.say(PASS)
        seat.assistant.end()
        await mode(seat, "over")
        await seat.click("#go-on")
        assert seat.step.kind == "rest"
    assert requests(seat)[1:] == ["the second"]
    assert dispositions(seat) == ["solved"]


@pytest.mark.parametrize("hint", ["send", "end task", "your part", "pause", "withdraw", "help"])
async def test_each_entry_of_the_key_bar_can_be_clicked(table: Make, hint: str) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("x")
        await seat.click_hint(hint)
        if hint == "send":
            await seat.until(lambda: len(requests(seat)) == 2)
        elif hint == "your part":
            assert shows(seat, "The secret of 1.")
        else:
            assert seat.app.screen is not seat.screen


async def test_help_explains_the_composer_and_all_keys(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("f1")
        assert shows(seat, "Enter sends it, ctrl+j begins a new line", "Stop the reply")


async def test_the_reply_goes_on_under_a_dialog(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await seat.press("f1")
        seat.assistant.say(ASK)
        seat.assistant.end()
        await seat.until(lambda: seat.screen.mode == "writing")
        await seat.press("f1")
        assert shows(seat, ASK, "turn 2 of 3")


async def test_signs_of_life_carry_the_panes(table: Make) -> None:
    seat = await table()
    async with seat.sit():
        await opening(seat)
        await hears(seat, ASK)
        await seat.press("f2", "escape")
        await write(seat, "x")
        await seat.until(lambda: seat.assistant.open)
    samples = [one.payload.samples for one in seat.sitting.events if one.kind == "activity"]
    assert {"key", "pane"} <= {sort for one in samples[-1:] for _, sort in one}


# -- looks -----------------------------------------------------------------------------------

REPLY = (
    "By *normalise*, do you mean:\n\n- scaling to 0-1, or\n- subtracting the mean and dividing by the "
    "standard deviation?\n\n```python\ndef scaled(values):\n    top = max(values)\n    "
    "return [one / top for one in values]\n```"
)
BRIEF = {
    "opening": "Normalise each reading like we do and flag the odd ones.",
    "brief": "For each reading subtract the mean, divide by the sample standard deviation, and mark what is "
    "beyond 2.\n\n- Nothing is rounded.\n- No list is empty.",
    "speaks": "She says *normalise* and never explains it. Answer what is asked; volunteer nothing.",
}
PHASES = ("opening", "asking", "replying", "broken", "panels")


async def reach(seat: Any, phase: str) -> None:
    await seat.settle()
    if phase == "opening":
        return
    await opening(seat)
    if phase == "replying":
        seat.assistant.say(*REPLY[:60])
        await seat.until(lambda: seat.screen.query(Said).last().text.endswith("or\n- "))
        await seat.settle()
    elif phase == "broken":
        seat.assistant.say(*REPLY[:60])
        await seat.until(lambda: shows(seat, "0-1, or"))
        await broken(seat, "interrupted", "The connection to the assistant was lost.")
    else:
        await hears(seat, REPLY)
        seat.app.post_message(events.Paste("the second, the way\nwe always do"))
        await seat.settle()
    if phase == "panels":
        await seat.press("tab")
    await seat.until(lambda: str(seat.screen.query_one(KeyBar).state) == "saved")


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("phase", PHASES)
def test_what_it_looks_like(
    table: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, phase: str, size: tuple[int, int]
) -> None:
    assert snapshot(table, snap_compare, monkeypatch, phase, size)


def test_what_it_looks_like_without_colours(
    table: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    assert snapshot(table, snap_compare, monkeypatch, "asking", (80, 24))


def snapshot(
    table: Make, snap_compare: Any, monkeypatch: pytest.MonkeyPatch, phase: str, size: tuple[int, int]
) -> bool:
    monkeypatch.setattr(replying, "monotonic", lambda: 0.0)
    monkeypatch.setattr(Composer, "cursor_blink", False)
    seat = asyncio.run(table(task=BRIEF, turns=8))
    app = seat.application()

    async def before(pilot: Any) -> None:
        seat.pilot = pilot
        await reach(seat, phase)

    return bool(snap_compare(app, run_before=before, terminal_size=size))
