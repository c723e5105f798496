"""Pairs of processes, one kept ready: starting two interpreters takes longer than most checks."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from queue import SimpleQueue

from capa_tui.sandbox.pair import Isolation, Pair


class Pool:
    """Starts pairs, keeps one spare, and clears used ones away.

    All of it happens in one thread that lives as long as the pool, because the kernel ends a sandbox when the
    thread that started it ends.
    """

    def __init__(self, isolation: Isolation) -> None:
        self._isolation = isolation
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._spare: Future[Pair] | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._start_and_clear, name="sandbox", daemon=True)
        self._thread.start()

    def take(self) -> Pair:
        """A pair that nobody has used: the spare, or a new one.

        Raises:
            OSError: none could be started.
        """
        with self._lock:
            spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(OSError):  # what is wrong shows again below
                pair = spare.result()
                if pair.alive:
                    return pair
                self.retire(pair)
        return self.new()

    def new(self) -> Pair:
        """A pair started for work that is there.

        Raises:
            OSError: it could not be started.
        """
        return self._ask(spare=False).result()

    def refill(self) -> None:
        """Have a spare again."""
        with self._lock:
            if self._spare is None and not self._closed:
                self._spare = self._ask(spare=True)

    def retire(self, pair: Pair) -> None:
        """End a pair; clearing it away can wait."""
        pair.kill()
        self._work.put(pair.reap)

    def close(self) -> None:
        """End everything; when this returns no process is left."""
        with self._lock:
            self._closed = True
            spare, self._spare = self._spare, None
        if spare is not None:
            with suppress(OSError):
                self.retire(spare.result())
        self._work.put(None)
        self._thread.join()

    def _ask(self, *, spare: bool) -> Future[Pair]:
        future: Future[Pair] = Future()

        def start() -> None:
            try:
                future.set_result(Pair(self._isolation, spare=spare))
            except BaseException as problem:
                future.set_exception(problem)

        self._work.put(start)
        return future

    def _start_and_clear(self) -> None:
        while (task := self._work.get()) is not None:
            task()
