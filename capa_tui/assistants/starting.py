"""Finding the gateway of this user, or starting it: without a race, since a gateway locks its place."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from capa_tui.assistants.places import Place, place
from capa_tui.assistants.wire import LINE_LIMIT, PROTOCOL, WireError, decode, encode, is_own
from capa_tui.version import VERSION
from studies.errors import MachineError

LINGER = 30.0
"""Seconds that a gateway waits for another client after its last one."""
ATTEMPTS = 20
"""A gateway may be ending just as we knock; each attempt then takes the time of a process start."""


@dataclass(frozen=True, slots=True)
class Link:
    """A connection to a gateway that has said hello."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    pid: int


async def connected(linger: float) -> Link:
    """A connection to this user's gateway, which is started if there is none.

    Raises:
        MachineError: it cannot be started, or another program answers.
        FolderError: this machine's configuration has problems.
    """
    here, config, variables = await asyncio.to_thread(_surroundings)
    for _ in range(ATTEMPTS):
        link = await _knock(here, variables)
        if link is not None:
            return link
        await asyncio.to_thread(_start, here, config, linger)
    raise MachineError(f"The gateway to live assistants does not stay up. Its log: {here.log}")


def _surroundings() -> tuple[Place, Path, list[str]]:
    """The gateway's place, the configuration file, and which variables of keys are set here: names only."""
    from capa_tui.machine import machine_file, read_machine

    config = machine_file()
    named = read_machine(config).variables
    return (
        place(config),
        config,
        sorted(name for name in os.environ if name in named or name.endswith("_API_KEY")),
    )


async def _knock(here: Place, variables: list[str]) -> Link | None:
    """A connection, or None where nobody is there or a successor is due."""
    try:
        reader, writer = await asyncio.open_unix_connection(os.fspath(here.socket), limit=LINE_LIMIT)
    except OSError:
        return None
    try:
        if not is_own(writer.get_extra_info("socket")):
            raise MachineError(f"{here.socket} belongs to another user's program. Nothing was sent to it.")
        hello = {"type": "hello", "protocol": PROTOCOL, "version": VERSION, "variables": variables}
        writer.write(encode(hello))
        message = decode(await reader.readline() or b'{"type":"gone"}')
    except (OSError, WireError, ValueError):
        writer.close()
        return None
    except BaseException:
        writer.close()
        raise
    if message["type"] == "hello":
        return Link(reader, writer, int(message["pid"]))
    writer.close()
    if message["type"] == "refused" and message.get("reason") != "successor":
        raise MachineError(f"The gateway to live assistants refuses: {message.get('reason')}.")
    return None


def _start(here: Place, config: Path, linger: float) -> None:
    """Start a gateway; returns once one listens here, ours or one that was faster.

    Raises:
        MachineError: it ended before it listened.
    """
    here.log.parent.mkdir(parents=True, exist_ok=True)
    hearing, telling = os.pipe()
    try:
        with open(os.open(here.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as log:
            done = subprocess.run(
                [
                    *(sys.executable, "-P", "-m", "capa_tui.assistants.gateway"),
                    *("--socket", here.socket, "--log", here.log, "--config", config),
                    *("--linger", str(linger), "--tell", str(telling)),
                ],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                pass_fds=[telling],
                cwd="/",
                check=False,
            )
        os.close(telling)
        telling = -1
        told = os.read(hearing, 16)
    except OSError as error:
        raise MachineError(f"The gateway to live assistants cannot be started: {error}.") from error
    finally:
        os.close(hearing)
        if telling >= 0:
            with suppress(OSError):
                os.close(telling)
    if done.returncode != 0 or told == b"":
        raise MachineError(f"The gateway to live assistants ended at once. Its log: {here.log}")
