"""The bundled annotation study: enough requests of each sort, defensible, disjoint, and kind to read."""

from __future__ import annotations

import itertools
import json
import re
import textwrap
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import studies
from studies.annotation.materials import CheckItem, Codebook, Item, TrainingItem
from studies.folder import read_files
from studies.folder_checks import check
from studies.settings import AnalysisSettings, StudySettings

PRODUCT = Path(next(iter(studies.__path__)))
FOLDER = PRODUCT / "bundled" / "annotation"
MECHANISMS = ("DCP", "SLM", "CCM", "HCO", "SBM", "ICU")
LABELS = (*MECHANISMS, "NONE", "OTHER")
PAGE_LINES, PAGE_WIDTH = 16, 74


def lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


ITEMS = [Item.model_validate(one) for one in lines("items.jsonl")]
TRAINING = [TrainingItem.model_validate(one) for one in lines("training.jsonl")]
CHECKS = [CheckItem.model_validate(one) for one in lines("checks.jsonl")]
DIALOGUES: list[Item | TrainingItem] = [*ITEMS, *TRAINING]
SHOWN: list[Item | TrainingItem | CheckItem] = [*DIALOGUES, *CHECKS]
BOOK = Codebook.model_validate(toml(PRODUCT / "annotation" / "codebook.toml"))
STUDY = StudySettings.model_validate(toml(FOLDER / "study.toml"))
ANALYSIS = AnalysisSettings.model_validate(toml(FOLDER / "analysis.toml"))


def extra(item: Item, key: str) -> Any:
    return (item.model_extra or {})[key]


