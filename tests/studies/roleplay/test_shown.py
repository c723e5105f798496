"""What a call was shown, built again from its references."""

from __future__ import annotations

from typing import Any

import pytest
from support.chats import ASK, FAIL, PASS, Talk
from support.trajectories import dialogues_of, play, releases, sit, streams_of, two_cells

from studies.events import Event
from studies.replies import ReplyEnd
from studies.roleplay import payloads as said
from studies.roleplay.materials import ShippedSession
from studies.roleplay.protocol import sessions_of
from studies.roleplay.shown import Resolver
from studies.study import Study

GATE = '{"sufficient": true, "session": 1, "text": "She means the second."}'
BROKEN = ReplyEnd("interrupted", "half a rep", error="Lost.", error_kind="lost_stream")


def resolver(study: Study, *talks: Talk) -> Resolver:
    return Resolver(study, streams_of(*talks))


@pytest.mark.parametrize(
    ("roleplay", "replies"),
    [
        ({"conditions": ("none", "same-user"), "history": 1}, (ASK, PASS, ASK, FAIL, PASS, PASS)),
        ({"conditions": ("gated",), "gate": "gate", "held_out": 1}, (PASS, GATE, ASK, PASS)),
        ({"conditions": ("gated",), "gate": "gate", "held_out": 1}, (PASS, "no json", "no json", PASS)),
        (
            {"conditions": ("gated",), "gate": "gate", "held_out": 1, "gated_keeps_history": False},
            (PASS, GATE, PASS),
        ),
    ],
)
async def test_every_call_is_shown_as_it_was_sent(roleplay: dict[str, Any], replies: tuple[str, ...]) -> None:
    study = two_cells(**roleplay)
    made = await sit(study, *replies)
    await play(made)
    calls = [one for one in made.assistant.calls if one.assistant == "helper"]
    shown = list(resolver(study, made).calls(made.sitting.stream))
    assert [one.messages for one in shown] == [one.messages for one in calls]
    assert all(one.whole and not one.missing for one in shown)
    assert len({one.call.prompt_sha256 for one in shown}) == len(shown) > 1


async def test_a_broken_reply_is_shown_to_nobody() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, ASK, BROKEN, PASS)
    await play_broken(made)
    shown = list(resolver(study, made).calls(made.sitting.stream))
    assert [one.messages for one in shown] == [one.messages for one in made.assistant.calls]
    assert "half a rep" not in str([one.messages for one in shown])
    assert [(one.call.turn, one.call.attempt) for one in shown[:3]] == [(1, 1), (2, 1), (2, 2)]


async def play_broken(made: Talk) -> None:
    await play(made, tasks=0)
    for text in (None, "the second"):
        step = made.live.step
        assert step is not None
        assert step.chat is not None
        await made.visit.answer(step.ask_id("message"), text or step.chat.opening)
        await made.live.advance()
    step = made.live.step
    assert step is not None
    await made.live.retry(step)
    await made.live.advance()


async def donor_and_guest(study: Study) -> tuple[Talk, Talk, int]:
    """Two people, the second of whom is shown the first one's session; and the place of that call."""
    donor = await sit(study, ASK, PASS)
    await play(donor)
    guest = await sit(study, PASS, slot=2, dialogues=dialogues_of(study, donor))
    await play(guest)
    shown = list(resolver(study, donor, guest).calls(guest.sitting.stream))
    place = next(n for n, one in enumerate(shown) if one.history)
    return donor, guest, place


async def test_a_donors_session_is_found_in_the_donors_stream() -> None:
    study = two_cells()
    donor, guest, place = await donor_and_guest(study)
    shown = list(resolver(study, donor, guest).calls(guest.sitting.stream))
    assert [one.messages for one in shown] == [one.messages for one in guest.assistant.calls]
    assert all(one.whole for one in shown)
    session = sessions_of(donor.visit.state).all[0]
    assert shown[place].history == (session.id,)
    assert session.turns[0].request in shown[place].messages[0].content


