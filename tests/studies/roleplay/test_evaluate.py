"""Outcomes of a role-play study: worked by hand, recomputed by other means, and what counts at all."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import stats
from support.chats import ASK, FAIL, PASS, NoDialogues, Talk, roleplay_study, talk
from support.clarifying import clarification_study
from support.clarifying import task as clarification_task
from support.sessions import Played, Went, played, streams
from support.visits import usual, walk

from studies.clarification.agreement import pair_agreement
from studies.coding import UNDECIDED, Coding, own_texts, text_id
from studies.desk import Look, SlotReleased
from studies.events import Chain, Event, Payload
from studies.payloads import VisitEnded, VisitStarted
from studies.roleplay.blank import BlankOutcome, blank_control, blank_figures
from studies.roleplay.counting import count
from studies.roleplay.counting import people as people_of
from studies.roleplay.disclosure import AFTER_A_REPLY, WITHOUT_LEAKS
from studies.roleplay.evaluate import NO_DIFFICULTY, NO_EXCLUSIONS, NO_LEAKS, evaluate
from studies.roleplay.evaluation import Evaluation
from studies.roleplay.figures import Group
from studies.roleplay.payloads import Donor, DonorsFixed, SessionEnded
from studies.settings import AnalysisSettings
from studies.statistics.intervals import BY_SESSIONS, BY_T
from studies.steps import Done
from studies.study import Study

PLAN = {"primary_outcome": "ft_es", "contrast": "same-user minus none"}


def study_of(*, analysis: dict[str, Any] | None = None, **roleplay: Any) -> Study:
    """One cell, one assistant, four held-out tasks in two conditions, up to three turns."""
    base: dict[str, Any] = {"history": 1, "held_out": 4, "turns": 3, "gate": "gate"}
    made = roleplay_study(**(base | roleplay))
    object.__setattr__(made, "analysis", AnalysisSettings.model_validate(analysis or {}))
    return made


def group(found: Evaluation, **by: str | None) -> Group:
    return next(one for one in found.groups if one.by == by)


def evaluated(study: Study, *people: Played, desk: Sequence[Event] = (), **more: Any) -> Evaluation:
    return evaluate(study, streams(*people), desk, **more)


def desk_events(*payloads: Payload, at: str = "2026-03-01T09:00:00.000Z") -> list[Event]:
    chain = Chain("desk")
    return [chain.make(one, at) for one in payloads]


def by_condition(**went: Went):  # type: ignore[no-untyped-def]
    return lambda planned: went[planned.condition.replace("-", "_")]


# -- by hand -----------------------------------------------------------------------------------


def test_a_worked_example() -> None:
    """Six people, four sessions each, limit 3 turns. Turns to success (x unsolved) by task:

    1: 1 1 2 x    2: 1 2 3 3    3: 1 x x x    4: 2 2 2 2    5: 1 1 1 3    6: x x 3 1
    Solved 3 4 1 4 4 2 = 18 of 24; at turn 1: 2 1 1 0 3 1 = 8; turns with x = 3: 7 9 10 8 6 10 = 50.
    """
    study = study_of()
    hand = (
        ("p", "p", "qp", "fff"),
        ("p", "fp", "qfp", "qqp"),
        ("p", ("q", "gave_up"), ("f", "timed_out"), "fff"),
        ("qp", "qp", "fp", "fp"),
        ("p", "p", "p", "qqp"),
        ("qqf", "fff", "ffp", "p"),
    )
    found = evaluated(study, *(played(study, n, went) for n, went in enumerate(hand, start=1)))
    whole = found.groups[0]
    assert whole.by == {}
    assert (whole.participants, whole.sessions, whole.started) == (6, 24, 24)
    assert (whole.es, whole.ft_es, whole.ttc) == (18 / 24, 8 / 24, 50 / 24)
    assert whole.dispositions == {
        "solved": 18, "limit": 4, "gave_up": 1, "timed_out": 1, "technical": 0, "spend_cap": 0
    }  # fmt: skip
    means = np.array([3, 4, 1, 4, 4, 2]) / 4
    low, high = stats.t.interval(0.95, 5, means.mean(), stats.sem(means))
    assert whole.es_ci is not None
    assert (whole.es_ci.low, whole.es_ci.high) == (pytest.approx(low), 1.0)
    assert high > 1
    assert (whole.es_ci.method, whole.es_ci.few_participants) == (BY_T, True)
    means = np.array([7, 9, 10, 8, 6, 10]) / 4
    low, high = stats.t.interval(0.95, 5, means.mean(), stats.sem(means))
    assert whole.ttc_ci is not None
    assert (whole.ttc_ci.low, whole.ttc_ci.high) == (pytest.approx(low), pytest.approx(high))
    # Replies by person 7 9 6 8 6 10, of which 1 3 1 2 2 2 ask.
    assert whole.question_rate == 11 / 46
    assert whole.undefined_reason is None


def test_the_keys_of_the_contract() -> None:
    study = study_of(analysis=PLAN)
    found = json.loads(
        json.dumps(evaluated(study, *(played(study, n, ("p",) * 4) for n in range(1, 8))).to_json())
    )
    keys = ["by", "participants", "sessions", "dispositions"]
    keys += ["es", "ft_es", "ttc", "es_ci", "ft_es_ci", "ttc_ci"]
    assert set(keys) <= set(found["groups"][0])
    assert found["groups"][0]["by"] == {}
    assert {"low", "high", "method"} <= set(found["groups"][0]["es_ci"])
    assert found["groups"][0]["ttc_ci"] is None
    assert "ttc_ci" in found["groups"][0]["undefined_reason"]
    assert {"a", "b", "outcome", "planned", "p", "p_corrected", "mcnemar"} <= set(found["contrasts"][0])


def test_below_six_people_there_are_figures_and_no_interval() -> None:
    study = study_of()
    whole = evaluated(study, *(played(study, n, ("p", "p", "fff", "fff")) for n in range(1, 6))).groups[0]
    assert whole.es == 0.5
    assert whole.undefined_reason == "too few participants"
    assert whole.to_json()["es_ci"] is None


def test_nobody_yet() -> None:
    found = evaluated(study_of())
    assert (found.participants, found.groups[0].es, found.groups[0].sessions) == (0, None, 0)
    assert found.groups[0].undefined_reason == "no session counts"
    assert all(one.test.p is None and one.difference is None for one in found.contrasts)
    json.dumps(found.to_json(), allow_nan=False)


# -- groups ------------------------------------------------------------------------------------


def test_every_way_of_grouping() -> None:
    study = study_of()
    found = evaluated(
        study, *(played(study, n, by_condition(none="fff", same_user="p")) for n in range(1, 9))
    )
    assert [one.by for one in found.groups] == [
        {},
        {"condition": "none"},
        {"condition": "same-user"},
        {"assistant": "helper"},
        {"mechanism": "DCP"},
        {"mechanism": "HCO"},
        {"profile": "mara"},
        {"difficulty": None},
        {"condition": "none", "assistant": "helper"},
        {"condition": "same-user", "assistant": "helper"},
    ]
    assert (group(found, condition="none").es, group(found, condition="same-user").ft_es) == (0.0, 1.0)
    # A session counts under both mechanisms of its pair.
    assert group(found, mechanism="DCP").sessions == group(found, mechanism="HCO").sessions == 32
    assert group(found, difficulty=None).undefined_reason == NO_DIFFICULTY
    assert group(found, difficulty=None).es is None


def test_difficulty_where_it_is_fixed_for_every_held_out_task() -> None:
    study = study_of()
    levels = iter(("simple", "simple", "medium", "complex"))
    tasks = [
        one.model_copy(update={"difficulty": next(levels)}) if one.part == "held_out" else one
        for one in study.tasks
    ]
    object.__setattr__(study, "tasks", tuple(tasks))
    object.__setattr__(study, "_tasks", {one.id: one for one in tasks})
    found = evaluated(study, *(played(study, n, ("p", "p", "fff", "p")) for n in range(1, 7)))
    assert [one.by["difficulty"] for one in found.groups if "difficulty" in one.by] == [
        "simple",
        "medium",
        "complex",
    ]
    assert (group(found, difficulty="simple").sessions, group(found, difficulty="medium").es) == (12, 0.0)


# -- what counts -------------------------------------------------------------------------------


def test_technical_and_spending_ends_are_out_counted_by_condition_and_unsolved_in_a_sensitivity_run() -> None:
    study = study_of()
    people = [played(study, n, ("p", "p", "p", ("n", "technical"))) for n in range(1, 7)]
    capped = Played(study, 7)
    capped.history()
    first, second, *_ = capped.planned("held_out")
    capped.session(first, "p")
    capped.session(second, "q", "spend_cap")
    found = evaluated(study, *people, capped.end("limit"))
    whole = found.groups[0]
    assert (whole.started, whole.sessions, whole.es, whole.participants) == (26, 19, 1.0, 7)
    assert (whole.dispositions["technical"], whole.dispositions["spend_cap"]) == (6, 1)
    by_condition = [group(found, condition=one).dispositions for one in study.settings.roleplay.conditions]
    assert sum(one["technical"] for one in by_condition) == 6
    assert sum(one["spend_cap"] for one in by_condition) == 1
    (run,) = [one for one in found.sensitivity if "as unsolved" in one.name]
    assert (run.groups[0].sessions, run.groups[0].es) == (26, 19 / 26)
    assert run.groups[0].ttc == (19 * 1 + 7 * 3) / 26
    (run,) = [one for one in found.sensitivity if "spending limit ended" in one.name]
    assert run.groups[0].participants == 6
    assert found.completed == 6


def test_unfinished_withdrawn_pilots_released_and_erased_people_are_out() -> None:
    study = study_of()
    done = played(study, 1, ("p",) * 4)
    paused = played(study, 2, ("fff",) * 4, "paused")
    withdrawn = played(study, 3, ("fff",) * 4, "withdrawn")
    released = played(study, 4, ("fff",) * 4, "paused")
    erased = played(study, 5, ("fff",) * 4)
    pilot = Played(study, 6, pilot=True)
    pilot.history()
    pilot.session(pilot.planned("held_out")[0], "fff")
    pilot.end()
    freed = desk_events(SlotReleased(study.sha256, released.stream, "x", 4))
    every = streams(done, paused, withdrawn, released, pilot)
    every[erased.stream] = [one.erased() for one in erased.events]
    found = evaluate(study, every, freed)
    assert (found.participants, found.completed, found.groups[0].sessions, found.groups[0].es) == (
        1,
        1,
        4,
        1.0,
    )
    reasons = sorted(one.reason for one in found.not_counted)
    assert reasons == ["dropped", "unfinished (paused)", "withdrawn", "withdrawn"]
    assert found.groups[0].dispositions["limit"] == 0


def test_finished_blocks_of_unfinished_people_are_a_sensitivity_run() -> None:
    study = study_of()
    going = Played(study, 1)
    going.history()
    held = going.planned("held_out")
    blocks = [one.block for one in held]
    assert blocks[0] == blocks[1] != blocks[2]
    for one in held[:2]:
        going.session(one, "p")
    going.session(held[2], "fff")
    going.end("paused")
    found = evaluated(study, going)
    assert found.groups[0].sessions == 0
    (run,) = [one for one in found.sensitivity if "finished blocks" in one.name]
    assert (run.groups[0].sessions, run.groups[0].es) == (2, 1.0)


def test_a_session_left_open_when_the_resume_policy_refused_timed_out() -> None:
    study = study_of()
    gone = Played(study, 1)
    gone.history()
    held = gone.planned("held_out")
    gone.session(held[0], "p")
    gone.session(held[1], "q", "open")
    found = evaluated(study, gone.end("blocked"))
    (run,) = [one for one in found.sensitivity if "finished blocks" in one.name]
    assert run.groups[0].dispositions["timed_out"] == 1
    assert run.groups[0].ttc == (1 + 3) / 2


def test_a_person_short_of_history_is_in_no_figure_and_is_counted() -> None:
    study = study_of()
    short = Played(study, 1)
    short.session(short.planned("history")[0], "fff")
    found = evaluated(study, short.end(), *(played(study, n, ("p",) * 4) for n in range(2, 9)))
    assert (found.participants, found.short_of_history, found.groups[0].participants) == (8, 1, 7)


def test_history_sessions_never_count() -> None:
    study = study_of()
    one = Played(study, 1)
    one.history("qfp")
    for planned in one.planned("held_out"):
        one.session(planned, "p")
    assert evaluated(study, one.end()).groups[0].ttc == 1.0


def test_a_declared_exclusion_leaves_people_out_and_the_figures_are_printed_with_them_too() -> None:
    study = study_of(analysis={"exclusions": {"median_ms_below": 5000}})
    slow = [played(study, n, ("p",) * 4) for n in range(1, 7)]
    fast = played(study, 7, ("fff",) * 4, thinks=1.0)
    found = evaluated(study, *slow, fast)
    assert (found.participants, found.completed, found.groups[0].es) == (6, 7, 1.0)
    (out,) = found.not_counted
    assert out.declared
    assert out.reason.startswith("speed: median 3000 ms")
    (run,) = [one for one in found.sensitivity if "exclusion" in one.name]
    assert run.groups[0].es == 24 / 28
    assert evaluated(study, *slow).sensitivity[-1].undefined_reason == NO_EXCLUSIONS


def test_a_stopped_reply_uses_a_turn_and_a_broken_one_does_not() -> None:
    study = study_of()
    found = evaluated(study, *(played(study, n, ("sp", "bp", "bbp", "ssp")) for n in range(1, 7)))
    assert found.groups[0].ttc == (2 + 1 + 1 + 3) / 4
    assert found.groups[0].question_rate == 0.0


# -- contrasts ---------------------------------------------------------------------------------


def test_planned_contrasts_come_first_and_each_family_is_corrected_by_itself() -> None:
    study = study_of(analysis=PLAN, conditions=("none", "same-user", "gated"), held_out=6)
    found = evaluated(
        study,
        *(played(study, n, by_condition(none="qp", same_user="p", gated="p")) for n in range(1, 7)),
    )
    made = [(one.a, one.b, one.outcome, one.family) for one in found.contrasts]
    assert made[:3] == [
        ("same-user", "none", "ft_es", "primary"),
        ("same-user", "none", "es", "secondary"),
        ("same-user", "none", "ttc", "secondary"),
    ]
    assert {one[3] for one in made[3:]} == {"exploratory"}
    assert {(a, b) for a, b, *_ in made[3:]} == {("gated", "none"), ("gated", "same-user")}
    primary = found.contrasts[0]
    assert (primary.difference, primary.test.p, primary.p_corrected) == (1.0, 2 / 64, 2 / 64)
    assert primary.correction == "Holm over 1 primary tests"
    assert primary.planned
    # Two secondary tests with p 1 and 1/32: the smaller is doubled.
    assert [one.p_corrected for one in found.contrasts[1:3]] == [1.0, 2 * 2 / 64]


def test_a_contrast_is_of_participant_means() -> None:
    """Means under same-user less none: 1 - 0, .5 - 0, 1 - .5, 0 - .5, 1 - 1, .5 - .5, so 1/4 on average."""
    study = study_of(analysis=PLAN)
    wins = ((2, 0), (1, 0), (2, 1), (0, 1), (2, 2), (1, 1))
    people = []
    for slot, (with_history, without) in enumerate(wins, start=1):
        left = {"same-user": with_history, "none": without}

        def went(planned, left=left):  # type: ignore[no-untyped-def]
            left[planned.condition] -= 1
            return "p" if left[planned.condition] >= 0 else "fff"

        people.append(played(study, slot, went))
    (primary,) = [one for one in evaluated(study, *people).contrasts if one.family == "primary"]
    differences = np.array([1, 0.5, 0.5, -0.5, 0, 0])
    assert primary.difference == differences.mean()
    oracle = stats.permutation_test(
        (differences, np.zeros(6)), lambda x, y: np.mean(x - y), permutation_type="samples",
        vectorized=False, n_resamples=np.inf,
    )  # fmt: skip
    assert primary.test.p == pytest.approx(oracle.pvalue)
    low, high = stats.t.interval(0.95, 5, differences.mean(), stats.sem(differences))
    assert (primary.ci.low, primary.ci.high) == (pytest.approx(low), pytest.approx(high))


def test_mcnemar_only_with_one_session_for_each_participant_and_condition() -> None:
    study = study_of(held_out=2, analysis=PLAN)
    wins = [("p", "fff")] * 5 + [("fff", "p")] + [("p", "p")] * 2
    people = [played(study, n, by_condition(same_user=a, none=b)) for n, (a, b) in enumerate(wins, start=1)]
    by_outcome = {one.outcome: one.mcnemar for one in evaluated(study, *people).contrasts}
    assert (by_outcome["es"].only_a, by_outcome["es"].only_b) == (5, 1)
    assert by_outcome["es"].p == stats.binomtest(1, 6).pvalue
    assert by_outcome["ttc"].p is None
    several = study_of(analysis=PLAN)
    found = evaluated(several, *(played(several, n, ("p",) * 4) for n in range(1, 7)))
    assert found.contrasts[0].mcnemar.undefined_reason is not None
    assert "several sessions" in found.contrasts[0].mcnemar.undefined_reason


def test_who_has_one_side_only_is_left_out_and_counted() -> None:
    study = study_of(analysis=PLAN)
    people = [played(study, n, ("p",) * 4) for n in range(1, 7)]
    people.append(played(study, 7, by_condition(none=("n", "technical"), same_user="p")))
    primary = evaluated(study, *people).contrasts[0]
    assert (primary.participants, primary.left_out) == (6, 1)


def test_without_a_plan_everything_is_exploratory() -> None:
    study = study_of()
    found = evaluated(study, *(played(study, n, ("p",) * 4) for n in range(1, 3)))
    assert {one.family for one in found.contrasts} == {"exploratory"}
    assert found.plan["primary_outcome"] is None


def test_assistants_that_no_participant_met_both_of_are_not_compared() -> None:
    study = study_of(gate="")
    found = evaluated(study, *(played(study, n, ("p",) * 4) for n in range(1, 9)))
    (es, *_) = [one for one in found.contrasts if one.by == "assistant"]
    assert (es.difference, es.test.p, es.test.undefined_reason) == (None, None, "no participant has both")
    assert {one.participants for one in found.groups if set(one.by) == {"assistant"}} == {4}


# -- what figures are read with ----------------------------------------------------------------


def test_a_model_that_changed_as_served_is_flagged_on_every_figure() -> None:
    study = study_of(analysis=PLAN)
    people = [played(study, n, ("p",) * 4, model=f"served-{n // 5}") for n in range(1, 8)]
    found = evaluated(study, *people)
    flag = "the model of helper as served changed: served-0, served-1"
    assert found.models_served == {"helper": ["served-0", "served-1"]}
    assert all(flag in one.flags for one in found.groups if one.sessions and one.by != {"difficulty": None})
    assert all(flag in one.flags for one in found.contrasts)
    assert all(flag in own.flags for one in found.sensitivity for own in one.groups)
    assert evaluated(study, *people[:4]).flags == ()


def test_code_that_ran_without_isolation_is_flagged() -> None:
    study = study_of()
    found = evaluated(study, played(study, 1, ("p",) * 4, isolation="unsafe"))
    assert "code was run without isolation" in found.groups[0].flags
    assert "unsafe" in found.isolation


def test_replies_that_may_unblind_are_counted() -> None:
    study = study_of()
    found = evaluated(study, played(study, 1, ("p",) * 4, names_maker=True))
    assert "4 replies named their maker" in found.groups[0].flags
    assert "2 replies named their maker" in group(found, condition="none").flags


def test_few_participants_are_flagged_below_fifteen() -> None:
    study = study_of()
    people = [played(study, n, ("p", "p", "fff", "qp")) for n in range(1, 16)]
    assert "fewer than 15 participants" in evaluated(study, *people[:14]).groups[0].flags
    assert evaluated(study, *people).groups[0].flags == ()


def test_donors_are_named_by_a_hash_and_when_they_were_fixed() -> None:
    study = study_of(conditions=("none", "shuffled"))
    people = [played(study, n, ("p",) * 4) for n in range(1, 3)]
    donors = (Donor("ab", "s", "mara-1"), Donor("cd", "t", "mara-1"))
    early = desk_events(DonorsFixed("another", ()), DonorsFixed(study.sha256, donors))
    found = evaluated(study, *people, desk=early)
    assert found.donors is not None
    assert (found.donors.sessions, len(found.donors.sha256)) == (2, 64)
    assert found.flags == ()
    late = desk_events(DonorsFixed(study.sha256, donors), at="2026-03-02T23:00:00.000Z")
    assert any("donors" in one for one in evaluated(study, *people, desk=late).flags)
    other = desk_events(DonorsFixed(study.sha256, donors[:1]))
    again = evaluated(study, *people, desk=other).donors
    assert again is not None
    assert again.sha256 != found.donors.sha256
    assert evaluated(study, *people).donors is None


def test_planned_n_and_early_looks() -> None:
    study = study_of(analysis={"planned_n": 3, "known_deviations": ["a person plays the user"]})
    look = Look(study.sha256, "evaluate", "curious", 1, 3)
    found = evaluated(study, *(played(study, n, ("p",) * 4) for n in (1, 2)), desk=desk_events(look))
    assert (found.completed, found.planned_n, found.reached) == (2, 3, False)
    assert [one.reason for one in found.looks] == ["curious"]
    assert found.deviations == ("a person plays the user",)
    assert evaluated(study, *(played(study, n, ("p",) * 4) for n in (1, 2, 3))).reached


def test_leakage_once_it_is_coded() -> None:
    """Openings are fixed, so a person's own first message is that of turn 2, and a session may have none."""
    study = study_of()
    people = [played(study, n, by_condition(none="qp", same_user="fff")) for n in range(1, 7)]
    people.append(played(study, 7, by_condition(none="p", same_user="p")))
    before = evaluated(study, *people)
    assert [one.to_json()["undefined_reason"] for one in before.leakage] == [NO_LEAKS, NO_LEAKS]
    (run,) = [one for one in before.sensitivity if one.name == WITHOUT_LEAKS]
    assert (run.groups, run.undefined_reason) == ((), NO_LEAKS)
    texts = [place for one in people for place in own_texts(one.events)]
    assert {turn for _, turn in texts} == {2, 3}
    outcomes = count(people_of(study, streams(*people), [])).outcomes
    condition = {one.session: one.condition for one in outcomes}
    fact, nothing = frozenset({"a"}), frozenset[str]()
    decided: dict[str, list[frozenset[str]]] = {
        text_id(study.settings.seed, *place): [fact if condition[place[0]] == "none" else nothing, fact]
        for place in texts
    }
    missing = next(session for session, turn in texts if condition[session] == "same-user")
    decided[text_id(study.settings.seed, missing, 2)] = [fact]
    coding = Coding("coding@1", "0", study.settings.seed, 2, 2, pair_agreement(nothing_coded(), []), decided)
    found = evaluated(study, *people, coding=coding)
    none, same_user = found.leakage
    # The seventh person said nothing of their own in two sessions of each condition.
    assert (none.sessions, none.leaked, none.rate.value) == (14, 12, 12 / 14)
    assert (same_user.sessions, same_user.leaked, same_user.rate.value) == (13, 0, 0.0)
    assert same_user.either.value == 11 / 13
    means = np.array([1] * 6 + [0])
    low, _ = stats.t.interval(0.95, 6, means.mean(), stats.sem(means))
    assert none.rate.ci is not None
    assert none.rate.ci.low == pytest.approx(low)
    assert found.disclosure is not None
    assert [(one.session, one.turn, one.reason) for one in found.disclosure.coding.not_coded] == [
        (missing, 2, UNDECIDED)
    ]
    values = json.loads(json.dumps(found.to_json()))
    assert values["leakage_flags"] == [AFTER_A_REPLY]
    assert (values["leakage"][0]["rate"], values["coding"]["study"]) == (12 / 14, "coding@1")
    (run,) = [one for one in found.sensitivity if one.name == WITHOUT_LEAKS]
    assert (run.groups[0].sessions, run.groups[0].es) == (16, 4 / 16)