def bare(text: str) -> str:
    """A text as the eye compares it."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def quoted(examples: tuple[str, ...]) -> list[str]:
    return [text for one in examples for text in re.findall(r'"([^"]+)"', one)]


def whole(one: Item | TrainingItem) -> str:
    """Everything an annotator reads: the dialogue, then the request."""
    return "\n\n".join([*(message.text for message in one.context), one.request])


def example_texts() -> list[str]:
    """The requests that the codebook quotes."""
    return [text for one in BOOK.entries for text in quoted((*one.examples, one.near_miss)) if " " in text]


def shown_lines(markdown: str) -> int:
    """Terminal lines of a page of paragraphs and lists, at the width of an 80-column terminal."""
    count = 0
    for block in re.split(r"\n\s*\n", markdown.strip()):
        entries = re.split(r"\n(?=(?:- |\d+\. ))", block)
        count += sum(len(textwrap.wrap(" ".join(one.split()), PAGE_WIDTH - 2)) for one in entries) + 1
    return count - 1


def test_the_folder_has_no_problem_and_no_warning() -> None:
    assert check(read_files(FOLDER)) == []


# -- counts -------------------------------------------------------------------------------------


def test_there_are_enough_requests_of_each_sort() -> None:
    gold: Counter[Any] = Counter(one.gold for one in ITEMS)
    assert len(ITEMS) >= 84
    assert all(gold[label] >= 11 for label in MECHANISMS), gold
    assert gold["NONE"] >= 10
    assert 2 <= gold["OTHER"] <= 4
    assert gold[None] == 0


def test_about_half_are_plain_and_half_code_for_each_mechanism_too() -> None:
    styles: Counter[Any] = Counter((one.gold, extra(one, "style")) for one in ITEMS)
    assert {style for _, style in styles} == {"plain", "code"}
    for label in (*MECHANISMS, "NONE"):
        assert abs(styles[label, "plain"] - styles[label, "code"]) <= 1, label
    assert abs(sum(n if style == "plain" else -n for (_, style), n in styles.items())) <= 4


def test_a_plain_request_holds_no_code() -> None:
    """A file name or a call named in passing is what such people write; blocks and back-ticks are not."""
    for one in ITEMS:
        if extra(one, "style") == "plain":
            assert not re.search(r"`|->|==|^(?: {4}|def |class |SELECT )", one.request, re.MULTILINE), one.id


def test_every_mechanism_has_near_misses_and_is_one() -> None:
    near = [(one.gold, extra(one, "near")) for one in ITEMS if extra(one, "near") is not None]
    assert all(other in LABELS and other != gold for gold, other in near)
    from_: Counter[Any] = Counter(gold for gold, _ in near)
    to = Counter(other for _, other in near)
    for label in (*MECHANISMS, "NONE"):
        assert from_[label] >= 4, label
    for label in set(LABELS) - {"OTHER"}:
        assert to[label] >= 2, label
    assert from_["NONE"] >= 8, "unambiguous requests should be hard to tell"
    assert len({frozenset(pair) for pair in near}) >= 12


def test_context_is_there_where_it_decides_and_does_not_give_the_answer_away() -> None:
    with_context: Counter[Any] = Counter(one.gold for one in ITEMS if one.context)
    assert all(one.context for one in ITEMS if one.gold == "CCM")
    assert sum(with_context.values()) >= 14
    assert with_context["NONE"] >= 3
    assert all(with_context[label] >= 1 for label in MECHANISMS), with_context


def test_a_dialogue_begins_with_the_person_and_the_request_answers_the_assistant() -> None:
    for one in DIALOGUES:
        roles = [message.role for message in one.context]
        assert roles == ["user", "assistant"] * (len(roles) // 2), one.id


def test_additional_mechanisms_are_few_and_never_the_dominant_one() -> None:
    marked = [one for one in ITEMS if one.gold_additional]
    assert 4 <= len(marked) <= 12
    for one in marked:
        assert one.gold in MECHANISMS
        assert one.gold not in one.gold_additional


# -- what must not leak or repeat ---------------------------------------------------------------


def test_ids_are_unique_and_tell_nothing() -> None:
    ids = [one.id for one in SHOWN]
    assert len(set(ids)) == len(ids)
    assert [one.id for one in ITEMS] == [f"a-{n:03}" for n in range(1, len(ITEMS) + 1)]


def test_the_order_in_the_file_does_not_give_the_gold_away() -> None:
    longest = max(len(list(run)) for _, run in itertools.groupby(one.gold for one in ITEMS))
    assert longest <= 2


def test_all_texts_are_disjoint() -> None:
    texts = [bare(one.request) for one in SHOWN]
    texts += [bare(message.text) for one in DIALOGUES for message in one.context]
    texts += [bare(text) for text in example_texts()]
    twice = [text for text, n in Counter(texts).items() if n > 1]
    assert twice == []
    assert len(example_texts()) >= 16


def test_no_request_is_a_variation_of_another() -> None:
    """Half of the four-word sequences in common would be a copy with the nouns changed."""

    def grams(text: str) -> set[tuple[str, ...]]:
        words = bare(text).split()
        return {tuple(words[at : at + 4]) for at in range(len(words) - 3)}

    texts = {one.id: grams(one.request) for one in SHOWN}
    for (a, left), (b, right) in itertools.combinations(texts.items(), 2):
        if left and right:
            # Checks share the sentence that makes them checks.
            limit = 0.6 if a.startswith("c-") and b.startswith("c-") else 0.2
            assert len(left & right) / min(len(left), len(right)) < limit, (a, b)


def test_no_text_for_participants_names_a_mechanism_by_its_code() -> None:
    shown = [one.request for one in SHOWN]
    shown += [one.feedback for one in TRAINING]
    shown += [(FOLDER / name).read_text(encoding="utf-8") for name in ("consent.md", "instructions.md")]
    for text in shown:
        assert not re.search(r"\b(?:DCP|SLM|CCM|HCO|SBM|ICU)\b|gold", text)


def test_no_personal_data() -> None:
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"[\w.]+@[\w-]+\.\w+|\+?\d{2,}[ -]\d{3,}[ -]\d{2,}|sk-\w+", text), path.name
        assert set(re.findall(r"https?://([\w.-]+)", text)) <= {"example.org"}, path.name


# -- form ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        (
            "items.jsonl",
            "id context request gold gold_additional source style near",
        ),
        ("training.jsonl", "id request context dominant additional feedback"),
        ("checks.jsonl", "id request dominant"),
    ],
)
def test_every_line_has_the_same_keys_in_the_same_order(name: str, keys: str) -> None:
    raw = (FOLDER / name).read_bytes()
    assert raw.endswith(b"\n")
    assert b"\r" not in raw
    assert all(" ".join(one) == keys for one in lines(name))


def test_requests_vary_in_length_and_a_few_need_scrolling() -> None:
    sizes = [len(one.request) for one in ITEMS]
    assert min(sizes) >= 25
    assert sum(size < 100 for size in sizes) >= 10
    tall = [
        one
        for one in ITEMS
        if sum(len(textwrap.wrap(line, 60) or [""]) for line in whole(one).splitlines()) > 16
    ]
    assert 3 <= len(tall) <= 16
    assert max(sizes) <= 1200


def test_code_fits_a_narrow_pane() -> None:
    for one in DIALOGUES:
        for line in whole(one).splitlines():
            assert not line.startswith("  ") or len(line) <= 68, (one.id, line)


def test_texts_hold_nothing_a_terminal_would_obey() -> None:
    for path in FOLDER.iterdir():
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e]", text), path.name
        assert text == text.strip("\n") + "\n", path.name


# -- practice and checks ------------------------------------------------------------------------


def test_practice_covers_every_mechanism_and_the_gate() -> None:
    given: Counter[Any] = Counter(one.dominant for one in TRAINING)
    assert len(TRAINING) == 12
    assert all(given[label] >= 1 for label in (*MECHANISMS, "NONE"))
    assert sum(bool(one.context) for one in TRAINING) == 2
    assert any(one.additional for one in TRAINING)
    # The same form of dialogue once with two candidates and once with one.
    assert {one.dominant for one in TRAINING if one.context} == {"CCM", "NONE"}


@pytest.mark.parametrize("practice", TRAINING, ids=lambda one: one.id)
def test_feedback_names_the_answer_and_a_neighbour_in_a_few_sentences(practice: TrainingItem) -> None:
    names = {one.label for one in BOOK.entries if one.short in practice.feedback}
    assert practice.dominant in names
    assert names - {practice.dominant}, "why not the neighbour?"
    assert set(practice.additional) <= names
    assert 2 <= len(re.findall(r"[.?!](?=\s|$)", practice.feedback)) <= 4
    assert shown_lines(practice.feedback) <= 8
    assert not re.search(r"\b(wrong answer|mistake|incorrect|failed)\b", practice.feedback)


def test_checks_say_plainly_what_to_choose() -> None:
    assert len(CHECKS) == 4
    assert len({one.dominant for one in CHECKS}) == 4
    for one in CHECKS:
        named = {entry.label for entry in BOOK.entries if f'choose "{entry.short}"' in one.request}
        assert named == {one.dominant}
        assert not any(entry.short in one.request for entry in BOOK.entries if entry.label != one.dominant), (
            "another answer is named too"
        )
        assert one.dominant != "OTHER", "a check should not ask for a reason"


# -- the codebook -------------------------------------------------------------------------------


def test_the_study_uses_the_products_codebook() -> None:
    product = (PRODUCT / "annotation" / "codebook.toml").read_bytes()
    assert (FOLDER / "codebook.toml").read_bytes() == product


def test_the_codebook_has_the_eight_labels_in_order() -> None:
    assert tuple(one.label for one in BOOK.entries) == LABELS


def test_button_texts_are_short_and_cannot_be_mixed_up() -> None:
    shorts = [one.short for one in BOOK.entries]
    assert all(len(one) <= 28 and one == one.strip() and one.isascii() for one in shorts)
    assert len({one.split(" (")[0] for one in shorts}) == 8
    assert not any(a in b for a, b in itertools.permutations(shorts, 2))
    assert len({one.name for one in BOOK.entries}) == 8


def test_every_entry_explains_itself_against_its_neighbour() -> None:
    shorts: dict[str, str] = {one.label: one.short.split(" (")[0] for one in BOOK.entries}
    for one in BOOK.entries:
        assert len(one.examples) == 2
        assert all(quoted((example,)) for example in (*one.examples, one.near_miss))
        assert one.test
        assert one.neighbour not in (None, one.label)
        assert one.near_miss.rstrip(".").endswith(shorts[str(one.neighbour)]), one.label
        for text in (one.choose_when, one.not_when):
            # They go on from "Choose it when" and "Not when".
            assert text[0].islower() or text[0] == '"'
            assert text.endswith(".")


def test_every_boundary_between_neighbours_is_drawn_in_not_when() -> None:
    shorts: dict[str, str] = {one.label: one.short for one in BOOK.entries}
    for label, other in [
        ("DCP", "HCO"), ("DCP", "SLM"), ("SLM", "HCO"), ("SLM", "DCP"), ("CCM", "NONE"), ("CCM", "HCO"),
        ("HCO", "ICU"), ("HCO", "SBM"), ("SBM", "HCO"), ("ICU", "NONE"),
    ]:  # fmt: skip
        assert shorts[other] in BOOK.entry(label).not_when, (label, other)


def test_the_codebook_fits_its_pages() -> None:
    rules = "\n\n".join([BOOK.gate, BOOK.dominant_rule, BOOK.tie_break])
    assert shown_lines(rules) <= PAGE_LINES
    for one in BOOK.entries:
        parts = [one.definition, one.choose_when, one.not_when, one.test, one.near_miss]
        assert sum(shown_lines(part) for part in parts) <= 16, one.label
        assert all(shown_lines(example) <= 2 for example in one.examples)


def test_the_rules_name_the_buttons() -> None:
    at = [BOOK.tie_break.find(BOOK.entry(label).short) for label in MECHANISMS]
    assert at == sorted(at), "the tie-break order is DCP > SLM > CCM > HCO > SBM > ICU"
    assert -1 not in at
    assert BOOK.entry("ICU").short in BOOK.dominant_rule
    assert BOOK.entry("NONE").short in BOOK.gate


# -- settings -----------------------------------------------------------------------------------


def test_the_design_is_feasible_and_balanced() -> None:
    design = STUDY.design
    n, each, raters, block = design.participants, design.items_each, design.raters, design.block
    assert design.kind == "cyclic"
    assert n
    assert each
    assert raters
    assert block
    assert n * each == raters * len(ITEMS)
    assert 2 <= raters <= n
    assert each % block == 0
    assert n % 6 == 0, "six orders of the mechanisms, each equally often"
    shown = each + design.repeats
    assert design.checks <= shown // 20
    assert 1 <= design.checks <= len(CHECKS)
    assert design.repeats >= 1
    assert each > 10 + design.repeats, "repeats come at least ten items later"
    for column in design.strata:
        assert len({one.model_dump()[column] for one in ITEMS}) >= 2


def test_what_a_person_agrees_to() -> None:
    by_cover = {one.covers: one for one in STUDY.consent}
    assert by_cover["participation"].required
    assert not by_cover["publication"].required
    assert "processors" not in by_cover


def test_practice_has_one_round_and_no_pass_mark() -> None:
    assert STUDY.training.rounds == 1
    assert STUDY.training.pass_mark is None
    assert not STUDY.training.exclude


def test_the_questionnaire_is_short_and_nothing_in_it_is_compulsory() -> None:
    questions = {one.id: one for one in STUDY.questionnaire}
    assert 5 <= len(questions) <= 6
    assert {"experience", "effort", "clarity", "language", "comment"} <= set(questions)
    assert not any(one.required for one in questions.values())
    offered = set(questions["hard-to-tell"].options)
    assert offered == {one.short for one in BOOK.entries if one.label != "OTHER"}


def test_the_analysis_plan_is_complete() -> None:
    assert ANALYSIS.primary_outcome == "fleiss_kappa"
    assert ANALYSIS.planned_n == STUDY.design.participants
    assert ANALYSIS.stopping_rule
    assert ANALYSIS.exclusions.checks_failed is not None
    assert ANALYSIS.exclusions.checks_failed <= STUDY.design.checks
    assert ANALYSIS.sensitivity
    assert ANALYSIS.known_deviations
    assert ANALYSIS.include == "completed"


# -- the pages ----------------------------------------------------------------------------------


def page(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def test_each_page_of_the_instructions_fits_80_by_24() -> None:
    pages = re.split(r"^---[ \t]*\n", page("instructions.md"), flags=re.MULTILINE)
    assert len(pages) >= 3
    for one in pages:
        assert shown_lines(one) <= PAGE_LINES, one
        assert all(len(line) <= PAGE_WIDTH for line in one.splitlines())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("consent.md", ["recorded", "kept", "AI", "your choice", "withdraw", "not which key", "passwords"]),
        (
            "instructions.md",
            ["does not test you", "no speed target", "first question", "additional", "not ambiguous",
             "something else", "from 1 to 5", "note", "flag", "stop at any time", "passwords", "client code",
             "twelve requests"],
        ),
        ("debrief.md", ["one category in mind", "twice", "not a request but a check", "different orders"]),
    ],
)  # fmt: skip
def test_the_pages_say_what_they_must(name: str, said: list[str]) -> None:
    text = " ".join(page(name).replace("*", "").split())
    assert [one for one in said if one not in text] == []


def test_sentences_are_short() -> None:
    for name in ("consent.md", "instructions.md", "debrief.md"):
        text = re.sub(r"^(?:- |\d+\. )", "\n\n", page(name), flags=re.MULTILINE).replace("---", "")
        for sentence in re.split(r"[.?!:]\*{0,2}\s|\n\s*\n", text):
            assert len(sentence.split()) <= 26, (name, " ".join(sentence.split()))


def test_the_pages_agree_with_the_design() -> None:
    assert STUDY.design.repeats == 2
    assert "Two requests were shown to you twice" in page("debrief.md")
    assert STUDY.design.checks == 1
    assert "One text was not a request" in page("debrief.md")
    assert STUDY.design.raters == 3
    assert "Three people judge each request" in page("debrief.md")
