"""Every seat of a clarification study through JSON lines, and in the plain mode."""

from __future__ import annotations

from typing import Any

from support.chats import NoDialogues, WordJudge
from support.clarifying import CODE, Speaker, Speakers, clarification_study, question, task
from support.programs import Wire
from support.visits import Sitting

from capa_tui.jsonl import JsonLines
from capa_tui.plain import Plain
from studies.clarification import payloads as said
from studies.conversation import Conversation
from studies.replies import ReplyEnd
from studies.runner import Visit
from studies.study import Study

JUDGED = {"by": "judge", "samples": 1}
ASKED = [{"id": "q1", "text": "Which unit?"}, {"id": "q2", "text": "Which colour?"}]
ONWARD = {"Press Enter to go on.": "", "Answer yes or no.": "yes"}


class Chair:
    """A front end over a study, with whoever else takes part in it."""

    def __init__(
        self, study: Study, front_end: Any, sitting: Sitting | None = None, **lines: Speaker
    ) -> None:
        self.sitting = sitting or Sitting(study)
        visit = Visit(study, self.sitting.events, self.sitting.journal, self.sitting.clock)
        if study.settings.clarification.seat in ("answerer", "asker"):
            visit.live = Conversation(visit, Speakers(**lines), WordJudge(), NoDialogues())
        self.wire = Wire(lambda source, out: front_end(visit, source, out))

    def said(self, kind: type[Any]) -> list[Any]:
        """The payloads of a kind."""
        return [one.payload for one in self.sitting.events if isinstance(one.payload, kind)]

    async def until(self, **wanted: Any) -> dict[str, Any]:
        """JSON lines up to one with these values, answering whatever else is no part of a session."""
        while True:
            message = await self.wire.hear()
            if all(message.get(key) == value for key, value in wanted.items()):
                return message
            if "ask" in message:
                assert message["field"] not in ("match", "message", "matches"), message
                answer = message["options"][0]["value"] if message["options"] else None
                self.wire.say(answer=message["ask"], value=answer)

    async def read(self, wanted: str) -> list[str]:
        """Plain lines up to one that begins so, going past pages and consent."""
        seen: list[str] = []
        while not (seen and seen[-1].startswith(wanted)):
            seen.append(await self.wire.line())
            if seen[-1] in ONWARD and not seen[-1].startswith(wanted):
                self.wire.send(ONWARD[seen[-1]])
        return seen

    async def hang_up(self) -> None:
        """Leave."""
        self.wire.hang_up()
        assert await self.wire.end() == 0


def lines(study: Study, sitting: Sitting | None = None, **said: Speaker) -> Chair:
    return Chair(study, JsonLines, sitting, **said)


def plain(study: Study, **said: Speaker) -> Chair:
    return Chair(study, Plain, **said)


async def test_an_answering_program_says_what_is_asked_about_and_answers() -> None:
    chair = lines(clarification_study(), model=[question("Which unit?"), question("Colour?"), CODE])
    reply = await chair.until(event="reply")
    assert (reply["text"], reply["turn"], reply["status"]) == ("Which unit?", 1, "complete")
    match = await chair.until(field="match")
    assert (match["kind"], match["material"]["request"]) == ("choice", "Which unit?")
    assert [one["value"] for one in match["options"]] == ["unit", "tie", "IRRELEVANT", "ALREADY_ANSWERED"]
    chair.wire.say(answer=match["ask"], value="unit")
    assert await chair.wire.hear() == {"ok": match["ask"]}
    message = await chair.until(field="message")
    assert message["kind"] == "chat"
    chair.wire.say(answer=message["ask"], value="metres")
    assert await chair.wire.hear() == {"ok": message["ask"]}
    second = await chair.until(field="match")
    assert [one["text"] for one in second["material"]["context"]] == ["Which unit?", "metres"]
    chair.wire.say(answer=second["ask"], value="IRRELEVANT")
    assert (await chair.until(event="reply"))["text"].startswith("```python")
    await chair.until(done="completed")
    await chair.wire.end()
    (ended,) = chair.said(said.ClarificationEnded)
    assert ended.ending == "code"


