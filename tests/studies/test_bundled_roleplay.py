"""The bundled role-play study: tasks that tell readings apart, secrets that are kept, pages kind to read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import textwrap
import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from support.chats import NoDialogues

import studies
from studies.annotation.materials import Codebook
from studies.roleplay.blinding import masked, mentions_history
from studies.roleplay.context import shuffled_history
from studies.roleplay.design import cells, lay_out_sessions
from studies.roleplay.materials import Profiles, ShippedSession, Task
from studies.roleplay.sessions import Session
from studies.settings import AnalysisSettings, StudySettings
from studies.study import Study, Texts

PRODUCT = Path(next(iter(studies.__path__)))
FOLDER = PRODUCT / "bundled" / "roleplay"
PAGE_LINES, PAGE_WIDTH = 16, 74


def page(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in page(name).splitlines()]


TASKS = [Task.model_validate(one) for one in lines("tasks.jsonl")]
PROFILES = Profiles.model_validate(tomllib.loads(page("profiles.toml"))).profiles
SHIPPED = [ShippedSession.model_validate(one) for one in lines("histories.jsonl")]
SETTINGS = StudySettings.model_validate(tomllib.loads(page("study.toml")))
ANALYSIS = AnalysisSettings.model_validate(tomllib.loads(page("analysis.toml")))
BOOK = Codebook.model_validate(
    tomllib.loads((PRODUCT / "annotation" / "codebook.toml").read_text(encoding="utf-8"))
)
STUDY = Study(
    sha256="0" * 64,
    files={},
    settings=SETTINGS,
    analysis=ANALYSIS,
    texts=Texts(page("consent.md"), page("instructions.md"), page("debrief.md")),
    codebook=BOOK,
    items=(),
    tasks=tuple(TASKS),
    profiles=PROFILES,
    shipped=tuple(SHIPPED),
)
by_task = pytest.mark.parametrize("task", TASKS, ids=lambda one: one.source_task)

SECRETS = {
    ("imke", "normalise"): r"\bmean\b|deviation|z-?score|standard|subtract|n - 1|\brange\b|0 to 1",
    ("imke", "columns"): r"semicolon|;|\bhead|column|separat|delimit|csv|\btab\b|\bparts\b",
    ("imke", "decimal"): r"comma\b|decimal|\bpoint\b|\d,\d",
    (
        "anselm",
        "grouping",
    ): r"\bboth\b|bracket|parenthes|\beither\b|[()]|matter|as well\b|\bboth\b|in any case",
    ("anselm", "nothing"): r"\bif (?:no|none|nobody)\b|nothing|\bdash|\"-\"|empty|otherwise|\bNone\b",
    ("anselm", "level"): r"furthest|\blevel\b|equal|\bsame\b|\bties?\b|several|further down|\bfirst one\b",
}
"""What gives a withheld fact away, by profile and fact."""

OPEN: dict[str, dict[str, tuple[str, ...]]] = {
    "plate-readings": {"result": ("One number per line", "same order")},
    "plate-limit": {"result": ("wells above the limit", "List of well names, order of the lines")},
    "plate-strongest": {"result": ("sample has the highest reading", "the normalised reading", "pair")},
    "plate-averages": {"result": ("average per sample", "Dict"), "whole": ("over the whole export",)},
    "plate-jumps": {"result": ("List, order of the lines",), "direction": ("next minus this",)},
    "plate-shifts": {
        "result": ("Per well: second minus first", "Dict"),
        "each": ("Normalise each by itself",),
        "order": ("same wells, not in the same order",),
    },
    "plate-closest": {"result": ("closest", "Tuple of three", "gap"), "order": ("earlier line first",)},
    "archive-charters": {
        "keys": ("'title', 'year', 'seals', 'on_loan' and 'gold'",),
        "result": ("title of the charter with the most seals",),
        "conditions": ("on loan or bear gold and date from before 1700",),
    },
    "archive-newspapers": {
        "keys": ("'mark', 'pages', 'requested', 'loose' and 'kilos'",),
        "result": ("mark of the volume with the fewest pages",),
        "conditions": ("requested or are loose and weigh more than 3 kilos",),
    },
    "archive-visitors": {
        "keys": ("'name', 'hours', 'member', 'gift' and 'visits'",),
        "result": ("name of the visitor with the most hours",),
        "conditions": ("members or have made us a gift and came more than twice",),
    },
    "archive-photographs": {
        "keys": ("'number', 'year', 'width', 'promised' and 'portrait'",),
        "result": ("number of the oldest photograph",),
        "conditions": ("promised to the museum or show a person and are wider than 30 centimetres",),
    },
    "archive-metres": {
        "keys": ("'family', 'metres', 'sealed', 'letters' and 'year'", "that of arrival"),
        "result": ("metres, added up",),
        "conditions": ("sealed or contain letters and arrived after 1990",),
    },
    "archive-boxes": {
        "keys": ("'number', 'kilos', 'cellar' and 'maps'",),
        "result": ("numbers, in ascending order",),
        "conditions": ("stand in the cellar or hold maps and weigh less than 20 kilos",),
    },
    "archive-rooms": {
        "keys": ("'room', 'degrees', 'humidity', 'cellar' and 'windows'",),
        "result": ("name of the room with the highest humidity",),
        "conditions": ("lie in the cellar or have windows and are warmer than 20 degrees",),
    },
}
"""Where the opening says an open fact."""

KNOWN_NAMES = """
    Strongest_Extension add add_elements all_prefixes anti_shuffle any_int below_threshold below_zero bf
    by_length can_arrange car_race_collision change_base check_dict_case check_if_last_char_is_a_letter
    choose_num circular_shift closest_integer common compare compare_one concatenate correct_bracketing
    count_distinct_characters count_nums count_up_to count_upper cycpattern_check decimal_to_binary
    decode_cyclic decode_shift derivative digitSum digits do_algebra double_the_difference eat encode encrypt
    even_odd_count even_odd_palindrome exchange f factorize fib fib4 fibfib file_name_check filter_by_prefix
    filter_by_substring filter_integers find_closest_elements find_max find_zero fix_spaces fizz_buzz
    flip_case fruit_distribution generate_integers get_closest_vowel get_max_triples get_odd_collatz
    get_positive get_row greatest_common_divisor has_close_elements hex_key histogram how_many_times
    incr_list int_to_mini_roman intersection intersperse is_bored is_equal_to_sum_even is_happy
    is_multiply_prime is_nested is_palindrome is_prime is_simple_power is_sorted iscube largest_divisor
    largest_prime_factor largest_smallest_integers longest make_a_pile make_palindrome match_parens
    max_element max_fill maximum mean_absolute_deviation median minPath minSubArraySum modp monotonic
    move_one_ball multiply next_smallest numerical_letter_grade odd_count order_by_points pairs_sum_to_zero
    parse_music parse_nested_parens pluck prime_fib prime_length prod_signs remove_duplicates remove_vowels
    rescale_to_unit reverse_delete right_angle_triangle rolling_max rounded_avg same_chars search
    select_words separate_paren_groups simplify skjkasdkd smallest_change solution solve sort_array
    sort_even sort_numbers sort_third sorted_list_sum specialFilter special_factorial split_words
    starts_one_ends strange_sort_list string_sequence string_to_md5 string_xor strlen sum_product
    sum_squares sum_to_n total_match tri triangle_area triples_sum_to_zero truncate_number unique
    unique_digits valid_date vowels_count will_it_fly words_in_sentence words_string x_or_y"""
"""Entry points of HumanEval, which models know by heart."""

# -- running the study's own code --------------------------------------------------------------------

RUNNER = """
import json, sys

