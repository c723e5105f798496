"""Run records: what is written reads back, what is wrong is named, and the quirks of others' files."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.clarification.metrics import Ended, Run
from studies.clarification.record_line import Labels
from studies.clarification.records import Dialogue, read_labels, read_records, record_of, run_of
from studies.errors import FolderError

BENCHMARK_KEYS = [
    *("id", "task_id", "key_question_num", "prompt", "messages", "response_contents", "hit_dict"),
    *("hit_questions", "turns", "final_code", "finished"),
]
ASKED = ("assistant", "[QUESTION]Which?[/QUESTION]")
CODE = ("assistant", "[CODE]print(1)[/CODE]")


def dialogue(*matched: tuple[int, ...], ended: Ended = "code", gaps: int = 2, **own: Any) -> Dialogue:
    """Question turns that matched this, each answered, then the code where it ended with it."""
    messages = [("system", "Ask or code."), ("user", "Sort them.")]
    for _ in matched:
        messages += [ASKED, ("user", "Up.")]
    if ended == "code":
        messages.append(CODE)
        matched = (*matched, ())
    texts = tuple(f"Key question {one}?" for one in range(gaps))
    made = Dialogue("t1", "s1", texts, "Sort them.", tuple(messages), matched, ended)
    return replace(made, **own)


def read(*records: object, **more: Any) -> tuple[Run, ...]:
    data = "\n".join(json.dumps(one) for one in records).encode()
    return read_records("runs.jsonl", data, model="by-file", **more).runs


def problems(*records: object, **more: Any) -> list[str]:
    with pytest.raises(FolderError) as caught:
        read(*records, **more)
    return [str(one) for one in caught.value.problems]


def record(**changed: Any) -> dict[str, Any]:
    """Nothing but what the benchmark's scorer needs: K = 2, a hit, a miss, then code."""
    values = {"task_id": "t1", "key_question_num": 2, "hit_dict": {"0": 1, "1": 0}, "turns": 3, **changed}
    return {key: value for key, value in values.items() if value is not ...}


def test_a_record_has_the_benchmarks_keys_in_its_order() -> None:
    made = record_of(dialogue((1,), (), (1,)))
    assert [*made] == [*BENCHMARK_KEYS, "ended"]
    assert made["hit_dict"] == {"0": 1, "1": 0, "2": 0}
    assert made["hit_questions"] == ["Key question 1?"]
    assert (made["turns"], made["finished"], made["key_question_num"]) == (4, True, 2)
    assert made["response_contents"] == [ASKED[1]] * 3 + [CODE[1]]


matches = st.lists(st.lists(st.integers(0, 2), max_size=2, unique=True).map(tuple), min_size=1, max_size=6)


@given(
    matches,
    st.sampled_from(("code", "limit", "unfinished")),
    st.sampled_from((None, "asker")),
    st.sampled_from(((), ("edge-cases", "of our own"))),
    st.sampled_from((None, 0)),
    st.sampled_from((None, True)),
    st.sampled_from((None, "p-1")),
)
def test_a_record_reads_back_as_the_run_it_was_made_of(
    matched: list[tuple[int, ...]], ended: Ended, seat: Any, types: Any, asked: Any, passed: Any, who: Any
) -> None:
    one = dialogue(*matched, ended=ended, gaps=3, seat=seat, types=types, asked=asked, passed=passed)
    one = replace(one, participant=who, model="m")
    assert read(record_of(one)) == (run_of(one),)


def test_a_dialogue_that_cannot_be_is_refused() -> None:
    with pytest.raises(ValueError, match="2 messages of the assistant"):
        replace(dialogue((0,)), matched=((0,),))
    with pytest.raises(ValueError, match="of 2 key questions"):
        dialogue((2,))


def test_the_least_a_record_needs() -> None:
    (one,) = read(record())
    assert one == Run("t1", (), "by-file", "none", 2, (True, False), 3, 2, "code")
    (counted,) = read(
        record(
            task_id=7,
            turns=...,
            key_question_num=None,
            qa_pairs=[{}, {}],
            messages=[{"role": role} for role in ("system", "assistant", "user", "assistant", "assistant")],
        )
    )
    assert counted == replace(one, task="7")


