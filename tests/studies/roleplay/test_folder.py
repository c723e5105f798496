"""Role-play folders: what is read, and every problem of tasks, assistants, conditions and balance at once."""

from __future__ import annotations

from typing import Any

import pytest
from support.folders import lines
from support.roleplay_folders import ANALYSIS, SETTINGS, STUDY, cell, folder, row, session

from studies.bundles import directory
from studies.errors import FolderError, Problem
from studies.folder import parse, read_files
from studies.folder_checks import accept, check
from studies.folder_parts import own_codebook
from studies.roleplay.folder import references, unauthored
from studies.roleplay.materials import Fact
from studies.roleplay.task_rules import gives_away
from studies.verdicts import FunctionCheck, PairsCheck


def checked(settings: str = SETTINGS, **made: Any) -> list[Problem]:
    return check(folder(study=STUDY + settings, **made))


def only(found: list[Problem]) -> Problem:
    assert len(found) == 1, found
    return found[0]


def roleplay(**values: object) -> str:
    known = {"history": "1", "held_out": "2"} | {key: str(value) for key, value in values.items()}
    return "[roleplay]\n" + "".join(f"{key} = {value}\n" for key, value in known.items())


# -- reading -----------------------------------------------------------------------------------


def test_a_whole_study() -> None:
    files = folder(shipped=[session()], prompts__gate_md="Decide.")
    assert check(files) == []
    study = accept(files)
    assert [one.part for one in study.tasks] == ["history", "reserve", "held_out", "held_out"]
    assert (study.task("mara-1").brief, study.profile("ben").name) == ("Want 1.", "Ben")
    assert study.shipped[0].dialogue[0].text == "Do it."
    assert study.ids == tuple(one.id for one in study.tasks)
    assert (study.items, study.training) == ((), ())
    assert study.files["codebook.toml"] == own_codebook()
    assert parse(study.files).sha256 == study.sha256


def test_the_bundled_study_has_nothing_to_say() -> None:
    assert check(read_files(directory("roleplay"))) == []


def test_what_must_be_there() -> None:
    files = folder()
    for name in ("tasks.jsonl", "profiles.toml", "debrief.md"):
        del files[name]
    with pytest.raises(FolderError) as caught:
        parse(files)
    assert sorted(one.file for one in caught.value.problems) == ["debrief.md", "profiles.toml", "tasks.jsonl"]


def test_every_problem_of_every_file_at_once() -> None:
    files = folder(
        tasks=[row(1), {"id": "x"}, row(3, tests="", pairs=[])],
        shipped=[session(dialogue=[])],
        prompts__a_md=b"\xff",
    )
    with pytest.raises(FolderError) as caught:
        parse(files)
    places = {(one.file, one.line) for one in caught.value.problems}
    assert {("tasks.jsonl", 2), ("tasks.jsonl", 3), ("histories.jsonl", 1), ("prompts/a.md", 1)} <= places


def test_the_kind_decides_which_files_are_read() -> None:
    found = check(folder(items_jsonl="{}"))
    assert [(one.file, one.warning) for one in found] == [("items.jsonl", True)]
    broken = folder(study="title = ")
    assert {one.file for one in check(broken)} == {"study.toml"}


def test_tables_of_another_kind_are_a_warning() -> None:
    problem = only(checked(SETTINGS + "[annotation]\nescapes = false\n"))
    assert (problem.key, problem.warning) == ("annotation", True)


def test_references_are_given_with_their_tests_and_never_run() -> None:
    tasks = cell()
    tasks[1] |= {"tests": "", "pairs": [{"arguments": "('x',)", "result": "'right'"}]}
    tasks[0]["reference"] = "raise SystemExit\ndef f(x): ..."
    found = references(accept(folder(tasks=tasks)))
    assert [one[0] for one in found] == ["mara-1", "mara-2", "mara-3", "mara-4"]
    assert isinstance(found[0][2], FunctionCheck)
    assert found[1][2] == PairsCheck("f", (("('x',)", "'right'"),), "", 5.0)


