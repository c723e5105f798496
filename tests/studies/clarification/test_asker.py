"""The seat `asker`: one question a round, bundles, enough, the limit, code from what was found out."""

from __future__ import annotations

from typing import Any

from support.clarifying import (
    CODE,
    ask,
    clarification_study,
    payloads,
    sessions,
    sit_down,
    task,
    to_chat,
)

from studies.clarification import payloads as said
from studies.replies import Call, ReplyEnd
from studies.reply_payloads import ReplyStarted, VerdictGiven
from studies.steps import Step
from studies.study import Study
from studies.work import Work

JUDGED = {"by": "judge", "samples": 3}


def votes(call: Call) -> str:
    """The judge: a pair matches where the asked question holds the key question's subject."""
    text = call.messages[1].content
    subject = next(one for one in ("unit", "tie", "no input") if one in text.split("\n\n")[0])
    return "yes" if subject in text.split("\n\n")[1] else "no"


def asking(**changes: Any) -> Study:
    return clarification_study(
        changes.pop("tasks", ()),
        assistants=("judge", "coder", "oracle"),
        seat="asker",
        judge=JUDGED,
        **changes,
    )


async def test_each_question_gets_its_annotated_answer_or_a_default_reply() -> None:
    made = await sit_down(asking(), judge=votes)
    step = await to_chat(made)
    assert isinstance(step, Step)
    assert step.chat is not None
    assert (step.chat.phase, step.chat.part, step.chat.can_declare_done) == ("asking", "asker", True)
    assert "In metres" not in str(step.chat.panels)
    heard: list[Any] = []
    await made.visit.answer(step.ask_id("message"), "In which unit is it?")
    await made.live.advance(heard.append)
    assert heard[-1].what.text == "In metres."
    assert not any(isinstance(one.what, Work) for one in heard)
    await ask(made, "Is it urgent?")
    step = await ask(made, "The unit again?")
    assert isinstance(step, Step)
    assert step.chat is not None
    assert [one.text for one in step.chat.lines if one.role == "assistant"] == [
        "In metres.",
        "This question is not relevant to the current task.",
        "This question has already been answered.",
    ]
    (session,) = sessions(made)
    assert session.outcomes() == (("hit", ("unit",)), ("miss", ()), ("repeat", ("unit",)))


async def test_enough_is_the_final_turn() -> None:
    made = await sit_down(asking(), judge=votes)
    await to_chat(made)
    step = await ask(made, "Which unit?")
    assert isinstance(step, Step)
    await made.live.end(step, done=True)
    await made.live.advance()
    (session,) = sessions(made)
    assert (session.ending, session.used, session.covered) == ("enough", 2, ("unit",))
    assert payloads(made, VerdictGiven) == []


async def test_a_coder_writes_the_program_from_what_was_found_out() -> None:
    made = await sit_down(asking(coder="coder"), judge=votes, coder=[CODE])
    await to_chat(made)
    step = await ask(made, "Which unit?")
    assert isinstance(step, Step)
    await made.live.end(step, done=True)
    heard: list[object] = []
    await made.live.advance(heard.append)
    assert heard == []
    (call,) = made.assistant.of("coder")
    assert "- Which unit?\n  In metres." in call.messages[-1].content
    (session,) = sessions(made)
    assert (session.ending, session.used) == ("enough", 2)
    assert [one.verdict for one in payloads(made, VerdictGiven)] == ["passed"]
    assert all(CODE not in line.text for line in made.live.chat("t1").lines)


async def test_the_limit_ends_after_the_last_answer() -> None:
    made = await sit_down(asking(responses=2), judge=votes)
    await to_chat(made)
    await ask(made, "Which unit?")
    await ask(made, "A tie?")
    (session,) = sessions(made)
    assert (session.ending, session.used, len(session.questions)) == ("limit", 2, 2)


async def test_a_bundle_comes_back_once_and_uses_no_round_up() -> None:
    made = await sit_down(asking(), judge=votes)
    await to_chat(made)
    step = await ask(made, "Which unit? And what in a tie?")
    assert isinstance(step, Step)
    assert step.chat is not None
    assert made.assistant.calls == []
    assert step.fields[0].text == "Please ask one question at a time. Which one do you want to ask first?"
    assert step.chat.lines[-1].text == step.fields[0].text
    again = await ask(made, "Which unit? And what in a tie?")
    assert isinstance(again, Step)
    assert [(one.turn, one.message, one.returned) for one in payloads(made, said.QuestionAsked)] == [
        (1, 1, True),
        (1, 2, False),
    ]
    (session,) = sessions(made)
    # The reference's rule: one key question at most, the first in the file.
    assert (session.used, session.covered) == (1, ("unit",))
    assert payloads(made, said.QuestionMatched)[0].matched == ("unit", "tie")


async def test_several_hits_and_bundles_are_settings() -> None:
    made = await sit_down(asking(bundle="accept", matching="several"), judge=votes)
    await to_chat(made)
    await ask(made, "Which unit? And what in a tie?")
    (session,) = sessions(made)
    assert session.covered == ("unit", "tie")
    assert payloads(made, said.QuestionAnswered)[0].text == "In metres. The first one wins."


async def test_a_model_may_answer_while_the_judge_votes() -> None:
    made = await sit_down(
        asking(answers="model", answerer="oracle"), judge=votes, oracle=["It is metres.", "No idea."]
    )
    await to_chat(made)
    await ask(made, "Which unit?")
    await ask(made, "Which tie?")
    first, second = made.assistant.of("oracle")
    assert "In metres." in first.messages[0].content
    assert [one.role for one in second.messages] == ["system", "user", "assistant", "user"]
    answers = payloads(made, said.QuestionAnswered)
    assert [(one.by, one.text) for one in answers] == [("model", "It is metres."), ("model", "No idea.")]
    assert [one.purpose for one in payloads(made, ReplyStarted)] == ["answer", "answer"]
    (session,) = sessions(made)
    assert session.covered == ("unit", "tie")


async def test_a_broken_answer_is_asked_for_again() -> None:
    broken = ReplyEnd("failed", "", error="Busy.", error_kind="rate_limit")
    made = await sit_down(
        asking(answers="model", answerer="oracle"), judge=votes, oracle=[broken, "It is metres."]
    )
    await to_chat(made)
    step = await ask(made, "Which unit?")
    assert isinstance(step, Step)
    assert step.broken
    await made.live.retry(step)
    step = await made.live.advance()
    assert isinstance(step, Step)
    assert step.chat is not None
    assert step.chat.lines[-1].text == "It is metres."
    assert len(payloads(made, said.VoteCast)) == 6


async def test_a_task_without_gaps_answers_nothing() -> None:
    made = await sit_down(asking(tasks=[task(gaps=0)]), judge=votes)
    await to_chat(made)
    await ask(made, "Which unit?")
    assert made.assistant.calls == []
    (session,) = sessions(made)
    assert session.outcomes() == (("miss", ()),)
