"""The judge: code that nobody trusts against hidden tests, in the best isolation this machine offers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import get_args

from capa_tui.sandbox.exchange import Exchange, Outcome
from capa_tui.sandbox.limits import OUTPUT_KEPT
from capa_tui.sandbox.pair import Isolation, Pair
from capa_tui.sandbox.pool import Pool
from studies.verdicts import Check, FunctionCheck, Judge, PairsCheck, ProgramCheck, Verdict, VerdictWord

_WORDS = frozenset(get_args(VerdictWord))


class _Ticket:
    """One check under way; calling it off ends its processes, and no more are started."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._off = False
        self._pair: Pair | None = None

    def hold(self, pair: Pair | None) -> bool:
        """Note the pair at work; False if the check has been called off."""
        with self._lock:
            self._pair = pair
            return not self._off

    def call_off(self) -> None:
        with self._lock:
            self._off = True
            if self._pair is not None:
                self._pair.kill()


class SandboxJudge:
    """A `Judge` that runs each check in two fresh sandboxed processes.

    Args:
        unsafe: where the machine has no sandbox, run the code without one. Verdicts say so.
        isolation: use this one and no other.
        workers: checks at a time. A check keeps about two cores busy while it starts.
        warm: keep a pair of processes ready.
    """

    def __init__(
        self, *, unsafe: bool = False, isolation: Isolation | None = None, workers: int = 2, warm: bool = True
    ) -> None:
        self._wanted: tuple[Isolation, ...] = ("bubblewrap", "landlock")
        if isolation is not None:
            self._wanted = (isolation,)
        elif unsafe:
            self._wanted = ("bubblewrap", "landlock", "unsafe")
        self._warm = warm
        self._lock = threading.Lock()
        self._pool: Pool | None = None
        self._missing: str | None = None
        self._isolation: Isolation | None = None
        self._tickets: set[_Ticket] = set()
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="judge")

    def available(self) -> str | None:
        """None if code can be run here; otherwise what is missing and what to install.

        The first call tries the sandbox for some hundredths of a second; do not make it on an event loop.
        """
        with self._lock:
            if self._pool is None and self._missing is None:
                self._choose()
            return self._missing

    @property
    def isolation(self) -> Isolation | None:
        """What code is run in; None where `available()` says why not, or has not been asked yet."""
        return self._isolation

    def _choose(self) -> None:
        from capa_tui.sandbox.selftest import what_leaks

        found: list[str] = []
        for isolation in self._wanted:
            pool = Pool(isolation)
            problem = what_leaks(pool, isolation)
            if problem is None:
                self._pool, self._isolation = pool, isolation
                if self._warm:
                    pool.refill()
                return
            pool.close()
            found.append(f"{isolation}: {problem}")
        self._missing = "There is no sandbox on this machine. " + " ".join(found)

    async def judge(self, code: str, check: Check) -> Verdict:
        """The verdict on extracted code. Never raises for what the code does."""
        ticket = _Ticket()
        self._tickets.add(ticket)
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._threads, self._judge, code, check, ticket)
        except asyncio.CancelledError:
            ticket.call_off()
            raise
        finally:
            self._tickets.discard(ticket)

    async def close(self) -> None:
        """End what is running; when this returns no process is left."""
        await asyncio.to_thread(self._close)

    def _close(self) -> None:
        for ticket in [*self._tickets]:
            ticket.call_off()
        self._threads.shutdown(cancel_futures=True)
        with self._lock:
            if self._pool is not None:
                self._pool.close()
            self._pool, self._isolation, self._missing = None, None, "The judge is closed."

    async def __aenter__(self) -> SandboxJudge:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # In a thread of its own from here on.

    def _judge(self, code: str, check: Check, ticket: _Ticket) -> Verdict:
        if (missing := self.available()) is not None:
            return Verdict("not_run", missing)
        if not code.strip():
            return Verdict("no_code", "there is no code")
        start = time.monotonic()
        try:
            if isinstance(check, ProgramCheck):
                verdict = self._program(code, check, ticket)
            else:
                verdict = _verdict(self._run(_job(code, check), check.time_limit, None, ticket))
        except OSError as problem:
            verdict = Verdict("harness_error", f"the sandbox could not be started: {problem}")
        except MemoryError:
            verdict = Verdict("memory_limit", "the code or its tests are too large to be sent")
        return replace(verdict, ms=round((time.monotonic() - start) * 1000), isolation=self._isolation or "")

    def _program(self, code: str, check: ProgramCheck, ticket: _Ticket) -> Verdict:
        verdict = Verdict("harness_error", "there are no cases")
        for number, (given, expected) in enumerate(check.cases, 1):
            job = ("program", code, check.time_limit)
            stdin = given.encode("utf-8", "surrogatepass")
            verdict = _case(self._run(job, check.time_limit, stdin, ticket), expected)
            if not verdict.passed:
                return replace(verdict, detail=f"case {number}: {verdict.detail}")
        return verdict

    def _run(self, job: tuple[object, ...], seconds: float, stdin: bytes | None, ticket: _Ticket) -> Outcome:
        pool = self._pool
        if pool is None:
            return Outcome(detail="the judge is closed")
        pair = pool.take()
        if self._warm and len(self._tickets) > 1:
            pool.refill()  # more is waiting; otherwise this check has the processor to itself
        outcome, spare = _exchange(pool, pair, job, seconds, stdin, ticket)
        if spare and not outcome.answered and outcome.word == "harness_error":
            # A spare may have died while it waited; that says nothing about the code.
            outcome, _ = _exchange(pool, pool.new(), job, seconds, stdin, ticket)
        if self._warm:
            pool.refill()
        return outcome


