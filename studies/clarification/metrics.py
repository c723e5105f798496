"""How early and how sparingly a run asked: TKQR and ORA (ClarifyCodeBench), and what goes with them.

A run is one task: question turns, then as a rule a final response with the code. The figures are those of the
benchmark's own scorer, its quirks included; where a quirk misleads, a docstring says so and a second figure
stands beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import exp, log2
from typing import Literal

Seat = Literal["none", "answerer", "matcher", "asker", "author"]
"""Where in a run a person sat; `none`: a model asked, and a model and the annotation answered."""
Ended = Literal["code", "enough", "limit", "unfinished"]
"""`code`: the last response is the code; `enough`: a person asked no more; `limit`: questions used up the
responses; `unfinished`: a call failed, or a person left."""
FINAL: frozenset[Ended] = frozenset({"code", "enough"})
"""Endings with a last response that asks nothing."""
RELATIVE_SIGMA = 0.425
"""Of K: ORA is about one half where K/2 questions too many or too few are asked."""
SIGMA_WITHOUT_GAPS = 0.3
"""Where K = 0."""


@dataclass(frozen=True, slots=True)
class Run:
    """One task, as far as its figures depend on it.

    Raises:
        ValueError: no response, more question turns or questions than responses, or more hits than gaps.
    """

    task: str
    types: tuple[str, ...]
    """Ambiguity types of the task, each once; empty where they are not known."""
    model: str
    """Who asked or, in the asker's seat, who answered."""
    seat: Seat
    gaps: int
    """K, the number of key questions."""
    hits: tuple[bool, ...]
    """Of each question turn in order: whether it hit a key question not hit before. A repeat is a miss."""
    responses: int
    """All of them, a final one included."""
    asked: int
    """Questions really asked."""
    ended: Ended
    passed: bool | None = None
    """Whether the code passed the hidden tests; None without tests."""
    participant: str | None = None
    """Pseudonym of the person in the seat."""
    covered: int | None = None
    """Key questions hit in all, where a turn may hit several; None: as many as `hits` holds."""

    def __post_init__(self) -> None:
        if self.responses < 1:
            raise ValueError("a run without a response has no figures")
        if max(len(self.hits), self.asked) > self.responses:
            raise ValueError(
                f"{len(self.hits)} question turns, {self.asked} questions, {self.responses} responses"
            )
        if self.asked < 0 or self.gaps < 0 or self.key_questions_hit > self.gaps:
            raise ValueError(f"{self.key_questions_hit} key questions hit of {self.gaps}")

    @property
    def key_questions_hit(self) -> int:
        """Different key questions that were hit."""
        return sum(self.hits) if self.covered is None else self.covered

    @property
    def rounds(self) -> int:
        """n_q, responses - 1. One less than was asked where the limit ended a run without code."""
        return self.responses - 1

    @property
    def diff(self) -> int:
        """n_q - K: negative where too little was asked."""
        return self.rounds - self.gaps

    @property
    def tkqr(self) -> float:
        """See `tkqr`. A task without gaps scores 1 where the only response is the code, else 0."""
        return tkqr(self.hits, self.gaps, self.responses)

    @property
    def ora(self) -> float:
        """See `ora`, at n_q = responses - 1."""
        return ora(self.rounds, self.gaps)

    @property
    def ora_strict(self) -> float:
        """See `ora`, at the questions really asked: 6, not 5, where a limit of 6 ends without code."""
        return ora(self.asked, self.gaps)

    @property
    def hit_name(self) -> str:
        """The hit rate that this run counts for, such as D3-H2."""
        return hit_name(self.gaps, self.key_questions_hit)


@lru_cache(4096)
def tkqr(hits: tuple[bool, ...], gaps: int, responses: int) -> float:
    """Turn-discounted key question rate: how early the key questions were asked, from 0 to 1.

    DCG / IDCG with DCG = sum of h_i / log2(i + 1) over question turns i = 1, 2, ... and IDCG = sum of
    1 / log2(i + 1) for i = 1 .. min(n, K); n counts all responses, the one with the code included. So K = 2,
    one key question, then code gives 0.6131 and not 1. Misleading: questions after the last gap is covered
    cost nothing here, only in ORA; and one hit a turn at most, so bundled questions score too low.

    Args:
        hits: of each question turn, whether it hit a key question not hit before.
        gaps: K; without gaps the rate is 1 where code came at once, else 0.
        responses: n.
    """
    if gaps <= 0:
        return float(gaps == 0 and responses == 1)
    ideal = sum(_discount(turn) for turn in range(1, min(max(responses, len(hits)), gaps) + 1))
    found = sum(_discount(turn) for turn, hit in enumerate(hits, 1) if hit)
    return found / ideal if ideal else 0.0


@lru_cache(4096)
def ora(questions: int, gaps: int) -> float:
    """Optimal round adherence: exp(-(n_q - K)^2 / (2 sigma^2)), largest (1) where n_q = K.

    Sigma is 0.425 K, and 0.3 where K = 0. The constant is the benchmark's rounding of
    0.5 / sqrt(2 ln 2) = 0.42466, so at |n_q - K| = K/2 the value is 0.5006.

    Args:
        questions: n_q.
        gaps: K.
    """
    sigma = RELATIVE_SIGMA * gaps if gaps else SIGMA_WITHOUT_GAPS
    return exp(-((questions - gaps) ** 2) / (2 * sigma**2))


def fresh(matched: Iterable[Collection[int]]) -> tuple[bool, ...]:
    """Which turns hit a key question for the first time, from those that each turn matched."""
    seen: set[int] = set()
    found = []
    for turn in matched:
        found.append(not seen.issuperset(turn))
        seen.update(turn)
    return tuple(found)


def hit_name(gaps: int, hit: int) -> str:
    """The name of a hit rate: DK-Hh, the share of tasks with K key questions of which exactly h were hit."""
    return f"D{gaps}-H{hit}"


def _discount(turn: int) -> float:
    return 1 / log2(turn + 1)
