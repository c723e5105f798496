"""Answers to mark: options under one another, a scale in a row. Arrows, space, digits and the mouse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual import events
from textual.app import RenderResult
from textual.binding import Binding
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import reactive
from textual.style import Style
from textual.widget import Widget

from screens.widgets.text import plain, plain_line
from studies.steps import Option

CURSOR = Style(reverse=True)
"""Where the cursor is; reversed, so that it shows without colours as well."""
ONE, ONE_MARKED = "( )", "(•)"
ANY, ANY_MARKED = "[ ]", "[x]"


def mark(marked: bool, several: bool = False) -> str:
    """A box to mark, readable without any colour."""
    return (ANY_MARKED if marked else ANY) if several else (ONE_MARKED if marked else ONE)


class Markable(Widget, can_focus=True):
    """Base: options with a cursor and what is marked among them."""

    DEFAULT_CSS = """
    Markable { height: auto; width: 1fr; color: $foreground; }
    Markable .markable--marked { text-style: bold; }
    Markable .markable--quiet { color: $foreground 60%; }
    """
    COMPONENT_CLASSES = {"markable--marked", "markable--quiet"}
    ALLOW_SELECT = False

    cursor: reactive[int] = reactive(0)
    value: reactive[Any] = reactive(None)

    class Marked(Message):
        """The participant answered."""

        def __init__(self, field: Markable, value: Any) -> None:
            super().__init__()
            self.field, self.value = field, value

        @property
        def control(self) -> Markable:
            """The widget."""
            return self.field

    def __init__(
        self, options: Sequence[Option], value: Any = None, *, required: bool = True, id: str | None = None,
        classes: str | None = None,
    ) -> None:  # fmt: skip
        super().__init__(id=id, classes=classes)
        self.options = tuple(options)
        self.required = required
        self.set_reactive(Markable.value, value)
        places = [place for place, one in enumerate(self.options) if self._is_marked(one)]
        self.set_reactive(Markable.cursor, places[0] if places else 0)

    def offer(self, options: Sequence[Option], value: Any) -> None:
        """Show other options, and what is marked among them."""
        self.options, self.value = tuple(options), value
        places = [place for place, one in enumerate(self.options) if self._is_marked(one)]
        self.cursor = places[0] if places else 0
        self.refresh(layout=True)

    def action_mark(self) -> None:
        """Mark what is under the cursor."""
        self.mark(self.cursor)

    def action_move(self, by: int) -> None:
        """Move the cursor."""
        self.cursor = min(max(0, self.cursor + by), len(self.options) - 1)

    def action_digit(self, number: int) -> None:
        """Mark the option of that number."""
        if 1 <= number <= len(self.options):
            self.mark(number - 1)

    def mark(self, place: int) -> None:
        """Mark an option; one that need not be answered loses its mark the second time."""
        option = self.options[place]
        self.cursor = place
        if self.value == option.value and type(self.value) is type(option.value):
            if self.required:
                return
            self._answer(None)
        else:
            self._answer(option.value)

    def _answer(self, value: Any) -> None:
        self.value = value
        self.post_message(self.Marked(self, value))

    def _is_marked(self, option: Option) -> bool:
        return type(self.value) is type(option.value) and bool(self.value == option.value)

    def _style(self, name: str) -> Any:
        return self.get_visual_style(f"markable--{name}", partial=True)


_DIGITS = tuple(
    Binding(str(n), f"digit({n})", "choose", show=False, group=Binding.Group("choose")) for n in range(1, 10)
)


class Choices(Markable):
    """Options under one another, of which one (or, with `several`, any number) is marked."""

    HELP = "Arrows move, space marks, digits mark directly. A click marks as well."
    BINDINGS = [
        Binding("up", "move(-1)", "option above", show=False),
        Binding("down", "move(1)", "option below", show=False),
        Binding("space", "mark", "mark", tooltip="Mark what is under the cursor"),
        *_DIGITS,
    ]

    def __init__(
        self, options: Sequence[Option], value: Any = None, *, several: bool = False, required: bool = True,
        none: str = "",
        numbered: bool = True, id: str | None = None, classes: str | None = None,
    ) -> None:  # fmt: skip
        """Options to mark.

        Args:
            options: in their order on screen.
            value: what is marked already; for `several` a tuple of values.
            several: any number may be marked.
            required: with one to mark, the mark cannot be taken away again.
            numbered: whether digits mark.
            none: for `several`, the words of a last option that says that none applies.
            id: of the widget.
            classes: of the widget.
        """
        self.several = several
        self._numbered = numbered
        offered = (*options, Option("", none)) if several and none else tuple(options)
        self._none = len(offered) - 1 if several and none else None
        super().__init__(offered, value, required=required, id=id, classes=classes)

    def mark(self, place: int) -> None:
        """Mark an option, or take its mark away where several may be marked."""
        if not self.several:
            super().mark(place)
            return
        self.cursor = place
        if place == self._none:
            self._answer(None if self.value == () else ())
            return
        now, toggled = tuple(self.value or ()), self.options[place]
        if toggled.value in now:
            kept = tuple(one for one in now if one != toggled.value)
        else:
            alone = {one.value for one in self.options if one.alone or toggled.alone}
            kept = (*(one for one in now if one not in alone), toggled.value)
        ordered = tuple(one.value for one in self.options if one.value in kept)
        self._answer(ordered or None)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Only digits that mark something are keys here."""
        if action == "digit":
            return self._numbered and parameters[0] in range(1, len(self.options) + 1)
        return super().check_action(action, parameters)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the options take."""
        return sum(len(one) for one in self._lines(width))

    def render(self) -> RenderResult:
        """One option under the other; long ones wrap behind their mark."""
        return Content("\n").join(line for option in self._lines(self.content_size.width) for line in option)

    def on_click(self, event: events.Click) -> None:
        """A click marks."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        y = 0
        for place, lines in enumerate(self._lines(self.content_size.width)):
            y += len(lines)
            if offset.y < y:
                self.mark(place)
                return

    def _is_marked(self, option: Option) -> bool:
        if not self.several:
            return super()._is_marked(option)
        if self._none is not None and option is self.options[self._none]:
            return bool(self.value == ())
        return option.value in (self.value or ())

    def _front(self, place: int, marked: bool) -> str:
        """What stands before an option."""
        return mark(marked, self.several) + " "

    def _lines(self, width: int) -> list[list[Content]]:
        made = []
        for place, option in enumerate(self.options):
            marked = self._is_marked(option)
            style: Any = self._style("marked") if marked else ""
            if self.has_focus and place == self.cursor:
                style = CURSOR
            front = self._front(place, marked)
            indent = " " * len(front)
            lines = plain(option.label).wrap(max(8, width - len(front)))
            made.append(
                [Content(indent if n else front) + line.stylize(style) for n, line in enumerate(lines)]
            )
        return made


