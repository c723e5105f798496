"""Participant codes: what is drawn, and which typing errors show."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.codes import ALPHABET, check_character, check_code, code_key, draw_code, is_issued_form
from studies.errors import NoPlaceError

stems = st.text(ALPHABET, min_size=4, max_size=4)
codes = stems.map(lambda stem: f"{stem}-{check_character(stem)}")
PLACES = (0, 1, 2, 3, 5)
"""Where a code has its characters, left out the dash."""


def test_alphabet_has_no_lookalikes_and_a_prime_size() -> None:
    assert len(ALPHABET) == len(set(ALPHABET)) == 31
    assert not set(ALPHABET) & set("0O1IL")


def test_drawn_codes_are_valid_and_no_words() -> None:
    for code in {draw_code() for _ in range(500)}:
        assert is_issued_form(code)
        assert check_code(code) == code
        assert any(char.isdigit() for char in code[:4])


@given(codes)
def test_case_does_not_matter(code: str) -> None:
    assert is_issued_form(code.lower())
    assert code_key(code) == code_key(code.lower())


@given(codes)
def test_every_single_wrong_character_shows(code: str) -> None:
    for place in PLACES:
        for wrong in ALPHABET:
            if wrong != code[place]:
                assert not is_issued_form(code[:place] + wrong + code[place + 1 :])


@given(codes)
def test_every_swap_of_neighbours_shows(code: str) -> None:
    for left, right in pairwise(PLACES):
        if code[left] != code[right]:
            chars = list(code)
            chars[left], chars[right] = chars[right], chars[left]
            assert not is_issued_form("".join(chars))


@given(codes, st.sampled_from("0O1IL!é \0"), st.sampled_from(PLACES))
def test_foreign_characters_show(code: str, foreign: str, place: int) -> None:
    assert not is_issued_form(code[:place] + foreign + code[place + 1 :])


@pytest.mark.parametrize("code", ["", " ", "-A", "a b", "x" * 33, "a\0b", "=cmd", "../x", "ä", "a\x1b[2J"])
def test_what_no_code_can_look_like_is_refused(code: str) -> None:
    with pytest.raises(NoPlaceError, match="no participant code"):
        check_code(code)


def test_blanks_around_a_code_are_dropped() -> None:
    assert check_code(" P-01\n") == "P-01"