async def test_an_open_question_comes_again_under_the_same_id() -> None:
    study = clarification_study()
    first = lines(study, model=[question("Which unit?")])
    match = await first.until(field="match")
    first.wire.say(answer=match["ask"], value="unit")
    message = await first.until(field="message")
    await first.hang_up()
    again = lines(study, first.sitting, model=[CODE])
    assert await again.until(field="message") == message
    again.wire.say(answer=match["ask"], value="unit")
    assert await again.wire.hear() == {"ok": match["ask"]}
    await again.hang_up()


async def test_an_asking_program_has_enough_when_it_ends_the_task() -> None:
    study = clarification_study(assistants=("judge", "coder"), seat="asker", judge=JUDGED, coder="coder")
    chair = lines(study, judge=lambda call: "yes" if "In which unit" in call.messages[1].content else "no")
    ask = await chair.until(field="message")
    chair.wire.say(answer=ask["ask"], value="Which unit? And which tie?")
    again = await chair.until(field="message")
    assert again["text"].startswith("Please ask one question at a time.")
    assert again["ask"] != ask["ask"]
    chair.wire.say(answer=again["ask"], value="Which unit?")
    assert (await chair.until(event="reply"))["text"] == "In metres."
    await chair.until(field="message")
    chair.wire.say(do="end")
    await chair.until(done="completed")
    await chair.wire.end()
    (ended,) = chair.said(said.ClarificationEnded)
    assert (ended.ending, ended.responses, ended.asked) == ("enough", 2, 1)


async def test_a_judge_that_fails_is_asked_again_by_the_program() -> None:
    replies: list[str | ReplyEnd] = [ReplyEnd("failed", "", error="Too busy."), "yes", "yes", "no"]
    study = clarification_study(seat="asker", assistants=("judge",), judge=JUDGED)
    chair = lines(study, judge=replies)
    ask = await chair.until(field="message")
    chair.wire.say(answer=ask["ask"], value="Which unit?")
    assert "Too busy." in (await chair.until(event="broken"))["message"]
    chair.wire.say(do="retry")
    assert (await chair.until(event="reply"))["text"] == "In metres."
    await chair.hang_up()


async def test_a_matching_program_gives_a_list_and_can_go_back() -> None:
    chair = lines(clarification_study([task(asked=ASKED)], assistants=(), seat="matcher"))
    ask = await chair.until(field="matches")
    assert ask["kind"] == "multi"
    assert ask["material"]["context"][0]["role"] == "task"
    assert {one["value"] for one in ask["options"]} == {"unit", "tie"}
    chair.wire.say(answer=ask["ask"], value=["unit"])
    await chair.until(field="matches")
    chair.wire.say(do="back")
    again = await chair.until(field="matches")
    assert (again["about"], again["ask"]) == (ask["about"], f"{ask['ask'][:-1]}2")
    chair.wire.say(answer=again["ask"], value=[])
    last = await chair.until(field="matches")
    chair.wire.say(answer=last["ask"], value=["tie", "unit"])
    await chair.until(done="completed")
    await chair.wire.end()
    assert [one.matches for one in chair.said(said.QuestionLabelled)] == [("unit",), (), ("unit", "tie")]


def authoring() -> Study:
    """One author writes one of two tasks; nobody else has written the other yet."""
    tasks = [task(n, gaps=0, statement="", full_statement=f"Do {n}, in metres.") for n in (1, 2)]
    design = {"kind": "cyclic", "participants": 2, "items_each": 1, "raters": 1}
    return clarification_study(tasks, assistants=(), seat="author", design=design)


async def test_an_authoring_program_writes_a_task_and_waits_for_somebody_elses() -> None:
    chair = lines(authoring())
    ask = await chair.until(field="statement")
    full = ask["material"]["request"]
    chair.wire.say(answer=ask["ask"], value=full)
    assert "nothing is left out" in (await chair.until(error=ask["ask"]))["message"]
    chair.wire.say(answer=ask["ask"], value="Do it.")
    for name, value in (
        ("question", "Which unit?"),
        ("answer", "Metres."),
        ("type", "units"),
        ("more", "no"),
    ):
        ask = await chair.until(field=name)
        assert ask["material"]["context"] == [{"role": "complete", "text": full}]
        chair.wire.say(answer=ask["ask"], value=value)
    waits = await chair.until(ask="wait:1:check/read/1")
    assert "come back another time" in waits["text"]
    chair.wire.say(do="pause")
    assert (await chair.until(done="paused"))["done"] == "paused"
    await chair.wire.end()
    (gap,) = chair.said(said.GapWritten)
    assert (gap.question, gap.type, gap.more) == ("Which unit?", "units", False)


