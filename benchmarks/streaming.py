"""Streaming through the gateway beside raw litellm, in one run: `python benchmarks/streaming.py`.

Both ask the same loopback server, which runs in a process of its own; so does raw litellm. They take turns,
and medians are compared, since other work shares the machine. Nothing is asserted: times belong to the
machine they were taken on.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

EVENTS = 3000
"""Events of one flood."""
ROUNDS = 11
FIRSTS = 60
"""Replies whose first part is timed."""
AT_ONCE = 30
PACE = 50.0
"""Events a second of each stream at once."""
PACED = 100
"""Events of each."""
CROWDS = 5

Timing = dict[str, Any]
Ask = Callable[[str], Awaitable[Timing]]


# -- the other processes -------------------------------------------------------------------------


def serve() -> None:
    """The provider, until standard input ends."""
    from support.provider import Answer, Flood, Provider, Say

    with Provider() as provider:
        provider.answers["flood"] = Answer(Flood(EVENTS))
        provider.answers["first"] = Answer(Say("word"))
        provider.answers["paced"] = Answer(Flood(PACED, rate=PACE))
        print(provider.base, flush=True)
        sys.stdin.read()


def raw(base: str) -> None:
    """litellm as a program would call it; a line of standard input names a model, and how often at once."""
    os.environ |= {"LITELLM_OFFLINE_MODE": "true", "LITELLM_MODE": "PRODUCTION"}
    import litellm

    litellm.suppress_debug_info = True
    # Off in the gateway too; by itself it would end these streams, whose words are all alike.
    litellm.REPEATED_STREAMING_CHUNK_LIMIT = sys.maxsize

    async def ask(model: str) -> Timing:
        began = time.perf_counter()
        first, count = 0.0, 0
        stream = await litellm.acompletion(
            model=f"openai/{model}",
            messages=[{"role": "user", "content": "x"}],
            api_base=base,
            api_key="none",
            stream=True,
            stream_options={"include_usage": True},
            max_retries=0,
            timeout=60,
        )
        async for chunk in stream:
            if chunk.choices and (text := chunk.choices[0].delta.content):
                first = first or time.perf_counter()
                count += len(text)
        return {"first": first - began, "total": time.perf_counter() - began, "characters": count}

    async def loop() -> None:
        reader = asyncio.StreamReader()
        await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
        )
        print("ready", flush=True)
        while line := (await reader.readline()).decode().strip():
            model, times = line.split()
            print(json.dumps(await asyncio.gather(*(ask(model) for _ in range(int(times))))), flush=True)

    asyncio.run(loop())


class Peer:
    """Raw litellm in its process."""

    def __init__(self, base: str) -> None:
        self._process = child("raw", base)
        self.hear()

    def hear(self) -> str:
        """A line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline()

    async def ask(self, model: str, times: int = 1) -> list[Timing]:
        """So many replies at once."""
        assert self._process.stdin is not None
        self._process.stdin.write(f"{model} {times}\n")
        self._process.stdin.flush()
        return json.loads(await asyncio.to_thread(self.hear))

    def end(self) -> None:
        """End it."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def child(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, __file__, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


# -- ours ----------------------------------------------------------------------------------------


async def ours(gateway: Any, model: str) -> Timing:
    from studies.replies import Call, ChatMessage, Part

    began = time.perf_counter()
    first, count = 0.0, 0
    async for one in gateway.reply(Call("a", f"openai/{model}", (ChatMessage("user", "x"),))):
        if isinstance(one, Part):
            first = first or time.perf_counter()
            count += len(one.text)
        else:
            assert one.status == "complete", one
    return {"first": first - began, "total": time.perf_counter() - began, "characters": count}


async def lag(until: asyncio.Event) -> list[float]:
    """How late this process's event loop was, looked at every 5 ms."""
    late = []
    while not until.is_set():
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        late.append(time.perf_counter() - began - 0.005)
    return sorted(late)


# -- the measurements ----------------------------------------------------------------------------


async def measure(base: str) -> None:
    from capa_tui.assistants.client import Gateway

    gateway = Gateway(linger=0)
    began = time.perf_counter()
    await gateway.open()
    took = time.perf_counter() - began
    print(f"gateway ready, litellm loaded: {took:.1f} s after its start ({gateway.client})")
    began = time.perf_counter()
    other = Gateway(linger=0)
    await other.open()
    print(f"a second client, gateway running: {(time.perf_counter() - began) * 1000:.1f} ms")
    await other.close()
    peer = Peer(base)
    try:
        for one in ("flood", "first"):
            await ours(gateway, one)
            await peer.ask(one)
        await rate(gateway, peer)
        await first_token(gateway, peer)
        await at_once(gateway, peer)
    finally:
        peer.end()
        await gateway.close()