def nothing_coded() -> Study:
    asked = [{"id": "q1", "text": "x"}]
    return clarification_study([clarification_task(asked=asked)], assistants=(), seat="matcher")


# -- time --------------------------------------------------------------------------------------


def test_whose_time_it_took() -> None:
    study = study_of()
    found = evaluated(study, *(played(study, n, ("qp", "qp", "bp", "p"), thinks=20) for n in range(1, 3)))
    times = found.groups[0].times
    # Two turns of 20 s, two of them, and twice one turn of 20 s; a broken reply takes the model's time.
    assert (times["participant_ms"].median, times["participant_ms"].q3) == (30_000, 40_000)
    assert (times["model_ms"].median, times["judge_ms"].median) == (4_000, 150)
    assert times["typing_ms"].median == 1_500


def test_idle_is_subtracted_only_in_figures_that_say_so() -> None:
    study = study_of()
    # Signs of life at 10 s and 100 s of 400 s: gaps of 10, 90 and 300 s.
    found = evaluated(
        study, *(played(study, n, ("p",) * 4, thinks=400, active=(10, 100)) for n in range(1, 3))
    )
    assert found.groups[0].times["participant_ms"].median == 400_000
    whole = {one.idle_seconds: one.times for one in found.idle if one.by == {}}
    assert {name: one["active_ms"].median for name, one in whole.items()} == {
        60: 10_000,
        120: 100_000,
        300: 400_000,
    }
    assert whole[120]["away_ms"].median == 300_000
    assert whole[120]["reading_ms"].median == 99_000
    assert [one.idle_seconds for one in found.idle if one.planned and one.by == {}] == [120]


