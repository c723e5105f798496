"""What comes of a call, through a real gateway and a real litellm, whatever the provider does."""

from __future__ import annotations

import asyncio
import gc
import json
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest
from support.gateways import KEY, OTHER_KEY, SAID, Home, call, heard
from support.provider import (
    Answer,
    Behaviour,
    Close,
    Drop,
    End,
    Endless,
    Event,
    Flood,
    Provider,
    Refusal,
    Say,
    Stall,
)

from capa_tui.assistants.client import Gateway
from studies.replies import ChatMessage, Part, Usage

pytestmark = pytest.mark.xdist_group("gateway")


def error(code: Any, message: str = "slow down") -> dict[str, Any]:
    return {"error": {"message": message, "code": code}}


async def test_a_reply_comes_in_parts_with_all_that_is_known_of_it(
    gateway: Gateway, provider: Provider
) -> None:
    provider.answers["plain"] = Answer(Say("Do you mean one?", whole=True), Stall(), model="plain-2026-01")
    async with aclosing(gateway.reply(call("openai/plain"))) as reply:
        # It is here before the provider has said all.
        assert await anext(reply) == Part("Do you mean one?")
    provider.answers["plain"] = Answer(Say("Do you mean one or the other?"), model="plain-2026-01")
    parts, end = await heard(gateway, call("openai/plain"))
    assert parts
    assert (end.status, end.text) == ("complete", "Do you mean one or the other?")
    assert (end.model_served, end.finish_reason) == ("plain-2026-01", "stop")
    assert end.usage == Usage(prompt_tokens=11, completion_tokens=7, estimated=False, cost=None)
    assert (end.error, end.error_kind, end.detail) == ("", "", "")
    assert end.client == "litellm 1.110.2"
    assert end.first_token_ms is not None
    assert 0 <= end.first_token_ms <= end.total_ms


