"""The parts of the way to an assistant that need no process of their own."""

from __future__ import annotations

import json
import os
import socket
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.gateways import call, heard

from capa_tui.assistants.faults import Fault, Scrubber, fault_of, fault_of_body, plain
from capa_tui.assistants.pacing import Pace
from capa_tui.assistants.rehearsal import UNSCRIPTED, Rehearsal
from capa_tui.assistants.route import NO_KEY, checked, route_of
from capa_tui.assistants.structured import response_format, rungs, with_schema
from capa_tui.assistants.wire import (
    LINE_LIMIT,
    WireError,
    call_message,
    call_of,
    decode,
    encode,
    end_message,
    end_of,
    is_own,
    peer_uid,
)
from capa_tui.machine import Access, Price
from studies.replies import Call, ChatMessage, ReplyEnd, Tool, Usage

# -- messages ------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec=None, categories=None), max_size=40)
USAGE = st.builds(Usage, st.none() | st.integers(0), st.none() | st.integers(0), st.none(), st.booleans())


@given(st.lists(st.builds(ChatMessage, st.sampled_from(["system", "user", "assistant"]), TEXT)), TEXT)
def test_a_call_comes_through_whole(messages: list[ChatMessage], assistant: str) -> None:
    tools = (Tool("ask", assistant, {"type": "object"}),)
    parameters = {"temperature": 0.5, "stop": ["a"]}
    sent = Call(assistant, "m", tuple(messages), parameters, {"type": "object"}, tools)
    line = encode(call_message(7, sent))
    assert line.count(b"\n") == 1
    assert line.isascii()
    message = decode(line)
    assert (message["type"], message["id"], call_of(message)) == ("call", 7, sent)


@given(TEXT, TEXT, USAGE, st.sampled_from(["complete", "stopped", "interrupted", "failed"]))
def test_an_end_comes_through_whole(text: str, detail: str, usage: Usage, status: Any) -> None:
    end = ReplyEnd(status, text, "m", "stop", usage, 3, 4, "e", "k", detail, "c", "prompt")
    message = decode(encode(end_message(7, end)))
    assert message["type"] == ("end" if status == "complete" else "failed")
    assert end_of(message, text) == end


@pytest.mark.parametrize("line", [b"", b"{}", b"null", b'{"type": 1}', b"\xff", b"[" * 100_000])
def test_what_is_no_message_is_told(line: bytes) -> None:
    with pytest.raises(WireError):
        decode(line)


@pytest.mark.parametrize(
    "message", [{}, {"assistant": "a"}, call_message(1, call("m")) | {"messages": [["user"]]}]
)
def test_a_call_that_lacks_something_is_told(message: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        call_of(message)


def test_a_line_has_bounds() -> None:
    with pytest.raises(WireError, match="8,388"):
        encode({"type": "part", "text": "x" * LINE_LIMIT})


def test_the_kernel_tells_whose_the_other_end_is() -> None:
    here, there = socket.socketpair(socket.AF_UNIX)
    with here, there:
        assert peer_uid(here) == os.geteuid()
        assert is_own(there)
    with socket.socket(socket.AF_INET) as stranger:
        assert not is_own(stranger)


# -- keys ----------------------------------------------------------------------------------------


def test_keys_do_not_leave() -> None:
    environment = {
        "MINE": "plainlooking",
        "OTHER_TOKEN": "tok-123456",
        "HOME": "/home/somebody",
        "A_KEY": "x",
    }
    scrub = Scrubber(environment, ["MINE"], ["also-this-one"])
    assert scrub("plainlooking tok-123456 also-this-one") == "[key] [key] [key]"
    assert scrub("sk-abc***defghi Bearer abcdef.ghi gsk_12345678") == "[key] [key] [key]"
    assert scrub("/home/somebody x a task-manager") == "/home/somebody x a task-manager"


def test_a_key_within_a_key_leaves_nothing_behind() -> None:
    scrub = Scrubber({"A_KEY": "secret", "B_KEY": "secretsecret"})
    assert scrub("secretsecret secret") == "[key] [key]"


def route(access: Access, environment: dict[str, str], usual: tuple[str, ...] = ()) -> Any:
    return route_of(call("openai/m"), access, environment, lambda model: usual)


def test_a_key_goes_only_where_it_was_meant_to() -> None:
    environment = {"USUAL_API_KEY": "usual", "NAMED": "named"}
    named = route(Access(api_base="http://h/v1", key_env="NAMED"), environment)
    assert (named.api_key, named.variable) == ("named", "NAMED")
    assert route(Access(api_base="http://h/v1"), environment, ("USUAL_API_KEY",)).api_key == NO_KEY
    usual = route(Access(), environment, ("USUAL_API_KEY",))
    assert (usual.api_key, usual.api_base, usual.variable) == (None, None, "USUAL_API_KEY")


@pytest.mark.parametrize("environment", [{}, {"USUAL_API_KEY": ""}])
def test_a_key_that_is_missing_or_empty_is_named(environment: dict[str, str]) -> None:
    with pytest.raises(Fault, match="USUAL_API_KEY is not set") as found:
        route(Access(), environment, ("USUAL_API_KEY",))
    assert found.value.kind == "configuration"


def test_parameters_stay_as_they_are() -> None:
    asked = {"temperature": 0, "stop": ("a",), "extra_body": {"top_k": 1}}
    assert checked(asked) == asked


# -- faults --------------------------------------------------------------------------------------


def test_words_for_anybody_say_what_happened_what_was_kept_and_what_to_do() -> None:
    assert plain("timeout") == "The assistant did not answer in time. Try again."
    assert plain("rate_limit", kept=True) == (
        "The assistant is asked too often just now. What had come is kept. Wait a little, then try again."
    )
    assert plain("configuration").endswith("Please tell the researcher.")


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"error": {"code": 429}}, "rate_limit"),
        ({"error": {"code": "429"}}, "rate_limit"),
        ({"error": {"status": 503}}, "server"),
        ({"error": {"code": "insufficient_quota", "message": "m"}}, "rate_limit"),
        ({"error": {"code": "overloaded_error"}}, "server"),
        ({"error": "just words"}, "server"),
        ({"error": {"code": "odd"}}, "server"),
        ({"error": {"code": 413}}, "too_long"),
        ({"error": {"code": True}}, "server"),
    ],
)
def test_an_error_body_tells_its_kind(body: Any, kind: str) -> None:
    fault = fault_of_body(body, "V")
    assert fault is not None
    assert fault.kind == kind


