"""The key map: how keys are called on screen, and a user's own keys from a file."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

from studies.errors import FolderError, InputError, Problem

WORDS = {
    "escape": "esc",
    "question_mark": "?",
    "pageup": "page up",
    "pagedown": "page down",
    "full_stop": ".",
    "comma": ",",
    "slash": "/",
    "plus": "+",
    "minus": "-",
    "shift+tab": "shift+tab",
}
"""Key -> the word for it."""


def display(key: str) -> str:
    """A key in words, as every keyboard has it."""
    if key in WORDS:
        return WORDS[key]
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, WORDS.get(last, last)])


def known_keys() -> dict[str, str]:
    """Id of each binding that can be given another key -> what it does."""
    from screens.base import CapaScreen

    found: dict[str, str] = {}
    todo: list[type[Any]] = [CapaScreen]
    _import_screens()
    while todo:
        cls = todo.pop()
        todo += cls.__subclasses__()
        for one in vars(cls).get("BINDINGS", ()):
            if one.id:
                found[one.id] = one.tooltip or one.description
    return dict(sorted(found.items()))


def _import_screens() -> None:
    import importlib
    import pkgutil

    import screens

    for one in pkgutil.iter_modules(screens.__path__):
        importlib.import_module(f"screens.{one.name}")


def config_file() -> Path:
    """The file of a user's own keys."""
    from platformdirs import user_config_path

    return user_config_path("capa-tui", appauthor=False) / "keys.toml"


def read_keymap(path: Path | None = None) -> dict[str, str]:
    """A user's own keys: a table `[keys]` of binding id -> key. No file: none.

    Raises:
        FolderError: the file has problems; all are named.
        InputError: the file cannot be read.
    """
    path = path or Path(os.environ.get("CAPA_TUI_KEYS") or config_file())
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    try:
        table = tomllib.loads(raw.decode("utf-8"))
    except ValueError as error:
        raise FolderError([Problem(str(path), 0, "", str(error), "TOML in UTF-8")]) from error
    keys = table.get("keys", {})
    known = known_keys()
    problems = [
        Problem(str(path), 0, f"keys.{name}", "no such key binding", "one of " + ", ".join(known))
        for name in keys
        if name not in known
    ]
    problems += [
        Problem(str(path), 0, f"keys.{name}", repr(key), 'a key such as "ctrl+n"')
        for name, key in keys.items()
        if not (isinstance(key, str) and key.strip())
    ]
    problems += [Problem(str(path), 0, name, "no such table", "[keys]") for name in table if name != "keys"]
    if problems:
        raise FolderError(problems)
    return {name: str(key) for name, key in keys.items()}