def gone(events: list[Event]) -> list[Event]:
    return [one.erased() for one in events]


@pytest.mark.parametrize("how", ["erased", "elsewhere"])
async def test_an_erased_donor_is_blank_and_it_is_said(how: str) -> None:
    study = two_cells()
    donor, guest, place = await donor_and_guest(study)
    streams = streams_of(donor, guest)
    if how == "erased":
        streams[donor.sitting.stream] = gone(streams[donor.sitting.stream])
    else:
        del streams[donor.sitting.stream]
    shown = list(Resolver(study, streams).calls(guest.sitting.stream))
    one = shown[place]
    assert not one.whole
    assert one.history == ("",)
    assert {seen.stream for seen in one.missing} == {donor.sitting.stream}
    assert [seen.sort for seen in one.missing] == ["request", "reply"] * 2
    text = one.messages[0].content
    assert "Session 1\n\nUser: \n\nAssistant: \n\nUser: \n\nAssistant: " in text
    assert ASK not in text
    assert one.messages[1:] == guest.assistant.calls[place].messages[1:]
    assert all(other.whole for n, other in enumerate(shown) if n != place)


async def test_a_donor_who_withdrew_is_blank_in_what_leaves() -> None:
    study = two_cells()
    donor, guest, place = await donor_and_guest(study)
    # Who has finished can still withdraw.
    await donor.visit.withdraw()
    streams = {stream: one.events for stream, one in releases(study, donor, guest).items()}
    shown = list(Resolver(study, streams).calls(guest.sitting.stream))
    assert shown[place].history == ("",)
    assert ASK not in shown[place].messages[0].content


async def test_two_sessions_of_one_erased_donor_stay_two() -> None:
    study = two_cells(history=2, held_out=1, conditions=("shuffled",))
    tasks = [*study.tasks]
    tasks[4] = tasks[4].model_copy(update={"part": "history"})
    object.__setattr__(study, "tasks", tuple(tasks))
    object.__setattr__(study, "_tasks", {one.id: one for one in tasks})
    donor = await sit(study, PASS, PASS)
    await play(donor)
    guest = await sit(study, PASS, PASS, slot=2, dialogues=dialogues_of(study, donor))
    await play(guest)
    streams = streams_of(donor, guest)
    last = list(Resolver(study, streams).calls(guest.sitting.stream))[-1]
    assert last.whole
    assert len(set(last.history)) == 2
    streams[donor.sitting.stream] = gone(streams[donor.sitting.stream])
    last = list(Resolver(study, streams).calls(guest.sitting.stream))[-1]
    assert last.history == ("", "")
    assert "Session 2" in last.messages[0].content


async def test_a_shipped_session_is_found_in_the_study() -> None:
    study = two_cells(held_out=1, conditions=("shuffled",))
    shipped = {
        "id": "from-the-folder",
        "profile": "zoe",
        "mechanisms": ["SBM", "CCM"],
        "source_task": "elsewhere",
        "dialogue": [{"role": "user", "text": "Their request."}, {"role": "assistant", "text": "Code."}],
    }
    object.__setattr__(study, "shipped", (ShippedSession.model_validate(shipped),))
    made = await sit(study, PASS, PASS)
    await play(made)
    last = list(resolver(study, made).calls(made.sitting.stream))[-1]
    assert last.whole
    assert last.history == ("from-the-folder",)
    assert "User: Their request." in last.messages[0].content


async def test_only_a_call_can_be_shown() -> None:
    study = two_cells(conditions=("none",))
    made = await sit(study, PASS)
    await play(made, tasks=1)
    known = resolver(study, made)
    asked = next(one for one in made.sitting.events if isinstance(one.payload, said.TurnSubmitted))
    with pytest.raises(TypeError, match="no reply_started"):
        known.shown(asked)
    started = next(one for one in made.sitting.events if isinstance(one.payload, said.ReplyStarted))
    with pytest.raises(TypeError, match="or erased"):
        known.shown(started.erased())
