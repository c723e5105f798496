"""Markdown from a model: the same however it is cut into parts, and nothing of it acts."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from screens.widgets.prose import blocks_of, rows_of_text
from screens.widgets.said import Said

PIECES = (
    *(
        "word ",
        "and more",
        "\n",
        "\n\n",
        "# ",
        "- ",
        "  - ",
        "3. ",
        "> ",
        "```",
        "```python\n",
        "def f(x):\n",
    ),
    *("    x = 1\n", "|a|b|\n", "|-|-|\n", "|1|2|\n", "**", "*", "`", "~~", "---\n", "===\n", "\r\n", "\r"),
    *("[a](http://b)", "&#13;", "&#x202e;", "\t", "\u2028", "\x1b[31m", "\u202e", "é", "日本語", "<b>"),
)
"""What Markdown and trouble are made of."""


def shown(text: str, width: int = 40) -> list[str]:
    """The lines of a whole reply."""
    return lines(Said("A", text, markdown=True), width)


def lines(said: Said, width: int) -> list[str]:
    return [f"{one.sort}:{one.text.plain}" for one in said.lines(width)]


def plain(text: str, width: int = 60) -> list[str]:
    return [line.plain for block in blocks_of(text) for row in block.rows for line in row.wrapped(width)]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.lists(st.integers(1, 9), min_size=1, max_size=30))
def test_a_reply_in_parts_becomes_what_it_is_as_a_whole(pieces: list[str], sizes: list[int]) -> None:
    text = "".join(pieces)
    said = Said("A", markdown=True)
    at = turn = 0
    while at < len(text):
        size = sizes[turn % len(sizes)]
        said.add(text[at : at + size])
        if turn % 3:
            said.lines(40)
        at, turn = at + size, turn + 1
    growing = lines(said, 40)
    said.become(text)
    assert lines(said, 40) == shown(text)
    if not text.endswith("\r"):
        assert growing == shown(text)


@example(["3. ", "3. ", "and more"], 6)
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.integers(6, 90))
def test_no_line_is_wider_than_its_place_and_nothing_in_it_acts(pieces: list[str], width: int) -> None:
    said = Said("A", "".join(pieces), markdown=True)
    for one in said.lines(width):
        assert one.text.cell_length <= max(width - 5, 5) + 8
        assert not set(one.text.plain) & set("\x1b\r\x07\u202e\u2028\x85")


@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_no_visible_word_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    everything = "".join(plain(text, 10_000))
    for word in ("word", "more", "def f(x):", "é", "日本語", "<b>", "&#13;", "&#x202e;"):
        assert everything.count(word) >= (1 if word in text else 0)


def test_what_markdown_becomes() -> None:
    text = (
        "# Title\nA *soft* **loud** ~~gone~~ `code`\nnext line\n\n- one\n- two\n  1. deep\n\n> said\n\n"
        "```python\ndef f():\n    return 1\n```\n\n|a|bb|\n|-|-|\n|long|**2**|\n\n---\nend"
    )
    assert [line.rstrip() for line in plain(text)] == [
        *("Title", "A soft loud gone `code`", "next line"),
        *("• one", "• two", "  1. deep", "│ said"),
        *("  def f():", "      return 1"),
        *("a    │ bb", "─────┼───", "long │ 2", "────────", "end"),
    ]


@pytest.mark.parametrize(
    "hostile",
    ["[/b]", "[red]hi[/red]", "[@click=app.quit]here[/]", "[a](javascript:1)", "![i](http://x/y.png)",
     "<http://x>", "http://example.org", "<script>x</script>", "&#27;[2J", "&lt;b&gt;"],
)  # fmt: skip
def test_links_markup_html_and_entities_stay_what_they_are(hostile: str) -> None:
    said = Said("A", f"see {hostile} there", markdown=True)
    (line,) = said.lines(80)
    assert line.text.plain == f"see {hostile} there"
    assert not [one for one in line.text.spans if "click" in str(one.style)]


def test_emphasis_is_in_the_words_it_belongs_to() -> None:
    (first, second) = (row.text for row in blocks_of("**loud\nstill** soft `x`")[0].rows)
    assert [(first.plain[one.start : one.end], one.style) for one in first.spans] == [("loud", "bold")]
    assert [(second.plain[one.start : one.end], one.style) for one in second.spans] == [
        ("still", "bold"),
        ("`x`", "$text-accent"),
    ]


def test_code_keeps_its_spaces_and_folds_where_it_is_full() -> None:
    text = "```\n" + "    a = 1  # " + "x" * 100 + "\n\n\n    b\n```"
    got = [one.rstrip() for one in plain(text, 42)]
    assert "".join(one[2:] for one in got[:3]) == "    a = 1  # " + "x" * 100
    assert got[3:] == ["", "", "      b"]


def test_code_is_coloured_once_it_is_whole() -> None:
    text = "```python\ndef f():\n    return 1\n```"
    assert not any(row.text.spans for row in blocks_of(text, unfinished=True)[0].rows)
    assert all(row.text.spans for row in blocks_of(text)[0].rows)


@pytest.mark.parametrize("language", ["[/b]", "nonsense", "\\x1b[2J", "python title=x"])
def test_the_name_of_a_language_can_be_anything_and_is_seen(language: str) -> None:
    assert plain(f"```{language}\nx = 1\n```") == [f"  {language}", "  x = 1"]


def test_cells_beyond_the_heading_are_seen() -> None:
    assert plain("|a|b|\n|-|-|\n|1|2|and more|")[2] == "|1|2|and more|"


def test_a_persons_words_are_no_markdown() -> None:
    text = "# not a title\n- *no* list\n\n  `x`\r\nend"
    assert [row.text.plain for row in rows_of_text(text)] == [
        "# not a title",
        "- *no* list",
        "",
        "  `x`",
        "end",
    ]