async def test_a_request_is_sent_as_the_study_says_and_once(gateway: Gateway, provider: Provider) -> None:
    provider.answers["asked"] = Answer(Say("Yes."))
    wanted = call("openai/asked", parameters={"temperature": 0.3, "seed": 7, "extra_body": {"top_k": 5}})
    await heard(gateway, wanted)
    (request,) = provider.asked("asked")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.body == {
        "model": "asked",
        "messages": [{"role": "user", "content": SAID}],
        "temperature": 0.3,
        "seed": 7,
        "top_k": 5,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


NULLS = Answer(
    Event({"id": "1", "choices": [], "model": "m"}),
    Event({"id": "1", "choices": [{"index": 0, "delta": {"content": None}}], "model": "m"}),
    Say("All"),
    Event({"id": "1", "choices": [{"index": 0, "delta": None}], "model": "m"}),
    Event(None),
    Event({"choices": None}),
    Event(b": a comment"),
    Say(" of it"),
)
HTML = {"Content-Type": "text/html"}
HALF = Say("Half a")
LONG = "This model's maximum context length is 10 tokens"
# What the provider does: (behaviour, status, text, kind of error).
FAULTS: dict[str, tuple[Behaviour, str, str, str]] = {
    "rate limit": (Refusal(429, error(429)), "failed", "", "rate_limit"),
    "rate limit under 200": (Refusal(200, error(429)), "failed", "", "rate_limit"),
    "rate limit under 200, in words": (
        Refusal(200, error("rate_limit_exceeded")),
        "failed",
        "",
        "rate_limit",
    ),
    "rate limit as first event": (Answer(Event(error(429)), Stall()), "failed", "", "rate_limit"),
    "rate limit mid-stream": (
        Answer(HALF, Event(error(429)), Stall()),
        "interrupted",
        "Half a",
        "rate_limit",
    ),
    "server error": (Refusal(500, error(500)), "failed", "", "server"),
    "server error in HTML": (Refusal(503, b"<html>", HTML), "failed", "", "server"),
    "server error under 200": (Refusal(200, error(500)), "failed", "", "server"),
    "server error mid-stream": (Answer(HALF, Event(error(502)), Stall()), "interrupted", "Half a", "server"),
    "refused request": (Refusal(400, error("bad", "no such thing")), "failed", "", "refused"),
    "refused key": (Refusal(401, error("invalid_api_key")), "failed", "", "configuration"),
    "forbidden key": (Refusal(403, error("x")), "failed", "", "configuration"),
    "unknown model": (Refusal(404, error("model_not_found")), "failed", "", "configuration"),
    "full context": (Refusal(400, error("context_length_exceeded", LONG)), "failed", "", "too_long"),
    "empty reply": (Answer(End()), "failed", "", "empty"),
    "blank reply": (Answer(Say(" \n")), "interrupted", " \n", "empty"),
    "page in place of a stream": (Refusal(200, b"<html>", HTML), "failed", "", "empty"),
    "JSON that is no answer": (Refusal(200, {"hello": 1}), "failed", "", "server"),
    "content filter": (Answer(End(finish="content_filter")), "failed", "", "refused"),
    "drop before the first byte": (Answer(Drop()), "failed", "", "lost_stream"),
    "drop mid-stream": (Answer(HALF, Drop()), "interrupted", "Half a", "lost_stream"),
    "no finish": (
        Answer(HALF, End(usage=None, finish=None, done=False)),
        "interrupted",
        "Half a",
        "lost_stream",
    ),
    "rubbish mid-stream": (Answer(HALF, Event(b"data: {oops")), "interrupted", "Half a", "lost_stream"),
    "null chunks": (NULLS, "complete", "All of it", ""),
    "no last event": (Answer(Say("All of it"), End(done=False)), "complete", "All of it", ""),
    "reply at its length": (Answer(Say("What fits"), End(finish="length")), "complete", "What fits", ""),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_what_a_provider_does_leaves_the_text_and_a_clear_status(
    gateway: Gateway, provider: Provider, name: str
) -> None:
    behaviour, status, text, kind = FAULTS[name]
    provider.answers[f"m-{name}"] = behaviour
    _, end = await heard(gateway, call(f"openai/m-{name}"))
    assert (end.status, end.text, end.error_kind) == (status, text, kind)
    assert len(provider.asked(f"m-{name}")) == 1, "no hidden retry"
    if kind:
        assert end.error.endswith(("again.", "researcher."))
        assert ("is kept" in end.error) == bool(text)
        assert end.detail
        # A participant may read it: it names no model and no provider.
        assert f"m-{name}" not in end.error
        assert "litellm" not in end.error + end.detail.lower()
    else:
        assert (end.error, end.detail) == ("", "")


async def test_a_whole_answer_in_place_of_a_stream_is_an_answer(gateway: Gateway, provider: Provider) -> None:
    whole = {
        "model": "whole-1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "All."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3},
    }
    provider.answers["whole"] = Refusal(200, whole)
    _, end = await heard(gateway, call("openai/whole"))
    assert (end.status, end.text, end.model_served) == ("complete", "All.", "whole-1")
    assert end.usage == Usage(2, 1)


async def test_after_a_fault_the_next_try_is_an_ordinary_one(gateway: Gateway, provider: Provider) -> None:
    provider.answers["lame"] = [Refusal(429), Answer(Say("Here"), Drop()), Answer(Say("Here it is."))]
    tries = [(await heard(gateway, call("openai/lame")))[1] for _ in range(3)]
    assert [one.status for one in tries] == ["failed", "interrupted", "complete"]
    assert len(provider.asked("lame")) == 3


# -- time and stopping ---------------------------------------------------------------------------


async def test_a_slow_first_part_is_a_timeout(gateway: Gateway, provider: Provider) -> None:
    provider.answers["mute"] = Answer(Stall())
    _, end = await heard(gateway, call("openai/mute", read_timeout=0.2))
    assert (end.status, end.error_kind, end.detail) == ("failed", "timeout", "nothing more came within 0.2 s")
    await provider.reaches(lambda: provider.open == 0)


async def test_a_stall_keeps_what_had_come(gateway: Gateway, provider: Provider) -> None:
    provider.answers["stalls"] = Answer(Say("Half a"), Stall())
    _, end = await heard(gateway, call("openai/stalls", read_timeout=0.2))
    assert (end.status, end.text, end.error_kind) == ("interrupted", "Half a", "timeout")
    await provider.reaches(lambda: provider.open == 0)


async def test_a_reply_that_does_not_end_is_ended(gateway: Gateway, provider: Provider) -> None:
    provider.answers["endless"] = Answer(Endless())
    _, end = await heard(gateway, call("openai/endless", total_timeout=0.5))
    assert (end.status, end.error_kind) == ("interrupted", "timeout")
    assert end.detail == "the reply was not whole within 0.5 s"
    await provider.reaches(lambda: provider.open == 0)


@pytest.mark.parametrize("answer", [Answer(Say("One two"), Endless()), Answer(Say("One two"), Stall())])
async def test_closing_a_reply_stops_the_provider(
    gateway: Gateway, provider: Provider, answer: Answer
) -> None:
    provider.answers["long"] = answer
    before = provider.cut
    reply = gateway.reply(call("openai/long"))
    assert isinstance(await anext(reply), Part)
    assert provider.open == 1
    await reply.aclose()
    await provider.reaches(lambda: provider.open == 0)
    assert provider.cut == before + 1


async def test_cancelling_before_the_first_part_stops_the_provider(
    gateway: Gateway, provider: Provider
) -> None:
    provider.answers["mute"] = Answer(Stall())
    before = provider.cut
    waiting = asyncio.ensure_future(heard(gateway, call("openai/mute")))
    await provider.reaches(lambda: provider.open == 1)
    waiting.cancel()
    (left,) = await asyncio.gather(waiting, return_exceptions=True)
    assert isinstance(left, asyncio.CancelledError)
    await provider.reaches(lambda: provider.open == 0)
    assert provider.cut == before + 1


async def test_a_forgotten_reply_stops_the_provider(gateway: Gateway, provider: Provider) -> None:
    provider.answers["long"] = Answer(Endless())
    before = provider.cut
    async for _ in gateway.reply(call("openai/long")):
        break
    gc.collect()
    await provider.reaches(lambda: provider.open == 0)
    assert provider.cut == before + 1


async def test_a_client_that_goes_stops_its_replies_and_no_others(
    gateway: Gateway, provider: Provider
) -> None:
    provider.answers["mute"] = Answer(Stall())
    other = Gateway()
    mine, theirs = (asyncio.ensure_future(heard(one, call("openai/mute"))) for one in (gateway, other))
    await provider.reaches(lambda: provider.open == 2)
    await other.close()
    _, end = await theirs
    assert (end.status, end.error_kind) == ("interrupted", "gateway")
    await provider.reaches(lambda: provider.open == 1)
    assert not mine.done()
    mine.cancel()
    await asyncio.gather(mine, return_exceptions=True)


async def test_thirty_replies_at_once_do_not_mix(gateway: Gateway, provider: Provider) -> None:
    for number in range(30):
        provider.answers[f"many-{number}"] = Answer(Flood(100, f"{number} "))
    replies = await asyncio.gather(*(heard(gateway, call(f"openai/many-{number}")) for number in range(30)))
    assert [end.text for _, end in replies] == [f"{number} " * 100 for number in range(30)]
    assert {end.status for _, end in replies} == {"complete"}


async def test_a_reply_without_bounds_is_cut(gateway: Gateway, provider: Provider) -> None:
    provider.answers["huge"] = Answer(
        Say("x" * 1_500_000, whole=True), Say("\u00e9" * 1_500_000, whole=True), Stall()
    )
    _, end = await heard(gateway, call("openai/huge"))
    assert (end.status, end.error_kind, len(end.text)) == ("interrupted", "too_long", 3_000_000)
    await provider.reaches(lambda: provider.open == 0)


# -- usage and cost ------------------------------------------------------------------------------

TOLD = {"prompt_tokens": 1000, "completion_tokens": 10, "total_tokens": 1010}
CACHED = TOLD | {"prompt_tokens_details": {"cached_tokens": 800}}
PRICED = (
    '[assistants.priced]\napi_base = "{base}"\nprice = {{ input = 1e-6, output = 1e-5, cached = 1e-7 }}\n'
)


async def test_usage_beside_text_counts_with_its_cached_tokens(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure(PRICED.format(base=provider.base))
    provider.answers["counted"] = Answer(Say("Yes."), End(usage=CACHED, usage_with_text=True))
    _, end = await heard(gateway, call("openai/counted", assistant="priced"))
    assert (end.usage.prompt_tokens, end.usage.completion_tokens, end.usage.cached_tokens) == (1000, 10, 800)
    assert not end.usage.estimated
    assert end.usage.cost == pytest.approx(200e-6 + 80e-6 + 100e-6)


async def test_usage_that_nobody_told_is_an_estimate_and_its_cost_unknown(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure(PRICED.format(base=provider.base))
    provider.answers["untold"] = Answer(Say("One two three"), End(usage=None))
    _, end = await heard(gateway, call("openai/untold", assistant="priced"))
    assert end.usage.estimated
    assert end.usage.completion_tokens
    assert end.usage.prompt_tokens
    assert end.usage.cost is None


async def test_zeros_for_usage_are_not_believed(gateway: Gateway, provider: Provider, home: Home) -> None:
    home.configure(PRICED.format(base=provider.base))
    provider.answers["zeros"] = Answer(Say("One two three"), End(usage=dict.fromkeys(TOLD, 0)))
    _, end = await heard(gateway, call("openai/zeros", assistant="priced"))
    assert (end.usage.estimated, end.usage.cost) == (True, None)
    assert end.usage.completion_tokens


async def test_a_model_known_by_name_at_an_own_address_has_no_known_price(
    gateway: Gateway, provider: Provider
) -> None:
    provider.answers["gpt-4o"] = Answer(Say("Yes."), End(usage=TOLD))
    _, end = await heard(gateway, call("openai/gpt-4o"))
    assert (end.usage.prompt_tokens, end.usage.cost) == (1000, None)


async def test_a_cost_that_the_provider_tells_is_the_cost(gateway: Gateway, provider: Provider) -> None:
    provider.answers["tells"] = Answer(Say("Yes."), End(usage=TOLD | {"cost": 0.0125}))
    _, end = await heard(gateway, call("openai/tells"))
    assert end.usage.cost == 0.0125


async def test_a_broken_reply_has_an_estimate(gateway: Gateway, provider: Provider) -> None:
    provider.answers["broken"] = Answer(Say("One two three"), Drop())
    _, end = await heard(gateway, call("openai/broken"))
    assert end.usage.estimated
    assert end.usage.completion_tokens
    assert end.usage.cost is None


def claude(*events: dict[str, Any]) -> Answer:
    """A stream as Anthropic writes it."""
    begin = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "claude-2026-01"}
    usage = {"input_tokens": 25, "cache_read_input_tokens": 5, "output_tokens": 1}
    told = [
        {"type": "message_start", "message": begin | {"usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}}
            for text in ("Hello", " you")
        ),
        *events,
    ]
    lines = (f"event: {one['type']}\ndata: {json.dumps(one)}".encode() for one in told)
    return Answer(*map(Event, lines), Close())


async def test_other_protocols_are_heard_alike(gateway: Gateway, provider: Provider, home: Home) -> None:
    home.configure(
        f'[assistants.claude]\napi_base = "{provider.base.removesuffix("/v1")}"\nkey_env = "TEST_KEY"\n'
        "price = { input = 1e-6, output = 1e-5, cached = 1e-7 }\n"
    )
    over = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}}
    provider.answers["claude-1"] = claude(over, {"type": "message_stop"})
    wanted = call("anthropic/claude-1", assistant="claude", parameters={"max_tokens": 50})
    _, end = await heard(gateway, wanted)
    assert (end.status, end.text, end.model_served) == ("complete", "Hello you", "claude-2026-01")
    assert end.usage == Usage(30, 15, 5, False, pytest.approx(25e-6 + 5e-7 + 15e-5))
    trouble = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    provider.answers["claude-1"] = claude(trouble)
    _, end = await heard(gateway, wanted)
    assert (end.status, end.text, end.error_kind) == ("interrupted", "Hello you", "server")
    # The one output token told at the beginning is not what was said.
    assert (end.usage.estimated, end.usage.cost) == (True, None)
    provider.answers["claude-1"] = Refusal(529, trouble)
    _, end = await heard(gateway, wanted)
    assert (end.status, end.error_kind, end.detail) == ("failed", "server", "HTTP 529: Overloaded")


async def test_nothing_said_has_no_usage(gateway: Gateway, provider: Provider) -> None:
    provider.answers["none"] = Refusal(500)
    _, end = await heard(gateway, call("openai/none"))
    assert end.usage == Usage()


# -- keys and configuration ----------------------------------------------------------------------


async def test_a_refused_key_is_named_by_its_variable_only(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    provider.answers["refuses"] = Refusal(401, error("invalid_api_key", f"Incorrect API key provided: {KEY}"))
    _, end = await heard(gateway, call("openai/refuses"))
    assert end.error_kind == "configuration"
    assert "the key in TEST_KEY was refused" in end.detail
    assert KEY not in repr(end)
    assert KEY[3:] not in home.log


async def test_a_key_in_a_stream_of_errors_stays_here(gateway: Gateway, provider: Provider) -> None:
    for model, answer in {
        "late": Answer(Say("Half"), Event(error(500, f"bad {KEY}")), Stall()),
        "under": Refusal(200, error(500, f"bad {KEY} and {OTHER_KEY}")),
    }.items():
        provider.answers[model] = answer
        _, end = await heard(gateway, call(f"openai/{model}"))
        assert "[key]" in end.detail
        assert KEY not in repr(end)
        assert OTHER_KEY not in repr(end)


@pytest.mark.parametrize("variable", ["MISSING_KEY", "EMPTY_KEY", "DOTENV_KEY"])
async def test_a_missing_key_is_said_before_anything_is_sent(
    gateway: Gateway, provider: Provider, home: Home, variable: str
) -> None:
    # DOTENV_KEY stands in a `.env` file above litellm's own folder, where litellm by itself would read it.
    home.configure(f'[assistants.keyless]\napi_base = "{provider.base}"\nkey_env = "{variable}"\n')
    _, end = await heard(gateway, call("openai/keyless", assistant="keyless"))
    assert (end.status, end.error_kind) == ("failed", "configuration")
    assert f"the environment variable {variable} is not set" in end.detail
    assert provider.asked("keyless") == []


async def test_the_usual_variable_is_named_where_none_is_configured(gateway: Gateway) -> None:
    _, end = await heard(gateway, call("anthropic/claude-sonnet-4-5"))
    assert "the environment variable ANTHROPIC_API_KEY is not set" in end.detail


async def test_no_key_goes_to_a_server_it_was_not_meant_for(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure(f'[assistants.own]\napi_base = "{provider.base}"\n')
    _, end = await heard(gateway, call("openai/own", assistant="own"))
    assert end.status == "complete"
    (request,) = provider.asked("own")
    assert OTHER_KEY not in str(request.headers)
    assert KEY not in str(request.headers)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"api_base": "http://127.0.0.1:1/v1"}, "'api_base' is not allowed"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "'base_url' is not allowed"),
        ({"mock_response": "made up"}, "'mock_response' is not allowed"),
        ({"fallbacks": ["openai/other"]}, "'fallbacks' is not allowed"),
        ({"temprature": 1}, "did you mean temperature?"),
        ({"extra_body": {"model": "another"}}, "extra_body must not set model"),
        ({"extra_body": "x"}, "extra_body is not a table"),
    ],
)
async def test_a_study_cannot_send_keys_elsewhere_or_bring_in_another_model(
    gateway: Gateway, provider: Provider, parameters: dict[str, Any], said: str
) -> None:
    _, end = await heard(gateway, call("openai/strict", parameters=parameters))
    assert (end.status, end.error_kind) == ("failed", "configuration")
    assert said in end.detail
    assert provider.asked("strict") == []


