"""A dialogue in the plain mode: everything the screen offers, line by line."""

from __future__ import annotations

import io
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.chats import ASK, FAIL, PASS, NoDialogues, WordJudge, roleplay_study
from support.dictated import Dictated
from support.programs import Wire
from support.visits import Sitting

from capa_tui import plain_chat
from capa_tui.plain import Plain
from capa_tui.plain_chat import Flow
from studies.conversation import Conversation
from studies.roleplay.payloads import ReplyEnded, SessionEnded, TurnSubmitted
from studies.runner import Visit

ONWARD = {"Press Enter to go on.": "", "Answer yes or no.": "yes"}
OPENING = "Do number 1 for me."


class Talking:
    """Both ends of a plain dialogue, and the assistant's chair."""

    def __init__(self, sitting: Sitting | None = None, **roleplay: Any) -> None:
        self.sitting = sitting or Sitting(roleplay_study(**{"conditions": ("none",), **roleplay}))
        self.assistant = Dictated()
        visit = Visit(self.sitting.study, self.sitting.events, self.sitting.journal, self.sitting.clock)
        visit.live = Conversation(visit, self.assistant, WordJudge(), NoDialogues())
        self.wire = Wire(lambda source, out: Plain(visit, source, out))

    async def until(self, wanted: str) -> list[str]:
        """Read on, going past pages and consent, to a line that begins with `wanted`."""
        seen = []
        while True:
            line = await self.wire.line()
            seen.append(line)
            if line.startswith(wanted):
                return seen
            if line in ONWARD:
                self.wire.send(ONWARD[line])

    async def open(self) -> None:
        """Send the opening request."""
        await self.until("Write yes to send it as it is.")
        self.wire.send("yes")
        await self.awaited()

    async def awaited(self) -> None:
        """Wait until the assistant is asked."""
        await self.until("Waiting for the reply.")
        await self.assistant.asked.wait()

    async def reply(self, text: str) -> list[str]:
        """A whole reply."""
        self.assistant.say(text)
        self.assistant.end()
        return await self.until("End of the reply.")

    async def hang_up(self) -> None:
        self.wire.hang_up()
        assert await self.wire.end() == 0

    def said(self, sort: type[Any]) -> list[Any]:
        return [one.payload for one in self.sitting.events if isinstance(one.payload, sort)]

    def requests(self) -> list[str]:
        return [one.text for one in self.said(TurnSubmitted)]

    def statuses(self) -> list[str]:
        return [one.status for one in self.said(ReplyEnded)]


async def test_a_task_line_by_line() -> None:
    talk = Talking()
    seen = await talk.until("Write yes to send it as it is.")
    assert "Task 1 of 3, with Assistant A." in seen
    assert "Turn 1 of 3." in seen
    assert OPENING in seen
    talk.wire.send("no")
    await talk.open()
    assert talk.requests() == [OPENING]
    seen = await talk.reply("Do you mean one,\nor the other?")
    assert seen[-4:] == ["Assistant A:", "Do you mean one,", "or the other?", "End of the reply."]
    await talk.until("Write your message; an empty line sends it.")
    talk.wire.send("the second\r")
    talk.wire.send("as always")
    talk.wire.send("")
    await talk.awaited()
    assert talk.requests()[1:] == ["the second\nas always"]
    await talk.reply(PASS)
    await talk.until("This task has ended.")
    await talk.hang_up()
    assert [one.disposition for one in talk.said(SessionEnded)] == ["solved"]


async def test_a_reply_is_printed_as_it_comes() -> None:
    talk = Talking()
    await talk.open()
    talk.assistant.say("First line\n")
    assert (await talk.until("First line"))[-2] == "Assistant A:"
    talk.assistant.say("second ", "line")
    talk.assistant.end()
    assert await talk.until("End of") == ["second line", "End of the reply."]
    await talk.hang_up()


async def test_stop_uses_the_turn_and_says_so() -> None:
    talk = Talking()
    await talk.open()
    talk.assistant.say("Half of \n")
    await talk.until("Half of")
    talk.wire.send("/stop")
    seen = await talk.until("Turn 2 of 3.")
    assert "You stopped this reply. It counts as turn 1." in seen
    assert talk.statuses() == ["stopped"]
    talk.wire.send("/stop")
    await talk.until("Not taken: no reply is on its way")
    await talk.hang_up()


