"""Whether an isolation holds on this machine: before anybody's code runs in it, a probe tries to get out."""

from __future__ import annotations

import os
import secrets
import sys
import tempfile

from capa_tui.sandbox import bubblewrap, landlock
from capa_tui.sandbox.exchange import Exchange
from capa_tui.sandbox.pair import Isolation
from capa_tui.sandbox.pool import Pool

_SECONDS = 10.0
_PROBE = """
def probe(secret, folder, parent):
    import os
    out = []
    def try_to(name, act):
        try:
            act()
            out.append(name)
        except (OSError, ValueError, RuntimeError, MemoryError):
            pass
    def connect():
        import _socket
        _socket.socket()
    def thread():
        import _thread
        _thread.start_new_thread(int, ())
    try_to("read a file of this user", lambda: open(secret).read())
    try_to("list a folder of this user", lambda: os.listdir(folder))
    try_to("write beside it", lambda: open(secret + ".out", "w").close())
    try_to("change a file's mode", lambda: os.chmod(secret, 0o600))
    try_to("start a process", os.fork)
    try_to("start a thread", thread)
    try_to("open a socket", connect)
    try_to("reach the program that started it", lambda: os.kill(parent, 0))
    try_to("allocate without limit", lambda: bytearray(4 << 30))
    if "HOME" in os.environ or "PATH" in os.environ:
        out.append("see the environment")
    return out
"""
_TESTS = """
def check(candidate):
    found = candidate({secret!r}, {folder!r}, {parent!r})
    assert found == [], "code in it could " + ", ".join(map(str, found))
"""


def what_leaks(pool: Pool, isolation: Isolation) -> str | None:
    """None if the isolation works; otherwise what is wrong and what can be done."""
    if isolation == "unsafe":
        return _run(pool, "def probe(*_): return []", "", "", 0)
    if not sys.platform.startswith("linux"):
        return "needs Linux."
    if isolation == "bubblewrap" and bubblewrap.find() is None:
        return "not installed (Debian, Ubuntu: apt install bubblewrap; Fedora: dnf install bubblewrap)."
    if isolation == "landlock" and not landlock.version():
        return "this kernel has no Landlock (it came with Linux 5.13 and can be switched off)."
    with tempfile.TemporaryDirectory(prefix="capa-tui-") as folder:
        secret = os.path.join(folder, "secret")
        with open(secret, "w", encoding="ascii") as file:
            file.write(secrets.token_hex())
        return _run(pool, _PROBE, secret, folder, os.getpid())


def _run(pool: Pool, code: str, secret: str, folder: str, parent: int) -> str | None:
    tests = _TESTS.format(secret=secret, folder=folder, parent=parent)
    try:
        pair = pool.new()
    except OSError as problem:
        return f"could not be started: {problem}."
    try:
        outcome = Exchange(pair, ("function", code, "", "probe", tests, _SECONDS), _SECONDS).run()
    finally:
        pool.retire(pair)
    if outcome.word == "passed":
        return None
    said = outcome.stderr.decode("utf-8", "replace").strip().splitlines()
    why = (said or outcome.detail.splitlines() or [""])[0 if outcome.answered else -1]
    return f"is there and does not work here: {outcome.word}, {why}."