def close(a, b):
    if isinstance(a, float) and isinstance(b, (int, float)):
        return abs(a - b) < 1e-9
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(close, a, b))
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(close(a[one], b[one]) for one in a)
    return a == b

outcomes = []
for code, test in json.load(sys.stdin):
    candidate, tests = {}, {"close": close}
    try:
        exec(code, candidate)
        exec(test, tests)
        tests["run"](candidate)
        outcomes.append("passed")
    except BaseException as error:
        outcomes.append(type(error).__name__)
json.dump(outcomes, sys.stdout)
"""


def outcomes(programs: list[tuple[str, str]]) -> list[str]:
    """`passed` or the name of the exception, for each (code, test that defines `run`)."""
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUNNER],
        input=json.dumps(programs),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def with_tests(code: str, task: Task) -> tuple[str, str]:
    return code, f"{task.tests}\n\ndef run(candidate):\n    check(candidate[{task.entry_point!r}])\n"


def blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def changed(task: Task, old: str, new: str) -> str:
    """The reference with one thing done otherwise."""
    code = re.sub(old, new, task.reference)
    assert code != task.reference, (task.id, old)
    return code


def wrong_readings(task: Task) -> Iterator[tuple[str, str, str]]:
    """(withheld fact, what is taken in its place, a program that is right but for that)."""
    if task.profile == "imke":
        scaling = r"mean\(readings\), stdev\(readings\)"
        yield (
            "normalise",
            "the range 0 to 1",
            changed(task, scaling, "min(readings), max(readings) - min(readings)"),
        )
        yield "normalise", "the deviation with n", changed(task, r"\bstdev\b", "pstdev")
        yield "normalise", "a share of the total", changed(task, scaling, "0, sum(readings)")
        yield "columns", "commas between", changed(task, r'split\(";"\)', 'split(",")')
        yield "columns", "a heading line", changed(task, r"for line in lines\]", "for line in lines[1:]]")
        if re.search(r"\[[01]\]", task.reference.replace("pair[", "")):
            swapped = re.sub(
                r"(row|rows\[[^]]+\]+)\[([01])\]", lambda m: f"{m[1]}[{1 - int(m[2])}]", task.reference
            )
            assert swapped != task.reference
            yield "columns", "the sample before the well", swapped
        else:
            yield "columns", "the reading in the second place", changed(task, r"row\[2\]", "row[1]")
        yield "decimal", "a decimal point", changed(task, r'\.replace\(",", "\."\)', "")
        yield (
            "decimal",
            "a comma for thousands",
            changed(task, r'\.replace\(",", "\."\)', '.replace(",", "")'),
        )
        return
    yield (
        "grouping",
        "the last condition holds for the last only",
        changed(task, r"if \((.+?)\) and", r"if \1 and"),
    )
    for other in ("None", '""', "0", "[]"):
        yield "nothing", other, changed(task, r'"-"', other)
    if any(one.id == "level" for one in task.facts):
        yield "level", "the first one", changed(task, r"([<>])= best", r"\1 best")


@cache
def verdicts() -> dict[tuple[str, str], str]:
    """Every program of the study and of `wrong_readings` against its task's tests, in one go."""
    named: dict[tuple[str, str], tuple[str, str]] = {}
    for task in TASKS:
        named[task.id, "reference"] = with_tests(task.reference, task)
        for fact, reading, code in wrong_readings(task):
            named[task.id, f"{fact}: {reading}"] = with_tests(code, task)
        for turn, said in enumerate(task.script, 1):
            for code in blocks(said):
                named[task.id, f"turn {turn}"] = with_tests(code, task)
    return dict(zip(named, outcomes(list(named.values())), strict=True))


