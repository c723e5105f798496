"""Role-play through JSON lines: asks, parts, replies, verdicts, stop, retry and end."""

from __future__ import annotations

from typing import Any

from support.chats import ASK, FAIL, PASS, NoDialogues, Scripted, WordJudge, roleplay_study
from support.programs import Wire
from support.visits import Sitting

from capa_tui.jsonl import JsonLines
from studies.conversation import Conversation
from studies.replies import ReplyEnd
from studies.runner import Visit
from studies.study import Study


def wire(study: Study, *replies: str | ReplyEnd, sitting: Sitting | None = None) -> tuple[Wire, Sitting]:
    sitting = sitting or Sitting(study)
    visit = Visit(study, sitting.events, sitting.journal, sitting.clock)
    visit.live = Conversation(visit, Scripted(*replies), WordJudge(), NoDialogues())
    return Wire(lambda source, out: JsonLines(visit, source, out)), sitting


async def up_to(line: Wire, key: str, value: str) -> dict[str, Any]:
    """Read, answering whatever is no chat, to a message in which `key` is `value`."""
    while True:
        message = await line.hear()
        if message.get(key) == value:
            return message
        if "ask" in message:
            assert message["kind"] != "chat", message
            answer = message["options"][0]["value"] if message["options"] else None
            line.say(answer=message["ask"], value=answer)


async def test_a_session_from_opening_to_solved() -> None:
    line, _ = wire(roleplay_study(history=1, held_out=2), ASK, PASS)
    ask = await up_to(line, "kind", "chat")
    assert ask["about"] == "mara-1"
    line.say(answer=ask["ask"], value="Do number 1 for me.")
    assert await line.hear() == {"ok": ask["ask"]}
    reply = await up_to(line, "event", "reply")
    assert (reply["status"], reply["turn"], reply["text"]) == ("complete", 1, ASK)
    second = await up_to(line, "kind", "chat")
    assert second["ask"] != ask["ask"]
    line.say(answer=second["ask"], value="the second")
    parts = []
    while (message := await line.hear()).get("event") != "reply":
        if message.get("event") == "reply_part":
            parts.append(message["text"])
    assert "".join(parts) == message["text"] == PASS
    following = await line.hear()
    assert following.get("kind") != "chat"
    line.hang_up()
    await line.end()


async def test_verdicts_are_silent_unless_the_study_says_so() -> None:
    for feedback, heard in (("stop_only", False), ("passed_or_not", True)):
        line, _ = wire(roleplay_study(feedback=feedback), FAIL)
        ask = await up_to(line, "kind", "chat")
        line.say(answer=ask["ask"], value="Do number 1 for me.")
        seen = []
        while (message := await line.hear()).get("kind") != "chat":
            seen.append(message.get("event"))
        assert ("verdict" in seen) is heard
        line.hang_up()
        await line.end()


async def test_a_broken_reply_is_retried_by_the_program() -> None:
    broken = ReplyEnd("failed", "", error="Too many requests.", error_kind="rate_limit")
    line, sitting = wire(roleplay_study(), broken, PASS)
    ask = await up_to(line, "kind", "chat")
    line.say(answer=ask["ask"], value="Do number 1 for me.")
    told = await up_to(line, "event", "broken")
    assert "Too many requests." in told["message"]
    line.say(do="retry")
    reply = await up_to(line, "event", "reply")
    assert (reply["status"], reply["turn"]) == ("complete", 1)
    line.hang_up()
    await line.end()
    assert sitting.kinds().count("turn_submitted") == 1


async def test_ending_a_task_goes_on_to_the_next() -> None:
    line, sitting = wire(roleplay_study(history=1, reserve=1), ASK, ASK)
    ask = await up_to(line, "kind", "chat")
    line.say(answer=ask["ask"], value="Do number 1 for me.")
    await up_to(line, "kind", "chat")
    line.say(do="end")
    following = await up_to(line, "kind", "chat")
    assert following["about"] != ask["about"]
    line.hang_up()
    assert await line.end() == 0
    ended = [one.payload for one in sitting.events if one.kind == "session_ended"]
    assert [one.disposition for one in ended] == ["gave_up"]  # type: ignore[attr-defined]


async def test_hanging_up_and_coming_back_asks_for_the_same_turn() -> None:
    study = roleplay_study()
    line, sitting = wire(study, ASK)
    ask = await up_to(line, "kind", "chat")
    line.say(answer=ask["ask"], value="Do number 1 for me.")
    second = await up_to(line, "kind", "chat")
    line.hang_up()
    assert await line.hear() == {"done": "paused"}
    await line.end()
    again, _ = wire(study, PASS, sitting=sitting)
    assert await up_to(again, "kind", "chat") == second
    again.hang_up()
    await again.end()


async def test_a_reply_that_cannot_be_stored_waits_for_the_program_and_is_not_asked_for_again() -> None:
    line, sitting = wire(roleplay_study(), ASK)
    ask = await up_to(line, "kind", "chat")
    line.say(answer=ask["ask"], value="Do number 1 for me.")
    assert await line.hear() == {"ok": ask["ask"]}
    sitting.journal.fail_before = 3
    errors = []
    while True:
        message = await line.hear()
        if message.get("kind") == "chat":
            break
        if "error" in message:
            errors.append(message)
            assert line.rest() == []
            line.say(do="retry")
    assert len(errors) == 3
    assert sitting.kinds().count("reply_ended") == 1
    line.hang_up()
    assert await line.end() == 0