async def rate(gateway: Any, peer: Peer) -> None:
    print(f"\nrate: {EVENTS:,} events as fast as they come, {ROUNDS} rounds each in turn")
    rates: dict[str, list[float]] = {"ours": [], "raw": []}
    for _ in range(ROUNDS):
        timed, (beside,) = await ours(gateway, "flood"), await peer.ask("flood")
        assert timed["characters"] == beside["characters"]
        rates["ours"].append(EVENTS / timed["total"])
        rates["raw"].append(EVENTS / beside["total"])
    for name, take in (("median", median), ("best", max)):
        mine, theirs = take(rates["ours"]), take(rates["raw"])
        show(f"events a second, {name}", mine, theirs, "{:,.0f}")
        print(f"{f'ours / raw, {name} (target: at least 0.95)':44} {mine / theirs:.3f}")


async def first_token(gateway: Any, peer: Peer) -> None:
    print(f"\nfirst part of a reply: {FIRSTS} replies each in turn")
    mine, theirs = [], []
    for _ in range(FIRSTS):
        mine.append((await ours(gateway, "first"))["first"] * 1000)
        theirs.append((await peer.ask("first"))[0]["first"] * 1000)
    show("milliseconds, median", median(mine), median(theirs), "{:.2f}")
    show("milliseconds, 90th percentile", high(mine), high(theirs), "{:.2f}")
    print(f"{'added, median (target: less than 10 ms)':44} {median(mine) - median(theirs):.2f} ms")


async def at_once(gateway: Any, peer: Peer) -> None:
    needed = PACED / PACE
    print(f"\n{AT_ONCE} streams at once, {PACE:.0f} events a second each, {CROWDS} rounds each in turn")
    slowest: dict[str, list[list[float]]] = {"total": [[], []], "first": [[], []]}
    late: list[float] = []
    for _ in range(CROWDS):
        over = asyncio.Event()
        watching = asyncio.ensure_future(lag(over))
        mine = await asyncio.gather(*(ours(gateway, "paced") for _ in range(AT_ONCE)))
        over.set()
        late += await watching
        theirs = await peer.ask("paced", AT_ONCE)
        for key, (ours_, raw_) in slowest.items():
            ours_.append(max(one[key] for one in mine))
            raw_.append(max(one[key] for one in theirs))
    totals, firsts = ([median(each) for each in slowest[key]] for key in ("total", "first"))
    show(f"seconds of the slowest ({needed:.1f} at its pace)", *totals, "{:.2f}")
    show("first part of the slowest, s", *firsts, "{:.2f}")
    print(f"{'raw / ours, seconds of the slowest':44} {totals[1] / totals[0]:.3f}")
    late.sort()
    middle, worst = (value * 1000 for value in (median(late), late[int(len(late) * 0.99)]))
    print(f"{'lag of the event loop here, ms':44} median {middle:.1f}, 99th percentile {worst:.1f}")


def high(values: list[float]) -> float:
    return sorted(values)[int(len(values) * 0.9)]


def show(what: str, ours: float, raw: float, form: str) -> None:
    print(f"{what:44} ours {form.format(ours):>9}   raw {form.format(raw):>9}")


def main() -> None:
    if sys.argv[1:2] == ["serve"]:
        return serve()
    if sys.argv[1:2] == ["raw"]:
        return raw(sys.argv[2])
    home = Path(tempfile.mkdtemp(prefix="capa-"))
    server = child("serve")
    assert server.stdin is not None
    assert server.stdout is not None
    base = server.stdout.readline().strip()
    names = {"XDG_RUNTIME_DIR": "run", "XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data"}
    os.environ |= {name: str(home / folder) for name, folder in names.items()} | {"HOME": str(home)}
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    (home / "config" / "capa-tui").mkdir(parents=True)
    (home / "run").mkdir()
    (home / "config" / "capa-tui" / "machine.toml").write_text(f'[models."openai/"]\napi_base = "{base}"\n')
    try:
        asyncio.run(measure(base))
    finally:
        server.stdin.close()
        server.wait()
        shutil.rmtree(home, ignore_errors=True)


if __name__ == "__main__":
    main()