@pytest.mark.parametrize(
    ("changed", "ended", "asked"),
    [
        ({}, "code", 2),
        ({"turns": 2}, "limit", 2),
        # The next call failed after two answers; or the judge failed at the third question.
        ({"turns": 2, "finished": False}, "unfinished", 2),
        ({"finished": False}, "unfinished", 3),
        ({"finished": False, "response_contents": ["", "", "[CODE]"]}, "code", 2),
        ({"ended": "enough"}, "enough", 2),
        ({"asked": 1}, "code", 1),
    ],
)
def test_how_a_run_ended_and_what_it_asked(changed: dict[str, Any], ended: str, asked: int) -> None:
    (one,) = read(record(**changed))
    assert (one.ended, one.asked) == (ended, asked)


def test_types_come_from_the_record_or_the_tasks() -> None:
    tasks = {"task_id": "t1", "keywords": ["Edge Cases", "Units"], "qa_pairs": [{}, {}]}
    labels = read_labels("tasks.jsonl", json.dumps(tasks).encode())
    assert labels == {"t1": Labels(("edge-cases", "units"), 2)}
    first, second = read(record(), record(keywords=["Behavior", "Behavior"]), labels=labels)
    assert (first.types, second.types) == (("edge-cases", "units"), ("behavior",))
    assert problems(record(key_question_num=3), record(task_id="t2"), labels=labels) == [
        "runs.jsonl:1 key_question_num: 3; expected 2, as in the file of tasks",
        "runs.jsonl:2 task_id: 't2'; expected a task of the file of tasks",
    ]


def test_a_first_call_that_failed_is_in_no_figure() -> None:
    empty = {**record(turns=0, hit_dict={}, task_id="t2"), "finished": False}
    data = "\n".join(json.dumps(one) for one in (record(), empty)).encode()
    found = read_records("runs.jsonl", data, model="m")
    assert (len(found.runs), found.without_response, found.unnamed) == (1, ("t2",), 1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"task_id": ...}, "task_id: missing"),
        ({"key_question_num": ...}, "qa_pairs: missing; expected key_question_num, or qa_pairs"),
        ({"key_question_num": "2"}, "key_question_num: '2'; expected a whole number"),
        ({"key_question_num": -1}, "key_question_num: -1; expected at least 0"),
        ({"turns": ...}, "turns: missing; expected turns, response_contents or messages"),
        ({"turns": True}, "turns: true; expected a whole number"),
        ({"response_contents": ["?"]}, "turns: 3; expected the 1 responses that the record holds"),
        ({"hit_dict": ...}, "hit_dict: missing"),
        ({"hit_dict": [1, 0]}, "hit_dict: a list of 2; expected a table of turns"),
        ({"hit_dict": {"0": 1, "2": 1}}, "hit_dict: the turns 2; expected 0, 1"),
        ({"hit_dict": {"0": 1, "1": -1}}, "hit_dict.1: -1; expected 0 or 1"),
        ({"turns": 1}, "hit_dict: 2 turns; expected at most the 1 responses"),
        ({"key_question_num": 0}, "hit_dict: 1 hits; expected at most the 0 key questions"),
        ({"ended": "done"}, "ended: 'done'; expected one of code, enough, limit, unfinished"),
        ({"ended": "code", "turns": 2}, "ended: 'code'; expected limit or unfinished"),
        ({"seat": "judge"}, "seat: 'judge'; expected one of none, answerer, matcher, asker, author"),
        ({"asked": 4}, "asked: 4; expected at most the 3 responses"),
        ({"covered": 3}, "covered: 3; expected from the 1 hits to the 2 key questions"),
        ({"passed": 1}, "passed: 1; expected true, false or null"),
        ({"keywords": ["Units", 3]}, "keywords.1: 3; expected text"),
    ],
)
def test_what_is_wrong_is_named_with_line_and_key(changed: dict[str, Any], said: str) -> None:
    found = problems(record(), record(**changed))
    assert any(one.startswith(f"runs.jsonl:2 {said}") for one in found), found


def test_every_problem_is_told_at_once() -> None:
    assert len(problems(record(turns="x", seat=1), [1], record(passed="yes"))) == 4
    assert problems()[0].startswith("runs.jsonl: the file holds no records")
    assert "no run with a response" in problems(record(turns=0, hit_dict={}))[0]
