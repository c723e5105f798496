"""A home of its own for the gateway. litellm loads in seconds, so one gateway serves a session of tests."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from capa_tui.assistants.wire import PROTOCOL
from studies.replies import Assistant, Call, ChatMessage, Part, ReplyEnd
from support.provider import Provider

KEY = "sk-test-0123456789abcdef"
OTHER_KEY = "sk-other-must-stay-at-home"
SAID = "a request that no log may hold"


@dataclass(frozen=True)
class Home:
    """Folders and environment of a user whose machine reaches a loopback provider."""

    root: Path
    provider: Provider

    @classmethod
    def make(cls, provider: Provider) -> Home:
        """A new one. Its path is short: sockets want that."""
        home = cls(Path(tempfile.mkdtemp(prefix="capa-")), provider)
        for folder in ("run", "config/capa-tui", "data", "site"):
            (home.root / folder).mkdir(parents=True)
        # litellm searches the folders above its own for a `.env`, whatever the working folder.
        found = find_spec("litellm")
        assert found is not None
        assert found.submodule_search_locations is not None
        (home.root / "site" / "litellm").symlink_to(found.submodule_search_locations[0])
        (home.root / ".env").write_text("DOTENV_KEY=sk-from-a-dotenv-file\n")
        return home

    @property
    def environment(self) -> dict[str, str]:
        """What a test sets."""
        inherited = os.environ.get("PYTHONPATH")
        site = str(self.root / "site")
        return {
            "HOME": str(self.root),
            "XDG_RUNTIME_DIR": str(self.root / "run"),
            "XDG_CONFIG_HOME": str(self.root / "config"),
            "XDG_DATA_HOME": str(self.root / "data"),
            "PYTHONPATH": f"{site}:{inherited}" if inherited else site,
            "TEST_KEY": KEY,
            "EMPTY_KEY": "",
            "OPENAI_API_KEY": OTHER_KEY,
        }

    def configure(self, text: str = "") -> None:
        """Write machine.toml: the provider for every `openai/` model, and what a test adds."""
        base = f'[models."openai/"]\napi_base = "{self.provider.base}"\nkey_env = "TEST_KEY"\n'
        (self.root / "config" / "capa-tui" / "machine.toml").write_text(base + text)

    @property
    def log(self) -> str:
        """What the gateways here have logged."""
        return (self.root / "data" / "capa-tui" / "gateway.log").read_text()

    def remove(self) -> None:
        """End the gateways here and remove all of it."""
        for path in (self.root / "run" / "capa-tui").glob("*.sock"):
            end_gateway(path)
        shutil.rmtree(self.root)


def end_gateway(path: Path) -> None:
    """End the gateway that listens there, if any, and wait until it has."""
    with suppress(OSError), socket.socket(socket.AF_UNIX) as knocking:
        knocking.connect(str(path))
        hello = {"type": "hello", "protocol": PROTOCOL, "version": "test", "variables": []}
        knocking.sendall(json.dumps(hello).encode() + b"\n")
        os.kill(json.loads(knocking.makefile("rb").readline())["pid"], signal.SIGTERM)
    wait_for_end(path)


def wait_for_end(path: Path) -> None:
    """Wait until no gateway holds the place: its lock is then free."""
    with path.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def call(model: str, said: str = SAID, assistant: str = "helper", **more: Any) -> Call:
    """A call of one message."""
    return Call(assistant, model, (ChatMessage("user", said),), **more)


async def heard(assistant: Assistant, wanted: Call) -> tuple[list[str], ReplyEnd]:
    """A whole reply: its parts and its end, which is the last thing and agrees with the parts."""
    parts: list[str] = []
    ends: list[ReplyEnd] = []
    async with aclosing(assistant.reply(wanted)) as reply:
        async for one in reply:
            assert not ends
            if isinstance(one, Part):
                parts.append(one.text)
            else:
                ends.append(one)
    (end,) = ends
    assert end.text == "".join(parts)
    return parts, end


class Raw:
    """A connection to a gateway on which a test says what it likes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self.writer = writer

    @classmethod
    async def to(cls, path: Path) -> Raw:
        """Connect."""
        return cls(*await asyncio.open_unix_connection(str(path)))

    def say(self, message: Mapping[str, Any] | bytes) -> None:
        """One line."""
        self.writer.write(message if isinstance(message, bytes) else json.dumps(message).encode() + b"\n")

    async def hear(self) -> dict[str, Any] | None:
        """The next message, or None once the gateway has hung up."""
        line = await self._reader.readline()
        return json.loads(line) if line else None