# -- tasks -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "key", "found"),
    [
        ({"profile": "marra"}, "profile", "'marra', which is no profile"),
        ({"reference": "def g(x):\n    return 1\n"}, "reference", "mara-3: the reference does not define f"),
        ({"reference": "def f(x)\n    return 1\n"}, "reference", "mara-3: line 1: expected ':'"),
        ({"reference": "def f(x):\n    return '\x00'\n"}, "reference", "mara-3: "),
        ({"tests": "def test(candidate): ..."}, "tests", "mara-3: no function check"),
        ({"tests": "def check(candidate:"}, "tests", "mara-3: line 1"),
        ({"prompt": "import ("}, "prompt", "mara-3: line 1"),
        ({"interface": "def g(x)"}, "interface", "'def g(x)' does not name f"),
        ({"tests": "", "pairs": [{"arguments": "1, 2", "result": "f()"}]}, "pairs.0.result", "'f()'"),
        ({"tests": "", "pairs": [{"arguments": "(1)", "result": "None"}]}, "pairs.0.arguments", "'(1)'"),
        ({"script": []}, "script", "mara-3 has none"),
        (
            {"facts": [{"id": "a", "text": "x", "status": "withheld", "how": one} for one in ("DCP", "HCO")]},
            "facts",
            "mara-3: a twice",
        ),
    ],
)
def test_a_task_that_cannot_work(change: dict[str, Any], key: str, found: str) -> None:
    tasks = cell()
    tasks[2] |= change
    problem = only([one for one in checked(tasks=tasks) if one.line and not one.warning])
    assert (problem.file, problem.line, problem.key) == ("tasks.jsonl", 3, key)
    assert problem.found.startswith(found)


def test_names_that_references_may_define_their_function_by() -> None:
    for reference in ("f = lambda x: 'right'", "from m import g as f", "f: object = len", "class f: ..."):
        tasks = cell()
        tasks[0]["reference"] = reference
        assert checked(tasks=tasks) == []


def test_a_prompt_may_end_in_the_line_of_the_function() -> None:
    tasks = cell()
    tasks[0]["prompt"] = "import math\n\ndef f(x: str) -> str:\n"
    assert checked(tasks=tasks) == []


@pytest.mark.parametrize("lacks", ["opening", "resolution", "brief", "speaks", "facts"])
def test_an_unauthored_task_is_listed_with_what_it_lacks(lacks: str) -> None:
    tasks = cell()
    tasks[3][lacks] = [] if lacks == "facts" else ""
    files = folder(tasks=tasks)
    found = [one for one in check(files) if "unauthored" in one.found]
    assert [(one.line, one.warning) for one in found] == [(4, True)]
    assert ("a withheld fact" if lacks == "facts" else lacks) in found[0].found
    assert unauthored(accept(files)) == ("mara-4",)


def test_derived_facts_are_not_authored_ones() -> None:
    tasks = cell()
    tasks[0]["derived"] = True
    assert "derived" in only(checked(tasks=tasks)).found


@pytest.mark.parametrize(
    ("opening", "fact", "how", "given"),
    [
        ("Sort it. The result is LOWER case, please.", "The result is lower case.", "HCO", True),
        ("Readings with their decimal commas", "Readings have a decimal comma, such as 0,45.", "HCO", False),
        (
            "Take readings with decimal comma such as 0,45",
            "Readings have a decimal comma, such as 0,45.",
            "HCO",
            True,
        ),
        ("Sort the names.", "Names are sorted without regard to case.", "HCO", False),
        ("Gold, or on loan, and before 1700.", "Before 1700 holds for both gold and on loan.", "SLM", False),
        ("Short.", "No.", "HCO", False),
    ],
)
def test_an_opening_that_holds_a_withheld_fact(opening: str, fact: str, how: str, given: bool) -> None:
    hidden = Fact.model_validate({"id": "a", "text": fact, "status": "withheld", "how": how})
    assert gives_away(opening, hidden) is given


def test_an_opening_that_gives_away_is_a_warning() -> None:
    tasks = cell()
    tasks[1]["opening"] = "Lines end with a semicolon. Read them."
    problem = only(checked(tasks=tasks))
    assert (problem.line, problem.key, problem.warning) == (2, "opening", True)
    assert "the withheld fact b" in problem.found


