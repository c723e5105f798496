"""Specification folders: what is read, and every problem of projects, agents, design and plan at once."""

from __future__ import annotations

import re
from typing import Any

import pytest
from support.folders import lines
from support.specification_folders import (
    AGENTS,
    ANALYSIS,
    PERSONAS,
    STUDY,
    checklist,
    folder,
    project,
    settings,
)

from studies.bundles import directory
from studies.errors import FolderError, Problem
from studies.folder import parse, read_files
from studies.folder_checks import accept, check
from studies.specification.plan import PlannedContrast, planned_contrasts, primary_outcome

HOSTED = '\n[[assistants]]\nname = "hosted"\nmodel = "openai/some-model"\n'


def checked(study: str | None = None, **made: Any) -> list[Problem]:
    return check(folder(study=None if study is None else STUDY + study, **made))


def only(found: list[Problem]) -> Problem:
    assert len(found) == 1, found
    return found[0]


def own(number: int, **more: Any) -> dict[str, Any]:
    """A project of somebody who answers as themselves."""
    return project(number, persona="", conversations=[], **more)


# -- reading -----------------------------------------------------------------------------------


def test_a_whole_study() -> None:
    files = folder() | {"prompts/buddy-draft.md": b"Write it."}
    assert check(files) == []
    study = accept(files)
    assert study.ids == ("p-1", "p-2")
    assert (study.project("p-2").title, study.persona("mara").name) == ("Project 2", "Mara")
    assert (study.items, study.tasks) == ((), ())
    assert parse(study.files).sha256 == study.sha256


def test_the_bundled_study_has_nothing_to_say() -> None:
    assert check(read_files(directory("specification"))) == []


def test_every_problem_of_every_file_at_once() -> None:
    files = folder(
        projects=[project(1), {"id": "x"}, project(3, proposal=""), project(1)],
        personas='[[personas]]\nid = "mara"\n',
    )
    files["prompts/buddy-draft.md"] = b"\xff"
    with pytest.raises(FolderError) as caught:
        parse(files)
    places = {(one.file, one.line) for one in caught.value.problems}
    assert {("projects.jsonl", 2), ("projects.jsonl", 3), ("projects.jsonl", 4)} <= places
    assert {("prompts/buddy-draft.md", 1), ("personas.toml", 0)} <= places


def test_the_kind_shows_in_the_files_where_the_settings_cannot_be_read() -> None:
    assert {one.file for one in check(folder(study="title = "))} == {"study.toml"}
    without = folder()
    del without["projects.jsonl"]
    assert "projects.jsonl" in {one.file for one in check(without)}


def test_a_prompt_that_no_stage_reads_is_named_with_what_was_meant() -> None:
    problem = only(check(folder() | {"prompts/buddy-drafts.md": b"x"}))
    assert (problem.file, problem.warning) == ("prompts/buddy-drafts.md", True)
    assert problem.expected == "did you mean prompts/buddy-draft.md?"


def test_questions_after_a_project_are_checked_like_all_questions() -> None:
    after = '[[specification.after]]\nid = "a"\ntext = "x"\nkind = "text"\nlow = 2\n'
    assert only(checked(settings() + after)).key == "specification.after.0.low"
    assert only(checked(settings() + "[roleplay]\nturns = 3\n")).key == "roleplay"


# -- whose preferences -------------------------------------------------------------------------


def test_participants_who_answer_as_themselves_bring_no_past_of_somebody_else() -> None:
    found = checked(settings(identity='"self"'), personas=None)
    assert {(one.line, one.key, one.warning) for one in found} == {
        (line, key, False) for line in (1, 2) for key in ("conversations", "persona")
    }
    projects = [own(1), own(2)]
    assert checked(settings(identity='"self"'), personas=None, projects=projects) == []
    left = only(checked(settings(identity='"self"'), projects=projects))
    assert (left.file, left.warning) == ("personas.toml", True)


def test_participants_who_answer_as_a_persona_need_a_sheet_for_each_project() -> None:
    missing = only(checked(personas=None))
    assert (missing.file, missing.warning) == ("personas.toml", False)
    projects = [project(1, persona=""), project(2, persona="marra"), project(3)]
    found = checked(projects=projects)
    assert [(one.line, one.key) for one in found] == [(1, "persona"), (2, "persona")]
    assert found[1].expected == "did you mean 'mara'?"


def test_a_persona_whom_nobody_answers_as_is_a_warning() -> None:
    more = PERSONAS + PERSONAS.replace('"mara"', '"ben"')
    problem = only(checked(personas=more))
    assert (problem.file, problem.warning, problem.found) == ("personas.toml", True, "nobody answers as ben")


