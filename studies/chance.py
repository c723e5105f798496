"""Chance that can be repeated: draws that follow from the study's seed, a slot and a purpose alone.

The key is SHA-256 of `seed|slot|purpose`; draw number i comes from SHA-256 of the key and a counter. So
the draws are the same on every machine and in every version of Python, and any other program can redo them.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")

_WORDS = struct.Struct(">8I")
_RANGE = 1 << 32


class Chance:
    """One stream of draws. Slot 0 stands for what concerns the whole study."""

    def __init__(self, seed: int, slot: int, purpose: str) -> None:
        key = hashlib.sha256(f"{seed}|{slot}|{purpose}".encode()).digest()
        self._words = _words(key)

    def below(self, limit: int) -> int:
        """A whole number from 0 to `limit` - 1, each equally likely.

        Raises:
            ValueError: `limit` is below 1 or above 2^32.
        """
        if not 1 <= limit <= _RANGE:
            raise ValueError(f"cannot draw below {limit}")
        while True:
            word = next(self._words)
            rest = word % limit
            # Past the last whole multiple of the limit, words would favour small remainders.
            if word - rest <= _RANGE - limit:
                return rest

    def shuffled(self, values: Iterable[T]) -> list[T]:
        """The values in random order (Fisher-Yates)."""
        result = list(values)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def rotated(self, values: Sequence[T]) -> list[T]:
        """The values in their order, begun at a random place and wrapped around."""
        start = self.below(len(values)) if values else 0
        return [*values[start:], *values[:start]]

    def places(self, count: int, among: Sequence[T]) -> list[T]:
        """`count` of the values in their order, spread out: one from the middle half of each equal part.

        Raises:
            ValueError: there are fewer values than that.
        """
        chosen = []
        for part in range(count):
            start, end = part * len(among) // count, (part + 1) * len(among) // count
            margin = (end - start) // 4
            chosen.append(among[start + margin + self.below(end - start - 2 * margin)])
        return chosen


def _words(key: bytes) -> Iterator[int]:
    counter = 0
    while True:
        yield from _WORDS.unpack(hashlib.sha256(key + counter.to_bytes(8, "big")).digest())
        counter += 1
