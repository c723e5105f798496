"""The rules that span a folder's files: errors and warnings, all at once."""

from __future__ import annotations

from typing import Any

import pytest

from studies.bundles import directory
from studies.errors import FolderError, Problem
from studies.folder import parse, read_files
from studies.folder_checks import accept, check
from tests.support.folders import STUDY, folder, item, lines, practice


def checked(study: str = "", **made: Any) -> list[Problem]:
    """What `check` says of a small folder whose study.toml goes on with `study`."""
    return check(folder(study=STUDY + study, **made))


def attention(number: int, **more: Any) -> dict[str, Any]:
    return {"id": f"c-{number}", "request": f"Choose HCO, number {number}.", "dominant": "HCO", **more}


def test_a_sound_folder_has_nothing_to_say() -> None:
    assert checked() == []


def test_the_bundled_study_has_nothing_to_say() -> None:
    assert check(read_files(directory("annotation"))) == []


def test_errors_come_first_and_warnings_with_them() -> None:
    found = checked("[design]\nchecks = 1\n", items=[item(1), item(1)], notes_md=b"")
    assert [one.warning for one in found] == sorted(one.warning for one in found)
    assert {(one.file, one.warning) for one in found} == {
        ("items.jsonl", False),
        ("items.jsonl", True),
        ("notes.md", True),
    }


def test_accept_refuses_what_check_calls_an_error_and_parse_reads_it() -> None:
    files = folder(study=STUDY + "[design]\nchecks = 1\n")
    with pytest.raises(FolderError, match="attention check"):
        accept(files)
    assert parse(files).settings.design.checks == 1


def test_accept_lets_warnings_pass() -> None:
    files = folder(notes_md=b"")
    assert [one.warning for one in check(files)] == [True]
    assert accept(files).sha256 == parse(files).sha256


# -- materials ---------------------------------------------------------------------------------


def test_files_that_nothing_reads() -> None:
    [odd, near] = checked(**{"notes_txt": b""}) + check(folder() | {"training.json": b""})
    assert (odd.file, odd.warning) == ("notes.txt", True)
    assert near.expected == "did you mean training.jsonl?"


def test_two_main_items_with_one_text_are_a_warning_that_names_both() -> None:
    rows = [item(1), item(2, request="write  program\nNUMBER 1.", context=item(1)["context"])]
    [problem] = checked(items=rows)
    assert problem.warning
    assert (problem.line, problem.found) == (2, "i-2 has the text of i-1 (line 1)")


def test_one_request_after_two_dialogues_is_two_texts() -> None:
    assert checked(items=[item(1), item(2, request=item(1)["request"])]) == []


@pytest.mark.parametrize("file", ["training.jsonl", "checks.jsonl"])
def test_practice_and_checks_share_no_text_with_main_items(file: str) -> None:
    rows = [
        {"id": "i-1", "request": "Sort it."},
        {"id": "i-2", "request": "Other.", "context": item(1)["context"]},
    ]
    row = practice(1) if file == "training.jsonl" else attention(1)
    study = "[design]\nchecks = 0\n"
    found = check(folder(study=STUDY + study, items=rows) | {file: lines([row | {"request": "sort  it."}])})
    [problem] = [one for one in found if not one.warning]
    assert (problem.file, problem.line, problem.key) == (file, 1, "request")
    assert "has the text of i-1 (items.jsonl, line 1)" in problem.found


@pytest.mark.parametrize("text", ["Change the cups in this recipe to millilitres.", "Print the gain"])
def test_items_are_no_examples_of_the_codebook(text: str) -> None:
    entries = "".join(
        f'[[entries]]\nlabel = "{label}"\nname = "n"\nshort = "s"\ndefinition = "d"\nchoose_when = "c"\n'
        f'not_when = "n"\nexamples = [\'"Change the cups in this recipe to millilitres." There are two.\','
        " 'Print the gain']\n"
        for label in ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU", "NONE", "OTHER")
    )
    book = f'version = "1"\ngate = "g"\ndominant_rule = "d"\ntie_break = "t"\n{entries}'
    [problem] = checked(items=[item(1), item(2, request=text)], codebook_toml=book)
    assert (problem.file, problem.line, problem.warning) == ("items.jsonl", 2, False)
    assert "an example of" in problem.found


def test_ids_are_unique_over_the_files() -> None:
    [problem] = checked(training_jsonl=lines([practice(1, id="i-2")]))
    assert (problem.file, problem.line, problem.key) == ("training.jsonl", 1, "id")
    assert "items.jsonl, line 2" in problem.found