async def test_an_author_line_by_line() -> None:
    chair = plain(authoring())
    seen = await chair.read("Write; an empty line ends the text.")
    assert any(one.startswith("The description: Do ") for one in seen)
    for line in ("Do it.", ""):
        chair.wire.send(line)
    seen = await chair.read("Write; an empty line ends the text.")
    assert any(one.startswith("The complete description: Do ") for one in seen)
    for text in ("Which unit?", "Metres."):
        chair.wire.send(text)
        chair.wire.send("")
    await chair.read("Answer with a number.")
    chair.wire.send("8")
    await chair.read("Answer with a number.")
    chair.wire.send("2")
    await chair.read("Nobody else has finished")
    await chair.hang_up()
    assert [one.type for one in chair.said(said.GapWritten)] == ["units"]


async def test_a_task_is_read_as_it_is_line_for_line() -> None:
    statement = "Print a**b.\nInput\nN\nA_1 A_2\n\n# is a stone, *x* is not"
    unclear = task(statement=statement, interface="", entry_point=None, tests="", reference="", script=[CODE])
    study = clarification_study([unclear], seat="asker", assistants=("judge",), judge=JUDGED)
    chair = plain(study)
    seen = await chair.read("An empty line sends it.")
    place = seen.index("The task:")
    assert seen[place + 1 : place + 7] == statement.split("\n")
    chair.wire.send("/brief")
    seen = await chair.read("An empty line sends it.")
    assert seen[seen.index("The task:") + 1 :][:6] == statement.split("\n")
    await chair.hang_up()
    program = lines(study)
    brief = await program.until(ask="brief:1:t1/read/1")
    assert brief["material"]["request"] == statement
    await program.hang_up()


async def test_an_answerer_line_by_line() -> None:
    chair = plain(clarification_study(), model=[question("Which unit?"), question("Colour?"), CODE])
    seen = await chair.read("Answer with a number.")
    assert "  /brief     read again what you know and what the assistant was given" in seen
    assert not any("/done" in one for one in seen)
    assert seen[-6:-1] == [
        "What does it ask about?",
        "  1  In which unit is x?",
        "  2  What happens in a tie?",
        "  3  Nothing here answers it: not relevant",
        "  4  You have answered that already",
    ]
    chair.wire.send("9")
    await chair.read("Not taken: there is no answer 9")
    chair.wire.send("1")
    await chair.read("An empty line sends it.")
    for line in ("metres", ""):
        chair.wire.send(line)
    seen = await chair.read("Answer with a number.")
    assert "Colour?" in seen
    chair.wire.send("3")
    assert "This task has ended." in await chair.read("This task has ended.")
    await chair.hang_up()
    assert [one.text for one in chair.said(said.QuestionAnswered)] == [
        "metres",
        "This question is not relevant to the current task.",
    ]


async def test_an_asker_and_a_matcher_line_by_line() -> None:
    study = clarification_study(seat="asker", assistants=("judge",), judge=JUDGED)
    chair = plain(study, judge=["yes", "no"])
    seen = await chair.read("An empty line sends it.")
    assert "  /done      you have enough: nothing more is asked in this task" in seen
    for line in ("Which unit?", ""):
        chair.wire.send(line)
    assert "In metres." in await chair.read("End of the reply.")
    await chair.read("An empty line sends it.")
    chair.wire.send("/done")
    await chair.read("This task has ended.")
    await chair.hang_up()
    assert [one.ending for one in chair.said(said.ClarificationEnded)] == ["enough"]
    matcher = plain(clarification_study([task(asked=ASKED)], assistants=(), seat="matcher"))
    seen = await matcher.read("Answer with numbers")
    assert any(one.startswith("The task: Write a function for 1.") for one in seen)
    assert any(one.startswith("The question: Which") for one in seen)
    matcher.wire.send("0")
    await matcher.read("Saved.")
    await matcher.hang_up()
    assert [one.matches for one in matcher.said(said.QuestionLabelled)] == [()]