@pytest.mark.parametrize("body", [None, [], "x", {}, {"error": None}, {"choices": []}])
def test_a_body_without_an_error_tells_none(body: Any) -> None:
    assert fault_of_body(body, "V") is None


def test_an_exception_of_no_provider_is_a_lost_stream_and_loops_end() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    fault = fault_of(one, "V")
    assert (fault.kind, fault.detail) == ("lost_stream", "other")
    assert fault_of(TimeoutError(), "V").kind == "timeout"
    given = Fault("empty", "x")
    assert fault_of(given, "V") is given


# -- pace ----------------------------------------------------------------------------------------


def test_a_pace_lets_so_many_begin_in_any_minute() -> None:
    pace = Pace(2)
    assert [pace.take(now, 100) for now in (0.0, 10.0, 20.0, 21.0)] == [0.0, 0.0, 40.0, 49.0]
    assert pace.take(22.0, 97.9) is None
    assert pace.take(22.0, 98) == 98.0
    assert pace.take(500.0, 0) == 0.0


@given(st.integers(1, 5), st.lists(st.floats(0, 30), max_size=40))
def test_no_minute_holds_more_than_allowed(each_minute: int, gaps: list[float]) -> None:
    pace, now, begun = Pace(each_minute), 0.0, []
    for gap in gaps:
        now += gap
        wait = pace.take(now, 1e9)
        assert wait is not None
        begun.append(now + wait)
    assert all(later - earlier > -1e-6 for earlier, later in pairwise(begun))
    for first, beyond in zip(begun, begun[each_minute:], strict=False):
        assert beyond - first >= 60 - 1e-6


# -- schemas -------------------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"né": {"type": "string"}}}


def test_the_ladder_begins_as_high_as_the_model_can_and_goes_down() -> None:
    assert rungs(None, True, True) == ("json_schema", "json_object", "prompt")
    assert rungs(None, False, True) == ("json_object", "prompt")
    assert rungs(None, False, False) == ("prompt",)
    assert rungs("json_object", True, True) == ("json_object", "prompt")
    assert rungs("tool_call", False, True) == ("json_object", "prompt")


def test_where_tools_are_offered_a_call_is_the_first_rung() -> None:
    every = ("tool_call", "json_schema", "json_object", "prompt")
    assert rungs(None, True, True, True) == rungs("tool_call", False, False, False) == every
    assert rungs(None, False, True, False) == ("json_object", "prompt")
    assert rungs("json_schema", True, True, True) == ("json_schema", "json_object", "prompt")


def test_each_rung_asks_in_its_own_way() -> None:
    messages = [ChatMessage("system", "S"), ChatMessage("user", "U")]
    strict = response_format("json_schema", SCHEMA)
    assert strict == {
        "type": "json_schema",
        "json_schema": {"name": "answer", "schema": SCHEMA, "strict": True},
    }
    assert with_schema(messages, "json_schema", SCHEMA) == messages
    assert response_format("json_object", SCHEMA) == {"type": "json_object"}
    assert response_format("prompt", SCHEMA) is None
    system, asked = with_schema(messages, "prompt", SCHEMA)
    assert system == messages[0]
    assert asked.content.startswith("U\n\n")
    assert json.loads(asked.content.split("\n")[-1]) == SCHEMA


# -- the rehearsal -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("turn", "said"), [(1, "Do you  mean\n\nthis? "), (2, "x"), (3, "x"), (0, "Do you  mean\n\nthis? ")]
)
async def test_the_rehearsal_says_the_script_line_by_line(turn: int, said: str) -> None:
    parts, end = await heard(
        Rehearsal(0), call("rehearsal", script=("Do you  mean\n\nthis? ", "x"), turn=turn)
    )
    assert (end.status, end.text, end.finish_reason) == ("complete", said, "stop")
    assert (end.model_served, end.client) == ("rehearsal", "rehearsal")
    assert end.usage == Usage(cost=0.0)
    assert len(parts) == len(said.split())


async def test_a_rehearsal_without_a_script_says_that_it_is_one() -> None:
    _, end = await heard(Rehearsal(0), call("rehearsal"))
    assert end.text == UNSCRIPTED
    assert "rehearsal" in end.text


@pytest.mark.parametrize("asked", [{"schema": {}}, {"tools": (Tool("a", "A.", {}),)}])
async def test_a_rehearsed_answer_by_schema_comes_whole(asked: dict[str, Any]) -> None:
    parts, _ = await heard(Rehearsal(0), call("rehearsal", script=('{"a": "b c d"}',), **asked))
    assert parts == ['{"a": "b c d"}']


async def test_a_blank_line_of_a_script_is_said_too() -> None:
    parts, end = await heard(Rehearsal(0), call("rehearsal", script=("  ",)))
    assert (parts, end.text) == (["  "], "  ")


# -- prices --------------------------------------------------------------------------------------


def test_a_price_needs_both_sides() -> None:
    with pytest.raises(ValueError, match="output"):
        Price.model_validate({"input": 1e-6})