# -- what the task needs -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("task", "with_checklist", "lines_found"),
    [
        ("checklist", (True, False), [2]),
        ("mixed", (True, False), []),
        ("mixed", (False, False), [0]),
        ("sheet", (False, False), []),
    ],
)
def test_checklists_are_there_where_they_are_predicted(
    task: str, with_checklist: tuple[bool, ...], lines_found: list[int]
) -> None:
    projects = [
        project(number, checklist=checklist() if there else [])
        for number, there in enumerate(with_checklist, start=1)
    ]
    found = checked(settings(task=f'"{task}"'), projects=projects, analysis='primary_outcome = "queries"\n')
    assert [one.line for one in found if one.key == "checklist" and not one.warning] == lines_found
    assert len(found) == len(lines_found)


def test_no_option_says_what_is_offered_in_any_case() -> None:
    questions = [{"id": "q", "question": "?", "options": ["this", "No preference either way"]}, *checklist()]
    problem = only(checked(projects=[project(1, checklist=questions)]))
    assert (problem.line, problem.key, problem.warning) == (1, "checklist.0.options", True)


def test_a_rehearsal_needs_a_script() -> None:
    problem = only(checked(projects=[project(1), project(2, script={})]))
    assert (problem.line, problem.key) == (2, "script")
    assert problem.found.startswith("p-2 has none, and the agent buddy, plain")


# -- who works ---------------------------------------------------------------------------------


def test_agents_are_there_are_told_apart_and_have_assistants() -> None:
    assert only(
        checked('[specification]\nidentity = "persona"\n', analysis='primary_outcome = "queries"\n')
    ).found
    twice = AGENTS.replace('"plain"', '"buddy"').replace('assistant = "helper"', 'assistant = "helpr"', 1)
    found = checked(
        '[specification]\nidentity = "persona"\n' + twice, analysis='primary_outcome = "queries"\n'
    )
    assert [(one.key, one.expected) for one in found] == [
        ("specification.agents", "a name of its own for each"),
        ("specification.agents.0.assistant", "did you mean 'helper'?"),
    ]


def test_a_second_agent_needs_two() -> None:
    one = "[[specification.agents]]".join(AGENTS.split("[[specification.agents]]")[:2])
    text = '[specification]\nidentity = "persona"\nsecond_agent = true\n' + one
    assert only(checked(text, analysis='primary_outcome = "queries"\n')).key == "specification.second_agent"


@pytest.mark.parametrize(
    ("study", "key", "warned"),
    [
        (settings(judges='["judge"]'), "specification.judges.0", False),
        (settings(judges='["helper"]'), "specification.judges.0", True),
        (settings(judges='["hosted", "hosted"]') + HOSTED, "specification.judges", False),
        (settings(judges='["hosted"]', task='"checklist"') + HOSTED, "specification.judges", True),
        (settings() + HOSTED, "assistants", True),
        (settings(judges='["hosted"]') + HOSTED + 'prompt = "x.md"\n', "assistants.1.prompt", False),
    ],
)
def test_judges_and_further_assistants(study: str, key: str, warned: bool) -> None:
    found = [one for one in checked(study) if one.key != "consent"]
    assert (key, warned) in {(one.key, one.warning) for one in found}


def test_participants_are_asked_before_their_words_go_to_a_provider() -> None:
    study = settings(judges='["hosted"]') + HOSTED
    problem = only(checked(study))
    assert (problem.key, problem.warning) == ("consent", True)
    assert "hosted may send what participants write to others" in problem.found
    asked = '\n[[consent]]\nid = "p"\ntext = "It goes to P, in Q."\ncovers = "processors"\n'
    assert checked(study + asked) == []
    # Judges pass over who refuses; an agent cannot, since without it there is no interview.
    assert checked(study + asked + "required = false\n") == []
    study = (settings() + HOSTED).replace('assistant = "helper"', 'assistant = "hosted"', 1)
    problem = only(checked(study + asked + "required = false\n"))
    assert problem.key.endswith(".required")
    assert "reaches hosted" in problem.found


# -- settings ----------------------------------------------------------------------------------

TEN = settings(budgets="[10]", checkpoints="[0, 5, 10]", task='"checklist"')
DECLARED = ANALYSIS + 'known_deviations = ["Predictions at checkpoints come from one interview."]\n'


def test_checkpoints_are_a_deviation_that_the_plan_declares() -> None:
    problem = only(checked(TEN))
    assert (problem.key, problem.warning) == ("specification.checkpoints", False)
    assert "known_deviations of analysis.toml" in problem.expected
    assert checked(TEN, analysis=DECLARED) == []


