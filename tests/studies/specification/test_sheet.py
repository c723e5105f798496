"""A sheet as Markdown: its texts are data, whoever wrote them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from studies.specification.sections import TITLES
from studies.specification.sheet import markdown

HEADINGS = [("h1", "Club"), *(("h2", title) for title in TITLES.values())]
MARKUP = [
    "# a",
    "- # a",
    "> # a",
    "1. # a",
    "1) ## a",
    "- - # a",
    "*\t# a",
    "+ # a",
    "a\r# b",
    "```\nx",
    "~~~",
    "> ```",
    "<!-- x",
    "<script>",
    "<pre>",
    "<?php",
    "<![CDATA[",
    "a <!-- b",
    "a <b onclick=x>c</b>",
    "a\n===",
    "a\n---",
    "a\n--- ",
    "- a\n  ---",
    "- a\n===",
    "***",
    "![x](http://example.org/x.png)",
    "![x][y]\n\n[y]: /x.png",
]


def tokens(text: str) -> list[Token]:
    return MarkdownIt("commonmark").parse(text)


@pytest.mark.parametrize("text", MARKUP)
def test_no_text_becomes_a_heading_or_hides_one_or_is_html(text: str) -> None:
    read = tokens(markdown("Club", dict.fromkeys(TITLES, text)))
    headings = [(one.tag, after.content) for one, after in pairwise(read) if one.type == "heading_open"]
    assert headings == HEADINGS
    kinds = {one.type for one in read} | {child.type for one in read for child in one.children or ()}
    assert not kinds & {"html_block", "html_inline", "image", "fence", "hr"}


def test_lists_and_emphasis_stay_as_they_were_written() -> None:
    text = "- One, **at least**: 3 < 4!\n- Two_parts #1\n  1. a = b\n> said <so>"
    sheet = markdown("Club", {"core_features": text})
    assert f"## Core features\n\n{text.replace('<so', '&lt;so')}\n" in sheet
    assert markdown("A <b>\nclub", {}).startswith("# A &lt;b> club\n")


def test_nothing_in_it_acts_on_a_terminal() -> None:
    sheet = markdown("Cl\x1b]0;ub", {"core_features": "a\x1b[2Jb\r\nc\td\u202ee\ud800"})
    assert sheet.startswith("# Cl\\x1b]0;ub\n")
    assert "\na\\x1b[2Jb\nc\td\\u202ee\\ud800\n" in sheet
