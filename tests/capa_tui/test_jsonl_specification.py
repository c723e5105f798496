"""A program in the participant's chair of a specification study: both tasks, and what can come between."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

from support.programs import Wire
from support.specification_lab import two_tasks
from support.specifications import BASELINE, Crewed, NobodyElse, Rehearses, project, question, wishes
from support.visits import Sitting

from capa_tui.jsonl import JsonLines
from capa_tui.services import Services
from storage.verify import verify
from studies.replies import Call, Part, ReplyEnd
from studies.runner import Visit
from studies.specification import payloads as said
from studies.specification.crew import Crew
from studies.specification.protocol import projects_of
from studies.specification.sections import SECTIONS
from studies.study import Study

Message = dict[str, Any]


def wire(sitting: Sitting, assistant: Rehearses | None = None) -> Wire:
    visit = Visit(sitting.study, sitting.events, sitting.journal, sitting.clock)
    visit.live = Crew(visit, assistant or Rehearses(), NobodyElse())
    return Wire(lambda source, out: JsonLines(visit, source, out))


def checklist(**more: Any) -> Study:
    """Task 1 with the baseline, which asks what it likes."""
    made = project("club", checklist=[question(number) for number in range(1, 9)])
    return wishes(made, agents=(BASELINE,), more="budgets = [3]", **more)


def sheet() -> Study:
    return wishes(project("hall"), agents=(BASELINE,), more="budgets = [3]")


def usual(ask: Message) -> Any:
    match ask["kind"]:
        case "info":
            return None
        case "multi":
            return [ask["options"][0]["value"]] if ask["required"] else []
        case "text" if ask["field"].endswith(".want"):
            return "Something.\nAnd something else."
        case "text":
            return f"Words for {ask['field']}." if ask["required"] else None
    return ask["options"][0]["value"]


def step_of(ask: Message) -> str:
    return str(ask["ask"]).partition(":")[0]


async def up_to(line: Wire, wanted: Callable[[Message], bool]) -> Message:
    """Read, answering as usual, to a message that is wanted."""
    while True:
        message = await line.hear()
        if wanted(message):
            return message
        assert "error" not in message, message
        assert "done" not in message, message
        assert message.get("event") != "broken", message
        if "ask" in message:
            line.say(answer=message["ask"], value=usual(message))


async def ask_in(line: Wire, step: str, field: str = "") -> Message:
    return await up_to(
        line, lambda one: "ask" in one and step_of(one) == step and field in ("", one["field"])
    )


async def test_a_whole_visit_of_both_tasks(tmp_path: Path) -> None:
    asks: list[Message] = []

    def noted(message: Message) -> bool:
        if "ask" in message:
            asks.append(message)
        return "done" in message

    database = tmp_path / "lab.db"
    async with Services.open(database) as services:
        record = (await services.desk.load(two_tasks())).record
        visit = await services.seat(record.reference, "ada")
        line = Wire(lambda source, out: JsonLines(visit, source, out))
        assert (await up_to(line, noted))["done"] == "completed"
        assert await line.end() == 0
        sessions = projects_of(visit.state).sessions
    assert [one.opened.task for one in sessions] == ["checklist", "checklist", "sheet", "sheet"]
    assert all(one.answered == 2 for one in sessions)
    assert verify(database) == []
    by_step = {step_of(one): one for one in reversed(asks)}
    assert list(dict.fromkeys(step_of(one) for one in asks if one["about"] == "hall")) == [
        *(
            "proposal",
            "truth",
            "filler",
            "round",
            "met",
            "rate",
            "compare",
            "edit",
            "retest",
            "after",
            "close",
        )
    ]
    proposal, first = by_step["proposal"], by_step["round"]
    assert proposal["material"]["request"].startswith("I want a shared reading list")
    assert first["material"]["request"] == "Words for proposal."
    assert "Question 1 of at most 2. Why it is asked: " in first["text"]
    assert first["text"].count(first["text"].split("\n")[0]) == 1, "the question is there once"
    for one in ("met", "rate"):
        assert by_step[one]["material"]["request"].count("\n## ") == len(SECTIONS)
    assert [one["role"] for one in by_step["compare"]["material"]["context"]] == ["left", "right"]
    edits = [one for one in asks if step_of(one) == "edit"]
    assert [one["field"] for one in edits][-9:] == list(SECTIONS)
    assert edits[-1]["material"]["request"].startswith("# Project hall\n")
    assert "It says now:\n\n- " in edits[-1]["text"]
    assert not any(one["required"] for one in edits[-10:])


async def test_answers_of_an_interview() -> None:
    sitting = Sitting(sheet())
    line = wire(sitting)
    ask = await ask_in(line, "round", "choice")
    assert (ask["kind"], [one["value"] for one in ask["options"]]) == ("multi", [*"ABCD", "unknown"])
    line.say(answer=ask["ask"], value=["A", "unknown"])
    refused = await line.hear()
    assert refused["error"] == ask["ask"]
    assert "stands alone" in refused["message"]
    line.say(answer=ask["ask"], value=[])
    own = await ask_in(line, "round", "own_words")
    assert own["required"]
    line.say(answer=own["ask"], value="Neither: a bell.")
    ask = await ask_in(line, "round", "choice")
    line.say(answer=ask["ask"], value=["D", "B"])
    ask = await ask_in(line, "round", "choice")
    line.say(answer=ask["ask"], value=["unknown"])
    await ask_in(line, "met")
    line.hang_up()
    await line.end()
    given = [one.payload for one in sitting.events if isinstance(one.payload, said.RoundAnswered)]
    assert [(one.picked, one.own_words, one.unknown) for one in given] == [
        ((), "Neither: a bell.", False),
        (("B", "D"), "", False),
        ((), "", True),
    ]


async def test_own_words_on_a_checklist_question() -> None:
    sitting = Sitting(checklist())
    line = wire(sitting)
    ask = await ask_in(line, "round", "choice")
    assert (ask["kind"], [one["value"] for one in ask["options"]]) == ("choice", [*"ABCD", "own", "unknown"])
    line.say(answer=ask["ask"], value="own")
    own = await ask_in(line, "round", "own_words")
    line.say(answer=own["ask"], value="By lot.")
    await ask_in(line, "round", "choice")
    line.hang_up()
    await line.end()
    (given,) = (one.payload for one in sitting.events if isinstance(one.payload, said.RoundAnswered))
    assert (given.picked, given.own_words) == ((), "By lot.")


async def test_going_back_asks_anew_until_the_ground_truth_is_whole() -> None:
    line = wire(Sitting(sheet()))
    first = await ask_in(line, "truth")
    line.say(answer=first["ask"], value="Something.")
    later = await up_to(line, lambda one: "ask" in one and "truth:1.2:" in one["ask"])
    line.say(do="back")
    again = await line.hear()
    assert (again["field"], again["ask"]) == (first["field"], first["ask"].replace("/1", "/2"))
    assert later["ask"] != again["ask"]
    line.say(answer=again["ask"], value="Something else.")
    await ask_in(line, "filler")
    line.say(do="back")
    assert "nothing to go back to" in (await line.hear())["message"]
    line.hang_up()
    await line.end()


async def test_an_interview_can_be_ended() -> None:
    sitting = Sitting(sheet())
    line = wire(sitting)
    ask = await ask_in(line, "truth")
    line.say(do="end")
    assert (await line.hear())["error"] == ask["ask"]
    line.say(answer=ask["ask"], value=None)
    await ask_in(line, "round")
    line.say(do="end")
    await ask_in(line, "rate")
    line.hang_up()
    await line.end()
    (ended,) = (one.payload for one in sitting.events if isinstance(one.payload, said.InterviewEnded))
    assert (ended.by, ended.rounds) == ("participant", 0)


async def test_a_failed_call_is_asked_for_again_by_the_program() -> None:
    assistant = Rehearses()
    assistant.failing = [ReplyEnd("failed", "", error="Too many requests.", error_kind="rate_limit")]
    sitting = Sitting(sheet())
    line = wire(sitting, assistant)
    told = await up_to(line, lambda one: one.get("event") == "broken")
    assert (told["about"], told["turn"], told["do"]) == ("hall", 0, ["retry"])
    assert "Too many requests." in told["message"]
    line.say(do="end")
    assert "no interview to end" in (await line.hear())["message"]
    line.say(do="retry")
    await ask_in(line, "round")
    line.hang_up()
    await line.end()
    assert sitting.kinds().count("agent_retried") == 1


async def test_what_a_kill_broke_off_comes_again_and_the_open_ask_keeps_its_id() -> None:
    made = Crewed(sheet())
    line = wire(made.sitting)
    ask = await ask_in(line, "round", "choice")
    line.say(answer=ask["ask"], value=[])
    own = await ask_in(line, "round", "own_words")
    line.task.cancel()
    line.hang_up()
    again = wire(made.sitting)
    assert await ask_in(again, "round") == own
    again.say(answer=ask["ask"], value=["A"])
    assert await again.hear() == {"ok": ask["ask"]}, "what is on disk stays as it is"
    again.say(answer=own["ask"], value="A bell.")
    await ask_in(again, "rate")
    again.hang_up()
    await again.end()
    assert made.sitting.kinds().count("interview_ended") == 1


async def test_pausing_and_withdrawing_while_the_agent_works() -> None:
    class Never(Rehearses):
        async def reply(self, call: Call) -> AsyncGenerator[Part | ReplyEnd, None]:
            await asyncio.Event().wait()
            yield Part("")

    sitting = Sitting(sheet())
    line = wire(sitting, Never())
    work = await up_to(line, lambda one: one.get("event") == "work")
    assert [one["state"] for one in work["jobs"]] == ["running"]
    line.say(do="pause")
    assert (await up_to(line, lambda one: "done" in one))["done"] == "paused"
    assert await line.end() == 0
    line = wire(sitting, Never())
    await up_to(line, lambda one: one.get("event") == "work")
    line.hang_up()
    assert (await up_to(line, lambda one: "done" in one))["done"] == "paused", "so does a closed input"
    assert await line.end() == 0
    line = wire(sitting)
    await ask_in(line, "round")
    assert "interrupted" in {
        one.payload.standing for one in sitting.events if isinstance(one.payload, said.AgentAnswered)
    }
    line.hang_up()
    await line.end()
    sitting = Sitting(sheet())
    line = wire(sitting, Never())
    await up_to(line, lambda one: one.get("event") == "work")
    line.say(do="withdraw")
    assert (await up_to(line, lambda one: "done" in one))["done"] == "withdrawn"
    assert await line.end() == 0
    assert sitting.kinds()[-1] == "participation_withdrawn"
