"""The gateway: the one process of a user that loads litellm and reads keys.

    python -m capa_tui.assistants.gateway --socket PATH --log PATH --config PATH [--linger SECONDS]

The first client starts it; it ends a while after its last client has gone. Its log names calls, models and
outcomes, never a key, a message or a reply.
"""

from __future__ import annotations

import argparse
import asyncio
import fcntl
import logging
import os
import socket
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import NoReturn

from capa_tui.assistants.hub import Hub, log
from capa_tui.assistants.places import Place
from capa_tui.assistants.starting import LINGER


def main() -> None:
    """Become the gateway of a place, unless there is one already."""
    given = _arguments()
    if given.tell is not None:
        # Nobody's child: it outlives the client that started it, and leaves no zombie.
        if os.fork():
            os._exit(0)
        os.setsid()
    os.umask(0o077)
    place = Place(given.socket, given.log)
    lock = os.open(place.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        _tell(given.tell, b"taken")
        return
    _log_to(place.log)
    listening = _listening(place.socket)
    _tell(given.tell, b"listening")
    asyncio.run(_serve(place, given.config, given.linger, lock, listening))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m capa_tui.assistants.gateway", allow_abbrev=False)
    parser.add_argument("--socket", type=Path, required=True)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--linger", type=float, default=LINGER)
    parser.add_argument("--tell", type=int, help="descriptor to report to, then detach from who started it")
    return parser.parse_args()


async def _serve(place: Place, config: Path, linger: float, lock: int, listening: socket.socket) -> NoReturn:
    await Hub(place, config, linger, lambda: os.close(lock)).run(listening)
    logging.shutdown()
    # At once: an import may still be going on in a thread, and litellm's goodbyes may wait for the network.
    os._exit(0)


def _listening(path: Path) -> socket.socket:
    # Left by a gateway that was killed: we hold the lock, so nobody listens on it.
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listening.bind(os.fspath(path))
    path.chmod(0o600)
    listening.listen(256)
    return listening


def _tell(descriptor: int | None, word: bytes) -> None:
    """Report to who started this, and let go of what was theirs."""
    if descriptor is None:
        return
    os.write(descriptor, word)
    os.close(descriptor)
    nothing = os.open(os.devnull, os.O_RDWR)
    for one in (0, 1, 2):
        os.dup2(nothing, one)
    os.close(nothing)


def _log_to(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handler = RotatingFileHandler(path, maxBytes=1_000_000, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(process)d %(levelname)s %(message)s"))
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    log.propagate = False


if __name__ == "__main__":
    main()