@pytest.mark.parametrize(
    ("change", "found", "warned"),
    [
        ({"budgets": "[5]"}, "10, and no interview has more than 5 rounds", False),
        ({"budgets": "[5, 10]"}, "10, which interviews of 5 rounds do not reach", True),
        ({"task": '"sheet"'}, "silent predictions, and no checklist is predicted", False),
        ({"checkpoints": "[5, 5]"}, "5 twice", False),
    ],
)
def test_checkpoints_lie_within_an_interview_about_a_checklist(
    change: dict[str, str], found: str, warned: bool
) -> None:
    text = settings(**({"budgets": "[10]", "checkpoints": "[0, 5, 10]", "task": '"checklist"'} | change))
    plan = DECLARED.replace('"accuracy"', '"queries"')
    assert [(one.found, one.warning) for one in checked(text, analysis=plan)] == [(found, warned)]


@pytest.mark.parametrize(
    ("values", "key", "warned"),
    [
        ({"projects_each": "3"}, "specification.projects_each", False),
        ({"budgets": "[5, 5]"}, "specification.budgets", False),
        ({"retest": "0.04"}, "specification.retest", False),
        ({"retest": "0.3"}, "specification.retest", True),
        ({"retest": "0"}, "specification.retest", True),
    ],
)
def test_numbers_that_do_not_fit(values: dict[str, str], key: str, warned: bool) -> None:
    problem = only(checked(settings(**values)))
    assert (problem.key, problem.warning) == (key, warned)


def test_settings_without_a_use_are_warnings() -> None:
    text = settings(identity='"self"', understanding_tries="2", dropout="0.2").replace(
        '"buddy"\na', '"baseline"\na'
    )
    found = checked(text, projects=[own(1), own(2)], personas=None)
    assert [(one.key, one.warning) for one in found] == [
        ("specification.dropout", True),
        ("specification.understanding_tries", True),
    ]


@pytest.mark.parametrize(("planned", "near"), [(8, None), (16, None), (6, "8"), (10, "8 or 16")])
def test_the_nearest_numbers_of_participants_that_balance_agents_over_projects(
    planned: int, near: str | None
) -> None:
    found = checked(analysis=ANALYSIS + f"planned_n = {planned}\n")
    assert [(one.key, one.expected) for one in found] == ([("planned_n", near)] if near else [])
    design = f'[design]\nkind = "crossed"\nparticipants = {planned}\n'
    assert [one.expected for one in checked(settings() + design)] == ([near] if near else [])


def test_designs_of_other_kinds_are_refused() -> None:
    text = settings() + '[design]\nkind = "cyclic"\nparticipants = 8\nitems_each = 1\nraters = 4\n'
    keys = {(one.key, one.warning) for one in checked(text)}
    assert {("design.kind", False), ("design.raters", True)} <= keys


# -- the plan ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("analysis", "key", "warned"),
    [
        ("", "primary_outcome", True),
        ('primary_outcome = "fleiss_kappa"\n', "primary_outcome", False),
        ('primary_outcome = "insight"\n', None, False),
        ('primary_outcome = "Accuracy not asked"\n', None, False),
        ('primary_outcome = "queries"\ncontrast = "buddy minus nobody"\n', "contrast", False),
        ('primary_outcome = "queries"\ncontrast = "10 minus 5; buddy minus plain"\n', None, False),
        ('primary_outcome = "queries"\n[exclusions]\nchecks_failed = 1\n', "exclusions.checks_failed", False),
    ],
)
def test_what_a_plan_may_name(analysis: str, key: str | None, warned: bool) -> None:
    found = checked(settings(budgets="[5, 10]"), analysis=analysis)
    assert [(one.key, one.warning) for one in found] == ([(key, warned)] if key else [])


@pytest.mark.parametrize(("task", "outcome"), [("sheet", "accuracy"), ("checklist", "coverage")])
def test_an_outcome_that_the_task_does_not_give(task: str, outcome: str) -> None:
    problem = only(checked(settings(task=f'"{task}"'), analysis=f'primary_outcome = "{outcome}"\n'))
    assert re.search(outcome, problem.found)


def test_contrasts_are_read_from_words() -> None:
    text = 'primary_outcome = "accuracy"\ncontrast = "buddy minus plain; ten less than 10 minus 5; odd"\n'
    files = folder(study=STUDY + settings(budgets="[5, 10]"), analysis=text)
    study = parse(files)
    assert planned_contrasts(study.settings, study.analysis) == (
        (PlannedContrast("agent", "buddy", "plain"), PlannedContrast("budget", "10", "5")),
        ("odd",),
    )
    assert primary_outcome(study.analysis) == "accuracy"


def test_rules_that_count_pass_over_files_with_problems() -> None:
    broken = lines([project(1)]) + b"{"
    assert {one.file for one in check(folder() | {"projects.jsonl": broken})} == {"projects.jsonl"}
