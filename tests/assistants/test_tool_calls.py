"""Tool calls through a real gateway and a real litellm: what is offered, and what comes of each call."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.gateways import SAID, Home, call, heard
from support.provider import Answer, CallTool, Drop, End, Provider, Refusal, Reply, Say

from capa_tui.assistants.client import Gateway
from capa_tui.assistants.structured import asked_for
from capa_tui.assistants.tools import ToolCalls, as_schema
from studies.answers import ask
from studies.replies import Call, ChatMessage, ReplyEnd, Tool
from studies.setting_types import LiveSettings
from studies.settings import AssistantSettings
from studies.specification.agents.baseline_shapes import SheetAct, own_query, submit_spec

pytestmark = pytest.mark.xdist_group("gateway")

TOOLS = (own_query(), submit_spec())
QUERY = {
    "thought": "Unclear.",
    "why": "It decides the rest.",
    "question": "Größe?",
    **{f"option_{one}": f"Option {one}" for one in "abcd"},
}
ARGUMENTS = json.dumps(QUERY, ensure_ascii=False)
GOOD = CallTool("query_user", ARGUMENTS, pieces=7)
CALLED = End(finish="tool_calls")


@pytest.fixture
def calling(home: Home) -> Home:
    """A machine that says that its model calls functions, which litellm cannot know."""
    home.configure(f'[assistants.caller]\napi_base = "{home.provider.base}"\nstructured = "tool_call"\n')
    return home


async def reply_to(gateway: Gateway, provider: Provider, *answers: Reply) -> tuple[list[str], ReplyEnd]:
    provider.answers["caller"] = list(answers)
    return await heard(gateway, call("openai/caller", assistant="caller", tools=TOOLS))


def told(end: ReplyEnd) -> Any:
    assert (end.status, end.structured) == ("complete", "tool_call"), end.detail
    return json.loads(end.text)


async def test_a_call_over_many_pieces_is_one_answer(
    gateway: Gateway, provider: Provider, calling: Home
) -> None:
    seen = len(provider.asked("caller"))
    parts, end = await reply_to(gateway, provider, Answer(GOOD, CALLED))
    assert told(end) == {"tool": "query_user", "arguments": QUERY}
    assert (len(parts), end.finish_reason, end.detail) == (1, "tool_calls", "")
    assert end.usage.completion_tokens == 7
    assert end.first_token_ms is not None
    body = provider.asked("caller")[seen].body
    assert [one["function"]["name"] for one in body["tools"]] == ["query_user", "submit_spec"]
    assert body["tools"][0]["function"]["parameters"] == TOOLS[0].parameters
    assert body["tool_choice"] == "required"
    assert body["messages"] == [{"role": "user", "content": SAID}]
    assert "response_format" not in body


@pytest.mark.parametrize(
    ("answer", "text", "detail"),
    [
        (
            Answer(CallTool("write_file", '{"path": "x"}'), CALLED),
            {"tool": "write_file", "arguments": {"path": "x"}},
            "",
        ),
        (
            Answer(CallTool("query_user", '{"thought": "cut of', pieces=2), End(finish="length")),
            {"tool": "query_user", "arguments": '{"thought": "cut of'},
            "the arguments of query_user are no JSON object",
        ),
        (
            Answer(GOOD, CallTool("submit_spec", "{}", place=1, id="call-2"), CALLED),
            {"tool": "query_user", "arguments": QUERY},
            "2 tools were called and the first counts; left out: submit_spec {}",
        ),
        (
            # Some providers give both calls one place.
            Answer(GOOD, CallTool("submit_spec", "{}", id="call-2"), CALLED),
            {"tool": "query_user", "arguments": QUERY},
            "2 tools were called and the first counts; left out: submit_spec {}",
        ),
        (
            Answer(Say("Let me ask about the size."), GOOD, CALLED),
            {"tool": "query_user", "arguments": QUERY},
            "text beside the call was left out: Let me ask about the size.",
        ),
    ],
)
async def test_whatever_is_called_is_told(
    gateway: Gateway, provider: Provider, calling: Home, answer: Reply, text: Any, detail: str
) -> None:
    _, end = await reply_to(gateway, provider, answer)
    assert (told(end), end.detail) == (text, detail)


async def test_words_in_place_of_a_call_are_the_reply(
    gateway: Gateway, provider: Provider, calling: Home
) -> None:
    _, end = await reply_to(gateway, provider, Answer(Say("I would ask about the size.")))
    assert (end.status, end.structured, end.text) == ("complete", "tool_call", "I would ask about the size.")


async def test_what_had_come_of_a_broken_call_is_kept(
    gateway: Gateway, provider: Provider, calling: Home
) -> None:
    half = CallTool("query_user", '{"thought": "half')
    _, end = await reply_to(gateway, provider, Answer(half, Drop()))
    assert (end.status, end.error_kind) == ("interrupted", "lost_stream")
    assert json.loads(end.text) == {"tool": "query_user", "arguments": '{"thought": "half'}


async def test_a_call_in_a_body_that_is_no_stream(
    gateway: Gateway, provider: Provider, calling: Home
) -> None:
    function = {"name": "query_user", "arguments": ARGUMENTS}
    message = {"content": None, "tool_calls": [{"id": "1", "type": "function", "function": function}]}
    body = {"model": "caller", "choices": [{"message": message, "finish_reason": "tool_calls"}]}
    _, end = await reply_to(gateway, provider, Refusal(200, body))
    assert told(end) == {"tool": "query_user", "arguments": QUERY}


async def test_refused_tools_are_put_into_words(gateway: Gateway, provider: Provider, calling: Home) -> None:
    seen = len(provider.asked("caller"))
    refusal = Refusal(400, {"error": {"message": "tools are not supported", "code": "bad"}})
    said = json.dumps({"tool": "query_user", "arguments": QUERY})
    _, end = await reply_to(gateway, provider, refusal, refusal, Answer(Say(said)))
    assert (end.structured, json.loads(end.text)["tool"]) == ("json_object", "query_user")
    first, second, third = (one.body for one in provider.asked("caller")[seen:])
    assert "tools" in first
    assert second["response_format"]["json_schema"]["schema"] == as_schema(TOOLS)
    assert TOOLS[0].description in second["messages"][-1]["content"]
    assert json.dumps(as_schema(TOOLS), sort_keys=True) in third["messages"][-1]["content"]
    assert not {"tools", "tool_choice"} & (second.keys() | third.keys())


@pytest.mark.parametrize(("model", "way"), [("gpt-4o", "tool_call"), ("unheard-of", "json_object")])
async def test_functions_are_offered_to_models_that_litellm_knows_to_call_them(
    gateway: Gateway, provider: Provider, model: str, way: str
) -> None:
    provider.answers[model] = Answer(Say("x"))
    _, end = await heard(gateway, call(f"openai/{model}", tools=TOOLS))
    assert end.structured == way
    body = provider.asked(model)[-1].body
    assert ("tools" in body) == ("parallel_tool_calls" in body) == (way == "tool_call")


async def test_a_bad_call_is_asked_for_once_more(gateway: Gateway, provider: Provider, calling: Home) -> None:
    settings = AssistantSettings(name="caller", model="openai/caller")
    provider.answers["caller"] = [Answer(Say("I would ask.")), Answer(GOOD, CALLED)]
    messages = (ChatMessage("user", SAID),)
    got = await ask(settings, LiveSettings(), messages, SheetAct, "", gateway, tools=TOOLS)
    assert got.answer is not None
    assert got.answer.root.tool == "query_user"
    assert [one.structured for one in got.replies] == ["tool_call", "tool_call"]
    repair = provider.asked("caller")[-1].body["messages"][-1]["content"]
    assert repair == "That does not fit: no tool was called; call query_user or submit_spec"

    wrong = Answer(CallTool("write_file", "{}"), CALLED)
    provider.answers["caller"] = [wrong, wrong]
    got = await ask(settings, LiveSettings(), messages, SheetAct, "", gateway, tools=TOOLS)
    assert (got.answer, len(got.replies)) == (None, 2)
    assert "'query_user', 'submit_spec'" in got.trouble


async def test_a_call_that_offers_no_tools_hears_none(gateway: Gateway, provider: Provider) -> None:
    provider.answers["eager"] = Answer(Say("Yes."), GOOD, CALLED)
    _, end = await heard(gateway, call("openai/eager"))
    assert (end.status, end.text, end.detail) == ("complete", "Yes.", "")


# -- without a gateway -------------------------------------------------------------------------


def test_one_schema_holds_every_call_and_their_definitions() -> None:
    of_one = Tool(
        "a", "A.", {"type": "object", "properties": {"x": {"$ref": "#/$defs/X"}}, "$defs": {"X": {}}}
    )
    schema = as_schema((of_one, Tool("b", "B.", {"type": "object"})))
    assert [one["properties"]["tool"]["const"] for one in schema["anyOf"]] == ["a", "b"]
    assert schema["$defs"] == {"X": {}}
    assert "$defs" not in schema["anyOf"][0]["properties"]["arguments"]
    assert as_schema((of_one,))["properties"]["tool"]["const"] == "a"
    assert "$defs" in of_one.parameters


def test_a_schema_is_not_asked_for_as_a_call() -> None:
    wanted = Call("a", "m", (ChatMessage("user", "U"),), tools=TOOLS[:1])
    messages, beside = asked_for(wanted, "json_schema")
    assert messages[0].content.startswith("U\n\nCall this tool by answering")
    assert beside["response_format"]["json_schema"]["schema"]["properties"]["tool"]["const"] == "query_user"


def test_arguments_that_came_as_an_object_or_not_at_all() -> None:
    calls = ToolCalls()
    calls.add(0, "", "query_user", {"thought": "x"})
    assert json.loads(calls.text) == {"tool": "query_user", "arguments": {"thought": "x"}}
    bare = ToolCalls()
    bare.add(0, "", "submit_spec", "")
    assert json.loads(bare.text) == {"tool": "submit_spec", "arguments": {}}
    assert bare.notes == ""
