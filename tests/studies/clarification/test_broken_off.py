"""What breaks off in a clarification session: by a stop, an end, the journal, or a judge that fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest
from support.chats import NoDialogues, Talk, WordJudge
from support.clarifying import (
    CODE,
    Speakers,
    ask,
    clarification_study,
    payloads,
    question,
    respond,
    sessions,
    sit_down,
    to_chat,
)
from support.visits import Sitting

from studies.clarification import payloads as said
from studies.errors import JournalError
from studies.replies import Call, Part, ReplyEnd
from studies.reply_payloads import ReplyEnded
from studies.steps import Step

FAILED = ReplyEnd("failed", "", error="The service is busy.", error_kind="rate_limit")


class Silent(Speakers):
    """Never says a word, the first few times that it is called."""

    def __init__(self, times: int, **lines: object) -> None:
        super().__init__(**lines)  # type: ignore[arg-type]
        self.times = times
        self.called = asyncio.Event()

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """Nothing, or the next line."""
        if len(self.calls) < self.times:
            self.calls.append(call)
            self.called.set()
            await asyncio.Event().wait()
        for _ in range(5):
            # A moment, as any provider takes.
            await asyncio.sleep(0)
        async for one in super().reply(call):
            yield one


async def silent(times: int, **lines: object) -> tuple[Talk, asyncio.Task[object]]:
    assistant = Silent(times, **lines)
    made = Talk(Sitting(clarification_study()), assistant, WordJudge(), NoDialogues())  # type: ignore[arg-type]
    await made.sit()
    running = asyncio.ensure_future(to_chat(made))
    await assistant.called.wait()
    return made, running


async def test_a_stopped_reply_uses_one_response_up_and_not_all_of_them() -> None:
    made, running = await silent(1, model=[question("Which unit?")])
    assert made.live.stop()
    await running
    await made.live.advance()
    (session,) = sessions(made)
    assert (session.used, session.ending, len(session.questions)) == (2, None, 1)


async def test_to_end_a_task_while_a_reply_is_awaited_is_to_give_it_up() -> None:
    made, running = await silent(9)
    step = made.live.step
    assert step is not None
    await made.live.end(step)
    await running
    (session,) = sessions(made)
    assert (session.ending, len(made.assistant.calls)) == ("gave_up", 1)


async def test_an_answer_that_came_is_not_asked_for_again_because_the_judge_failed() -> None:
    study = clarification_study(
        assistants=("judge", "oracle"),
        seat="asker",
        answers="model",
        answerer="oracle",
        judge={"by": "judge", "samples": 1},
    )
    made = await sit_down(study, judge=[FAILED, "no", "yes"], oracle=["In metres."])
    await to_chat(made)
    step = await ask(made, "Which unit?")
    assert isinstance(step, Step)
    assert step.broken
    await made.live.retry(step)
    await made.live.advance()
    assert len(made.assistant.of("oracle")) == 1
    assert [one.text for one in payloads(made, said.QuestionAnswered)] == ["In metres."]


@pytest.mark.parametrize("failing", [1, 2, 3, 5])
async def test_no_reply_and_no_vote_is_lost_because_the_journal_failed(failing: int) -> None:
    made = await sit_down(
        clarification_study(judge={"by": "judge", "samples": 3}),
        model=[question("Which unit?"), CODE],
        judge=lambda call: "yes",
    )
    step = await to_chat(made)
    assert isinstance(step, Step)
    await made.visit.answer(step.ask_id("match"), "ANSWER", walk=True)
    await made.visit.answer(step.ask_id("message"), "metres", walk=True)
    made.sitting.journal.fail_before = failing
    for _ in range(failing + 1):
        try:
            await made.live.advance()
        except JournalError:
            continue
        break
    assert len(made.assistant.of("model")) == 2
    assert len(made.assistant.of("judge")) == 6 == len(payloads(made, said.VoteCast))
    assert [one.status for one in payloads(made, ReplyEnded)] == ["complete", "complete"]
    (session,) = sessions(made)
    assert session.ending == "code"


async def test_who_leaves_waits_for_no_vote_even_after_a_stop() -> None:
    study = clarification_study(judge={"by": "judge", "samples": 1}, responses=1)
    made = await sit_down(study, model=[question("Which unit?")])
    await to_chat(made)
    made.assistant = Silent(9)  # type: ignore[assignment]
    made.live.assistant = made.assistant
    running = asyncio.ensure_future(respond(made, "ANSWER"))
    await made.assistant.called.wait()  # type: ignore[attr-defined]
    assert made.live.stop()
    await asyncio.sleep(0)
    made.live.abandon()
    async with asyncio.timeout(5):
        await running
    assert payloads(made, said.VoteCast) == []