class NumberedChoices(Choices):
    """Options that show their numbers. Offered later; with `none`, any number of them may be marked, and what
    a digit means is the screen's business."""

    HELP = "Arrows move, space marks, a click marks as well; each option has the digit before it."

    def __init__(self, none: str = "", *, id: str | None = None) -> None:
        """Options to be offered later.

        Args:
            none: the words of a last option, under 0, that says that none applies; without, one is chosen.
            id: of the widget.
        """
        super().__init__((Option("-", "-"),), several=bool(none), none=none, numbered=not none, id=id)
        self._said = none

    def offer(self, options: Sequence[Option], value: Any) -> None:
        """Show other options, and what is marked among them."""
        if self._said:
            self._none = len(options)
            options = (*options, Option("", self._said))
        super().offer(options, value)

    def _front(self, place: int, marked: bool) -> str:
        return f"{0 if place == self._none else place + 1} {super()._front(place, marked)}"


class Scale(Markable):
    """Steps in a row, with the meaning of both ends below."""

    HELP = "A digit chooses; arrows move and space chooses. A click chooses as well."
    BINDINGS = [
        Binding("left", "move(-1)", "lower", show=False),
        Binding("right", "move(1)", "higher", show=False),
        Binding("space", "mark", "choose"),
        *_DIGITS,
        Binding("0", "digit(0)", show=False),
    ]

    def action_digit(self, number: int) -> None:
        """Choose the step that carries that number."""
        for place, option in enumerate(self.options):
            if option.value == number:
                self.mark(place)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The steps, and their ends where they have words."""
        return 2 if any(self._ends()) else 1

    def render(self) -> RenderResult:
        """` 1   2  (3)  4   5 `, and what the ends mean."""
        steps = Content("").join(self._step(place) for place in range(len(self.options)))
        low, high = (plain_line(one, self._style("quiet")) for one in self._ends())
        if not (low or high):
            return steps
        gap = max(2, steps.cell_length - low.cell_length - high.cell_length - 2)
        return Content.assemble(steps, "\n ", low, " " * gap, high)

    def on_click(self, event: events.Click) -> None:
        """A click chooses."""
        offset = event.get_content_offset(self)
        if offset is None:
            return
        event.stop()
        x = 0
        for place in range(len(self.options)):
            x += self._step(place).cell_length
            if offset.x < x:
                self.mark(place)
                return

    def _step(self, place: int) -> Content:
        option = self.options[place]
        marked = self._is_marked(option)
        text = plain_line(f"({option.value})" if marked else f" {option.value} ")
        if self.has_focus and place == self.cursor:
            text = text.stylize(CURSOR)
        elif marked:
            text = text.stylize(self._style("marked"))
        return Content.assemble(text, " ")

    def _ends(self) -> tuple[str, str]:
        first, last = self.options[0], self.options[-1]
        return (
            first.label.removeprefix(str(first.value)).strip(),
            last.label.removeprefix(str(last.value)).strip(),
        )