async def test_a_model_litellm_does_not_know_is_a_matter_of_configuration(gateway: Gateway) -> None:
    _, end = await heard(gateway, call("no-such-model"))
    assert (end.status, end.error_kind) == ("failed", "configuration")
    assert "knows no provider" in end.detail


async def test_a_server_that_is_not_there_is_unreachable(gateway: Gateway, home: Home) -> None:
    home.configure('[assistants.gone]\napi_base = "http://127.0.0.1:1/v1"\n')
    _, end = await heard(gateway, call("openai/gone", assistant="gone"))
    assert (end.status, end.error_kind) == ("failed", "unreachable")


async def test_a_broken_configuration_says_where(gateway: Gateway, home: Home) -> None:
    await heard(gateway, call("openai/fine"))
    home.configure('[assistants.x]\napi_bas = "http://x"\n')
    _, end = await heard(gateway, call("openai/fine"))
    assert end.error_kind == "configuration"
    assert "machine.toml assistants.x.api_bas: unknown key" in end.detail
    fresh = Gateway()
    _, end = await heard(fresh, call("openai/fine"))
    assert end.error_kind == "configuration"
    assert "machine.toml assistants.x.api_bas: unknown key" in end.detail


async def test_more_requests_than_allowed_wait_or_are_refused(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure(f'[assistants.slow]\napi_base = "{provider.base}"\nrequests_per_minute = 2\n')
    ends = [
        (await heard(gateway, call("openai/paced", assistant="slow", total_timeout=5)))[1] for _ in range(3)
    ]
    assert [one.status for one in ends] == ["complete", "complete", "failed"]
    assert ends[2].error_kind == "rate_limit"
    assert "requests_per_minute = 2" in ends[2].detail
    assert len(provider.asked("paced")) == 2


async def test_what_cannot_be_encoded_is_replaced_not_lost(gateway: Gateway, provider: Provider) -> None:
    _, end = await heard(gateway, call("openai/odd", said="a\ud800b\x00c \U0001f600"))
    assert end.status == "complete"
    (request,) = provider.asked("odd")
    assert request.body["messages"][0]["content"] == "a\ufffdb\x00c \U0001f600"


async def test_a_conversation_too_long_to_send_says_so(gateway: Gateway) -> None:
    _, end = await heard(gateway, call("openai/odd", said="x" * 9_000_000))
    assert (end.status, end.error_kind) == ("failed", "too_long")
    _, end = await heard(gateway, call("openai/odd"))
    assert end.status == "complete"


# -- answers by schema ---------------------------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"sure": {"type": "boolean"}}, "required": ["sure"]}
ANSWER = Answer(Say('{"sure": true}'))


async def test_a_model_that_takes_schemas_gets_one(gateway: Gateway, provider: Provider, home: Home) -> None:
    home.configure(f'[assistants.gate]\napi_base = "{provider.base}"\nstructured = "json_schema"\n')
    provider.answers["schemas"] = ANSWER
    _, end = await heard(gateway, call("openai/schemas", assistant="gate", schema=SCHEMA))
    assert (end.status, end.structured, json.loads(end.text)) == ("complete", "json_schema", {"sure": True})
    (request,) = provider.asked("schemas")
    assert request.body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert request.body["messages"] == [{"role": "user", "content": SAID}]


async def test_a_refused_format_is_asked_for_in_the_next_way(
    gateway: Gateway, provider: Provider, home: Home
) -> None:
    home.configure(f'[assistants.gate]\napi_base = "{provider.base}"\nstructured = "json_schema"\n')
    refusal = Refusal(400, error("bad", "response_format is not supported"))
    provider.answers["plain-only"] = [refusal, refusal, ANSWER]
    messages = (ChatMessage("system", "Be brief."), ChatMessage("user", SAID))
    wanted = replace(call("openai/plain-only", assistant="gate", schema=SCHEMA), messages=messages)
    _, end = await heard(gateway, wanted)
    assert (end.status, end.structured) == ("complete", "prompt")
    first, second, third = (one.body for one in provider.asked("plain-only"))
    assert first["response_format"]["type"] == "json_schema"
    assert second["response_format"] == {"type": "json_object"}
    assert "response_format" not in third
    for body in (second, third):
        assert body["messages"][0] == {"role": "system", "content": "Be brief."}
        assert json.dumps(SCHEMA, sort_keys=True) in body["messages"][-1]["content"]


async def test_other_faults_are_not_asked_for_again(gateway: Gateway, provider: Provider) -> None:
    provider.answers["limited"] = Refusal(429)
    _, end = await heard(gateway, call("openai/limited", schema=SCHEMA))
    assert (end.status, end.error_kind) == ("failed", "rate_limit")
    assert len(provider.asked("limited")) == 1


# -- the log -------------------------------------------------------------------------------------


async def test_the_log_tells_calls_and_no_words(gateway: Gateway, provider: Provider, home: Home) -> None:
    provider.answers["logged"] = Answer(Say("a reply that no log may hold"))
    await heard(gateway, call("openai/logged"))
    provider.answers["logged"] = Refusal(400, error("bad", f"you said: {SAID}"))
    await heard(gateway, call("openai/logged"))
    assert "('openai/logged'): complete" in home.log
    assert "('openai/logged'): failed refused" in home.log
    assert "that no log may hold" not in home.log
    assert KEY not in home.log
    assert OTHER_KEY not in home.log
