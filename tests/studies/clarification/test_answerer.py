"""The seat `answerer`: from the model's question to its code, with the person's answers and marks."""

from __future__ import annotations

import pytest
from support.clarifying import (
    CODE,
    WRONG,
    clarification_study,
    payloads,
    question,
    respond,
    sessions,
    sit_down,
    task,
    to_chat,
)

from studies.clarification import payloads as said
from studies.clarification.answerer import IRRELEVANT, REPEATED
from studies.replies import ReplyEnd
from studies.reply_payloads import ReplyEnded, ReplyStarted, Seen, VerdictGiven
from studies.steps import AnswerError, Step

THEN = "Now ask one more question, or give the final code."


async def test_questions_are_answered_in_own_words_until_the_code_comes() -> None:
    made = await sit_down(
        clarification_study(), model=[question("Which unit?"), question("What in a tie?"), CODE]
    )
    step = await to_chat(made)
    assert isinstance(step, Step)
    assert step.chat is not None
    assert (step.chat.phase, step.chat.turn, step.chat.turns, step.chat.part) == ("asking", 1, 6, "answerer")
    assert step.chat.lines[-1].text == "Which unit?"
    assert [one.name for one in step.fields] == ["match", "message"]
    assert [one.value for one in step.fields[0].options] == ["unit", "tie", IRRELEVANT, REPEATED]
    assert step.material is not None
    assert step.material.request == "Which unit?"
    second = await respond(made, "unit", "metres, please")
    assert isinstance(second, Step)
    assert second.ask_id("match") == "session:1:t1/match/2"
    assert made.visit.next_ask() == "match"
    after = await respond(made, "tie", "the first")
    assert isinstance(after, Step)
    assert after.kind != "chat"
    (session,) = sessions(made)
    assert (session.ending, session.used, session.covered) == ("code", 3, ("unit", "tie"))
    assert [one.text for one in payloads(made, said.QuestionAnswered)] == ["metres, please", "the first"]
    assert [one.verdict for one in payloads(made, VerdictGiven)] == ["passed"]
    (ended,) = payloads(made, said.ClarificationEnded)
    assert (ended.responses, ended.asked) == (3, 2)