def test_without_any_context_one_mechanism_cannot_be_judged() -> None:
    [problem] = checked(items=[{"id": "a", "request": "x"}])
    assert problem.warning
    assert "CCM" in problem.found


def test_gold_labels_are_consistent_and_can_be_chosen() -> None:
    rows = [
        item(1, gold="DCP", gold_additional=["DCP"]),
        item(2, gold="NONE"),
        item(3, gold_additional=["DCP"]),
    ]
    found = checked("[annotation]\nescapes = false\n", items=rows)
    assert [(one.line, one.key, one.warning) for one in found] == [
        (1, "gold_additional", False),
        (3, "gold_additional", False),
        (0, "gold", True),
    ]


def test_practice_and_checks_have_answers_that_are_offered() -> None:
    study = "[annotation]\nescapes = false\n[design]\nchecks = 1\n"
    found = checked(
        study,
        items=20,
        training_jsonl=lines([practice(1, dominant="NONE")]),
        checks_jsonl=lines([attention(1, dominant="OTHER")]),
    )
    assert [(one.file, one.key) for one in found] == [
        ("checks.jsonl", "dominant"),
        ("training.jsonl", "dominant"),
    ]


def test_columns_that_look_like_a_misspelt_key() -> None:
    [problem] = checked(items=[item(1, gold_aditional=["DCP"]), item(2, colour="red", gold_=1)])
    assert problem.warning
    assert problem.expected == "did you mean gold_additional?"


def test_long_texts() -> None:
    [problem] = checked(items=[item(1, request="long " * 1001)])
    assert problem.warning
    assert "5,022 characters" in problem.found


def test_places_still_to_be_filled_in() -> None:
    found = checked(consent_md="Ask [[name]].\n\nIn `[[1, 2]]` or [[ -f x ]].\nPay: [[how\nmuch]]")
    assert [(one.line, one.found, one.warning) for one in found] == [
        (1, "a place still to be filled in: '[[name]]'", True),
        (4, "a place still to be filled in: '[[how'", True),
    ]


# -- the design --------------------------------------------------------------------------------


def design(**values: Any) -> str:
    words = {str: '"{}"', bool: "{}", int: "{}"}
    rows = [f"{key} = {words[type(value)].format(value).lower()}" for key, value in values.items()]
    return "[design]\n" + "\n".join(rows) + "\n"


def test_a_feasible_design() -> None:
    assert checked(design(kind="cyclic", participants=4, items_each=6, raters=2), items=12) == []


@pytest.mark.parametrize("kind", ["cyclic", "balanced"])
def test_an_infeasible_design_names_the_nearest_numbers(kind: str) -> None:
    [problem] = checked(design(kind=kind, participants=4, items_each=6, raters=2), items=13)
    assert (problem.file, problem.key, problem.warning) == ("study.toml", "design", False)
    assert "need exactly 12 items, and there are 13; the nearest that fit: 12 items" in problem.found


def test_a_design_is_not_compared_with_items_that_could_not_be_read() -> None:
    rows = [item(number) for number in range(1, 12)] + [{"id": "i-12"}]
    found = checked(design(kind="cyclic", participants=4, items_each=6, raters=2), items=rows)
    assert [(one.file, one.key) for one in found] == [("items.jsonl", "request")]


def test_unequal_raters_only_where_asked_for() -> None:
    assert (
        checked(design(kind="cyclic", participants=4, items_each=6, raters=2, unequal=True), items=11) == []
    )


def test_counts_that_an_everything_design_would_pass_over() -> None:
    [problem] = checked(design(participants=3))
    assert not problem.warning
    assert "crossed" in problem.found


def test_one_rater_makes_no_agreement() -> None:
    found = checked(design(kind="cyclic", participants=2, items_each=2, raters=1))
    assert [(one.key, one.warning) for one in found] == [("design.raters", True)]
    found = checked(design(kind="crossed", participants=1))
    assert [(one.key, one.warning) for one in found] == [("design.participants", True)]


def test_checks_are_one_in_twenty_and_there_are_enough() -> None:
    rows = lines([attention(1)])
    assert checked(design(checks=1), items=19, checks_jsonl=rows) == []
    [problem] = checked(design(checks=1), items=18, checks_jsonl=rows)
    assert "more than one in 20" in problem.found
    [problem] = checked(design(checks=2), items=40, checks_jsonl=rows)
    assert "more than the 1" in problem.found
    [problem] = checked(items=40, checks_jsonl=rows)
    assert (problem.key, problem.warning) == ("design.checks", True)


