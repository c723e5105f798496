"""F1: what the screen and the thing in focus are for, and every key that works here."""

from __future__ import annotations

from typing import Any, Self

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, VerticalScroll
from textual.content import Content
from textual.screen import Screen

from screens.base import CapaModal
from screens.widgets.bars import KeyBar, joined
from screens.widgets.text import PlainText, plain_line


class HelpScreen(CapaModal[None]):
    """Explains; Escape returns to the very place."""

    CSS_PATH = "help.tcss"
    BINDINGS = [Binding("escape,f1,q", "dismiss", "close", key_display="esc")]

    def __init__(self, texts: list[str], keys: list[tuple[str, str]]) -> None:
        super().__init__()
        self._texts, self._keys = texts, keys

    @classmethod
    def on(cls, screen: Screen[Any]) -> Self:
        """Help for a screen as it stands: from what has the focus outward."""
        nodes = screen.focused.ancestors_with_self if screen.focused else [screen]
        texts = [node.HELP for node in nodes if getattr(node, "HELP", None)]
        return cls(list(dict.fromkeys(filter(None, texts))), all_keys(screen))

    def compose(self) -> ComposeResult:
        """Texts above, keys below."""
        with VerticalScroll(id="help"):
            for text in self._texts:
                yield PlainText(text, classes="help-text")
            yield PlainText("Keys", classes="help-heading")
            width = max((Content(keys).cell_length for keys, _ in self._keys), default=0) + 2
            for keys, does in self._keys:
                with Horizontal(classes="help-key"):
                    name = PlainText(plain_line(keys, "bold"))
                    name.styles.width = width
                    yield name
                    yield PlainText(does, classes="help-does")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Arrow keys scroll."""
        self.query_one("#help").border_title = "Help"
        self.set_focus(self.query_one("#help"))
        super().on_mount()


def all_keys(screen: Screen[Any]) -> list[tuple[str, str]]:
    """Every key that works now and what it does, those of the focus first."""
    found: dict[tuple[int, str], list[str]] = {}
    said: dict[tuple[int, str], str] = {}
    for active in screen.active_bindings.values():
        binding = active.binding
        words = binding.group.description if binding.group else binding.description
        does = binding.tooltip or (words if binding.show else "")
        if not (does and active.enabled) or binding.system:
            continue
        key = (id(active.node), does)
        found.setdefault(key, []).append(screen.app.get_key_display(binding))
        said[key] = does
    return [(joined(keys), said[key]) for key, keys in found.items()]