@by_task
def test_the_reference_passes_its_own_tests(task: Task) -> None:
    assert verdicts()[task.id, "reference"] == "passed"


@by_task
def test_each_withheld_fact_decides(task: Task) -> None:
    """A program that is right in everything but one withheld fact is refused."""
    readings = [(fact, reading) for fact, reading, _ in wrong_readings(task)]
    assert {fact for fact, _ in readings} == {one.id for one in task.facts if one.status == "withheld"}
    accepted = [one for one in readings if verdicts()[task.id, ": ".join(one)] == "passed"]
    assert accepted == []


@by_task
def test_a_script_asks_errs_and_ends_in_accepted_code(task: Task) -> None:
    assert 2 <= len(task.script) <= 4
    before = task.script[:-1]
    assert verdicts()[task.id, f"turn {len(task.script)}"] == "passed"
    drafts = [turn for turn, said in enumerate(before, 1) if blocks(said)]
    assert drafts, "code in the default reading comes first"
    assert all(verdicts()[task.id, f"turn {turn}"] != "passed" for turn in drafts)
    assert any("?" in said and not blocks(said) for said in before)
    for said in task.script:
        assert len(blocks(said)) == said.count("```") / 2 <= 1
        assert blocks(said) or "?" in said
        assert not mentions_history(said)
        assert masked(said) == (said, False)
        assert all(f"def {task.entry_point}(" in code for code in blocks(said))