def test_repeats_have_room() -> None:
    assert checked(design(repeats=11), items=11) == []
    [problem] = checked(design(repeats=1), items=10)
    assert "at least 10 items later" in problem.found


def test_strata_are_columns() -> None:
    rows = [item(1, gold="DCP", area="x"), item(2, gold="SLM")]
    found = checked('[design]\nstrata = ["gold", "aera", "area", "sourcee"]\n', items=rows)
    assert [(one.key, one.expected, one.warning) for one in found] == [
        ("design.strata.1", "did you mean area?", False),
        ("design.strata.3", "one of area, context, gold, id, request", False),
        ("design.strata.2", "", True),
    ]


def test_long_visits_and_blocks_without_rests() -> None:
    found = checked(design(block=300), items=300)
    assert [(one.key, one.warning) for one in found] == [("design", True), ("design.block", True)]
    assert "about 5 hours" in found[0].found


# -- practice, questions, plan -----------------------------------------------------------------

CODES = '[participants]\ncodes = ["a", "b"]\n[design]\nkind = "crossed"\n'


@pytest.mark.parametrize(
    ("study", "key", "warning"),
    [
        ("[training]\npass_mark = 0.5\n", "training.pass_mark", False),
        ("[training]\nexclude = true\n", "training.exclude", False),
        ("[training]\nrounds = 2\n", "training.rounds", True),
        ("[design]\nunequal = true\n", "design.unequal", True),
        (CODES + "participants = 3\n", "participants.codes", True),
        (CODES.replace('"b"', '"b", "c"') + "participants = 2\n", "participants.codes", True),
    ],
)
def test_settings_that_make_no_sense_together(study: str, key: str, warning: bool) -> None:
    [problem] = checked(study)
    assert (problem.file, problem.key, problem.warning) == ("study.toml", key, warning)


def test_a_pass_mark_is_not_doubted_where_the_practice_file_has_problems() -> None:
    found = checked("[training]\npass_mark = 0.5\n", training_jsonl=b"{")
    assert [one.file for one in found] == ["training.jsonl"]


@pytest.mark.parametrize(
    ("question", "key", "warning"),
    [
        ('kind = "choice"\noptions = ["a", "b", "a"]', "options", False),
        (f'kind = "choice"\noptions = ["{"a" * 121}", "b"]', "options", True),
        ('kind = "choice"\noptions = ["a", "b"]\nlow = 2', "low", True),
        ('kind = "text"\noptions = ["a", "b"]', "options", True),
        ('kind = "scale"\noptions = ["a", "b"]', "options", True),
    ],
)
def test_questions_fit_their_kind(question: str, key: str, warning: bool) -> None:
    [problem] = checked(f'[[questionnaire]]\nid = "q"\ntext = "x"\n{question}\n')
    assert (problem.key, problem.warning) == (f"questionnaire.0.{key}", warning)


def test_somebody_to_ask() -> None:
    [problem] = check(folder(study=STUDY.replace("the lab, room 1", "")))
    assert (problem.key, problem.warning) == ("contact", True)


@pytest.mark.parametrize(
    ("analysis", "key", "warning"),
    [
        ("planned_n = 4", "planned_n", False),
        ("planned_n = 2", "planned_n", True),
        ('include = "completed_blocks"', "include", True),
        ("[exclusions]\nchecks_failed = 1", "exclusions.checks_failed", False),
        ("[exclusions]\ntraining_below = 0.5", "exclusions.training_below", False),
    ],
)
def test_a_plan_that_cannot_apply(analysis: str, key: str, warning: bool) -> None:
    [problem] = checked(design(kind="crossed", participants=3), analysis_toml=analysis)
    assert (problem.file, problem.key, problem.warning) == ("analysis.toml", key, warning)


def test_a_plan_that_applies() -> None:
    found = checked(
        design(kind="crossed", participants=3, checks=1, block=10),
        items=20,
        analysis_toml='planned_n = 3\ninclude = "completed_blocks"\n[exclusions]\nchecks_failed = 1\n'
        "training_below = 0.5\nmedian_ms_below = 1000\n",
        training_jsonl=lines([practice(1)]),
        checks_jsonl=lines([attention(1)]),
    )
    assert found == []


def test_a_number_of_participants_that_no_lab_has_is_refused() -> None:
    [problem] = checked(design(kind="crossed", participants=10_001))
    assert (problem.key, problem.expected) == ("design.participants", "at most 10000")