def test_facts_are_hidden_by_the_mechanisms_of_the_pair() -> None:
    tasks = cell()
    tasks[2]["facts"][0]["how"] = "SBM"
    found = checked(tasks=tasks)
    assert [(one.key, one.warning) for one in found] == [("facts", True), ("facts", True)]
    assert "hidden by SBM" in found[0].found + found[1].found
    assert "no fact is hidden by DCP" in found[0].found + found[1].found


@pytest.mark.parametrize("speaks", ["She is DCP.", "Typical habitual context omission."])
def test_participants_do_not_learn_the_mechanism(speaks: str) -> None:
    tasks = cell()
    tasks[0]["speaks"] = speaks
    problem = only(checked(tasks=tasks))
    assert (problem.key, problem.warning) == ("speaks", True)


# -- assistants --------------------------------------------------------------------------------

SECOND = '[[assistants]]\nname = "second"\nmodel = "local"\n'


def test_assistants_have_names_of_their_own() -> None:
    found = check(folder(study=STUDY + SECOND.replace("second", "helper") + SETTINGS))
    assert only(found).found == "helper more than once"


def test_somebody_has_to_answer() -> None:
    study = STUDY.split("[[assistants]]")[0]
    assert only(check(folder(study=study + SETTINGS))).found == "no assistant"
    gate = roleplay(conditions='["none", "gated"]', gate='"helper"')
    assert "the gate alone" in only(checked(gate, analysis='primary_outcome = "es"')).found


@pytest.mark.parametrize(
    ("gate", "expected"),
    [('""', "one of"), ('"secnod"', "did you mean 'second'?")],
)
def test_gated_needs_a_gate(gate: str, expected: str) -> None:
    settings = roleplay(conditions='["none", "gated"]', gate=gate)
    problem = only(check(folder(study=STUDY + SECOND + settings, analysis='primary_outcome = "es"')))
    assert (problem.key, problem.warning) == ("roleplay.gate", False)
    assert expected in problem.expected


def test_a_gate_that_decides_nothing() -> None:
    found = check(folder(study=STUDY + SECOND + roleplay(gate='"second"')))
    assert (only(found).key, only(found).warning) == ("roleplay.gate", True)


def test_prompts_are_files() -> None:
    study = STUDY + 'prompt = "asistant.md"\n' + SETTINGS
    problem = only(check(folder(study=study, prompts__assistant_md="Answer.")))
    assert (problem.key, problem.expected) == ("assistants.0.prompt", "did you mean 'assistant.md'?")
    assert check(folder(study=study, prompts__asistant_md="Answer.")) == []


def test_who_writes_to_a_provider_is_asked() -> None:
    study = STUDY.replace("rehearsal", "openai/some-model")
    problem = only(check(folder(study=study + SETTINGS)))
    assert (problem.key, problem.warning) == ("consent", True)
    item = '[[consent]]\nid = "sent"\ntext = "To X, in Y."\ncovers = "processors"\n'
    assert check(folder(study=study + item + SETTINGS)) == []
    problem = only(check(folder(study=study + item + "required = false\n" + SETTINGS)))
    assert (problem.key.rpartition(".")[2], problem.warning) == ("required", False)


# -- conditions and cells ----------------------------------------------------------------------


def test_held_out_sessions_are_a_multiple_of_the_conditions() -> None:
    settings = roleplay(held_out=3)
    problem = only([one for one in checked(settings, tasks=cell(held_out=3)) if not one.warning])
    assert problem.key == "roleplay.held_out"
    assert problem.expected == "a multiple of 2: 2 or 4"


def test_each_condition_once() -> None:
    settings = roleplay(conditions='["none", "none"]')
    assert "none twice" in only(checked(settings, analysis='primary_outcome = "es"')).found


@pytest.mark.parametrize(
    ("settings", "tasks", "found"),
    [
        (roleplay(held_out=4), None, "mara with DCP and HCO has 2 held-out tasks for 4 sessions"),
        (
            roleplay(history=3),
            None,
            "mara with DCP and HCO has 2 history and reserve tasks for a history of 3",
        ),
        (roleplay(history_tasks=0), None, "at most 0 history sessions are tried"),
        (roleplay(cells=2), None, "2 cells a person, and tasks.jsonl has 1"),
    ],
)
def test_enough_tasks(settings: str, tasks: Any, found: str) -> None:
    problem = only([one for one in checked(settings, tasks=tasks) if not one.warning])
    assert problem.found.startswith(found)


