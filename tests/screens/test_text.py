"""Text from people is shown as it is: it is never markup, and it never acts on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App
from textual.content import Content

from screens.dialogs import Choice, Dialog, confirm, message, trouble
from screens.page import TextScreen
from screens.widgets.bars import WhereAmI, joined
from screens.widgets.text import PlainText, TextButton, plain, plain_line, shortened

Make = Callable[..., Any]

HOSTILE = [
    "[/",
    "[/]",
    "[red]x[/blue]",
    "[@click=app.quit]go[/]",
    "[b",
    "\\[b]",
    "a\x1b[31mred\x1b]0;title\x07",
    "\x9b31m\x00\x7f",
    "\u202eabc\u2066",
    "\ud800",
    "$primary {x} %s",
]
"""Each of these crashes, hides itself or acts where text is parsed or sent on raw."""

ACTING = "\x1b\x07\x9b\x00\x7f\u202e\u2066\ud800"


def literal(text: str) -> str:
    """What may be looked for on the screen."""
    return plain(text).plain


@pytest.mark.parametrize("text", ["[/", "[red]x[/blue] [@click=q]y", HOSTILE[6], "\u202e\ud800\x9b"])
async def test_every_screen_shows_it_literally(chair: Make, text: str) -> None:
    code = text.encode("ascii", "replace").decode() if "\ud800" in text else text
    seat = chair(
        requests=[f"R {text} R"] * 2,
        context=(("user", f"C {text} C"),),
        title=f"T {code} T",
        contact=f"P {code} P",
        training=1,
        consent=[{"id": "take-part", "text": f"I {code} I"}],
        questionnaire=[
            {"id": "a", "text": f"Q {code} Q", "kind": "choice", "options": [f"O {code} O", "other"]},
            {"id": "b", "text": "b", "kind": "text"},
        ],
        design={"block": 1},
    )
    await seat.walk_to("consent")
    async with seat.sit():
        shows(seat, f"T {code} T", f"I {code} I")
        await seat.press("f10")
        shows(seat, f"P {code} P")
    await seat.walk_to("main:")
    async with seat.sit():
        shows(seat, f"R {text} R", f"C {text} C")
        await seat.press("1", "0", "s", "2", "n", *("x" for _ in range(2)), "escape")
        seat.journal.broken = f"J {text} J"
        await seat.press("2")
        shows(seat, f"J {text} J")
        seat.journal.broken = None
        await seat.press("enter")
    await seat.walk_to("questions:")
    async with seat.sit():
        shows(seat, f"Q {code} Q", f"O {code} O")
    await seat.walk_to("debrief")
    async with seat.sit():
        await seat.press("enter")
        shows(seat, f"P {code} P")


def shows(seat: Any, *texts: str) -> None:
    shown = seat.text
    for text in texts:
        assert literal(text) in shown, f"{literal(text)!r} is not in\n{shown}"
    assert not set(ACTING) & set(shown)


async def test_every_shared_widget_and_dialog_shows_it_literally() -> None:
    class Bare(App[None]):
        def compose(self) -> Any:
            for text in HOSTILE:
                yield WhereAmI(f"title {text}", f"place {text}")
                yield PlainText(f"static {text}")
                yield TextButton(f"button {text}")

    app = Bare()
    async with app.run_test(size=(100, 80)) as pilot:
        await pilot.pause()
        shown = drawn(app)
        for text in HOSTILE:
            for kind in ("title", "place", "static", "button"):
                assert f"{kind} {plain_line(text).plain}" in shown
        for text in HOSTILE:
            await shows_dialogs(app, pilot, text)


async def shows_dialogs(app: App[None], pilot: Any, text: str) -> None:
    """Each dialog shows the text in each of its places."""
    for screen in (
        confirm(f"title {text}", f"text {text}", f"yes {text}", f"no {text}"),
        message(f"title {text}", f"text {text}"),
        trouble(f"title {text}", f"what {text}", f"kept {text}", f"next {text}", [Choice(1, "ok")]),
        Dialog(f"title {text}", "", [Choice(1, f"one {text}", f"because {text}")]),
        TextScreen(f"title {text}", "text"),
    ):
        await app.push_screen(screen)
        await pilot.pause()
        shown = drawn(app)
        assert f"title {plain_line(text).plain}" in shown
        assert not set(ACTING) & set(shown)
        await app.pop_screen()


def drawn(app: App[None]) -> str:
    """What is on the screen."""
    return "\n".join(strip.text for strip in app.screen._compositor.render_strips())


MARKDOWN = [
    ("see [here](http://x.invalid/a)", "[here](http://x.invalid/a)"),
    ("![alt](http://x.invalid/a.png)", "![alt](http://x.invalid/a.png)"),
    ("<http://x.invalid>", "<http://x.invalid>"),
    ("a List<String> b", "a List<String> b"),
    ("<script>alert(1)</script>", "<script>alert(1)</script>"),
    ("[red]x[/blue] [/", "[red]x[/blue] [/"),
    ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
    ("an \x1b[31m escape", "an \\x1b[31m escape"),
    ("[a]: http://x.invalid\n\n[a]", "[a]"),
]


@pytest.mark.parametrize(("text", "shown"), MARKDOWN)
async def test_markdown_of_the_study_is_read_and_never_acted_on(chair: Make, text: str, shown: str) -> None:
    seat = await chair(instructions=f"# Head\n\n{text}\n\n**bold** and `code`").walk_to("instructions:1")
    async with seat.sit():
        assert shown in seat.text
        assert "bold and code" in seat.text
        assert "**" not in seat.text
        metas = [style.meta for strip in seat.app.screen._compositor.render_strips() for _, style, _ in strip
                 if style is not None]  # fmt: skip
        assert not any("@click" in meta for meta in metas)


async def test_a_codebook_of_hostile_text_is_shown(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    entry = seat.study.codebook.entries[0]
    changed = entry.model_copy(update={"short": "[/b] [red]x[/blue]", "name": "[/] \x1b[1m"})
    entries = (changed, *seat.study.codebook.entries[1:])
    book = seat.study.codebook.model_copy(update={"entries": entries})
    object.__setattr__(seat.study, "codebook", book)
    async with seat.sit():
        shows(seat, "[/b] [red]x[/blue]")
        await seat.press("question_mark")
        await seat.until(lambda: "[/] \\x1b[1m" in seat.text)


def test_one_line_stays_one_line() -> None:
    assert plain_line("a\nb\tc\r\nd").plain == "a\\nb\\tc\\nd"
    assert shortened("a" * 50, 10) == "a" * 9 + "…"
    assert Content(shortened("\u6f22" * 20, 9)).cell_length <= 9
    assert shortened("short", 10) == "short"


def test_tabs_and_line_ends_are_drawn() -> None:
    assert plain("a\tb").plain == "a   b"
    assert plain("a\r\nb").plain == "a\nb"


@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ("12345678", "1-8"),
        ("12346", "1-4/6"),
        ("12", "1/2"),
        (["a", "esc"], "a/esc"),
        (["esc", "esc"], "esc"),
        ([], ""),
    ],
)
def test_keys_in_short(keys: Any, shown: str) -> None:
    assert joined(keys) == shown