def test_without_captured_activity_nothing_is_said_of_idle_time() -> None:
    study = study_of()
    found = evaluated(study, played(study, 1, ("p",) * 4))
    assert all(one.times["active_ms"].n == 0 and one.times["active_ms"].median is None for one in found.idle)


def test_a_night_between_two_visits_is_nobodys_time() -> None:
    study = study_of(held_out=2)
    one = Played(study, 1)
    one.history()
    first, second = one.planned("held_out")
    session = one.session(first, "q", "open")
    one.add(VisitEnded("paused"))
    one.move(36_000)
    one.add(VisitStarted("test"))
    one.move(5)
    one.add(SessionEnded(f"session:1:{first.item}", session, first.item, "gave_up", 1))
    one.session(second, "p")
    times = evaluated(study, one.end()).groups[0].times
    # 10 s, and 10 s with the 5 s of the next morning.
    assert times["participant_ms"].n == 2
    assert times["participant_ms"].median == (10_000 + 15_000) / 2


# -- the participant decides -------------------------------------------------------------------


def test_false_and_missed_accepts() -> None:
    study = study_of(feedback="participant_decides")
    one = Played(study, 1)
    one.history()
    a, b, c, d = one.planned("held_out")
    one.session(a, "p", "solved", declared=True)
    one.session(b, "f", "gave_up", declared=True)
    one.session(c, "pq", "gave_up")
    one.session(d, "pfp", "solved", declared=True)
    found = evaluated(study, one.end())
    accepts = found.accepts
    assert (accepts.declared, accepts.false_accepts) == (3, 1)
    assert (accepts.accepted, accepts.missed_accepts) == (3, 2)
    # Success counts from the first accepted submission; without a declaration there is none.
    assert found.groups[0].ttc == (1 + 3 + 3 + 1) / 4
    assert evaluated(study_of()).accepts.undefined_reason is not None


