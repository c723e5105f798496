"""What a call was shown, built again from the events before it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.specifications import BASELINE, Crewed, one_step, project, question, wishes

from studies.replies import ReplyEnd
from studies.specification import payloads as said
from studies.specification.shown import calls
from studies.steps import Done
from studies.study import Study

MORE = "budgets = [3]\nprojects_each = 2"


def two_projects() -> Study:
    """Task 1 on one project and Task 2 on the other."""
    checklist = [question(number) for number in range(1, 9)]
    return wishes(project("club", checklist=checklist), project("hall"), agents=(BASELINE,), more=MORE)


async def visited() -> Crewed:
    made = Crewed(two_projects())
    made.assistant.failing = ["no JSON at all", "none", ReplyEnd("failed", "", error="Too busy.")]
    visit = await made.sit()
    assert visit.live is not None
    while not isinstance(step := visit.current, Done):
        if step.broken:
            await visit.live.retry(step)
        else:
            await one_step(visit, {})
    return made


async def test_every_call_is_shown_as_it_was_sent_whatever_came_later() -> None:
    made = await visited()
    shown = list(calls(two_projects(), made.sitting.events))
    first = [one.messages for one in made.assistant.calls if "error" not in one.messages[-1].content]
    assert {one.messages for one in shown} <= set(first)
    assert all(one.whole and not one.missing for one in shown)
    assert [(one.call.call, one.call.attempt, one.answer and one.answer.standing) for one in shown][:3] == [
        ("plan", 1, "invalid"),
        ("plan", 2, "failed"),
        ("plan", 3, "valid"),
    ]
    assert len(shown) == made.sitting.kinds().count("agent_called")


async def test_what_showed_erased_words_is_blank_and_no_longer_whole() -> None:
    made = await visited()
    events = [
        one.erased() if isinstance(one.payload, said.RoundAnswered) and one.payload.round == 1 else one
        for one in made.sitting.events
    ]
    shown = list(calls(two_projects(), events))
    blank = [one for one in shown if not one.whole]
    assert blank
    assert all(one.missing and one.messages == () for one in blank)
    assert {one.call.call for one in shown if one.whole} >= {"plan", "act:1"}
    assert "reflect:1" in {one.call.call for one in blank}


async def test_a_changed_prompt_is_noticed() -> None:
    made = await visited()
    study = two_projects()
    other = replace(study, files={**study.files, "prompts/baseline-plan.md": b"Something else."})
    found = {one.call.call: one.whole for one in calls(other, made.sitting.events)}
    assert (found["plan"], found["act:1"]) == (False, True)


def test_other_kinds_have_no_agents() -> None:
    from studies import bundles

    with pytest.raises(TypeError, match="no agents"):
        next(calls(bundles.study("annotation"), ()))