def test_drafts_are_wrong_and_not_broken() -> None:
    """What the rehearsal sends first runs and gives another result, but where it misreads the input."""
    found = Counter(
        outcome
        for (_, program), outcome in verdicts().items()
        if program.startswith("turn") and outcome != "passed"
    )
    assert found["AssertionError"] >= 11
    assert set(found) <= {"AssertionError", "IndexError", "ValueError", "ZeroDivisionError"}


@by_task
def test_tests_are_many_and_of_one_kind(task: Task) -> None:
    assert not task.pairs
    assert task.tests.count("candidate(") >= 6
    assert task.tests.count("assert ") >= 6
    assert len(task.reference.splitlines()) < 25


@by_task
def test_the_example_in_the_brief_is_true(task: Task) -> None:
    found = re.search(r"For example, `(.+)` gives `(.+)`\.$", task.brief)
    assert found, "a brief ends with an example"
    call, result = found.groups()
    run = f"def run(candidate):\n    assert close(eval({call!r}, candidate), {result})\n"
    assert outcomes([(task.reference, run)]) == ["passed"]


@by_task
def test_interface_entry_point_and_reference_agree(task: Task) -> None:
    signature = re.fullmatch(r"def (\w+)\([a-z, ]+\)", task.interface)
    assert signature
    assert signature[1] == task.entry_point
    assert f"{task.interface}:\n" in task.reference
    assert task.entry_point not in KNOWN_NAMES.split()
    assert task.entry_point.islower()


# -- counts and balance ----------------------------------------------------------------------------


def test_two_cells_with_history_reserve_and_held_out_tasks() -> None:
    rules = SETTINGS.roleplay
    assert {one.cell for one in cells(STUDY)} == {("imke", "DCP", "HCO"), ("anselm", "ICU", "SLM")}
    for cell in cells(STUDY):
        assert len(cell.history) == rules.history == 2
        assert len(cell.reserve) == 1
        assert len(cell.held_out) == rules.held_out == 4
    assert rules.conditions == ("none", "same-user")
    assert rules.held_out % len(rules.conditions) == 0
    assert all(one.authored for one in TASKS)


def test_each_held_out_task_occurs_equally_often_in_each_condition() -> None:
    planned = ANALYSIS.planned_n
    assert planned
    seen: Counter[tuple[str, str]] = Counter()
    for slot in range(1, planned + 1):
        order = lay_out_sessions(STUDY, slot)
        held = [one for one in order if one.role == "held_out"]
        assert Counter(one.condition for one in held) == {"none": 2, "same-user": 2}
        seen.update((one.item, one.condition) for one in held)
    tasks = [one.id for one in TASKS if one.part == "held_out"]
    assert {seen[one, condition] for one in tasks for condition in SETTINGS.roleplay.conditions} == {
        planned // 4
    }


def test_no_task_repeats_another() -> None:
    assert [one.id for one in TASKS] == [f"t-{n:02}" for n in range(1, len(TASKS) + 1)]
    for column in ("source_task", "entry_point", "opening", "brief", "tests"):
        assert max(Counter(getattr(one, column) for one in TASKS).values()) == 1, column
    assert not {one.source_task for one in TASKS} & {one.source_task for one in SHIPPED}


def test_difficulty_awaits_its_reference_run() -> None:
    assert {one.difficulty for one in TASKS} == {None}
    assert "Difficulty is null" in page("study.toml")


# -- one user, one pattern -------------------------------------------------------------------------


def test_within_a_cell_the_same_user_means_the_same_things() -> None:
    for cell in cells(STUDY):
        of_cell = (*cell.history, *cell.reserve, *cell.held_out)
        assert len({one.resolution for one in of_cell}) == 1
        assert len({one.speaks for one in of_cell}) == 1
        assert len({one.mechanisms for one in of_cell}) == 1


