"""What one interview comes to, and which interviews count."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from support.interviews import Interviewed, interview_study, streams

from studies.counting import ENDED
from studies.desk import SlotReleased
from studies.events import Chain, Event
from studies.specification.counting import Counted, count, people
from studies.specification.outcomes import Outcome
from studies.specification.payloads import RequirementsChecked, TruthLocked

STUDY = interview_study()


def counted(*persons: Interviewed, desk: Sequence[Event] = (), **how: object) -> Counted:
    return count(people(persons[0].study, streams(*persons), desk), **how)  # type: ignore[arg-type]


def only(person: Interviewed) -> Outcome:
    (found,) = counted(person.end()).outcomes
    return found


# -- Task 1 ------------------------------------------------------------------------------------


def test_no_preference_is_left_out_and_a_missing_prediction_is_wrong() -> None:
    one = only(Interviewed(STUDY).checklist("ABNC", "AD"))
    assert one.hits == {"q1": True, "q2": False, "q4": False}
    assert one.without_preference == 1


def test_what_was_asked_directly_is_told_apart() -> None:
    """q1 was asked, q3 is another's key, and the agent's own question names none."""
    one = only(Interviewed(STUDY).checklist("ABCD", "ABBB", asked=("q1", "", "q3"), budget=3))
    assert (one.hits, one.not_asked) == (
        {"q1": True, "q2": True, "q3": False, "q4": False},
        {"q2": True, "q4": False},
    )
    assert (one.queries, one.early, one.ended_by) == (3, False, "budget")


def test_the_retest_counts_no_preference_as_an_answer() -> None:
    one = only(
        Interviewed(STUDY).checklist("ABNN", "ABCD", retest={"q1": "A", "q3": "N", "q4": "B", "q9": "A"})
    )
    assert one.retest == {"q1": True, "q3": True, "q4": False}


@pytest.mark.parametrize(
    ("by", "asked", "early"),
    [
        ("agent", 2, True),
        ("settled", 2, True),
        ("participant", 2, False),
        ("budget", 5, False),
        ("agent", 5, False),
    ],
)
def test_only_an_agent_submits_early(by: str, asked: int, early: bool) -> None:
    one = only(Interviewed(STUDY).checklist("ABCD", "ABCD", asked=[""] * asked, by=by))
    assert (one.early, one.queries) == (early, asked)


def test_the_last_answer_to_a_reopened_screen_counts() -> None:
    person = Interviewed(STUDY)
    person.checklist("ABCD", "ABCD")
    person.add(TruthLocked("truth:1.1:club", 2, "club", 1, {"q1": "B"}, 1))
    assert only(person).hits["q1"] is False


# -- Task 2 ------------------------------------------------------------------------------------


def test_a_rated_sheet() -> None:
    person = Interviewed(STUDY)
    session = person.sheet("54321", "mpc")
    fate = {"core_features.want.2": "met"}
    person.add(RequirementsChecked("met:1.1:club", 2, session, "club", 1, fate))
    one = only(person)
    assert dict(one.scores) == {
        "coverage": 5, "precision": 4, "consistency": 3, "insight": 2, "readability": 1
    }  # fmt: skip
    assert sorted(one.fates.values()) == ["contradicted", "met", "met"]
    assert (one.hits, one.retest, one.edit) == ({}, {}, None)


def test_what_the_person_made_of_it() -> None:
    """The sheet has three statements; the refused change brings another in the place of one of them."""
    person = Interviewed(STUDY)
    answers = {
        "review-1": "refuse",
        "struck": ["core_features-3", "constraints-1", "core_features-2"],
        "constraints": "By July.",
        "core_features": "- Feature 1.",
        "user_experience": None,
    }
    person.sheet("33333", edit=answers)
    edit = only(person).edit
    assert edit is not None
    assert (edit.statements, edit.struck, edit.rewritten) == (3, 2, 1), "the same text again is no rewriting"
    assert (edit.changes, edit.accepted, edit.untouched) == (1, 0, False)
    kept = Interviewed(STUDY)
    kept.sheet("33333", edit={"review-1": "accept", "struck": []})
    again = only(kept).edit
    assert again is not None
    assert again.untouched


def test_a_comparison_names_whose_sheet_is_preferred() -> None:
    person = Interviewed(STUDY)
    first = person.sheet("33333", closed=False)
    second = person.sheet("33333", agent="plain", number=2)
    person.compare(second, first, "left")
    found = counted(person.end())
    assert [one.number for one in found.outcomes] == [1, 2]
    (compared,) = found.comparisons
    assert (compared.judge, compared.preferred) == ("", second)
    assert compared.agents == {first: "buddy", second: "plain"}


# -- what counts -------------------------------------------------------------------------------


def full(slot: int = 1, *, pilot: bool = False, end: str = "completed", own_ms: int = 60_000) -> Interviewed:
    return Interviewed(STUDY, slot, pilot=pilot).checklist("ABCD", "ABCD", own_ms=own_ms).end(end)


def test_pilots_withdrawn_released_and_unfinished_participations_are_out() -> None:
    freed = full(4)
    desk = [Chain("desk").make(SlotReleased(STUDY.sha256, freed.stream, "x", 4), "2026-03-02T09:00:00.000Z")]
    found = counted(
        full(), full(pilot=True), full(2, end="withdrawn"), full(3, end="paused"), freed, desk=desk
    )
    assert (len(found.people), len(found.outcomes)) == (1, 1)
    assert sorted(one.reason for one in found.not_counted) == ["dropped", "unfinished (paused)", "withdrawn"]


def test_a_spending_limit_and_finished_projects_are_sensitivity_runs() -> None:
    limited = Interviewed(STUDY, 2).checklist("ABCD", None).end("limit")
    going = full(3, end="paused")
    going.sheet(None, item="yard", closed=False)
    persons = people(STUDY, streams(full(), limited, going), ())
    assert len(count(persons).outcomes) == 1
    whole = count(persons, states=ENDED).outcomes
    assert [one.disposition for one in whole if not one.counts] == ["spend_cap"]
    added = count(persons, finished_projects=True)
    assert sorted(one.item for one in added.outcomes) == ["club", "club", "club"]
    assert not any(one.item == "yard" for one in added.outcomes)


def test_a_declared_speed_limit_is_over_projects() -> None:
    study = interview_study(analysis={"exclusions": {"median_ms_below": 1_000}})
    person = Interviewed(study)
    person.checklist("ABCD", "ABCD", own_ms=900)
    person.checklist("ABCD", "ABCD", item="yard", own_ms=1_000)
    persons = people(study, streams(person.end()), ())
    (out,) = count(persons).not_counted
    assert (out.declared, out.reason) == (True, "speed: median 950 ms of own time a project, below 1000")
    assert len(count(persons, exclusions=False).outcomes) == 2


def test_an_erased_participation_is_named_and_nothing_else() -> None:
    person = full()
    erased = {person.stream: [one.erased() for one in person.events]}
    (out,) = count(people(STUDY, erased, ())).not_counted
    assert (out.participant, out.reason, out.declared) == (None, "withdrawn", False)