# -- the blank control -------------------------------------------------------------------------


def test_the_blank_control_tells_everything_and_shows_no_history() -> None:
    study = study_of()
    calls = blank_control(study)
    assert [one.task for one in calls] == [one.id for one in study.tasks]
    assert {one.assistant for one in calls} == {"helper"}
    for one in calls:
        task = study.task(one.task)
        system, user = one.call.messages
        assert task.interface in system.content
        assert task.brief in user.content
        assert all(fact.text in user.content for fact in task.facts)
        assert task.tests not in user.content
        assert [seen.sort for seen in one.saw] == ["prompt", "interface", "blank"]


def test_the_blank_control_is_reported_for_each_assistant() -> None:
    study = study_of(gate="")
    words = ("passed", "passed", "failed_assertion", "not_run", "passed")
    ran = [BlankOutcome("helper", task.id, word) for task, word in zip(study.tasks, words, strict=True)]
    helper, gate = evaluated(study, blank=ran).blank_control
    assert (helper.tasks, helper.solved, helper.es, helper.neutral) == (4, 3, 0.75, 1)
    assert helper.unsolved_tasks == (study.tasks[2].id,)
    assert (gate.es, gate.undefined_reason) == (None, "the blank control was not run for this assistant")
    assert blank_figures(study, ran)[0] == helper


