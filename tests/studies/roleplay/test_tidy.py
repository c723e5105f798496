"""Tidy rows of role-play studies: every attempt once, every figure derivable, nothing of the unwilling."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.chats import ASK, FAIL, PASS, Talk
from support.trajectories import dialogues_of, play, releases, sit, two_cells

from studies import bundles
from studies.events import Chain, Event
from studies.payloads import ParticipationBlocked
from studies.publication import Release, release
from studies.replies import ReplyEnd
from studies.roleplay import payloads as said
from studies.roleplay.payloads import DonorsFixed
from studies.roleplay.tidy import Tidy, tidy
from studies.rows import pseudonym
from studies.study import Study
from studies.tables import Column, columns
from studies.verdicts import Verdict

BROKEN = ReplyEnd("interrupted", "half a rep", error="Lost.", error_kind="lost_stream")
AFTER = {"id": "understood", "text": "Did it understand you?", "kind": "scale"}
CLOSING = {"id": "compared", "text": "What was compared?", "kind": "text"}


def tidied(study: Study, *talks: Talk, desk: list[Event] | None = None) -> Tidy:
    return tidy(study, releases(study, *talks), desk or [])


def with_closing(study: Study) -> Study:
    from studies.setting_types import Question

    asked = study.settings.model_copy(update={"questionnaire": (Question.model_validate(CLOSING),)})
    object.__setattr__(study, "settings", asked)
    return study


async def test_a_participation_as_rows() -> None:
    study = with_closing(two_cells(conditions=("none", "same-user"), after=[AFTER]))
    made = await sit(study, ASK, PASS, PASS, FAIL, ASK, FAIL)
    await play(made, {"compared": "memory"})
    rows = tidied(study, made)
    who = pseudonym(rows_opened(made))
    assert {one.participant for one in rows.turns} == {who}
    assert [(one.part, one.disposition, one.solved, one.solved_at, one.turns) for one in rows.sessions] == [
        ("history", "solved", True, 2, 2),
        ("held_out", "solved", True, 1, 1),
        ("held_out", "limit", False, None, 3),
    ]
    assert [one.in_history for one in rows.sessions] == [True, False, False]
    first = rows.sessions[0].session
    shown = {one.condition: one.shown_as_history for one in rows.sessions if one.part == "held_out"}
    assert shown == {"none": (), "same-user": (first,)}
    assert [(one.questions, one.submissions) for one in rows.sessions] == [(1, 1), (0, 1), (1, 2)]
    assert [one.position for one in rows.sessions] == [1, 2, 3]
    assert {one.models_served for one in rows.sessions} == {("test-served",)}
    assert [one.cost for one in rows.sessions] == [0.5, 0.25, 0.75]
    assert all(one.ended_at and one.started_at <= one.ended_at for one in rows.sessions)
    assert [one.verdict for one in rows.verdicts] == [
        "no_code",
        "passed",
        "passed",
        "failed_assertion",
        "no_code",
        "failed_assertion",
    ]
    assert [one.submission for one in rows.verdicts] == [False, True, True, True, False, True]
    assert [(one.question, one.value) for one in rows.questionnaire] == [("compared", "memory")]
    assert [(one.session, one.question, one.kind) for one in rows.after] == [
        (one.session, "understood", "scale") for one in rows.sessions
    ]
    (person,) = rows.participants
    assert (person.state, person.counted, person.assigned, person.done) == ("completed", True, 3, 3)
    assert len(rows.visits) == 1


def rows_opened(made: Talk) -> str:
    opened = made.visit.state.opened
    assert opened is not None
    return opened.participant


async def test_a_turn_row_says_what_was_asked_what_came_and_what_is_not_known() -> None:
    study = two_cells(conditions=("none",))
    ended = ReplyEnd("complete", PASS, "served-1", client="test")
    made = await sit(study, ASK, ended)
    await play(made, tasks=1)
    first, second = tidied(study, made).turns
    assert (first.request, first.opening, first.reply) == ("Do number 1 for me.", "fixed", ASK)
    assert (first.turn, first.attempt, first.status) == (1, 1, "complete")
    assert (first.prompt_tokens, first.completion_tokens, first.cost) == (10, 20, 0.25)
    assert (second.turn, second.request, second.opening) == (2, "the second", "")
    assert (second.prompt_tokens, second.cost, second.model_served) == (None, None, "served-1")
    assert [one["sort"] for one in second.saw] == ["prompt", "interface", "request", "reply", "request"]
    assert second.saw_missing == 0
    (session,) = (one for one in tidied(study, made).sessions if one.disposition)
    assert session.cost is None


async def test_each_attempt_is_a_row_with_the_one_request() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, BROKEN, PASS)
    step = await play(made, tasks=0)
    await made.visit.answer(step.ask_id("message"), step.chat.opening)  # type: ignore[union-attr]
    step = await made.live.advance()
    await made.live.retry(step)  # type: ignore[arg-type]
    await made.live.advance()
    rows = tidied(study, made)
    found = [(one.turn, one.attempt, one.status, one.reply, one.error_kind) for one in rows.turns]
    assert found == [(1, 1, "interrupted", "half a rep", "lost_stream"), (1, 2, "complete", PASS, "")]
    assert len({one.request for one in rows.turns}) == 1
    assert [(one.turn, one.attempt) for one in rows.verdicts] == [(1, 2)]


async def test_a_reply_on_its_way_is_a_row_with_what_came() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, PASS)
    await play(made, tasks=1)
    events = made.sitting.events
    place = next(n for n, one in enumerate(events) if one.kind == "reply_ended")
    chain = Chain.after(events[place - 1])
    session = events[place].payload.session  # type: ignore[attr-defined]
    parts = [chain.make(said.ReplyPart(session, 1, 1, text), events[place].at) for text in ("ab", "c")]
    cut = Release((*events[:place], *parts), None)
    (row,) = tidy(study, {made.sitting.stream: cut}, []).turns
    assert (row.reply, row.status, row.total_ms, row.replied_at) == ("abc", None, None, None)
    asked = next(n for n, one in enumerate(events) if one.kind == "turn_submitted")
    (row,) = tidy(study, {made.sitting.stream: Release(tuple(events[: asked + 1]), None)}, []).turns
    assert (row.attempt, row.reply, row.prompt_sha256, row.saw) == (None, None, None, ())
    (session,) = tidy(study, {made.sitting.stream: Release(tuple(events[: asked + 1]), None)}, []).sessions
    assert (session.disposition, session.solved, session.ended_at) == (None, None, None)


async def test_a_neutral_verdict_leaves_the_outcome_open() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, PASS)
    made.judge.verdict = Verdict("not_run", "no sandbox")
    await play(made, tasks=1)
    session = tidied(study, made).sessions[0]
    assert (session.disposition, session.solved, session.solved_at) == ("technical", None, None)


async def test_gates_are_rows() -> None:
    study = two_cells(conditions=("gated",), gate="gate", held_out=1)
    made = await sit(
        study, PASS, "no json", '{"sufficient": true, "session": 1, "text": "The second."}', PASS
    )
    await play(made)
    rows = tidied(study, made)
    (gate,) = rows.gates
    assert (gate.sufficient, gate.text, gate.highlighted) == (True, "The second.", rows.sessions[0].session)
    assert gate.cost == 0.5


async def donors_of(*answers: dict[str, bool]) -> tuple[Study, list[Talk], list[Event]]:
    """People with these consents, all of them put on the list of donors."""
    study = two_cells()
    talks = []
    for given in answers:
        made = await sit(study, PASS)
        await play(made, given)
        talks.append(made)
    everybody = dialogues_of(two_cells(), *talks)
    chain = Chain("desk")
    listed = [
        said.Donor(made.sitting.stream, one.session, one.item)
        for made in talks
        for one in (x.payload for x in made.sitting.events)
        if isinstance(one, said.SessionEnded) and one.item == "mara-1"
    ]
    agreed = tuple(await everybody.donors(study.sha256))
    assert len(agreed) == sum(one.get("donor", True) for one in answers)
    desk = [
        chain.make(DonorsFixed(study.sha256, tuple(listed)), "2026-03-02T10:00:00.000Z"),
        chain.make(DonorsFixed(study.sha256, agreed), "2026-03-02T11:00:00.000Z"),
        chain.make(DonorsFixed("another", tuple(listed)), "2026-03-02T11:00:00.000Z"),
    ]
    return study, talks, desk


async def test_only_who_agreed_and_stayed_is_a_donor() -> None:
    study, talks, desk = await donors_of({}, {"donor": False}, {}, {}, {"publish": False})
    agreed, _, left, erased, hidden = talks
    await left.visit.withdraw()
    streams = releases(study, *talks)
    gone = [one.erased() for one in erased.sitting.events]
    streams[erased.sitting.stream] = release(study.settings, gone)
    rows = tidy(study, streams, desk)
    found = {(one.participant, one.in_force) for one in rows.donors}
    expected = {pseudonym(rows_opened(one)) for one in (agreed, hidden)}
    assert found == {(who, first) for who in expected for first in (True, False)}
    assert rows.withheld == {"erased": 1, "publication refused": 1, "withdrawn": 1}


@pytest.mark.parametrize("answers", [{"publish": False}, {}])
async def test_what_was_refused_is_in_no_table(answers: dict[str, bool]) -> None:
    study = two_cells()
    made = await sit(study, ASK, PASS, PASS)
    await play(made, answers)
    rows = tidied(study, made)
    words = [rows.sessions, rows.turns, rows.verdicts, rows.gates, rows.after, rows.questionnaire]
    assert all(not one for one in words) if answers else rows.turns
    assert [one.withheld for one in rows.participants] == ["publication refused" if answers else None]


async def test_who_was_shown_something_that_is_gone_is_marked() -> None:
    study = two_cells(conditions=("shuffled",))
    donor = await sit(study, PASS)
    await play(donor)
    guest = await sit(study, PASS, PASS, slot=2, dialogues=dialogues_of(study, donor))
    await play(guest)
    whole = tidied(study, donor, guest)
    assert not any(one.saw_missing for one in whole.turns)
    streams = releases(study, donor, guest)
    gone = [one.erased() for one in donor.sitting.events]
    streams[donor.sitting.stream] = release(study.settings, gone)
    rows = tidy(study, streams, [])
    touched = {one.session for one in rows.turns if one.saw_missing}
    assert touched == {one.session for one in rows.sessions if one.shown_as_history == ("",)} != set()


async def test_a_session_that_the_resume_policy_refuses_is_timed_out() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, PASS)
    await play(made, tasks=1)
    events = made.sitting.events
    asked = next(n for n, one in enumerate(events) if one.kind == "turn_submitted")
    blocked = Chain.after(events[asked]).make(ParticipationBlocked(9.0, 7.0), events[asked].at)
    rows = tidy(study, {made.sitting.stream: Release((*events[: asked + 1], blocked), None)}, [])
    assert [(one.state, one.counted) for one in rows.participants] == [("blocked", False)]
    assert [(one.disposition, one.solved) for one in rows.sessions] == [("timed_out", False)]


async def test_a_participation_that_a_spending_limit_ended_counts() -> None:
    study = two_cells(conditions=("none",), participant_budget=0.3)
    made = await sit(study, ASK, ASK, PASS)
    await play(made)
    rows = tidied(study, made)
    assert [(one.state, one.counted) for one in rows.participants] == [("limit", True)]
    assert [(one.disposition, one.solved) for one in rows.sessions] == [("spend_cap", None)]
    assert [one.end for one in rows.visits] == ["limit"]


async def test_hidden_tests_are_in_a_table_of_their_own() -> None:
    study = bundles.study("roleplay")
    rows = tidy(study, {}, [])
    assert len(rows.materials) == len(rows.hidden_tests) == len(study.tasks)
    assert all("assert" in one.tests for one in rows.hidden_tests)
    assert "assert" not in str([replace(one) for one in rows.materials])
    assert {one.profile for one in rows.materials} <= {one.profile for one in rows.profiles}
    assert len(rows.shipped) == len(study.shipped)
    assert all(line["role"] in ("user", "assistant") for one in rows.shipped for line in one.dialogue)


async def test_every_column_of_every_table_is_described() -> None:
    for filled in tidy(two_cells(), {}, []).tables():
        described: tuple[Column, ...] = columns(filled.table.row)
        assert all(one.description.endswith(".") for one in described), filled.table.name
