"""Sessions from the opening to their end: turns, verdicts, broken replies, conditions, limits."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.chats import ASK, FAIL, PASS, NoDialogues, Scripted, Talk, roleplay_study, talk, task
from support.visits import usual, walk

from studies.live import Heard
from studies.replies import ChatMessage, Part, ReplyEnd
from studies.roleplay import payloads as said
from studies.roleplay.context import Dialogue
from studies.roleplay.payloads import Donor, Seen
from studies.roleplay.protocol import sessions_of
from studies.roleplay.sessions import Session
from studies.steps import AnswerError, Done, Step
from studies.verdicts import Verdict


async def at_chat(made: Talk) -> Step:
    """Go on to the next chat step."""
    step = await walk(made.visit, lambda one: one.kind == "chat", usual)
    assert isinstance(step, Step)
    return step


async def say(made: Talk, text: str | None = None) -> Step | Done:
    """Send the opening, or a message, and let the assistant reply."""
    step = made.live.step
    assert step is not None
    assert step.chat is not None
    await made.visit.answer(step.ask_id("message"), text if text is not None else step.chat.opening)
    return await made.live.advance()


def sessions(made: Talk) -> tuple[Session, ...]:
    return sessions_of(made.visit.state).all


def payloads(made: Talk, kind: type) -> list[Any]:
    return [one.payload for one in made.sitting.events if isinstance(one.payload, kind)]


async def play(made: Talk) -> Step | Done:
    """Play every session to its end with openings and short answers."""
    while True:
        step = await walk(made.visit, lambda one: one.kind == "chat", usual)
        if isinstance(step, Done):
            return step
        assert step.chat is not None
        await say(made, None if step.chat.turn == 1 else "the second")


async def test_the_first_accepted_submission_ends_the_session() -> None:
    made = await talk(roleplay_study(), ASK, FAIL, PASS)
    step = await at_chat(made)
    assert step.chat is not None
    assert (step.chat.turn, step.chat.turns, step.chat.phase) == (1, 3, "asking")
    await say(made)
    await say(made, "the second")
    after = await say(made, "no, the other")
    (session,) = sessions(made)
    assert session.disposition == "solved"
    assert session.used == 3
    assert [one.verdict for one in payloads(made, said.VerdictGiven)] == [
        "no_code",
        "failed_assertion",
        "passed",
    ]
    assert [one.submission for one in payloads(made, said.VerdictGiven)] == [False, True, True]
    assert len(made.judge.judged) == 2
    assert isinstance(after, Step)
    assert after.kind != "chat"


async def test_the_limit_ends_the_session_unsolved() -> None:
    made = await talk(roleplay_study(turns=2), FAIL, FAIL)
    await at_chat(made)
    await say(made)
    await say(made, "again")
    (session,) = sessions(made)
    assert (session.disposition, session.used) == ("limit", 2)


async def test_the_fixed_opening_is_sent_as_it_is() -> None:
    made = await talk(roleplay_study(), ASK)
    step = await at_chat(made)
    with pytest.raises(AnswerError, match="as it is"):
        await made.visit.answer(step.ask_id("message"), "my own words")
    assert payloads(made, said.TurnSubmitted) == []
    await say(made)
    (turn,) = payloads(made, said.TurnSubmitted)
    assert (turn.turn, turn.opening) == (1, "fixed")


async def test_a_broken_reply_keeps_its_text_and_is_retried_in_the_same_turn() -> None:
    broken = ReplyEnd("interrupted", "half a rep", error="The connection was lost.", error_kind="lost_stream")
    made = await talk(roleplay_study(), broken, PASS)
    await at_chat(made)
    step = await say(made)
    assert isinstance(step, Step)
    assert step.chat is not None
    assert step.chat.phase == "broken"
    assert "The connection was lost." in step.chat.notice
    assert step.chat.lines[-1].text == "half a rep"
    assert step.chat.turn == 1
    await made.live.retry(step)
    await made.live.advance()
    (session,) = sessions(made)
    assert (session.disposition, session.used) == ("solved", 1)
    assert [one.status for one in payloads(made, said.ReplyEnded)] == ["interrupted", "complete"]
    assert len(payloads(made, said.TurnSubmitted)) == 1


async def test_only_broken_replies_can_be_retried() -> None:
    made = await talk(roleplay_study(), ASK)
    await at_chat(made)
    step = await say(made)
    assert isinstance(step, Step)
    with pytest.raises(AnswerError):
        await made.live.retry(step)


class Endless(Scripted):
    """An assistant that says one word and then nothing more."""

    def __init__(self) -> None:
        super().__init__()
        self.silent = asyncio.Event()

    async def reply(self, call):  # type: ignore[no-untyped-def]
        self.calls.append(call)
        try:
            yield Part("well")
            self.silent.set()
            await asyncio.Event().wait()
        finally:
            self.closed += 1


async def endless(made: Talk) -> asyncio.Task[Step | Done]:
    """A conversation in which a reply is on its way."""
    assistant = Endless()
    made.assistant = made.live.assistant = assistant
    step = await at_chat(made)
    assert step.chat is not None
    await made.visit.answer(step.ask_id("message"), step.chat.opening)
    running = asyncio.create_task(made.live.advance())
    await assistant.silent.wait()
    return running


async def test_stopping_closes_the_stream_keeps_the_text_and_uses_the_turn_up() -> None:
    made = await talk(roleplay_study())
    running = await endless(made)
    assert made.live.stop()
    step = await running
    assert isinstance(step, Step)
    assert step.chat is not None
    assert (step.chat.turn, step.chat.phase) == (2, "asking")
    (ended,) = payloads(made, said.ReplyEnded)
    assert (ended.status, ended.text) == ("stopped", "well")
    assert made.assistant.closed == 1
    assert not made.live.stop()
    assert payloads(made, said.VerdictGiven) == []


async def test_ending_the_task_while_a_reply_is_on_its_way() -> None:
    made = await talk(roleplay_study())
    running = await endless(made)
    step = made.live.step
    assert step is not None
    await made.live.end(step)
    await running
    assert sessions(made)[0].disposition == "gave_up"


async def test_a_kill_in_mid_stream_resumes_at_that_turn() -> None:
    made = await talk(roleplay_study())
    running = await endless(made)
    await made.visit.store(said.ReplyPart(sessions(made)[0].id, 1, 1, "well"))
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    again = await Talk(made.sitting, Scripted(PASS), made.judge, NoDialogues()).sit()
    step = again.live.step
    assert step is not None
    assert step.chat is not None
    assert (step.chat.turn, step.chat.phase) == (1, "broken")
    assert step.chat.lines[-1].text == "well"
    await again.live.retry(step)
    await again.live.advance()
    assert sessions(again)[0].disposition == "solved"
    assert len(payloads(again, said.TurnSubmitted)) == 1


async def test_a_neutral_verdict_is_technical_and_never_a_fail() -> None:
    made = await talk(roleplay_study(), PASS)
    made.judge.verdict = Verdict("not_run", "no sandbox here")
    await at_chat(made)
    await say(made)
    assert sessions(made)[0].disposition == "technical"


async def test_history_is_replaced_from_reserve_and_frozen_before_the_first_held_out_session() -> None:
    made = await talk(roleplay_study(history=1, reserve=1, turns=1), FAIL, PASS)
    done = await play(made)
    assert isinstance(done, Done)
    parts = [(one.part, one.disposition) for one in sessions(made)]
    assert parts == [
        ("history", "limit"),
        ("reserve", "solved"),
        ("held_out", "solved"),
        ("held_out", "solved"),
    ]
    kinds = made.sitting.kinds()
    held = [n for n, one in enumerate(made.sitting.events) if getattr(one.payload, "part", "") == "held_out"]
    assert kinds.index("history_frozen") < held[0]
    assert payloads(made, said.HistoryFrozen)[0].sessions == (sessions(made)[1].id,)


async def test_with_too_little_history_there_is_no_held_out_session() -> None:
    made = await talk(roleplay_study(history=1, reserve=1, turns=1), FAIL, FAIL)
    done = await play(made)
    assert isinstance(done, Done)
    assert done.end == "completed"
    assert [one.part for one in sessions(made)] == ["history", "reserve"]


async def test_reserve_tasks_stay_unused_where_history_went_well() -> None:
    made = await talk(roleplay_study(history=1, reserve=1))
    await play(made)
    assert [one.part for one in sessions(made)] == ["history", "held_out", "held_out"]


def system_of(made: Talk, n: int) -> str:
    return made.assistant.calls[n].messages[0].content


async def test_only_the_same_user_condition_shows_the_history() -> None:
    made = await talk(roleplay_study(), ASK, PASS, PASS, PASS)
    await play(made)
    shown = {
        one.condition: system_of(made, 2 + n)
        for n, one in enumerate(one for one in sessions(made) if one.part == "held_out")
    }
    assert ASK in shown["same-user"]
    assert "the second" in shown["same-user"]
    assert "Earlier sessions" not in shown["none"]
    assert all("def f(x: str) -> str" in one for one in shown.values())


async def test_nothing_private_reaches_an_assistant() -> None:
    made = await talk(roleplay_study(), ASK)
    await play(made)
    everything = "\n".join(one.content for call in made.assistant.calls for one in call.messages)
    first = made.sitting.study.tasks[0]
    for private in (first.brief, first.speaks, first.resolution, first.tests, "candidate", "same-user"):
        assert private not in everything


async def test_what_a_call_saw_is_kept_by_reference_and_leads_to_every_word_of_it() -> None:
    made = await talk(roleplay_study(), ASK, PASS, PASS, PASS)
    await play(made)
    by_seq = {one.seq: one.payload for one in made.sitting.events}
    started = [one for one in payloads(made, said.ReplyStarted)]
    for call, start in zip(made.assistant.calls, started, strict=True):
        words = [by_seq[one.seq].text for one in start.saw if one.sort in ("request", "reply")]
        whole = "\n".join(one.content for one in call.messages)
        assert words
        assert all(one in whole for one in words)
        assert not [one for one in (ASK, PASS) if one in repr(start)]


async def test_shuffled_histories_share_neither_profile_pair_pattern_nor_task() -> None:
    made = await talk(roleplay_study(conditions=("shuffled",), held_out=1))
    study = made.sitting.study
    others = (
        task(1, "history", "ben", ("SLM", "ICU")),
        task(12, "history", "mara", ("SLM", "ICU")),
        task(3, "history", "cid", ("DCP", "ICU")),
    )
    object.__setattr__(study, "_tasks", {one.id: one for one in (*study.tasks, *others)})
    donors = []
    for one in others:
        donor = Donor("ab", f"s-{one.id}", one.id)
        dialogue = Dialogue(
            donor.session, (ChatMessage("user", f"words of {one.id}"),), (Seen("request", "ab", 5),)
        )
        donors.append((donor, dialogue))
    made.dialogues = made.live.dialogues = NoDialogues(donors)
    await play(made)
    shown = system_of(made, 1)
    assert "words of ben-1" in shown
    assert "words of mara-12" not in shown
    assert "words of cid-3" not in shown


GATE = '{"sufficient": true, "session": 1, "text": "She means the second."}'


async def test_the_gate_adds_its_evidence_and_is_recorded() -> None:
    study = roleplay_study(conditions=("gated",), held_out=1, gate="gate")
    made = await talk(study, PASS, GATE, PASS)
    await play(made)
    (gate,) = payloads(made, said.GateDecided)
    assert (gate.sufficient, gate.text, gate.fallback) == (True, "She means the second.", "")
    assert gate.highlighted == sessions(made)[0].id
    assert "She means the second." in system_of(made, 2)


@pytest.mark.parametrize("bad", ["no json", '{"sufficient": "yes"}', "{"])
async def test_a_gate_that_answers_badly_is_asked_once_more_and_then_falls_back(bad: str) -> None:
    study = roleplay_study(conditions=("gated",), held_out=1, gate="gate")
    made = await talk(study, PASS, bad, bad, PASS)
    done = await play(made)
    assert isinstance(done, Done)
    (gate,) = payloads(made, said.GateDecided)
    assert gate.sufficient is None
    assert gate.fallback.startswith("raw history")
    assert len(made.assistant.calls) == 4
    repaired = await talk(study, PASS, bad, GATE, PASS)
    await play(repaired)
    assert payloads(repaired, said.GateDecided)[0].sufficient is True


async def test_a_spending_limit_ends_politely_and_says_why() -> None:
    made = await talk(roleplay_study(participant_budget=0.4), ASK, ASK, PASS)
    await at_chat(made)
    await say(made)
    await say(made, "the second")
    done = await say(made, "the second")
    assert isinstance(done, Done)
    assert done.end == "limit"
    assert sessions(made)[0].disposition == "spend_cap"
    (limited,) = [one.payload for one in made.sitting.events if one.kind == "participation_limited"]
    assert (limited.limit, limited.spent, limited.allowed) == ("participant", 0.5, 0.4)


@pytest.mark.parametrize(
    ("feedback", "notice"),
    [
        ("stop_only", ""),
        ("passed_or_not", "The code does not do what is wanted yet."),
        ("failing_case", "The code does not do what is wanted yet: line 2"),
    ],
)
async def test_what_the_participant_learns_of_a_verdict(feedback: str, notice: str) -> None:
    made = await talk(roleplay_study(feedback=feedback), FAIL)
    await at_chat(made)
    heard: list[Heard] = []
    step = made.live.step
    assert step is not None
    assert step.chat is not None
    await made.visit.answer(step.ask_id("message"), step.chat.opening)
    after = await made.live.advance(heard.append)
    assert isinstance(after, Step)
    assert after.chat is not None
    assert after.chat.notice == notice
    verdicts = [one.what for one in heard if isinstance(one.what, Verdict)]
    assert ("line 2" in repr(verdicts)) is (feedback == "failing_case")
    assert ("failed" in repr(verdicts)) is (feedback != "stop_only")


async def test_the_participant_decides_where_the_study_says_so() -> None:
    made = await talk(roleplay_study(feedback="participant_decides", turns=3), ASK, FAIL, PASS)
    await at_chat(made)
    step = await say(made)
    assert isinstance(step, Step)
    with pytest.raises(AnswerError):
        await made.live.end(step, done=True)
    await say(made, "the second")
    await made.live.end(made.live.step, done=True)  # type: ignore[arg-type]
    (session,) = sessions(made)
    assert (session.disposition, session.declared) == ("gave_up", True)


async def test_a_reply_that_names_its_maker_is_masked_on_screen_kept_raw_and_flagged() -> None:
    made = await talk(roleplay_study(), "I am Claude 4.5, made by Anthropic. Which one do you mean?")
    await at_chat(made)
    step = await say(made)
    assert isinstance(step, Step)
    assert step.chat is not None
    shown = step.chat.lines[-1]
    assert shown.masked
    assert "Claude" not in shown.text
    assert "Anthropic" not in shown.text
    (ended,) = payloads(made, said.ReplyEnded)
    assert "Claude 4.5" in ended.text
    assert ended.names_maker


async def test_coming_back_after_too_long_times_the_open_session_out() -> None:
    made = await talk(roleplay_study(), ASK)
    object.__setattr__(
        made.sitting.study,
        "settings",
        made.sitting.study.settings.model_copy(
            update={"resume": made.sitting.study.settings.resume.model_copy(update={"max_days": 2})}
        ),
    )
    await at_chat(made)
    await say(made)
    await made.visit.pause()
    made.sitting.clock.move(days=3)
    again = await made.sit()
    assert sessions(again)[0].disposition == "timed_out"


async def test_a_whole_participation_replays_to_the_same_state() -> None:
    made = await talk(
        roleplay_study(after=[{"id": "effort", "text": "How hard?", "kind": "scale"}]), ASK, FAIL
    )
    done = await play(made)
    assert isinstance(done, Done)
    assert done.end == "completed"
    again = await made.sit()
    assert again.visit.state == made.visit.state
    assert made.sitting.kinds().count("session_ended") == 3
    assert made.sitting.kinds().count("questionnaire_submitted") == 3


async def test_leaving_while_a_reply_is_on_its_way_costs_no_turn() -> None:
    made = await talk(roleplay_study())
    running = await endless(made)
    assert made.live.abandon()
    step = await running
    assert isinstance(step, Step)
    assert step.chat is not None
    assert (step.chat.turn, step.chat.phase) == (1, "broken")
    assert [one.status for one in payloads(made, said.ReplyEnded)] == ["interrupted"]


async def test_a_second_opinion_stands_beside_the_verdict_and_decides_nothing() -> None:
    study = roleplay_study(second_opinion="gate")
    agrees = '{"agrees": true, "reason": "It looks the same."}'
    made = await talk(study, FAIL, agrees, PASS, "no json", "no json")
    await at_chat(made)
    await say(made)
    await say(made, "the second")
    assert sessions(made)[0].disposition == "solved"
    assert [one.verdict for one in payloads(made, said.VerdictGiven)] == ["failed_assertion", "passed"]
    first, second = payloads(made, said.OpinionGiven)
    assert (first.turn, first.agrees, first.reason) == (1, True, "It looks the same.")
    assert (second.turn, second.agrees) == (2, None)
    shown = made.assistant.calls[1].messages[-1].content
    assert study.tasks[0].reference in shown
    assert "candidate" not in shown