# -- properties --------------------------------------------------------------------------------

ENDS: tuple[Went, ...] = (
    *("p", "qp", "qfp", "fff", "qqq"),
    *(("q", "gave_up"), ("f", "timed_out"), ("n", "technical"), ("q", "spend_cap")),
)
people_went = st.lists(st.tuples(*[st.sampled_from(ENDS)] * 4), min_size=1, max_size=9)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(people_went, st.randoms())
def test_figures_hang_together(went: list[tuple[Went, ...]], chance: Any) -> None:
    study = study_of(analysis=PLAN)
    people = [played(study, n, one) for n, one in enumerate(went, start=1)]
    found = evaluated(study, *people)
    for one in found.groups:
        assert sum(one.dispositions.values()) == one.started
        assert one.sessions == one.started - one.dispositions["technical"] - one.dispositions["spend_cap"]
        if one.es is not None:
            assert one.es == one.dispositions["solved"] / one.sessions
            assert one.ft_es is not None
            assert one.ttc is not None
            assert one.ft_es <= one.es <= 1
            assert 1 <= one.ttc <= 3
            assert one.ttc >= one.ft_es + 3 * (1 - one.es) + 2 * (one.es - one.ft_es) - 1e-9
            if one.es_ci is not None and one.es_ci.low is not None and one.es_ci.high is not None:
                assert one.es_ci.low <= one.es_ci.high
                assert one.es_ci.method in (BY_T, BY_SESSIONS)
    whole = found.groups[0]
    for by in ("condition", "assistant", "profile"):
        parts = [one for one in found.groups if set(one.by) == {by}]
        assert sum(one.started for one in parts) == whole.started
        assert sum(one.dispositions["solved"] for one in parts) == whole.dispositions["solved"]
    # Neither the order of people nor who is asked first changes a figure.
    chance.shuffle(people)
    assert evaluated(study, *people).to_json() == found.to_json()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(people_went)