def test_every_history_task_shows_the_whole_pattern() -> None:
    """An assistant that has seen any two of them can answer each held-out task without a question."""
    for cell in cells(STUDY):
        for held in cell.held_out:
            needed = {one.id for one in held.facts if one.status == "withheld"}
            for shown in (*cell.history, *cell.reserve):
                assert needed <= {one.id for one in shown.facts if one.status == "withheld"}


@by_task
def test_both_mechanisms_of_the_pair_hide_something(task: Task) -> None:
    assert {one.how for one in task.facts if one.how} == set(task.mechanisms)
    assert len({one.id for one in task.facts}) == len(task.facts)


# -- secrets ---------------------------------------------------------------------------------------


@by_task
def test_the_opening_holds_no_withheld_fact_and_the_brief_holds_each(task: Task) -> None:
    for fact in task.facts:
        if fact.status == "withheld":
            words = re.compile(SECRETS[task.profile, fact.id])
            assert words.search(fact.text), "these are the words of the fact"
            assert words.search(task.brief), fact.id
            assert not words.search(task.opening), fact.id
            assert not words.search(re.sub(r"[()]", " ", task.interface)), fact.id


@by_task
def test_the_opening_says_each_open_fact(task: Task) -> None:
    said = OPEN[task.source_task]
    assert set(said) == {one.id for one in task.facts if one.status == "open"}
    assert [text for texts in said.values() for text in texts if text not in task.opening] == []


def test_nothing_that_is_read_names_a_mechanism() -> None:
    entries = [one for one in BOOK.entries if one.label not in ("NONE", "OTHER")]
    names = [re.escape(text) for one in entries for text in (one.name, one.short)]
    banned = re.compile(rf"\b(?:DCP|SLM|CCM|HCO|SBM|ICU)\b|mechanism|ambig|{'|'.join(names)}", re.IGNORECASE)
    texts = [page(name) for name in ("consent.md", "instructions.md", "debrief.md", "prompts/assistant.md")]
    for task in TASKS:
        texts += [task.opening, task.brief, task.speaks, *task.script]
    for one in PROFILES:
        texts += [one.about, one.manner, one.occupation]
    texts += [one.text for form in (SETTINGS.roleplay.after, SETTINGS.questionnaire) for one in form]
    texts += [SETTINGS.title, *(one.text for one in SETTINGS.consent)]
    assert [text for text in texts if banned.search(text)] == []


def test_speaks_tells_behaviour_and_no_secret() -> None:
    for task in TASKS:
        name = next(one.name for one in PROFILES if one.id == task.profile)
        assert name in task.speaks
        assert task.resolution not in task.speaks
        for (profile, fact), words in SECRETS.items():
            if profile == task.profile and fact not in ("nothing", "level"):
                assert not re.search(words, task.speaks), fact


def test_the_assistants_prompt_tells_nothing_of_the_study() -> None:
    prompt = page("prompts/assistant.md")
    assert not re.search(
        r"stud(?:y|ies)|histor|condition|earlier|session|before|experiment|hidden|\btest|particip", prompt
    )
    assert "```python" in prompt
    (assistant,) = SETTINGS.assistants
    assert (assistant.model, assistant.prompt) == ("rehearsal", "assistant.md")


def test_the_gates_prompt_asks_for_the_answer_that_is_read() -> None:
    prompt = page("prompts/gate.md")
    assert all(f'"{key}"' in prompt for key in ("sufficient", "session", "text"))
    assert "Give 0 as the session" in prompt


# -- people ----------------------------------------------------------------------------------------


def test_ten_different_people() -> None:
    assert len(PROFILES) == 10
    for column in ("id", "name", "occupation", "about", "manner"):
        assert len({getattr(one, column) for one in PROFILES}) == 10, column
    for one in PROFILES:
        assert one.name.casefold() == one.id
        assert 1 <= len(re.findall(r"[.?!](?=\s|$)", one.about)) <= 3
        assert 2 <= len(re.findall(r"[.?!](?=\s|$)", one.manner)) <= 5
    known = {one.id for one in PROFILES}
    assert {one.profile for one in TASKS} | {one.profile for one in SHIPPED} <= known


