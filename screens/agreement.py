"""The figures of a study's agreement, with everything they must be read with, and who took what for what."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from textual.app import ComposeResult, RenderResult
from textual.binding import Binding
from textual.containers import Container
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from screens import words
from screens.lab import Lab, LabScreen
from screens.looking import may_look
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.heatmap import Heatmap
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, plain, plain_line, shortened
from studies.ports import StudyRecord
from studies.progress import progress_of

if TYPE_CHECKING:
    from studies.agreement.summary import Line
    from studies.annotation.metrics import StudyAgreement
    from studies.study import Study

WHAT, VALUE = 28, 16
"""Widths of the first two columns of figures."""


class AgreementScreen(LabScreen[None]):
    """Nothing is shown before planned N without a reason, which is recorded."""

    CSS_PATH = ["lab.tcss", "agreement.tcss"]
    HELP = (
        "Every figure says what it rests on and, where it is undefined, why. Intervals for other items keep "
        "the same annotators; the one for other annotators too is the one to publish. In the heat map each "
        "cell holds a number; agreement stands in brackets. `capa-tui agreement STUDY --json` gives it all."
    )
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (140, "-wide")]
    BINDINGS = [
        Binding("escape,q", "dismiss", "back", key_display="esc", tooltip="Back"),
        Binding("m", "turn('map')", "heat map", id="agreement.map", tooltip="Who took what for what"),
        Binding("m", "turn('figures')", "figures", tooltip="Back to the figures"),
    ]

    def __init__(self, lab: Lab, record: StudyRecord) -> None:
        super().__init__()
        self._lab = lab
        self._record = record

    def compose(self) -> ComposeResult:
        """Figures, later."""
        yield WhereAmI(f"Agreement · {self._record.title}", self._record.reference)
        with Container(id="agreement"):
            yield PlainText("Reading the study ...", id="waiting")
            yield Pane("Figures", id="figures")
            yield Pane("Who took what for what", id="maps")
        yield KeyBar(stateful=False)

    def on_mount(self) -> None:
        """Work the figures out beside the screen."""
        super().on_mount()
        self.call_after_refresh(lambda: self.begin(self._find))

    async def _find(self) -> None:
        lab, sha256 = self._lab, self._record.sha256
        progress = await self.attempt("The study could not be read", progress_of(lab.archive, self._record))
        if progress is None or not await may_look(self, lab, self._record, progress, "agreement"):
            self.dismiss(None)
            return
        self.query_one("#waiting", PlainText).update("Working the figures out ...")
        study = await lab.archive.study(sha256)
        found = await self.attempt("The figures could not be worked out", self._figures(study))
        if found is None:
            self.dismiss(None)
            return
        await self._show(study, found)

    async def _figures(self, study: Study) -> StudyAgreement:
        streams = await self._lab.archive.streams(study.sha256)
        desk = await self._lab.archive.desk(study.sha256)

        def work() -> StudyAgreement:
            from studies.annotation.metrics import study_agreement

            return study_agreement(study, streams, desk, name=self._record.reference)

        return await asyncio.to_thread(work)

    async def _show(self, study: Study, found: StudyAgreement) -> None:
        names: dict[str, str] = {one.label: one.short for one in study.codebook.entries}
        looks = words.counted(len(found.looks), "look") + " before planned N" if found.looks else ""
        planned = "" if found.planned_n is None else f" of {found.planned_n}"
        done = f"{found.completed}{planned} completed"
        self.query_one(WhereAmI).place = " · ".join(filter(None, (done, looks)))
        figures, maps = self.query_one("#figures", Pane), self.query_one("#maps", Pane)
        from studies.annotation.summary import study_lines

        await figures.mount(*(Figures(one) for one in groups(named(study_lines(found), names))))
        await maps.mount(*_maps(found, names))
        self.add_class("-found")
        self.refresh_bindings()
        self.set_focus(figures)
        figures.renew()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Where both are in sight there is nothing to turn to."""
        if action == "turn":
            both = not self.has_class("-found") or self.has_class("-wide")
            return not both and self.has_class("-map") != (parameters[0] == "map")
        return super().check_action(action, parameters)

    def on_resize(self) -> None:
        """With room for both, both are shown."""
        self.call_after_refresh(self.refresh_bindings)

    def action_turn(self, to: str) -> None:
        """Show the figures, or the heat map."""
        self.set_class(to == "map", "-map")
        self.set_focus(self.query_one("#maps" if to == "map" else "#figures"))
        self.refresh_bindings()


class Figures(Widget):
    """Figures that belong together: what, value, and the note beside it, wrapped."""

    DEFAULT_CSS = """
    Figures { height: auto; width: 1fr; margin-bottom: 1; }
    """

    def __init__(self, lines: Sequence[Line]) -> None:
        super().__init__()
        self._lines = tuple(lines)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """Every line as it wraps."""
        return sum(len(_drawn(one, width)) for one in self._lines)

    def render(self) -> RenderResult:
        """The lines."""
        width = self.content_size.width
        return Content("\n").join(line for one in self._lines for line in _drawn(one, width))


def _drawn(one: Line, width: int) -> list[Content]:
    weight = "" if one.label.startswith(" ") else "bold"
    label, value = shortened(one.label, WHAT - 1), one.value
    if value:
        label, value = label.ljust(WHAT), value.ljust(VALUE)
    front = Content.assemble(plain_line(label, weight), plain_line(value, "bold"), " ")
    notes = plain(one.note, "dim")
    lines = notes.wrap(max(20, width - front.cell_length)) if notes else [notes]
    blank = Content(" " * front.cell_length)
    return [Content.assemble(blank if n else front, line) for n, line in enumerate(lines)]


def groups(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines cut where an unindented one begins; such ones in a row stay together."""
    made: list[list[Line]] = []
    for one in lines:
        inner = one.label.startswith(" ")
        if not made or (not inner and made[-1][-1].label.startswith(" ")):
            made.append([])
        made[-1].append(one)
    return made


def named(lines: Sequence[Line], names: Mapping[str, str]) -> list[Line]:
    """The lines; those of a label say in words what it is."""
    return [_named(one, names.get(one.label.strip())) for one in lines]


def _named(line: Line, name: str | None) -> Line:
    return line if name is None else line._replace(note=f"{name}; {line.note}")


def _maps(found: StudyAgreement, names: Mapping[str, str]) -> list[PlainText | Heatmap]:
    made: list[PlainText | Heatmap] = []
    pairs, gold = found.report.confusion, found.report.against_gold
    if pairs.matrix is not None and len(pairs.categories):
        made += [
            PlainText("Who took what for what: every pair of raters, both ways", classes="map-title"),
            Heatmap(pairs.categories, pairs.matrix, "one rater", "the other"),
        ]
    if gold.confusion is not None:
        made += [
            PlainText("Intended and chosen", classes="map-title"),
            Heatmap(gold.categories, gold.confusion, "intended", "chosen"),
        ]
    if made:
        legend = " · ".join(f"{label} {name}" for label, name in names.items())
        made.append(PlainText(legend))
    return made
