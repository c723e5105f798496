"""Whole visits at random: stops, pauses, crashes, calls that fail, and a journal that does."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import pytest
from support.chats import NoDialogues, Talk, WordJudge
from support.clarifying import CODE, WRONG, Speakers, clarification_study, question, task
from support.visits import Sitting, usual

from studies.clarification.counting import people
from studies.clarification.dialogues import dialogue_of
from studies.clarification.payloads import VoteCast
from studies.clarification.records import read_records, record_of, run_of
from studies.clarification.seat import clarifications_of
from studies.clarification.shown import Resolver
from studies.errors import JournalError
from studies.events import faults
from studies.replies import Call, Part, ReplyEnd, Usage
from studies.reply_payloads import ReplyEnded
from studies.steps import AnswerError, Done, Step
from studies.study import Study

SAID = (question("Which unit?"), CODE, WRONG, "neither", "", question("a?") + CODE)
ASKED = ("Which unit?", "A tie? And what of none?")


class Moody(Speakers):
    """Takes a moment, says anything, and fails now and then."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance = chance

    async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
        """A reply, or what became of it."""
        for _ in range(self.chance.randint(0, 3)):
            await asyncio.sleep(0)
        if self.chance.random() < 0.15:
            yield ReplyEnd("failed", "[QU", error="Busy.", error_kind="busy")
            return
        text = self.chance.choice(("yes", "no", "hm") if call.assistant == "judge" else SAID)
        if text:
            yield Part(text[:5])
            await asyncio.sleep(0)
        yield ReplyEnd("complete", text, "m", usage=Usage(1, 1, cost=0.25), client="t")


def any_study(chance: random.Random) -> Study:
    settings: dict[str, Any] = {
        "responses": chance.choice((2, 3, 6)),
        "matching": chance.choice(("reference", "best", "several")),
        "participant_budget": chance.choice((None, None, None, 3.0)),
    }
    judge = {"by": "judge", "samples": chance.choice((1, 3))}
    names = ["model", "judge", "coder", "oracle"]
    if chance.random() < 0.5:
        settings |= {"neither": chance.choice(("question", "nothing"))}
        settings |= {"judge": judge} if chance.random() < 0.6 else {}
    else:
        settings |= {"seat": "asker", "judge": judge, "coder": chance.choice(("", "coder"))}
        settings |= {"answers": "model", "answerer": "oracle"} if chance.random() < 0.5 else {}
        del names[0]
    tasks = [task(number, gaps=chance.randint(1, 3)) for number in (1, 2)]
    return clarification_study(tasks, assistants=names, **settings)


async def come_back(made: Talk) -> None:
    """Sit down again, now that the journal works."""
    made.sitting.journal.fail_before = made.sitting.journal.fail_after = 0
    await made.sit()


async def go_on(made: Talk, step: Step, chance: random.Random) -> None:
    """One thing that a participant may do, or that befalls them."""
    if step.due:
        running = asyncio.ensure_future(made.live.advance())
        try:
            for _ in range(chance.randint(0, 12)):
                await asyncio.sleep(0)
            what = chance.random()
            if what < 0.1:
                made.live.stop()
            elif what < 0.2:
                await made.visit.pause()
            elif what < 0.25:
                await made.live.end(step)
            elif what < 0.3:
                running.cancel()
        finally:
            (ended,) = await asyncio.gather(running, return_exceptions=True)
        if isinstance(ended, asyncio.CancelledError):
            await come_back(made)
    elif step.broken and chance.random() < 0.9:
        await made.live.retry(step)
    elif step.chat is not None and chance.random() < 0.1:
        await made.live.end(step, done=step.chat.can_declare_done and chance.random() < 0.7)
    elif (name := made.visit.next_ask()) is None:
        await made.visit.leave(step)
    else:
        field = step.field(name)
        value = chance.choice(ASKED) if field.kind == "chat" else usual(step, field)
        if field.kind == "choice":
            value = chance.choice(field.options).value
        await made.visit.answer(step.ask_id(name), value, walk=True)


@pytest.mark.parametrize("seed", range(40))
async def test_any_visit_comes_to_an_end_and_its_record_holds(seed: int) -> None:
    chance = random.Random(seed)
    study = any_study(chance)
    made = Talk(Sitting(study), Moody(chance), WordJudge(), NoDialogues())  # type: ignore[arg-type]
    await made.sit()
    journal = made.sitting.journal
    while not isinstance(now := made.visit.current, Done) or now.end == "paused":
        if isinstance(now, Done):
            await come_back(made)
            continue
        if chance.random() < 0.05:
            setattr(journal, chance.choice(("fail_before", "fail_after")), chance.randint(1, 3))
        with suppress(JournalError, AnswerError):
            await go_on(made, now, chance)
    journal.fail_before = journal.fail_after = 0
    await made.visit.store()
    events, stream = made.sitting.events, made.sitting.stream
    assert faults(events) == []
    assert all(one.whole for one in Resolver(study, {stream: events}).calls(stream))
    came = [
        (
            one.payload.session,
            one.payload.turn,
            getattr(one.payload, "gap", ""),
            getattr(one.payload, "sample", 0),
        )
        for one in events
        if isinstance(one.payload, VoteCast)
        or (isinstance(one.payload, ReplyEnded) and one.payload.status == "complete")
    ]
    assert len(came) == len(set(came)), "what had come was asked for again"
    assert all(
        one.used <= study.settings.clarification.responses for one in clarifications_of(made.visit.state).all
    )
    for person in people(study, {stream: events}, []):
        for one in person.sessions:
            if (dialogue := dialogue_of(study, one, person.participant)) is not None:
                line = json.dumps(record_of(dialogue)).encode()
                assert read_records("r", line, model="").runs == (run_of(dialogue),)
