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
from screens.figures import Line, Section, sections
from screens.lab import Lab, LabScreen
from screens.looking import may_look
from screens.widgets.bars import KeyBar, WhereAmI
from screens.widgets.heatmap import Heatmap
from screens.widgets.panes import Pane
from screens.widgets.text import PlainText, plain, plain_line, shortened
from studies.ports import StudyRecord
from studies.progress import progress_of

if TYPE_CHECKING:
    from studies.annotation.metrics import StudyAgreement
    from studies.study import Study

WHAT, VALUE = 27, 16
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
        await figures.mount(*(Figures(one) for one in sections(found, names)))
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
    """A section of figures: what, value, and the note beside it or below itself."""

    DEFAULT_CSS = """
    Figures { height: auto; width: 1fr; margin-bottom: 1; }
    Figures .figures--title { text-style: bold; color: $primary; }
    """
    COMPONENT_CLASSES = {"figures--title"}

    def __init__(self, section: Section) -> None:
        super().__init__()
        self._section = section

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """The title, and every line as it wraps."""
        return 1 + sum(len(_line(one, width)) for one in self._section.lines)

    def render(self) -> RenderResult:
        """Title and lines."""
        title = plain_line(self._section.title, self.get_visual_style("figures--title", partial=True))
        lines = (line for one in self._section.lines for line in _line(one, self.content_size.width))
        return Content("\n").join([title, *lines])


def _line(one: Line, width: int) -> Sequence[Content]:
    """What, value, and the note beside or, where it is long, below itself."""
    what = shortened(one.what, WHAT - 1).ljust(WHAT)
    if one.what == "-":
        return _hung(Content("- "), plain(one.note), width)
    front = Content.assemble(plain_line(what), plain_line(one.value.ljust(VALUE), "bold"), " ")
    return _hung(front, plain(one.note, "dim"), width)


def _hung(front: Content, text: Content, width: int) -> list[Content]:
    """The text wrapped behind what stands before it."""
    lines = text.wrap(max(20, width - front.cell_length)) if text else [text]
    blank = Content(" " * front.cell_length)
    return [Content.assemble(blank if n else front, line) for n, line in enumerate(lines)]


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
