"""The codebook beside an item: one entry at a time, over the left half of the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult

from screens.widgets.panes import Pane, Reading
from studies.annotation.protocol import called
from studies.kinds import StudyKind

if TYPE_CHECKING:
    from studies.annotation.protocol import AnnotationKind


class CodebookPane(Pane):
    """The entry of the highlighted row. It lies over the request and changes nothing below it."""

    HELP = "The codebook entry of the highlighted row. Arrow keys in the list show the other entries."

    def __init__(self, kind: StudyKind, *, id: str | None = None) -> None:
        super().__init__("Codebook", id=id)
        self._kind = cast("AnnotationKind", kind)
        self._label: str | None = None
        self.display = False

    def compose(self) -> ComposeResult:
        """The text."""
        yield Reading()

    def show(self, label: str) -> None:
        """Open at an entry."""
        self.display = True
        if label == self._label:
            return
        self._label = label
        rules = dict((key, text) for key, _, text in self._kind.overview())["rules"]
        name = called(self._kind.study.codebook.entry(label))
        text = f"## {name}\n\n{self._kind.entry_text(label)}\n\n---\n\n**How to decide**\n\n{rules}"
        self.run_worker(self._read(text), group="codebook", exclusive=True)

    async def _read(self, text: str) -> None:
        await self.query_one(Reading).read(text)
        self.renew()
