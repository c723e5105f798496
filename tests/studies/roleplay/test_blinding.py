"""Blinding: what is masked, what is not, and that streaming never shows what the whole would mask."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.roleplay.blinding import LONGEST, MASK, Veil, masked, mentions_history


@pytest.mark.parametrize(
    ("said", "hidden"),
    [
        ("I'm Claude.", "Claude"),
        ("I am GPT-4o, and here is the code", "GPT-4o"),
        ("As a Llama 3.1 model I would ask", "Llama 3.1"),
        ("I was made by Anthropic to help", "Anthropic"),
        ("My name is DeepSeek", "DeepSeek"),
        ("I\u2019m ChatGPT, trained by OpenAI", "ChatGPT"),
        ("i am qwen", "qwen"),
    ],
)
def test_a_reply_that_names_its_maker_is_masked(said: str, hidden: str) -> None:
    text, names = masked(said)
    assert names
    assert hidden not in text
    assert MASK in text


@pytest.mark.parametrize(
    "said",
    [
        "def feed_llama(n): return n",
        "The gemini twins are a constellation",
        "Use the OpenAI client library here",
        "phi = (1 + 5 ** 0.5) / 2",
        "I am clauding",
    ],
)
def test_a_program_may_well_be_about_llamas(said: str) -> None:
    assert masked(said) == (said, False)


@given(
    st.lists(st.sampled_from(["I am ", "Cla", "ude", " 4.5 ", "made ", "by ", "Anthropic", "x" * 70, "."]))
)
def test_streaming_shows_in_the_end_exactly_what_the_whole_shows(parts: list[str]) -> None:
    veil = Veil()
    shown = "".join([*(veil.feed(one) for one in parts), veil.feed("", last=True)])
    assert shown == masked("".join(parts))[0]


def test_streaming_holds_back_what_a_name_could_still_change() -> None:
    veil = Veil()
    assert veil.feed("Well. I am Clau") == "Well. "
    assert veil.feed("de and this goes on" + "." * LONGEST).startswith(f"I am {MASK}")


@pytest.mark.parametrize(
    ("said", "flagged"),
    [
        ("As in our previous session, I use the sample deviation", True),
        ("Like last time, semicolons.", True),
        ("Based on your history I assume z-scores", True),
        ("Sort the list before you return it", False),
        ("Use the last element", False),
    ],
)
def test_speaking_of_earlier_sessions_is_flagged(said: str, flagged: bool) -> None:
    assert mentions_history(said) is flagged