def test_imke_writes_tersely_and_anselm_formally() -> None:
    for task in TASKS:
        longest = max(len(one.split()) for one in re.split(r"[.?!:]\s", task.opening))
        if task.profile == "imke":
            assert longest <= 12
            assert len(task.opening) <= 160
        else:
            assert longest >= 20
            assert not re.search(r"!|\b\w+'(?:s|ll|d|re|m)\b", task.opening)


# -- shipped sessions ------------------------------------------------------------------------------


async def test_each_held_out_session_finds_enough_shipped_sessions_of_others() -> None:
    for task in TASKS:
        if task.part == "held_out":
            session = Session("s", task.id, task.part, "shuffled", "script", "rehearsal", "")
            shown = await shuffled_history(STUDY, session, 1, "", NoDialogues())
            assert len(shown) == SETTINGS.roleplay.history
            for one in (shipped for shipped in SHIPPED if shipped.id in {each.name for each in shown}):
                assert one.profile != task.profile
                assert not set(one.mechanisms) & set(task.mechanisms)


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda one: one.id)
def test_a_shipped_session_is_a_public_dialogue_that_ends_in_code(shipped: ShippedSession) -> None:
    roles = [one.role for one in shipped.dialogue]
    assert roles == ["user", "assistant"] * (len(roles) // 2)
    assert "?" in shipped.dialogue[1].text, "something was cleared up"
    assert not blocks(shipped.dialogue[1].text)
    (code,) = blocks(shipped.dialogue[-1].text)
    assert outcomes([(code, "def run(candidate):\n    pass\n")]) == ["passed"]
    whole = " ".join(one.text for one in shipped.dialogue)
    assert not re.search(r"verdict|hidden|\btests?\b|passed|brief", whole)


def test_shipped_code_does_what_its_dialogue_says() -> None:
    calls = {
        "h-01": ("with_tax(3.6) == 3.85", "with_tax(1) == 1.07"),
        "h-02": ("label('mint', 50) == 'MINT (50 g)'",),
        "h-03": ("average_burn([4, None, 6]) == 5", "average_burn([]) == 0", "average_burn([None]) == 0"),
        "h-04": ("least_depth([4.5, None, 2]) == 2", "least_depth([]) == 0", "least_depth([None]) == 0"),
        "h-05": ("clip_count([0.5, 1.0, -1.2, 0.99]) == 2", "clip_count([]) == 0"),
        "h-06": ("longest_clip([1, 0, -1, 1.5, 1, 0.2, 1]) == 3", "longest_clip([0.5]) == 0"),
    }
    assert set(calls) == {one.id for one in SHIPPED}
    for one in SHIPPED:
        (code,) = blocks(one.dialogue[-1].text)
        checks = "".join(f"    assert eval({call!r}, candidate)\n" for call in calls[one.id])
        assert outcomes([(code, f"def run(candidate):\n{checks}")]) == ["passed"], one.id


# -- settings --------------------------------------------------------------------------------------


def test_what_a_person_agrees_to() -> None:
    by_cover = {one.covers: one for one in SETTINGS.consent}
    assert {name: one.required for name, one in by_cover.items()} == {
        "participation": True,
        "publication": False,
        "donor": False,
    }
    assert "serves other participants" in by_cover["donor"].text
    assert '# covers = "processors"' in page("study.toml"), "an example for a study with a provider"


def test_the_folder_shows_how_to_name_a_live_assistant() -> None:
    text = page("study.toml")
    for example in ('# model = "openai/name-of-the-model"', '# model = "local"', '# prompt = "gate.md"'):
        assert example in text


def test_what_is_asked_after_a_task_and_at_the_end() -> None:
    after = {one.id: one for one in SETTINGS.roleplay.after}
    assert list(after) == ["understood", "effort", "satisfaction"]
    assert all(one.kind == "scale" and one.low_label and one.high_label for one in after.values())
    assert SETTINGS.questionnaire[0].id == "compared", "before other questions give a hint"
    assert len(SETTINGS.questionnaire) <= 8
    assert not any(one.required for one in (*after.values(), *SETTINGS.questionnaire))


def test_the_analysis_plan_is_complete() -> None:
    assert ANALYSIS.primary_outcome == "ft_es"
    assert ANALYSIS.contrast == "same-user minus none"
    assert ANALYSIS.multiplicity == "holm"
    assert ANALYSIS.planned_n
    assert ANALYSIS.planned_n % (len(cells(STUDY)) * len(SETTINGS.roleplay.conditions)) == 0
    assert f"{ANALYSIS.planned_n} participations" in ANALYSIS.stopping_rule
    assert ANALYSIS.sensitivity
    assert ANALYSIS.known_deviations


# -- the pages -------------------------------------------------------------------------------------


def shown_lines(markdown: str) -> int:
    """Terminal lines of a page of paragraphs and lists, at the width of an 80-column terminal."""
    count = 0
    for block in re.split(r"\n\s*\n", markdown.strip()):
        entries = re.split(r"\n(?=(?:- |\d+\. ))", block)
        count += sum(len(textwrap.wrap(" ".join(one.split()), PAGE_WIDTH - 2)) for one in entries) + 1
    return count - 1


def test_each_page_of_the_instructions_fits_80_by_24() -> None:
    pages = re.split(r"^---[ \t]*\n", page("instructions.md"), flags=re.MULTILINE)
    assert len(pages) >= 3
    for one in pages:
        assert shown_lines(one) <= PAGE_LINES, one
        assert all(len(line) <= PAGE_WIDTH for line in one.splitlines())


@by_task
def test_a_brief_is_read_on_two_screens(task: Task) -> None:
    assert shown_lines(task.brief) <= 26
    assert shown_lines(task.speaks) <= 8
    assert shown_lines(task.opening) <= 8


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("consent.md", ["recorded", "kept", "sends nothing over", "your choice", "withdraw", "passwords",
                        "say no and take part all the same", "six or seven tasks"]),
        ("instructions.md",
         ["It does not test you", "Some tasks cannot be solved", "what the assistant asks",
          "in this person's way", "Volunteer nothing until it asks", "end a task yourself at any time",
          "no real names", "passwords", "client code", "eight replies", "no speed target", "six or seven",
          "three short questions"]),
        ("debrief.md", ["Hidden tests", "left something open on purpose", "memory", "the other half not",
                        "the assistant is a script", "cannot be solved", "can then be erased"]),
    ],
)  # fmt: skip
def test_the_pages_say_what_they_must(name: str, said: list[str]) -> None:
    text = " ".join(page(name).replace("*", "").split())
    assert [one for one in said if one not in text] == []