def test_without_reserve_one_unsolved_session_costs_everything() -> None:
    tasks = [one for one in cell() if one["part"] != "reserve"]
    problem = only(checked(tasks=tasks))
    assert problem.warning
    assert "no task in reserve" in problem.found
    assert checked(roleplay(history=0), tasks=tasks) == []


def test_a_cell_holds_a_source_task_once() -> None:
    tasks = cell()
    tasks[3]["source_task"] = tasks[0]["source_task"]
    problem = only(checked(tasks=tasks))
    assert (problem.key, problem.warning) == ("source_task", False)
    assert "mara-4 and mara-1" in problem.found


def test_no_source_task_comes_back_in_another_cell_of_the_same_person() -> None:
    tasks = [*cell(), *cell("ben")]
    tasks[7]["source_task"] = tasks[0]["source_task"]
    assert checked(tasks=tasks) == []
    assert "ben-4 and mara-1" in only(checked(roleplay(cells=2), tasks=tasks)).found


def design(participants: int) -> str:
    return f'[design]\nkind = "crossed"\nparticipants = {participants}\n'


@pytest.mark.parametrize(
    ("participants", "held_out", "expected"),
    [(2, 2, None), (4, 2, None), (3, 2, "2 or 4"), (1, 2, "2"), (2, 4, None), (3, 4, "4"), (4, 4, None)],
)
def test_each_held_out_task_is_played_equally_often_in_each_condition(
    participants: int, held_out: int, expected: str | None
) -> None:
    """With four held-out tasks of which each person plays two, four participants make a whole rotation."""
    found = checked(SETTINGS + design(participants), tasks=cell(held_out=held_out))
    if expected is None:
        assert found == []
    else:
        problem = only(found)
        assert (problem.key, problem.warning, problem.expected) == ("planned_n", True, expected)


def test_more_cells_than_planned_participants_play() -> None:
    found = checked(SETTINGS + design(1), tasks=[*cell(), *cell("ben")])
    assert "play 1 of 2 cells" in only(found).found
    assert only(found).expected == "4, or fewer cells"


def test_slots_are_made_as_people_come_or_crossed() -> None:
    for settings, key in (
        ('[design]\nkind = "cyclic"\nparticipants = 2\nitems_each = 2\nraters = 1\n', "design.kind"),
        ("[design]\nparticipants = 2\n", "design.participants"),
    ):
        assert key in {one.key for one in checked(SETTINGS + settings) if not one.warning}
    assert only(checked(SETTINGS + design(2) + "block = 3\n")).key == "design.block"