async def test_the_model_gets_each_answer_with_the_line_that_asks_for_more() -> None:
    made = await sit_down(clarification_study(), model=[question("Which unit?"), question("Colour?"), CODE])
    await to_chat(made)
    await respond(made, "unit", "metres")
    await respond(made, IRRELEVANT)
    messages = made.assistant.calls[-1].messages
    assert [one.role for one in messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert messages[1].content == "Write a function for 1.\n\nInterface: def f(x: str) -> str"
    assert messages[3].content == f"metres\n{THEN}"
    assert messages[5].content == f"This question is not relevant to the current task.\n{THEN}"
    calls = payloads(made, ReplyStarted)
    assert [one.sort for one in calls[-1].saw] == [
        "prompt", "statement", "reply", "answer", "reply", "answer",
    ]  # fmt: skip
    assert all(isinstance(one, Seen) for one in calls[-1].saw)
    # Nothing that the person wrote is in the events of the calls.
    assert all("metres" not in str(one) for one in calls)


async def test_marks_take_no_words_and_a_gap_named_again_is_a_repeat() -> None:
    made = await sit_down(
        clarification_study(), model=[question("Unit?"), question("Unit, again?"), question("Sure?"), CODE]
    )
    await to_chat(made)
    await respond(made, "unit")
    await respond(made, "unit", "metres, as I said")
    await respond(made, REPEATED)
    (session,) = sessions(made)
    assert session.outcomes() == (("hit", ("unit",)), ("repeat", ("unit",)), ("repeat", ()))
    assert [one.decision for one in payloads(made, said.QuestionAnswered)] == [
        "answered", "answered", "repeated",
    ]  # fmt: skip


async def test_nothing_is_sent_before_it_was_said_what_the_question_asks_about() -> None:
    made = await sit_down(clarification_study(), model=[question("Unit?"), CODE])
    await to_chat(made)
    step = made.live.step
    assert step is not None
    with pytest.raises(AnswerError, match="what the question asks about"):
        await made.visit.answer(step.ask_id("message"), "metres")
    assert payloads(made, said.QuestionAnswered) == []


async def test_the_limit_ends_a_session_on_a_question() -> None:
    made = await sit_down(clarification_study(responses=2), model=[question("One?"), question("Two?")])
    await to_chat(made)
    await respond(made, IRRELEVANT)
    await respond(made, "unit")
    (session,) = sessions(made)
    assert (session.ending, session.used, len(session.questions)) == ("limit", 2, 2)
    assert payloads(made, VerdictGiven) == []


@pytest.mark.parametrize(
    ("reply", "rules", "sort", "form", "both"),
    [
        (f"{question('Unit?')}\n{CODE}", {}, "code", "tags", True),
        (f"{question('Unit?')}\n{CODE}", {"both": "question"}, "question", "tags", True),
        ("In which unit?", {}, "question", "untagged", False),
        ("In which unit?", {"neither": "nothing"}, "nothing", "untagged", False),
        ("```python\ndef f(x):\n    return 'right'\n```", {}, "code", "block", False),
    ],
)
async def test_a_reply_that_does_both_or_neither_follows_the_rule_and_is_recorded(
    reply: str, rules: dict[str, str], sort: str, form: str, both: bool
) -> None:
    made = await sit_down(clarification_study(**rules), model=[reply, CODE])
    await to_chat(made)
    read = payloads(made, said.ResponseRead)[0]
    assert (read.sort, read.form, read.both) == (sort, form, both)
    (session,) = sessions(made)
    assert session.ending == ("code" if sort != "question" else None)
    assert session.used == (2 if sort == "nothing" else 1)


async def test_a_broken_question_is_retried_in_the_same_turn() -> None:
    broken = ReplyEnd("interrupted", "[QUES", error="The connection was lost.", error_kind="lost_stream")
    made = await sit_down(clarification_study(), model=[broken, question("Unit?"), CODE])
    step = await to_chat(made)
    assert isinstance(step, Step)
    assert step.chat is not None
    assert step.broken
    assert "The connection was lost." in step.chat.notice
    await made.live.retry(step)
    again = await made.live.advance()
    assert isinstance(again, Step)
    assert again.chat is not None
    assert (again.chat.phase, again.chat.turn) == ("asking", 1)
    assert [one.status for one in payloads(made, ReplyEnded)] == ["interrupted", "complete"]


async def test_a_visit_that_broke_off_goes_on_at_the_open_question() -> None:
    made = await sit_down(clarification_study(), model=[question("Unit?"), CODE])
    step = await to_chat(made)
    assert isinstance(step, Step)
    await made.visit.answer(step.ask_id("match"), "unit", walk=True)
    await made.sit()
    assert made.visit.next_ask() == "message"
    assert made.visit.current.ask_id("message") == step.ask_id("message")


async def test_wrong_code_is_judged_and_nobody_is_told() -> None:
    made = await sit_down(clarification_study(), model=[WRONG])
    heard: list[object] = []
    await to_chat(made)
    await made.live.advance(heard.append)
    assert [one.verdict for one in payloads(made, VerdictGiven)] == ["failed_assertion"]
    assert made.live.chat("t1").notice == ""
    assert heard == []


async def test_a_model_votes_beside_the_next_reply_and_every_vote_is_kept() -> None:
    made = await sit_down(
        clarification_study(judge={"by": "judge", "samples": 3}),
        model=[question("Which unit?"), CODE],
        judge=lambda call: "Yes." if "In which unit" in call.messages[1].content else "no",
    )
    step = await to_chat(made)
    assert isinstance(step, Step)
    assert payloads(made, said.VoteCast) == []
    assert [one.value for one in step.fields[0].options] == ["ANSWER", IRRELEVANT, REPEATED]
    await respond(made, "ANSWER")
    votes = payloads(made, said.VoteCast)
    assert sorted((one.gap, one.sample, one.vote) for one in votes) == [
        ("tie", 1, False), ("tie", 2, False), ("tie", 3, False),
        ("unit", 1, True), ("unit", 2, True), ("unit", 3, True),
    ]  # fmt: skip
    assert made.assistant.of("judge")[0].parameters == {"temperature": 1.0, "top_p": 0.95}
    (matched,) = payloads(made, said.QuestionMatched)
    assert (matched.outcome, matched.gaps, matched.rule) == ("hit", ("unit",), "reference")
    (session,) = sessions(made)
    assert session.ending == "code"


async def test_a_judge_that_fails_is_asked_again_for_what_is_missing_only() -> None:
    failed = ReplyEnd("failed", "", error="The service is busy.", error_kind="rate_limit")
    replies = ["yes", failed, "no", "no"]
    made = await sit_down(
        clarification_study(judge={"by": "judge", "samples": 1}, responses=1),
        model=[question("Which unit?")],
        judge=replies,
    )
    await to_chat(made)
    step = await respond(made, "ANSWER")
    assert isinstance(step, Step)
    assert step.broken
    assert step.chat is not None
    assert "The service is busy." in step.chat.notice
    await made.live.retry(step)
    await made.live.advance()
    assert len(made.assistant.of("judge")) == 3
    assert len(payloads(made, said.VoteCast)) == 2
    (session,) = sessions(made)
    assert (session.ending, session.covered) == ("limit", ("unit",))


async def test_a_spending_limit_ends_the_participation() -> None:
    made = await sit_down(clarification_study(participant_budget=0.25), model=[question("Which unit?"), CODE])
    await to_chat(made)
    await respond(made, "unit")
    (session,) = sessions(made)
    assert session.ending == "spend_cap"
    assert made.visit.state.end == "limit"


async def test_a_task_without_tests_needs_no_judge_of_code() -> None:
    plain = task(tests="", reference="")
    made = await sit_down(clarification_study([plain]), model=[CODE])
    await to_chat(made)
    (session,) = sessions(made)
    assert session.ending == "code"
    assert made.judge.judged == []
