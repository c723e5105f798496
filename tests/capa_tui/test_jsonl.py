"""The JSON-lines front end, message by message, as the contract words it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from support.programs import Wire
from support.studies import study
from support.visits import Sitting

from capa_tui.jsonl import JsonLines
from studies.annotation.payloads import AnnotationSubmitted
from studies.runner import Visit

ASK_KEYS = {"ask", "kind", "field", "about", "material", "text", "options", "required"}


def wire(sitting: Sitting) -> Wire:
    visit = Visit(sitting.study, sitting.events, sitting.journal, sitting.clock)
    return Wire(lambda source, out: JsonLines(visit, source, out))


@pytest.fixture
def sitting() -> Sitting:
    return Sitting(study(items=2))


@pytest.fixture
async def line(sitting: Sitting) -> AsyncIterator[Wire]:
    made = wire(sitting)
    yield made
    made.hang_up()
    await made.end()


def usual(ask: dict[str, Any]) -> Any:
    if ask["kind"] in ("info", "text"):
        return None
    if ask["kind"] == "multi":
        return []
    return ask["options"][0]["value"]


async def up_to(line: Wire, field: str) -> dict[str, Any]:
    """Answer whatever comes until this field is asked."""
    while True:
        message = await line.hear()
        assert "error" not in message
        if "ask" in message:
            if message["field"] == field:
                return message
            line.say(answer=message["ask"], value=usual(message))


def annotations(sitting: Sitting) -> list[AnnotationSubmitted]:
    return [one.payload for one in sitting.events if isinstance(one.payload, AnnotationSubmitted)]


async def test_every_ask_has_the_contracts_keys(line: Wire) -> None:
    seen = set()
    while True:
        message = await line.hear()
        if "done" in message:
            assert message["done"] == "completed"
            break
        if "ask" in message:
            assert message.keys() == ASK_KEYS
            seen.add(message["kind"])
            assert all(option.keys() == {"value", "label"} for option in message["options"])
            line.say(answer=message["ask"], value=usual(message))
        else:
            assert message.keys() == {"ok"}
    assert seen == {"consent", "info", "choice", "multi", "scale", "text"}


async def test_consent_offers_true_first_and_shows_the_whole_text(line: Wire) -> None:
    ask = await line.hear()
    assert ask["kind"] == "consent"
    assert [one["value"] for one in ask["options"]] == [True, False]
    assert "Please read this." in ask["text"]
    assert "I take part." in ask["text"]


async def test_an_annotation_asks_for_its_five_fields_about_one_item(line: Wire, sitting: Sitting) -> None:
    ask = await up_to(line, "dominant")
    item = ask["about"]
    assert ask["material"] == {"request": sitting.study.item(item).request, "context": []}
    assert sorted(one["value"] for one in ask["options"]) == sorted(
        ["DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER"]
    )
    values: dict[str, Any] = {
        "dominant": "CCM",
        "additional": ["ICU", "DCP"],
        "confidence": 2,
        "note": "two\nlines \ud83d [/b] \x00",
        "flag": True,
    }
    for field, value in values.items():
        assert (ask["field"], ask["about"]) == (field, item)
        line.say(answer=ask["ask"], value=value)
        assert await line.hear() == {"ok": ask["ask"]}
        ask = await line.hear()
    assert ask["about"] != item
    (made,) = annotations(sitting)
    assert (made.dominant, set(made.additional), made.confidence) == ("CCM", {"ICU", "DCP"}, 2)
    assert (made.note, made.flag) == (values["note"], True)


async def test_a_text_may_be_as_long_as_it_likes(line: Wire, sitting: Sitting) -> None:
    ask = await up_to(line, "note")
    text = "\ud800\x00=1+1 \u202e" * 100_000

    def send() -> None:
        line.say(answer=ask["ask"], value=text)

    await asyncio.to_thread(send)
    assert await line.hear() == {"ok": ask["ask"]}
    await up_to(line, "dominant")
    assert annotations(sitting)[0].note == text


async def test_the_dominant_label_is_not_offered_as_an_additional_one(line: Wire) -> None:
    ask = await up_to(line, "dominant")
    line.say(answer=ask["ask"], value="SBM")
    more = await up_to(line, "additional")
    assert "SBM" not in [one["value"] for one in more["options"]]
    line.say(answer=more["ask"], value=["SBM"])
    assert (await line.hear())["error"] == more["ask"]


@pytest.mark.parametrize("bad", ["XYZ", None, 3, True, ["DCP"], {"value": "DCP"}, "dcp"])
async def test_a_bad_answer_leaves_the_ask_open_and_is_not_printed_again(
    line: Wire, sitting: Sitting, bad: Any
) -> None:
    ask = await up_to(line, "dominant")
    line.say(answer=ask["ask"], value=bad)
    error = await line.hear()
    assert error.keys() == {"error", "message"}
    assert error["error"] == ask["ask"]
    line.say(answer=ask["ask"], value="DCP")
    assert await line.hear() == {"ok": ask["ask"]}


@pytest.mark.parametrize(
    "junk",
    [
        b"not json",
        b"[]",
        b"3",
        b'{"answer": "x"}',
        b'{"answer": 5, "value": "DCP"}',
        b"\xff\xfe",
        b'{"do": "dance"}',
        b'{"do": ["back"]}',
        b"[" * 5000,
    ],
)
async def test_junk_is_answered_with_what_was_expected(line: Wire, junk: bytes) -> None:
    ask = await up_to(line, "dominant")
    line.send(junk)
    error = await line.hear()
    assert error["error"] == ask["ask"]
    assert "expected" in error["message"] or "the open ask is" in error["message"]
    line.say(answer=ask["ask"], value="DCP")
    assert await line.hear() == {"ok": ask["ask"]}


async def test_an_answer_that_is_on_disk_is_acknowledged_again_and_changes_nothing(
    line: Wire, sitting: Sitting
) -> None:
    ask = await up_to(line, "dominant")
    line.say(answer=ask["ask"], value="DCP")
    assert await line.hear() == {"ok": ask["ask"]}
    await line.hear()
    before = len(sitting.events)
    line.say(answer=ask["ask"], value="ICU")
    assert await line.hear() == {"ok": ask["ask"]}
    assert len(sitting.events) == before


async def test_after_back_the_ask_has_a_new_id_and_the_annotation_a_revision(
    line: Wire, sitting: Sitting
) -> None:
    first = await up_to(line, "dominant")
    line.say(answer=first["ask"], value="DCP")
    second = await up_to(line, "dominant")
    assert second["about"] != first["about"]
    line.say(do="back")
    again = await line.hear()
    assert (again["about"], again["field"]) == (first["about"], "dominant")
    assert again["ask"] != first["ask"]
    line.say(answer=again["ask"], value="ICU")
    returned = await up_to(line, "dominant")
    assert returned["about"] == second["about"]
    assert [(one.revision, one.dominant) for one in annotations(sitting)] == [(1, "DCP"), (2, "ICU")]


async def test_what_is_on_disk_is_not_asked_again_after_going_back_and_returning(
    line: Wire, sitting: Sitting
) -> None:
    first = await up_to(line, "dominant")
    line.say(answer=first["ask"], value="DCP")
    second = await up_to(line, "dominant")
    line.say(answer=second["ask"], value="SBM")
    assert await line.hear() == {"ok": second["ask"]}
    more = await line.hear()
    line.say(do="back")
    again = await up_to(line, "dominant")
    line.say(answer=again["ask"], value="ICU")
    while (message := await line.hear()).get("about") != second["about"]:
        if "ask" in message:
            line.say(answer=message["ask"], value=usual(message))
    assert message == more
    line.say(answer=second["ask"], value="HCO")
    assert await line.hear() == {"ok": second["ask"]}
    line.say(answer=more["ask"], value=[])
    await up_to(line, "read")
    assert [one.dominant for one in annotations(sitting)] == ["DCP", "ICU", "SBM"]


async def test_back_where_there_is_nothing_behind_says_so(line: Wire) -> None:
    ask = await line.hear()
    line.say(do="back")
    assert (await line.hear())["error"] == ask["ask"]


async def test_closing_the_input_pauses_and_the_same_ask_comes_again() -> None:
    sitting = Sitting(study(items=2))
    first = wire(sitting)
    ask = await up_to(first, "additional")
    first.hang_up()
    assert await first.hear() == {"done": "paused"}
    assert await first.end() == 0
    second = wire(sitting)
    again = await second.hear()
    assert again == ask
    second.say(do="pause")
    assert await second.hear() == {"done": "paused"}
    assert await second.end() == 0


async def test_withdrawing_and_finishing_are_said_at_once_on_return() -> None:
    for last, expected in (("withdraw", "withdrawn"), ("complete", "completed")):
        sitting = Sitting(study(items=1))
        first = wire(sitting)
        if last == "withdraw":
            await up_to(first, "confidence")
            first.say(do="withdraw")
        while "done" not in (message := await first.hear()):
            if "ask" in message:
                first.say(answer=message["ask"], value=usual(message))
        assert message["done"] == expected
        assert await first.end() == 0
        second = wire(sitting)
        assert (await second.hear())["done"] == expected
        assert await second.end() == 0


async def test_an_unsaved_answer_is_an_error_and_can_be_given_again(line: Wire, sitting: Sitting) -> None:
    ask = await up_to(line, "dominant")
    sitting.journal.fail_before = 1
    line.say(answer=ask["ask"], value="HCO")
    assert (await line.hear())["error"] == ask["ask"]
    line.say(answer=ask["ask"], value="HCO")
    assert await line.hear() == {"ok": ask["ask"]}
