"""Groups of runs: means and shares by hand, what intervals are over, and what is undefined."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from scipy import stats

from studies.clarification.figures import ALWAYS_GAPS, Group, group, groups
from studies.clarification.metrics import Run, ora
from studies.statistics.intervals import BY_T

CONTRACT = {"by", "tasks", "tkqr", "ora", "ora_strict", "rounds", "diff", "pass_at_1", "hit_rates"}
FIRST = Run("a", ("units",), "m", "none", 1, (True,), 2, 1, "code", passed=True)
NONE = Run("b", ("units", "behavior"), "m", "none", 2, (), 1, 0, "code", passed=False)
LIMIT = Run("c", ("behavior",), "n", "none", 3, (False, True, True, False, False, True), 6, 6, "limit")


def people(*runs: Run) -> list[Run]:
    """Each participant did each run, the one after the other a little worse."""
    return [
        replace(one, task=f"{one.task}-{person}", seat="asker", participant=f"p{person}", asked=one.asked)
        for person in range(7)
        for one in runs[: 1 + person % len(runs)]
    ]


def by(found: tuple[Group, ...], **wanted: object) -> Group:
    return next(one for one in found if one.by == wanted)


def test_the_whole_by_hand() -> None:
    whole = groups([FIRST, NONE, LIMIT])[0]
    told = whole.to_json()
    assert told.keys() >= CONTRACT
    assert (told["by"], told["tasks"], told["runs"], told["participants"]) == ({}, 3, 3, 0)
    assert told["tkqr"] == pytest.approx((1 + 0 + LIMIT.tkqr) / 3)
    assert told["ora"] == pytest.approx((1 + ora(0, 2) + ora(5, 3)) / 3)
    assert told["ora_strict"] == pytest.approx((1 + ora(0, 2) + ora(6, 3)) / 3)
    assert (told["rounds"], told["diff"]) == (2, 0.0)
    assert (told["pass_at_1"], told["pass_at_1_runs"]) == (0.5, 2)
    assert told["hit_rates"] == {"D1-H1": 1, "D2-H1": 0, "D2-H2": 0, "D3-H1": 0, "D3-H2": 0, "D3-H3": 1}
    assert told["ended"] == {"code": 2, "enough": 0, "limit": 1, "unfinished": 0}
    assert told["flags"] == [
        "3 tasks, fewer than 15: intervals are to be read with care",
        "runs that ended on a question: 1; ORA counts one question fewer than they asked",
    ]
    json.dumps(told, allow_nan=False)


def test_a_run_counts_under_each_of_its_types_and_once_elsewhere() -> None:
    found = groups([FIRST, NONE, LIMIT])
    assert [dict(one.by) for one in found] == [
        {},
        {"seat": "none"},
        {"seat": "none", "type": "behavior"},
        {"seat": "none", "type": "units"},
        *({"seat": "none", "model": name} for name in "mn"),
        *({"seat": "none", "gaps": gaps} for gaps in (1, 2, 3)),
    ]
    assert by(found, seat="none", type="units").runs == by(found, seat="none", type="behavior").runs == 2
    assert by(found, seat="none", gaps=2).hit_rates.keys() == {"D2-H1", "D2-H2"}


def test_what_is_undefined_is_null_with_its_reason() -> None:
    alone = group({}, [FIRST]).to_json()
    assert alone["hit_rates"]["D2-H1"] is None
    assert "D2-H1, D2-H2: no task has 2 key questions" in alone["undefined_reason"]
    assert "tkqr_ci, ora_ci" in alone["undefined_reason"]
    untested = group({}, [LIMIT]).to_json()
    assert untested["pass_at_1"] is None
    assert "pass_at_1: no run has a verdict" in untested["undefined_reason"]
    nothing = groups([])[0].to_json()
    assert all(nothing[name] is None for name in CONTRACT - {"by", "tasks", "hit_rates"})
    assert nothing["undefined_reason"] == "no run counts"
    assert len(nothing["hit_rates"]) == sum(ALWAYS_GAPS)


def test_intervals_of_people_are_over_participants() -> None:
    runs = people(FIRST, NONE, LIMIT)
    told = group({}, runs).to_json()
    means = [
        sum(own) / len(own)
        for who in range(7)
        if (own := [one.tkqr for one in runs if one.participant == f"p{who}"])
    ]
    low, high = stats.t.interval(0.95, 6, sum(means) / 7, stats.sem(means))
    made: dict[str, Any] = told["tkqr_ci"]
    assert (made["low"], made["high"]) == (pytest.approx(max(0, low)), pytest.approx(min(1, high)))
    assert (made["participants"], made["few_participants"], made["method"]) == (7, True, BY_T)
    assert told["flags"][0].startswith("7 participants, fewer than 15")


def test_intervals_of_records_are_over_tasks_however_many_models_did_each() -> None:
    runs = [
        replace(one, task=f"{one.task}{number}", model=model)
        for number in range(6)
        for one in (FIRST, NONE, LIMIT)
        for model in ("m", "n")
    ]
    made = group({}, runs).to_json()["ora_ci"]
    assert (made["tasks"], made["few_tasks"]) == (18, False)
    assert made["method"] == "task means, t with tasks - 1 degrees of freedom"
    assert made["mean"] == pytest.approx((FIRST.ora + NONE.ora + LIMIT.ora) / 3)
    same = group({}, [replace(FIRST, task=str(number)) for number in range(6)])
    assert "no task differs" in (same.undefined_reason or "")


def test_people_and_records_have_no_interval_together() -> None:
    whole = groups([*people(FIRST), FIRST])[0]
    assert whole.to_json()["tkqr_ci"] is None
    assert "some have none" in (whole.undefined_reason or "")
    assert "seats are pooled" in whole.flags[0]
    assert not whole.strict_first


def test_people_are_told_the_strict_figure_first() -> None:
    told = [*groups(people(LIMIT))[0].to_json()]
    assert told.index("ora_strict") < told.index("ora")
    told = [*groups([LIMIT])[0].to_json()]
    assert told.index("ora") < told.index("ora_strict")


def test_a_task_done_twice_by_a_model_counts_twice_and_is_said() -> None:
    found = group({}, [FIRST, replace(FIRST, hits=(False,))])
    assert (found.runs, found.tasks, found.means["tkqr"].value) == (2, 1, 0.5)
    assert found.flags[-1] == "runs of a task that the same model had before: 1; each counts"
