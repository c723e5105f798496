"""Matchers' agreement: pairs, questions, sets, fresh hits, the judge, and weighting back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.clarifying import clarification_study, task
from support.visits import Sitting, walk

from studies.agreement.ratings import Ratings
from studies.agreement.terms import percent_agreement, terms
from studies.clarification.agreement import (
    Decision,
    any_ratings,
    fresh_ratings,
    matcher_agreement,
    pair_ratings,
    set_ratings,
)
from studies.clarification.summary import matcher_lines
from studies.errors import InputError
from studies.steps import Field, Step
from studies.study import Study

VOTES = {"unit": [True, True, True], "tie": [False, False, False]}


def asked(number: int, **changes: Any) -> dict[str, Any]:
    return {"id": f"q{number}", "text": f"Question {number}?", "run": "r", "turn": number, **changes}


def matching(tasks: int = 3, **clarification: Any) -> Study:
    made = [
        task(
            number,
            asked=[
                asked(10 * number + 1, votes=VOTES, hit=True),
                asked(10 * number + 2, votes={"unit": [True, False, False], "tie": [False] * 3}, hit=False),
                asked(10 * number + 3, votes={"unit": [False] * 3, "tie": [False] * 3}, hit=False),
            ],
        )
        for number in range(1, tasks + 1)
    ]
    return clarification_study(made, assistants=(), seat="matcher", **clarification)


async def label(study: Study, slot: int, answers: dict[str, list[str]]) -> Sitting:
    """A matcher who labels these questions so, and all others with nothing."""
    sitting = Sitting(study, slot)

    def answer(step: Step, field: Field) -> Any:
        if field.name == "matches":
            return answers.get(step.about or "", [])
        return field.options[0].value if field.options else None

    await walk(await sitting.visit(), answers=answer)
    return sitting


async def two(study: Study, one: dict[str, list[str]], other: dict[str, list[str]]) -> dict[str, Any]:
    made = [await label(study, 1, one), await label(study, 2, other)]
    return {each.stream: each.events for each in made}


async def test_every_figure_of_two_matchers() -> None:
    study = matching()
    streams = await two(
        study,
        {"q11": ["unit"], "q21": ["unit"], "q31": ["unit", "tie"], "q12": ["tie"]},
        {"q11": ["unit"], "q21": ["unit"], "q31": ["unit"]},
    )
    found = matcher_agreement(study, streams, [], resamples=100)
    values = json.loads(json.dumps(found.to_json()))
    assert (values["items"], values["ratings"], values["unit"]) == (18, 36, "pair")
    assert values["percent_agreement"] == pytest.approx(16 / 18)
    pair = values["pair"]
    assert pair["kappa"]["value"] == pytest.approx(values["fleiss_kappa"]["value"])
    assert pair["kappa"]["clusters"] == 3
    # pi(yes) = 8 / 36: kappa = (16/18 - pe) / (1 - pe), pe = pi^2 + (1 - pi)^2.
    chance = (8 / 36) ** 2 + (28 / 36) ** 2
    assert pair["kappa"]["value"] == pytest.approx((16 / 18 - chance) / (1 - chance))
    assert values["any_match"]["percent_agreement"] == pytest.approx(8 / 9)
    assert values["masi_sets"]["value"] is not None
    judge = values["with_judge"]["pair"]
    assert judge["decisions"] == 36
    assert judge["percent_agreement"] == pytest.approx(34 / 36)
    assert len(judge["by_matcher"]) == 2
    assert {one.label for one in matcher_lines(found)} >= {"Pairs (asked, key)", "With the judge, a pair"}


async def test_a_sample_by_vote_is_weighted_back() -> None:
    study = matching(tasks=6, sample={"yes": 6, "split": 2, "no": 3})
    assert len(study.asked) == 11
    answers = {one: ["unit"] for one in study.asked[::2]}
    streams = await two(study, answers, {one: ["unit"] for one in study.asked[:4]})
    found = matcher_agreement(study, streams, [], resamples=100)
    counts = {one: (1.0 if one.endswith("1") else 3.0 if one.endswith("2") else 2.0) for one in study.asked}
    decided = [
        Decision(one.rater, one.item, "", ("x",) if one.label == "yes" else ())
        for one in any_ratings(_decisions(found, study, streams))
    ]
    table = Ratings.of(any_ratings(decided))
    import numpy as np

    expected = terms(table, "fleiss", np.array([counts[one] for one in table.items])).value
    assert found.any_match.weighted_kappa.value == pytest.approx(expected)
    assert found.any_match.weighted_kappa.value != pytest.approx(found.any_match.kappa.value)
    assert {name: (one.there, one.drawn) for name, one in found.strata.items()} == {
        "yes": (6, 6),
        "split": (6, 2),
        "no": (6, 3),
    }


def _decisions(found: Any, study: Study, streams: Any) -> list[Decision]:
    from studies.clarification.agreement import decisions
    from studies.clarification.counting import counted, people

    return decisions(study, counted(people(study, streams, []))[0])


def test_a_fresh_hit_follows_the_references_walk_on_a_matchers_own_labels() -> None:
    study = matching(tasks=1)
    made = [
        Decision("a", "q11", "t1", ("tie",)),
        Decision("a", "q12", "t1", ("unit", "tie")),
        # The walk stops at `unit`, hit before, although `tie` matches as well.
        Decision("a", "q13", "t1", ("unit", "tie")),
        Decision("b", "q12", "t1", ("unit",)),
        Decision("c", "q11", "t1", ()),
    ]
    found = {(one.rater, one.item): one.label for one in fresh_ratings(study, made)}
    assert found == {
        ("a", "q11"): "yes",
        ("a", "q12"): "yes",
        ("a", "q13"): "no",
        ("c", "q11"): "no",
    }


def test_sets_and_pairs_keep_tasks_apart() -> None:
    study = matching(tasks=2)
    made = [Decision("a", "q11", "t1", ("unit", "tie")), Decision("a", "q21", "t2", ())]
    assert [(one.item, one.label) for one in pair_ratings(study, made)] == [
        ("q11 / unit", "yes"),
        ("q11 / tie", "yes"),
        ("q21 / unit", "no"),
        ("q21 / tie", "no"),
    ]
    first, second = set_ratings(made)
    assert (first.label, first.additional) == ("t1 unit", ("t1 tie",))
    assert (second.label, second.additional) == ("none", ())
    assert percent_agreement(Ratings.of(set_ratings(made))) is None


async def test_nobody_yet_is_undefined_with_reasons() -> None:
    study = matching()
    found = matcher_agreement(study, {}, [], resamples=100).to_json()
    assert found["pair"]["kappa"]["value"] is None
    assert found["fresh_hit"]["undefined_reason"]
    assert found["with_judge"]["pair"]["undefined_reason"]


def test_other_seats_have_no_matchers() -> None:
    with pytest.raises(InputError, match="evaluate"):
        matcher_agreement(clarification_study(), {}, [])
