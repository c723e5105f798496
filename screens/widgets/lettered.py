"""Answers to a question of an interview: options by letter, with the ways out of them in their places."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.binding import Binding

from screens.widgets.marks import Choices, mark
from studies.steps import Option

LETTERS = "abcdefgh"
"""Keys of the options, in their order."""


class Lettered(Choices):
    """Options, each with a letter. Where several may be chosen, "none of these" is one of the options.

    The letters are those of the keyboard; digits do the same, for layouts that have no such letters.
    """

    HELP = "A letter (or a digit) chooses; arrows move and space chooses. A click chooses as well."
    BINDINGS = [
        Binding(letter, f"digit({n})", "choose", show=True, group=Binding.Group("choose"),
                tooltip="Choose the option of that letter; once more takes it back")
        for n, letter in enumerate(LETTERS, start=1)
    ]  # fmt: skip

    def __init__(
        self, options: Sequence[Option], value: Any = None, *, several: bool, none: str = "",
        id: str | None = None,
    ) -> None:  # fmt: skip
        """Options to choose from.

        Args:
            options: in their order; those that stand alone come last.
            value: what is chosen already; where several may be, a tuple of values, `()` for none of them.
            several: any number may be chosen.
            none: where several may be chosen, the words for none of them.
            id: of the widget.
        """
        offered = list(options)
        at = next((place for place, one in enumerate(offered) if one.alone), len(offered))
        if several and none:
            offered.insert(at, Option("", none))
        super().__init__(offered, value, several=several, required=False, id=id)
        if several and none:
            self._none = at
            marked = [place for place, one in enumerate(self.options) if self._is_marked(one)]
            self.set_reactive(Choices.cursor, marked[0] if marked else 0)

    def _front(self, place: int, marked: bool) -> str:
        return f"{LETTERS[place]} {mark(marked, self.several)} "
