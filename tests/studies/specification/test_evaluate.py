"""Outcomes of a specification study: worked by hand, with what they must be read with."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from support.interviews import Interviewed, interview_study, streams
from support.specifications import BASELINE, BUDDY, Crewed, go_to, project, question, wishes

from studies.desk import Look
from studies.events import Chain, Event
from studies.protocol import Protocol
from studies.specification.checkpoints import NO_PREDICTIONS
from studies.specification.evaluate import NO_EXCLUSIONS, NO_JUDGES, UNFINISHED, evaluate
from studies.specification.evaluation import Evaluation
from studies.specification.figures import BOTH_SIDES, NO_CHECKLIST, NO_COMPARISON, NO_SHEET, Group, group
from studies.specification.judging import docket
from studies.specification.payloads import PairJudged, PredictionsMade, QuestionPut, SheetJudged
from studies.specification.sections import CRITERIA
from studies.statistics.intervals import BY_SESSIONS, BY_T
from studies.steps import Done
from studies.study import Study

KEYS = {
    *("by", "participants", "projects", "accuracy", "accuracy_not_asked", "test_retest", "queries"),
    *("early_submit_rate", "scores", "win_tie_loss"),
}
STUDY = interview_study()


def evaluated(study: Study, *persons: Interviewed, desk: Sequence[Event] = ()) -> Evaluation:
    return evaluate(study, streams(*persons), desk)


def group_of(found: Evaluation, **by: Any) -> Group:
    return next(one for one in found.groups if one.by == by)


def by_t(values: Sequence[float]) -> tuple[float, float]:
    low, high = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    return max(0.0, float(low)), min(1.0, float(high))


# -- Task 1 ------------------------------------------------------------------------------------


def test_a_worked_example() -> None:
    """Six people. Right of those with a preference; in brackets without the asked question q1:

    1: 4/4 (3/3)  2: 2/4 (2/3)  3: 1/3 (0/2)  4: 2/2 (1/1)  5: 3/4 (3/3)  6: 2/4 (1/3)
    """
    hand = [
        ("ABCD", "ABCD"), ("BBCD", "ABAD"), ("ABCN", "AAAA"),
        ("ANND", "AAAD"), ("BBCD", "ABCD"), ("ABCD", "ABAA"),
    ]  # fmt: skip
    people = [
        Interviewed(STUDY, slot)
        .checklist(truth, predicted, asked=("q1", ""), by="settled", retest={"q1": "A", "q2": truth[1]})
        .end()
        for slot, (truth, predicted) in enumerate(hand, start=1)
    ]
    # The fourth and the sixth: 2/2 without q1 are (q4) 1/1, and 1/3.
    whole = evaluated(STUDY, *people).groups[0]
    accuracy = [4 / 4, 2 / 4, 1 / 3, 2 / 2, 3 / 4, 2 / 4]
    not_asked = [3 / 3, 2 / 3, 0 / 2, 1 / 1, 3 / 3, 1 / 3]
    assert (whole.by, whole.participants, whole.projects, whole.sessions, whole.started) == ({}, 6, 1, 6, 6)
    assert whole.accuracy == pytest.approx(np.mean(accuracy))
    assert whole.accuracy_not_asked == pytest.approx(np.mean(not_asked))
    assert whole.accuracy_ci is not None
    assert (whole.accuracy_ci.low, whole.accuracy_ci.high) == pytest.approx(by_t(accuracy))
    assert (whole.accuracy_ci.method, whole.accuracy_ci.few_participants) == (BY_T, True)
    # q1 was answered alike by the four whose truth is A; q2 by all.
    assert whole.test_retest == pytest.approx((4 + 6) / 12)
    assert (whole.queries, whole.early_submit_rate) == (2, 1)
    assert (whole.checklist_answers, whole.without_preference) == (21, 3)
    assert whole.early_submit_rate_ci is not None
    assert whole.early_submit_rate_ci.method == BY_SESSIONS
    assert whole.scores == dict.fromkeys(CRITERIA)
    assert whole.undefined_reason is not None
    assert f"scores, requirements, edited: {NO_SHEET}" in whole.undefined_reason
    assert "queries_ci: no participant differs" in whole.undefined_reason


def test_perfect_accuracy_has_an_exact_interval_over_answers() -> None:
    people = [Interviewed(STUDY, slot).checklist("ABCD", "ABCD").end() for slot in range(1, 7)]
    whole = evaluated(STUDY, *people).groups[0]
    assert whole.accuracy_ci is not None
    assert (whole.accuracy_ci.low, whole.accuracy_ci.high) == (pytest.approx(0.025 ** (1 / 24)), 1)


def test_below_six_people_there_are_figures_and_no_interval() -> None:
    people = [Interviewed(STUDY, slot).checklist("ABCD", "ABCA").end() for slot in range(1, 6)]
    whole = evaluated(STUDY, *people).groups[0]
    assert whole.accuracy == 0.75
    assert whole.to_json()["accuracy_ci"] is None
    assert "accuracy_ci" in (whole.undefined_reason or "")
    assert "too few participants" in (whole.undefined_reason or "")


def test_a_retest_is_the_persons_and_counts_once_for_two_agents() -> None:
    person = Interviewed(STUDY)
    person.checklist("ABCD", "ABCD", retest={"q1": "A", "q2": "A"})
    person.checklist("ABCD", "AAAA", agent="plain", number=2)
    person.checklist("ABCD", "ABCD", item="yard", retest={"q1": "A", "q2": "B"})
    found = evaluated(STUDY, person.end())
    assert found.groups[0].test_retest == 0.75
    assert group_of(found, agent="plain").test_retest == 0.5
    assert found.groups[0].second_agents == 1
    assert group_of(found, interview=2).accuracy == 0.25
    assert [group_of(found, period=n).accuracy for n in (1, 2, 3)] == [1, 0.25, 1]


def test_checkpoints_take_the_last_predictions_of_an_interview_that_ended_before() -> None:
    """After 0, 5 and 10 rounds: 1/4 2/4 4/4, then 2/4 1/4 2/4; the third ended at 1 round: 0/4, then 3/4."""
    study = interview_study(checkpoints=[0, 5, 10], budgets=[10])
    people = [
        Interviewed(study, 1).checklist("ABCD", "ABCD", asked=[""] * 10, silent={0: "AAAA", 5: "ABAA"}),
        Interviewed(study, 2).checklist("ABCD", "ABAA", asked=[""] * 10, silent={0: "ABAA", 5: "AAAA"}),
        Interviewed(study, 3).checklist("ABCD", "ABCA", asked=[""], by="agent", silent={0: "CCAA"}),
    ]
    found = evaluated(study, *(one.end() for one in people))
    got = {one.rounds: one.accuracy for one in found.checkpoints if not one.by}
    assert got == {0: 3 / 12, 5: 6 / 12, 10: 9 / 12}
    shares = {
        (one.since, one.to): (one.improved, one.worsened, one.share)
        for one in found.improvements
        if not one.by
    }
    assert shares == {(0, 5): (2, 1, 2 / 3), (5, 10): (2, 0, 2 / 3), (0, 10): (2, 0, 2 / 3)}
    assert any("deviation" in one for one in found.flags)
    assert evaluated(STUDY, Interviewed(STUDY).checklist("A", "A").end()).checkpoints == ()


@given(
    st.lists(
        st.tuples(st.text("ABN", min_size=4, max_size=4), st.text("AB", min_size=4, max_size=4)), max_size=4
    )
)
def test_accuracy_lies_between_nothing_and_all_and_hits_add_up(hand: list[tuple[str, str]]) -> None:
    people = [Interviewed(STUDY, at).checklist(*one).end() for at, one in enumerate(hand, start=1)]
    whole = evaluated(STUDY, *people).groups[0]
    with_preference = [one for one in hand if set(one[0]) != {"N"}]
    assert (whole.accuracy is None) == (not with_preference)
    assert whole.checklist_answers == sum(len(truth.replace("N", "")) for truth, _ in hand)
    if with_preference:
        shares = [
            sum(a == b for a, b in zip(truth, told, strict=True)) / len(truth.replace("N", ""))
            for truth, told in with_preference
        ]
        assert whole.accuracy == pytest.approx(np.mean(shares))
        assert whole.accuracy_not_asked == whole.accuracy


# -- Task 2 ------------------------------------------------------------------------------------


def paired(study: Study, slot: int, first: str, second: str, preferred: str) -> Interviewed:
    """Buddy's sheet and a second agent's; `preferred` is an agent or `tie`."""
    person = Interviewed(study, slot)
    one = person.sheet(first, "mmp", asked=2, by="agent", closed=False)
    other = person.sheet(second, "mca", agent="plain", number=2, asked=4)
    person.compare(one, other, {"buddy": "left", "plain": "right"}.get(preferred, "tie"))
    return person


def test_two_agents_by_hand() -> None:
    study = interview_study(
        second_agent=True, analysis={"primary_outcome": "coverage", "contrast": "buddy minus plain"}
    )
    hand = [
        ("54321", "33333", "buddy"), ("44444", "34444", "buddy"), ("33333", "33333", "tie"),
        ("22222", "32222", "plain"), ("55555", "25555", "buddy"), ("43333", "33333", "buddy"),
    ]  # fmt: skip
    found = evaluated(study, *(paired(study, at, *one).end() for at, one in enumerate(hand, start=1)))
    buddy, plain = group_of(found, agent="buddy"), group_of(found, agent="plain")
    assert (buddy.scores["coverage"], plain.scores["coverage"]) == (23 / 6, 17 / 6)
    assert (buddy.queries, buddy.early_submit_rate, plain.queries, plain.early_submit_rate) == (2, 1, 4, 0)
    assert buddy.win_tie_loss is not None
    assert plain.win_tie_loss is not None
    assert (buddy.win_tie_loss.win, buddy.win_tie_loss.tie, buddy.win_tie_loss.loss) == (4, 1, 1)
    assert (plain.win_tie_loss.win, plain.win_tie_loss.tie, plain.win_tie_loss.loss) == (1, 1, 4)
    whole = found.groups[0]
    assert whole.win_tie_loss is None
    assert f"win_tie_loss: {BOTH_SIDES}" in (whole.undefined_reason or "")
    assert NO_CHECKLIST in (whole.undefined_reason or "")
    assert whole.requirements is not None
    assert whole.requirements.requirements == 36
    assert whole.requirements.shares == pytest.approx(
        {"met": 1 / 2, "partly": 1 / 6, "contradicted": 1 / 6, "absent": 1 / 6}
    )
    # Differences in coverage: 2 1 0 -1 3 1. Of 64 sign patterns 16 have a sum of at least 6 in size.
    first = found.contrasts[0]
    assert (first.by, first.a, first.b, first.outcome, first.family) == (
        "agent",
        "buddy",
        "plain",
        "coverage",
        "primary",
    )
    assert (first.difference, first.participants) == (1, 6)
    sums = [sum(np.array([2, 1, 1, 3, 1]) * np.array(signs)) for signs in np.ndindex(*(2,) * 5)]
    patterns = [2 * one - 8 for one in sums]
    assert first.test.p == sum(abs(one) >= 6 for one in patterns) / 32
    assert first.p_corrected == first.test.p
    assert first.ci.low is not None
    (duel,) = found.head_to_head
    assert (duel.judge, duel.a, duel.b, duel.win, duel.tie, duel.loss) == (
        "participant",
        "buddy",
        "plain",
        4,
        1,
        1,
    )
    assert duel.difference == 0.5


def test_agents_are_contrasted_within_a_task_and_by_turn() -> None:
    """Queries of buddy and plain: 1 and 3 in Task 1, 5 in Task 2, which plain never had."""
    study = interview_study(second_agent=True)
    person = Interviewed(study, 1)
    person.checklist("ABCD", "ABCD", asked=[""])
    person.checklist("ABCD", "ABCD", agent="plain", number=2, asked=[""] * 3)
    person.sheet("33333", item="yard", asked=5)
    apart = Interviewed(study, 2)
    apart.checklist("ABCD", "ABCD", asked=[""])
    apart.sheet("33333", item="yard", agent="plain", asked=5)
    found = evaluated(study, person.end(), apart.end())
    made = {(one.by, one.a): one for one in found.contrasts if one.outcome == "queries"}
    agents, turns = made["agent", "plain"], made["interview", "2"]
    assert (agents.difference, agents.participants, agents.left_out) == (2, 1, 1)
    assert (turns.difference, turns.participants, turns.left_out) == (2, 1, 1)


def test_edited_sheets_are_an_outcome_of_their_own() -> None:
    one, other = Interviewed(STUDY, 1), Interviewed(STUDY, 2)
    one.sheet(
        "33333",
        edit={"review-1": "refuse", "struck": ["constraints-1"], "milestones_and_priorities": "Soon."},
    )
    other.sheet("33333", edit={"review-1": "accept", "struck": []})
    edited = evaluated(STUDY, one.end(), other.end()).groups[0].edited
    assert edited is not None
    assert (edited.sheets, edited.statements_struck, edited.sections_rewritten) == (2, 1 / 6, 1 / 18)
    assert (edited.changes_accepted, edited.left_as_it_was) == (0.5, 0.5)


# -- judges ------------------------------------------------------------------------------------


def judged(person: Interviewed, session: str, judge: str, scores: str | None, fates: str = "mmm") -> None:
    letters = {"m": "met", "a": "absent"}
    ids = ("core_features.want.1", "core_features.want.2", "core_features.avoid.1")
    given = dict(zip(CRITERIA, map(int, scores), strict=True)) if scores else None
    told = {key: letters[one] for key, one in zip(ids, fates, strict=True)} if scores else {}
    trouble = "" if scores else "no JSON object in the answer"
    person.add(
        SheetJudged(
            session, "club", judge, "m", given, {}, told, trouble, model_served=f"{judge}-1", cost=0.5
        )
    )


def test_judges_beside_people() -> None:
    """Coverage by six people 1 2 3 4 5 3, by judge a one more each but 5 (5), by judge b 3 always."""
    study = interview_study(judges=["a", "b"])
    people = []
    for at, own in enumerate("123453", start=1):
        person = Interviewed(study, at)
        session = person.sheet(f"{own}3333", "mmp")
        person.end()
        judged(person, session, "b", None)
        judged(person, session, "a", f"{min(5, int(own) + 1)}3333", "mma")
        judged(person, session, "b", "33333")
        people.append(person)
    found = evaluated(study, *people).judges
    coverage = {one.judge: one for one in found.beside_participants if one.criterion == "coverage"}
    assert {name: one.difference for name, one in coverage.items()} == {"a": 5 / 6, "b": 0, "panel": 2.5 / 6}
    assert (coverage["a"].sheets, coverage["a"].participants) == (6, 6)
    assert coverage["a"].difference_ci.low == pytest.approx(5 / 6 - stats.t.ppf(0.975, 5) / 6)
    assert coverage["panel"].alpha is None
    persons, theirs = [1, 2, 3, 4, 5, 3], [2, 3, 4, 5, 5, 4]
    for name, scores in (("a", theirs), ("b", [3] * 6)):
        expected = krippendorff.alpha([persons, scores], level_of_measurement="ordinal")
        assert coverage[name].alpha == pytest.approx(expected)
    same = next(one for one in found.beside_participants if one.criterion == "insight")
    assert same.alpha is None
    assert "every rating that can be paired is the same" in (same.undefined_reason or "")
    assert [one.sheets for one in found.among_judges] == [6] * 5
    assert [(one.judge, one.requirements, one.share) for one in found.requirements_alike] == [
        ("a", 18, 2 / 3), ("b", 18, 2 / 3)
    ]  # fmt: skip
    assert [(one.judge, one.sheets, one.failed, one.cost) for one in found.work] == [
        ("a", 6, 0, 3),
        ("b", 6, 6, 6),
    ]


def test_judges_compare_too() -> None:
    study = interview_study(judges=["a"], second_agent=True)
    person = Interviewed(study)
    one = person.sheet("33333", closed=False)
    other = person.sheet("33333", agent="plain", number=2)
    person.compare(one, other, "left")
    person.end()
    person.add(PairJudged("club", "a", "m", other, one, "left", "because"))
    found = evaluated(study, person)
    assert [(duel.judge, duel.win, duel.loss) for duel in found.head_to_head] == [
        ("participant", 1, 0),
        ("a", 0, 1),
    ]
    assert found.judges.undefined_reason == "the judges have not been asked yet"
    wtl = group_of(found, agent="buddy").win_tie_loss
    assert wtl is not None
    assert (wtl.win, wtl.loss) == (1, 0), "what judges say is no person's win"


# -- everything around -------------------------------------------------------------------------


def test_the_keys_of_the_contract() -> None:
    study = interview_study(judges=["scripted"], checkpoints=[0], ground_truth="split")
    person = Interviewed(study)
    person.checklist("ABCD", "ABCA", silent={0: "AAAA"})
    person.sheet("54321", "mpc", item="yard", when="after")
    found = json.loads(json.dumps(evaluated(study, person.end()).to_json(), allow_nan=False))
    for one in found["groups"]:
        assert one.keys() >= KEYS
        assert list(one["scores"]) == list(CRITERIA)
        assert "undefined_reason" in one
    assert found["groups"][0]["by"] == {}
    assert found["groups"][0]["requirements"]["met"] == 1 / 3
    assert found["kind"] == "specification"
    ways = {tuple(one["by"]) for one in found["groups"]}
    assert {
        ("agent",),
        ("budget",),
        ("task",),
        ("project",),
        ("period",),
        ("ground_truth",),
        ("agent", "task"),
    } <= ways


def test_nobody_yet() -> None:
    found = evaluated(STUDY)
    whole = found.groups[0]
    assert (found.participants, whole.accuracy, whole.sessions) == (0, None, 0)
    assert whole.undefined_reason == "no interview counts"
    assert [one.by for one in found.groups[1:3]] == [{"agent": "buddy"}, {"agent": "plain"}]
    assert all(one.test.p is None and one.difference is None for one in found.contrasts)
    assert found.judges.undefined_reason == NO_JUDGES
    json.dumps(found.to_json(), allow_nan=False)


def test_ground_truth_by_chance_is_a_contrast() -> None:
    study = interview_study(ground_truth="split")
    people = []
    for slot in range(1, 7):
        person = Interviewed(study, slot)
        person.checklist("ABCD", "ABCD", when="after")
        person.checklist("ABCD", "ABAA", item="yard")
        people.append(person.end())
    found = evaluated(study, *people)
    assert [group_of(found, ground_truth=one).accuracy for one in ("before", "after")] == [0.5, 1]
    made = next(one for one in found.contrasts if (one.by, one.outcome) == ("ground_truth", "accuracy"))
    assert (made.a, made.b, made.difference, made.test.p) == ("after", "before", 0.5, 2 / 64)
    assert made.family == "exploratory"
    assert made.p_corrected is not None
    assert made.p_corrected > 2 / 64


def test_what_figures_must_be_read_with() -> None:
    study = interview_study(analysis={"planned_n": 2, "known_deviations": ["no spoken answers"]})
    chain = Chain("desk")
    desk = [chain.make(Look(study.sha256, "evaluate", "curious", 1, 2), "2026-03-02T09:00:00.000Z")]
    person = Interviewed(study)
    person.checklist("ABCD", "ABCD", model="served-1")
    person.checklist("ABCD", "ABCD", item="yard", model="served-2", by="participant")
    found = evaluated(study, person.end(), desk=desk)
    assert (found.reached, found.completed, found.planned_n) == (False, 1, 2)
    assert found.models_served == {"scripted": ["served-1", "served-2"]}
    flags = "\n".join(found.groups[0].flags)
    for words in (
        "as served changed",
        "fewer than 15",
        "1 interviews were ended by the participant",
        "are the participants' own",
    ):
        assert words in flags
    assert found.deviations == ("no spoken answers",)
    assert [one.reason for one in found.looks] == ["curious"]
    assert found.cost == 0.5
    assert found.groups[0].times["interview_ms"].median == 0


def test_figures_are_given_with_and_without_exclusions() -> None:
    study = interview_study(analysis={"exclusions": {"median_ms_below": 1_000}})
    people = [
        Interviewed(study, 1).checklist("ABCD", "ABCD", own_ms=10).end(),
        Interviewed(study, 2).checklist("ABCD", "AAAA").end(),
    ]
    found = evaluated(study, *people)
    assert found.groups[0].accuracy == 0.25
    runs = {one.name: one for one in found.sensitivity}
    assert runs["with the people whom a declared exclusion leaves out"].groups[0].accuracy == 0.625
    assert runs[UNFINISHED].groups[0].accuracy == 0.25
    assert evaluated(STUDY).sensitivity[-1].undefined_reason == NO_EXCLUSIONS


def test_a_group_without_comparisons_says_so() -> None:
    person = Interviewed(STUDY)
    person.sheet("33333")
    assert f"win_tie_loss: {NO_COMPARISON}" in (
        evaluated(STUDY, person.end()).groups[0].undefined_reason or ""
    )
    assert group({}, []).undefined_reason == "no interview counts"


def test_nothing_was_predicted_after_rounds_that_were_asked() -> None:
    study = interview_study(checkpoints=[3])
    found = evaluated(study, Interviewed(study).checklist("ABCD", "ABCD", asked=[""] * 5).end())
    assert {one.undefined_reason for one in found.checkpoints} == {NO_PREDICTIONS}


async def test_a_whole_participation_comes_out_as_its_events_say() -> None:
    """Both agents' rehearsals on real steps: everybody always takes the first answer."""
    checklist = [question(number) for number in range(1, 9)]
    study = wishes(
        project("club", checklist=checklist),
        project("yard", checklist=checklist),
        agents=(BUDDY, BASELINE),
        more='judges = ["scripted"]\nbudgets = [3]\nretest = 0.25',
    )
    crewed = Crewed(study)
    assert isinstance(await go_to(await crewed.sit(), "never"), Done)
    found = evaluate(study, {crewed.sitting.stream: crewed.sitting.events}, ())
    whole = found.groups[0]
    assert (whole.participants, whole.sessions, whole.test_retest) == (1, 2, 1)
    made = [one.payload for one in crewed.sitting.events]
    (told,) = [one for one in made if isinstance(one, PredictionsMade) and one.final]
    asked = {one.key for one in made if isinstance(one, QuestionPut) and one.sort == "checklist"}
    rest = [letter == "A" for key, letter in told.predictions.items() if key not in asked]
    assert asked
    assert whole.accuracy == sum(letter == "A" for letter in told.predictions.values()) / 8
    assert whole.accuracy_not_asked == sum(rest) / len(rest)
    assert set(whole.scores.values()) == {3}
    assert whole.requirements is not None
    assert whole.requirements.shares["met"] == 1
    assert whole.edited is not None
    assert whole.edited.left_as_it_was == 1
    state = Protocol(study).replay(crewed.sitting.events)
    (due,) = docket(study, state).due
    assert due.judge.name == "scripted"