def test_the_pages_agree_with_the_settings() -> None:
    rules = SETTINGS.roleplay
    assert (rules.turns, rules.history, rules.held_out, len(rules.after)) == (8, 2, 4, 3)
    assert rules.feedback == "stop_only"
    assert len(rules.conditions) == 2
    assert "In half of the" in page("debrief.md")


def test_sentences_are_short() -> None:
    for name in ("consent.md", "instructions.md", "debrief.md"):
        text = re.sub(r"^(?:- |\d+\. )", "\n\n", page(name), flags=re.MULTILINE).replace("---", "")
        for sentence in re.split(r"[.?!:]\*{0,2}\s|\n\s*\n", text):
            assert len(sentence.split()) <= 26, (name, " ".join(sentence.split()))


# -- form ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("tasks.jsonl",
         "id profile mechanisms resolution speaks brief interface entry_point tests reference facts opening "
         "script source_task part difficulty"),
        ("histories.jsonl", "id profile mechanisms resolution source_task dialogue"),
    ],
)  # fmt: skip
def test_every_line_has_the_same_keys_in_the_same_order(name: str, keys: str) -> None:
    assert all(" ".join(one) == keys for one in lines(name))


def test_texts_hold_nothing_a_terminal_would_obey() -> None:
    for path in FOLDER.rglob("*"):
        if path.is_file():
            text = path.read_bytes().decode("ascii")
            assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text), path.name
            assert text == text.strip("\n") + "\n", path.name


def test_no_personal_data() -> None:
    for path in FOLDER.rglob("*"):
        if path.is_file():
            text = path.read_text(encoding="utf-8")
            assert not re.search(r"[\w.]+@[\w-]+\.\w+|https?://|sk-\w{8}", text), path.name
