"""A conversation that is cut off, or cannot be stored for a while: nothing twice, nothing left open."""

from __future__ import annotations

import asyncio

import pytest
from support.chats import ASK, Talk, roleplay_study, talk
from support.dictated import Dictated
from support.visits import at, walk

from studies.conversation import Conversation
from studies.errors import JournalError
from studies.steps import Step


async def asked(*replies: str) -> tuple[Talk, Step]:
    """A participant who may send the opening."""
    made = await talk(roleplay_study(), *replies)
    step = await walk(made.visit, at("session:"))
    assert isinstance(step, Step)
    return made, step


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_a_request_whose_storing_failed_can_be_repeated(when: str) -> None:
    made, step = await asked(ASK)
    ask = step.ask_id("message")
    setattr(made.sitting.journal, when, 1)
    with pytest.raises(JournalError):
        await made.visit.answer(ask, "Do number 1 for me.")
    await made.visit.answer(ask, "Do number 1 for me.")
    await made.visit.answer(ask, "Do number 1 for me.")
    assert made.sitting.kinds().count("turn_submitted") == 1


@pytest.mark.parametrize("when", ["fail_before", "fail_after"])
async def test_a_whole_reply_that_could_not_be_stored_is_not_asked_for_again(when: str) -> None:
    made, step = await asked(ASK)
    await made.visit.answer(step.ask_id("message"), "Do number 1 for me.")
    kinds = made.sitting.kinds

    def hear(heard: object) -> None:
        if kinds()[-1] == "reply_started":
            setattr(made.sitting.journal, when, 1)

    with pytest.raises(JournalError):
        await made.live.advance(hear)
    now = await made.live.advance()
    assert isinstance(now, Step)
    assert now.chat is not None
    assert (now.chat.phase, now.chat.turn) == ("asking", 2)
    assert len(made.assistant.calls) == 1
    assert kinds().count("reply_ended") == 1


async def test_a_conversation_that_is_cancelled_closes_its_reply() -> None:
    made, step = await asked()
    assistant = Dictated()
    live = Conversation(made.visit, assistant, made.judge, made.dialogues)
    await made.visit.answer(step.ask_id("message"), "Do number 1 for me.")
    running = asyncio.ensure_future(live.advance())
    await assistant.asked.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert assistant.closed == 1
    await made.sit()
    now = made.visit.current
    assert isinstance(now, Step)
    assert now.chat is not None
    assert now.chat.phase == "broken"