def _exchange(
    pool: Pool, pair: Pair, job: tuple[object, ...], seconds: float, stdin: bytes | None, ticket: _Ticket
) -> tuple[Outcome, bool]:
    try:
        if not ticket.hold(pair):
            return Outcome(detail="called off", answered=True), False
        return Exchange(pair, job, seconds, stdin).run(), pair.spare
    finally:
        ticket.hold(None)
        pool.retire(pair)


def _job(code: str, check: FunctionCheck | PairsCheck) -> tuple[object, ...]:
    tests, kind = (check.tests, "function") if isinstance(check, FunctionCheck) else (check.pairs, "pairs")
    return kind, code, check.prompt, check.entry_point, tests, check.time_limit


def _verdict(outcome: Outcome) -> Verdict:
    word = outcome.word if outcome.word in _WORDS else "harness_error"
    printed = bytes(outcome.stdout + outcome.stderr)[:OUTPUT_KEPT]
    return Verdict(word, outcome.detail, output=printed.decode("utf-8", "replace"))  # type: ignore[arg-type]


def _case(outcome: Outcome, expected: str) -> Verdict:
    """A program's run. One that leaves by `os._exit(0)` with the right output has ended as programs may."""
    right = _trimmed(outcome.stdout.decode("utf-8", "surrogateescape")) == _trimmed(expected)
    if outcome.word == "killed" and outcome.status == 0 and right:
        outcome.word = "ended"
    if outcome.word == "ended":
        if outcome.status is None:
            outcome.word, outcome.detail = "timeout", "the time limit is over"
        elif right:
            outcome.word, outcome.detail = "passed", ""
        else:
            outcome.word, outcome.detail = "failed_assertion", "another output is expected"
    return _verdict(outcome)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.split("\n")).rstrip()


async def judge_all(
    pairs: Iterable[tuple[str, Check]], judge: Judge, *, workers: int = 2
) -> AsyncIterator[tuple[int, Verdict]]:
    """Judge many: (place, verdict) as each comes, a few at a time."""
    waiting: set[asyncio.Task[tuple[int, Verdict]]] = set()

    async def one(place: int, code: str, check: Check) -> tuple[int, Verdict]:
        return place, await judge.judge(code, check)

    try:
        for place, (code, check) in enumerate(pairs):
            if len(waiting) >= workers:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                for task in done:
                    yield task.result()
            waiting.add(asyncio.create_task(one(place, code, check)))
        while waiting:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                yield task.result()
    finally:
        for task in waiting:
            task.cancel()
