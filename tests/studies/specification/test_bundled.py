"""The bundled specification study: scripts that pass for a model's answers, a balanced design, kind pages."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from studies.bundles import directory
from studies.bundles import study as bundled
from studies.replies import ChatMessage
from studies.specification.agents.agent import Conversation
from studies.specification.agents.rules import chart_problems, draft_problems, profile_problems
from studies.specification.agents.shapes import Chart, Draft, Profile, Summary
from studies.specification.design import lay_out_projects
from studies.specification.forms import persona_text
from studies.specification.materials import Project
from studies.specification.sections import SECTIONS

STUDY = bundled("specification")
PROJECTS = STUDY.projects
PAGE_LINES, PAGE_WIDTH = 16, 74
by_project = pytest.mark.parametrize("project", PROJECTS, ids=lambda one: one.id)


def page(name: str) -> str:
    return (directory("specification") / name).read_text(encoding="utf-8")


def script(project: Project) -> dict[str, Any]:
    return dict(project.script)


def heard(project: Project) -> list[Conversation]:
    return [
        Conversation(one.id, tuple(ChatMessage(each.role, each.text) for each in one.dialogue))
        for one in project.conversations
    ]


# -- materials ---------------------------------------------------------------------------------


def test_three_projects_two_with_a_checklist() -> None:
    assert [len(one.checklist) for one in PROJECTS] == [28, 28, 0]
    assert STUDY.settings.specification.identity == "persona"
    assert {one.persona for one in PROJECTS} == {one.id for one in STUDY.personas}
    assert {one.design for one in STUDY.settings.specification.agents} == {"buddy", "baseline"}
    assert {one.model for one in STUDY.settings.assistants} == {"rehearsal"}


@pytest.mark.parametrize("project", PROJECTS[:2], ids=lambda one: one.id)
def test_checklists_have_mixed_options_and_reach_every_section(project: Project) -> None:
    assert len(project.checklist) >= 24
    assert {3, 4, 5, 6} <= {len(one.options) for one in project.checklist} <= {2, 3, 4, 5, 6}
    assert [one.section for one in project.checklist] == sorted(
        (one.section for one in project.checklist), key=lambda one: SECTIONS.index(one or SECTIONS[0])
    )
    assert {one.section for one in project.checklist} == set(SECTIONS)
    assert len({one.question for one in project.checklist}) == len(project.checklist)


@by_project
def test_past_conversations_are_about_something_else(project: Project) -> None:
    assert len(project.conversations) == 2
    for one in project.conversations:
        assert 8 <= len(one.dialogue) <= 16
        assert [each.role for each in one.dialogue] == ["user", "assistant"] * (len(one.dialogue) // 2)
    ids = [one.id for each in PROJECTS for one in each.conversations]
    assert len(set(ids)) == len(ids)


# -- scripts -----------------------------------------------------------------------------------


@by_project
def test_the_script_passes_for_what_a_model_answers(project: Project) -> None:
    told = script(project)
    profile = Profile.model_validate(told["profile"])
    assert list(profile_problems(profile, heard(project))) == []
    assert 6 <= len(profile.attributes) <= 10
    assert sum(each.kind == "quote" for one in profile.attributes for each in one.evidence) >= 6
    assert Summary.model_validate(told["summary"])
    draft = Draft.model_validate(told["draft"])
    assert list(draft_problems(draft)) == []
    assert 6 <= len(draft.assumptions) <= 15
    assert 4 <= len(draft.open_questions) <= 10
    chart = Chart.model_validate(told["chart"])
    # Participants word the proposal themselves, so nothing may rest on how the study words it.
    for proposal in (project.proposal, "I want it."):
        assert list(chart_problems(chart, proposal, draft)) == []
    assert isinstance(told["plan"]["plan"], str)
    assert 4 <= len(told["own_questions"]) <= 6
    for one in told["own_questions"]:
        assert len(set(one["options"])) == 4
        assert one["question"].count("?") == 1


def sized(project: Project) -> tuple[dict[str, int], dict[str, int]]:
    """How many alternatives each dimension has, and how many options each checklist question."""
    dimensions = Chart.model_validate(script(project)["chart"]).dimensions
    return (
        {one.key: len(one.alternatives) for one in dimensions},
        {one.id: len(one.options) for one in project.checklist},
    )


@by_project
def test_simulated_users_settle_about_half(project: Project) -> None:
    votes = script(project)["votes"]
    unsure = set(votes.pop("unsure"))
    assert set(votes) == {key for group in sized(project) for key in group}
    assert unsure <= set(votes)
    for group in filter(None, sized(project)):
        assert all(len(votes[key]) == 3 and max(votes[key]) < count for key, count in group.items())
        settled = [key for key in group if len(set(votes[key])) == 1 and key not in unsure]
        assert 0.3 <= len(settled) / len(group) <= 0.6
        assert any(len(set(votes[key])) == 3 for key in group), "some have everybody disagree"


# -- the design --------------------------------------------------------------------------------


def test_each_project_meets_each_agent_as_each_task_equally_often() -> None:
    planned = STUDY.analysis.planned_n
    assert planned
    met: Counter[tuple[str, str, str]] = Counter()
    for slot in range(1, planned + 1):
        laid = lay_out_projects(STUDY, slot)
        assert len(laid) == len(PROJECTS)
        met.update((one.item, one.assistant, one.task) for one in laid)
    for project in PROJECTS:
        counts = [count for (item, _, _), count in met.items() if item == project.id]
        assert len(counts) == (4 if project.checklist else 2)
        assert len(set(counts)) == 1


# -- pages -------------------------------------------------------------------------------------


def pages() -> Iterator[tuple[str, str]]:
    for name in ("consent.md", "instructions.md", "debrief.md"):
        for text in page(name).split("\n---\n"):
            yield name, text


def test_pages_fit_a_small_terminal() -> None:
    for name, text in pages():
        assert max(map(len, text.splitlines())) <= PAGE_WIDTH, name
        if name == "instructions.md":
            assert len(text.strip().splitlines()) <= PAGE_LINES, text


def test_participants_learn_at_the_end_what_was_hidden_and_not_before() -> None:
    hidden = (
        r"never saw what you had answered",
        r"more than one assistant",
        r"more\s+questions or fewer",
        r"script",
    )
    for words in hidden:
        assert re.search(words, page("debrief.md")), words
    before = page("consent.md") + page("instructions.md")
    assert not re.search(r"\bscript|simulat|more than one assistant|compare|budget|Buddy|baseline", before)


def test_nothing_that_participants_read_names_an_agent_or_its_design() -> None:
    read = [text for _, text in pages()]
    read += [persona_text(one) for one in STUDY.personas]
    read += [one.text for one in (*STUDY.settings.questionnaire, *STUDY.settings.specification.after)]
    read += [json.dumps(one.model_dump(exclude={"script"})) for one in PROJECTS]
    assert not [text for text in read if re.search(r"\b[Bb]uddy\b|\bbaseline\b|[Rr]ehears", text)]


def test_each_persona_is_checked_on_what_the_sheet_says() -> None:
    for one in STUDY.personas:
        assert len(one.check) >= 3
        for question in one.check:
            assert len(set(question.options)) >= 3
        assert len({question.options.index(question.answer) for question in one.check}) > 1