def test_a_contrast_turned_round_is_its_negative(went: list[tuple[Went, ...]]) -> None:
    study = study_of(analysis=PLAN)
    other = study_of(analysis=PLAN | {"contrast": "none minus same-user"})
    people = [played(study, n, one) for n, one in enumerate(went, start=1)]
    for a, b in zip(evaluated(study, *people).contrasts, evaluated(other, *people).contrasts, strict=True):
        assert (a.a, a.b) == (b.b, b.a)
        assert a.test.p == b.test.p
        assert a.mcnemar.p == b.mcnemar.p
        assert a.difference == (None if b.difference is None else -b.difference)


# -- a real conversation -----------------------------------------------------------------------


async def whole(made: Talk) -> Event:
    """Play every session: send the opening, then answer."""
    while True:
        step = await walk(made.visit, lambda one: one.kind == "chat", usual)
        if isinstance(step, Done):
            return made.sitting.events[-1]
        assert step.chat is not None
        text = step.chat.opening if step.chat.turn == 1 else "the second"
        await made.visit.answer(step.ask_id("message"), text)
        await made.live.advance()


async def test_a_participation_that_was_really_played() -> None:
    study = study_of(held_out=2)
    made = await talk(study, PASS, ASK, PASS, FAIL, FAIL, FAIL, dialogues=NoDialogues())
    await whole(made)
    found = evaluate(study, {made.sitting.stream: made.sitting.events}, [])
    assert (found.completed, found.groups[0].started) == (1, 2)
    assert found.groups[0].dispositions["solved"] == found.groups[0].dispositions["limit"] == 1
    assert (found.groups[0].es, found.groups[0].ft_es, found.groups[0].ttc) == (0.5, 0.0, 2.5)
    assert found.groups[0].question_rate == 1 / 5
    assert found.models_served == {"helper": ["test-served"]}
    assert found.cost == 5 * 0.25