def six(pairs: list[tuple[str, str]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for place, (first, second) in enumerate(pairs):
        facts = [
            {"id": one.lower(), "text": f"Secret of {one}.", "status": "withheld", "how": one}
            for one in (first, second)
        ]
        made += cell(first=4 * place + 1, mechanisms=[first, second], facts=facts)
    return made


def test_a_profile_meets_each_mechanism_twice_over_its_six_cells() -> None:
    ring = ["DCP", "SLM", "CCM", "HCO", "SBM", "ICU"]
    good = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    assert checked(tasks=six(good)) == []
    problem = only(checked(tasks=six([*good[:5], ("DCP", "CCM")])))
    assert (problem.key, problem.warning, problem.expected) == ("mechanisms", True, "each exactly twice")
    assert "CCM 3" in problem.found
    assert "ICU 1" in problem.found
    assert only(checked(tasks=six(good[:2]))).expected == "six cells, each mechanism twice"
    assert checked(tasks=six([good[0], good[2], good[4]])) == []


def test_one_pattern_a_cell_and_a_difficulty_for_all_or_none() -> None:
    tasks = cell()
    tasks[1]["resolution"] = "another"
    assert only(checked(tasks=tasks)).key == "resolution"
    tasks = cell()
    tasks[1]["difficulty"] = "simple"
    assert only(checked(tasks=tasks)).key == "difficulty"
    assert checked(tasks=cell(difficulty="simple")) == []


# -- donors ------------------------------------------------------------------------------------

SHUFFLED = roleplay(conditions='["none", "shuffled"]')
NO_CONTRAST = 'primary_outcome = "es"\n'


@pytest.mark.parametrize(
    ("shipped", "finds"),
    [
        ([], 0),
        ([session(profile="mara")], 0),
        ([session(mechanisms=["HCO", "ICU"])], 0),
        ([session(resolution="mara means the second")], 0),
        ([session(source_task="source-mara-3")], 0),
        ([session()], None),
    ],
)
def test_shuffled_needs_sessions_that_share_nothing(shipped: list[dict[str, Any]], finds: int | None) -> None:
    found = checked(SHUFFLED, shipped=shipped, analysis=NO_CONTRAST)
    if finds is None:
        assert found == []
    else:
        problem = only(found)
        assert (problem.key, problem.warning) == ("roleplay.conditions", False)
        assert f"finds {finds} of 1 sessions" in problem.found


def test_shuffled_is_content_with_donors_among_the_participants() -> None:
    item = '[[consent]]\nid = "donor"\ntext = "Show it."\nrequired = false\ncovers = "donor"\n'
    assert check(folder(study=STUDY + item + SHUFFLED, analysis=NO_CONTRAST)) == []


def test_shipped_sessions_have_ids_of_their_own_and_known_profiles() -> None:
    found = checked(shipped=[session(id="mara-1"), session(2, profile="bem")])
    assert [(one.file, one.line, one.key, one.warning) for one in found] == [
        ("histories.jsonl", 1, "id", False),
        ("histories.jsonl", 2, "profile", True),
    ]
    assert found[1].expected == "did you mean 'ben'?"


# -- feedback and plan -------------------------------------------------------------------------


def test_showing_a_failing_case_is_a_deviation_to_declare() -> None:
    settings = roleplay(feedback='"failing_case"')
    problem = only(checked(settings))
    assert (problem.key, problem.warning) == ("roleplay.feedback", False)
    declared = ANALYSIS + 'known_deviations = ["Participants see the failing case."]\n'
    assert checked(settings, analysis=declared) == []


@pytest.mark.parametrize(
    ("analysis", "key", "warning"),
    [
        ('primary_outcome = "fleiss_kappa"', "primary_outcome", False),
        ("", "primary_outcome", True),
        ('primary_outcome = "es"\ncontrast = "memory against nothing"', "contrast", False),
        ('primary_outcome = "es"\ncontrast = "same-user minus gated"', "contrast", False),
        ('primary_outcome = "es"\n[exclusions]\nchecks_failed = 1', "exclusions.checks_failed", False),
    ],
)
def test_a_plan_that_role_play_cannot_follow(analysis: str, key: str, warning: bool) -> None:
    problem = only(checked(analysis=analysis))
    assert (problem.file, problem.key, problem.warning) == ("analysis.toml", key, warning)


@pytest.mark.parametrize("outcome", ["es", "ES", "ft_es", "FT-ES", "ttc"])
def test_outcomes_by_any_of_their_spellings(outcome: str) -> None:
    assert checked(analysis=f'primary_outcome = "{outcome}"\n') == []


def test_questions_after_a_session_are_checked_like_those_at_the_end() -> None:
    question = '[[roleplay.after]]\nid = "q"\ntext = "x"\nkind = "choice"\noptions = ["a", "b", "a"]\n'
    problem = only(checked(SETTINGS + question))
    assert (problem.key, problem.warning) == ("roleplay.after.0.options", False)
    scale = '[[roleplay.after]]\nid = "q"\ntext = "x"\nkind = "scale"\n'
    assert only(checked(SETTINGS + scale + scale)).key == "roleplay.after"


def test_lines_that_could_not_be_read_are_not_counted() -> None:
    data = lines(cell()[:3]) + b"{\n"
    found = check(folder() | {"tasks.jsonl": data})
    assert [(one.file, one.line) for one in found] == [("tasks.jsonl", 4)]
