"""The key bar tells the truth, help is where the focus is, and keys can be given other places."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from capa_tui.keys import display, known_keys, read_keymap
from screens.widgets.bars import KeyBar, hints
from studies.errors import FolderError

Make = Callable[..., Any]

WHOLE: dict[str, Any] = {
    "training": 1,
    "design": {"block": 2},
    "questionnaire": [
        {"id": "a", "text": "Age?", "kind": "choice", "options": ["x", "y"]},
        {"id": "b", "text": "More?", "kind": "text"},
    ],
}
STATES = {
    "consent": ("consent", ()),
    "page": ("instructions:1", ()),
    "item": ("main:", ()),
    "second item": ("main:", ("1", "0", "s", "1", "enter")),
    "also": ("main:", ("1", "0", "s", "1", "enter", "3", "a")),
    "codebook": ("main:", ("1", "0", "s", "1", "enter", "question_mark")),
    "codebook and also": ("main:", ("1", "0", "s", "1", "enter", "1", "a", "question_mark")),
    "sure": ("main:", ("1", "0", "s", "1", "enter", "s")),
    "note": ("main:", ("n",)),
    "escape code": ("main:", ("7",)),
    "feedback": ("feedback:", ()),
    "rest": ("rest:", ()),
    "form": ("questions:1", ()),
    "form text": ("questions:1", ("tab",)),
    "menu": ("main:", ("f10",)),
    "help": ("main:", ("n", "f1")),
    "debrief": ("debrief", ()),
}


@pytest.mark.parametrize("state", STATES)
async def test_all_keys_fit_and_do_what_they_say(chair: Make, state: str) -> None:
    at, keys = STATES[state]
    seat = await chair(**WHOLE).walk_to(at)
    async with seat.sit():
        await seat.press(*keys)
        bar = seat.app.screen.query_one(KeyBar)
        lines = bar.lines(bar.content_size.width)
        assert len(lines) <= bar.content_size.height
        words = [hint.text for line in lines for hint in line]
        if state not in ("menu", "help"):
            assert "withdraw" in words
        for hint in hints(seat.app.screen):
            if hint.action is not None:
                assert hint.node.is_attached
                assert seat.app._check_action_state(hint.action, hint.node) is True
        for key, active in seat.app.screen.active_bindings.items():
            if active.binding.show and active.enabled:
                assert winner(seat.app, key) == (active.node, active.binding)


def winner(app: Any, key: str) -> tuple[Any, Any]:
    """The node and binding that get a key."""
    return next(
        (node, binding)
        for node, bindings in app.screen._modal_binding_chain
        for binding in bindings.key_to_bindings.get(key, ())
        if app._check_action_state(binding.action, node)
    )


async def test_the_bar_follows_the_focus(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        assert "1-8 main" in seat.text
        await seat.press("1", "a")
        assert "2-6 also" in seat.text
        assert "a main" in seat.text
        await seat.press("escape", "n")
        assert "1-8" not in seat.text
        assert "enter next" not in seat.text
        assert "done writing" in seat.text


async def test_a_click_on_the_bar_is_the_key(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.click_hint("nothing else")
        assert seat.visit.answers["additional"] == ()
        await seat.click_hint("codebook")
        await seat.click_hint("close")
        await seat.click_hint("next")
        assert "Still open" in seat.says
        await seat.click_hint("pause")
        assert "Pause here?" in seat.text


async def test_help_lists_the_keys_of_the_focus_first_and_returns(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        await seat.press("s")
        scale = seat.app.focused
        await seat.press("f10", "escape")
        seat.screen.action_explain()
        await seat.settle()
        text = seat.text
        assert text.index("A digit chooses") < text.index("Read the request")
        assert "Keys" in text
        await seat.press("escape")
        assert seat.app.focused is scale


async def test_a_key_given_another_place_works_and_is_shown_there(chair: Make) -> None:
    seat = await chair().walk_to("main:")
    async with seat.sit():
        seat.app.set_keymap({"annotation.next": "ctrl+n", "annotation.flag": "g"})
        await seat.press("1", "0", "s", "2", "g", "f", "enter")
        assert not seat.annotations()
        assert "ctrl+n next" in seat.text
        assert "g flag" in seat.text
        await seat.press("ctrl+n")
    assert seat.annotations()[0].flag is True


def test_no_key_needs_what_terminals_do_not_send() -> None:
    from screens.base import CapaModal, CapaScreen

    known_keys()
    unsendable = {"ctrl+m", "ctrl+h", "ctrl+i", "ctrl+enter", "shift+enter", "ctrl+space"}
    todo: list[Any] = [CapaScreen, CapaModal]
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        for one in vars(cls).get("BINDINGS", ()):
            for key in one.key.split(","):
                assert key not in unsendable, cls
                assert not key.startswith(("alt+", "shift+")) or key == "shift+tab", cls


def test_every_id_is_there_once() -> None:
    known = known_keys()
    assert {"annotation.next", "annotation.note", "menu", "pause", "page.go-on"} <= set(known)
    assert all(known.values())


def test_keys_in_words() -> None:
    assert display("escape") == "esc"
    assert display("question_mark") == "?"
    assert display("ctrl+q") == "ctrl+q"
    assert display("pagedown") == "page down"


def test_a_users_keys_are_read(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    assert read_keymap(path) == {}
    path.write_text('[keys]\n"annotation.next" = "ctrl+n"\n')
    assert read_keymap(path) == {"annotation.next": "ctrl+n"}


def test_every_problem_of_a_users_keys_is_named(tmp_path: Path) -> None:
    path = tmp_path / "keys.toml"
    path.write_text('[keys]\n"annotation.nxt" = "x"\n"annotation.next" = 3\n[other]\n')
    with pytest.raises(FolderError) as failure:
        read_keymap(path)
    text = str(failure.value)
    for part in ("keys.toml", "annotation.nxt", "annotation.next", "3", "other"):
        assert part in text
    path.write_text("[keys\n")
    with pytest.raises(FolderError, match=r"keys\.toml"):
        read_keymap(path)
