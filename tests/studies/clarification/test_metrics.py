"""TKQR and ORA: the worked table to four decimals, and what must hold of any run."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.clarification.metrics import Ended, Run, fresh, ora, tkqr

TABLE = [
    (1, "1", "code", 1.0, 1.0),
    (1, "", "code", 0.0, 0.0628),
    (1, "01", "code", 0.6309, 0.0628),
    (2, "11", "code", 1.0, 1.0),
    (2, "1", "code", 0.6131, 0.5006),
    (2, "101", "code", 0.9197, 0.5006),
    (2, "011", "code", 0.6934, 0.5006),
    (3, "1", "code", 0.6131, 0.2922),
    (3, "11", "code", 0.7654, 0.7352),
    (2, "00101", "code", 0.5438, 0.0020),
    (0, "", "code", 1.0, 1.0),
    (0, "0", "code", 0.0, 0.0039),
    (1, "100000", "limit", 1.0, 0.0),
]
"""K, question turns (1: a fresh hit), how it ended, TKQR, ORA."""


def run(gaps: int, turns: str, ended: Ended = "code") -> Run:
    hits = tuple(one == "1" for one in turns)
    responses = len(hits) + (ended == "code")
    return Run("t", (), "m", "none", gaps, hits, responses, len(hits), ended)


@pytest.mark.parametrize(("gaps", "turns", "ended", "early", "sparing"), TABLE)
def test_the_worked_table(gaps: int, turns: str, ended: Ended, early: float, sparing: float) -> None:
    one = run(gaps, turns, ended)
    assert one.tkqr == pytest.approx(early, abs=5e-5)
    assert one.ora == pytest.approx(sparing, abs=5e-5)


def test_at_the_limit_without_code_the_benchmark_counts_one_question_too_few() -> None:
    ended, coded = run(3, "100100", "limit"), run(3, "100100", "code")
    assert (ended.rounds, ended.asked, ended.diff, ended.hit_name) == (5, 6, 2, "D3-H2")
    assert ended.ora_strict == coded.ora == coded.ora_strict < ended.ora
    # The six questions and the ideal of three are the same, whether code follows or not.
    assert ended.tkqr == coded.tkqr


def test_several_hits_in_one_turn_count_for_hit_rates_alone() -> None:
    one = replace(run(3, "1"), covered=3)
    assert (one.hit_name, one.tkqr) == ("D3-H3", run(3, "1").tkqr)


def test_fresh_hits_are_the_first_of_each_key_question() -> None:
    assert fresh([(0,), (), (0,), (1,), (0, 1), (1, 2)]) == (True, False, False, True, False, True)


@pytest.mark.parametrize(
    "wrong",
    [{"responses": 0, "hits": (), "asked": 0}, {"responses": 1}, {"gaps": 1}, {"asked": 9}, {"covered": 3}],
)
def test_what_is_no_run_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"response|key questions hit"):
        replace(run(2, "11"), **wrong)  # type: ignore[arg-type]


turns = st.lists(st.booleans(), max_size=8).map(tuple)


@given(turns, st.integers(0, 8), st.integers(0, 8))
def test_a_wasted_question_before_full_coverage_never_raises_tkqr(
    hits: tuple[bool, ...], more: int, at: int
) -> None:
    gaps, at = sum(hits) + more, min(at, len(hits))
    wasted = (*hits[:at], False, *hits[at:])
    before, after = tkqr(hits, gaps, len(hits) + 1), tkqr(wasted, gaps, len(wasted) + 1)
    if any(hits[at:]):
        assert after < before
    elif gaps:
        # Nothing more was hit: it costs only where the ideal of so few responses lay below K.
        assert after < before if before and len(hits) + 1 < gaps else after == before


@given(turns, st.integers(0, 3))
def test_earlier_hits_and_first_askings_are_worth_more(hits: tuple[bool, ...], more: int) -> None:
    gaps, n = sum(hits) + more, len(hits) + 1
    best = tkqr(tuple(sorted(hits, reverse=True)), gaps, n)
    assert 0 <= tkqr(hits, gaps, n) <= best <= 1
    if hits and gaps and not more and len(set(hits)) == 1 and hits[0]:
        assert best == 1


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6), st.data())
def test_a_duplicate_is_a_miss(matched: list[int], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(matched)))
    again = data.draw(st.sampled_from(matched[:at]))
    hits = fresh((one,) for one in [*matched[:at], again, *matched[at:]])
    once = fresh((one,) for one in matched)
    assert hits == (*once[:at], False, *once[at:])


@given(st.integers(0, 12), st.integers(0, 12))
def test_ora_is_largest_where_as_much_is_asked_as_is_open(questions: int, gaps: int) -> None:
    assert ora(gaps, gaps) == 1
    if questions != gaps:
        nearer = questions + (1 if questions < gaps else -1)
        assert ora(questions, gaps) < ora(nearer, gaps) or ora(questions, gaps) == 0
        assert ora(questions, gaps) == ora(2 * gaps - questions, gaps)
