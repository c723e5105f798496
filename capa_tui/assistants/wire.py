"""What client and gateway say to each other: newline-delimited ASCII JSON over a Unix socket of one user.

    client: hello, call, cancel          gateway: hello, ready, refused, part, end, failed

Each message is an object with a `type`; `call`, `cancel`, `part`, `end` and `failed` carry the call's `id`.
`end` and `failed` hold all of a `ReplyEnd` but its text, which the parts have brought.
"""

from __future__ import annotations

import ctypes
import json
import os
import socket
import struct
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from studies.replies import Call, ChatMessage, ReplyEnd, Tool, Usage

PROTOCOL = 2
LINE_LIMIT = 8 * 1024 * 1024
"""Bytes of one message; the longest are calls with a history."""

Message = dict[str, Any]


class WireError(Exception):
    """The other side said something that is no message of this protocol."""


def encode(message: Mapping[str, Any]) -> bytes:
    """One line.

    Raises:
        WireError: it is longer than a line may be.
    """
    line = json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
    if len(line) > LINE_LIMIT:
        raise WireError(f"a message of {len(line):,} bytes; at most {LINE_LIMIT:,} are sent")
    return line


def decode(line: bytes) -> Message:
    """The message a line holds.

    Raises:
        WireError: it holds none.
    """
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise WireError("a line that is not JSON") from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError("a line that is no message")
    return message


def call_message(number: int, call: Call) -> Message:
    """A `call`. What only the rehearsal needs is not sent."""
    return {
        "type": "call",
        "id": number,
        "assistant": call.assistant,
        "model": call.model,
        "messages": [[one.role, one.content] for one in call.messages],
        "parameters": dict(call.parameters),
        "schema": None if call.schema is None else dict(call.schema),
        "tools": [[one.name, one.description, dict(one.parameters)] for one in call.tools],
        "read_timeout": call.read_timeout,
        "total_timeout": call.total_timeout,
    }


def call_of(message: Message) -> Call:
    """The call of a `call` message.

    Raises:
        WireError: something is missing.
    """
    try:
        return Call(
            assistant=message["assistant"],
            model=message["model"],
            messages=tuple(ChatMessage(role, content) for role, content in message["messages"]),
            parameters=message["parameters"],
            schema=message["schema"],
            tools=tuple(Tool(name, about, schema) for name, about, schema in message["tools"]),
            read_timeout=float(message["read_timeout"]),
            total_timeout=float(message["total_timeout"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise WireError("a call that lacks something") from error


def end_message(number: int, end: ReplyEnd) -> Message:
    """An `end` or, for a reply that is not complete, a `failed`."""
    told = asdict(end)
    del told["text"]
    return {"type": "end" if end.status == "complete" else "failed", "id": number, **told}


def end_of(message: Message, text: str) -> ReplyEnd:
    """The last word that an `end` or `failed` brings, with the text the parts have brought.

    Raises:
        WireError: something is missing.
    """
    told = {name: value for name, value in message.items() if name not in ("type", "id", "usage")}
    try:
        return ReplyEnd(text=text, usage=Usage(**message["usage"]), **told)
    except (KeyError, TypeError) as error:
        raise WireError("an end that lacks something") from error


def peer_uid(connection: Any) -> int:
    """The user at the other end of a connected Unix socket, as the kernel knows it."""
    if hasattr(socket, "SO_PEERCRED"):
        held = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", held)[1])
    uid, gid = ctypes.c_uint32(), ctypes.c_uint32()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.getpeereid(connection.fileno(), ctypes.byref(uid), ctypes.byref(gid)) != 0:
        raise OSError(ctypes.get_errno(), f"the peer's user is not told on {sys.platform}")
    return uid.value


def is_own(connection: Any) -> bool:
    """Whether this user's own process is at the other end."""
    try:
        return peer_uid(connection) == os.geteuid()
    except OSError:
        return False