async def test_a_broken_reply_is_asked_for_again() -> None:
    talk = Talking()
    await talk.open()
    talk.assistant.say("The beginning ")
    talk.assistant.end("failed", "The server did not answer.")
    seen = await talk.until("Write /retry")
    assert any("The server did not answer." in one for one in seen)
    talk.wire.send("something else")
    await talk.until("Write /retry")
    talk.wire.send("/retry")
    await talk.awaited()
    await talk.reply(ASK)
    seen = await talk.until("Write your message")
    assert seen[-3:-1] == ["You have written already:", "something else"]
    assert talk.statuses() == ["failed", "complete"]
    assert len(talk.requests()) == 1
    await talk.hang_up()


async def test_what_is_written_while_a_reply_comes_is_kept_and_not_sent() -> None:
    talk = Talking()
    await talk.open()
    talk.wire.send("too")
    talk.wire.send("")
    talk.wire.send("/help")
    await talk.until("Commands in a conversation")
    await talk.reply(ASK)
    seen = await talk.until("Write your message")
    assert "What you wrote meanwhile is kept; it was not sent." in seen
    assert len(talk.requests()) == 1
    talk.wire.send("early")
    talk.wire.send("")
    await talk.awaited()
    assert talk.requests()[1:] == ["too\n\nearly"]
    await talk.hang_up()


async def test_a_long_message_is_asked_about() -> None:
    talk = Talking()
    await talk.open()
    await talk.reply(ASK)
    await talk.until("Write your message")
    talk.wire.send("x" * 501)
    talk.wire.send("")
    await talk.until("This message has 501 characters.")
    talk.wire.send("no")
    await talk.until("Write your message")
    assert len(talk.requests()) == 1
    talk.wire.send("")
    await talk.until("This message has 501 characters.")
    talk.wire.send("yes")
    await talk.awaited()
    assert talk.requests()[1:] == ["x" * 501]
    await talk.hang_up()


async def test_brief_and_dialogue_can_be_read_again() -> None:
    talk = Talking()
    await talk.open()
    talk.wire.send("/brief")
    await talk.until("The secret of 1.")
    await talk.reply(ASK)
    await talk.until("Write your message")
    talk.wire.send("/again")
    seen = await talk.until("Write your message")
    assert seen[:2] == [f"You: {OPENING}", f"Assistant A: {ASK}"]
    await talk.hang_up()


@pytest.mark.parametrize("when", ["asking", "replying"])
async def test_ending_asks_for_the_word_before_turn_three(when: str) -> None:
    talk = Talking()
    await talk.open()
    if when == "asking":
        await talk.reply(ASK)
        await talk.until("Write your message")
    else:
        talk.assistant.say("Some \n")
        await talk.until("Some")
    talk.wire.send("/end")
    await talk.until('Write "end"')
    talk.wire.send("")
    talk.wire.send("/end")
    await talk.until('Write "end"')
    talk.wire.send("end")
    await talk.until("This task has ended.")
    await talk.hang_up()
    assert [one.disposition for one in talk.said(SessionEnded)] == ["gave_up"]
    assert talk.statuses() == ["complete" if when == "asking" else "stopped"]


async def test_ending_is_free_after_turn_three() -> None:
    talk = Talking(turns=8)
    await talk.open()
    for _ in range(2):
        await talk.reply(ASK)
        await talk.until("Write your message")
        talk.wire.send("no\n")
        await talk.awaited()
    await talk.reply(ASK)
    await talk.until("Write your message")
    talk.wire.send("/end")
    seen = await talk.until("This task has ended.")
    assert len(seen) == 1
    await talk.hang_up()


async def test_the_participant_says_that_it_is_done() -> None:
    talk = Talking(feedback="participant_decides")
    await talk.open()
    await talk.reply(PASS)
    await talk.until("Write your message")
    talk.wire.send("/done")
    await talk.until("This task has ended.")
    await talk.hang_up()
    (ended,) = talk.said(SessionEnded)
    assert (ended.disposition, ended.declared) == ("solved", True)


