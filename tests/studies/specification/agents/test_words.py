"""Sentences, content words, quotes, and what no dimension may be about."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.specification.agents.kept_out import kept_out
from studies.specification.agents.words import clipped, content_words, likeness, said_in, sentences

PROPOSAL = "I want a page where members offer seeds. It shows who offers what."


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?", ("One.", "Two!", "Three?")),
        (
            "Books, e.g. novels. Then more",
            ("Books, e.g. novels.", "Then more"),
        ),
        ("version 1.5 is out\n\n- a list", ("version 1.5 is out", "- a list")),
        ('He said "no." Then he left.', ('He said "no."', "Then he left.")),
        ("一。二。", ("一。", "二。")),
        ("  \n ", ()),
    ],
)
def test_sentences(text: str, expected: tuple[str, ...]) -> None:
    assert sentences(text) == expected


@given(st.text())
def test_no_sentence_is_empty_or_made_up(text: str) -> None:
    for one in sentences(text):
        assert one.strip() == one != ""
        assert one in text


def test_content_words_have_one_form() -> None:
    assert content_words("The bookings") == content_words("booking, a BOOKED booking")
    assert content_words("copies of a copy") == content_words("copy")
    assert not content_words("what is it that you would want?")
    assert likeness("How are reminders sent?", "How should a reminder be sent?") == 1
    assert likeness("", "what is it") == 0
    assert content_words("会員が種を見る") & content_words("種を集める")
    assert not content_words("会員") & content_words("種を集める")


SAID = "No ratings please. “Keep it  plain”, that's\nwhat I always tell the others."


@pytest.mark.parametrize(
    "quote",
    [
        "keep it plain",
        '"Keep it plain"',
        "THAT’S what I always",
        "No ratings please",
        "'Keep it plain', that's",
    ],
)
def test_a_quote_may_differ_in_space_case_and_marks(quote: str) -> None:
    assert said_in(quote, SAID)


@pytest.mark.parametrize(
    "quote",
    [
        "keep it very plain",
        "no rating",
        "keep … plain",
        "keep it plain that's",
        "lain",
        "",
        " '' ",
        "Keep it pIain",
    ],
)
def test_a_quote_may_differ_in_nothing_else(quote: str) -> None:
    assert not said_in(quote, SAID)


def test_writing_without_spaces_can_be_quoted_too() -> None:
    assert said_in("「種を見る」", "会員が種を見る。")
    assert said_in("種を見る", "会員が種を見る。")
    assert said_in("Gewächs", "Viele Gewächse") is False


@given(st.lists(st.text("abcde", min_size=1), min_size=1), st.data())
def test_whatever_words_somebody_said_are_a_quote(words: list[str], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(words) - 1))
    last = data.draw(st.integers(first + 1, len(words)))
    assert said_in("  ".join(words[first:last]).upper(), "\n".join(words))
    assert not said_in(" ".join((*words[first:last], "f")), "\n".join(words))


@given(st.text(), st.integers(1, 40))
def test_a_clipped_text_is_no_longer_than_it_may_be(text: str, most: int) -> None:
    assert len(clipped(text, most)) <= most
    assert "\n" not in clipped(text, most)


@pytest.mark.parametrize(
    ("asked", "answers", "topic"),
    [
        ("storage: Which database keeps the offers?", "", "technology"),
        ("exports: How do offers get out?", "Not at all\nThrough an API", "technology"),
        ("frontend_style: What does it look like?", "", "technology"),
        ("who: Who takes part?", "Django users\nAll", "technology"),
        ("first_steps: What belongs into the MVP?", "", "phasing"),
        ("order: What should be built first?", "", "phasing"),
        ("more: What about pictures?", "Now\nIn a later version", "phasing"),
        ("paying: Which pricing suits you?", "", "pricing"),
        ("extras: Who gets the extras?", "All\nMembers of the premium tier", "pricing"),
        ("budget: What may it use up?", "", "budget"),
        ("money: What are the running costs?", "", "budget"),
        ("when: How long may it take to get built?", "", "timeline"),
        ("timeline: What comes when?", "", "timeline"),
    ],
)
def test_what_is_not_for_the_person_to_choose_is_kept_out(asked: str, answers: str, topic: str) -> None:
    found = kept_out(asked, answers, PROPOSAL)
    assert found is not None and found[0] == topic


@pytest.mark.parametrize(
    ("asked", "answers", "proposal"),
    [
        ("reacting: How can members react to an offer?", "Not at all\nWith a swift note", PROPOSAL),
        ("finding: How does one find the library's shelf?", "On a server's tip\nAlone", PROPOSAL),
        ("shown: How are walks shown?", "As a list\nOn a timeline", PROPOSAL),
        ("therapist: Whom can one ask?", "A therapist\nThe capital's office", PROPOSAL),
        ("prices: Is the price of a ticket shown?", "Yes\nOnly the subscription", PROPOSAL),
        ("deadline: Who hears of a deadline?", "All\nNobody", PROPOSAL),
        ("entries: What is in the database?", "Birds\nPlants", "I want a database of birds."),
        ("budget_view: What does a budget show?", "Sums\nBars", "I plan my household budget."),
        ("apis: Who may use the API?", "All\nSome", "We offer APIs to schools."),
    ],
)
def test_words_with_another_sense_and_words_of_the_proposal_are_not(
    asked: str, answers: str, proposal: str
) -> None:
    assert kept_out(asked, answers, proposal) is None
