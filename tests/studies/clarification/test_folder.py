"""Clarification folders: what is read, what each seat needs, and every problem at once."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from support.clarification_folders import HELPER, JUDGE, asked, folder, row, study

from studies.assignment import lay_out
from studies.clarification.judging import check_of
from studies.clarification.sampling import drawn, weights
from studies.clarification.settings import ClarificationSettings, Sample
from studies.errors import FolderError, Problem
from studies.folder import parse
from studies.folder_checks import accept, check
from studies.verdicts import FunctionCheck, PairsCheck, ProgramCheck

AGREEMENT = 'primary_outcome = "pair_kappa"\n'


def only(problems: list[Problem]) -> Problem:
    (one,) = problems
    return one


def matcher(more: str = "", count: int = 4, **task: Any) -> dict[str, bytes]:
    tasks = [row(1, **{"asked": [asked(number) for number in range(count)], "script": [], **task})]
    return folder(study("matcher", more), tasks=tasks, analysis=AGREEMENT)


@pytest.mark.parametrize("seat", ["answerer", "asker"])
def test_a_good_folder_has_nothing_to_say(seat: str) -> None:
    files = folder(study(seat))
    assert check(files) == []
    read = accept(files)
    assert read.ids == ("t-1", "t-2", "t-3")
    assert read.clarification_task("t-2").key_question("unit").answer == "In metres."
    assert (read.asked, read.items, read.tasks) == ((), (), ())
    assert parse(read.files).sha256 == read.sha256


def test_an_author_is_given_complete_tasks() -> None:
    bare = {"id": "t-1", "full_statement": "Add the lengths, in metres."}
    two = [bare, {**bare, "id": "t-2", "full_statement": "Add the weights, in grams."}]
    plan = 'primary_outcome = "gaps_found"\n'
    files = folder(study("author", "tasks_each = 1"), tasks=two, analysis=plan)
    assert check(files) == []
    blind = only(check(folder(study("author"), tasks=two, analysis=plan)))
    assert (blind.key, blind.warning) == ("clarification.tasks_each", True)
    assert check(folder(study("author", "cross_check = false"), tasks=two, analysis=plan)) == []
    problem = only(check(files | {"tasks.jsonl": folder(tasks=[row(1), row(2)])["tasks.jsonl"]}))
    assert (problem.key, problem.warning) == ("key_questions", True)


def test_the_protocol_says_what_the_benchmark_says() -> None:
    replies = ClarificationSettings().replies
    assert replies.not_relevant == "This question is not relevant to the current task."
    assert replies.already_answered == "This question has already been answered."


def test_tests_are_a_functions_or_a_programs() -> None:
    function = {"cases": [], "interface": "def f(x)", "entry_point": "f", "reference": "def f(x): return x\n"}
    tasks = [
        row(1),
        row(2, **function, tests="def check(candidate):\n    assert candidate(1) == 1\n"),
        row(3, **function, pairs=[{"arguments": "(1,)", "result": "1"}]),
        row(4, cases=[], reference=""),
    ]
    files = folder(tasks=tasks)
    assert check(files) == []
    kinds = [type(check_of(one, 2.0)) for one in accept(files).clarification_tasks]
    assert kinds == [ProgramCheck, FunctionCheck, PairsCheck, type(None)]


@pytest.mark.parametrize(
    ("change", "key", "found"),
    [
        ({"statement": "", "key_questions": []}, "statement", "missing in 1 of 3 tasks: t-3"),
        ({"script": []}, "script", "t-3 has none, and the assistant helper says nothing else"),
        (
            {"statement": "Add, in metres. Do not round.", "full_statement": "Add, IN  METRES. Do not round"},
            "statement",
            "t-3: it is the complete statement",
        ),
        ({"asked": [asked(1, id="t-1")]}, "asked.0.id", "the id 't-1' is on line 1 too"),
        ({"reference": "print("}, "reference", "t-3: line 1"),
        (
            {"cases": [], "entry_point": "f", "tests": "def check(c): ...", "reference": "def f(): ..."},
            "interface",
            "'' does not name f",
        ),
        ({"cases": [], "entry_point": "f", "interface": "def f()"}, "reference", "t-3: the reference does"),
    ],
)
def test_a_task_that_cannot_serve_is_an_error(change: dict[str, Any], key: str, found: str) -> None:
    problems = [one for one in check(folder(tasks=[row(1), row(2), row(3, **change)])) if not one.warning]
    assert (problems[0].file, problems[0].line, problems[0].key) == ("tasks.jsonl", 3, key)
    assert problems[0].found.startswith(found)


@pytest.mark.parametrize(
    ("change", "key", "found"),
    [
        ({"reference": ""}, "reference", "t-3 has tests and no reference to try them on"),
        ({"cases": []}, "tests", "t-3 has a reference and no tests"),
        ({"statement": "Add them. In metres. Round."}, "statement", "t-3: it holds the answer to unit"),
        ({"statement": "Add the lengths of part 2."}, "statement", "t-3 has the statement of t-2 on line 2"),
        (
            {"key_questions": [{"id": "unit", "question": "Unit?", "answer": "Metres, please."}]},
            "types",
            "1 of 3 tasks have no type: t-3",
        ),
    ],
)
def test_what_is_worth_knowing_of_a_task(change: dict[str, Any], key: str, found: str) -> None:
    problem = only(check(folder(tasks=[row(1), row(2), row(3, **change)])))
    assert (problem.line, problem.key, problem.warning) == (3, key, True)
    assert problem.found.startswith(found)


def test_an_id_of_an_asked_question_tells_matchers_nothing() -> None:
    problem = only(check(matcher(asked=[asked(1, id="Grey-1", model="grey"), asked(2, model="grey")])))
    assert (problem.key, problem.warning) == ("asked.0.id", True)
    assert "names 'grey'" in problem.found


TWO_HELPERS = HELPER + HELPER.replace("helper", "other")


@pytest.mark.parametrize(
    ("settings", "key", "found"),
    [
        (study(assistants=""), "assistants", "nobody asks"),
        (study(more='askers = ["helpr"]'), "clarification.askers", "'helpr', which is no assistant"),
        (study(more='judge = {by = "jude"}', assistants=HELPER + JUDGE), "clarification.judge.by", "'jude'"),
        (study("asker").replace('by = "judge"', 'by = "person"'), "clarification.judge.by", "whoever asks"),
        (study("asker", 'coder = "x"'), "clarification.coder", "'x', which is no assistant"),
        (study("asker", 'answers = "model"'), "clarification.answerer", "nobody answers"),
        (study(more="tasks_each = 4"), "clarification.tasks_each", "4, and there are 3 tasks"),
        (study() + "[design]\nrepeats = 1\n", "design.repeats", "a clarification study has neither"),
        (
            study() + '[design]\nkind = "cyclic"\nparticipants = 2\nitems_each = 2\nraters = 2\n',
            "design",
            "2 participants with 2 items each",
        ),
        (study() + '[[assistants]]\nname = "helper"\nmodel = "x"\n', "assistants", "helper more than once"),
    ],
)
def test_settings_that_cannot_work(settings: str, key: str, found: str) -> None:
    problems = [one for one in check(folder(settings)) if not one.warning]
    assert problems[0].file == "study.toml"
    assert problems[0].key == key
    assert problems[0].found.startswith(found)


@pytest.mark.parametrize(
    "settings",
    [
        study(assistants=HELPER.replace('"rehearsal"', '"x/y"')),
        study(more='judge = {by = "judge"}', assistants=HELPER + JUDGE.replace('"rehearsal"', '"x/y"')),
        study("asker", assistants=JUDGE.replace('"rehearsal"', '"x/y"')),
    ],
)
def test_nobody_can_refuse_what_happens_all_the_same(settings: str) -> None:
    item = '[[consent]]\nid = "sent"\ntext = "To X, in Y."\ncovers = "processors"\n'
    assert not any("consent" in one.key for one in check(folder(settings + item)))
    problem = next(
        one for one in check(folder(f"{settings}{item}required = false\n")) if "consent" in one.key
    )
    assert (problem.key, problem.warning) == ("consent.1.required", False)


@pytest.mark.parametrize(
    ("settings", "key"),
    [
        (study(more='coder = "helper"', assistants=TWO_HELPERS), "clarification.coder"),
        (study("asker", 'both = "code"'), "clarification.both"),
        (
            study(more='askers = ["judge"]\njudge = {by = "judge"}', assistants=JUDGE),
            "clarification.judge.by",
        ),
        (
            study(more='judge = {by = "judge", samples = 2}', assistants=HELPER + JUDGE),
            "clarification.judge.samples",
        ),
        (study("asker", assistants=HELPER + JUDGE), "assistants"),
        (study() + "[roleplay]\nturns = 3\n", "roleplay"),
    ],
)
def test_settings_without_a_use_are_a_warning(settings: str, key: str) -> None:
    problem = only(check(folder(settings)))
    assert (problem.file, problem.key, problem.warning) == ("study.toml", key, True)


@pytest.mark.parametrize(
    ("analysis", "settings", "key"),
    [
        ('primary_outcome = "es"\n', study(), "primary_outcome"),
        ('primary_outcome = "pass_at_1"\n', study("asker"), "primary_outcome"),
        ('primary_outcome = "tkqr"\ncontrast = "helper minus nobody"\n', study(), "contrast"),
        ('primary_outcome = "tkqr"\n[exclusions]\nchecks_failed = 1\n', study(), "exclusions.checks_failed"),
    ],
)
def test_a_plan_that_cannot_be_carried_out(analysis: str, settings: str, key: str) -> None:
    problem = only(check(folder(settings, analysis=analysis)))
    assert (problem.file, problem.key, problem.warning) == ("analysis.toml", key, False)


def test_a_contrast_names_two_that_ask() -> None:
    files = folder(study(assistants=TWO_HELPERS), analysis='contrast = "other minus helper"\n')
    assert [one.key for one in check(files)] == ["primary_outcome"]


def test_answers_from_a_complete_statement_need_one() -> None:
    files = folder(study(more='source = "full_statement"'), tasks=[row(1), row(2, full_statement="")])
    problem = only(check(files))
    assert (problem.line, problem.key) == (2, "full_statement")
    assert problem.found == "missing in 1 of 2 tasks: t-2"


def test_variants_of_one_source_before_one_asker_are_a_warning() -> None:
    tasks = [row(number, source=f"s-{number % 2}") for number in range(4)]
    problem = only(check(folder(study("asker"), tasks=tasks)))
    assert (problem.key, problem.warning) == ("source", True)
    apart = study("asker", "tasks_each = 2") + '[design]\nstrata = ["source"]\n'
    assert check(folder(apart, tasks=tasks)) == []


def test_a_rehearsed_judge_goes_by_cues() -> None:
    gap = {"id": "unit", "question": "Unit?", "answer": "Metres, please.", "type": "units"}
    problem = only(check(folder(study("asker"), tasks=[row(1), row(2, key_questions=[gap])])))
    assert (problem.line, problem.warning) == (2, True)
    assert problem.found == "t-2: none for unit, which a rehearsed judge so never matches"


def test_every_problem_of_every_file_at_once() -> None:
    files = folder(tasks=[row(1), {"id": "x"}, row(3, tests="x")], prompts__a_md=b"\xff", debrief_md=b"")
    with pytest.raises(FolderError) as caught:
        parse(files)
    places = {(one.file, one.line) for one in caught.value.problems}
    assert {("tasks.jsonl", 2), ("tasks.jsonl", 3), ("prompts/a.md", 1), ("debrief.md", 0)} <= places


# -- matchers ----------------------------------------------------------------------------------


def test_matchers_get_asked_questions() -> None:
    files = matcher()
    assert check(files) == []
    read = accept(files)
    assert read.ids == ("a-0", "a-1", "a-2", "a-3")
    task, question = read.asked_question("a-2")
    assert (task.id, question.text) == ("t-1", "Metres or feet, number 2?")


@pytest.mark.parametrize(
    ("files", "key"),
    [
        (matcher(count=0), "asked"),
        (matcher("sample = {yes = 9}"), "clarification.sample.yes"),
        (matcher("sample = {split = 1}"), "clarification.sample.split"),
        (matcher("sample = {yes = 0}"), "clarification.sample"),
    ],
)
def test_matchers_who_would_have_nothing_to_match(files: dict[str, bytes], key: str) -> None:
    assert key in [one.key for one in check(files) if not one.warning]


def test_a_sample_is_drawn_by_vote_and_weighted_back() -> None:
    votes: list[dict[str, Any]] = [{}, {"votes": {"unit": [False] * 3}}, {"votes": {}}]
    questions = [asked(number, **votes[number % 3]) for number in range(12)]
    files = folder(study("matcher"), tasks=[row(1, asked=questions)], analysis=AGREEMENT)
    tasks = accept(files).clarification_tasks
    sample = Sample(yes=1, no=3)
    ids = drawn(tasks, sample, 7)
    assert ids == drawn(tasks, sample, 7)
    assert len({drawn(tasks, sample, seed) for seed in range(20)}) > 1
    found = weights(tasks, ids)
    assert sorted(found.values()) == [1, 1, 1, 1, Fraction(4, 3), Fraction(4, 3), Fraction(4, 3), 4]
    assert sum(found.values()) == 12


# -- the layout --------------------------------------------------------------------------------


def test_each_next_slot_begins_where_the_one_before_ended() -> None:
    tasks = [row(number) for number in range(6)]
    read = accept(folder(study(more="tasks_each = 2"), tasks=tasks))
    hands = [{one.item for one in lay_out(read, slot).order} for slot in range(1, 7)]
    assert [len(one) for one in hands] == [2] * 6
    assert hands[0] | hands[1] | hands[2] == set(read.ids)
    assert hands[:3] == hands[3:]


def test_assistants_take_turns_over_tasks_and_slots() -> None:
    tasks = [row(number) for number in range(4)]
    read = accept(folder(study(assistants=TWO_HELPERS), tasks=tasks))
    met = [{one.item: one.assistant for one in lay_out(read, slot).order} for slot in (1, 2)]
    assert all(sorted(one.values()) == ["helper", "helper", "other", "other"] for one in met)
    assert all(met[0][task] != met[1][task] for task in read.ids)


def test_a_design_deals_asked_questions_by_vote() -> None:
    questions = [asked(number, votes={"unit": [number % 2 == 0]}) for number in range(8)]
    design = '[design]\nkind = "cyclic"\nparticipants = 4\nitems_each = 4\nraters = 2\nstrata = ["vote"]\n'
    tasks = [row(1, asked=questions)]
    read = accept(folder(study("matcher") + design, tasks=tasks, analysis=AGREEMENT))
    hands = [[one.item for one in lay_out(read, slot).order] for slot in range(1, 5)]
    assert sorted(one for hand in hands for one in hand) == sorted(2 * read.ids)
    even = {one["id"] for one in questions[::2]}
    assert [len(even & set(hand)) for hand in hands] == [2, 2, 2, 2]
    assert {one.assistant for slot in range(1, 5) for one in lay_out(read, slot).order} == {""}