async def test_a_verdict_is_said_where_the_study_says_so() -> None:
    talk = Talking(feedback="passed_or_not")
    await talk.open()
    await talk.reply(FAIL)
    await talk.until("The code does not do what is wanted yet.")
    talk.wire.send("no\n")
    await talk.awaited()
    await talk.reply(PASS)
    assert (await talk.until("This task has ended."))[-2] == "The code does what is wanted."
    await talk.hang_up()


@pytest.mark.parametrize("way", ["/pause", "hang up"])
async def test_leaving_in_the_middle_of_a_reply_costs_no_turn(way: str) -> None:
    talk = Talking()
    await talk.open()
    talk.assistant.say("Some \n")
    await talk.until("Some")
    if way == "/pause":
        talk.wire.send(way)
    else:
        talk.wire.hang_up()
    assert await talk.wire.end() == 0
    assert talk.statuses() == ["interrupted"]
    assert talk.sitting.kinds()[-1] == "visit_ended"
    again = Talking(talk.sitting)
    seen = await again.until("Write /retry")
    assert "This reply was interrupted." in seen
    again.wire.send("/retry")
    await again.awaited()
    await again.reply(ASK)
    await again.hang_up()
    assert again.statuses() == ["interrupted", "complete"]


async def test_withdrawing_in_the_middle_of_a_reply() -> None:
    talk = Talking()
    await talk.open()
    talk.wire.send("/withdraw")
    await talk.until('Write "withdraw"')
    talk.wire.send("withdraw")
    assert await talk.wire.end() == 0
    assert talk.sitting.kinds()[-1] == "participation_withdrawn"


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_what_could_not_be_stored_is_stored_once(when: str) -> None:
    talk = Talking()
    await talk.open()
    setattr(talk.sitting.journal, when, 1)
    talk.assistant.say(ASK)
    talk.assistant.end()
    await talk.until("Not saved yet:")
    talk.wire.send("")
    await talk.until("Write your message")
    setattr(talk.sitting.journal, when, 1)
    talk.wire.send("hi\n")
    await talk.until("Not saved yet:")
    talk.wire.send("")
    await talk.until("Write your message")
    talk.wire.send("")
    await talk.awaited()
    assert talk.requests()[1:] == ["hi"]
    assert talk.statuses() == ["complete"]
    assert len(talk.assistant.calls) == 2
    await talk.hang_up()


async def test_it_says_that_it_is_still_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_chat, "STILL_SECONDS", 0.001)
    talk = Talking()
    await talk.open()
    await talk.until("Still waiting, 0 seconds.")
    assert talk.statuses() == [], "the reply is still to come"
    await talk.reply(ASK)
    await talk.hang_up()
    assert talk.statuses() == ["complete"]
    assert len(talk.assistant.calls) == 1


async def test_nothing_that_was_said_reaches_the_terminal_as_a_command() -> None:
    hostile = "red \x1b[31m bell \x07 osc \x1b]0;x\x07 c1 \x9b2J bidi \u202e cr \r end"
    talk = Talking()
    await talk.open()
    talk.assistant.say(*hostile)
    talk.assistant.end()
    seen = "\n".join(await talk.until("End of the reply."))
    talk.wire.send("/again")
    seen += "\n".join(await talk.until("Write your message"))
    assert not [one for one in seen if one < " " and one != "\n"]
    assert not {"\u202e", "\x9b"} & set(seen)
    assert "\\x1b[31m" in seen
    await talk.hang_up()


@given(st.text("ab \n\t\r", max_size=300), st.lists(st.integers(1, 7), min_size=1))
def test_what_flows_is_what_came_broken_between_words(text: str, sizes: list[int]) -> None:
    out, at, turn = io.StringIO(), 0, 0
    flow = Flow(out)
    while at < len(text):
        flow.write(text[at : at + sizes[turn % len(sizes)]])
        at, turn = at + sizes[turn % len(sizes)], turn + 1
    flow.end()
    printed = out.getvalue()
    assert printed.replace("\\x0d", "\r").split() == text.split()
    assert "\r" not in printed
    words = max(map(len, printed.split()), default=0)
    assert all(len(line.rstrip()) <= max(78, words) for line in printed.split("\n"))
